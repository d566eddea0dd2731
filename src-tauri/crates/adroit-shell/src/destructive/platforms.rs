//! Tools that look after machines, clusters, volumes and stores: the verbs with which they
//! destroy, as data.
//!
//! Tools are separated by `|`, and so are their verbs, of which each is one or several words that
//! stand among the operands in this order. `*x` is a word that ends in `x`, `x*` one that begins
//! with it, `-x` a flag anywhere.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Call;

/// Tools with the verbs that destroy, below what would be lost.
const TABLE: &[(&str, &[(&str, &str)])] = &[
    (
        "Destroys infrastructure.",
        &[
            (
                "terraform|tofu|terragrunt",
                "destroy|apply -destroy|apply --destroy|state rm|workspace delete|run-all destroy",
            ),
            ("pulumi", "destroy|stack rm|state delete"),
            (
                "cdk|serverless|sls|sst|amplify|eb|copilot",
                "destroy|remove|delete|terminate|app delete",
            ),
        ],
    ),
    (
        "Deletes a machine or an environment with what it holds.",
        &[
            ("vagrant", "destroy|box remove|snapshot delete"),
            (
                "virsh",
                "destroy|undefine|vol-delete|pool-delete|snapshot-delete",
            ),
            (
                "VBoxManage|vboxmanage",
                "unregistervm --delete|closemedium --delete",
            ),
            (
                "multipass|limactl|colima|lxc|incus|minikube|orb",
                "delete|purge",
            ),
            ("kind|k3d", "delete cluster|delete clusters|cluster delete"),
            ("machinectl", "remove"),
            ("conda|mamba", "env remove|remove --all"),
        ],
    ),
    (
        "May destroy what a disk holds.",
        &[
            ("zfs", "destroy|rollback"),
            ("zpool", "destroy|labelclear|remove|detach"),
            (
                "btrfs",
                "subvolume delete|sub delete|su delete|device remove|device delete",
            ),
            (
                "cryptsetup",
                "luksFormat|erase|luksErase|reencrypt|luksKillSlot|luksRemoveKey",
            ),
            (
                "hdparm",
                "--security-erase|--security-erase-enhanced|--trim-sector-ranges",
            ),
            ("nvme", "format|sanitize"),
            ("mdadm", "--zero-superblock|--stop"),
            (
                "diskutil",
                "erase*|partitionDisk|deleteVolume|apfs deleteVolume|secureErase",
            ),
            ("badblocks", "-w|-n"),
            ("lvreduce|lvresize", "-f|-r|-L"),
        ],
    ),
    (
        "Deletes backups.",
        &[
            ("tmutil", "delete|deletelocalsnapshots"),
            ("restic", "forget|prune"),
            ("borg", "delete|prune"),
        ],
    ),
    (
        "Deletes what the store holds.",
        &[
            ("rclone", "delete|purge|deletefile|sync|rmdirs|cleanup"),
            ("mc", "rm|rb"),
            ("s3cmd", "del|rb|rm"),
            ("consul", "kv delete"),
            ("etcdctl", "del"),
            (
                "vault",
                "delete|kv delete|kv destroy|kv metadata|secrets disable|auth disable",
            ),
            ("rabbitmqctl", "reset|force_reset|delete_*|purge_queue"),
            (
                "kafka-topics|kafka-topics.sh|kafka-consumer-groups",
                "--delete",
            ),
        ],
    ),
    (
        "Deletes something on the server.",
        &[(
            "vercel|now|netlify|wrangler|railway|render|firebase|surge|deployctl",
            "rm|remove|delete|teardown|*:delete|*:destroy|*:remove",
        )],
    ),
    (
        "Deletes data of the database.",
        &[
            ("supabase", "db reset|projects delete"),
            ("prisma", "migrate reset|db push --force-reset"),
            ("mix", "ecto.drop|ecto.reset"),
            ("typeorm", "schema:drop"),
            ("sequelize|sequelize-cli", "db:drop"),
            ("knex", "migrate:rollback --all"),
            ("dbmate", "drop"),
            ("goose", "reset"),
            ("diesel", "database reset|database drop|db reset"),
            ("sqlx", "database drop|database reset|db drop|db reset"),
        ],
    ),
    (
        "Discards uncommitted changes or history.",
        &[("hg", "strip|purge|update -C|update --clean|up -C|revert")],
    ),
    (
        "Removes files or discards changes.",
        &[("svn", "revert|delete|rm|remove")],
    ),
    (
        "Discards uncommitted changes.",
        &[("fossil|bzr", "revert|clean|clean-tree")],
    ),
    ("Discards changes.", &[("jj", "abandon|op abandon")]),
    (
        "Removes jobs of the cluster.",
        &[("nomad", "job stop -purge|system gc")],
    ),
    (
        "Removes files.",
        &[("trash|trash-empty|gio", "empty|trash --empty")],
    ),
    (
        "Removes the rules of the firewall.",
        &[
            ("iptables|ip6tables", "-F|--flush|-X|--delete-chain"),
            ("nft", "flush ruleset|flush table|delete table"),
            ("ufw", "reset|--force reset"),
            ("firewall-cmd", "--reset-to-defaults|--complete-reload"),
        ],
    ),
];

/// One sentence that says what would be lost.
pub(super) fn destruction(call: &Call<'_>) -> Option<&'static str> {
    /// For each tool, its verbs and the sentence about them.
    type Losses = Vec<(&'static str, &'static str)>;
    static BY_TOOL: LazyLock<HashMap<&'static str, Losses>> = LazyLock::new(|| {
        let mut by_tool: HashMap<&'static str, Losses> = HashMap::new();
        for (sentence, rows) in TABLE {
            for (tools, verbs) in *rows {
                for tool in tools.split('|') {
                    by_tool.entry(tool).or_default().push((verbs, sentence));
                }
            }
        }
        by_tool
    });
    BY_TOOL
        .get(call.name)?
        .iter()
        .find_map(|(verbs, sentence)| {
            verbs
                .split('|')
                .any(|verb| says(call, verb))
                .then_some(*sentence)
        })
}

/// The words of `verb` stand in the call, the operands of it first and in order.
fn says(call: &Call<'_>, verb: &str) -> bool {
    let mut operands = call.operands();
    verb.split(' ').all(|wanted| {
        if wanted.starts_with('-') {
            return call
                .words()
                .any(|word| word.split('=').next() == Some(wanted));
        }
        operands.next().is_some_and(|word| fits(word, wanted))
    })
}

fn fits(word: &str, wanted: &str) -> bool {
    match (wanted.strip_prefix('*'), wanted.strip_suffix('*')) {
        (Some(end), _) => word.ends_with(end),
        (_, Some(start)) => word.starts_with(start),
        _ => word == wanted,
    }
}
