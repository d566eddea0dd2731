//! What a hostile page could reach: the commands, the answers, the window's own permissions.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use adroit_protocol::ErrorCode;
use adroit_protocol::command::FileComparison;
use adroit_testkit::{ScriptedModel, turn};
use serde_json::{Value, json};

use crate::desk::Desk;

macro_rules! names {
    ($($(#[$doc:meta])* $wire:literal $method:ident($input:ident) -> $output:ident;)*) => {
        /// Every command by its name.
        const COMMANDS: &[&str] = &[$($wire),*];
    };
}
adroit_protocol::command_table!(names);

fn root() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("..")
}

fn read_json(path: &Path) -> Value {
    serde_json::from_str(&std::fs::read_to_string(path).unwrap()).unwrap()
}

fn write(name: &str) -> Value {
    json!({"file_path": name, "content": "x"})
}

/// dv-gui-006: an answer counts for the one request that it came with, once.
#[tokio::test(flavor = "multi_thread")]
async fn guessed_and_replayed_answers_approve_nothing() {
    let model = ScriptedModel::start([
        turn().call("Write", write("one.txt")).end(),
        turn().call("Write", write("two.txt")).end(),
        turn().text("done").end(),
    ])
    .await;
    let mut desk = Desk::anthropic(&model, &[("a.txt", "")]).await;
    desk.say("go").await;
    let first = desk.allow_next().await;
    let second = desk
        .until("the second is asked", |state| {
            state.requests.iter().any(|request| request.id != first.id)
        })
        .await
        .requests
        .remove(0);
    assert_eq!(desk.project.read("one.txt"), "x");
    assert!(second.nonce.len() >= 32 && second.nonce != first.nonce);

    let mut of_the_first = second.clone();
    of_the_first.nonce.clone_from(&first.nonce);
    let mut empty = second.clone();
    empty.nonce.clear();
    let mut of_another = first.clone();
    of_another.nonce.clone_from(&second.nonce);
    for forged in [&first, &of_the_first, &empty, &of_another] {
        let refused = desk
            .answer(forged, json!({"type": "allow_once"}))
            .await
            .unwrap_err();
        assert_eq!(refused.code, ErrorCode::Stale);
    }
    let guessed =
        json!({"request": "req_1", "nonce": second.nonce, "answer": {"type": "allow_once"}});
    desk.on_session::<Value>("request.answer", guessed)
        .await
        .unwrap_err();
    let bare = json!({"request": second.id, "answer": {"type": "allow_once"}});
    desk.on_session::<Value>("request.answer", bare)
        .await
        .unwrap_err();
    desk.answer(&second, json!({"type": "deny"})).await.unwrap();
    desk.idle().await;
    assert!(!desk.project.exists("two.txt"));
}

/// dv-gui-006: no command writes a file that the page names, and only those of the workspace are read.
#[tokio::test(flavor = "multi_thread")]
async fn the_commands_are_those_that_were_looked_at_and_files_are_scoped() {
    let areas: BTreeSet<&str> = COMMANDS
        .iter()
        .filter_map(|name| name.split('.').next())
        .collect();
    // A new area is looked at for what a hostile page could do with it.
    let known = [
        "app",
        "call",
        "changes",
        "hooks",
        "inbox",
        "mode",
        "permissions",
        "place",
        "project",
        "provider",
        "queue",
        "request",
        "secret",
        "session",
        "settings",
        "terminal",
        "turn",
        "undo",
    ];
    assert_eq!(areas, BTreeSet::from(known));
    for name in COMMANDS {
        for word in ["approve", "file.", "read", "save", "exec", "run", "eval"] {
            assert!(
                !name.contains(word),
                "`{name}` sounds like more than the page may do"
            );
        }
    }

    let desk = Desk::offline(&[("a.txt", "alpha\n")]).await;
    for guessed in [
        "approve",
        "write_file",
        "file.write",
        "fs.read",
        "changes.write",
    ] {
        let refused = desk
            .rpc::<Value>(guessed, json!({"path": "a.txt", "text": "x"}))
            .await
            .unwrap_err();
        assert_eq!(refused.code, ErrorCode::NotFound, "{guessed}");
    }
    // Places are shown in the workspace only, whatever leads out of it.
    std::os::unix::fs::symlink("/etc/passwd", desk.project.path().join("link")).unwrap();
    for path in [
        "/etc/passwd",
        "../../../../etc/passwd",
        "~/.ssh/id_rsa",
        "link",
        "/dev/zero",
    ] {
        let place = json!({"path": path, "first": 1, "count": 10});
        desk.on_session::<Value>("place.view", place)
            .await
            .unwrap_err();
        let place = json!({"path": path, "position": null});
        desk.on_session::<Value>("place.edit", place)
            .await
            .unwrap_err();
    }
    // Files are compared where a call changed them, and nowhere else.
    for path in [
        "/etc/passwd",
        "../../../etc/passwd",
        "a.txt",
        "~/.ssh/id_rsa",
    ] {
        let query = json!({"scope": {"type": "session"}, "path": path});
        desk.on_session::<FileComparison>("changes.file", query)
            .await
            .unwrap_err();
    }
    assert_eq!(desk.project.read("a.txt"), "alpha\n");
}

/// dv-gui-006: the window may do two things of the app, open links, and open settings files.
#[test]
fn the_window_has_no_files_and_no_foreign_origin_has_the_window() {
    let folder = root().join("src-tauri/capabilities");
    let files: Vec<String> = std::fs::read_dir(&folder)
        .unwrap()
        .map(|entry| entry.unwrap().file_name().into_string().unwrap())
        .collect();
    assert_eq!(files, ["main.json"]);
    let capability = read_json(&folder.join("main.json"));
    assert_eq!(capability["windows"], json!(["main"]));
    assert_eq!(capability.get("remote"), None, "no foreign origin calls in");
    assert_eq!(capability.get("webviews"), None);
    let permissions = capability["permissions"].as_array().unwrap();
    let names: Vec<&str> = permissions
        .iter()
        .filter_map(|one| one.as_str().or_else(|| one["identifier"].as_str()))
        .collect();
    assert_eq!(
        names,
        [
            "allow-backend",
            "opener:allow-open-url",
            "opener:allow-open-path"
        ]
    );
    for scope in permissions[1]["allow"].as_array().unwrap() {
        // `file:` opens a file, and whatever else a desktop has a handler for.
        let url = scope["url"].as_str().unwrap();
        assert!(["https://*", "http://*"].contains(&url), "{url}");
    }
    for scope in permissions[2]["allow"].as_array().unwrap() {
        let path = Path::new(scope["path"].as_str().unwrap());
        let name = path.file_name().unwrap().to_str().unwrap();
        // The name is whole: a desktop runs some files when they are opened.
        assert!(name.ends_with(".json") && !name.contains('*'), "{path:?}");
        assert_eq!(scope.get("app"), None, "with the person's own editor");
    }

    let security = read_json(&root().join("tauri.conf.json"))["app"]["security"].take();
    assert_eq!(security["capabilities"], json!(["main"]));
    assert_eq!(
        security.get("assetProtocol"),
        None,
        "off unless it is named"
    );
    let policy = security["csp"].as_object().unwrap();
    assert_eq!(policy["default-src"], "'none'");
    for (directive, sources) in policy {
        let sources = sources.as_str().unwrap();
        for wide in ["asset:", "file:", "https:", "*", "unsafe-eval"] {
            assert!(!sources.contains(wide), "{directive} has {wide}");
        }
    }
    assert_eq!(policy["script-src"], "'self'");
    let manifest = std::fs::read_to_string(root().join("Cargo.toml")).unwrap();
    for plugin in ["tauri-plugin-fs", "tauri-plugin-shell", "tauri-plugin-http"] {
        assert!(!manifest.contains(plugin), "{plugin} gives the page more");
    }
    assert!(!manifest.contains("protocol-asset"));
}
