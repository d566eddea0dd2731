use super::*;

fn parse(text: &str) -> Document {
    Document::parse(text, "settings.json", RuleSource::Project)
}

#[test]
fn rules_keep_their_place() {
    let document = parse(
        "{\n  // mine\n  \"permissions\": {\n    \"deny\": [\"Bash(rm *)\",\n      \"Read(.env)\"]\n  }\n}",
    );
    assert_eq!(document.problems, []);
    let places: Vec<_> = document
        .rules
        .iter()
        .map(|rule| (rule.rule.as_str(), rule.position))
        .collect();
    assert_eq!(
        places,
        [
            (
                "Bash(rm *)",
                Some(Position {
                    line: 4,
                    column: 14
                })
            ),
            ("Read(.env)", Some(Position { line: 5, column: 7 })),
        ]
    );
}

#[test]
fn a_sandbox_that_cannot_be_read_is_required() {
    let document = parse(r#"{"execution": {"survivors": "kill", "sandbox": {"mode": "require"}}}"#);
    assert_eq!(document.problems.len(), 1, "{:?}", document.problems);
    let execution = document.execution;
    assert_eq!(
        execution.survivors,
        Some(adroit_protocol::settings::Survivors::Kill)
    );
    let sandbox = execution.sandbox.expect("a sandbox");
    assert_eq!(sandbox.mode, Some(SandboxMode::Required));
    assert_eq!(sandbox.network, Some(SandboxNetwork::Off));
    assert_eq!(parse("{}").execution.sandbox, None);
}

#[test]
fn what_is_no_host_and_what_is_no_limit_is_told() {
    let document = parse(
        r#"{"execution": {"sandbox": {"network": "allow_listed", "allowedDomains":
        ["a.example", "https://b.example"]}, "limits": {"memoryMegabytes": 1}}}"#,
    );
    let problems: Vec<_> = document
        .problems
        .iter()
        .map(|problem| problem.text.as_str())
        .collect();
    assert_eq!(problems.len(), 2, "{problems:?}");
    assert!(problems[0].contains("write 16 to"), "{problems:?}");
    assert!(problems[1].contains("without scheme"), "{problems:?}");
    let sandbox = document.execution.sandbox.expect("a sandbox");
    assert_eq!(sandbox.allowed_domains, ["a.example"]);
}

#[test]
fn a_slip_in_one_section_does_not_cost_another() {
    let document = parse(r#"{"appearance": {"theme": "pink"}, "permissions": {"deny": ["Bash"]}}"#);
    assert_eq!(document.rules.len(), 1);
    assert!(!document.is_broken());
    assert!(
        document.problems[0].text.contains("theme"),
        "{:?}",
        document.problems
    );
}

#[test]
fn an_allow_rule_may_end_and_an_end_that_cannot_be_read_has_passed() {
    let document = parse(
        r#"{"permissions": {"allow": ["Bash(make)", "Read", "Edit"], "deny": ["Edit"],
            "until": {"Bash(make)": "2026-05-01T18:00Z", "Edit": "soon"}}}"#,
    );
    let ends: Vec<_> = document
        .rules
        .iter()
        .map(|rule| (rule.behavior, rule.expires_at))
        .collect();
    assert_eq!(
        ends,
        [
            (Behavior::Deny, None),
            (Behavior::Allow, Some(1_777_658_400_000)),
            (Behavior::Allow, None),
            (Behavior::Allow, Some(0)),
        ]
    );
    assert_eq!(document.problems.len(), 1);
    let wrong = parse(r#"{"permissions": {"allow": ["Read"], "until": []}}"#);
    assert_eq!(wrong.rules[0].expires_at, Some(0));
    assert_eq!(wrong.problems.len(), 1);
}

#[test]
fn a_broken_file_says_where() {
    let document = parse("{\n  \"permissions\": {\n    \"deny\": [\"Bash\"\n  }\n}");
    assert!(document.is_broken());
    assert_eq!(
        document.problems[0].position.map(|position| position.line),
        Some(4)
    );
}

#[test]
fn a_deny_list_of_the_wrong_shape_breaks_the_file() {
    assert!(parse(r#"{"permissions": {"deny": "Bash"}}"#).is_broken());
    assert!(parse(r#"{"permissions": []}"#).is_broken());
    assert!(parse("").is_broken());
    assert!(parse("[]").is_broken());
    assert!(!parse(r#"{"permissions": {"allow": "Bash"}}"#).is_broken());
}

#[test]
fn an_entry_of_the_wrong_type_stays_a_rule_with_a_problem() {
    let document = parse(r#"{"permissions": {"deny": [7]}}"#);
    assert_eq!(document.rules[0].rule, "7");
    assert!(document.rules[0].problem.is_some());
}

#[test]
fn hooks_keep_their_place_and_their_order() {
    let document = parse(
        "{\n \"hooks\": {\n  \"PreToolUse\": [{\"matcher\": \"Bash\", \"hooks\": [\n    {\"type\": \"command\", \"command\": \"one\"},\n    {\"type\": \"command\", \"command\": \"two\"}]}, {\"type\": \"command\"}],\n  \"Setup\": []}}",
    );
    let found: Vec<_> = document
        .hooks
        .entries
        .iter()
        .map(|entry| (entry.text(), entry.place.position.line))
        .collect();
    assert_eq!(
        found,
        [
            ("one".to_owned(), 4),
            ("two".to_owned(), 5),
            ("a hook of type `?`".to_owned(), 5)
        ]
    );
    assert!(document.problems[0].text.contains("Setup"));
    assert!(!document.is_broken());
}

#[test]
fn hooks_of_the_wrong_shape_break_the_file() {
    assert!(parse(r#"{"hooks": []}"#).is_broken());
    assert!(parse(r#"{"hooks": {"PreToolUse": {}}}"#).is_broken());
}

#[test]
fn files_of_other_programs_are_read_as_they_are() {
    let document = Document::parse(
        r#"{"$schema": "x", "hooks": {}, "env": {"A": "b"}, "model": {}, "permissions": {"allow": ["Bash(ls)"], "defaultMode": "acceptEdits"}}"#,
        "/p/.claude/settings.json",
        RuleSource::Project,
    );
    assert_eq!(document.problems, []);
    assert_eq!(document.default_mode, Some(Mode::AcceptEdits));
}

#[test]
fn a_key_that_nothing_reads_is_told_in_files_of_ours_only() {
    let text =
        "{\n  \"permisions\": {\"deny\": [\"Read(.env)\"]},\n  \"permissions\": {\"denny\": []}\n}";
    let ours = Document::parse(
        text,
        "/home/a/.config/adroit/settings.json",
        RuleSource::User,
    );
    let told: Vec<_> = ours
        .problems
        .iter()
        .map(|problem| (problem.position.map(|at| at.line), problem.text.as_str()))
        .collect();
    insta::assert_debug_snapshot!(told);
    assert!(!ours.is_broken());
    let theirs = Document::parse(text, "/p/.claude/settings.json", RuleSource::Project);
    assert_eq!(theirs.problems, []);
}

/// The lists of keys are those of the schema, and what is read beside it.
#[test]
fn every_key_of_the_schema_is_known() {
    let schema = schemars::schema_for!(adroit_protocol::settings::SettingsFile);
    let schema = schema.as_value();
    let keys = |object: &serde_json::Value| -> Vec<String> {
        object["properties"]
            .as_object()
            .unwrap()
            .keys()
            .cloned()
            .collect()
    };
    for key in keys(schema) {
        assert!(ROOT_KEYS.contains(&key.as_str()), "{key}");
    }
    for key in keys(&schema["$defs"]["PermissionSettings"]) {
        assert!(PERMISSION_KEYS.contains(&key.as_str()), "{key}");
    }
}
