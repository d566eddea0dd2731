//! Tools that look after machines, clusters, volumes and stores: the verbs with which they
//! destroy, as data.

use std::collections::HashMap;
use std::sync::LazyLock;

use super::Call;

/// One tool: the words that together, in this order among its operands, destroy.
struct Verbs {
    tools: &'static str,
    /// Alternatives separated by `|`, words of one by blanks. `*x` is a word that ends in
    /// `x`, `x*` one that begins with it, `-x` a flag.
    verbs: &'static str,
    sentence: &'static str,
}

const fn verbs(tools: &'static str, verbs: &'static str, sentence: &'static str) -> Verbs {
    Verbs {
        tools,
        verbs,
        sentence,
    }
}

const MACHINES: &str = "Deletes a machine or an environment with what it holds.";
const STORES: &str = "Deletes what the store holds.";
const DISKS: &str = "May destroy what a disk holds.";
const INFRASTRUCTURE: &str = "Destroys infrastructure.";
const DATABASE: &str = "Deletes data of the database.";
const BACKUPS: &str = "Deletes backups.";

const TABLE: &[Verbs] = &[
    verbs(
        "terraform|tofu|terragrunt",
        "destroy|apply -destroy|apply --destroy|state rm|workspace delete|run-all destroy",
        INFRASTRUCTURE,
    ),
    verbs("pulumi", "destroy|stack rm|state delete", INFRASTRUCTURE),
    verbs(
        "cdk|serverless|sls|sst|amplify|eb|copilot",
        "destroy|remove|delete|terminate|app delete",
        INFRASTRUCTURE,
    ),
    verbs("vagrant", "destroy|box remove|snapshot delete", MACHINES),
    verbs(
        "virsh",
        "destroy|undefine|vol-delete|pool-delete|snapshot-delete",
        MACHINES,
    ),
    verbs(
        "VBoxManage|vboxmanage",
        "unregistervm --delete|closemedium --delete",
        MACHINES,
    ),
    verbs(
        "multipass|limactl|colima|lxc|incus|minikube|orb",
        "delete|purge",
        MACHINES,
    ),
    verbs(
        "kind|k3d",
        "delete cluster|delete clusters|cluster delete",
        MACHINES,
    ),
    verbs("machinectl", "remove", MACHINES),
    verbs("conda|mamba", "env remove|remove --all", MACHINES),
    verbs("zfs", "destroy|rollback", DISKS),
    verbs("zpool", "destroy|labelclear|remove|detach", DISKS),
    verbs(
        "btrfs",
        "subvolume delete|sub delete|su delete|device remove|device delete",
        DISKS,
    ),
    verbs(
        "cryptsetup",
        "luksFormat|erase|luksErase|reencrypt|luksKillSlot|luksRemoveKey",
        DISKS,
    ),
    verbs(
        "hdparm",
        "--security-erase|--security-erase-enhanced|--trim-sector-ranges",
        DISKS,
    ),
    verbs("nvme", "format|sanitize", DISKS),
    verbs("mdadm", "--zero-superblock|--stop", DISKS),
    verbs(
        "diskutil",
        "erase*|partitionDisk|deleteVolume|apfs deleteVolume|secureErase",
        DISKS,
    ),
    verbs("tmutil", "delete|deletelocalsnapshots", BACKUPS),
    verbs("restic", "forget|prune", BACKUPS),
    verbs("borg", "delete|prune", BACKUPS),
    verbs(
        "rclone",
        "delete|purge|deletefile|sync|rmdirs|cleanup",
        STORES,
    ),
    verbs("mc", "rm|rb", STORES),
    verbs("s3cmd", "del|rb|rm", STORES),
    verbs(
        "vercel|now|netlify|wrangler|railway|render|firebase|surge|deployctl",
        "rm|remove|delete|teardown|*:delete|*:destroy|*:remove",
        "Deletes something on the server.",
    ),
    verbs("supabase", "db reset|projects delete", DATABASE),
    verbs("prisma", "migrate reset|db push --force-reset", DATABASE),
    verbs("mix", "ecto.drop|ecto.reset", DATABASE),
    verbs(
        "hg",
        "strip|purge|update -C|update --clean|up -C|revert",
        "Discards uncommitted changes or history.",
    ),
    verbs(
        "svn",
        "revert|delete|rm|remove",
        "Removes files or discards changes.",
    ),
    verbs(
        "fossil|bzr",
        "revert|clean|clean-tree",
        "Discards uncommitted changes.",
    ),
    verbs("jj", "abandon|op abandon", "Discards changes."),
    verbs(
        "nomad",
        "job stop -purge|system gc",
        "Removes jobs of the cluster.",
    ),
    verbs("consul", "kv delete", STORES),
    verbs("etcdctl", "del", STORES),
    verbs(
        "vault",
        "delete|kv delete|kv destroy|kv metadata|secrets disable|auth disable",
        STORES,
    ),
    verbs(
        "rabbitmqctl",
        "reset|force_reset|delete_*|purge_queue",
        STORES,
    ),
    verbs(
        "kafka-topics|kafka-topics.sh|kafka-consumer-groups",
        "--delete",
        STORES,
    ),
    verbs(
        "trash|trash-empty|gio",
        "empty|trash --empty",
        "Removes files.",
    ),
];

/// One sentence that says what would be lost.
pub(super) fn destruction(call: &Call<'_>) -> Option<&'static str> {
    static BY_TOOL: LazyLock<HashMap<&'static str, &'static Verbs>> = LazyLock::new(|| {
        TABLE
            .iter()
            .flat_map(|row| row.tools.split('|').map(move |tool| (tool, row)))
            .collect()
    });
    let row = BY_TOOL.get(call.name)?;
    row.verbs
        .split('|')
        .any(|verb| says(call, verb))
        .then_some(row.sentence)
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
