//! What subcommands of git and docker destroy.

use super::Call;

pub(super) fn docker(call: &Call<'_>) -> Option<String> {
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

pub(super) fn git(call: &Call<'_>) -> Option<String> {
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
        "push" if rest.has(&["dry-run"], "n") => return None,
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
        "worktree" if rest.has(&["dry-run"], "n") => return None,
        "worktree" if matches!(rest.operands().next(), Some("remove" | "rm")) => {
            if rest.has(&["force"], "f") {
                "Removes a working tree with its uncommitted changes."
            } else {
                "Removes a working tree with the files in it that git ignores."
            }
        }
        "remote" if matches!(rest.operands().next(), Some("remove" | "rm")) => {
            "Forgets a remote and deletes the refs that were fetched from it."
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
