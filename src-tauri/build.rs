//! Hands the window's capabilities and permissions, which live beside the code
//! and not at the repository's root, to Tauri.

use std::path::Path;
use tauri_build::{AppManifest, Attributes};

fn main() {
    for watched in [
        "src-tauri/capabilities",
        "src-tauri/permissions",
        "ui/dist",
        "icons",
    ] {
        // A watched path that does not exist would rebuild the app every time.
        if Path::new(watched).exists() {
            println!("cargo:rerun-if-changed={watched}");
        }
    }
    let attributes = Attributes::new()
        .capabilities_path_pattern("./src-tauri/capabilities/**/*")
        .app_manifest(AppManifest::new().permissions_path_pattern("./src-tauri/permissions/**/*"));
    if let Err(error) = tauri_build::try_build(attributes) {
        println!("cargo:warning={error:#}");
        eprintln!("error: {error:#}");
        std::process::exit(1);
    }
}
