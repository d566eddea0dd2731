//! Folders: opening them, trusting them.

use std::path::{Path, PathBuf};

use adroit_protocol::command::{AppState, Project, Trust};
use adroit_protocol::event::Event;
use adroit_protocol::permission::RuleSource;
use adroit_protocol::{ErrorCode, WireError};
use adroit_session::projects::{name, resolve};

use super::{Answer, failed};
use crate::App;

/// Files of a folder that speak to the model once it is trusted.
const INSTRUCTIONS: [&str; 2] = ["AGENTS.md", "CLAUDE.md"];

pub(super) fn app_state(app: &App) -> AppState {
    AppState {
        version: env!("CARGO_PKG_VERSION").to_owned(),
        desktop: app.inner.host.is_desktop(),
        start_folder: app
            .inner
            .start_folder
            .as_ref()
            .map(|path| path.display().to_string()),
        recent: app.inner.shared.projects.recent(),
    }
}

pub(super) fn open(app: &App, path: &str) -> Answer<Project> {
    let folder = folder(app, path)?;
    app.inner.shared.projects.opened(&folder).map_err(failed)?;
    app.inner.watch.add(
        app.inner
            .shared
            .settings
            .files(Some(&folder))
            .into_iter()
            .map(|(_, path)| path),
    );
    Ok(project(app, &folder))
}

pub(super) fn trust(app: &App, path: &str, trusted: bool) -> Answer<Project> {
    let folder = folder(app, path)?;
    app.inner
        .shared
        .projects
        .set_trust(&folder, trusted)
        .map_err(failed)?;
    app.notify(Event::ProjectChanged {
        path: folder.display().to_string(),
    });
    app.notify(Event::SettingsChanged);
    app.reconsider_requests();
    Ok(project(app, &folder))
}

/// The real path of a folder that can be opened.
pub(super) fn folder(app: &App, path: &str) -> Answer<PathBuf> {
    resolve(path, app.inner.shared.directories.home()).map_err(|error| {
        WireError::new(ErrorCode::NotFound, error.to_string()).with_hint(error.hint())
    })
}

fn project(app: &App, folder: &Path) -> Project {
    let trust = app.inner.shared.projects.trust(folder);
    let mut held_back = Vec::new();
    if trust != Trust::Trusted {
        let files = app.inner.shared.settings.files(Some(folder));
        held_back.extend(
            files
                .into_iter()
                .filter(|(source, _)| {
                    matches!(source, RuleSource::Project | RuleSource::ProjectLocal)
                })
                .map(|(_, path)| path)
                .chain(
                    INSTRUCTIONS
                        .iter()
                        .chain(&[".mcp.json"])
                        .map(|name| folder.join(name)),
                )
                .filter(|path| path.exists())
                .map(|path| {
                    path.strip_prefix(folder)
                        .unwrap_or(&path)
                        .display()
                        .to_string()
                }),
        );
    }
    Project {
        path: folder.display().to_string(),
        name: name(folder),
        trust,
        held_back,
    }
}
