//! What a command would destroy: files, uncommitted work, history, refs, a
//! machine, a cluster or a database. Overwriting, killing and installing are
//! not in here.

/// Arguments of one program, `None` where one cannot be known.
pub(crate) struct Call<'a> {
    pub name: &'a str,
    pub arguments: &'a [Option<&'a str>],
}

impl Call<'_> {
    fn words(&self) -> impl Iterator<Item = &str> {
        self.arguments.iter().filter_map(|argument| *argument)
    }

    /// One of these long options (or its value form), or a short cluster with one of these letters.
    fn has(&self, long: &[&str], letters: &str) -> bool {
        self.words().take_while(|word| *word != "--").any(|word| {
            if let Some(name) = word.strip_prefix("--") {
                let name = name.split('=').next().unwrap_or(name);
                return long.contains(&name);
            }
            word.strip_prefix('-')
                .is_some_and(|cluster| cluster.chars().any(|letter| letters.contains(letter)))
        })
    }

    /// Words that are not options, in order.
    fn operands(&self) -> impl Iterator<Item = &str> {
        self.words().filter(|word| !word.starts_with('-'))
    }

    fn operand_is(&self, index: usize, expected: &[&str]) -> bool {
        self.operands()
            .nth(index)
            .is_some_and(|word| expected.contains(&word))
    }

    fn targets(&self, from: usize) -> String {
        let named: Vec<&str> = self.operands().skip(from).take(3).collect();
        if named.is_empty() {
            "what it names".to_owned()
        } else {
            named
                .iter()
                .map(|word| format!("`{word}`"))
                .collect::<Vec<_>>()
                .join(", ")
        }
    }
}

/// One sentence that says what would be lost.
pub(crate) fn destruction(call: &Call<'_>) -> Option<String> {
    let sentence = match call.name {
        "rm" | "unlink" | "srm" => {
            if call.has(&["help", "version"], "") {
                return None;
            }
            format!("Removes {}.", call.targets(0))
        }
        "shred" => format!(
            "Overwrites {} so that it cannot be restored.",
            call.targets(0)
        ),
        "truncate" => format!("Cuts off the content of {}.", call.targets(0)),
        "git" => return git(call),
        "dd" => {
            let target = call.words().find_map(|word| word.strip_prefix("of="))?;
            if !is_device(target) {
                return None;
            }
            format!("Overwrites the device `{target}`.")
        }
        "mv" => {
            if call.operands().last() != Some("/dev/null") {
                return None;
            }
            "Loses the files that are moved to `/dev/null`.".to_owned()
        }
        "find" | "gfind" => {
            if !call.words().any(|word| word == "-delete") {
                return None;
            }
            "Deletes every file that it finds.".to_owned()
        }
        "fd" | "fdfind" => return None,
        "rsync" => {
            if !call
                .words()
                .any(|word| word.starts_with("--delete") || word == "--remove-source-files")
            {
                return None;
            }
            "Deletes files that the other side does not have.".to_owned()
        }
        "tar" | "bsdtar" if call.has(&["remove-files"], "") => {
            "Removes the files that are archived.".to_owned()
        }
        "chmod" | "chown" | "chgrp" => {
            let root = call.operands().skip(1).any(|word| {
                matches!(
                    word,
                    "/" | "/*" | "/etc" | "/usr" | "/bin" | "/lib" | "/var" | "/home" | "/boot"
                )
            });
            if !(call.has(&["recursive"], "R") && root) {
                return None;
            }
            "Changes the rights of system files throughout.".to_owned()
        }
        "cargo" if call.operand_is(0, &["clean"]) => "Removes the build output.".to_owned(),
        "crontab" if call.has(&[], "r") => "Removes the table of scheduled jobs.".to_owned(),
        "dropdb" | "dropuser" => format!("Drops {}.", call.targets(0)),
        name if name.starts_with("mkfs") || name.starts_with("mke2fs") => {
            "Makes a new file system over what the device holds.".to_owned()
        }
        "fdisk" | "sfdisk" | "gdisk" | "sgdisk" | "parted" | "cfdisk" => {
            if call.has(&["list", "print"], "l") {
                return None;
            }
            "Changes the partitions of a disk.".to_owned()
        }
        "wipefs" | "blkdiscard" | "mkswap" | "cryptsetup" | "lvremove" | "vgremove"
        | "pvremove" | "zpool" | "hdparm" => "May destroy what a disk holds.".to_owned(),
        "shutdown" | "reboot" | "halt" | "poweroff" => "Stops the machine.".to_owned(),
        "init" | "telinit" if call.operand_is(0, &["0", "6"]) => "Stops the machine.".to_owned(),
        "systemctl"
            if call.operand_is(
                0,
                &["reboot", "poweroff", "halt", "kexec", "emergency", "rescue"],
            ) =>
        {
            "Stops the machine.".to_owned()
        }
        "userdel" | "groupdel" | "deluser" => "Removes an account.".to_owned(),
        "docker" | "podman" => return docker(call),
        "docker-compose" => {
            if !(call.operand_is(0, &["down"]) && call.has(&["volumes"], "v"))
                && !call.operand_is(0, &["rm"])
            {
                return None;
            }
            "Removes containers and their volumes.".to_owned()
        }
        "kubectl" | "oc" | "k" => {
            if call.words().any(|word| word.starts_with("--dry-run")) {
                return None;
            }
            if call.operands().any(|word| word == "delete") {
                "Deletes resources of the cluster.".to_owned()
            } else if call.operand_is(0, &["drain"]) {
                "Evicts everything from a node of the cluster.".to_owned()
            } else if call.operand_is(0, &["replace"]) && call.has(&["force"], "") {
                "Deletes and makes anew resources of the cluster.".to_owned()
            } else {
                return None;
            }
        }
        "helm" if call.operand_is(0, &["uninstall", "delete", "del", "un"]) => {
            "Removes a release from the cluster.".to_owned()
        }
        "kind" | "minikube" | "k3d" | "eksctl" if call.operands().any(|word| word == "delete") => {
            "Deletes a cluster.".to_owned()
        }
        "terraform" | "tofu" | "pulumi" | "cdk" => {
            let destroys = call.operands().any(|word| word == "destroy")
                || call
                    .words()
                    .any(|word| word == "-destroy" || word == "--destroy")
                || (call.operand_is(0, &["state"]) && call.operand_is(1, &["rm"]))
                || (call.operand_is(0, &["workspace"]) && call.operand_is(1, &["delete"]));
            if !destroys {
                return None;
            }
            "Destroys infrastructure.".to_owned()
        }
        "aws" => {
            let destroys = call.operand_is(0, &["s3"]) && call.operand_is(1, &["rm", "rb"])
                || call.operand_is(0, &["s3"]) && call.has(&["delete"], "")
                || call
                    .operands()
                    .any(|word| word.starts_with("delete-") || word.starts_with("terminate-"));
            if !destroys {
                return None;
            }
            "Deletes resources in the cloud.".to_owned()
        }
        "gcloud" | "az" | "doctl" | "flyctl" | "fly" | "heroku" | "gsutil" => {
            let destroys = call.operands().any(|word| {
                matches!(
                    word,
                    "delete" | "destroy" | "rm" | "rb" | "apps:destroy" | "pg:reset"
                )
            });
            if !destroys {
                return None;
            }
            "Deletes resources in the cloud.".to_owned()
        }
        "gh" => {
            let deletes = call.operand_is(1, &["delete", "delete-asset"])
                || (call.operand_is(0, &["api"]) && call.words().any(|word| word == "DELETE"));
            if !deletes {
                return None;
            }
            "Deletes something on the server.".to_owned()
        }
        "npm" | "pnpm" if call.operand_is(0, &["unpublish"]) => {
            "Removes a published package.".to_owned()
        }
        "redis-cli" => {
            let flushes = call.words().any(|word| {
                let word = word.to_ascii_lowercase();
                matches!(word.as_str(), "flushall" | "flushdb" | "del" | "unlink")
            });
            if !flushes {
                return None;
            }
            "Deletes keys of the database.".to_owned()
        }
        "psql" | "mysql" | "mariadb" | "sqlite3" | "sqlcmd" | "clickhouse-client" | "duckdb"
        | "cqlsh" | "mongosh" | "mongo" | "mysqladmin" | "bq" | "snowsql" => {
            if !call.words().any(is_destructive_statement) {
                return None;
            }
            "Deletes data of the database.".to_owned()
        }
        "rails" | "rake" | "prisma" | "knex" | "sequelize" | "artisan" | "npx" | "php"
        | "bundle" | "python" | "python3" | "django-admin" => {
            let resets = call.words().any(|word| {
                matches!(
                    word,
                    "db:drop"
                        | "db:reset"
                        | "db:purge"
                        | "db:drop:all"
                        | "migrate:fresh"
                        | "migrate:reset"
                        | "db:wipe"
                        | "flush"
                        | "reset_db"
                )
            }) || call
                .words()
                .collect::<Vec<_>>()
                .windows(3)
                .any(|words| words == ["prisma", "migrate", "reset"]);
            if !resets {
                return None;
            }
            "Deletes data of the database.".to_owned()
        }
        "zip" if call.has(&["move"], "m") => "Removes the files that are archived.".to_owned(),
        _ => return None,
    };
    Some(sentence)
}

/// Whether writing to `path` overwrites a disk.
pub(crate) fn is_device(path: &str) -> bool {
    path.strip_prefix("/dev/").is_some_and(|device| {
        [
            "sd", "hd", "vd", "xvd", "nvme", "mmcblk", "disk", "rdisk", "mapper/", "dm-", "md",
            "loop", "mem", "kmem", "port",
        ]
        .iter()
        .any(|prefix| device.starts_with(prefix))
    })
}

/// SQL or a script that drops, truncates or deletes.
pub(crate) fn is_destructive_statement(text: &str) -> bool {
    let upper = text.to_ascii_uppercase();
    let words: Vec<&str> = upper
        .split(|character: char| {
            !(character.is_ascii_alphanumeric() || character == '_' || character == '.')
        })
        .filter(|word| !word.is_empty())
        .collect();
    let drops = words.windows(2).any(|pair| {
        (matches!(pair[0], "DROP")
            && matches!(
                pair[1],
                "TABLE"
                    | "DATABASE"
                    | "SCHEMA"
                    | "INDEX"
                    | "VIEW"
                    | "COLUMN"
                    | "USER"
                    | "ROLE"
                    | "KEYSPACE"
                    | "COLLECTION"
                    | "TYPE"
                    | "FUNCTION"
                    | "MATERIALIZED"
            ))
            || (pair[0] == "DELETE" && pair[1] == "FROM")
            || (pair[0] == "TRUNCATE" && pair[1] != "(")
    });
    drops
        || words.len() == 1 && words[0] == "TRUNCATE"
        || ["DROPDATABASE", "DELETEMANY", "DELETEONE", ".DROP", "DROP("]
            .iter()
            .any(|word| upper.contains(word))
}

fn docker(call: &Call<'_>) -> Option<String> {
    let operands: Vec<&str> = call.operands().collect();
    let what = match operands.as_slice() {
        [
            "system" | "volume" | "image" | "container" | "network" | "builder" | "buildx",
            "prune",
            ..,
        ] => "everything that is not in use",
        ["volume", "rm" | "remove", ..] => "volumes and the data in them",
        ["rm", ..] | ["container", "rm" | "remove", ..] => {
            "containers and what was written in them"
        }
        ["rmi", ..] | ["image", "rm" | "remove", ..] => "images",
        ["compose", rest @ ..] => {
            let removes = rest.contains(&"rm")
                || (rest.contains(&"down") && call.has(&["volumes", "rmi"], "v"));
            if !removes {
                return None;
            }
            "containers and their volumes"
        }
        ["swarm", "leave", ..]
        | [
            "stack" | "service" | "secret" | "config",
            "rm" | "remove",
            ..,
        ] => "parts of the cluster",
        _ => return None,
    };
    Some(format!("Removes {what}."))
}

/// A name with an extension of letters: a file sooner than a branch.
fn is_file_name(word: &str) -> bool {
    word.rsplit_once('.').is_some_and(|(stem, extension)| {
        !stem.is_empty()
            && (1..=5).contains(&extension.len())
            && extension.bytes().all(|byte| byte.is_ascii_alphabetic())
    })
}

fn git(call: &Call<'_>) -> Option<String> {
    // Global options and their values stand before the subcommand.
    let mut at = 0;
    while let Some(Some(word)) = call.arguments.get(at) {
        if !word.starts_with('-') {
            break;
        }
        at += 1 + usize::from(matches!(
            *word,
            "-C" | "-c" | "--git-dir" | "--work-tree" | "--namespace"
        ));
    }
    let subcommand = (*call.arguments.get(at)?)?;
    let rest = Call {
        name: "git",
        arguments: call.arguments.get(at + 1..)?,
    };
    let after_dashes = rest.words().any(|word| word == "--");
    let sentence = match subcommand {
        "reset" if rest.has(&["hard", "merge"], "") => "Discards all uncommitted changes.",
        "checkout" => {
            let everything = rest
                .operands()
                .any(|word| matches!(word, "." | "./" | "*" | ":/" | ":" | ":/*"));
            let forced = rest.has(&["force"], "f");
            let creates = rest.has(&["orphan"], "bB");
            if forced {
                "Discards uncommitted changes."
            } else if (everything || after_dashes) && !creates {
                "Discards uncommitted changes of the named files."
            } else if !creates
                && !rest.has(&["track", "detach"], "t")
                && (rest.operands().nth(1).is_some() || rest.operands().any(is_file_name))
            {
                // `git checkout HEAD file`, `git checkout src/lib.rs`
                "Discards uncommitted changes of the named files."
            } else if rest.has(&["ours", "theirs", "patch"], "p") {
                "Discards uncommitted changes of the named files."
            } else {
                return None;
            }
        }
        "switch" if rest.has(&["force", "discard-changes"], "f") => "Discards uncommitted changes.",
        "restore" => {
            let staged_only = rest.has(&["staged"], "S") && !rest.has(&["worktree"], "W");
            if staged_only
                || rest.operands().next().is_none()
                    && !rest.has(&["pathspec-from-file"], "p")
                    && call.arguments.iter().all(Option::is_some)
            {
                return None;
            }
            "Discards uncommitted changes of the named files."
        }
        "clean" if rest.has(&["force"], "f") && !rest.has(&["dry-run"], "n") => {
            "Deletes files that git does not track."
        }
        "clean" if rest.has(&["interactive"], "i") => "Deletes files that git does not track.",
        "rm" if !rest.has(&["cached", "dry-run"], "n") => "Removes files.",
        "push" => {
            let forced = rest.has(&["force", "force-with-lease", "mirror", "prune"], "f");
            let deletes = rest.has(&["delete"], "d");
            let refspec = rest
                .operands()
                .skip(1)
                .any(|word| word.starts_with('+') || word.starts_with(':'));
            if forced || refspec && rest.operands().skip(1).any(|word| word.starts_with('+')) {
                "Overwrites history of the remote repository."
            } else if deletes || refspec {
                "Deletes a branch or tag of the remote repository."
            } else {
                return None;
            }
        }
        "branch" => {
            let deletes = rest.has(&["delete"], "dD");
            if !deletes {
                return None;
            }
            "Deletes a branch."
        }
        "tag" if rest.has(&["delete"], "d") => "Deletes a tag.",
        "stash" => match rest.operands().next() {
            Some("drop") => "Discards stashed changes.",
            Some("clear") => "Discards all stashed changes.",
            _ => return None,
        },
        "reflog" if matches!(rest.operands().next(), Some("expire" | "delete" | "drop")) => {
            "Loses the log by which history could be restored."
        }
        "gc" if rest.words().any(|word| word.starts_with("--prune")) => {
            "Deletes objects by which history could be restored."
        }
        "prune" if !rest.has(&["dry-run"], "n") => {
            "Deletes objects by which history could be restored."
        }
        "filter-branch" | "filter-repo" => "Rewrites history.",
        "update-ref" if rest.has(&[], "d") => "Deletes a ref.",
        "replace" if rest.has(&["delete"], "d") => "Deletes a ref.",
        "worktree" if matches!(rest.operands().next(), Some("remove" | "rm")) => {
            "Removes a working tree with its uncommitted changes."
        }
        "remote" if matches!(rest.operands().next(), Some("remove" | "rm")) => {
            "Removes refs of a remote repository."
        }
        "submodule" if matches!(rest.operands().next(), Some("deinit")) => {
            "Removes the working tree of a submodule."
        }
        "notes" if matches!(rest.operands().next(), Some("remove" | "prune")) => "Removes notes.",
        "read-tree" if rest.has(&["reset"], "u") => "Discards uncommitted changes.",
        "checkout-index" if rest.has(&["force"], "f") => "Discards uncommitted changes.",
        _ => return None,
    };
    Some(sentence.to_owned())
}
