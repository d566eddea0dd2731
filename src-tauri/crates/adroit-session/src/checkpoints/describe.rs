//! Changes of files in words and numbers.

use std::collections::BTreeMap;
use std::path::Path;

use adroit_checkpoints::{Content, FileStep, History, Image, Step, Store};
use adroit_protocol::changes::{CallChanges, ChangeState, ChangedFile, ChangedKind};
use adroit_protocol::view::FileChange;
use adroit_workspace::LoadedText;

/// Files that a row names.
const NAMED: usize = 50;
/// Files whose lines are counted for a row.
const COUNTED: usize = 30;
/// Bytes of a file beyond which its lines are not counted for a row.
const COUNTED_BYTES: u64 = 1 << 20;

/// What the steps of a call changed in all, for its row; nothing where they changed nothing.
pub(super) fn changes(
    history: &History,
    steps: &[Step],
    show: impl Fn(&Path) -> String,
) -> Option<CallChanges> {
    let files = in_all(steps);
    let mut notes: Vec<String> = steps.iter().flat_map(|step| step.notes.clone()).collect();
    notes.dedup();
    let shown: Vec<&FileStep> = worth_naming(&files).collect();
    if shown.is_empty() && notes.is_empty() {
        return None;
    }
    let files = shown
        .iter()
        .take(NAMED)
        .enumerate()
        .map(|(index, file)| file_change(history.store(), file, show(&file.path), index < COUNTED))
        .collect();
    Some(CallChanges {
        files,
        more: u32::try_from(shown.len().saturating_sub(NAMED)).unwrap_or(u32::MAX),
        notes,
        state: ChangeState::Made,
    })
}

/// The files of several steps, each once: what it was before the first, and after the last.
pub(super) fn in_all(steps: &[Step]) -> Vec<FileStep> {
    let mut files: BTreeMap<&Path, FileStep> = BTreeMap::new();
    for file in steps.iter().flat_map(|step| &step.files) {
        files
            .entry(&file.path)
            .and_modify(|first| {
                first.after = file.after.clone();
                first.names_after = file.names_after.clone();
            })
            .or_insert_with(|| file.clone());
    }
    files
        .into_values()
        .filter(|file| file.before != file.after || file.names_before != file.names_after)
        .collect()
}

/// The files; a folder only where nothing in it is named.
pub(super) fn worth_naming(files: &[FileStep]) -> impl Iterator<Item = &FileStep> {
    files.iter().enumerate().filter_map(|(index, file)| {
        let folder = file.before.is_directory() || file.after.is_directory();
        // By path: what is in a folder follows it.
        let holds_next = files
            .get(index + 1)
            .is_some_and(|next| next.path.starts_with(&file.path));
        (!folder || !holds_next).then_some(file)
    })
}

/// One file that changed.
pub(super) fn file_change(
    store: &Store,
    file: &FileStep,
    path: String,
    count: bool,
) -> ChangedFile {
    let change = if file.before.is_absent() {
        FileChange::Created
    } else if file.after.is_absent() {
        FileChange::Deleted
    } else {
        FileChange::Updated
    };
    let small = [&file.before, &file.after]
        .iter()
        .all(|image| size(image) <= COUNTED_BYTES);
    let sides = (count && small).then(|| Sides::load(store, file));
    let counts = sides
        .as_ref()
        .filter(|sides| sides.kind == ChangedKind::Text)
        .map(|sides| {
            let (old, new) = sides.texts();
            adroit_workspace::diff(&old, &new)
        });
    ChangedFile {
        path,
        change,
        kind: sides.map_or_else(|| kind_by_image(file), |sides| sides.kind),
        added: counts.as_ref().map(|diff| diff.added),
        removed: counts.as_ref().map(|diff| diff.removed),
        reviewed: false,
    }
}

fn size(image: &Image) -> u64 {
    match image {
        Image::File { size, .. } => *size,
        _ => 0,
    }
}

fn kind_by_image(file: &FileStep) -> ChangedKind {
    let image = if file.after.is_absent() {
        &file.before
    } else {
        &file.after
    };
    match image {
        Image::File {
            content: Content::Kept(_),
            ..
        } => ChangedKind::Text,
        Image::Link { .. } => ChangedKind::Link,
        Image::Directory { .. } => ChangedKind::Folder,
        Image::File { .. } | Image::Special | Image::Absent => ChangedKind::Other,
    }
}

/// Both contents of a changed file.
pub(super) struct Sides {
    pub(super) old: Option<Vec<u8>>,
    pub(super) new: Option<Vec<u8>>,
    pub(super) kind: ChangedKind,
}

impl Sides {
    pub(super) fn load(store: &Store, file: &FileStep) -> Self {
        let old = store.content(&file.before).ok().flatten();
        let new = store.content(&file.after).ok().flatten();
        let kind = match kind_by_image(file) {
            ChangedKind::Text => kind_of(new.as_deref().or(old.as_deref())),
            other => other,
        };
        Self { old, new, kind }
    }

    /// Both as text; empty where there is none.
    pub(super) fn texts(&self) -> (String, String) {
        let text = |bytes: &Option<Vec<u8>>| {
            bytes
                .clone()
                .and_then(|bytes| LoadedText::from_bytes(bytes, Path::new("")).ok())
                .map(|loaded| loaded.text)
                .unwrap_or_default()
        };
        (text(&self.old), text(&self.new))
    }
}

fn kind_of(bytes: Option<&[u8]>) -> ChangedKind {
    let Some(bytes) = bytes else {
        return ChangedKind::Other;
    };
    if picture(bytes).is_some() {
        ChangedKind::Image
    } else if adroit_workspace::sniff_binary(bytes).is_some() {
        ChangedKind::Binary
    } else {
        ChangedKind::Text
    }
}

/// The type of a picture that the UI can show, told by its bytes.
pub(super) fn picture(bytes: &[u8]) -> Option<&'static str> {
    infer::get(bytes)
        .map(|kind| kind.mime_type())
        .filter(|kind| {
            matches!(
                *kind,
                "image/png" | "image/jpeg" | "image/gif" | "image/webp"
            )
        })
}
