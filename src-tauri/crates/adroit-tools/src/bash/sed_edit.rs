//! `sed -i` as an edit: shown as a diff, and done by our own code so that the diff is what
//! happens. Whatever is not certain to be what sed would do is left to sed.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::Instant;

use adroit_protocol::view::Diff;
use adroit_shell::SedEdit;
use adroit_tool::{CallContext, ToolFailure};
use adroit_workspace::{ContentHash, Expected, FileKind, LoadedText, Resolved, Workspace, inspect};

use super::{Bash, BashInput, BashOutput};
use crate::files::change::{Change, ChangeKind, apply, totals};

/// Diffs that were shown and may still be approved.
const REMEMBERED: usize = 32;

/// From which contents the diffs were made that a person saw.
#[derive(Default)]
pub(super) struct ShownEdits(Mutex<VecDeque<(String, PathBuf, ContentHash)>>);

impl ShownEdits {
    fn remember(&self, command: &str, cwd: &Path, hash: ContentHash) {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        shown.retain(|(own, folder, _)| own != command || folder != cwd);
        shown.truncate(REMEMBERED - 1);
        shown.push_front((command.to_owned(), cwd.to_owned(), hash));
    }

    fn take(&self, command: &str, cwd: &Path) -> Option<ContentHash> {
        let mut shown = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let at = shown
            .iter()
            .position(|(own, folder, _)| own == command && folder == cwd)?;
        shown.remove(at).map(|(_, _, hash)| hash)
    }
}

/// The edit that a command stands for, and the file that it is of.
struct Target {
    edit: SedEdit,
    resolved: Resolved,
}

impl Bash {
    fn sed_target(&self, input: &BashInput, cwd: &Path) -> Option<Target> {
        // The seds of other systems read `-i` and expressions in ways of their own.
        if !cfg!(target_os = "linux") {
            return None;
        }
        let edit = self.analyses.of(&input.command, cwd).sed_edit.clone()?;
        let workspace = &self.services.workspace;
        let resolved = workspace.resolve(cwd, &edit.file).ok()?;
        // Sed puts a new file in the place of a link; an edit keeps what it leads to.
        let plain = resolved.path == resolved.real
            && inspect(&resolved.real)
                .is_ok_and(|facts| facts.kind == FileKind::Regular && facts.links == 1);
        // `~` and `\\x41` in a name are not sed's.
        let named = cwd.join(&edit.file) == resolved.path || !edit.file.contains(['~', '\\']);
        (plain && named).then_some(Target { edit, resolved })
    }

    /// The diff of the edit as the file is now; `None` where the command runs as it is.
    pub(super) async fn sed_preview(
        &self,
        input: &BashInput,
        context: &CallContext,
    ) -> Option<Diff> {
        let target = self.sed_target(input, &context.cwd)?;
        let workspace = std::sync::Arc::clone(&self.services.workspace);
        let planned = tokio::task::spawn_blocking(move || plan(&workspace, &target))
            .await
            .ok()??;
        if let Expected::Content(hash) = planned.expected {
            self.shown.remember(&input.command, &context.cwd, hash);
        }
        Some(planned.diff)
    }

    /// Does the edit; `None` where the command has to run.
    pub(super) async fn sed_edit(
        &self,
        input: &BashInput,
        context: &CallContext,
    ) -> Option<Result<BashOutput, ToolFailure>> {
        let began = Instant::now();
        let shown = self.shown.take(&input.command, &context.cwd);
        let target = self.sed_target(input, &context.cwd)?;
        let workspace = std::sync::Arc::clone(&self.services.workspace);
        let (real, file) = (target.resolved.real.clone(), target.edit.file.clone());
        let done = apply(&real, context, move |_| {
            let planned = plan(&workspace, &target).ok_or_else(uncertain)?;
            if shown.is_some_and(|hash| planned.expected != Expected::Content(hash)) {
                return Err(stale(&file));
            }
            Ok((planned, ()))
        })
        .await;
        let (change, (), _) = match done {
            Ok(done) => done,
            // Nothing was shown that would now not happen.
            Err(failure) if failure.code == UNCERTAIN && shown.is_none() => return None,
            Err(failure) if failure.code == UNCERTAIN => return Some(Err(stale(&input.command))),
            Err(failure) => return Some(Err(failure)),
        };
        let note = match change.kind {
            ChangeKind::Unchanged => "Nothing in the file fits: it is unchanged.".to_owned(),
            _ => format!("{} ({})", change.diff.path, totals(&change.diff)),
        };
        Some(Ok(BashOutput {
            exit_code: Some(0),
            meaning: None,
            output: String::new(),
            truncated: false,
            file: None,
            cwd: context.cwd.to_path_buf(),
            milliseconds: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            survivors: Vec::new(),
            task: None,
            notes: vec![note],
            warnings: Vec::new(),
            terminal: None,
            edit: (change.kind == ChangeKind::Updated).then_some(change.diff),
        }))
    }
}

const UNCERTAIN: &str = "uncertain";

fn uncertain() -> ToolFailure {
    ToolFailure::new(UNCERTAIN, "what sed would do is not certain")
}

fn stale(what: &str) -> ToolFailure {
    ToolFailure::new(
        "stale",
        format!(
            "The file was changed after the diff of `{what}` was shown, so that another change \
             would be made than the one that was approved. Nothing was written. Run the command \
             again."
        ),
    )
    .with_summary("changed since it was shown")
}

fn plan(workspace: &Workspace, target: &Target) -> Option<Change> {
    let old = LoadedText::load(&target.resolved.real).ok()?;
    // Sed works on bytes: what a mark or another encoding would make of them is not followed.
    let text = std::str::from_utf8(&old.bytes).ok()?;
    if text != old.text {
        return None;
    }
    let new = target.edit.apply(text)?;
    let path = workspace.display(&target.resolved.path);
    Some(Change::new(
        path,
        Some(&old),
        new.clone().into_bytes(),
        &new,
        Vec::new(),
    ))
}
