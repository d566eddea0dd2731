//! What a command would destroy: files, uncommitted work, history, refs, a
//! machine, a cluster or a database. Overwriting, killing and installing are
//! not in here.

mod platforms;
mod subcommands;

use subcommands::{docker, git};

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
                // Cut short, as getopt_long and git take them: `--delet`, `--rec`.
                return long
                    .iter()
                    .any(|own| *own == name || name.len() > 2 && own.starts_with(name));
            }
            word.strip_prefix('-')
                .is_some_and(|cluster| cluster.chars().any(|letter| letters.contains(letter)))
        })
    }

    /// One of these long options, in full: what excuses a command is not guessed.
    fn says(&self, long: &[&str]) -> bool {
        self.words()
            .take_while(|word| *word != "--")
            .filter_map(|word| word.strip_prefix("--"))
            .any(|name| long.contains(&name.split('=').next().unwrap_or(name)))
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
    // Clients of databases send their words on.
    let explains =
        call.says(&["help", "version"]) && !matches!(call.name, "redis-cli" | "find" | "gfind");
    if explains || only_tries(call) {
        return None;
    }
    if let Some(sentence) = platforms::destruction(call) {
        return Some(sentence.to_owned());
    }
    let sentence = match call.name {
        "rm" | "unlink" | "srm" | "rimraf" => {
            format!("Removes {}.", call.targets(0))
        }
        "npx" | "bunx" | "pnpx" if call.operand_is(0, &["rimraf", "del-cli"]) => {
            format!("Removes {}.", call.targets(1))
        }
        // `tee /dev/sda < image`
        "tee" | "cp" | "install" if call.operands().any(is_device) => {
            format!("Overwrites the device {}.", device_of(call))
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
            if !call.words().any(|word| {
                word.starts_with("--del")
                    || word.len() > 4 && "--remove-source-files".starts_with(word)
            }) {
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
        "blkdiscard" | "mkswap" | "lvremove" | "vgremove" | "pvremove" => {
            "May destroy what a disk holds.".to_owned()
        }
        "wipefs" if call.has(&["all", "offset"], "ao") => {
            "Destroys the signatures by which a disk is read.".to_owned()
        }
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
            let loses_volumes = call.operand_is(0, &["down"]) && call.has(&["volumes"], "v");
            if !loses_volumes && !call.operand_is(0, &["rm"]) {
                return None;
            }
            "Removes containers and their volumes.".to_owned()
        }
        "kubectl" | "oc" | "k" => {
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
        "curl" | "http" | "https" | "xh" if asks_to_delete(call) => {
            "Asks a server to delete something.".to_owned()
        }
        "npm" | "pnpm" if call.operand_is(0, &["unpublish"]) => {
            "Removes a published package.".to_owned()
        }
        "gem" | "cargo" if call.operand_is(0, &["yank"]) && !call.has(&["undo"], "") => {
            "Withdraws a published package.".to_owned()
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
                        | "db:migrate:reset"
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

/// `curl -X DELETE url`, `curl -sXDELETE url`, `http DELETE url`.
fn asks_to_delete(call: &Call<'_>) -> bool {
    let words: Vec<&str> = call.words().collect();
    if call.name != "curl" {
        return words.contains(&"DELETE");
    }
    let method = |word: &str| {
        word.strip_prefix("--request=")
            .map(str::to_owned)
            .or_else(|| {
                let letters = word
                    .strip_prefix('-')
                    .filter(|rest| !rest.starts_with('-'))?;
                letters.split_once('X').map(|(_, method)| method.to_owned())
            })
    };
    words
        .iter()
        .any(|word| method(word).as_deref() == Some("DELETE"))
        || words.windows(2).any(|pair| {
            pair[1] == "DELETE"
                && (pair[0] == "--request" || method(pair[0]).as_deref() == Some(""))
        })
}

fn device_of(call: &Call<'_>) -> String {
    let device = call.operands().find(|word| is_device(word));
    format!("`{}`", device.unwrap_or_default())
}

/// With one of these a program only says what it would do.
fn only_tries(call: &Call<'_>) -> bool {
    let words = &["dry-run", "dryrun", "dry_run", "just-print", "simulate"];
    match call.name {
        "rm" | "find" | "gfind" | "psql" | "mysql" | "docker" | "dd" | "sqlite3" | "redis-cli" => {
            call.name == "docker" && call.says(words)
        }
        // Every value of kubectl's `--dry-run` but `none` only tries.
        "kubectl" | "oc" | "k" => call
            .words()
            .any(|word| word.starts_with("--dry-run") && word != "--dry-run=none"),
        "rsync" | "cargo" => call.says(words) || call.has(&[], "n"),
        _ => call.says(words),
    }
}

/// Names in a program of another language with which it removes files.
pub(crate) fn is_destructive_program(text: &str) -> bool {
    const NAMES: &[&str] = &[
        "shutil.rmtree",
        "os.remove",
        "os.unlink",
        "os.removedirs",
        "fs.rm",
        "fs.unlink",
        "rmSync",
        "unlinkSync",
        "rimraf",
        "FileUtils.rm",
        "File.delete",
        "File.unlink",
        "remove_tree",
        "rmtree(",
        ".unlink(",
        "unlink(",
        "unlink ",
        "Deno.remove",
        "DROP TABLE",
        "DROP DATABASE",
    ];
    NAMES.iter().any(|name| text.contains(name))
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

/// Whether a program runs statements that it reads from its input.
pub(crate) fn is_database_client(name: &str) -> bool {
    matches!(
        name,
        "psql"
            | "mysql"
            | "mariadb"
            | "sqlite3"
            | "mongosh"
            | "mongo"
            | "clickhouse-client"
            | "duckdb"
            | "cqlsh"
            | "sqlcmd"
    )
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
