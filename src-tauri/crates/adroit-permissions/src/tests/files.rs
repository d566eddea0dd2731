//! Files, addresses, servers, agents: everything but shell commands.

use adroit_protocol::permission::Mode;
use serde_json::json;

use super::support::{
    ALLOW, ASK, DENY, behavior, call, call_in, edit, in_mode, linked, read, reason, workspace,
};

#[test]
fn read_rules_and_their_anchors() {
    for (rules, path, expected) in [
        ("", "/w/project/src/a.rs", ALLOW),
        ("", "src/a.rs", ALLOW),
        ("", "/w/shared/a.rs", ALLOW),
        ("", "/w/project2/a.rs", ASK),
        ("", "/w/project/../project2/a", ASK),
        ("", "/etc/hosts", ASK),
        ("", "/home/dev/.local/share/adroit/results/1.txt", ALLOW),
        ("allow Read", "/etc/hosts", ALLOW),
        ("allow Read(//etc/hosts)", "/etc/hosts", ALLOW),
        ("allow Read(/etc/hosts)", "/etc/hosts", ASK),
        ("allow Read(//etc/**)", "/etc/ssl/a.pem", ALLOW),
        ("allow Read(//etc/*)", "/etc/ssl/a.pem", ASK),
        ("allow Read(~/notes/*.md)", "/home/dev/notes/a.md", ALLOW),
        ("allow Read(~/notes/*.md)", "/home/dev/notes/b/a.md", ASK),
        ("allow Read(~/notes/**)", "/home/dev/notes/b/a.md", ALLOW),
        ("allow Read(~/notes/**)", "/home/other/notes/a.md", ASK),
        ("deny Read(.env)", "/w/project/.env", DENY),
        ("deny Read(.env)", "/w/project/a/b/.env", DENY),
        ("deny Read(.env)", "/w/project/.env.example", ALLOW),
        ("deny Read(.env)", "/w/other/.env", ASK),
        ("deny Read(//**/.env)", "/w/other/.env", DENY),
        ("deny Read(./.env)", "/w/project/.env", DENY),
        ("deny Read(./.env)", "/w/project/a/.env", ALLOW),
        ("deny Read(**/.env)", "/w/project/a/b/.env", DENY),
        ("deny Read(.env*)", "/w/project/a/.env.local", DENY),
        ("deny Read(*.pem)", "/w/project/keys/a.pem", DENY),
        ("deny Read(secrets/**)", "/w/project/secrets/a/b", DENY),
        ("deny Read(secrets/**)", "/w/project/lib/secrets/a", DENY),
        ("ask Read(secrets/**)", "/w/project/lib/secrets/a", ASK),
        ("deny Read(/secrets/**)", "/w/project/lib/secrets/a", ALLOW),
        ("deny Read(/secrets/**)", "/w/project/secrets/a", DENY),
        (
            "deny Read(src/secrets/**)",
            "/w/project/src/secrets/a",
            DENY,
        ),
        (
            "deny Read(src/secrets/**)",
            "/w/project/lib/src/secrets/a",
            ALLOW,
        ),
        ("deny Read(secrets/)", "/w/project/lib/secrets/a", DENY),
        ("deny Read(secrets)", "/w/project/lib/secrets/a", DENY),
        ("deny Read(secrets/*)", "/w/project/secrets/a/b", DENY),
        (
            "deny Read(src/**/private.ts)",
            "/w/project/src/private.ts",
            DENY,
        ),
        (
            "deny Read(src/**/private.ts)",
            "/w/project/src/a/b/private.ts",
            DENY,
        ),
        ("deny Read(~/.ssh/**)", "/home/dev/.ssh/config", DENY),
        ("deny Read(~/.ssh/**)", "/w/project/.ssh/config", ALLOW),
        ("deny Read(~)", "/home/dev/x", DENY),
        ("deny Read(//)", "/etc/hosts", DENY),
        ("deny Read(../other/**)", "/w/other/x", DENY),
        ("deny Read(data[0-9].txt)", "/w/project/data7.txt", DENY),
        ("deny Read(data[0-9].txt)", "/w/project/datax.txt", ALLOW),
        ("deny Read(a?c)", "/w/project/abc", DENY),
        ("allow Read(.env); deny Read(.env)", "/w/project/.env", DENY),
        (
            "ask Read(src/**); allow Read(src/a.rs)",
            "/w/project/src/a.rs",
            ASK,
        ),
        ("deny Read", "/w/project/a", DENY),
        // The tool name is read as it is written.
        ("deny read(.env)", "/w/project/.env", ALLOW),
    ] {
        assert_eq!(behavior(rules, read(path)), expected, "{rules} | {path}");
    }
}

#[test]
fn edit_rules_cover_every_editing_tool() {
    for (rules, path, expected) in [
        ("", "/w/project/src/a.rs", ASK),
        ("allow Edit", "/w/project/src/a.rs", ALLOW),
        ("allow Edit(src/**)", "/w/project/src/x/a.rs", ALLOW),
        (
            "allow Edit(tests/**)",
            "/w/project/packages/api/tests/a.ts",
            ASK,
        ),
        ("allow Edit(/src/**/*.ts)", "/w/project/src/x/a.ts", ALLOW),
        ("allow Edit(/src/**/*.ts)", "/w/project/src/x/a.js", ASK),
        ("allow Edit(*.md)", "/w/project/docs/a.md", ALLOW),
        ("allow Edit(README.md)", "/w/project/docs/README.md", ALLOW),
        ("allow Edit(docs)", "/w/project/docs/a.md", ASK),
        ("allow Edit(docs/*)", "/w/project/docs/x/a.md", ASK),
        ("allow Edit(docs/)", "/w/project/x/docs/a.md", ASK),
        ("allow Edit(docs/)", "/w/project/docs/a.md", ALLOW),
        ("allow Edit(**)", "/w/project/docs/a.md", ALLOW),
        ("allow Edit(**)", "/w/other/a.md", ASK),
        ("allow Edit(//w/other/**)", "/w/other/a.md", ALLOW),
        (
            "deny Edit(package-lock.json)",
            "/w/project/a/package-lock.json",
            DENY,
        ),
        (
            "allow Edit; deny Edit(src/gen/**)",
            "/w/project/src/gen/a.ts",
            DENY,
        ),
        ("allow Edit; ask Edit(*.toml)", "/w/project/Cargo.toml", ASK),
        ("allow Edit; deny Read(.env)", "/w/project/.env", DENY),
        ("allow Edit; ask Read(.env)", "/w/project/.env", ASK),
        ("deny Edit", "/w/project/a", DENY),
        ("allow Read", "/w/project/a", ASK),
        // Protected, whatever the rules say.
        (
            "allow Edit(.vscode/**)",
            "/w/project/.vscode/tasks.json",
            ASK,
        ),
        ("allow Edit", "/w/project/.git/hooks/pre-commit", ASK),
        ("allow Edit", "/w/project/sub/.git/config", ASK),
        ("allow Edit", "/w/project/.GIT/config", ASK),
        ("allow Edit", "/w/project/.g\u{200c}it/config", ASK),
        ("allow Edit", "/w/project/.claude/settings.json", ASK),
        ("allow Edit", "/w/project/.adroit/settings.json", ASK),
        ("allow Edit", "/w/project/.husky/pre-push", ASK),
        ("allow Edit", "/w/project/.envrc", ASK),
        ("allow Edit", "/w/project/.mcp.json", ASK),
        // They name the folder from which `cargo --version` runs its program.
        ("allow Edit", "/w/project/rust-toolchain.toml", ASK),
        ("allow Edit", "/w/project/sub/rust-toolchain", ASK),
        ("allow Edit", "/w/project/.tool-versions", ASK),
        ("allow Edit(~/.bashrc)", "/home/dev/.bashrc", ASK),
        (
            "allow Edit(~/**)",
            "/home/dev/.config/fish/config.fish",
            ASK,
        ),
        ("allow Edit", "/w/project/.gitignore", ALLOW),
        ("allow Edit", "/w/project/.github/workflows/a.yml", ALLOW),
        ("deny Edit(.git/**)", "/w/project/.git/config", DENY),
    ] {
        let tools = ["Edit", "Write", "MultiEdit"];
        for tool in tools {
            let facts = call(tool, json!({ "file_path": path }));
            assert_eq!(behavior(rules, facts), expected, "{tool} {rules} | {path}");
        }
        let notebook = call("NotebookEdit", json!({ "notebook_path": path }));
        assert_eq!(behavior(rules, notebook), expected, "{rules} | {path}");
    }
}

#[test]
fn a_rule_for_one_editing_tool_is_for_that_tool() {
    let write = || call("Write", json!({ "file_path": "/w/project/a" }));
    assert_eq!(behavior("deny Write", write()), DENY);
    assert_eq!(behavior("deny Write", edit("/w/project/a")), ASK);
    assert_eq!(behavior("allow Write(a)", write()), ALLOW);
    assert_eq!(behavior("allow Write(a)", edit("/w/project/a")), ASK);
}

#[test]
fn the_apps_own_data_is_never_written() {
    let path = "/home/dev/.local/share/adroit/transcripts/1.jsonl";
    for mode in Mode::ALL {
        assert_eq!(in_mode(mode, "allow Edit", edit(path)), DENY, "{mode:?}");
    }
}

#[test]
fn links_open_nothing() {
    for (rules, facts, expected) in [
        ("", linked(read("/w/project/key"), "/home/dev/.ssh/id"), ASK),
        ("", linked(read("/w/project/a"), "/w/project/b"), ALLOW),
        (
            "deny Read(~/.ssh/**)",
            linked(read("/w/project/key"), "/home/dev/.ssh/id"),
            DENY,
        ),
        (
            "deny Read(key)",
            linked(read("/w/project/key"), "/w/project/b"),
            DENY,
        ),
        (
            "allow Read(key)",
            linked(read("/w/project/key"), "/home/dev/.ssh/id"),
            ASK,
        ),
        (
            "allow Edit(src/**)",
            linked(edit("/w/project/src/a"), "/w/project/lib/a"),
            ASK,
        ),
        (
            "allow Edit(src/**)",
            linked(edit("/w/project/src/a"), "/w/project/src/b"),
            ALLOW,
        ),
        (
            "allow Edit",
            linked(edit("/w/project/hook"), "/w/project/.git/hooks/x"),
            ASK,
        ),
    ] {
        assert_eq!(
            behavior(rules, facts.clone()),
            expected,
            "{rules} {facts:?}"
        );
    }
    let away = linked(edit("/w/project/a"), "/etc/passwd");
    assert_eq!(in_mode(Mode::AcceptEdits, "", away), ASK);
    let text = reason("", linked(read("/w/project/key"), "/home/dev/.ssh/id"));
    assert_eq!(
        text,
        "reads outside the workspace: `/w/project/key` leads to `/home/dev/.ssh/id`"
    );
}

#[test]
fn searches() {
    for (rules, tool, input, expected) in [
        ("", "Glob", json!({"pattern": "**/*.rs"}), ALLOW),
        ("", "Glob", json!({"pattern": "../*"}), ASK),
        ("", "Glob", json!({"pattern": "/etc/*"}), ASK),
        ("", "Glob", json!({"pattern": "/**/passwd"}), ASK),
        ("", "Glob", json!({"pattern": "~/x/*"}), ASK),
        ("", "Glob", json!({"pattern": "*/../../../etc/*"}), ASK),
        ("", "Glob", json!({"pattern": "/w/project/src/*.c"}), ALLOW),
        ("", "Grep", json!({"pattern": "x"}), ALLOW),
        ("", "Grep", json!({"pattern": "x", "path": "/etc"}), ASK),
        (
            "allow Read(//etc/**)",
            "Grep",
            json!({"pattern": "x", "path": "/etc"}),
            ALLOW,
        ),
        (
            "deny Read(secrets/**)",
            "Grep",
            json!({"pattern": "x", "path": "secrets"}),
            DENY,
        ),
        (
            "deny Read(secrets/**)",
            "Glob",
            json!({"pattern": "secrets/*"}),
            DENY,
        ),
        ("deny Grep", "Grep", json!({"pattern": "x"}), DENY),
        ("deny Grep", "Glob", json!({"pattern": "x"}), ALLOW),
        ("deny Read", "Glob", json!({"pattern": "x"}), DENY),
    ] {
        assert_eq!(
            behavior(rules, call(tool, input.clone())),
            expected,
            "{rules} {input}"
        );
    }
}

#[test]
fn relative_rules_follow_the_working_directory_and_denials_stay() {
    let mut elsewhere = workspace();
    elsewhere.cwd = "/w/project/packages/api".into();
    let decide_there = |rules: &str, path: &str| {
        let facts = call_in("Edit", json!({ "file_path": path }), &elsewhere);
        let mut snapshot = super::support::snapshot(Mode::Default, super::support::rules(rules));
        snapshot.workspace = elsewhere.clone();
        crate::decide(&snapshot, facts).behavior()
    };
    assert_eq!(
        decide_there("allow Edit(src/**)", "/w/project/packages/api/src/a"),
        ALLOW
    );
    assert_eq!(decide_there("allow Edit(src/**)", "/w/project/src/a"), ASK);
    assert_eq!(decide_there("deny Edit(/src/**)", "/w/project/src/a"), DENY);
    // `cd` does not carry a call out of a denial.
    assert_eq!(decide_there("deny Edit(a.lock)", "/w/project/a.lock"), DENY);
}

#[test]
fn hosts_servers_agents_skills() {
    let fetch = |url: &str| call("WebFetch", json!({ "url": url, "prompt": "x" }));
    let mcp = |tool: &str| call(tool, json!({}));
    let agent = |kind: &str| call("Agent", json!({ "subagent_type": kind, "model": "opus" }));
    let skill = |name: &str| call("Skill", json!({ "skill": name }));
    for (rules, facts, expected) in [
        ("", fetch("https://a.example/"), ASK),
        ("allow WebFetch", fetch("https://a.example/"), ALLOW),
        (
            "allow WebFetch(domain:a.example)",
            fetch("https://a.example/x"),
            ALLOW,
        ),
        (
            "allow WebFetch(domain:a.example)",
            fetch("https://a.example.evil.net/"),
            ASK,
        ),
        (
            "allow WebFetch(domain:a.example)",
            fetch("https://b.a.example/"),
            ASK,
        ),
        (
            "allow WebFetch(domain:*.a.example)",
            fetch("https://b.a.example/"),
            ALLOW,
        ),
        (
            "allow WebFetch(domain:*.a.example)",
            fetch("https://a.example/"),
            ASK,
        ),
        (
            "deny WebFetch(domain:*.evil.net); allow WebFetch",
            fetch("https://x.evil.net"),
            DENY,
        ),
        ("deny WebFetch(domain:a.example)", fetch("no address"), DENY),
        ("allow WebFetch(domain:*)", fetch("file:///etc/passwd"), ASK),
        (
            "allow WebFetch(https://a.example)",
            fetch("https://a.example"),
            ASK,
        ),
        ("allow mcp__jira", mcp("mcp__jira__get_issue"), ALLOW),
        ("allow mcp__jira__*", mcp("mcp__jira__get_issue"), ALLOW),
        ("allow mcp__jira__get_*", mcp("mcp__jira__get_issue"), ALLOW),
        (
            "allow mcp__jira__get_*",
            mcp("mcp__jira__delete_issue"),
            ASK,
        ),
        (
            "allow mcp__jira__get_issue",
            mcp("mcp__jira__get_issue"),
            ALLOW,
        ),
        ("allow mcp__jira__get", mcp("mcp__jira__get_issue"), ASK),
        ("allow mcp__ji", mcp("mcp__jira__get_issue"), ASK),
        ("allow mcp__*", mcp("mcp__jira__get_issue"), ASK),
        ("allow *", mcp("mcp__jira__get_issue"), ASK),
        ("allow mcp__*__get_issue", mcp("mcp__jira__get_issue"), ASK),
        ("deny mcp__*", mcp("mcp__jira__get_issue"), DENY),
        ("deny *", read("/w/project/a"), DENY),
        (
            "ask mcp__jira__delete*; allow mcp__jira",
            mcp("mcp__jira__delete_issue"),
            ASK,
        ),
        (
            "deny mcp__jira__delete_issue; allow mcp__jira",
            mcp("mcp__jira__delete_issue"),
            DENY,
        ),
        (
            "deny mcp__jira; allow mcp__jira__get",
            mcp("mcp__jira__get"),
            DENY,
        ),
        ("", agent("Explore"), ASK),
        ("", agent("explore"), ALLOW),
        ("deny Agent(explore)", agent("explore"), DENY),
        ("ask Agent", agent("explore"), ASK),
        ("allow Agent", agent("Explore"), ALLOW),
        ("allow Agent(Explore)", agent("Explore"), ALLOW),
        ("allow Agent(Explore)", agent("Explorer"), ASK),
        ("allow Task(Explore)", agent("Explore"), ALLOW),
        ("deny Task(Explore); allow Agent", agent("Explore"), DENY),
        (
            "deny Agent(model:opus); allow Agent",
            agent("Explore"),
            DENY,
        ),
        (
            "deny Agent(model:haiku); allow Agent",
            agent("Explore"),
            ALLOW,
        ),
        ("allow Agent(model:opus)", agent("Explore"), ASK),
        ("allow Skill(commit)", skill("commit"), ALLOW),
        ("allow Skill(commit)", skill("commit-all"), ASK),
        ("allow Skill(review:*)", skill("review pr"), ALLOW),
        ("deny Skill(deploy)", skill("deploy"), DENY),
        ("", call("TodoWrite", json!({})), ASK),
        ("allow TodoWrite", call("TodoWrite", json!({})), ALLOW),
        ("allow TodoWrite(x)", call("TodoWrite", json!({})), ASK),
    ] {
        assert_eq!(
            behavior(rules, facts.clone()),
            expected,
            "{rules} | {facts:?}"
        );
    }
}

#[test]
fn a_server_does_not_borrow_the_name_of_another() {
    let mut facts = call("mcp__jira__x__get", json!({}));
    facts.subject = crate::Subject::Mcp {
        server: "jira__x".to_owned(),
        tool: "get".to_owned(),
    };
    assert_eq!(behavior("allow mcp__jira__*", facts.clone()), ASK);
    assert_eq!(behavior("allow mcp__jira", facts.clone()), ASK);
    assert_eq!(behavior("deny mcp__jira__*", facts.clone()), DENY);
    assert_eq!(behavior("allow mcp__jira__x__*", facts), ALLOW);
}

#[test]
fn modes() {
    let inside = || edit("/w/project/src/a.rs");
    let outside = || edit("/w/other/a.rs");
    let fetch = || call("WebFetch", json!({ "url": "https://a.example" }));
    for (mode, facts, expected) in [
        (Mode::Default, inside(), ASK),
        (Mode::AcceptEdits, inside(), ALLOW),
        (Mode::AcceptEdits, outside(), ASK),
        (Mode::AcceptEdits, edit("/w/project/.git/config"), ASK),
        (Mode::AcceptEdits, fetch(), ASK),
        (Mode::Plan, inside(), ASK),
        (Mode::Plan, read("/w/project/a"), ALLOW),
        (Mode::Auto, inside(), ASK),
        (Mode::Auto, read("/w/project/a"), ALLOW),
        (Mode::BypassPermissions, outside(), ALLOW),
        (Mode::BypassPermissions, edit("/w/project/.git/config"), ASK),
        (Mode::BypassPermissions, fetch(), ALLOW),
        (Mode::DontAsk, inside(), DENY),
        (Mode::DontAsk, read("/w/project/a"), ALLOW),
        (Mode::DontAsk, read("/etc/hosts"), DENY),
        (Mode::DontAsk, edit("/w/project/.git/config"), DENY),
    ] {
        assert_eq!(
            in_mode(mode, "", facts.clone()),
            expected,
            "{mode:?} {facts:?}"
        );
    }
    assert_eq!(
        in_mode(Mode::DontAsk, "allow Edit(src/**)", inside()),
        ALLOW
    );
    assert_eq!(in_mode(Mode::DontAsk, "ask Edit(src/**)", inside()), DENY);
    assert_eq!(in_mode(Mode::Plan, "allow Edit(src/**)", inside()), ASK);
    assert_eq!(in_mode(Mode::BypassPermissions, "ask Edit", inside()), ASK);
    assert_eq!(
        in_mode(Mode::BypassPermissions, "deny Edit", inside()),
        DENY
    );
}

#[test]
fn auto_says_that_it_has_no_classifier() {
    let snapshot = super::support::snapshot(Mode::Auto, Vec::new());
    let text = crate::decide(&snapshot, edit("/w/project/a"))
        .summary()
        .reason;
    assert_eq!(text, "writes `/w/project/a`");
}

#[test]
fn bypass_needs_to_be_available() {
    let mut snapshot = super::support::snapshot(Mode::BypassPermissions, Vec::new());
    snapshot.bypass_available = false;
    assert_eq!(
        crate::decide(&snapshot, edit("/w/project/a")).behavior(),
        ASK
    );
}
