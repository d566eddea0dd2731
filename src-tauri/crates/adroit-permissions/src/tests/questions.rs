//! Questions, their answers, and the rules that may be remembered.

use std::sync::Arc;

use adroit_protocol::permission::{Behavior, Breadth, Mode};
use adroit_protocol::record::ConsentRecord;
use serde_json::json;

use super::support::{bash, call, edit, read, rules, snapshot};
use crate::{CallFacts, DeniedBy, Question, Verdict, decide};

fn question(rule_text: &str, facts: CallFacts) -> Question {
    match decide(&snapshot(Mode::Default, rules(rule_text)), facts) {
        Verdict::Ask(question) => question,
        other => panic!("not asked: {other:?}"),
    }
}

fn consent(by: &str, behavior: Behavior) -> ConsentRecord {
    ConsentRecord {
        by: by.to_owned(),
        behavior,
        words: None,
        remembered: None,
        changed: false,
        answered: false,
        at: 0,
        waited_ms: 5,
    }
}

fn suggested(facts: CallFacts) -> Vec<(String, Breadth)> {
    question("", facts)
        .details()
        .suggestions
        .iter()
        .map(|suggestion| (suggestion.rule.clone(), suggestion.breadth))
        .collect()
}

fn list(expected: &[(&str, Breadth)]) -> Vec<(String, Breadth)> {
    expected
        .iter()
        .map(|(rule, breadth)| ((*rule).to_owned(), *breadth))
        .collect()
}

#[test]
fn a_yes_runs_the_very_input_that_was_asked_about() {
    let facts = edit("/w/project/a");
    let input = Arc::clone(&facts.input);
    let authorized = question("", facts).allow(consent("person", Behavior::Allow));
    assert!(Arc::ptr_eq(authorized.input(), &input));
    assert_eq!(authorized.tool(), "Edit");
    assert_eq!(authorized.call().as_str(), "call_1");
    assert_eq!(authorized.decision().reason, "allowed by person");
}

#[test]
fn a_no_reaches_the_model_with_its_words() {
    let mut no = consent("person", Behavior::Deny);
    no.words = Some("use the other file".to_owned());
    let denial = question("", edit("/w/project/a")).deny(no);
    assert_eq!(denial.by, DeniedBy::Person);
    insta::assert_snapshot!(denial.message_for_model(), @r"
    Permission denied: the person declined (writes `/w/project/a`).
    The person says: use the other file
    Do not try it again unless the person asks for it.
    ");
    assert_eq!(
        denial.message_for_person(),
        "You said no: use the other file"
    );
    let silent = question("", edit("/w/project/a")).deny(consent("person", Behavior::Deny));
    assert_eq!(silent.message_for_person(), "You said no.");
    let policy = consent("non-interactive", Behavior::Deny);
    let denial = question("", edit("/w/project/a")).deny(policy);
    assert_eq!(denial.by, DeniedBy::NonInteractive);
    insta::assert_snapshot!(denial.message_for_model(), @"Permission denied: it needs a person's consent, and nobody can be asked in this run (writes `/w/project/a`). A rule or a mode must allow it beforehand. Go on without it, or say in your answer what is missing.");
    assert_eq!(
        denial.message_for_person(),
        "It needs a person's consent, and nobody can be asked in this run (writes `/w/project/a`)."
    );
}

#[test]
fn a_waiting_call_can_be_judged_again() {
    let waiting = question("", edit("/w/project/a"));
    let granted = snapshot(Mode::Default, rules("allow Edit"));
    assert_eq!(waiting.reconsider(&granted).behavior(), Behavior::Allow);
    let waiting = question("", edit("/w/project/a"));
    let taken = snapshot(Mode::BypassPermissions, rules("deny Edit"));
    assert_eq!(waiting.reconsider(&taken).behavior(), Behavior::Deny);
}

#[test]
fn suggestions_go_from_narrow_to_broad() {
    use Breadth::{Exact, Prefix, Tool};
    assert_eq!(
        suggested(edit("/w/project/src/a.rs")),
        list(&[
            ("Edit(/src/a.rs)", Exact),
            ("Edit(/src/**)", Prefix),
            ("Edit", Tool)
        ])
    );
    assert_eq!(
        suggested(edit("/w/project/a[1].rs")),
        list(&[
            ("Edit(/a\\[1\\].rs)", Exact),
            ("Edit(/**)", Prefix),
            ("Edit", Tool)
        ])
    );
    assert_eq!(
        suggested(read("/home/dev/notes/a.md")),
        list(&[
            ("Read(~/notes/a.md)", Exact),
            ("Read(~/notes/**)", Prefix),
            ("Read", Tool)
        ])
    );
    assert_eq!(
        suggested(read("/etc/hosts")),
        list(&[
            ("Read(//etc/hosts)", Exact),
            ("Read(//etc/**)", Prefix),
            ("Read", Tool)
        ])
    );
    assert_eq!(
        suggested(call("Grep", json!({"pattern": "x", "path": "/etc"}))),
        list(&[("Read(//etc/**)", Prefix), ("Read", Tool)])
    );
    assert_eq!(
        suggested(call("WebFetch", json!({"url": "https://a.example/x"}))),
        list(&[("WebFetch(domain:a.example)", Prefix), ("WebFetch", Tool)])
    );
    assert_eq!(
        suggested(call("mcp__jira__get", json!({}))),
        list(&[("mcp__jira__get", Tool), ("mcp__jira", Tool)])
    );
    assert_eq!(
        suggested(call("Agent", json!({"subagent_type": "Explore"}))),
        list(&[("Agent(Explore)", Prefix), ("Agent", Tool)])
    );
}

#[test]
fn suggestions_for_commands() {
    use Breadth::{Exact, Prefix, Tool};
    assert_eq!(
        suggested(bash("cargo run --release")),
        list(&[
            ("Bash(cargo run --release)", Exact),
            ("Bash(cargo run:*)", Prefix),
            ("Bash(cargo:*)", Prefix),
            ("Bash", Tool)
        ])
    );
    assert_eq!(
        suggested(bash("ls && timeout 9 cargo run x")),
        list(&[
            ("Bash(ls && timeout 9 cargo run x)", Exact),
            ("Bash(cargo run:*)", Prefix),
            ("Bash(cargo:*)", Prefix),
            ("Bash", Tool)
        ])
    );
    assert_eq!(
        suggested(bash("make a; make b")),
        list(&[
            ("Bash(make a; make b)", Exact),
            ("Bash(make:*)", Prefix),
            ("Bash", Tool)
        ])
    );
    assert_eq!(
        suggested(bash("python3 x.py")),
        list(&[("Bash(python3 x.py)", Exact), ("Bash", Tool)])
    );
    assert_eq!(
        suggested(bash("echo hi > out.txt")),
        list(&[("Edit(/out.txt)", Exact)])
    );
    assert_eq!(
        suggested(bash("cat /etc/hosts")),
        list(&[
            ("Bash(cat /etc/hosts)", Exact),
            ("Read(//etc/hosts)", Exact),
            ("Read(//etc/hosts/**)", Prefix),
            ("Bash", Tool)
        ])
    );
}

#[test]
fn no_rule_is_suggested_where_none_may_approve() {
    for (rule_text, facts) in [
        ("", edit("/w/project/.git/config")),
        ("", bash("rm -rf /usr")),
        ("", bash("echo x > .git/hooks/a")),
        ("ask Edit", edit("/w/project/a")),
    ] {
        let details = question(rule_text, facts).details();
        assert!(details.suggestions.is_empty(), "{:?}", details.suggestions);
        for rule in ["Edit", "Bash", "Edit(**)"] {
            assert!(!details.check_rule(rule).covers, "{rule}");
        }
    }
}

#[test]
fn a_rule_is_checked_before_it_is_stored() {
    let details = question("", bash("cargo run --release")).details();
    let check = |rule: &str| {
        let check = details.check_rule(rule);
        (check.covers, check.text)
    };
    assert_eq!(
        check("Bash(cargo:*)"),
        (true, "`cargo` with any arguments".to_owned())
    );
    assert_eq!(
        check("Bash(cargo build:*)"),
        (
            false,
            "`Bash(cargo build:*)` does not cover this call".to_owned()
        )
    );
    assert_eq!(
        check("Bash(cargo"),
        (
            false,
            "`Bash(cargo` is not a rule: a rule reads `Bash` or `Bash(…)`".to_owned()
        )
    );
    assert!(!check("Edit").0);
    assert!(!check("").0);
}

#[test]
fn reasons_name_what_asks() {
    let reasons = |facts| -> Vec<String> {
        question("", facts)
            .details()
            .reasons
            .iter()
            .map(|reason| reason.text.clone())
            .collect()
    };
    assert_eq!(
        reasons(edit("/etc/hosts")),
        vec!["writes outside the workspace: `/etc/hosts`"]
    );
    assert_eq!(
        reasons(bash("echo x > /tmp/a")),
        vec!["writes outside the workspace: `/tmp/a`"]
    );
    let details = question("", bash("ls && rm -rf target")).details();
    assert!(details.destructive.is_some());
    assert!(details.reasons.iter().all(|reason| reason.span.is_some()));
}
