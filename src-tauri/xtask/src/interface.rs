//! Building the UI.

use crate::outcome::Outcome;
use crate::process::{self, npm};
use std::path::Path;
use std::time::SystemTime;

/// What the built UI depends on, inside `ui/`.
const SOURCES: &[&str] = &[
    "index.html",
    "package-lock.json",
    "package.json",
    "public",
    "src",
    "tsconfig.json",
    "vite.config.ts",
];

/// Builds the UI unless what is built is newer than all its sources: each new
/// build has the app embed it again, which takes half a minute.
pub(crate) fn build() -> Outcome {
    let interface = crate::root().join("ui");
    let built = modified(&interface.join("dist/index.html"));
    let newest = SOURCES
        .iter()
        .filter_map(|source| newest(&interface.join(source)))
        .max();
    if built.is_some() && built > newest {
        println!("The built UI is newer than its sources.");
        return Ok(());
    }
    process::run(npm().args(["run", "--silent", "build"]))
}

fn modified(path: &Path) -> Option<SystemTime> {
    std::fs::metadata(path)
        .and_then(|metadata| metadata.modified())
        .ok()
}

/// When something under a path last changed; a removed file changes its folder.
fn newest(path: &Path) -> Option<SystemTime> {
    let own = modified(path)?;
    let inside = std::fs::read_dir(path).into_iter().flatten().flatten();
    inside
        .filter_map(|entry| newest(&entry.path()))
        .chain([own])
        .max()
}
