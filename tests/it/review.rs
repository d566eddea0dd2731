//! Looking changes through: what waits for the end of a turn, what goes on in the background,
//! what a comparison shows, what is accepted.

use std::path::Path;
use std::process::{Command, Stdio};

use adroit_protocol::changes::{ChangeList, UndoEffect};
use adroit_protocol::event::SessionSnapshot;
use adroit_protocol::view::{FileChange, LineChange, LineEnding};
use adroit_testkit::{Gate, ScriptedModel, TempProject, turn};
use serde_json::{Value, json};

use crate::desk::{Desk, calls, texts};
use crate::reviewing::{edit, of_call, place};

const TEXT: &str = "1\n2\n3\n4\n5\n6\n7\n8\n9\n10\n11\n12\n13\n14\n15\n16\n17\n18\n19\n20\n";

fn write_call(content: &str) -> Value {
    json!({"file_path": "a.txt", "content": content})
}

/// A model that changes a file at two places, waits, and goes on with `then`.
async fn at_work(gate: &Gate, then: Value) -> (ScriptedModel, Desk) {
    let first = TEXT
        .replace("2\n3\n", "2\nthree\n")
        .replace("18\n", "eighteen\n");
    let model = ScriptedModel::start([
        turn().call("Read", json!({"file_path": "a.txt"})).end(),
        turn().call("Write", write_call(&first)).end(),
        turn().gate(gate).call("Edit", then).end(),
        turn().text("Done.").end(),
        turn().text("I see.").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", TEXT)]).await;
    desk.say("go").await;
    desk.allow_next().await;
    gate.reached().await;
    (model, desk)
}

#[tokio::test(flavor = "multi_thread")]
async fn what_is_rejected_while_the_agent_works_goes_back_when_its_turn_ends() {
    let gate = Gate::new();
    let (model, mut desk) = at_work(&gate, edit("a.txt", "10\n", "ten\n")).await;
    let session = json!({"type": "session"});
    let seen = desk.compare(&session, "a.txt", false).await;
    let target = json!({"scope": session, "files": [
        {"path": "a.txt", "hunks": [place(&seen.diff.hunks[0])]}
    ]});
    desk.undo_at_the_end(&target, "one place of a.txt").await;
    // It is in the state that a window that is loaded again gets.
    let waiting = desk.snapshot().await.undos;
    assert_eq!(waiting.len(), 1);
    assert_eq!(waiting[0].files, ["a.txt"]);
    assert_eq!(waiting[0].title, "one place of a.txt");
    assert!(
        desk.project.read("a.txt").contains("three"),
        "nothing is changed under the agent's hands"
    );
    gate.open();
    desk.allow_next().await;
    let snapshot = desk.settled().await;
    // The rejected place is back; the other one and what came after it stay.
    let expected = TEXT.replace("18\n", "eighteen\n").replace("10\n", "ten\n");
    assert_eq!(desk.project.read("a.txt"), expected);
    assert!(
        texts(&snapshot)
            .iter()
            .any(|text| text.contains("Rejected: a.txt"))
    );
    desk.ask("what now").await;
    let request = model.request(4).await;
    let said = request.messages().last().unwrap().to_string();
    assert!(
        said.contains("<system-note>"),
        "no words of the person: {said}"
    );
    assert!(said.contains("rejected changes of files"), "{said}");
    assert!(said.contains("-three") && said.contains("+3"), "{said}");
    assert!(!said.contains("-eighteen"), "{said}");
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_can_be_forgotten_and_a_conflict_is_left_and_said() {
    let gate = Gate::new();
    let (_model, mut desk) = at_work(&gate, edit("a.txt", "three\n", "drei\n")).await;
    let call = calls(&desk.snapshot().await)[1].call.clone();
    let target = json!({"scope": {"type": "call", "call": call}});
    desk.undo_at_the_end(&target, "Write a.txt").await;
    let undo = desk.snapshot().await.undos[0].id.clone();
    desk.on_session::<Value>("undo.forget", json!({"undo": undo}))
        .await
        .unwrap();
    assert!(desk.snapshot().await.undos.is_empty());
    // Chosen once more; then the agent changes the same line.
    desk.undo_at_the_end(&target, "Write a.txt").await;
    gate.open();
    desk.allow_next().await;
    let snapshot = desk.settled().await;
    let left = desk.project.read("a.txt");
    assert!(left.contains("drei") && left.contains("eighteen"), "{left}");
    assert!(
        texts(&snapshot)
            .iter()
            .any(|text| text.contains("Left as they are: a.txt"))
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn what_waits_outlives_the_app_and_is_done_before_the_next_turn() {
    let gate = Gate::new();
    let (model, desk) = at_work(&gate, edit("a.txt", "10\n", "ten\n")).await;
    let call = calls(&desk.snapshot().await)[1].call.clone();
    let target = json!({"scope": {"type": "call", "call": call}});
    desk.undo_at_the_end(&target, "Write a.txt").await;
    let mut desk = desk.reopen().await;
    assert_eq!(desk.snapshot().await.undos.len(), 1);
    assert!(desk.project.read("a.txt").contains("three"));
    gate.open();
    // Whatever of the script comes next: what waited is done before it is asked.
    desk.say("go on").await;
    desk.until("it is taken back", |snapshot| snapshot.undos.is_empty())
        .await;
    assert_eq!(desk.project.read("a.txt"), TEXT);
    let request = model.request(3).await;
    assert!(
        request
            .messages()
            .last()
            .unwrap()
            .to_string()
            .contains("rejected changes")
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_that_is_to_wait_is_done_at_once_where_nothing_runs() {
    let gate = Gate::new();
    let (_model, mut desk) = at_work(&gate, edit("a.txt", "10\n", "ten\n")).await;
    gate.open();
    desk.allow_next().await;
    let snapshot = desk.idle().await;
    let target = json!({"scope": {"type": "call", "call": calls(&snapshot)[1].call}});
    desk.undo_at_the_end(&target, "Write a.txt").await;
    desk.settled().await;
    assert_eq!(desk.project.read("a.txt"), TEXT.replace("10\n", "ten\n"));
}

fn fifo(path: &Path) {
    let made = Command::new("mkfifo").arg(path).status().unwrap();
    assert!(made.success());
}

/// Lets what reads from it go on.
async fn open_fifo(path: std::path::PathBuf, text: &'static str) {
    tokio::task::spawn_blocking(move || std::fs::write(path, text))
        .await
        .unwrap()
        .unwrap();
}

#[tokio::test(flavor = "multi_thread")]
async fn what_a_background_command_changes_is_its_calls_and_is_undone() {
    let project = TempProject::new(&[("kept.txt", "kept\n")]);
    let outside = project.outside("gates");
    let (first, second) = (outside.join("first"), outside.join("second"));
    fifo(&first);
    fifo(&second);
    let command = format!(
        "echo now > now.txt; cat {} > one.txt; cat {} > two.txt; rm kept.txt",
        first.display(),
        second.display()
    );
    let gate = Gate::new();
    let model = ScriptedModel::start([
        turn()
            .call(
                "Bash",
                json!({"command": command, "run_in_background": true}),
            )
            .end(),
        turn().gate(&gate).text("It runs.").end(),
        turn().text("Later.").end(),
    ])
    .await;
    let settings = json!({"model": {
        "provider": "anthropic", "name": "test-model", "baseUrl": model.base_url()
    }});
    let mut desk = Desk::start(project, settings).await;
    desk.say("go").await;
    desk.allow_next().await;
    gate.reached().await;
    open_fifo(first, "one\n").await;
    let changed = |snapshot: &SessionSnapshot| -> Vec<String> {
        let changes = calls(snapshot)[0].changes.clone().unwrap_or_default();
        changes.files.into_iter().map(|file| file.path).collect()
    };
    // The command goes on to the second gate only when the first file is written.
    let probe = desk.project.path().join("two.txt");
    while !probe.exists() {
        tokio::task::yield_now().await;
    }
    gate.open();
    desk.until(
        "the end of the turn shows what was changed by then",
        |snapshot| changed(snapshot).contains(&"one.txt".to_owned()),
    )
    .await;
    open_fifo(second, "two\n").await;
    let snapshot = desk
        .until("the end of the command shows the rest", |snapshot| {
            changed(snapshot).contains(&"kept.txt".to_owned())
        })
        .await;
    assert_eq!(
        changed(&snapshot),
        ["kept.txt", "now.txt", "one.txt", "two.txt"]
    );
    let desk = desk.reopen().await;
    let snapshot = desk.snapshot().await;
    assert_eq!(changed(&snapshot).len(), 4, "known in the next run too");
    let target = of_call(calls(&snapshot)[0]);
    let preview = desk.preview(&target).await;
    assert_eq!(preview.files[0].effect, UndoEffect::Recreate);
    desk.undo_as(&target, &preview, json!([])).await.unwrap();
    assert_eq!(desk.project.read("kept.txt"), "kept\n");
    assert!(!desk.project.exists("now.txt") && !desk.project.exists("two.txt"));
    let snapshot = desk.snapshot().await;
    let state = calls(&snapshot)[0].changes.clone().unwrap().state;
    assert_eq!(state, adroit_protocol::changes::ChangeState::Undone);
}

#[tokio::test(flavor = "multi_thread")]
async fn the_loss_of_a_file_too_large_to_keep_is_said_before_and_told_to_the_model() {
    let model = ScriptedModel::start([
        turn().call("Bash", json!({"command": "rm -r big"})).end(),
        turn().text("Done.").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("big/small.txt", "small\n")]).await;
    let large = std::fs::File::create(desk.project.path().join("big/large.bin")).unwrap();
    large.set_len(40 << 20).unwrap();
    desk.say("go").await;
    let request = desk.allow_next().await;
    assert_eq!(
        request.unrestorable,
        ["big/large.bin is too large to be kept: what it is now cannot be restored."]
    );
    let snapshot = desk.idle().await;
    let changes = calls(&snapshot)[0].changes.clone().unwrap();
    assert!(
        changes
            .notes
            .iter()
            .any(|note| note.contains("big/large.bin was changed or deleted"))
    );
    let told = model.request(1).await;
    let said = told.messages().last().unwrap().to_string();
    assert!(
        said.contains("big/large.bin, of which no copy was kept"),
        "{said}"
    );
    let target = of_call(calls(&snapshot)[0]);
    let preview = desk.preview(&target).await;
    let effects: Vec<_> = preview
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.effect))
        .collect();
    assert!(effects.contains(&("big/large.bin", UndoEffect::Impossible)));
    assert!(effects.contains(&("big/small.txt", UndoEffect::Recreate)));
}

/// A session in which a file was written anew.
async fn rewritten(old: &str, new: &str) -> Desk {
    let model = ScriptedModel::start([
        turn().call("Read", json!({"file_path": "a.txt"})).end(),
        turn()
            .call("Bash", json!({"command": "cp ../elsewhere/new.txt a.txt"}))
            .end(),
        turn().text("Done.").end(),
    ])
    .await;
    let project = TempProject::new(&[("a.txt", old)]);
    std::fs::write(project.outside("elsewhere").join("new.txt"), new).unwrap();
    let settings = json!({"model": {
        "provider": "anthropic", "name": "test-model", "baseUrl": model.base_url()
    }});
    let mut desk = Desk::start(project, settings).await;
    desk.say("go").await;
    desk.allow_next().await;
    desk.idle().await;
    desk
}

#[tokio::test(flavor = "multi_thread")]
async fn without_white_space_only_what_reads_otherwise_is_a_place() {
    let desk = rewritten("if x {\na();\nb();\n}\n", "if x {\n    a();\n    c();\n}\n").await;
    let session = json!({"type": "session"});
    let all = desk.compare(&session, "a.txt", false).await;
    assert_eq!(
        (all.diff.added, all.diff.removed, all.by_hunk),
        (2, 2, true)
    );
    let some = desk.compare(&session, "a.txt", true).await;
    assert_eq!(
        (some.diff.added, some.diff.removed, some.by_hunk),
        (1, 1, false)
    );
    let lines: Vec<_> = some.diff.hunks[0]
        .lines
        .iter()
        .filter(|line| line.kind != LineChange::Context)
        .map(|line| line.text.as_str())
        .collect();
    assert_eq!(lines, ["b();", "    c();"]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_difference_that_lines_do_not_show_is_known_as_the_only_one() {
    let desk = rewritten("one\ntwo\n", "one\r\ntwo \u{200b}\r\n").await;
    let session = json!({"type": "session"});
    let file = desk.compare(&session, "a.txt", false).await;
    assert!(file.only_invisible);
    let added: Vec<_> = file.diff.hunks[0]
        .lines
        .iter()
        .filter(|line| line.kind == LineChange::Added)
        .map(|line| line.ending)
        .collect();
    assert_eq!(added, [Some(LineEnding::Crlf), Some(LineEnding::Crlf)]);
    assert!(file.invisible.iter().any(|said| said.contains("CRLF")));
    assert!(
        file.invisible
            .iter()
            .any(|said| said.contains("hidden character"))
    );
    let without = desk.compare(&session, "a.txt", true).await;
    assert!(
        !without.diff.hunks.is_empty(),
        "a hidden character is no white space"
    );
}

#[tokio::test(flavor = "multi_thread")]
async fn places_are_accepted_one_by_one_and_the_mark_falls_with_the_content() {
    let new = TEXT
        .replace("2\n3\n", "2\nthree\n")
        .replace("18\n", "eighteen\n");
    let desk = rewritten(TEXT, &new).await;
    let session = json!({"type": "session"});
    let accept = |hunks: Value, reviewed: bool| json!({"scope": session, "path": "a.txt", "hunks": hunks, "reviewed": reviewed});
    let file = desk.compare(&session, "a.txt", false).await;
    let places: Vec<Value> = file.diff.hunks.iter().map(place).collect();
    assert_eq!((places.len(), file.accepted.len()), (2, 0));
    let mark = |input: Value| desk.on_session::<Value>("changes.review", input);
    mark(accept(json!([places[1]]), true)).await.unwrap();
    assert_eq!(desk.compare(&session, "a.txt", false).await.accepted, [1]);
    assert!(!desk.changes(&session).await.files[0].reviewed);
    mark(accept(json!([places[0]]), true)).await.unwrap();
    assert!(
        desk.changes(&session).await.files[0].reviewed,
        "all of it is"
    );
    mark(accept(json!([places[1]]), false)).await.unwrap();
    assert_eq!(desk.compare(&session, "a.txt", false).await.accepted, [0]);
    assert!(!desk.changes(&session).await.files[0].reviewed);
    // Everything at once, and the next run knows it.
    mark(json!({"scope": session, "reviewed": true}))
        .await
        .unwrap();
    let desk = desk.reopen().await;
    assert_eq!(
        desk.compare(&session, "a.txt", false).await.accepted,
        [0, 1]
    );
    desk.project.write("a.txt", new.replace("20\n", "twenty\n"));
    assert!(!desk.changes(&session).await.files[0].reviewed);
    let stale = json!({"oldStart": 900, "oldLines": 1, "newStart": 900, "newLines": 1});
    let refused = desk
        .on_session::<Value>("changes.review", accept(json!([stale]), true))
        .await;
    assert!(refused.is_err());
}

fn git(folder: &Path, arguments: &[&str]) {
    let status = Command::new("git")
        .current_dir(folder)
        .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
        .args(["-c", "protocol.file.allow=always"])
        .args(arguments)
        .env("GIT_CONFIG_GLOBAL", "/dev/null")
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .status()
        .unwrap();
    assert!(status.success(), "{arguments:?}");
}

fn shown(list: &ChangeList) -> Vec<(&str, FileChange)> {
    list.files
        .iter()
        .map(|file| (file.path.as_str(), file.change))
        .collect()
}

#[tokio::test(flavor = "multi_thread")]
async fn a_folder_without_a_commit_or_a_repository_is_compared_or_refused_in_words() {
    let desk = Desk::offline(&[("a.txt", "a\n"), ("b.txt", "b\n")]).await;
    let scope = json!({"type": "git"});
    let refused = desk
        .on_session::<ChangeList>("changes.list", json!({"scope": scope}))
        .await
        .unwrap_err();
    assert!(
        refused.message.contains("not a git repository"),
        "{refused:?}"
    );
    git(&desk.project.path(), &["init", "-q"]);
    git(&desk.project.path(), &["add", "a.txt"]);
    let list = desk.changes(&scope).await;
    let new = FileChange::Created;
    assert_eq!(shown(&list), [("a.txt", new), ("b.txt", new)]);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_worktree_is_compared_with_its_own_commit_and_a_submodule_is_named() {
    let project = TempProject::new(&[]);
    let (main, library) = (project.outside("main"), project.outside("library"));
    for folder in [&main, &library] {
        git(folder, &["init", "-q"]);
        std::fs::write(folder.join("a.txt"), "a\n").unwrap();
        git(folder, &["add", "."]);
        git(folder, &["commit", "-q", "-m", "first"]);
    }
    let source = library.display().to_string();
    git(&main, &["submodule", "add", "-q", &source, "lib"]);
    git(&main, &["commit", "-q", "-m", "with a library"]);
    let path = project.path();
    let tree = path.display().to_string();
    git(&main, &["worktree", "add", "-q", "-f", &tree, "HEAD"]);
    git(&path, &["submodule", "update", "-q", "--init"]);
    let desk = Desk::start(project, json!({})).await;
    let scope = json!({"type": "git"});
    assert_eq!(shown(&desk.changes(&scope).await), []);
    desk.project.write("a.txt", "changed\n");
    std::fs::write(path.join("lib/a.txt"), "changed\n").unwrap();
    let list = desk.changes(&scope).await;
    assert_eq!(shown(&list), [("a.txt", FileChange::Updated)]);
    assert!(
        list.notes
            .iter()
            .any(|note| note.contains("lib is a submodule")),
        "{:?}",
        list.notes
    );
}
