//! The steps of a call that changes one file, which all tools of this kind take alike: find the file,
//! look at it, plan, and then show the plan, offer it to a person for changing, or write it.

use std::path::PathBuf;
use std::sync::Arc;

use adroit_permissions::Subject;
use adroit_protocol::view::View;
use adroit_tool::{CallContext, DraftError, Drafted, InvalidInput, ToolFailure};
use adroit_workspace::{LoadedText, Resolved, Workspace};
use serde_json::Value;

use super::change::{self, Change, Present, is_unread, present};
use super::draft::FileDraft;
use crate::Services;

/// An input that asks for the change of one file.
pub(crate) trait FileEdit: Clone + Send + Sync + 'static {
    /// What a plan knows beside the change, for the output.
    type Detail: Send + 'static;

    /// The file, as the model named it.
    fn file_path(&self) -> &str;

    /// What becomes of the file as it is now.
    fn plan(&self, on: &File<'_>) -> Result<Planned<Self::Detail>, ToolFailure>;

    /// The input that makes `wanted` of what is there, and the text that it gives. Both are the whole
    /// text, or the part of it that the plan is about ([`super::change::Part`]).
    fn amended(
        &self,
        old: Option<&LoadedText>,
        wanted: &str,
    ) -> Result<(Value, String), DraftError>;

    /// Whether another text than the planned one would be the same call.
    fn may_be_amended(&self) -> bool {
        true
    }
}

/// A change, and what else the plan knows.
#[derive(Debug)]
pub(crate) struct Planned<D> {
    pub(crate) change: Change,
    pub(crate) detail: D,
}

/// The file that a plan is made for, as it stands there now.
pub(crate) struct File<'f> {
    pub(crate) workspace: &'f Workspace,
    pub(crate) resolved: &'f Resolved,
    pub(crate) present: &'f Present,
    pub(crate) context: &'f CallContext,
}

impl File<'_> {
    /// Its path as it is shown.
    pub(crate) fn path(&self) -> String {
        self.workspace.display(&self.resolved.path)
    }
}

/// A change that was made.
pub(crate) struct Done<D> {
    pub(crate) change: Change,
    pub(crate) detail: D,
    /// The file was written over, because it has other names or another owner.
    pub(crate) in_place: bool,
}

/// What can be said before permission was asked: where the path leads, and that nobody has read what is
/// there. Nothing of its content.
pub(crate) fn validate(
    services: &Services,
    input: &impl FileEdit,
    context: &CallContext,
) -> Result<(), InvalidInput> {
    let failure = match resolve(&services.workspace, input) {
        Ok(resolved) if is_unread(&resolved, context) => {
            change::not_read(&services.workspace.display(&resolved.path))
        }
        Ok(_) => return Ok(()),
        Err(failure) => failure,
    };
    Err(InvalidInput::new(failure.code, failure.message))
}

/// Plans and writes under the file's lock.
pub(crate) async fn apply<I: FileEdit>(
    services: &Services,
    input: Arc<I>,
    context: CallContext,
) -> Result<Done<I::Detail>, ToolFailure> {
    let workspace = Arc::clone(&services.workspace);
    let resolved = resolve(&workspace, input.as_ref())?;
    let real = resolved.real.clone();
    let (change, detail, in_place) = change::apply(&real, &context, move |context| {
        let present = present(&workspace, &resolved)?;
        let planned = input.plan(&File {
            workspace: &workspace,
            resolved: &resolved,
            present: &present,
            context,
        })?;
        Ok((planned.change, planned.detail))
    })
    .await?;
    Ok(Done {
        change,
        detail,
        in_place,
    })
}

/// The change as it would be now, or why it would fail.
pub(crate) async fn preview<I: FileEdit>(
    services: &Services,
    title: String,
    input: &I,
    context: &CallContext,
) -> View {
    let looked = look(services, input, context).await;
    change::preview(title, looked.map(|(_, change)| change))
}

/// The change with what a person may change of it; none where it would fail, or where what is there is
/// not text.
pub(crate) async fn draft<I: FileEdit>(
    services: &Services,
    title: String,
    input: &I,
    context: &CallContext,
) -> Option<Drafted> {
    if !input.may_be_amended() {
        return None;
    }
    let (present, change) = look(services, input, context).await.ok()?;
    let old = match present {
        Present::Text(old) => Some(old),
        Present::Absent => None,
        Present::Other { .. } => return None,
    };
    let input = input.clone();
    let whole = old.as_ref().map(|old| old.text.clone());
    let make = Box::new(move |wanted: &str| input.amended(old.as_deref(), wanted));
    Some(FileDraft::offer(title, whole, change, make))
}

/// The path that rules are about.
pub(crate) fn subject(services: &Services, input: &impl FileEdit) -> Subject {
    let (path, real) = super::named_and_real(&services.workspace, input.file_path());
    Subject::EditFile { path, real }
}

/// The path as named, without a look at links.
pub(crate) fn path(services: &Services, input: &impl FileEdit) -> Option<PathBuf> {
    Some(super::named_and_real(&services.workspace, input.file_path()).0)
}

fn resolve(workspace: &Workspace, input: &impl FileEdit) -> Result<Resolved, ToolFailure> {
    super::resolve(workspace, input.file_path())
        .map_err(|error| ToolFailure::new("invalid_path", format!("{error}.")))
}

/// One look at the disk, off the async threads: what is there, and what becomes of it.
async fn look<I: FileEdit>(
    services: &Services,
    input: &I,
    context: &CallContext,
) -> Result<(Present, Change), ToolFailure> {
    let (workspace, input, context) = (
        Arc::clone(&services.workspace),
        input.clone(),
        context.clone(),
    );
    let work = tokio::task::spawn_blocking(move || {
        let resolved = resolve(&workspace, &input)?;
        let present = present(&workspace, &resolved)?;
        let planned = input.plan(&File {
            workspace: &workspace,
            resolved: &resolved,
            present: &present,
            context: &context,
        })?;
        Ok((present, planned.change))
    });
    work.await
        .unwrap_or_else(|fault| Err(ToolFailure::new("fault", fault.to_string())))
}
