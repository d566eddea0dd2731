//! A disk that takes no more: nothing is half written, and what was there stays.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::process::Command;

use super::collect::noise;
use super::desk::{begin, calls, open_with, snapshot, undoing};
use crate::{Faults, Outcome, Selection};

const FOLDER: &str = "ADROIT_FULL_FOLDER";
/// Bytes that the child may write into one file; beyond them the system refuses, as a full disk does.
const ROOM: usize = 4_096;
const LARGE: usize = 4 * ROOM;

/// Not a test of its own: the process whose writes are refused.
#[test]
#[ignore = "run by the test of a full disk, in a process of its own"]
fn child() {
    let folder = PathBuf::from(std::env::var(FOLDER).unwrap());
    let (root, data) = (folder.join("project"), folder.join("data"));
    let history = open_with(&root, &data, Faults::default());
    let before = snapshot(&root);
    // What cannot be kept is not changed: the call is refused before it runs.
    let large = root.join("other.bin");
    assert!(
        history
            .begin(begin("edit", vec![large], Vec::new()))
            .is_err()
    );
    let look = history.begin(begin("command", Vec::new(), vec![root.clone()]));
    assert!(look.is_err());
    // Nor what grew beyond that between the beginning and the write.
    let small = root.join("small.txt");
    let mut open = history
        .begin(begin("edit", vec![small.clone()], Vec::new()))
        .unwrap();
    std::fs::rename(root.join("other.bin"), &small).unwrap();
    let content = crate::Hash::of(&std::fs::read(&small).unwrap());
    let replacing = history.replacing(&mut open, &small, Some(content));
    assert!(
        matches!(replacing, Err(crate::NotReplaced::Store(_))),
        "{replacing:?}"
    );
    std::fs::rename(&small, root.join("other.bin")).unwrap();
    history.end(open).unwrap();
    // What cannot be put back whole is left as it is.
    let plan = history.plan(&calls(&history), &Selection::everything());
    let applied = history
        .apply(&plan, &BTreeMap::new(), undoing(false))
        .unwrap();
    assert!(
        applied
            .files
            .iter()
            .all(|file| matches!(file.outcome, Outcome::Left(_)))
    );
    assert_eq!(snapshot(&root), before);
}

fn run_child(folder: &Path) {
    let script = format!("trap '' XFSZ; ulimit -f {}; exec \"$@\"", ROOM / 512);
    let status = Command::new("sh")
        .args(["-c", &script, "sh"])
        .arg(std::env::current_exe().unwrap())
        .args(["tests::full::child", "--exact", "--ignored", "--quiet"])
        .env(FOLDER, folder)
        .stdout(std::process::Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "what the child expected did not happen");
}

#[test]
fn a_full_disk_changes_nothing_and_what_was_kept_is_put_back_when_there_is_room() {
    let folder = tempfile::tempdir().unwrap();
    let top = folder.path().canonicalize().unwrap();
    let (root, data) = (top.join("project"), top.join("data"));
    std::fs::create_dir(&root).unwrap();
    std::fs::write(root.join("a.bin"), noise(1, LARGE)).unwrap();
    let before = snapshot(&root);
    {
        let history = open_with(&root, &data, Faults::default());
        let open = history
            .begin(begin("edit", vec![root.join("a.bin")], Vec::new()))
            .unwrap();
        std::fs::write(root.join("a.bin"), "small").unwrap();
        history.end(open).unwrap();
    }
    std::fs::write(root.join("other.bin"), noise(2, LARGE)).unwrap();
    run_child(&top);
    std::fs::remove_file(root.join("other.bin")).unwrap();
    let history = open_with(&root, &data, Faults::default());
    let plan = history.plan(&calls(&history), &Selection::everything());
    history
        .apply(&plan, &BTreeMap::new(), undoing(false))
        .unwrap();
    assert_eq!(snapshot(&root), before);
}
