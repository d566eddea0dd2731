//! Undo where everything went wrong meanwhile.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};

use super::desk::{Desk, begin, link, undoing};
use crate::{Applied, Choice, Outcome, Plan, Selection, Verdict};

/// A step that changed `d/a.txt` from old to new.
fn edited() -> (Desk, u64) {
    let desk = Desk::new();
    desk.write("d/a.txt", "old\n");
    let step = desk.edit("edit", "d/a.txt", "new\n").id;
    (desk, step)
}

fn overwrite(desk: &Desk, plan: &Plan) -> Applied {
    let choices: BTreeMap<PathBuf, Choice> = plan
        .files
        .iter()
        .map(|file| (file.path.clone(), Choice::Overwrite))
        .collect();
    desk.apply(plan, &choices)
}

fn is_conflict(plan: &Plan) -> bool {
    plan.files
        .iter()
        .all(|file| matches!(file.verdict, Verdict::Conflict { .. }))
}

#[test]
fn a_file_that_was_renamed_since_is_brought_back_only_where_chosen_and_the_other_stays() {
    let (desk, step) = edited();
    std::fs::rename(desk.path("d/a.txt"), desk.path("d/b.txt")).unwrap();
    let plan = desk.plan(&[step]);
    assert!(is_conflict(&plan), "{plan:?}");
    desk.apply(&plan, &BTreeMap::new());
    assert!(!desk.path("d/a.txt").exists());
    overwrite(&desk, &desk.plan(&[step]));
    assert_eq!(
        (desk.read("d/a.txt"), desk.read("d/b.txt")),
        ("old\n".into(), "new\n".into())
    );
}

#[test]
fn a_folder_in_its_place_that_holds_something_stays() {
    let (desk, step) = edited();
    std::fs::remove_file(desk.path("d/a.txt")).unwrap();
    desk.write("d/a.txt/mine.txt", "mine\n");
    let plan = desk.plan(&[step]);
    assert!(is_conflict(&plan), "{plan:?}");
    let applied = overwrite(&desk, &plan);
    assert!(matches!(applied.files[0].outcome, Outcome::Left(_)));
    assert_eq!(desk.read("d/a.txt/mine.txt"), "mine\n");
}

/// What a link leads to is never written through it.
#[test]
fn a_link_in_its_place_is_replaced_where_chosen_and_its_target_stays() {
    let (desk, step) = edited();
    let outside = desk.root.parent().unwrap().join("outside.txt");
    std::fs::write(&outside, "new\n").unwrap();
    std::fs::remove_file(desk.path("d/a.txt")).unwrap();
    link(outside.to_str().unwrap(), &desk.path("d/a.txt"));
    let plan = desk.plan(&[step]);
    assert!(is_conflict(&plan), "{plan:?}");
    overwrite(&desk, &plan);
    assert_eq!(desk.read("d/a.txt"), "old\n");
    assert!(desk.path("d/a.txt").symlink_metadata().unwrap().is_file());
    assert_eq!(std::fs::read_to_string(outside).unwrap(), "new\n");
}

/// A folder on the way that leads elsewhere by now, where everything looks as the call left it.
#[test]
fn nothing_is_undone_through_a_folder_that_became_a_link() {
    let desk = Desk::new();
    desk.write("d/a.txt", "old\n");
    desk.write("d/keep.txt", "keep\n");
    let root = desk.root.clone();
    let step = desk.run("command", || {
        std::fs::write(root.join("d/a.txt"), "new\n").unwrap();
        std::fs::write(root.join("d/made.txt"), "made\n").unwrap();
        link("made.txt", &root.join("d/link"));
    });
    let outside = desk.root.parent().unwrap().join("outside");
    std::fs::rename(desk.path("d"), &outside).unwrap();
    link(outside.to_str().unwrap(), &desk.path("d"));
    let plan = desk.plan(&[step.id]);
    let below = |path: &Path| path.starts_with(desk.path("d")) && path != desk.path("d");
    assert!(
        plan.files
            .iter()
            .filter(|file| below(&file.path))
            .all(|file| matches!(file.verdict, Verdict::Impossible { .. })),
        "{plan:?}"
    );
    overwrite(&desk, &plan);
    assert_eq!(
        std::fs::read_to_string(outside.join("a.txt")).unwrap(),
        "new\n"
    );
    assert!(outside.join("made.txt").exists());
    assert!(outside.join("link").symlink_metadata().is_ok());
}

/// The link is put there between the preview and the undo.
#[test]
fn a_link_put_on_the_way_after_the_plan_is_noticed() {
    let (desk, step) = edited();
    let plan = desk.plan(&[step]);
    let outside = desk.root.parent().unwrap().join("outside");
    std::fs::rename(desk.path("d"), &outside).unwrap();
    link(outside.to_str().unwrap(), &desk.path("d"));
    let applied = desk.apply(&plan, &BTreeMap::new());
    assert!(
        matches!(applied.files[0].outcome, Outcome::Left(_)),
        "{applied:?}"
    );
    assert_eq!(
        std::fs::read_to_string(outside.join("a.txt")).unwrap(),
        "new\n"
    );
}

#[test]
fn a_call_that_worked_in_several_folders_is_taken_back_in_all_of_them() {
    let mut desk = Desk::new();
    let extra = desk.root.parent().unwrap().join("extra");
    std::fs::create_dir(&extra).unwrap();
    std::fs::write(extra.join("b.txt"), "old b\n").unwrap();
    desk.write("a.txt", "old a\n");
    let folders = vec![desk.root.clone(), extra.clone()];
    let open = desk
        .history
        .begin(begin("command", Vec::new(), folders))
        .unwrap();
    desk.write("a.txt", "new a\n");
    std::fs::remove_file(extra.join("b.txt")).unwrap();
    std::fs::write(extra.join("c.txt"), "c\n").unwrap();
    let step = desk.history.end(open).unwrap();
    assert_eq!(step.files.len(), 3);
    desk.reopen();
    desk.undo(&[step.id]);
    assert_eq!(desk.read("a.txt"), "old a\n");
    assert_eq!(
        std::fs::read_to_string(extra.join("b.txt")).unwrap(),
        "old b\n"
    );
    assert!(!extra.join("c.txt").exists());
}

/// The files below a folder.
fn below(folder: &Path) -> Vec<PathBuf> {
    let mut found = Vec::new();
    for entry in std::fs::read_dir(folder).unwrap().flatten() {
        let path = entry.path();
        if path.is_dir() {
            found.extend(below(&path));
        } else {
            found.push(path);
        }
    }
    found
}

/// A loss of power left contents cut off, and the last line of the journal torn.
#[test]
fn a_store_that_is_half_there_restores_what_it_can_and_says_the_rest() {
    let mut desk = Desk::new();
    desk.write("a.bin", super::collect::noise(1, 6_000));
    desk.write("b.txt", "old\n");
    let first = desk.edit("one", "a.bin", "new\n").id;
    let second = desk.edit("two", "b.txt", "new\n").id;
    let objects = below(&desk.data.join("objects"));
    let largest = objects
        .iter()
        .max_by_key(|path| path.metadata().unwrap().len())
        .unwrap();
    let length = largest.metadata().unwrap().len();
    std::fs::File::options()
        .write(true)
        .open(largest)
        .unwrap()
        .set_len(length / 2)
        .unwrap();
    let journal = below(&desk.data.join("sessions")).pop().unwrap();
    let mut text = std::fs::read(&journal).unwrap();
    text.extend(b"{\"record\":\"begun\",\"step\":3,\"at\":");
    std::fs::write(&journal, text).unwrap();
    desk.reopen();
    let plan = desk.plan(&[first, second]);
    let verdict = |name: &str| {
        &plan
            .files
            .iter()
            .find(|file| file.path == desk.path(name))
            .unwrap()
            .verdict
    };
    assert!(
        matches!(verdict("a.bin"), Verdict::Impossible { .. }),
        "{plan:?}"
    );
    assert!(
        matches!(verdict("b.txt"), Verdict::Restore { .. }),
        "{plan:?}"
    );
    desk.apply(&plan, &BTreeMap::new());
    assert_eq!(
        (desk.read("a.bin"), desk.read("b.txt")),
        ("new\n".into(), "old\n".into())
    );
    // And the journal takes new lines.
    let third = desk.edit("three", "b.txt", "third\n").id;
    desk.reopen();
    desk.undo(&[third]);
    assert_eq!(desk.read("b.txt"), "old\n");
}

/// Undo and redo go on while commands begin and end: none of them takes the undone file for its own.
#[test]
fn an_undo_beside_running_commands_is_nobody_elses_change() {
    let (desk, step) = edited();
    let desk = Arc::new(desk);
    let ends = Arc::new(AtomicBool::new(false));
    let commands = {
        let (desk, ends) = (Arc::clone(&desk), Arc::clone(&ends));
        std::thread::spawn(move || {
            let mut steps = Vec::new();
            let mut number = 0;
            while !ends.load(Ordering::Relaxed) {
                number += 1;
                let name = format!("made{number}.txt");
                steps.push(desk.run(&format!("command {number}"), || desk.write(&name, "made\n")));
            }
            steps
        })
    };
    let mut back = desk.undo(&[step]);
    for _ in 0..10 {
        let forth = desk.redo(&back);
        assert!(
            matches!(forth.files[0].outcome, Outcome::Restored),
            "{forth:?}"
        );
        let plan = desk
            .history
            .plan(&[forth.step.id], &Selection::everything());
        back = desk
            .history
            .apply(&plan, &BTreeMap::new(), undoing(false))
            .unwrap();
    }
    ends.store(true, Ordering::Relaxed);
    for made in commands.join().unwrap() {
        let names: Vec<_> = made.files.iter().map(|file| file.path.clone()).collect();
        assert_eq!(names.len(), 1, "{}: {names:?}", made.title);
    }
    assert_eq!(desk.read("d/a.txt"), "old\n");
}
