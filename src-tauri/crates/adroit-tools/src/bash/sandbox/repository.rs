//! Where the repository of a project lies when it is not in the project: in a folder
//! above it, or, for a worktree or a submodule, where its `.git` file says. `git commit`
//! writes there.

use std::path::{Path, PathBuf};

/// The folders outside of `root` in which git keeps the repository of `root`.
///
/// A `.git` file is the project's word alone, and it could name a folder of the person's
/// that has nothing to do with it: the folder must say in turn that it belongs here.
pub(super) fn outside(root: &Path) -> Vec<PathBuf> {
    let Some((folder, entry)) = root
        .ancestors()
        .map(|folder| (folder, folder.join(".git")))
        .find(|(_, entry)| entry.symlink_metadata().is_ok())
    else {
        return Vec::new();
    };
    // A link would open whatever folder it leads to.
    let found = if entry.is_symlink() {
        None
    } else if entry.is_dir() {
        is_store(&entry).then(|| vec![entry])
    } else {
        linked(folder, &entry)
    };
    found
        .unwrap_or_default()
        .into_iter()
        .filter_map(|place| place.canonicalize().ok())
        .filter(|place| !place.starts_with(root))
        .collect()
}

/// Follows the `.git` file of a worktree or a submodule.
fn linked(folder: &Path, entry: &Path) -> Option<Vec<PathBuf>> {
    let text = std::fs::read_to_string(entry).ok()?;
    let own = folder.join(text.strip_prefix("gitdir:")?.trim());
    if let Ok(common) = std::fs::read_to_string(own.join("commondir")) {
        let back = std::fs::read_to_string(own.join("gitdir")).ok()?;
        let store = own.join(common.trim()).canonicalize().ok()?;
        // The word that the worktree belongs there must stand in the repository: a folder
        // of the project could name any repository as its own.
        let is_kept_there = own.canonicalize().ok()?.parent()? == store.join("worktrees");
        let belongs = is_kept_there && is_same(&own.join(back.trim()), entry);
        return (belongs && is_store(&store)).then(|| vec![store]);
    }
    let settings = std::fs::read_to_string(own.join("config")).ok()?;
    let worktree = settings.lines().find_map(|line| {
        let value = line.trim().strip_prefix("worktree")?.trim_start();
        Some(value.strip_prefix('=')?.trim().to_owned())
    })?;
    (is_same(&own.join(worktree), folder) && is_store(&own)).then(|| vec![own])
}

fn is_store(folder: &Path) -> bool {
    folder.join("HEAD").is_file() && folder.join("objects").is_dir() && folder.join("refs").is_dir()
}

fn is_same(one: &Path, other: &Path) -> bool {
    matches!((one.canonicalize(), other.canonicalize()), (Ok(one), Ok(other)) if one == other)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::Command;

    fn git(folder: &Path, arguments: &[&str]) {
        let output = Command::new("git")
            .args([
                "-c",
                "user.name=a",
                "-c",
                "user.email=a@b.c",
                "-c",
                "protocol.file.allow=always",
            ])
            .args(arguments)
            .current_dir(folder)
            .output()
            .expect("git");
        assert!(output.status.success(), "{output:?}");
    }

    #[test]
    fn worktrees_submodules_and_folders_of_a_repository_are_found_and_a_false_word_is_not() {
        let folder = tempfile::tempdir().expect("a folder");
        let root = folder.path().canonicalize().expect("a path");
        let main = root.join("main");
        std::fs::create_dir_all(main.join("packages/a")).expect("a folder");
        git(&main, &["init", "-q"]);
        git(&main, &["commit", "-q", "--allow-empty", "-m", "a"]);
        assert_eq!(outside(&main), Vec::<PathBuf>::new());
        assert_eq!(outside(&main.join("packages/a")), [main.join(".git")]);

        git(&main, &["worktree", "add", "-q", "../tree"]);
        assert_eq!(outside(&root.join("tree")), [main.join(".git")]);

        git(&root, &["init", "-q", "outer"]);
        git(
            &root.join("outer"),
            &["submodule", "add", "-q", "../main", "inner"],
        );
        assert_eq!(
            outside(&root.join("outer/inner")),
            [root.join("outer/.git/modules/inner")]
        );

        // One that says itself what only the repository may say.
        let forged = root.join("forged");
        std::fs::create_dir_all(forged.join("g")).expect("a folder");
        for (name, text) in [
            (".git", "gitdir: g\n".to_owned()),
            ("g/commondir", format!("{}\n", main.join(".git").display())),
            ("g/gitdir", "../.git\n".to_owned()),
        ] {
            std::fs::write(forged.join(name), text).expect("a file");
        }
        assert_eq!(outside(&forged), Vec::<PathBuf>::new());
        std::fs::remove_file(forged.join(".git")).expect("gone");
        std::os::unix::fs::symlink(main.join(".git"), forged.join(".git")).expect("a link");
        assert_eq!(outside(&forged), Vec::<PathBuf>::new());

        let evil = root.join("evil");
        std::fs::create_dir(&evil).expect("a folder");
        for target in [
            main.join(".git"),
            main.join(".git/worktrees/tree"),
            root.clone(),
        ] {
            std::fs::write(evil.join(".git"), format!("gitdir: {}\n", target.display()))
                .expect("a file");
            assert_eq!(
                outside(&evil),
                Vec::<PathBuf>::new(),
                "{}",
                target.display()
            );
        }
    }
}
