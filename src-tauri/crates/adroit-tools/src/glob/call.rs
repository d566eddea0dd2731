//! Looking for names.

use adroit_tool::{CallContext, ToolFailure};
use adroit_workspace::Resolved;
use adroit_workspace::search::{
    self, EmptyReason, GlobRequest, Scope, SearchLimits, split_pattern,
};
use schemars::JsonSchema;
use serde::Serialize;

use super::GlobInput;
use crate::Services;
use crate::files::{self, counted, not_found, search_failure};

/// What was found.
#[derive(Clone, Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct GlobOutput {
    /// Files, relative to the project where inside, the one that changed last first.
    pub files: Vec<String>,
    /// How many there are in all.
    pub total: u64,
    /// The time ran out.
    pub partial: bool,
    /// Folders that could not be read.
    pub unreadable: u64,
    /// Remarks on what was not looked at.
    pub notes: Vec<String>,
}

/// The folder that a pattern begins in, as text: `path`, and the plain beginning of the pattern.
pub(super) fn folder(input: &GlobInput) -> String {
    let (begin, _) = split_pattern(&input.pattern);
    let base = input
        .path
        .as_deref()
        .filter(|path| !path.is_empty())
        .unwrap_or(".");
    match begin.as_str() {
        "" => base.to_owned(),
        begin if begin.starts_with('/') || begin == "~" || begin.starts_with("~/") => {
            begin.to_owned()
        }
        begin => format!("{}/{begin}", base.trim_end_matches('/')),
    }
}

pub(super) fn place(services: &Services, input: &GlobInput) -> Result<Resolved, ToolFailure> {
    files::resolve(&services.workspace, &folder(input))
        .map_err(|error| ToolFailure::new("invalid_path", format!("{error}.")))
}

pub(super) async fn glob(
    services: &Services,
    input: &GlobInput,
    context: &CallContext,
) -> Result<GlobOutput, ToolFailure> {
    let workspace = &services.workspace;
    let resolved = place(services, input)?;
    if !resolved.exists {
        return Err(not_found(workspace, &resolved));
    }
    let request = GlobRequest {
        pattern: split_pattern(&input.pattern).1,
        written: input.pattern.clone(),
        scope: Scope {
            path: resolved.real,
            root: workspace.root().to_owned(),
            hidden: files::hidden(context),
        },
        limits: SearchLimits {
            entries: context.limits.glob_results,
            ..SearchLimits::default()
        },
    };
    let found = search::glob(request, context.cancellation.token().clone())
        .await
        .map_err(search_failure)?;
    let mut notes = Vec::new();
    if let Some(empty) = &found.empty {
        notes = why_empty(services, input, empty);
    } else if found.ignores_apply && !found.partial {
        notes.push("files hidden by ignore files (.gitignore) are not listed".to_owned());
    }
    notes.extend(files::links_note(
        workspace,
        &found.links,
        "links to folders among them are not looked into",
    ));
    Ok(GlobOutput {
        files: found
            .files
            .iter()
            .map(|path| workspace.display(path))
            .collect(),
        total: found.total,
        partial: found.partial,
        unreadable: found.unreadable,
        notes,
    })
}

fn why_empty(services: &Services, input: &GlobInput, empty: &EmptyReason) -> Vec<String> {
    let mut notes = files::ignored_note(&services.workspace, empty, "list")
        .into_iter()
        .collect::<Vec<_>>();
    if empty.ignored_total == 0 && empty.ignored_in_part {
        notes.push("files hidden by ignore files (.gitignore) were not all looked at".to_owned());
    }
    let workspace = &services.workspace;
    let named = match &input.path {
        Some(path) => format!("{}/{}", path.trim_end_matches('/'), input.pattern),
        None => input.pattern.clone(),
    };
    let is_folder = files::resolve(workspace, &named).is_ok_and(|resolved| resolved.real.is_dir());
    if is_folder {
        notes.push(format!(
            "{} is a folder; its files are `{}/**`",
            input.pattern,
            input.pattern.trim_end_matches('/')
        ));
    }
    if input.pattern.contains('\\') {
        notes.push("`\\` takes the next character literally; separate folders by `/`".to_owned());
    }
    notes
}

impl GlobOutput {
    pub(super) fn for_model(&self) -> String {
        let mut text = self.files.join("\n");
        let mut notes = Vec::new();
        let more = self.total - self.files.len() as u64;
        if self.partial {
            notes.push(format!(
                "the search ran out of time; this is only a part ({} so far). Narrow the pattern or the path",
                counted(self.total, "file", "files")
            ));
        } else if self.total == 0 {
            notes.push("no files match".to_owned());
        }
        if more > 0 {
            notes.push(format!(
                "{more} more; the {} that changed last are listed",
                self.files.len()
            ));
        }
        if self.unreadable > 0 {
            notes.push(format!(
                "{} could not be read",
                counted(self.unreadable, "folder", "folders")
            ));
        }
        notes.extend(self.notes.iter().cloned());
        for note in notes {
            if !text.is_empty() {
                text.push('\n');
            }
            text.push_str(&format!("[{note}]"));
        }
        text
    }
}
