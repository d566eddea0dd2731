//! One call, taken back and done again.

use std::fs;

use super::desk::{Desk, chmod, limits, link};
use crate::{Outcome, StepState, Verdict};

#[test]
fn an_edit_is_taken_back_and_done_again_also_after_a_restart() {
    let mut desk = Desk::new();
    desk.write("a.txt", "one\n");
    let step = desk.edit("c1", "a.txt", "two\n");
    assert_eq!(step.files.len(), 1);
    desk.reopen();
    let undone = desk.undo(&[step.id]);
    assert_eq!(desk.read("a.txt"), "one\n");
    assert!(desk.history.undone().contains(&step.id));
    desk.reopen();
    let redone = desk.redo(&undone);
    assert_eq!(desk.read("a.txt"), "two\n");
    assert!(!desk.history.undone().contains(&step.id));
    // And once more: a redo is a step like any other.
    desk.undo(&[step.id]);
    assert_eq!(desk.read("a.txt"), "one\n");
    assert!(redone.step.id > undone.step.id);
}

#[test]
fn a_created_file_goes_with_the_folders_that_were_made_for_it() {
    let desk = Desk::new();
    let step = desk.edit("c1", "deep/er/new.txt", "x");
    let undone = desk.undo(&[step.id]);
    assert!(!desk.path("deep").exists());
    desk.redo(&undone);
    assert_eq!(desk.read("deep/er/new.txt"), "x");
}

#[test]
fn a_folder_that_somebody_put_something_into_stays() {
    let desk = Desk::new();
    let step = desk.edit("c1", "new/a.txt", "x");
    desk.write("new/mine.txt", "mine");
    let undone = desk.undo(&[step.id]);
    assert!(!desk.path("new/a.txt").exists());
    assert_eq!(desk.read("new/mine.txt"), "mine");
    assert!(
        undone
            .files
            .iter()
            .any(|file| matches!(&file.outcome, Outcome::Left(why) if why.contains("folder")))
    );
    assert!(!desk.history.undone().contains(&step.id));
}

#[test]
fn a_command_is_taken_back_with_everything_it_did() {
    let desk = Desk::new();
    desk.write("keep.txt", "keep");
    desk.write("gone/a.txt", "a");
    desk.write("gone/deep/b.bin", [0, 159, 146, 150]);
    desk.write("run.sh", "#!/bin/sh\n");
    link("keep.txt", &desk.path("link"));
    chmod(&desk.path("gone/a.txt"), 0o600);
    let before = desk.snapshot();
    let step = desk.run("c1", || {
        fs::remove_dir_all(desk.path("gone")).unwrap();
        fs::write(desk.path("keep.txt"), "changed").unwrap();
        chmod(&desk.path("run.sh"), 0o755);
        link("run.sh", &desk.path("link"));
        fs::create_dir(desk.path("fresh")).unwrap();
        fs::write(desk.path("fresh/c"), "c").unwrap();
    });
    let names: Vec<_> = step
        .files
        .iter()
        .map(|file| {
            file.path
                .strip_prefix(&desk.root)
                .unwrap()
                .display()
                .to_string()
        })
        .collect();
    assert_eq!(
        names,
        [
            "fresh",
            "fresh/c",
            "gone",
            "gone/a.txt",
            "gone/deep",
            "gone/deep/b.bin",
            "keep.txt",
            "link",
            "run.sh"
        ]
    );
    let after = desk.snapshot();
    let undone = desk.undo(&[step.id]);
    assert_eq!(desk.snapshot(), before);
    desk.redo(&undone);
    assert_eq!(desk.snapshot(), after);
}

#[test]
fn a_command_that_changed_nothing_leaves_nothing_to_undo() {
    let desk = Desk::new();
    desk.write("a.txt", "a");
    let step = desk.run("c1", || ());
    assert!(step.files.is_empty() && step.notes.is_empty());
}

#[test]
fn two_looks_in_one_tick_of_the_clock_still_see_a_change_of_the_same_size() {
    let desk = Desk::new();
    for number in 0..40 {
        let name = format!("f{number}");
        desk.write(&name, "aa");
        let step = desk.run("c", || fs::write(desk.path(&name), "bb").unwrap());
        assert_eq!(step.files.len(), 1, "{number}");
    }
}

#[test]
fn ignored_files_are_named_when_they_are_lost_and_not_kept() {
    let desk = Desk::new();
    desk.write(".gitignore", ".env\nbuild/\n");
    desk.write(".env", "SECRET=1");
    desk.write("build/out.o", "x");
    desk.write("a.txt", "a");
    let step = desk.run("c1", || {
        fs::remove_file(desk.path(".env")).unwrap();
        fs::remove_dir_all(desk.path("build")).unwrap();
        fs::remove_file(desk.path("a.txt")).unwrap();
    });
    assert_eq!(step.files.len(), 1);
    assert!(step.notes[0].contains(".env") && step.notes[0].contains("build"));
    let plan = desk.plan(&[step.id]);
    assert!(
        plan.notes[0].contains("cannot be restored"),
        "{:?}",
        plan.notes
    );
    desk.undo(&[step.id]);
    assert_eq!(desk.read("a.txt"), "a");
    assert!(!desk.path(".env").exists());
}

#[test]
fn a_named_file_is_kept_though_it_is_ignored() {
    let desk = Desk::new();
    desk.write(".gitignore", ".env\n");
    desk.write(".env", "A=1");
    let step = desk.edit("c1", ".env", "A=2");
    desk.undo(&[step.id]);
    assert_eq!(desk.read(".env"), "A=1");
}

#[test]
fn the_repository_is_not_touched_and_its_change_is_told() {
    let desk = Desk::new();
    desk.write(".git/HEAD", "ref: refs/heads/main\n");
    desk.write(".git/logs/HEAD", "");
    desk.write("a.txt", "a");
    let step = desk.run("c1", || {
        fs::write(desk.path(".git/logs/HEAD"), "commit").unwrap();
        fs::write(desk.path("a.txt"), "b").unwrap();
    });
    assert_eq!(step.files.len(), 1);
    assert!(step.notes[0].contains("git repository"));
    desk.undo(&[step.id]);
    assert_eq!(desk.read(".git/logs/HEAD"), "commit");
    assert_eq!(desk.read("a.txt"), "a");
}

#[test]
fn a_file_too_large_to_keep_is_named_and_left() {
    let mut small = limits();
    small.file_bytes = 100;
    let desk = Desk::with(small);
    desk.write("big.bin", vec![7; 500]);
    desk.write("a.txt", "a");
    let step = desk.run("c1", || {
        fs::remove_file(desk.path("big.bin")).unwrap();
        fs::write(desk.path("a.txt"), "b").unwrap();
    });
    let plan = desk.plan(&[step.id]);
    let verdict = |name: &str| {
        &plan
            .files
            .iter()
            .find(|file| file.path.ends_with(name))
            .unwrap()
            .verdict
    };
    assert!(matches!(verdict("big.bin"), Verdict::Impossible { why } if why.contains("too large")));
    assert_eq!(
        step.notes,
        ["big.bin was changed or deleted and cannot be restored: it is too large to be kept."]
    );
    assert!(matches!(verdict("a.txt"), Verdict::Restore { .. }));
    let undone = desk.undo(&[step.id]);
    assert_eq!(desk.read("a.txt"), "a");
    assert!(!desk.history.undone().contains(&step.id), "not as a whole");
    assert_eq!(undone.step.files.len(), 1);
}

#[test]
fn too_many_files_are_not_compared_and_that_is_said() {
    let mut few = limits();
    few.scan.files = 3;
    let desk = Desk::with(few);
    for number in 0..5 {
        desk.write(&format!("f{number}"), "x");
    }
    let step = desk.run("c1", || fs::remove_file(desk.path("f0")).unwrap());
    assert!(step.files.is_empty());
    assert!(step.notes[0].contains("too many files"));
}

#[test]
fn what_another_changes_while_a_command_runs_is_not_the_commands() {
    let desk = Desk::new();
    desk.write("a.txt", "a");
    desk.write("b.txt", "b");
    let edited = desk.edit("c0", "a.txt", "edited");
    let step = desk.run("c1", || {
        fs::write(desk.path("b.txt"), "by the command").unwrap();
        desk.undo(&[edited.id]);
    });
    assert_eq!(step.files.len(), 1);
    assert!(step.files[0].path.ends_with("b.txt"));
}

#[test]
fn what_goes_on_after_a_call_is_its_own_step_and_nothing_falls_between() {
    let mut desk = Desk::new();
    desk.write("a.txt", "a");
    let begin = super::desk::begin("c1", Vec::new(), vec![desk.root.clone()]);
    let open = desk.history.begin(begin).unwrap();
    desk.write("a.txt", "at once");
    let (first, next) = desk.history.end_and_go_on(open, 0).unwrap();
    assert_eq!(first.files.len(), 1);
    // Another call changes something while the first one's process goes on.
    desk.write("b.txt", "by the process");
    desk.edit("c2", "c.txt", "by a call");
    let (second, next) = desk.history.end_and_go_on(next.unwrap(), 0).unwrap();
    let names = |step: &crate::Step| -> Vec<String> {
        let name = |path: &std::path::PathBuf| path.file_name().unwrap().to_str().unwrap().into();
        step.files.iter().map(|file| name(&file.path)).collect()
    };
    assert_eq!(names(&second), ["b.txt"]);
    assert_eq!(second.origin, first.origin);
    // The app ends while it still goes on.
    desk.write("a.txt", "later");
    drop(next);
    desk.reopen();
    let steps = desk.history.steps_of(&adroit_protocol::CallId::from("c1"));
    let ids: Vec<u64> = steps.iter().map(|step| step.id).collect();
    assert_eq!(names(steps.last().unwrap()), ["a.txt"]);
    desk.undo(&ids);
    assert_eq!(desk.read("a.txt"), "a");
    assert!(!desk.path("b.txt").exists());
    assert_eq!(desk.read("c.txt"), "by a call");
}

#[test]
fn the_first_look_of_the_next_run_knows_what_was_read_and_sees_what_changed_since() {
    let mut desk = Desk::new();
    for number in 0..600 {
        desk.write(&format!("d{}/f{number}", number % 7), format!("{number}"));
    }
    // Settled: a file that was just written is read again the next time.
    super::desk::settle(&desk.root);
    desk.run("c1", || {});
    assert!(desk.data.join("known").is_file());
    desk.reopen();
    desk.write("d0/f0", "other");
    let step = desk.run("c2", || desk.write("d1/f1", "by the call"));
    assert_eq!(
        step.files.len(),
        1,
        "what changed between the runs is nobody's"
    );
    // One of its contents is lost: it is read again, and nothing is missing afterwards.
    desk.reopen();
    std::fs::remove_dir_all(desk.data.join("objects")).unwrap();
    desk.reopen();
    let step = desk.run("c3", || fs::remove_file(desk.path("d2/f2")).unwrap());
    desk.undo(&[step.id]);
    assert_eq!(desk.read("d2/f2"), "2");
    // And what is no list is none.
    std::fs::write(desk.data.join("known"), b"\x02nonsense").unwrap();
    desk.reopen();
    let step = desk.run("c4", || desk.write("d3/f3", "new"));
    desk.undo(&[step.id]);
    assert_eq!(desk.read("d3/f3"), "3");
}

#[test]
fn names_of_one_file_and_attributes_come_back() {
    let desk = Desk::new();
    desk.write("a.txt", "one");
    desk.write("alone.txt", "alone");
    fs::hard_link(desk.path("a.txt"), desk.path("b.txt")).unwrap();
    let has_attributes = super::desk::note(&desk.path("a.txt"), Some(b"kept"));
    let before = desk.snapshot();
    let step = desk.run("c1", || {
        fs::remove_file(desk.path("b.txt")).unwrap();
        fs::remove_file(desk.path("alone.txt")).unwrap();
        // What had been a file of its own is another name now: putting it back must not write
        // over the other.
        fs::hard_link(desk.path("a.txt"), desk.path("alone.txt")).unwrap();
    });
    let after = desk.snapshot();
    let undone = desk.undo(&[step.id]);
    assert_eq!(desk.snapshot(), before);
    desk.redo(&undone);
    assert_eq!(desk.snapshot(), after);
    desk.undo(&desk.all_steps());
    assert_eq!(desk.snapshot(), before);
    if has_attributes {
        let step = desk.run("c2", || {
            super::desk::note(&desk.path("a.txt"), None);
        });
        assert_eq!(step.files.len(), 2, "both names");
        desk.undo(&[step.id]);
        assert_eq!(desk.snapshot(), before);
    }
}

#[test]
fn a_step_that_still_runs_is_not_taken_back() {
    let desk = Desk::new();
    desk.write("a.txt", "a");
    let begin = super::desk::begin("c1", vec![desk.path("a.txt")], Vec::new());
    let open = desk.history.begin(begin).unwrap();
    let plan = desk.plan(&[1]);
    assert!(plan.files.is_empty() && plan.notes[0].contains("still runs"));
    assert_eq!(desk.history.steps()[0].state, StepState::Open);
    desk.history.end(open).unwrap();
}
