//! What comes back is what was replaced, whoever else is at work.

use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

use adroit_workspace::{ContentHash, Expected, WriteOptions, lock_path, write_atomic};

use super::desk::{Desk, begin};
use crate::{Hash, Image, NotReplaced, Selection, Step};

/// What a tool does that edits a file: looks, keeps, writes; under the file's lock.
async fn append(desk: &Desk, call: &str, name: &str, text: &str) -> Option<Step> {
    let path = desk.path(name);
    let mut open = desk
        .history
        .begin(begin(call, vec![path.clone()], Vec::new()))
        .unwrap();
    let guard = lock_path(&path).await;
    let old = std::fs::read(&path).unwrap();
    let mut new = old.clone();
    new.extend(text.as_bytes());
    let written = match desk
        .history
        .replacing(&mut open, &path, Some(Hash::of(&old)))
    {
        Ok(()) => {
            let options = WriteOptions {
                expected: Expected::Content(ContentHash::of(&old)),
                ..WriteOptions::default()
            };
            write_atomic(&path, &new, options).is_ok()
        }
        Err(NotReplaced::Changed) => false,
        Err(error) => panic!("{error}"),
    };
    if written {
        desk.history.replaced(&mut open, &path, &new);
    }
    drop(guard);
    let step = desk.history.end(open).unwrap();
    written.then_some(step)
}

fn bytes(desk: &Desk, image: &Image) -> Vec<u8> {
    desk.history.store().content(image).unwrap().unwrap()
}

/// Other agents edit the file through the same lock, another program replaces it without asking anybody:
/// each step still holds exactly what it replaced and what it wrote.
#[tokio::test(flavor = "multi_thread", worker_threads = 4)]
async fn each_step_holds_what_it_replaced_while_others_write() {
    let desk = Arc::new(Desk::new());
    desk.write("shared.txt", "start\n");
    let ends = Arc::new(AtomicBool::new(false));
    // One write of the outsider for each attempt of the agents: one that never paused would leave
    // no attempt a chance on some machines, and all of them on others.
    let attempts = Arc::new(AtomicUsize::new(0));
    let outsider = {
        let (path, ends) = (desk.path("shared.txt"), Arc::clone(&ends));
        let attempts = Arc::clone(&attempts);
        std::thread::spawn(move || {
            let mut number = 0;
            while !ends.load(Ordering::Relaxed) {
                if number < attempts.load(Ordering::Relaxed) {
                    number += 1;
                    let beside = path.with_file_name("beside");
                    std::fs::write(&beside, format!("outside {number}\n")).unwrap();
                    std::fs::rename(&beside, &path).unwrap();
                }
                std::thread::yield_now();
            }
        })
    };
    let mut agents = Vec::new();
    for agent in 0..3 {
        let (desk, attempts) = (Arc::clone(&desk), Arc::clone(&attempts));
        agents.push(tokio::spawn(async move {
            let mut steps = Vec::new();
            for number in 0..40 {
                let text = format!("agent {agent} {number}\n");
                let call = format!("call_{agent}_{number}");
                attempts.fetch_add(1, Ordering::Relaxed);
                let step = append(&desk, &call, "shared.txt", &text).await;
                steps.extend(step.map(|step| (step, text)));
            }
            steps
        }));
    }
    let mut made = Vec::new();
    for agent in agents {
        made.extend(agent.await.unwrap());
    }
    ends.store(true, Ordering::Relaxed);
    outsider.join().unwrap();
    assert!(!made.is_empty(), "nothing was written at all");
    for (step, text) in made {
        let [file] = step.files.as_slice() else {
            panic!("{:?}", step.files);
        };
        let mut expected = bytes(&desk, &file.before);
        expected.extend(text.as_bytes());
        assert_eq!(bytes(&desk, &file.after), expected);
    }
}

/// The call waited for another one after its image was taken.
#[test]
fn what_another_wrote_between_the_beginning_and_the_write_comes_back() {
    let mut desk = Desk::new();
    desk.write("a.txt", "one\n");
    let path = desk.path("a.txt");
    let mut open = desk
        .history
        .begin(begin("late", vec![path.clone()], Vec::new()))
        .unwrap();
    desk.write("a.txt", "two\n");
    let stale = desk
        .history
        .replacing(&mut open, &path, Some(Hash::of(b"one\n")));
    assert!(matches!(stale, Err(NotReplaced::Changed)));
    desk.history
        .replacing(&mut open, &path, Some(Hash::of(b"two\n")))
        .unwrap();
    desk.write("a.txt", "three\n");
    // The app is killed here: the next run knows what was replaced from the journal alone.
    drop(open);
    desk.reopen();
    desk.undo(&desk.all_steps());
    assert_eq!(desk.read("a.txt"), "two\n");
}

/// What somebody adds before the call is looked at is not the call's, and is not taken back with it.
#[test]
fn what_another_writes_between_the_write_and_the_end_stays() {
    let desk = Desk::new();
    let text = |first: &str, last: &str| format!("{first}\n{}{last}\n", "same\n".repeat(20));
    desk.write("a.txt", text("one", "end"));
    let path = desk.path("a.txt");
    let mut open = desk
        .history
        .begin(begin("edit", vec![path.clone()], Vec::new()))
        .unwrap();
    let old = std::fs::read(&path).unwrap();
    desk.history
        .replacing(&mut open, &path, Some(Hash::of(&old)))
        .unwrap();
    let written = text("eins", "end");
    desk.write("a.txt", &written);
    desk.history.replaced(&mut open, &path, written.as_bytes());
    desk.write("a.txt", text("eins", "theirs"));
    let step = desk.history.end(open).unwrap();
    assert_eq!(bytes(&desk, &step.files[0].after), written.as_bytes());
    desk.undo(&[step.id]);
    assert_eq!(desk.read("a.txt"), text("one", "theirs"));
    // Where it was made what it had been before the end, that is nobody's loss: nothing is left to do.
    let plan = desk.history.plan(&[step.id], &Selection::everything());
    assert_eq!(plan.files.len(), 1);
}

/// A file that came into being, and one that vanished, between the look and the write.
#[test]
fn nothing_and_something_are_told_apart() {
    let desk = Desk::new();
    let path = desk.path("new.txt");
    let mut open = desk
        .history
        .begin(begin("create", vec![path.clone()], Vec::new()))
        .unwrap();
    desk.write("new.txt", "theirs\n");
    let made = desk.history.replacing(&mut open, &path, None);
    assert!(matches!(made, Err(NotReplaced::Changed)));
    let gone = desk.path("gone.txt");
    let vanished = desk
        .history
        .replacing(&mut open, &gone, Some(Hash::of(b"seen\n")));
    assert!(matches!(vanished, Err(NotReplaced::Changed)));
    desk.history.end(open).unwrap();
}

/// A command that edits a file by our own hand, while everything in the folder is looked at.
#[test]
fn a_change_of_the_own_step_is_not_taken_for_somebody_elses() {
    let desk = Desk::new();
    desk.write("a.txt", "one\n");
    let path = desk.path("a.txt");
    let mut open = desk
        .history
        .begin(begin("sed", vec![path.clone()], vec![desk.root.clone()]))
        .unwrap();
    desk.history
        .replacing(&mut open, &path, Some(Hash::of(b"one\n")))
        .unwrap();
    desk.write("a.txt", "two\n");
    desk.history.replaced(&mut open, &path, b"two\n");
    let step = desk.history.end(open).unwrap();
    assert_eq!(step.files.len(), 1);
    desk.undo(&[step.id]);
    assert_eq!(desk.read("a.txt"), "one\n");
}
