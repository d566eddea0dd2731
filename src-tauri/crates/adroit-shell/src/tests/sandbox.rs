//! What the analysis calls reading runs without the right to write anywhere.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use landlock::{
    ABI, AccessFs, PathBeneath, PathFd, Ruleset, RulesetAttr, RulesetCreatedAttr, RulesetStatus,
};

use super::corpus::cases;
use super::look;

/// Programs that any machine has, and that end by themselves.
const PROGRAMS: &str = "cat tac nl od base32 base64 fmt pr fold head tail wc cksum md5sum sha256sum \
     b2sum sort shuf uniq comm tsort cut paste join tr expand unexpand ls dir stat du df echo printf \
     true false test [ expr basename dirname pathchk realpath readlink pwd id whoami groups uname \
     nproc arch date seq factor numfmt env printenv grep egrep fgrep sed awk find xargs diff cmp \
     git cd : type command read for if while case timeout nice nohup stdbuf time split cp mv tee \
     chmod dd rm install ln mktemp declare hash alias trap kill which";

/// Why a command is left out: it waits, or asks what is not in the folder.
fn is_left_out(command: &str) -> bool {
    ["tail -n 20 -f", "sleep", "yes", "while true", "until"]
        .iter()
        .any(|text| command.contains(text))
        || command.contains("read -r")
        || command.contains("xargs -n1 echo")
}

/// Takes the right to write from this thread and what it starts. False where the kernel cannot.
fn give_up_writing() -> bool {
    let abi = ABI::V3;
    let writing = AccessFs::from_write(abi);
    let devices = PathFd::new("/dev").expect("devices");
    let status = Ruleset::default()
        .handle_access(writing)
        .and_then(Ruleset::create)
        .and_then(|rules| {
            // `/dev/null` and descriptors hold nothing.
            rules.add_rule(PathBeneath::new(
                devices,
                AccessFs::WriteFile | AccessFs::Truncate,
            ))
        })
        .and_then(|rules| rules.restrict_self());
    matches!(status, Ok(status) if status.ruleset == RulesetStatus::FullyEnforced)
}

fn project() -> Option<tempfile::TempDir> {
    let folder = tempfile::tempdir().expect("a folder");
    let write = |name: &str, text: &str| {
        let path = folder.path().join(name);
        fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
        fs::write(path, text).expect("a file");
    };
    for name in [
        "a",
        "b",
        "a.txt",
        "b.txt",
        "a.csv",
        "README.md",
        "src/main.rs",
        "src/a.rs",
        "tests/t.rs",
    ] {
        write(name, "one two three\nfoo,bar,4\n# x\n");
    }
    write("package.json", "{\"scripts\": {}}\n");
    for arguments in [
        &["init", "-q"][..],
        &["add", "."],
        &[
            "-c",
            "user.name=x",
            "-c",
            "user.email=x@y",
            "commit",
            "-qm",
            "one",
        ],
    ] {
        let done = Command::new("git")
            .args(arguments)
            .current_dir(folder.path())
            .status();
        if !done.is_ok_and(|status| status.success()) {
            return None;
        }
    }
    Some(folder)
}

fn content(folder: &Path) -> BTreeMap<String, Vec<u8>> {
    let mut found = BTreeMap::new();
    let mut pending = vec![folder.to_path_buf()];
    while let Some(directory) = pending.pop() {
        for entry in fs::read_dir(&directory).expect("a folder") {
            let path = entry.expect("an entry").path();
            if path.is_dir() {
                pending.push(path);
            } else {
                found.insert(path.display().to_string(), fs::read(&path).expect("a file"));
            }
        }
    }
    found
}

/// What a command complains of when it was kept from writing.
fn complaint(command: &str, folder: &Path) -> Option<String> {
    let output = Command::new("timeout")
        .args(["10", "bash", "--norc", "--noprofile", "-c", command])
        .current_dir(folder)
        .env_clear()
        .env("PATH", "/usr/bin:/bin")
        .env("HOME", "/nonexistent")
        .env("GIT_PAGER", "cat")
        .env("GIT_OPTIONAL_LOCKS", "0")
        .stdin(Stdio::null())
        .output()
        .expect("bash starts");
    let said = String::from_utf8_lossy(&output.stderr).into_owned();
    ["Permission denied", "Operation not permitted", "Read-only"]
        .iter()
        .any(|text| said.contains(text))
        .then_some(said)
}

#[test]
fn reading_needs_no_right_to_write() {
    let Some(folder) = project() else {
        eprintln!("SKIPPED: there is no git on this machine to make a project with");
        return;
    };
    let before = content(folder.path());
    let known: Vec<&str> = PROGRAMS.split_ascii_whitespace().collect();
    let cases = cases();
    let commands: Vec<&str> = cases
        .iter()
        .filter(|case| case.mark == "read")
        .map(|case| case.command)
        .filter(|command| !is_left_out(command))
        .filter(|command| {
            let parts = look(command).parts;
            !parts.is_empty()
                && parts.iter().all(|part| {
                    let name = part.words.first().and_then(|word| word.text.as_deref());
                    name.is_some_and(|name| known.contains(&name))
                })
        })
        .collect();
    assert!(commands.len() > 600, "{}", commands.len());
    let ran = std::thread::scope(|scope| {
        let folder = folder.path();
        let commands = &commands;
        let work = scope.spawn(move || {
            if !give_up_writing() {
                return None;
            }
            // It can fail: this one needs the right.
            assert!(complaint("touch never", folder).is_some());
            let wrong: Vec<String> = commands
                .iter()
                .filter_map(|command| {
                    complaint(command, folder).map(|said| format!("{command}: {said}"))
                })
                .collect();
            Some(wrong)
        });
        work.join().expect("the commands run")
    });
    match ran {
        None => eprintln!("SKIPPED: this kernel has no landlock (needs ABI 3)"),
        Some(wrong) => {
            assert!(wrong.is_empty(), "{}", wrong.join("\n"));
            assert_eq!(content(folder.path()), before);
        }
    }
}
