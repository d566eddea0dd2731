//! Real links in a real project, judged as the pipeline judges them.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use adroit_permissions::{
    CallFacts, HookOpinion, PermissionSnapshot, Subject, ToolCheck, WorkspaceFacts, decide,
};
use adroit_protocol::permission::{Behavior, Mode};
use adroit_shell::{Access, Analysis, ShellContext};
use adroit_workspace::Workspace;

use super::with_links_followed;

struct Project {
    root: PathBuf,
    outside: PathBuf,
    workspace: Workspace,
    _folder: tempfile::TempDir,
}

impl Project {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        let base = folder.path().canonicalize().expect("a path");
        let (root, outside) = (base.join("project"), base.join("outside"));
        for path in [
            root.join("a/b/c"),
            root.join(".git/hooks"),
            outside.join("sub"),
        ] {
            std::fs::create_dir_all(path).expect("a folder");
        }
        for path in [
            root.join("f0"),
            root.join("secret.txt"),
            root.join("a/b/secret.txt"),
            outside.join("secrets.json"),
            outside.join("ex"),
        ] {
            std::fs::write(path, "text\n").expect("a file");
        }
        for (target, link) in [
            (outside.join("ex"), "out"),
            (outside.join("later"), "dout"),
            (outside.join("sub"), "sub"),
            (root.join("a/b/c"), "in"),
            (root.join(".git/hooks"), "hk"),
            (PathBuf::from("secret.txt"), "link"),
            (PathBuf::from("round"), "round"),
        ] {
            symlink(target, root.join(link)).expect("a link");
        }
        Self {
            workspace: Workspace::new(&root, [], None).expect("a workspace"),
            root,
            outside,
            _folder: folder,
        }
    }

    /// What is made of the command where edits are accepted.
    fn accepting_edits(&self, command: &str) -> Behavior {
        let analysis = self.analysis(command);
        let facts = CallFacts {
            call: "call".into(),
            tool: "Bash".to_owned(),
            aliases: Vec::new(),
            input: Arc::new(serde_json::json!({ "command": command })),
            read_only: analysis.read_only,
            subject: Subject::Shell {
                command: command.to_owned(),
                cwd: self.root.clone(),
                analysis,
            },
            requires_interaction: false,
            tool_check: ToolCheck::Pass,
            hook: HookOpinion::None,
        };
        let snapshot = PermissionSnapshot {
            mode: Mode::AcceptEdits,
            rules: Arc::default(),
            workspace: WorkspaceFacts {
                root: self.root.clone(),
                additional_directories: Vec::new(),
                home: PathBuf::from("/home/nobody"),
                cwd: self.root.clone(),
                state_directories: Vec::new(),
            },
            trusted: true,
            bypass_available: false,
        };
        decide(&snapshot, facts).behavior()
    }

    fn analysis(&self, command: &str) -> Arc<Analysis> {
        let analysis = adroit_shell::analyze(
            command,
            &ShellContext {
                cwd: &self.root,
                workspace: &self.root,
                additional_directories: &[],
                home: Path::new("/home/nobody"),
            },
        );
        with_links_followed(&Arc::new(analysis), &self.workspace)
    }

    /// The command is seen to reach `place`.
    fn reaches(&self, command: &str, place: &Path, access: Access) {
        let analysis = self.analysis(command);
        let reached = analysis
            .paths
            .iter()
            .any(|path| path.resolved.as_deref() == Some(place) && path.access == access);
        assert!(reached, "{command}: {:#?}", analysis.paths);
        assert_eq!(
            analysis.outside_workspace,
            !place.starts_with(&self.root),
            "{command}"
        );
    }
}

#[test]
fn redirects_follow_links() {
    let project = Project::new();
    let outside = |name: &str| project.outside.join(name);
    project.reaches("echo x > out", &outside("ex"), Access::Write);
    project.reaches("echo x >> dout", &outside("later"), Access::Write);
    project.reaches("cat f0 > sub/n", &outside("sub/n"), Access::Write);
    project.reaches("echo x > sub/x/y", &outside("sub/x/y"), Access::Write);
    project.reaches("cat < out", &outside("ex"), Access::Read);
    assert!(project.analysis("echo x > round").outside_workspace);
}

#[test]
fn two_dots_after_a_link_are_the_folder_above_where_it_leads() {
    let project = Project::new();
    let secrets = project.outside.join("secrets.json");
    for command in [
        "cat sub/../secrets.json",
        "cat < sub/../secrets.json",
        "cd sub; cat ../secrets.json",
        "cat {secrets.json,sub/../secrets.json}",
    ] {
        project.reaches(command, &secrets, Access::Read);
    }
    for command in ["ls sub/..", "grep -r tok sub/.."] {
        project.reaches(command, &project.outside, Access::Read);
    }
    for command in [
        "echo x > sub/../w.txt",
        "touch sub/../w.txt",
        "cp f0 sub/../w.txt",
        "mkdir sub/../w.txt",
    ] {
        project.reaches(command, &project.outside.join("w.txt"), Access::Write);
    }
    project.reaches("touch hk/../w", &project.root.join(".git/w"), Access::Write);
    project.reaches(
        "cat in/../secret.txt",
        &project.root.join("a/b/secret.txt"),
        Access::Read,
    );
    // Without a link, text is right.
    assert!(
        !project
            .analysis("cat a/../f0; cd a/b && ls ..")
            .outside_workspace
    );
    // `cd` goes by the system's reading with `-P` alone, and then nobody follows it by text.
    assert!(
        project
            .analysis("cd -P in/..; cat secret.txt")
            .outside_workspace
    );
}

#[test]
fn patterns_stand_for_the_links_that_they_find() {
    let project = Project::new();
    let ex = project.outside.join("ex");
    let secret = project.root.join("secret.txt");
    project.reaches("cat o*", &ex, Access::Read);
    project.reaches("cat s*/../ex", &ex, Access::Read);
    project.reaches("cat sub/../e*", &project.outside, Access::Read);
    project.reaches("cat lin?", &secret, Access::Read);
    project.reaches("cat [k-m]ink", &secret, Access::Read);
    project.reaches("truncate -s0 l*", &secret, Access::Write);
    project.reaches("cat f*", &project.root, Access::Read);
}

#[test]
fn names_that_a_listing_gives_may_be_links() {
    let project = Project::new();
    let ex = project.outside.join("ex");
    for command in [
        "find . -name out | xargs cat",
        "find . -name 'o*' -exec cat {} +",
        "ls | xargs cat",
    ] {
        let analysis = project.analysis(command);
        let reached = analysis
            .paths
            .iter()
            .any(|path| path.resolved.as_deref() == Some(&ex));
        assert!(
            reached && analysis.outside_workspace,
            "{command}: {:#?}",
            analysis.paths
        );
    }
    let secret = project.root.join("secret.txt");
    project.reaches("find . -name link | xargs cat", &secret, Access::Read);
    for command in [
        "find . -type f | xargs cat",
        "find . -name '*.txt' | xargs cat",
        "find a | xargs cat",
        "grep -r x .",
    ] {
        assert!(!project.analysis(command).outside_workspace, "{command}");
    }
    assert!(
        project
            .analysis("find . -type f -exec cat {} \\; -o -exec cat {} \\;")
            .outside_workspace
    );
}

#[test]
fn a_link_that_the_command_makes_leads_where_it_says() {
    let project = Project::new();
    let secret = project.root.join("secret.txt");
    for command in [
        "ln -sf secret.txt l3; echo x > l3",
        "ln secret.txt l3 && echo x > l3",
        "ln -s secret.txt l2; ln -s l2 l3; echo x > l3",
    ] {
        project.reaches(command, &secret, Access::Write);
    }
    project.reaches(
        "ln -s a/b/secret.txt; cat secret.txt",
        &project.root.join("a/b/secret.txt"),
        Access::Read,
    );
    assert!(project.analysis("ln -s $X y; echo x > y").outside_workspace);
}

#[test]
fn accepted_edits_end_where_links_leave_the_workspace() {
    let project = Project::new();
    for command in [
        "echo x > out",
        "echo x > dout",
        "cat f0 > sub/n",
        "echo x > sub/x/y",
        "echo x > sub/../w.txt",
        "touch sub/../w.txt",
        "touch hk/../w",
        "echo x > hk/pre-commit",
        "cp a/out .",
        "ln -s ../outside l3; echo x > l3",
        "for f in f0 out; do echo x > $f; done",
    ] {
        assert_eq!(project.accepting_edits(command), Behavior::Ask, "{command}");
    }
    for command in [
        "echo x > new",
        "echo x > in/new",
        "touch in/../new",
        "for f in f0 f1; do echo x > $f; done",
    ] {
        assert_eq!(
            project.accepting_edits(command),
            Behavior::Allow,
            "{command}"
        );
    }
}
