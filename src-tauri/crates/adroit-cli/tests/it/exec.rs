//! `exec`: a whole turn, its output and its code.

use std::process::Command;

use adroit_testkit::{ScriptedModel, TempProject, turn};
use serde_json::json;

use crate::{adroit, lines, run, stdout};

#[test]
fn a_reader_that_went_away_ends_no_run() {
    let project = TempProject::new(&[("a.txt", "one\n")]);
    for words in [
        &["exec", "read a.txt"][..],
        &["exec", "--output", "stream-json", "read a.txt"],
        &["tool", "list"],
        &["exec", "run touch x"],
    ] {
        let (reader, writer) = std::io::pipe().unwrap();
        drop(reader);
        let mut command = adroit(&project, words);
        command.stderr(writer.try_clone().unwrap());
        let status = command.stdout(writer).status().unwrap();
        assert_eq!(status.code(), Some(0), "{words:?}");
    }
}

#[test]
fn exec_answers_in_text_and_says_by_its_code_whether_it_worked() {
    let project = TempProject::new(&[("a.txt", "alpha\n")]);
    let output = run(adroit(&project, &["exec", "read a.txt"]));
    assert!(output.status.success(), "{output:?}");
    assert!(stdout(&output).contains("alpha"), "{output:?}");
    let nowhere = Command::new(env!("CARGO_BIN_EXE_adroit-cli"))
        .args(["exec", "--project", "/no/such/folder", "hello"])
        .output()
        .unwrap();
    assert_eq!(nowhere.status.code(), Some(2));
    assert!(String::from_utf8_lossy(&nowhere.stderr).contains("/no/such/folder"));
}

#[test]
fn stream_json_begins_with_the_start_and_ends_with_the_result() {
    let project = TempProject::new(&[("a.txt", "alpha\n")]);
    let output = run(adroit(
        &project,
        &["exec", "--output", "stream-json", "read a.txt"],
    ));
    let lines = lines(&output);
    assert_eq!(lines.first().unwrap()["type"], "start");
    let result = lines.last().unwrap();
    assert_eq!(result["type"], "result");
    assert_eq!(result["ok"], true);
    assert!(result["calls"].as_u64().unwrap() >= 1);
    assert!(result["usage"]["inputTokens"].is_u64() && result["elapsedMs"].is_u64());
    assert!(
        lines
            .iter()
            .any(|line| line["change"]["item"]["body"]["call"]["status"] == "succeeded")
    );
}

#[test]
fn what_would_ask_is_denied_unless_a_mode_or_a_rule_allows_it() {
    let project = TempProject::new(&[("a.txt", "alpha\n")]);
    let prompt = "create b.txt with hello";
    let denied = run(adroit(&project, &["exec", "--output", "json", prompt]));
    assert!(!project.exists("b.txt"));
    assert_eq!(lines(&denied)[0]["failedCalls"], 1);
    let allowed = run(adroit(&project, &["exec", "--mode", "acceptEdits", prompt]));
    assert!(allowed.status.success());
    assert!(project.read("b.txt").contains("hello"));
    project.write(
        ".adroit/settings.json",
        r#"{"permissions": {"allow": ["Bash(touch c.txt)"]}}"#,
    );
    run(adroit(&project, &["exec", "run touch c.txt"]));
    assert!(project.exists("c.txt"));
}

#[tokio::test(flavor = "multi_thread")]
async fn exec_speaks_to_a_server_and_fails_with_words_when_it_refuses() {
    for provider in ["anthropic", "openai-chat"] {
        let model = ScriptedModel::start([
            turn().call("Read", json!({"file_path": "a.txt"})).end(),
            turn().text("It says alpha.").end(),
        ])
        .await;
        let project = TempProject::new(&[("a.txt", "alpha\n")]);
        let base = model.base_url();
        let command = || {
            let words = [
                "exec",
                "--provider",
                provider,
                "--model",
                "m",
                "--base-url",
                &base,
            ];
            let command = adroit(&project, &[&words[..], &["look"]].concat());
            tokio::task::spawn_blocking(move || run(command))
        };
        let output = command().await.unwrap();
        assert!(output.status.success(), "{output:?}");
        assert_eq!(stdout(&output).trim(), "It says alpha.");
        model.push(adroit_testkit::response(401).error_body("authentication_error", "bad key"));
        let output = command().await.unwrap();
        assert_eq!(output.status.code(), Some(1));
        assert!(
            String::from_utf8_lossy(&output.stderr).contains("key"),
            "{output:?}"
        );
    }
}

/// The code says whether the turn came to its end; what was denied in it is said in words.
#[test]
fn a_denied_call_is_told_on_standard_error() {
    let project = TempProject::new(&[("a.txt", "alpha\n")]);
    let prompt = "create b.txt with hello";
    let output = run(adroit(&project, &["exec", prompt]));
    assert_eq!(output.status.code(), Some(0), "{output:?}");
    let errors = String::from_utf8(output.stderr).unwrap();
    assert!(
        errors.contains("1 call was denied and not run:"),
        "{errors}"
    );
    assert!(errors.contains("Write b.txt: "), "{errors}");
    assert!(errors.contains("--mode"), "{errors}");
    let json = run(adroit(&project, &["exec", "--output", "json", prompt]));
    let denied = &lines(&json)[0]["deniedCalls"][0];
    assert_eq!(denied["call"], "Write b.txt");
    assert!(denied["reason"].as_str().unwrap().len() > 10, "{denied}");
    let quiet = run(adroit(&project, &["exec", "read a.txt"]));
    assert!(quiet.stderr.is_empty(), "{quiet:?}");
}

#[test]
fn what_is_wrong_with_the_settings_is_told_with_its_place() {
    let project = TempProject::new(&[("a.txt", "one\n")]);
    let settings = "{\n  \"execution\": {\"survivors\": \"perhaps\"},\n  \"permisions\": {}\n}";
    project.write(".adroit/settings.json", settings);
    for words in [
        &["exec", "read a.txt"][..],
        &["exec", "--output", "json", "read a.txt"],
        &[
            "tool",
            "call",
            "Read",
            "--input",
            r#"{"file_path": "a.txt"}"#,
        ],
    ] {
        let output = run(adroit(&project, words));
        assert!(output.status.success(), "{output:?}");
        let told = String::from_utf8_lossy(&output.stderr);
        let place = project.path().join(".adroit/settings.json");
        let place = place.display();
        assert!(told.contains(&format!("{place}:2:")), "{told}");
        assert!(
            told.contains(&format!("{place}:3:3: `permisions` is no setting")),
            "{told}"
        );
    }
}

#[test]
fn what_was_told_while_the_turn_ran_is_not_told_again() {
    let project = TempProject::empty();
    let output = run(adroit(&project, &["exec", "/compact"]));
    assert_eq!(output.status.code(), Some(1));
    let told = String::from_utf8_lossy(&output.stderr);
    assert_eq!(told.matches("was not compacted").count(), 1, "{told}");
    assert!(told.contains("it can be compacted later"), "{told}");
}
