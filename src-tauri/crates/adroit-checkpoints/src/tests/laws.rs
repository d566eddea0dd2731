//! Laws that hold for any files and any changes.

use std::fs;
use std::path::Path;

use proptest::prelude::*;

use super::desk::{Desk, chmod, link, note};
use crate::{HunkRange, without_hunks};

/// One thing that a command may do.
#[derive(Clone, Debug)]
enum Act {
    Write(usize, Vec<u8>),
    Append(usize, Vec<u8>),
    Delete(usize),
    Chmod(usize, u32),
    Link(usize, usize),
    Folder(usize),
    /// Another name of the file.
    Name(usize, usize),
    Note(usize, Option<u8>),
    /// Written anew under its name, as editors do: other names keep the old content.
    Replace(usize, Vec<u8>),
}

const NAMES: [&str; 6] = ["a", "b.txt", "d/x", "d/y", "d/e/z", "f"];

fn act() -> impl Strategy<Value = Act> {
    let name = 0..NAMES.len();
    let bytes = prop_oneof![
        proptest::collection::vec(any::<u8>(), 0..200),
        "[a-c\r\n]{0,60}".prop_map(String::into_bytes),
    ];
    prop_oneof![
        (name.clone(), bytes.clone()).prop_map(|(name, bytes)| Act::Write(name, bytes)),
        (name.clone(), bytes.clone()).prop_map(|(name, bytes)| Act::Append(name, bytes)),
        (name.clone(), bytes).prop_map(|(name, bytes)| Act::Replace(name, bytes)),
        (name.clone(), name.clone()).prop_map(|(name, other)| Act::Name(name, other)),
        (name.clone(), any::<Option<u8>>()).prop_map(|(name, value)| Act::Note(name, value)),
        name.clone().prop_map(Act::Delete),
        (
            name.clone(),
            prop_oneof![Just(0o644), Just(0o600), Just(0o755), Just(0o444)]
        )
            .prop_map(|(name, mode)| Act::Chmod(name, mode)),
        (name.clone(), name.clone()).prop_map(|(name, other)| Act::Link(name, other)),
        name.prop_map(Act::Folder),
    ]
}

/// Does it, where it can be done.
fn perform(root: &Path, act: &Act) {
    let path = |name: usize| root.join(NAMES[name]);
    let parent = |name: usize| {
        let _ = fs::create_dir_all(path(name).parent().unwrap());
    };
    match act {
        Act::Write(name, bytes) => {
            parent(*name);
            let _ = fs::write(path(*name), bytes);
        }
        Act::Append(name, bytes) => {
            let mut old = fs::read(path(*name)).unwrap_or_default();
            old.extend(bytes);
            parent(*name);
            let _ = fs::write(path(*name), old);
        }
        Act::Delete(name) => {
            let _ = fs::remove_file(path(*name));
            let _ = fs::remove_dir_all(path(*name));
        }
        Act::Chmod(name, mode) => {
            if path(*name)
                .symlink_metadata()
                .is_ok_and(|found| found.is_file())
            {
                chmod(&path(*name), *mode);
            }
        }
        Act::Link(name, other) => {
            parent(*name);
            if !path(*name).is_dir() && path(*name).parent().unwrap().is_dir() {
                link(NAMES[*other], &path(*name));
            }
        }
        Act::Folder(name) => {
            let _ = fs::create_dir_all(path(*name));
        }
        Act::Name(name, other) => {
            let (new, old) = (path(*name), path(*other));
            let is_file = |path: &Path| path.symlink_metadata().is_ok_and(|found| found.is_file());
            if new != old && is_file(&old) && (is_file(&new) || new.symlink_metadata().is_err()) {
                parent(*name);
                let _ = fs::remove_file(&new);
                let _ = fs::hard_link(old, new);
            }
        }
        Act::Note(name, value) => {
            if !path(*name).is_symlink() {
                note(
                    &path(*name),
                    value
                        .map(|value| [value; 3])
                        .as_ref()
                        .map(|value| &value[..]),
                );
            }
        }
        Act::Replace(name, bytes) => {
            if path(*name)
                .symlink_metadata()
                .is_ok_and(|found| found.is_file())
            {
                let new = root.join("new");
                fs::write(&new, bytes).unwrap();
                fs::rename(new, path(*name)).unwrap();
            }
        }
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(64))]

    #[test]
    fn undo_is_the_identity_on_bytes_modes_attributes_and_links(
        first in proptest::collection::vec(act(), 0..12),
        calls in proptest::collection::vec(proptest::collection::vec(act(), 0..6), 1..4),
    ) {
        let desk = Desk::new();
        first.iter().for_each(|act| perform(&desk.root, act));
        let mut states = vec![desk.snapshot()];
        for (number, acts) in calls.iter().enumerate() {
            desk.run(&format!("c{number}"), || {
                acts.iter().for_each(|act| perform(&desk.root, act));
            });
            states.push(desk.snapshot());
        }
        // One after the other, newest first.
        let steps = desk.all_steps();
        let mut undone = Vec::new();
        for (index, step) in steps.iter().enumerate().rev() {
            undone.push(desk.undo(&[*step]));
            prop_assert_eq!(&desk.snapshot(), &states[index]);
        }
        // And forth again.
        for (index, applied) in undone.iter().rev().enumerate() {
            desk.redo(applied);
            prop_assert_eq!(&desk.snapshot(), &states[index + 1]);
        }
        // All at once.
        desk.undo(&steps);
        prop_assert_eq!(&desk.snapshot(), &states[0]);
    }

    #[test]
    fn places_taken_back_in_any_order_are_the_subset_taken_back_at_once(
        old in proptest::collection::vec("[ab]{0,2}", 0..40),
        new in proptest::collection::vec("[ab]{0,2}", 0..40),
        ending in prop_oneof![Just("\n"), Just("\r\n")],
        chosen in proptest::collection::vec(any::<bool>(), 40),
        torn: bool,
    ) {
        let text = |lines: &[String]| {
            let mut text: String = lines.iter().map(|line| format!("{line}{ending}")).collect();
            if torn && text.ends_with(ending) {
                text.truncate(text.len() - ending.len());
            }
            text
        };
        let (old, new) = (text(&old), text(&new));
        let ranges: Vec<HunkRange> = adroit_workspace::diff(&old, &new)
            .hunks
            .iter()
            .map(|hunk| HunkRange {
                old_start: hunk.old_start,
                old_lines: hunk.old_lines,
                new_start: hunk.new_start,
                new_lines: hunk.new_lines,
            })
            .collect();
        let all = without_hunks(old.as_bytes(), new.as_bytes(), &ranges).unwrap();
        prop_assert_eq!(String::from_utf8(all).unwrap(), old.clone());
        let none = without_hunks(old.as_bytes(), new.as_bytes(), &[]).unwrap();
        prop_assert_eq!(String::from_utf8(none).unwrap(), new.clone());

        let subset: Vec<HunkRange> = ranges
            .iter()
            .zip(&chosen)
            .filter_map(|(range, chosen)| chosen.then_some(*range))
            .collect();
        let at_once = without_hunks(old.as_bytes(), new.as_bytes(), &subset).unwrap();
        let reversed: Vec<HunkRange> = subset.iter().rev().copied().collect();
        prop_assert_eq!(&without_hunks(old.as_bytes(), new.as_bytes(), &reversed).unwrap(), &at_once);
        // One at a time, each on the diff that is left.
        let mut now = new.clone();
        for range in subset.iter().rev() {
            now = String::from_utf8(without_hunks(old.as_bytes(), now.as_bytes(), &[*range]).unwrap()).unwrap();
        }
        prop_assert_eq!(now.into_bytes(), at_once);
    }
}

#[test]
fn places_of_text_in_another_encoding_are_taken_back_to_the_byte() {
    let old = b"caf\xe9\r\nb\r\n1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\nz\r\n";
    let new = b"caf\xe9!\r\nb\r\n1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\nzz\r\n";
    let first = HunkRange {
        old_start: 1,
        old_lines: 4,
        new_start: 1,
        new_lines: 4,
    };
    let mixed = without_hunks(old, new, &[first]).unwrap();
    assert_eq!(
        mixed,
        b"caf\xe9\r\nb\r\n1\r\n2\r\n3\r\n4\r\n5\r\n6\r\n7\r\n8\r\nzz\r\n"
    );
}
