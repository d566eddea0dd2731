//! Who may depend on whom.

use super::Complaint;
use super::files::Files;
use super::metadata::Member;

/// Each member with what it may depend on among the members. Every arrow goes
/// from a later line to an earlier one, so that there can be no circle.
const ARROWS: &[(&str, &[&str])] = &[
    ("adroit-protocol", &[]),
    ("adroit-shell", &["adroit-protocol"]),
    ("adroit-process", &["adroit-protocol"]),
    ("adroit-workspace", &["adroit-protocol"]),
    (
        "adroit-checkpoints",
        &["adroit-protocol", "adroit-workspace"],
    ),
    ("adroit-model", &["adroit-protocol"]),
    ("adroit-permissions", &["adroit-protocol", "adroit-shell"]),
    ("adroit-tool", &["adroit-permissions", "adroit-protocol"]),
    (
        "adroit-hooks",
        &[
            "adroit-permissions",
            "adroit-process",
            "adroit-protocol",
            "adroit-shell",
            "adroit-tool",
        ],
    ),
    (
        "adroit-mcp",
        &["adroit-permissions", "adroit-protocol", "adroit-tool"],
    ),
    (
        "adroit-tools",
        &[
            "adroit-permissions",
            "adroit-process",
            "adroit-protocol",
            "adroit-shell",
            "adroit-tool",
            "adroit-workspace",
        ],
    ),
    (
        "adroit-engine",
        &[
            "adroit-hooks",
            "adroit-mcp",
            "adroit-permissions",
            "adroit-protocol",
            "adroit-shell",
            "adroit-tool",
            "adroit-tools",
            "adroit-workspace",
        ],
    ),
    (
        "adroit-session",
        &[
            "adroit-checkpoints",
            "adroit-engine",
            "adroit-hooks",
            "adroit-mcp",
            "adroit-model",
            "adroit-permissions",
            "adroit-process",
            "adroit-protocol",
            "adroit-shell",
            "adroit-tool",
            "adroit-tools",
            "adroit-workspace",
        ],
    ),
    (
        "adroit-host",
        &[
            "adroit-checkpoints",
            "adroit-engine",
            "adroit-model",
            "adroit-permissions",
            "adroit-process",
            "adroit-protocol",
            "adroit-session",
            "adroit-shell",
            "adroit-tool",
            "adroit-tools",
            "adroit-workspace",
        ],
    ),
    (
        "adroit-cli",
        &[
            "adroit-host",
            "adroit-model",
            "adroit-permissions",
            "adroit-protocol",
            "adroit-session",
            "adroit-shell",
        ],
    ),
    ("adroit-devserver", &["adroit-host", "adroit-protocol"]),
    // The desktop app: a window over the host and nothing more.
    ("adroit", &["adroit-host", "adroit-protocol"]),
    // Targets of fuzzing know the parsers, and nothing knows them.
    (
        "adroit-fuzz",
        &[
            "adroit-engine",
            "adroit-permissions",
            "adroit-protocol",
            "adroit-session",
            "adroit-shell",
            "adroit-workspace",
        ],
    ),
    // Support of tests may know everything, and only tests may know it.
    (
        "adroit-testkit",
        &[
            "adroit-engine",
            "adroit-model",
            "adroit-permissions",
            "adroit-protocol",
            "adroit-session",
            "adroit-tool",
            "adroit-tools",
            "adroit-workspace",
        ],
    ),
    ("adroit-tests", &[]),
    ("xtask", &[]),
];

/// The desktop framework, which the root package alone may name.
const FRAMEWORK: &str = "tauri";

/// Complains about arrows that are not in the table.
pub(super) fn arrows(members: &[Member]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for member in members {
        let place = format!("{}/Cargo.toml", member.folder);
        let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == member.name) else {
            let text = format!(
                "`{}` has no line in xtask/src/tidy/boundaries.rs",
                member.name
            );
            complaints.push(Complaint::new(place, text));
            continue;
        };
        let among_members = member
            .dependencies
            .iter()
            .filter(|name| members.iter().any(|other| other.name == **name));
        for name in among_members.filter(|name| !allowed.contains(&name.as_str())) {
            complaints.push(Complaint::new(
                place.as_str(),
                format!(
                    "`{}` must not depend on `{name}` (design: one direction)",
                    member.name
                ),
            ));
        }
    }
    complaints
}

/// Complains about members without their line of purpose in the root manifest.
pub(super) fn ledger(members: &[Member], manifest: &str) -> Vec<Complaint> {
    let has_purpose = |folder: &str| {
        manifest.lines().any(|line| {
            let line = line.trim();
            line.strip_prefix(&format!("\"{folder}\","))
                .and_then(|rest| rest.trim().strip_prefix('#'))
                .is_some_and(|purpose| !purpose.trim().is_empty())
        })
    };
    members
        .iter()
        .filter(|member| !member.folder.is_empty() && !has_purpose(&member.folder))
        .map(|member| {
            let text = format!("`{}` has no purpose line in `members`", member.folder);
            Complaint::new("Cargo.toml", text)
        })
        .collect()
}

/// Complains about the desktop framework outside its two places.
pub(super) fn framework(files: &Files, members: &[Member]) -> Vec<Complaint> {
    let mut complaints = Vec::new();
    for member in members.iter().filter(|member| !member.folder.is_empty()) {
        for name in &member.all_dependencies {
            if name == FRAMEWORK || name.starts_with("tauri-") {
                let text = format!("`{name}` belongs to the root package alone");
                complaints.push(Complaint::new(
                    format!("{}/Cargo.toml", member.folder),
                    text,
                ));
            }
        }
    }
    for (path, text) in files.ending(&[".ts", ".tsx"]) {
        if path.starts_with("ui/src/") && !path.starts_with("ui/src/host/") {
            for (index, line) in text.lines().enumerate() {
                if line.contains("@tauri-apps/") || line.contains("__TAURI") {
                    complaints.push(Complaint::new(
                        format!("{path}:{}", index + 1),
                        "the framework is named in ui/src/host alone",
                    ));
                }
            }
        }
    }
    complaints
}

#[cfg(test)]
mod tests {
    use super::*;

    fn member(name: &str, dependencies: &[&str]) -> Member {
        let dependencies: Vec<String> = dependencies.iter().map(|&name| name.into()).collect();
        Member {
            name: name.into(),
            folder: format!("src-tauri/crates/{name}"),
            all_dependencies: dependencies.clone(),
            dependencies,
            benches: Vec::new(),
        }
    }

    #[test]
    fn the_table_has_no_circle() {
        for (index, (name, allowed)) in ARROWS.iter().enumerate() {
            for other in *allowed {
                let known = ARROWS.iter().position(|(candidate, _)| candidate == other);
                assert!(
                    known.is_some_and(|place| place < index),
                    "{name} -> {other}"
                );
            }
        }
    }

    #[test]
    fn an_arrow_upwards_is_found() {
        let good = [
            member("adroit-protocol", &["serde"]),
            member("adroit-shell", &["adroit-protocol"]),
        ];
        assert_eq!(arrows(&good), []);
        let bad = [
            member("adroit-protocol", &["adroit-shell"]),
            member("adroit-shell", &[]),
        ];
        assert_eq!(arrows(&bad).len(), 1);
        assert_eq!(arrows(&[member("adroit-new", &[])]).len(), 1);
    }

    #[test]
    fn a_member_needs_its_purpose() {
        let members = [member("a", &[])];
        assert_eq!(
            ledger(&members, "  \"src-tauri/crates/a\",   # does a\n"),
            []
        );
        assert_eq!(ledger(&members, "  \"src-tauri/crates/a\",\n").len(), 1);
        assert_eq!(ledger(&members, "  \"src-tauri/crates/a\", #\n").len(), 1);
    }

    #[test]
    fn the_framework_stays_in_its_places() {
        let import = "import { invoke } from \"@tauri-apps/api/core\";\n";
        let files = Files::of(&[
            ("ui/src/host/tauri.ts", import),
            ("ui/src/store/a.ts", import),
        ]);
        assert_eq!(framework(&files, &[]).len(), 1);
        assert_eq!(
            framework(&Files::of(&[]), &[member("adroit-host", &["tauri"])]).len(),
            1
        );
    }
}
