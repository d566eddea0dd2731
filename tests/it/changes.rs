//! What calls change is shown on their rows, and can be taken back.

use adroit_protocol::ErrorCode;
use adroit_protocol::changes::{ChangeState, UndoEffect};
use adroit_protocol::event::{CallStatus, ItemBody};
use adroit_protocol::view::FileChange;
use adroit_testkit::{Gate, ScriptedModel, turn};
use serde_json::{Value, json};

use crate::desk::{Desk, calls, texts};
use crate::reviewing::{edit, of_call};

const TEXT: &str = "one\ntwo\nthree\nfour\nfive\nsix\nseven\n";

/// A session in which a file was read and edited.
async fn edited() -> (Desk, ScriptedModel) {
    let model = ScriptedModel::start([
        turn().call("Read", json!({"file_path": "a.txt"})).end(),
        turn().call("Edit", edit("a.txt", "two", "zwei")).end(),
        turn().text("Done.").end(),
        turn().text("I see.").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", TEXT)]).await;
    desk.say("go").await;
    desk.allow_next().await;
    desk.idle().await;
    (desk, model)
}

#[tokio::test(flavor = "multi_thread")]
async fn an_edit_is_undone_after_a_restart_and_done_again() {
    let (desk, model) = edited().await;
    let mut desk = desk.reopen().await;
    let snapshot = desk.snapshot().await;
    let row = calls(&snapshot)[1];
    let changes = row.changes.clone().unwrap();
    assert_eq!(changes.files.len(), 1);
    assert_eq!(changes.files[0].path, "a.txt");
    assert_eq!(
        (changes.files[0].added, changes.files[0].removed),
        (Some(1), Some(1))
    );
    assert_eq!(changes.state, ChangeState::Made);
    assert_eq!(calls(&snapshot)[0].changes, None, "reading changes nothing");

    let target = of_call(row);
    let preview = desk.preview(&target).await;
    assert_eq!(preview.files.len(), 1);
    assert_eq!(preview.files[0].effect, UndoEffect::Restore);
    assert_eq!(
        desk.project.read("a.txt"),
        TEXT.replace("two", "zwei"),
        "a preview changes nothing"
    );
    let result = desk.undo_as(&target, &preview, json!([])).await.unwrap();
    assert_eq!((result.restored, result.left.len()), (1, 0));
    assert_eq!(desk.project.read("a.txt"), TEXT);
    let snapshot = desk.snapshot().await;
    let state = |snapshot| {
        let snapshot: &adroit_protocol::event::SessionSnapshot = snapshot;
        calls(snapshot)[1].changes.clone().unwrap().state
    };
    assert_eq!(state(&snapshot), ChangeState::Undone);
    assert!(
        texts(&snapshot)
            .iter()
            .any(|text| text.contains("Undone: a.txt"))
    );
    let again = desk
        .on_session::<Value>("undo.preview", json!({"target": target}))
        .await
        .unwrap_err();
    assert_eq!(again.code, ErrorCode::NotFound);

    let mut back = target.clone();
    back["redo"] = json!(true);
    desk.undo(&back).await;
    assert_eq!(desk.project.read("a.txt"), TEXT.replace("two", "zwei"));
    assert_eq!(state(&desk.snapshot().await), ChangeState::Made);

    desk.ask("what now").await;
    let request = model.request(3).await;
    let said = request.messages().last().unwrap().to_string();
    assert!(
        said.contains("took back changes of files: a.txt is now as they were before")
            || said.contains("took back changes of files: a.txt"),
        "{said}"
    );
    assert!(said.contains("what now"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_deletes_files_shows_them_and_is_undone() {
    let model = ScriptedModel::start([
        turn()
            .call(
                "Bash",
                json!({"command": "rm -r src && echo new > made.txt && chmod 755 run.sh"}),
            )
            .end(),
        turn().text("Done.").end(),
    ])
    .await;
    let files = [
        ("src/a.rs", "fn a() {}\n"),
        ("src/deep/b.rs", "fn b() {}\n"),
        ("run.sh", "#!/bin/sh\n"),
        (".gitignore", "*.log\n"),
    ];
    let mut desk = Desk::anthropic(&model, &files).await;
    desk.say("clean up").await;
    desk.allow_next().await;
    let snapshot = desk.idle().await;
    let row = calls(&snapshot)[0];
    assert_eq!(row.status, CallStatus::Succeeded);
    let changes = row.changes.clone().unwrap();
    let shown: Vec<_> = changes
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.change))
        .collect();
    assert_eq!(
        shown,
        [
            ("made.txt", FileChange::Created),
            ("run.sh", FileChange::Updated),
            ("src/a.rs", FileChange::Deleted),
            ("src/deep/b.rs", FileChange::Deleted),
        ]
    );
    let scope = json!({"type": "call", "call": row.call});
    let file = desk.compare(&scope, "src/a.rs", false).await;
    assert_eq!(file.diff.removed, 1);
    let bits = desk.compare(&scope, "run.sh", false).await;
    assert!(bits.diff.hunks.is_empty());
    assert_eq!(bits.invisible, ["Permission bits: 644 became 755."]);

    let result = desk.undo(&of_call(row)).await;
    assert_eq!((result.restored, result.left.len()), (4, 0));
    assert_eq!(desk.project.read("src/deep/b.rs"), "fn b() {}\n");
    assert!(!desk.project.exists("made.txt"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_command_that_only_reads_is_not_looked_after() {
    let model = ScriptedModel::start([
        turn().call("Bash", json!({"command": "cat a.txt"})).end(),
        turn().text("Done.").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", TEXT)]).await;
    let snapshot = desk.ask("look").await;
    assert_eq!(calls(&snapshot)[0].changes, None);
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_while_the_agent_works_is_told_with_the_next_results() {
    let gate = Gate::new();
    let model = ScriptedModel::start([
        turn()
            .call("Write", json!({"file_path": "b.txt", "content": "b\n"}))
            .end(),
        turn()
            .gate(&gate)
            .call("Read", json!({"file_path": "a.txt"}))
            .end(),
        turn().text("Done.").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", TEXT)]).await;
    desk.say("go").await;
    desk.allow_next().await;
    gate.reached().await;
    let snapshot = desk.snapshot().await;
    desk.undo(&of_call(calls(&snapshot)[0])).await;
    assert!(!desk.project.exists("b.txt"));
    gate.open();
    desk.idle().await;
    let request = model.request(2).await;
    let last = request.messages().last().unwrap().to_string();
    assert!(last.contains("tool_result"), "{last}");
    assert!(last.contains("took back changes of files: b.txt"), "{last}");
    // And it stays told: the transcript has it at the same place.
    let mut desk = desk.reopen().await;
    desk.ask("go on").await;
}

#[tokio::test(flavor = "multi_thread")]
async fn a_change_of_somebody_else_is_not_overwritten_unless_it_is_chosen() {
    let (desk, _model) = edited().await;
    let snapshot = desk.snapshot().await;
    let target = of_call(calls(&snapshot)[1]);
    let mine = TEXT.replace("two", "mine");
    desk.project.write("a.txt", &mine);
    let preview = desk.preview(&target).await;
    assert_eq!(preview.files[0].effect, UndoEffect::Conflict);
    assert_eq!(preview.files[0].choices.len(), 3);
    let result = desk.undo_as(&target, &preview, json!([])).await.unwrap();
    assert_eq!((result.restored, result.left.len()), (0, 1));
    assert_eq!(desk.project.read("a.txt"), mine);
    let choices = json!([{"path": "a.txt", "choice": "overwrite"}]);
    let preview = desk.preview(&target).await;
    desk.undo_as(&target, &preview, choices).await.unwrap();
    assert_eq!(desk.project.read("a.txt"), TEXT);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_preview_holds_only_while_no_file_changes() {
    let (desk, _model) = edited().await;
    let snapshot = desk.snapshot().await;
    let target = of_call(calls(&snapshot)[1]);
    let preview = desk.preview(&target).await;
    desk.project.write("a.txt", "mine\n");
    let error = desk
        .undo_as(&target, &preview, json!([]))
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::Stale);
    assert_eq!(desk.project.read("a.txt"), "mine\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn a_turn_goes_back_with_its_conversation() {
    let model = ScriptedModel::start([
        turn()
            .call("Write", json!({"file_path": "one.txt", "content": "1\n"}))
            .end(),
        turn().text("First.").end(),
        turn()
            .call("Write", json!({"file_path": "two.txt", "content": "2\n"}))
            .end(),
        turn().text("Second.").end(),
        turn().text("Other.").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", TEXT)]).await;
    for text in ["make one", "make two"] {
        desk.say(text).await;
        desk.allow_next().await;
        desk.idle().await;
    }
    let list = desk.changes(&json!({"type": "turn", "turn": 2})).await;
    assert_eq!(list.files.len(), 1);
    assert_eq!((list.files[0].path.as_str(), list.turn), ("two.txt", 2));
    desk.undo(&json!({"scope": {"type": "since", "turn": 2}}))
        .await;
    let back: Value = desk
        .on_session("session.rewind", json!({"turn": 2}))
        .await
        .unwrap();
    assert_eq!(back["text"], "make two");
    assert!(desk.project.exists("one.txt") && !desk.project.exists("two.txt"));
    let said = |snapshot: &adroit_protocol::event::SessionSnapshot| -> Vec<String> {
        snapshot
            .items
            .iter()
            .filter_map(|item| match &item.body {
                ItemBody::User { text, .. } => Some(text.clone()),
                _ => None,
            })
            .collect()
    };
    assert_eq!(said(&desk.snapshot().await), ["make one"]);
    let mut desk = desk.reopen().await;
    assert_eq!(said(&desk.snapshot().await), ["make one"]);
    assert_eq!(calls(&desk.snapshot().await).len(), 1);
    let end = desk.ask("make other").await;
    assert_eq!(said(&end), ["make one", "make other"]);
    let request = model.request(4).await;
    let conversation = json!(request.messages()).to_string();
    assert!(conversation.contains("make one") && !conversation.contains("make two"));
}

#[tokio::test(flavor = "multi_thread")]
async fn a_mark_falls_when_the_file_changes() {
    let (desk, _model) = edited().await;
    let session = json!({"type": "session"});
    assert!(!desk.changes(&session).await.files[0].reviewed);
    let mark = json!({"scope": session, "path": "a.txt", "reviewed": true});
    desk.on_session::<Value>("changes.review", mark)
        .await
        .unwrap();
    assert!(desk.changes(&session).await.files[0].reviewed);
    let desk = desk.reopen().await;
    assert!(desk.changes(&session).await.files[0].reviewed);
    desk.project.write("a.txt", "other\n");
    assert!(!desk.changes(&session).await.files[0].reviewed);
}

#[tokio::test(flavor = "multi_thread")]
async fn one_place_of_a_file_goes_back_alone() {
    let model = ScriptedModel::start([
        turn().call("Read", json!({"file_path": "a.txt"})).end(),
        turn()
            .call(
                "Write",
                json!({"file_path": "a.txt", "content": format!("zero\n{TEXT}x\ny\neight\n")}),
            )
            .end(),
        turn().text("Done.").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", TEXT)]).await;
    desk.say("go").await;
    desk.allow_next().await;
    let snapshot = desk.idle().await;
    let mut target = of_call(calls(&snapshot)[1]);
    let file = desk.compare(&target["scope"], "a.txt", false).await;
    assert!(file.by_hunk);
    let hunk = &file.diff.hunks[0];
    target["files"] = json!([{"path": "a.txt", "hunks": [{
        "oldStart": hunk.old_start, "oldLines": hunk.old_lines,
        "newStart": hunk.new_start, "newLines": hunk.new_lines,
    }]}]);
    desk.undo(&target).await;
    assert_eq!(desk.project.read("a.txt"), format!("{TEXT}x\ny\neight\n"));
}

#[tokio::test(flavor = "multi_thread")]
async fn what_lies_outside_is_named_and_a_named_file_outside_is_kept() {
    let project = adroit_testkit::TempProject::new(&[("a.txt", TEXT)]);
    let outside = project.outside("elsewhere");
    std::fs::create_dir(outside.join("folder")).unwrap();
    std::fs::write(outside.join("folder/lost.txt"), "lost").unwrap();
    std::fs::write(outside.join("kept.txt"), "kept").unwrap();
    let command = format!(
        "rm -r {0}/folder && rm {0}/kept.txt && touch made.txt",
        outside.display()
    );
    let model = ScriptedModel::start([
        turn().call("Bash", json!({"command": command})).end(),
        turn().text("Done.").end(),
    ])
    .await;
    let settings = json!({"model": {
        "provider": "anthropic", "name": "test-model", "baseUrl": model.base_url()
    }});
    let mut desk = Desk::start(project, settings).await;
    desk.say("go").await;
    desk.allow_next().await;
    let snapshot = desk.idle().await;
    let row = calls(&snapshot)[0];
    let notes = row.changes.clone().unwrap().notes;
    assert_eq!(notes.len(), 1, "{notes:?}");
    assert!(notes[0].contains("folder lies outside of the project"));
    let preview = desk.preview(&of_call(row)).await;
    assert_eq!(preview.notes, notes);
    desk.undo(&of_call(row)).await;
    assert_eq!(
        std::fs::read_to_string(outside.join("kept.txt")).unwrap(),
        "kept"
    );
    assert!(!outside.join("folder").exists() && !desk.project.exists("made.txt"));
}

#[tokio::test(flavor = "multi_thread")]
async fn changes_are_held_against_the_last_commit_and_taken_back_to_it() {
    let (desk, _model) = edited().await;
    let git = |arguments: &[&str]| {
        let status = std::process::Command::new("git")
            .current_dir(desk.project.path())
            .args(["-c", "user.name=t", "-c", "user.email=t@example.org"])
            .args(arguments)
            .env("GIT_CONFIG_GLOBAL", "/dev/null")
            .stdout(std::process::Stdio::null())
            .status()
            .unwrap();
        assert!(status.success(), "{arguments:?}");
    };
    git(&["init", "-q"]);
    git(&["add", "a.txt"]);
    git(&["commit", "-q", "-m", "first"]);
    let committed = desk.project.read("a.txt");
    desk.project.write("a.txt", committed.replace("seven", "7"));
    desk.project.write("fresh.txt", "new\n");
    let scope = json!({"type": "git"});
    let list = desk.changes(&scope).await;
    let shown: Vec<_> = list
        .files
        .iter()
        .map(|file| (file.path.as_str(), file.change))
        .collect();
    assert_eq!(
        shown,
        [
            ("a.txt", FileChange::Updated),
            ("fresh.txt", FileChange::Created)
        ]
    );
    let target = json!({"scope": scope, "files": [{"path": "a.txt", "hunks": []}]});
    desk.undo(&target).await;
    assert_eq!(desk.project.read("a.txt"), committed);
    assert_eq!(desk.project.read("fresh.txt"), "new\n");
}

#[tokio::test(flavor = "multi_thread")]
async fn an_undo_whose_asker_went_away_is_still_told() {
    let (mut desk, _model) = edited().await;
    let snapshot = desk.snapshot().await;
    let target = of_call(calls(&snapshot)[1]);
    let preview = desk.preview(&target).await;
    {
        let asked = desk.undo_as(&target, &preview, json!([]));
        let mut asked = std::pin::pin!(asked);
        // Begun, and given up at once.
        let waker = std::task::Waker::noop();
        let first =
            std::future::Future::poll(asked.as_mut(), &mut std::task::Context::from_waker(waker));
        assert!(first.is_pending());
    }
    desk.until("the row says that it is undone", |snapshot| {
        calls(snapshot)[1]
            .changes
            .as_ref()
            .is_some_and(|changes| changes.state == ChangeState::Undone)
    })
    .await;
    assert_eq!(desk.project.read("a.txt"), TEXT);
}
