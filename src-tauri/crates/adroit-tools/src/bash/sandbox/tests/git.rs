//! Repositories: what runs programs in them stays as it is, and the rest works.

use std::path::Path;

use super::{beside, held, script, settings};
use crate::bash::tests::Fixture;
use crate::services::SandboxMode;

#[tokio::test]
async fn protected_places_stay_as_they_are_and_the_rest_of_git_works() {
    let fixture = held!(settings(SandboxMode::Auto));
    fixture
        .text("git init -q . && git config user.name a && git config user.email a@b.c")
        .await;
    std::fs::create_dir_all(fixture.root.join("packages/a")).expect("a folder");
    for name in [".envrc", "packages/a/.npmrc"] {
        std::fs::write(fixture.root.join(name), "before\n").expect("a file");
    }
    fixture
        .text("git add -A && git commit -q -m one && git checkout -q -b side && git gc -q && git stash list")
        .await;
    fixture
        .text("git remote add origin ../x && git branch -q other")
        .await;
    for target in [
        ".envrc",
        "packages/a/.npmrc",
        ".git/hooks/post-commit",
        ".git/config",
    ] {
        script(&fixture, &format!("echo evil >> {target}\n"));
        let failure = fixture.failure("sh script.sh").await;
        let denied = format!("writing `{}`", fixture.root.join(target).display());
        assert!(failure.message.contains(&denied), "{}", failure.message);
    }
    script(
        &fixture,
        "mv .git/config .git/other; rm -rf .git/hooks; mv .envrc a\n",
    );
    fixture.failure("sh script.sh").await;
    assert!(fixture.root.join(".git/config").exists());
    assert!(fixture.root.join(".git/hooks").exists());
    // A script that calls git is not git.
    script(&fixture, "git config core.fsmonitor ./evil\n");
    fixture.failure("sh script.sh && git status").await;
}

#[tokio::test]
async fn a_worktree_commits_into_its_repository() {
    let fixture = held!(settings(SandboxMode::Auto));
    let (_folder, beside) = beside();
    let git = |folder: &Path, command: &str| {
        let output = std::process::Command::new("sh")
            .args(["-c", command])
            .current_dir(folder)
            .output()
            .expect("git");
        assert!(output.status.success(), "{output:?}");
    };
    git(
        &beside,
        "git init -q . && git config user.name a && git config user.email a@b.c && \
         git commit -q --allow-empty -m a",
    );
    git(
        &beside,
        &format!(
            "git worktree add -q --force -B side {}",
            fixture.root.display()
        ),
    );
    fixture
        .text("echo a > file && git add file && git commit -q -m two")
        .await;
    script(
        &fixture,
        &format!("echo evil > {}/.git/hooks/post-commit\n", beside.display()),
    );
    fixture.failure("sh script.sh").await;
}

#[test]
fn only_git_by_itself_may_change_a_repository_s_settings() {
    let fixture = Fixture::set(None, settings(SandboxMode::Auto));
    let granted = |command: &str| {
        crate::bash::sandbox::grants::of(&fixture.bash.analyses.of(command, &fixture.context.cwd))
            .repository
    };
    for command in [
        "git remote add a b",
        "git push -u origin main",
        "git add -A && git commit -m a",
    ] {
        assert!(granted(command), "{command}");
    }
    for command in [
        "git -c alias.x='!sh evil' x",
        "npm test && git push -u origin main",
        "./git remote add a b",
        "GIT_DIR=x git remote add a b",
        "git bisect run ./evil",
        "git rebase -x ./evil main",
    ] {
        assert!(!granted(command), "{command}");
    }
}

#[tokio::test]
async fn a_repository_cannot_be_exchanged() {
    let fixture = held!(settings(SandboxMode::Auto));
    fixture.text("git init -q . && git init -q inner").await;
    script(
        &fixture,
        "cp -a .git one; mv .git two; mv one .git; echo evil > .git/hooks/pre-commit\n\
         mv inner/.git inner/two\n",
    );
    fixture.failure("sh script.sh").await;
    assert!(!fixture.root.join("two").exists() && !fixture.root.join("inner/two").exists());
    assert!(!fixture.root.join(".git/hooks/pre-commit").exists());
}

#[tokio::test]
async fn a_submodule_s_settings_stay_as_they_are_however_deep() {
    let fixture = held!(settings(SandboxMode::Auto));
    fixture.text("git init -q .").await;
    let module = fixture.root.join(".git/modules/libraries/a");
    std::fs::create_dir_all(&module).expect("a folder");
    for name in ["HEAD", "config"] {
        std::fs::write(module.join(name), "before\n").expect("a file");
    }
    script(&fixture, "echo evil >> .git/modules/libraries/a/config\n");
    fixture.failure("sh script.sh").await;
    let config = std::fs::read_to_string(module.join("config")).expect("the file");
    assert_eq!(config, "before\n");
}
