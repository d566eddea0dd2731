//! Writing.

use std::borrow::Cow;
use std::io::Read as _;
use std::path::Path;
use std::sync::Arc;

use adroit_permissions::ToolCheck;
use adroit_protocol::view::{Diff, FileChange};
use adroit_tool::{CallContext, DraftError, ToolFailure};
use adroit_workspace::{
    ContentHash, Expected, LineEnding, LoadedText, TextEncoding, open_regular, sniff_binary,
};
use serde::Serialize;
use serde_json::Value;

use super::WriteInput;
use crate::Services;
use crate::files::change::{self, Present, must_be_known, must_be_seen, totals};
use crate::files::editing::{self, File, FileEdit, Planned};
use crate::files::{self, Change, ChangeKind, counted};

/// How much of a file tells whether it is text, in bytes.
const HEAD: u64 = 8 << 10;

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
    let done = editing::apply(services, Arc::clone(&input), context).await?;
    Ok(WriteOutput {
        kind: done.change.kind,
        diff: done.change.diff,
        lines: input.content.lines().count() as u64,
        in_place: done.in_place,
    })
}

/// Text in place of something else is asked about in every mode that asks at all: no diff shows what goes.
pub(super) fn check(services: &Services, input: &WriteInput) -> ToolCheck {
    let kind = files::resolve(&services.workspace, &input.file_path)
        .ok()
        .and_then(|resolved| binary_at(&resolved.real));
    match kind {
        Some(kind) => ToolCheck::Ask {
            reason: format!("It replaces a file that is not text ({kind}) as a whole."),
            bypass_immune: false,
        },
        None => ToolCheck::Pass,
    }
}

/// What stands at a path, where that is a file and no text.
fn binary_at(real: &Path) -> Option<String> {
    let mut head = Vec::new();
    let file = open_regular(real).ok()?;
    file.take(HEAD).read_to_end(&mut head).ok()?;
    sniff_binary(&head)
}

impl FileEdit for WriteInput {
    type Detail = ();

    fn file_path(&self) -> &str {
        &self.file_path
    }

    fn plan(&self, on: &File<'_>) -> Result<Planned<()>, ToolFailure> {
        let change = match on.present {
            Present::Absent => self.in_place_of(None, on.path()),
            Present::Text(old) => {
                must_be_seen(on, old)?;
                let (bytes, text, notes) = in_the_manner_of(old, &self.content)?;
                Change::new(on.path(), Some(old), bytes, &text, notes)
            }
            Present::Other { hash, .. } => {
                must_be_known(on, *hash, None)?;
                self.in_place_of(Some(*hash), on.path())
            }
        };
        Ok(Planned { change, detail: () })
    }

    fn amended(
        &self,
        old: Option<&LoadedText>,
        wanted: &str,
    ) -> Result<(Value, String), DraftError> {
        let text = match old {
            None => wanted.to_owned(),
            Some(old) => in_the_manner_of(old, wanted)
                .map(|(_, text, _)| text)
                .map_err(|failure| DraftError::Unfit(failure.message))?,
        };
        let input = Self {
            file_path: self.file_path.clone(),
            content: wanted.to_owned(),
        };
        serde_json::to_value(input)
            .map(|input| (input, text))
            .map_err(|error| DraftError::Unfit(error.to_string()))
    }
}

impl WriteInput {
    /// The content as it was given, where nothing is or where what is there is no text.
    fn in_place_of(&self, other: Option<ContentHash>, path: String) -> Change {
        let bytes = self.content.clone().into_bytes();
        let Some(hash) = other else {
            return Change::new(path, None, bytes, &self.content, Vec::new());
        };
        let notes = vec!["the file was not text before".to_owned()];
        let mut change = Change::new(path, None, bytes, &self.content, notes);
        change.kind = ChangeKind::Updated;
        change.diff.change = FileChange::Updated;
        change.expected = Expected::Content(hash);
        change
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
