//! Real links in a real project, judged as the pipeline judges them.

use std::os::unix::fs::symlink;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use adroit_permissions::{
    CallFacts, HookOpinion, PermissionSnapshot, RuleSet, Subject, ToolCheck, WorkspaceFacts, decide,
};
use adroit_protocol::permission::{Behavior, Mode, RuleEntry, RuleSource};
use adroit_shell::{Access, Analysis, ShellContext};
use adroit_tool::{RestrictedReading, Withheld};
use adroit_workspace::Workspace;

use super::as_on_disk;

/// Rules as the engine hands them on.
struct Rules {
    rules: Arc<RuleSet>,
    workspace: WorkspaceFacts,
}

impl RestrictedReading for Rules {
    fn any(&self) -> bool {
        self.rules.restricts_reading()
    }

    fn speaks_of(&self, path: &Path) -> bool {
        self.rules.speaks_of_reading(path, &self.workspace)
    }
}

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
        self.decided(Mode::AcceptEdits, &[], command)
    }

    /// What is made of the command under `rules`.
    fn decided(&self, mode: Mode, rules: &[(Behavior, &str)], command: &str) -> Behavior {
        let rules = Arc::new(RuleSet::compile(
            rules
                .iter()
                .map(|(behavior, rule)| RuleEntry {
                    rule: (*rule).to_owned(),
                    behavior: *behavior,
                    source: RuleSource::Project,
                    file: None,
                    position: None,
                    expires_at: None,
                    problem: None,
                })
                .collect(),
        ));
        let workspace = self.facts();
        let withheld = Withheld::default().with_rules(Arc::new(Rules {
            rules: Arc::clone(&rules),
            workspace: workspace.clone(),
        }));
        let analysis = self.analysis_under(command, &withheld);
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
            mode,
            rules,
            workspace,
            trusted: true,
            bypass_available: false,
        };
        decide(&snapshot, facts).behavior()
    }

    fn facts(&self) -> WorkspaceFacts {
        WorkspaceFacts {
            root: self.root.clone(),
            additional_directories: Vec::new(),
            home: PathBuf::from("/home/nobody"),
            cwd: self.root.clone(),
            state_directories: Vec::new(),
        }
    }

    fn analysis(&self, command: &str) -> Arc<Analysis> {
        self.analysis_under(command, &Withheld::default())
    }

    fn analysis_under(&self, command: &str, withheld: &Withheld) -> Arc<Analysis> {
        let analysis = adroit_shell::analyze(
            command,
            &ShellContext {
                cwd: &self.root,
                workspace: &self.root,
                additional_directories: &[],
                home: Path::new("/home/nobody"),
            },
        );
        as_on_disk(&Arc::new(analysis), &self.root, &self.workspace, withheld)
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
    // Inside, a link matters where a rule speaks of what it leads to.
    let denied = [(Behavior::Deny, "Read(secret.txt)")];
    let decided = project.decided(Mode::Default, &denied, "find . -name link | xargs cat");
    assert_eq!(decided, Behavior::Deny);
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

const DENY_ENV: &[(Behavior, &str)] = &[(Behavior::Deny, "Read(.env)")];

#[test]
fn a_search_asks_where_a_file_that_a_rule_speaks_of_truly_lies() {
    let project = Project::new();
    let searches = [
        "grep -r x .",
        "grep -rn x",
        "rg --hidden x",
        "find . -type f | xargs cat",
        "find . -name '*.txt' | xargs cat",
        "cd a/b && ls -A | xargs head",
        "diff -r a a",
    ];
    for command in searches {
        let decided = project.decided(Mode::Default, DENY_ENV, command);
        assert_eq!(decided, Behavior::Allow, "{command}");
    }
    std::fs::create_dir(project.root.join("config")).expect("a folder");
    std::fs::write(project.root.join("config/.env"), "KEY=1\n").expect("a file");
    for (command, expected) in [
        ("grep -r x .", Behavior::Ask),
        ("grep -rn x", Behavior::Ask),
        ("grep -r x config", Behavior::Ask),
        ("rg --hidden x", Behavior::Ask),
        ("find . -type f | xargs cat", Behavior::Ask),
        ("find . -name .env | xargs cat", Behavior::Deny),
        ("cat config/.env", Behavior::Deny),
        // None of these comes upon it.
        ("grep -r x a", Behavior::Allow),
        ("rg x", Behavior::Allow),
        ("find . -name '*.txt' | xargs cat", Behavior::Allow),
        ("cd config && ls -A | xargs head", Behavior::Ask),
        ("cd config && ls | xargs head", Behavior::Allow),
    ] {
        let decided = project.decided(Mode::Default, DENY_ENV, command);
        assert_eq!(decided, expected, "{command}");
    }
    let asks = [(Behavior::Ask, "Read(.env)")];
    let decided = project.decided(Mode::Default, &asks, "grep -r x .");
    assert_eq!(decided, Behavior::Ask);
    let decided = project.decided(Mode::Default, &asks, "grep -r x a");
    assert_eq!(decided, Behavior::Allow);
}

fn git(project: &Project, arguments: &[&str]) -> bool {
    std::process::Command::new("git")
        .args(["-c", "user.name=x", "-c", "user.email=x@y"])
        .args(arguments)
        .current_dir(&project.root)
        .output()
        .is_ok_and(|output| output.status.success())
}

#[test]
fn git_asks_before_it_shows_a_tracked_file_that_a_rule_speaks_of() {
    let project = Project::new();
    std::fs::remove_dir_all(project.root.join(".git")).expect("no repository");
    if !git(&project, &["init", "-q"]) {
        eprintln!("SKIPPED: there is no git on this machine");
        return;
    }
    std::fs::write(project.root.join("a/.env"), "KEY=1\n").expect("a file");
    let shows = [
        "git diff",
        "git diff HEAD~1",
        "git log -p -2",
        "git show",
        "git show HEAD --format=%h",
        "git grep KEY",
        "git diff -- a",
        "git --no-pager diff | cat",
        "cd a && git diff",
    ];
    // It lies there and git does not know it.
    for command in shows {
        let decided = project.decided(Mode::Default, DENY_ENV, command);
        let moved = command.starts_with("cd");
        assert!(moved || decided == Behavior::Allow, "{command}");
    }
    for version in ["2", "4"] {
        assert!(git(
            &project,
            &["add", "-f", "f0", "a/.env", "a/b/secret.txt"]
        ));
        assert!(git(&project, &["update-index", "--index-version", version]));
        for command in shows {
            let decided = project.decided(Mode::Default, DENY_ENV, command);
            assert_eq!(decided, Behavior::Ask, "{version}: {command}");
        }
        for command in [
            "git diff --stat",
            "git log --oneline -3",
            "git log -3",
            "git show --stat",
            "git show -s --format=%H",
            "git status",
            "git diff --name-only",
            "git diff -- f0",
            "git diff HEAD -- a/b",
            "git stash list",
        ] {
            let decided = project.decided(Mode::Default, DENY_ENV, command);
            assert_eq!(decided, Behavior::Allow, "{version}: {command}");
        }
        let none = project.decided(Mode::Default, &[], "git diff");
        assert_eq!(none, Behavior::Allow);
    }
}

#[test]
fn a_copy_of_a_folder_brings_protected_files_along() {
    let project = Project::new();
    let evil = project.root.join("evil/sub/.git/hooks");
    std::fs::create_dir_all(&evil).expect("a folder");
    std::fs::write(evil.join("pre-commit"), "x").expect("a file");
    std::fs::create_dir_all(project.root.join("good/inner")).expect("a folder");
    std::fs::write(project.root.join("good/inner/a"), "x").expect("a file");
    for command in [
        "cp -r evil new",
        "cp -a evil new/",
        "cp -R evil a",
        "mv evil new",
    ] {
        for mode in [Mode::AcceptEdits, Mode::BypassPermissions] {
            let decided = project.decided(mode, &[], command);
            assert_eq!(decided, Behavior::Ask, "{command}");
        }
    }
    for command in [
        "cp -r good new",
        "mv good new",
        "cp -a good/inner new",
        "cp f0 new",
    ] {
        assert_eq!(
            project.accepting_edits(command),
            Behavior::Allow,
            "{command}"
        );
    }
}

#[test]
fn links_that_are_carried_somewhere_lead_where_they_led() {
    let project = Project::new();
    let ex = project.outside.join("ex");
    std::fs::create_dir(project.root.join("links")).expect("a folder");
    symlink(&ex, project.root.join("links/l")).expect("a link");
    for command in [
        "mv out new; echo x > new",
        "cp -a out new && echo x > new",
        "cp -P out new; echo x > new",
        "cp -s out new; echo x > new",
        "mv links d; echo x > d/l",
        "cp -r links d; echo x > d/l",
        "cp -r links a; echo x > a/links/l",
        "tar xf a.tar -C d; echo x > d/l",
        "tar -xzf a.tgz; echo x > l",
        "unzip a.zip -d d && echo x > d/l",
    ] {
        assert_eq!(project.accepting_edits(command), Behavior::Ask, "{command}");
        assert!(project.analysis(command).outside_workspace, "{command}");
    }
    for command in [
        "cp f0 new; echo x > new",
        "mv f0 new; echo x > new",
        "cp -r a d; echo x > d/n",
    ] {
        assert_eq!(
            project.accepting_edits(command),
            Behavior::Allow,
            "{command}"
        );
    }
}

#[test]
fn many_files_and_links_that_stay_inside_do_not_ask() {
    let project = Project::new();
    let packages = project.root.join("packages");
    for number in 0..300 {
        let folder = packages.join(format!("p{number}"));
        std::fs::create_dir_all(&folder).expect("a folder");
        symlink("../p0", folder.join("link")).expect("a link");
        for file in 0..80 {
            std::fs::write(folder.join(format!("f{file}")), "").expect("a file");
        }
    }
    for command in [
        "find packages | xargs grep -l x",
        "find packages -name 'f1*' -print0 | xargs -0 wc -l",
        "ls packages | xargs -n1 basename",
    ] {
        let decided = project.decided(Mode::Default, &[], command);
        assert_eq!(decided, Behavior::Allow, "{command}");
    }
    symlink(project.outside.join("ex"), packages.join("p7/far")).expect("a link");
    let decided = project.decided(Mode::Default, &[], "find packages | xargs grep -l x");
    assert_eq!(decided, Behavior::Ask);
}
