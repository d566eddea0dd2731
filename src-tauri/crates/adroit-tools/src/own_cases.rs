//! Cases that stand as data: a folder, calls with what they must say, and what is there afterwards.
//!
//! A line of `cases/own.jsonl` is one case. Its `steps` are calls of tools (`has`, `lacks`: parts of what the
//! model reads; `fails`: parts of the reason) and what other programs do in between.

use std::collections::BTreeMap;
use std::os::unix::fs::{FileTypeExt as _, PermissionsExt as _};
use std::path::Path;
use std::time::{Duration, UNIX_EPOCH};

use serde::Deserialize;
use serde_json::Value;

use crate::tests::Project;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Case {
    id: String,
    area: String,
    title: String,
    #[serde(default)]
    files: BTreeMap<String, Content>,
    /// Links by name, with where they lead.
    #[serde(default)]
    links: BTreeMap<String, String>,
    /// Permission bits, octal.
    #[serde(default)]
    modes: BTreeMap<String, String>,
    #[serde(default)]
    fifos: Vec<String>,
    steps: Vec<Step>,
    #[serde(default)]
    after: BTreeMap<String, Content>,
    #[serde(default)]
    absent: Vec<String>,
    /// All the names in a folder: of links with `@`, of files whose bits matter with `=755`.
    #[serde(default)]
    names: BTreeMap<String, Vec<String>>,
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Content {
    Text(String),
    Hex { hex: String },
}

impl Content {
    fn bytes(&self) -> Vec<u8> {
        match self {
            Self::Text(text) => text.clone().into_bytes(),
            Self::Hex { hex } => (0..hex.len())
                .step_by(2)
                .map(|at| u8::from_str_radix(&hex[at..at + 2], 16).unwrap())
                .collect(),
        }
    }
}

#[derive(Deserialize)]
#[serde(untagged)]
enum Step {
    Call {
        call: String,
        input: Value,
        #[serde(default)]
        has: Vec<String>,
        #[serde(default)]
        lacks: Vec<String>,
        fails: Option<Vec<String>>,
    },
    Outside {
        outside: BTreeMap<String, Content>,
    },
    Touch {
        /// Seconds since 1970.
        touch: BTreeMap<String, u64>,
    },
}

/// What a case got wrong.
async fn troubles(case: &Case) -> Vec<String> {
    let project = Project::new();
    let at = |name: &str| project.root.join(name);
    for (name, content) in &case.files {
        project.write(name, &content.bytes());
    }
    for (name, target) in &case.links {
        std::os::unix::fs::symlink(target, at(name)).unwrap();
    }
    for (name, mode) in &case.modes {
        let mode = u32::from_str_radix(mode, 8).unwrap();
        std::fs::set_permissions(at(name), std::fs::Permissions::from_mode(mode)).unwrap();
    }
    for name in &case.fifos {
        let made = std::process::Command::new("mkfifo")
            .arg(at(name))
            .status()
            .unwrap();
        assert!(made.success());
    }
    let mut troubles = Vec::new();
    for (index, step) in case.steps.iter().enumerate() {
        match step {
            Step::Call {
                call,
                input,
                has,
                lacks,
                fails,
            } => {
                let input = input
                    .to_string()
                    .replace("$ROOT", &project.root.display().to_string());
                let done = project
                    .call(call, serde_json::from_str(&input).unwrap())
                    .await;
                let (text, wanted) = match (&done, fails) {
                    (Ok(done), None) => (done.text.clone(), has),
                    (Err(failure), Some(reasons)) => (failure.message.clone(), reasons),
                    (Ok(done), Some(_)) => {
                        troubles.push(format!("step {index} did not fail: {}", done.text));
                        continue;
                    }
                    (Err(failure), None) => {
                        troubles.push(format!("step {index} failed: {}", failure.message));
                        continue;
                    }
                };
                for part in wanted.iter().filter(|part| !text.contains(part.as_str())) {
                    troubles.push(format!("step {index} does not say {part:?}: {text}"));
                }
                for part in lacks.iter().filter(|part| text.contains(part.as_str())) {
                    troubles.push(format!("step {index} says {part:?}: {text}"));
                }
                if text.contains('\0') {
                    troubles.push(format!("step {index} says a NUL"));
                }
            }
            Step::Outside { outside } => {
                for (name, content) in outside {
                    project.write(name, &content.bytes());
                }
            }
            Step::Touch { touch } => {
                for (name, seconds) in touch {
                    let file = std::fs::File::options().write(true).open(at(name)).unwrap();
                    file.set_modified(UNIX_EPOCH + Duration::from_secs(*seconds))
                        .unwrap();
                }
            }
        }
    }
    for (name, content) in &case.after {
        let now = std::fs::read(at(name)).unwrap_or_default();
        if now != content.bytes() {
            troubles.push(format!("{name} is {:?}", String::from_utf8_lossy(&now)));
        }
    }
    troubles.extend(
        case.absent
            .iter()
            .filter(|name| at(name).exists())
            .map(|name| format!("{name} exists")),
    );
    for (folder, wanted) in &case.names {
        let now = named(&at(folder), wanted);
        if now != *wanted {
            troubles.push(format!("{folder} holds {now:?}"));
        }
    }
    troubles
}

fn named(folder: &Path, wanted: &[String]) -> Vec<String> {
    let mut names: Vec<String> = std::fs::read_dir(folder)
        .unwrap()
        .map(|entry| {
            let entry = entry.unwrap();
            let facts = entry.path().symlink_metadata().unwrap();
            let name = entry.file_name().to_string_lossy().into_owned();
            let bits = format!("{name}={:o}", facts.permissions().mode() & 0o7777);
            if facts.file_type().is_symlink() {
                format!("{name}@")
            } else if wanted.contains(&bits) {
                bits
            } else {
                assert!(!facts.file_type().is_socket());
                name
            }
        })
        .collect();
    names.sort();
    names
}

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn every_case_comes_out_as_it_is_labelled() {
    let mut failed = Vec::new();
    let mut known = std::collections::BTreeSet::new();
    for line in include_str!("../cases/own.jsonl").lines() {
        let case: Case = serde_json::from_str(line).unwrap();
        assert!(known.insert(case.id.clone()), "{} stands twice", case.id);
        assert!(["edit-write", "read", "grep-glob"].contains(&case.area.as_str()));
        for trouble in troubles(&case).await {
            failed.push(format!("{} ({}): {trouble}", case.id, case.title));
        }
    }
    assert!(known.len() >= 80, "only {} cases", known.len());
    assert!(failed.is_empty(), "{}", failed.join("\n"));
}
