//! Rules that cannot be read, sources, reports.

use adroit_protocol::command::RuleOddity;
use adroit_protocol::permission::{Position, RuleEntry, RuleSource};
use serde_json::json;

use super::support::{
    ALLOW, ASK, DENY, bash, behavior, call, edit, entry, read, reason, rules, workspace,
};
use crate::RuleSet;

#[test]
fn a_rule_that_cannot_be_read_never_widens() {
    for (rule, facts, expected) in [
        ("deny Bash(git push", bash("ls"), DENY),
        ("deny Bash(git push", read("/w/project/a"), ALLOW),
        ("deny Bash()", bash("ls"), DENY),
        ("deny Read(!x)", read("/w/project/a"), DENY),
        ("deny Read([a)", edit("/w/project/a"), DENY),
        ("deny (x)", read("/w/project/a"), DENY),
        (
            "deny WebFetch(example.org)",
            call("WebFetch", json!({"url": "https://a.b"})),
            DENY,
        ),
        ("deny mcp__a__b(x)", call("mcp__a__b", json!({})), DENY),
        ("ask Read([a)", read("/w/project/a"), ASK),
        ("allow Bash(git push", bash("git push"), ASK),
        ("allow Edit([a)", edit("/w/project/a"), ASK),
        ("allow Edit()", edit("/w/project/a"), ASK),
        ("allow (x)", edit("/w/project/a"), ASK),
        ("allow mcp__a__b(x)", call("mcp__a__b", json!({})), ASK),
    ] {
        assert_eq!(behavior(rule, facts.clone()), expected, "{rule} {facts:?}");
    }
    // Even the problem that the settings reader found counts.
    let mut broken = entry(DENY, "Edit(a)");
    broken.problem = Some("is no text".to_owned());
    let snapshot = super::support::snapshot(Default::default(), vec![broken]);
    assert_eq!(
        crate::decide(&snapshot, edit("/w/project/b")).behavior(),
        DENY
    );
}

#[test]
fn the_winner_is_named_with_its_place() {
    let mut user = entry(DENY, "Read(.env)");
    user.source = RuleSource::User;
    let mut local = entry(DENY, "Read(*.env)");
    local.source = RuleSource::ProjectLocal;
    local.file = Some(".adroit/settings.local.json".to_owned());
    local.position = Some(Position { line: 4, column: 7 });
    let snapshot = super::support::snapshot(Default::default(), vec![user, local.clone()]);
    let crate::Verdict::Denied(denial) = crate::decide(&snapshot, read("/w/project/.env")) else {
        panic!("not denied");
    };
    assert_eq!(
        denial.reason,
        "the deny rule `Read(*.env)` (.adroit/settings.local.json:4:7) matches"
    );
    assert_eq!(denial.rule, Some(local));
    assert_eq!(denial.matched.len(), 2);
    assert_eq!(
        reason("deny (x)", read("/w/project/a")),
        "the deny rule `(x)` (project settings) cannot be read (a rule begins with the name of \
         a tool), so it denies all it may speak of"
    );
}

#[test]
fn oddities_are_reported() {
    let report = |text: &str| -> Vec<(String, RuleOddity)> {
        RuleSet::compile(rules(text))
            .reports()
            .into_iter()
            .map(|report| (report.rule.rule, report.kind))
            .collect()
    };
    let one = |rule: &str, kind| vec![(rule.to_owned(), kind)];
    assert_eq!(report("allow Bash(ls); deny Bash(rm:*)"), vec![]);
    assert_eq!(
        report("allow Bash(git push:*); deny Bash(git:*)"),
        one("Bash(git push:*)", RuleOddity::Unreachable)
    );
    assert_eq!(
        report("allow Bash(git push); deny Bash"),
        one("Bash(git push)", RuleOddity::Unreachable)
    );
    assert_eq!(report("allow Bash(git:*); deny Bash(git push:*)"), vec![]);
    assert_eq!(
        report("allow mcp__jira__get; ask mcp__jira"),
        one("mcp__jira__get", RuleOddity::Unreachable)
    );
    assert_eq!(
        report("allow Edit(src/**); allow Edit(src/**)"),
        one("Edit(src/**)", RuleOddity::Repeated)
    );
    assert_eq!(
        report("allow Edit; allow Edit(src/**)"),
        one("Edit(src/**)", RuleOddity::Repeated)
    );
    assert_eq!(report("allow mcp__*"), one("mcp__*", RuleOddity::Invalid));
    assert_eq!(
        report("allow Bash(a && b:*)"),
        one("Bash(a && b:*)", RuleOddity::MatchesNothing)
    );
    for (text, rule, kind) in [
        (
            "deny WebFetch(domain:*.a.io); allow WebFetch(domain:x.a.io)",
            "WebFetch(domain:x.a.io)",
            RuleOddity::Unreachable,
        ),
        (
            "deny WebFetch(domain:*.a.io); allow WebFetch(domain:*.b.a.io)",
            "WebFetch(domain:*.b.a.io)",
            RuleOddity::Unreachable,
        ),
        (
            "ask WebFetch; allow WebFetch(domain:a.io)",
            "WebFetch(domain:a.io)",
            RuleOddity::Unreachable,
        ),
        (
            "allow WebFetch(domain:*); allow WebFetch(domain:a.io)",
            "WebFetch(domain:a.io)",
            RuleOddity::Repeated,
        ),
        (
            "deny mcp__a; allow mcp__a__b",
            "mcp__a__b",
            RuleOddity::Unreachable,
        ),
        (
            "deny mcp__a; allow mcp__a__*",
            "mcp__a__*",
            RuleOddity::Unreachable,
        ),
        (
            "deny mcp__*; allow mcp__a__b",
            "mcp__a__b",
            RuleOddity::Unreachable,
        ),
        (
            "deny mcp__*; ask mcp__a__get*",
            "mcp__a__get*",
            RuleOddity::Unreachable,
        ),
        (
            "allow mcp__a__*; allow mcp__a__get*",
            "mcp__a__get*",
            RuleOddity::Repeated,
        ),
        ("deny *; allow Read(a)", "Read(a)", RuleOddity::Unreachable),
        (
            "deny Agent(x); allow Agent(x)",
            "Agent(x)",
            RuleOddity::Unreachable,
        ),
        (
            "deny Task; allow Agent(x)",
            "Agent(x)",
            RuleOddity::Unreachable,
        ),
        (
            "deny Agent(r*); allow Agent(reviewer)",
            "Agent(reviewer)",
            RuleOddity::Unreachable,
        ),
        (
            "ask Skill; allow Skill(pdf)",
            "Skill(pdf)",
            RuleOddity::Unreachable,
        ),
        (
            "deny Skill(pdf:*); allow Skill(pdf)",
            "Skill(pdf)",
            RuleOddity::Unreachable,
        ),
        (
            "deny Edit(/src/**); allow Edit(/src/a.rs)",
            "Edit(/src/a.rs)",
            RuleOddity::Unreachable,
        ),
        (
            "deny Edit(/src/**); allow Write(/src/a/**)",
            "Write(/src/a/**)",
            RuleOddity::Unreachable,
        ),
        (
            "deny Read(/src/**); allow Edit(/src/*.rs)",
            "Edit(/src/*.rs)",
            RuleOddity::Unreachable,
        ),
        (
            "deny Read(.env); allow Read(.env)",
            "Read(.env)",
            RuleOddity::Unreachable,
        ),
        (
            "deny Read(*.pem); allow Read(key.pem)",
            "Read(key.pem)",
            RuleOddity::Unreachable,
        ),
        (
            "deny Read; allow Grep(/src/**)",
            "Grep(/src/**)",
            RuleOddity::Unreachable,
        ),
        (
            "ask Edit(**/*.ts); allow Edit(**/*.test.ts)",
            "Edit(**/*.test.ts)",
            RuleOddity::Unreachable,
        ),
        (
            "allow Read(~/**); allow Read(~/.config/**)",
            "Read(~/.config/**)",
            RuleOddity::Repeated,
        ),
        (
            "deny Bash(git:*); allow Bash(git push --force:*)",
            "Bash(git push --force:*)",
            RuleOddity::Unreachable,
        ),
        ("allow bash(ls)", "bash(ls)", RuleOddity::MatchesNothing),
        ("deny webfetch", "webfetch", RuleOddity::MatchesNothing),
        ("deny mcp__a__", "mcp__a__", RuleOddity::MatchesNothing),
        (
            "allow Edit(.git/**)",
            "Edit(.git/**)",
            RuleOddity::MatchesNothing,
        ),
        (
            "allow Write(/.vscode/tasks.json)",
            "Write(/.vscode/tasks.json)",
            RuleOddity::MatchesNothing,
        ),
        (
            "allow Edit(~/.bashrc)",
            "Edit(~/.bashrc)",
            RuleOddity::MatchesNothing,
        ),
        (
            "allow Bash(watch:*)",
            "Bash(watch:*)",
            RuleOddity::MatchesNothing,
        ),
        (
            "allow Bash(find . -exec:*)",
            "Bash(find . -exec:*)",
            RuleOddity::MatchesNothing,
        ),
        (
            "allow Bash(rm -rf /usr)",
            "Bash(rm -rf /usr)",
            RuleOddity::MatchesNothing,
        ),
        (
            "deny Bash(echo * > out:*)",
            "Bash(echo * > out:*)",
            RuleOddity::MatchesNothing,
        ),
        (
            "allow Read(/home/me/x/**)",
            "Read(/home/me/x/**)",
            RuleOddity::MatchesNothing,
        ),
    ] {
        assert_eq!(report(text), one(rule, kind), "{text}");
    }
    for text in [
        "deny WebFetch(domain:a.io); allow WebFetch(domain:x.a.io)",
        "deny WebFetch(domain:*.a.io); allow WebFetch(domain:a.io)",
        "deny WebFetch(domain:*.a.io); allow WebFetch(domain:*.ba.io)",
        "deny mcp__a__b; allow mcp__a",
        "deny mcp__a; allow mcp__ab__c",
        "deny mcp__a__get*; allow mcp__a__*",
        "deny Agent(x); allow Agent(y)",
        "deny Skill(pdf); allow Skill(pdf:*)",
        "deny Edit(/src/a.rs); allow Edit(/src/**)",
        "deny Edit(/src/**); allow Read(/src/**)",
        "deny Edit(/src/*.rs); allow Edit(/src/**)",
        "deny Read(/src/?.rs); allow Read(/src/*.rs)",
        "deny Read(./a); allow Read(~/a)",
        "deny Read(/a/b); allow Read(b)",
        "deny Read(/src/**/x); allow Read(/src/**)",
        "allow Edit(/src/**); allow Read(/src/**)",
        "allow Read(.env); deny Edit(.git/**)",
        "ask Bash(watch:*)",
        "allow Bash(watch cargo test)",
        "allow Bash(find . -name x -delete)",
        "allow Bash(grep '>' a:*)",
        "deny Bash(rm -rf /usr)",
    ] {
        assert_eq!(report(text), vec![], "{text}");
    }
    assert_eq!(
        report("deny Bash(command:rm)"),
        one("Bash(command:rm)", RuleOddity::MatchesNothing)
    );
}

#[test]
fn a_tool_that_is_denied_whole_need_not_be_offered() {
    let set = RuleSet::compile(rules("deny Bash(rm:*); deny Task; deny mcp__x; deny Web*"));
    assert!(!set.denies_tool("Bash", &[], None));
    assert!(set.denies_tool("Agent", &["Task".to_owned()], None));
    assert!(set.denies_tool("WebSearch", &[], None));
    assert!(set.denies_tool("mcp__x__y", &[], Some("x")));
    assert!(!set.denies_tool("mcp__xx__y", &[], Some("xx")));
    assert!(!set.denies_tool("mcp__x__y__z", &[], Some("x__y")));
}

#[test]
fn a_search_leaves_out_what_may_not_be_read() {
    let set = RuleSet::compile(rules("deny Read(.env); deny Edit(src/**)"));
    let denied = |path: &str, real: Option<&str>| {
        set.denies_reading(path.as_ref(), real.map(AsRef::as_ref), &workspace())
            .map(|entry: &RuleEntry| entry.rule.clone())
    };
    assert_eq!(
        denied("/w/project/a/.env", None),
        Some("Read(.env)".to_owned())
    );
    assert_eq!(denied("/w/project/src/a", None), None);
    assert_eq!(
        denied("/w/project/link", Some("/w/project/.env")),
        Some("Read(.env)".to_owned())
    );
}

#[test]
fn with_rule_adds_to_the_list_that_the_rule_names() {
    let set = RuleSet::compile(rules("deny Bash")).with_rule(entry(ALLOW, "Edit"));
    assert_eq!(set.entries().count(), 2);
    assert!(set.denies_tool("Bash", &[], None));
}
