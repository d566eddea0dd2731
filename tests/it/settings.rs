//! Settings from outside and from the panel.

use adroit_protocol::ErrorCode;
use adroit_protocol::command::SettingsState;
use adroit_protocol::event::CallStatus;
use adroit_protocol::permission::{Behavior, RuleSource};
use adroit_testkit::{ScriptedModel, turn};
use serde_json::{Value, json};

use crate::desk::{Desk, statuses};

#[tokio::test(flavor = "multi_thread")]
async fn a_rule_written_outside_stops_the_very_next_call() {
    let bash = || turn().call("Bash", json!({"command": "ls"})).end();
    let model = ScriptedModel::start([
        bash(),
        turn().text("one").end(),
        bash(),
        turn().text("two").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.ask("go").await;
    desk.project.write(
        ".adroit/settings.json",
        r#"{"permissions": {"deny": ["Bash(ls:*)"]}}"#,
    );
    let end = desk.ask("again").await;
    assert_eq!(statuses(&end), [CallStatus::Succeeded, CallStatus::Denied]);
    let results = model.request(3).await.tool_results();
    assert!(results[0].1.contains("Bash(ls:*)"), "{}", results[0].1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_file_that_breaks_is_shown_with_its_place_and_widens_nothing() {
    let bash = || turn().call("Bash", json!({"command": "ls"})).end();
    let model = ScriptedModel::start([bash(), turn().text("one").end()]).await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    let path = ".adroit/settings.json";
    desk.project.write(
        path,
        r#"{"permissions": {"deny": ["Bash(ls:*)"], "allow": ["Bash(make:*)"]}}"#,
    );
    let query = json!({"project": desk.project.path(), "session": desk.session});
    let good: SettingsState = desk.rpc("settings.get", query.clone()).await.unwrap();
    assert_eq!(good.rules.len(), 2);
    desk.project
        .write(path, "{\n  \"permissions\": {\n    \"deny\": [\n");
    let broken: SettingsState = desk.rpc("settings.get", query).await.unwrap();
    let file = broken
        .files
        .iter()
        .find(|file| file.path.ends_with(path))
        .unwrap();
    assert!(
        file.problems[0].fatal && file.problems[0].position.is_some(),
        "{:?}",
        file.problems
    );
    let rules: Vec<_> = broken
        .rules
        .iter()
        .map(|rule| (rule.behavior, rule.source))
        .collect();
    assert_eq!(rules, [(Behavior::Deny, RuleSource::Project)]);
    let end = desk.ask("go").await;
    assert_eq!(statuses(&end), [CallStatus::Denied]);
}

#[tokio::test(flavor = "multi_thread")]
async fn rules_are_added_and_removed_per_scope() {
    let desk = Desk::offline(&[("a.txt", "")]).await;
    let change = |change: Value| json!({"project": desk.project.path(), "session": desk.session, "change": change});
    for (scope, source) in [
        ("session", RuleSource::Session),
        ("project_local", RuleSource::ProjectLocal),
        ("project", RuleSource::Project),
        ("user", RuleSource::User),
    ] {
        let rule = json!({"behavior": "deny", "rule": "Read(.env)", "scope": scope});
        let mut add = rule.clone();
        add["type"] = json!("add_rule");
        let state: SettingsState = desk.rpc("settings.change", change(add)).await.unwrap();
        assert_eq!(
            state
                .rules
                .iter()
                .filter(|rule| rule.source == source)
                .count(),
            1,
            "{scope}"
        );
        let mut remove = rule;
        remove["type"] = json!("remove_rule");
        remove["file"] = Value::Null;
        let state: SettingsState = desk.rpc("settings.change", change(remove)).await.unwrap();
        assert!(
            state.rules.iter().all(|rule| rule.source != source),
            "{scope}"
        );
    }
    let invalid =
        json!({"type": "add_rule", "behavior": "allow", "rule": "Bash(", "scope": "user"});
    let error = desk
        .rpc::<SettingsState>("settings.change", change(invalid))
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::InvalidInput);
}

/// A command cannot give itself rules: not while it runs in the background, nor afterwards.
#[tokio::test(flavor = "multi_thread")]
async fn settings_that_a_background_command_makes_count_only_once_accepted() {
    const LIFTED: &str = r#"{"permissions": {"allow": ["Bash(touch:*)"]}}"#;
    let file = ".claude/settings.local.json";
    // What a script does the analysis cannot see.
    let script = format!("mkdir -p .claude; echo '{LIFTED}' > {file}; echo made; exec sleep 600\n");
    let model = ScriptedModel::start([
        turn()
            .call(
                "Bash",
                json!({"command": "sh script.sh", "run_in_background": true}),
            )
            .end(),
        turn().text("started").end(),
        turn().call("Bash", json!({"command": "touch made"})).end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("script.sh", &script)]).await;
    let state = desk
        .until_settings("the sandbox is tried out", |state| {
            !state.sandbox.meaning.contains("being tried")
        })
        .await;
    if state.sandbox.backend.is_none() {
        eprintln!("not tested, no sandbox works here");
        return;
    }
    let mode = json!({"mode": "bypassPermissions", "confirmed": true});
    desk.on_session::<Value>("mode.set", mode).await.unwrap();
    desk.ask("go").await;
    let state = desk
        .until_settings("the file is made", |state| {
            state
                .files
                .iter()
                .any(|file| file.changed_in_sandbox.is_some())
        })
        .await;
    assert_eq!(state.rules, []);
    let mode = json!({"mode": "default", "confirmed": false});
    desk.on_session::<Value>("mode.set", mode).await.unwrap();
    desk.say("again").await;
    let request = desk.request().await;
    assert_eq!(request.input["command"], "touch made");

    // Its end changes nothing, nor another start of the app; the person does.
    let desk = desk.reopen().await;
    let query = json!({"project": desk.project.path(), "session": desk.session});
    let state: SettingsState = desk.rpc("settings.get", query).await.unwrap();
    assert_eq!(state.rules, []);
    let held = state
        .files
        .iter()
        .find_map(|file| Some((file.path.clone(), file.changed_in_sandbox.clone()?)));
    let (path, text) = held.expect("a file that waits");
    assert!(path.ends_with(file), "{path}");
    let change = |text: &str| {
        let change = json!({"type": "accept_file", "path": path, "text": text});
        json!({"project": desk.project.path(), "session": desk.session, "change": change})
    };
    let error = desk
        .rpc::<SettingsState>("settings.change", change("another"))
        .await
        .unwrap_err();
    assert_eq!(error.code, ErrorCode::Stale);
    let state: SettingsState = desk.rpc("settings.change", change(&text)).await.unwrap();
    assert_eq!(state.rules.len(), 1);
}

#[tokio::test(flavor = "multi_thread")]
async fn a_key_is_stored_but_never_shown_nor_written_to_settings() {
    let desk = Desk::offline(&[("a.txt", "")]).await;
    let state: Value = desk
        .rpc(
            "secret.set",
            json!({"provider": "anthropic", "key": "sk-secret-value"}),
        )
        .await
        .unwrap();
    assert!(!state.to_string().contains("sk-secret-value"));
    let config = desk.project.data_dir().join("config/settings.json");
    assert!(
        !std::fs::read_to_string(config)
            .unwrap()
            .contains("sk-secret-value")
    );
    let cleared: Value = desk
        .rpc("secret.clear", json!({"provider": "anthropic"}))
        .await
        .unwrap();
    assert!(cleared["keys"].is_array());
}
