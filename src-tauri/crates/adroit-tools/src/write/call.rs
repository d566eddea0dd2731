//! Writing.

use std::borrow::Cow;
use std::sync::Arc;

use adroit_protocol::view::Diff;
use adroit_tool::{CallContext, DraftError, Drafted, ToolFailure};
use adroit_workspace::{LineEnding, LoadedText, Resolved, TextEncoding, Workspace};
use serde::Serialize;
use serde_json::Value;

use super::WriteInput;
use crate::Services;
use crate::files::change::{self, Present, apply, must_be_known, must_be_seen, present, totals};
use crate::files::draft::FileDraft;
use crate::files::{self, Change, ChangeKind, counted};

/// What was written.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct WriteOutput {
    /// What became of the file.
    pub(super) kind: ChangeKind,
    /// The change.
    pub(super) diff: Diff,
    /// Lines of the file now.
    pub(super) lines: u64,
    /// The file was written over, because it has other names or another owner.
    pub(super) in_place: bool,
}

pub(super) async fn write(
    services: &Services,
    input: Arc<WriteInput>,
    context: CallContext,
) -> Result<WriteOutput, ToolFailure> {
    let workspace = Arc::clone(&services.workspace);
    let resolved = resolve(&workspace, &input)?;
    let real = resolved.real.clone();
    let content = Arc::clone(&input);
    let (change, in_place) = apply(&real, &context, move |context| {
        plan(&workspace, &resolved, &content, context)
    })
    .await?;
    let lines = input.content.lines().count() as u64;
    Ok(WriteOutput {
        kind: change.kind,
        diff: change.diff,
        lines,
        in_place,
    })
}

pub(super) async fn preview(
    services: &Services,
    input: &WriteInput,
    context: &CallContext,
) -> Result<Change, ToolFailure> {
    let (workspace, input, context) = (
        Arc::clone(&services.workspace),
        input.clone(),
        context.clone(),
    );
    let work = tokio::task::spawn_blocking(move || {
        let resolved = resolve(&workspace, &input)?;
        plan(&workspace, &resolved, &input, &context)
    });
    work.await
        .unwrap_or_else(|fault| Err(ToolFailure::new("fault", fault.to_string())))
}

fn resolve(workspace: &Workspace, input: &WriteInput) -> Result<Resolved, ToolFailure> {
    files::resolve(workspace, &input.file_path)
        .map_err(|error| ToolFailure::new("invalid_path", format!("{error}.")))
}

/// The change with what a person may change of it; none where it would fail, or where what is
/// there is not text.
pub(super) async fn draft(
    services: &Services,
    title: String,
    input: &WriteInput,
    context: &CallContext,
) -> Option<Drafted> {
    let (workspace, input, context) = (
        Arc::clone(&services.workspace),
        input.clone(),
        context.clone(),
    );
    let work = tokio::task::spawn_blocking(move || {
        let resolved = resolve(&workspace, &input).ok()?;
        let present = present(&workspace, &resolved).ok()?;
        let change = plan_on(&workspace, &resolved, &present, &input, &context).ok()?;
        let old = match present {
            Present::Absent => None,
            Present::Text(old) => Some(old),
            Present::Other(_) => return None,
        };
        let make = Box::new(move |old: Option<&LoadedText>, wanted: &str| {
            amended(&input.file_path, old, wanted)
        });
        Some(FileDraft::offer(title, old, change, make))
    });
    work.await.ok().flatten()
}

/// The call that writes `wanted`, and the text that it gives.
fn amended(
    file_path: &str,
    old: Option<&LoadedText>,
    wanted: &str,
) -> Result<(Value, String), DraftError> {
    let text = match old {
        None => wanted.to_owned(),
        Some(old) => in_the_manner_of(old, wanted)
            .map(|(_, text, _)| text)
            .map_err(|failure| DraftError::Unfit(failure.message))?,
    };
    let input = WriteInput {
        file_path: file_path.to_owned(),
        content: wanted.to_owned(),
    };
    serde_json::to_value(input)
        .map(|input| (input, text))
        .map_err(|error| DraftError::Unfit(error.to_string()))
}

fn plan(
    workspace: &Workspace,
    resolved: &Resolved,
    input: &WriteInput,
    context: &CallContext,
) -> Result<Change, ToolFailure> {
    let present = present(workspace, resolved)?;
    plan_on(workspace, resolved, &present, input, context)
}

fn plan_on(
    workspace: &Workspace,
    resolved: &Resolved,
    present: &Present,
    input: &WriteInput,
    context: &CallContext,
) -> Result<Change, ToolFailure> {
    let path = workspace.display(&resolved.path);
    match present {
        Present::Absent => Ok(Change::new(
            path,
            None,
            input.content.clone().into_bytes(),
            &input.content,
            Vec::new(),
        )),
        Present::Text(old) => {
            must_be_seen(workspace, resolved, old, context)?;
            let (bytes, text, notes) = in_the_manner_of(old, &input.content)?;
            Ok(Change::new(path, Some(old), bytes, &text, notes))
        }
        Present::Other(hash) => {
            must_be_known(workspace, resolved, *hash, None, context)?;
            let mut change = Change::new(
                path,
                None,
                input.content.clone().into_bytes(),
                &input.content,
                vec!["the file was not text before".to_owned()],
            );
            change.kind = ChangeKind::Updated;
            change.diff.change = adroit_protocol::view::FileChange::Updated;
            change.expected = adroit_workspace::Expected::Content(*hash);
            Ok(change)
        }
    }
}

/// The content in the encoding and with the line endings of the file as it is, and what is worth saying
/// about that.
fn in_the_manner_of(
    old: &LoadedText,
    content: &str,
) -> Result<(Vec<u8>, String, Vec<String>), ToolFailure> {
    let mut notes = Vec::new();
    // The mark is the encoding's matter; a second one would stand in the text.
    let content = content.strip_prefix('\u{feff}').unwrap_or(content);
    let text = with_endings(old, content, &mut notes);
    let encoding = match old.encoding {
        // What could not be decoded is gone with the old content.
        TextEncoding::Utf8Broken => TextEncoding::Utf8,
        other => other,
    };
    let mut bytes = encoding.mark().to_vec();
    let body = encoding.encode(&text).map_err(|error| {
        ToolFailure::new(
            "unencodable",
            format!("{error}, the encoding of this file. Nothing was written. Use other characters, or convert the file to UTF-8 first (for example with iconv in Bash)."),
        )
        .with_summary("does not fit the file's encoding")
    })?;
    bytes.extend(body);
    if encoding != TextEncoding::Utf8 {
        notes.push(format!("encoding {} kept", encoding.name()));
    }
    Ok((bytes, text.into_owned(), notes))
}

/// A file of one kind of line ending keeps it; a mixed one gets the kind that most lines have. Where the
/// content itself spells out CRLF in a file of plain lines, that is what is meant.
fn with_endings<'c>(old: &LoadedText, content: &'c str, notes: &mut Vec<String>) -> Cow<'c, str> {
    let endings = &old.endings;
    let plain = || content.replace("\r\n", "\n");
    match endings.dominant() {
        LineEnding::Lf if endings.mixed() => {
            notes.push(format!("the file had {endings}; all lines end in LF now"));
            Cow::Owned(plain())
        }
        LineEnding::Lf => {
            if endings.lf > 0 && content.contains("\r\n") {
                notes.push(
                    "line endings changed from LF to CRLF, as in the content given".to_owned(),
                );
            }
            Cow::Borrowed(content)
        }
        LineEnding::Crlf => {
            notes.push(if endings.mixed() {
                format!("the file had {endings}; all lines end in CRLF now")
            } else {
                "CRLF line endings kept".to_owned()
            });
            Cow::Owned(plain().replace('\n', "\r\n"))
        }
        LineEnding::Cr => {
            notes.push("CR line endings kept".to_owned());
            Cow::Owned(plain().replace('\n', "\r"))
        }
    }
}

impl WriteOutput {
    pub(super) fn for_model(&self) -> String {
        let path = &self.diff.path;
        let lines = counted(self.lines, "line", "lines");
        let mut text = match self.kind {
            ChangeKind::Created => format!("Created {path} ({lines})."),
            ChangeKind::Updated => format!("Updated {path} ({lines}, {}).", totals(&self.diff)),
            ChangeKind::Unchanged => {
                format!("{path} already has exactly this content; nothing was written.")
            }
        };
        for note in change::facts(&self.diff, self.in_place) {
            text.push_str(&format!("\n[{note}]"));
        }
        text
    }
}
