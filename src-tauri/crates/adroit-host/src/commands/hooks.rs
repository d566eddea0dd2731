//! The hooks of a project.

use adroit_protocol::command::{HookList, SettingsQuery};

use super::{Answer, settings};
use crate::App;

pub(super) fn list(app: &App, query: &SettingsQuery) -> Answer<HookList> {
    let effective = settings::effective(app, query)?;
    let problems = effective
        .files
        .iter()
        .filter(|file| !file.held_back)
        .flat_map(|file| {
            let about_hooks = |problem: &&adroit_session::settings::Problem| {
                problem.fatal || problem.text.contains("hooks")
            };
            file.problems.iter().filter(about_hooks).map(|problem| {
                let place = problem
                    .position
                    .map(|position| format!(":{}:{}", position.line, position.column))
                    .unwrap_or_default();
                format!("{}{place}: {}", file.path.display(), problem.text)
            })
        })
        .collect();
    Ok(HookList {
        hooks: adroit_session::hooks::states(&effective, &app.inner.shared.hook_log),
        problems,
    })
}
