//! What others changed since is never overwritten unasked.

use std::collections::BTreeMap;

use super::desk::{Desk, chmod, undoing};
use crate::{Choice, HunkRange, Outcome, Selection, Verdict};

const TEXT: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n";

#[test]
fn a_later_change_elsewhere_in_the_file_stays() {
    let desk = Desk::new();
    desk.write("a.txt", TEXT);
    let step = desk.edit("c1", "a.txt", TEXT.replace("2\n", "two\n"));
    desk.write("a.txt", desk.read("a.txt").replace("8\n", "eight\n"));
    let plan = desk.plan(&[step.id]);
    assert!(matches!(plan.files[0].verdict, Verdict::Merge { .. }));
    desk.apply(&plan, &BTreeMap::new());
    assert_eq!(desk.read("a.txt"), TEXT.replace("8\n", "eight\n"));
}

#[test]
fn a_later_change_of_the_same_line_is_left_overwritten_or_marked_as_chosen() {
    let desk = Desk::new();
    desk.write("a.txt", TEXT);
    let step = desk.edit("c1", "a.txt", TEXT.replace("2\n", "two\n"));
    let mine = TEXT.replace("2\n", "mine\n");
    desk.write("a.txt", &mine);
    let plan = desk.plan(&[step.id]);
    assert!(matches!(plan.files[0].verdict, Verdict::Conflict { .. }));
    let path = desk.path("a.txt");

    let left = desk.apply(&plan, &BTreeMap::new());
    assert!(matches!(left.files[0].outcome, Outcome::Left(_)));
    assert_eq!(desk.read("a.txt"), mine);
    assert!(!desk.history.undone().contains(&step.id));

    let chosen = BTreeMap::from([(path.clone(), Choice::Mark)]);
    let marked = desk.apply(&desk.plan(&[step.id]), &chosen);
    assert!(
        desk.read("a.txt")
            .contains("<<<<<<< as it is now\nmine\n=======\n2\n")
    );
    desk.redo(&marked);
    assert_eq!(desk.read("a.txt"), mine);

    let chosen = BTreeMap::from([(path, Choice::Overwrite)]);
    let overwritten = desk.apply(&desk.plan(&[step.id]), &chosen);
    assert_eq!(desk.read("a.txt"), TEXT);
    desk.redo(&overwritten);
    assert_eq!(desk.read("a.txt"), mine, "what was given up was kept");
}

#[test]
fn a_change_between_the_preview_and_the_undo_is_not_lost() {
    let desk = Desk::new();
    desk.write("a.txt", "one\n");
    let step = desk.edit("c1", "a.txt", "two\n");
    let plan = desk.plan(&[step.id]);
    desk.write("a.txt", "mine\n");
    let applied = desk.apply(&plan, &BTreeMap::new());
    assert!(matches!(applied.files[0].outcome, Outcome::Left(_)));
    assert_eq!(desk.read("a.txt"), "mine\n");
    assert_ne!(plan.fingerprint, desk.plan(&[step.id]).fingerprint);
}

#[test]
fn a_binary_file_changed_since_is_a_conflict_without_marks() {
    let desk = Desk::new();
    desk.write("a.bin", [0, 1]);
    let step = desk.edit("c1", "a.bin", [0, 2]);
    desk.write("a.bin", [0, 3]);
    assert!(matches!(
        desk.plan(&[step.id]).files[0].verdict,
        Verdict::Conflict { marked: None, .. }
    ));
}

#[test]
fn a_file_deleted_since_is_not_silently_brought_back() {
    let desk = Desk::new();
    desk.write("a.txt", "one\n");
    let step = desk.edit("c1", "a.txt", "two\n");
    std::fs::remove_file(desk.path("a.txt")).unwrap();
    assert!(matches!(
        desk.plan(&[step.id]).files[0].verdict,
        Verdict::Conflict { .. }
    ));
}

#[test]
fn bits_that_somebody_set_since_stay() {
    use std::os::unix::fs::MetadataExt as _;
    let desk = Desk::new();
    desk.write("a.sh", TEXT);
    let step = desk.edit("c1", "a.sh", TEXT.replace("2\n", "two\n"));
    chmod(&desk.path("a.sh"), 0o755);
    desk.undo(&[step.id]);
    assert_eq!(desk.read("a.sh"), TEXT);
    let mode = desk.path("a.sh").metadata().unwrap().mode() & 0o777;
    assert_eq!(mode, 0o755);
}

#[test]
fn an_earlier_call_is_taken_back_from_under_a_later_one() {
    let desk = Desk::new();
    desk.write("a.txt", TEXT);
    let first = desk.edit("c1", "a.txt", TEXT.replace("2\n", "two\n"));
    let both = TEXT.replace("2\n", "two\n").replace("8\n", "eight\n");
    let second = desk.edit("c2", "a.txt", both);
    desk.undo(&[first.id]);
    assert_eq!(desk.read("a.txt"), TEXT.replace("8\n", "eight\n"));
    desk.undo(&[second.id]);
    assert_eq!(desk.read("a.txt"), TEXT);
}

#[test]
fn everything_since_a_point_goes_back_at_once() {
    let desk = Desk::new();
    desk.write("a.txt", "0");
    let before = desk.snapshot();
    let steps: Vec<u64> = (1..=4)
        .map(|number| {
            desk.edit(&format!("c{number}"), "a.txt", number.to_string())
                .id
        })
        .chain([desk.edit("c5", "b.txt", "new").id])
        .collect();
    desk.undo(&steps);
    assert_eq!(desk.snapshot(), before);
    assert_eq!(desk.history.undone().len(), 5);
}

#[test]
fn one_place_of_a_call_goes_back_alone() {
    let desk = Desk::new();
    desk.write("a.txt", TEXT);
    let changed = TEXT.replace("1\n", "one\n").replace("9\n", "nine\nten\n");
    let step = desk.edit("c1", "a.txt", changed);
    let hunks = adroit_workspace::diff(TEXT, &desk.read("a.txt")).hunks;
    assert_eq!(hunks.len(), 2);
    let last = HunkRange {
        old_start: hunks[1].old_start,
        old_lines: hunks[1].old_lines,
        new_start: hunks[1].new_start,
        new_lines: hunks[1].new_lines,
    };
    let selection = Selection {
        files: Some(BTreeMap::from([(desk.path("a.txt"), vec![last])])),
    };
    let plan = desk.history.plan(&[step.id], &selection);
    desk.history
        .apply(&plan, &BTreeMap::new(), undoing(false))
        .unwrap();
    assert_eq!(desk.read("a.txt"), TEXT.replace("1\n", "one\n"));
    // The rest of the call goes back as well.
    desk.undo(&[step.id]);
    assert_eq!(desk.read("a.txt"), TEXT);
}
