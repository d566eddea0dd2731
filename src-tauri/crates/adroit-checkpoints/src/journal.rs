//! The journal of one session: append-only JSON Lines, on the disk before the effect that it tells.

use std::collections::BTreeMap;
use std::fs::{File, OpenOptions};
use std::io::{Read as _, Seek as _, SeekFrom, Write as _};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use adroit_protocol::CallId;
use serde::{Deserialize, Serialize};

use crate::image::{Hash, Image};

/// One change of files with everything that is needed to take it back.
#[derive(Clone, Debug, PartialEq)]
pub struct Step {
    /// Its number in the session, from 1.
    pub id: u64,
    /// When it began, milliseconds since 1970.
    pub at: u64,
    /// What made it.
    pub origin: Origin,
    /// In which turn of the session, from 1.
    pub turn: u32,
    /// In a few words.
    pub title: String,
    /// The files.
    pub files: Vec<FileStep>,
    /// What is not covered, in sentences.
    pub notes: Vec<String>,
    /// How far it is.
    pub state: StepState,
}

/// What made a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub enum Origin {
    /// A call.
    Call {
        /// Which.
        call: CallId,
    },
    /// Steps were taken back.
    Undo {
        /// Which steps.
        steps: Vec<u64>,
        /// Whether all of each was taken back.
        whole: bool,
    },
    /// Steps that take back were taken back.
    Redo {
        /// Which steps.
        steps: Vec<u64>,
        /// Whether all of each was taken back.
        whole: bool,
    },
}

/// How far a step is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum StepState {
    /// What it does is not over yet.
    Open,
    /// It is whole.
    Done,
    /// Its images were let go: it cannot be taken back any more.
    Forgotten,
}

/// One file of a step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct FileStep {
    /// Absolute, links resolved.
    #[serde(with = "crate::path_text")]
    pub path: PathBuf,
    /// What stood there before.
    pub before: Image,
    /// What stood there after.
    pub after: Image,
    /// Other names of the same file (hard links) before, where a look at the folders found some.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub names_before: Names,
    /// The same after.
    #[serde(default, skip_serializing_if = "Names::is_empty")]
    pub names_after: Names,
}

impl FileStep {
    /// A change of a file of which no other names are known.
    #[must_use]
    pub fn new(path: PathBuf, before: Image, after: Image) -> Self {
        Self {
            path,
            before,
            after,
            names_before: Names::default(),
            names_after: Names::default(),
        }
    }
}

/// Other names of a file (hard links): absolute paths.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(transparent)]
pub struct Names(#[serde(with = "crate::path_text::list")] pub Vec<PathBuf>);

impl Names {
    /// Whether there are none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }
}

/// What a step is looked after by until it ends.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "type", rename_all = "snake_case")]
pub(crate) enum Watched {
    /// These files.
    Files {
        /// Each with what stood there.
        before: Vec<Before>,
    },
    /// These folders.
    Folders {
        /// They.
        roots: Vec<String>,
        /// The content that lists what stood in them at an earlier look; absent where that was
        /// too much.
        tree: Option<Hash>,
        /// The content that lists what was different by now, where something was.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        since: Option<Hash>,
        /// Files that it names, each with what stood there: the look at the folders may pass them over.
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        named: Vec<Before>,
    },
    /// These files are being put back.
    Restored {
        /// Each with what stands there and what shall.
        files: Vec<FileStep>,
    },
}

/// A file before a step.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
pub(crate) struct Before {
    #[serde(with = "crate::path_text")]
    pub(crate) path: PathBuf,
    pub(crate) image: Image,
}

/// One line.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize)]
#[serde(tag = "record", rename_all = "snake_case")]
pub(crate) enum Record {
    /// A step begins.
    Begun {
        step: u64,
        at: u64,
        origin: Origin,
        turn: u32,
        title: String,
        watched: Watched,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        notes: Vec<String>,
    },
    /// It is about to replace a file, of which something else stands there than when it began.
    Replacing { step: u64, before: Before },
    /// It ended.
    Ended {
        step: u64,
        files: Vec<FileStep>,
        #[serde(default, skip_serializing_if = "Vec::is_empty")]
        notes: Vec<String>,
        /// How it turned out to be one, where that became known at the end only.
        #[serde(default, skip_serializing_if = "Option::is_none")]
        origin: Option<Origin>,
    },
    /// The images of these steps were let go.
    Forgotten { through: u64 },
    /// A file was looked at and found good, with this content.
    Reviewed {
        #[serde(with = "crate::path_text")]
        path: PathBuf,
        /// The content; absent where the mark was taken off.
        image: Option<Image>,
    },
    /// These places of a file were looked at and found good, and no others.
    ReviewedPlaces {
        #[serde(with = "crate::path_text")]
        path: PathBuf,
        /// What they say.
        places: Vec<Hash>,
    },
}

/// What a journal says.
#[derive(Debug, Default)]
pub(crate) struct Told {
    pub(crate) steps: BTreeMap<u64, Step>,
    /// Steps that were begun and not ended, with what they watched.
    pub(crate) open: BTreeMap<u64, Watched>,
    pub(crate) reviewed: BTreeMap<PathBuf, Image>,
    /// Places that were found good, by what they say.
    pub(crate) places: BTreeMap<PathBuf, Vec<Hash>>,
}

impl Told {
    pub(crate) fn take(&mut self, record: Record) {
        match record {
            Record::Begun {
                step,
                at,
                origin,
                turn,
                title,
                watched,
                notes,
            } => {
                let begun = Step {
                    id: step,
                    at,
                    origin,
                    turn,
                    title,
                    files: Vec::new(),
                    notes,
                    state: StepState::Open,
                };
                self.steps.insert(step, begun);
                self.open.insert(step, watched);
            }
            Record::Replacing { step, before } => match self.open.get_mut(&step) {
                Some(Watched::Files { before: known } | Watched::Folders { named: known, .. }) => {
                    known.retain(|known| known.path != before.path);
                    known.push(before);
                }
                Some(Watched::Restored { .. }) | None => {}
            },
            Record::Ended {
                step,
                files,
                notes,
                origin,
            } => {
                self.open.remove(&step);
                if let Some(ended) = self.steps.get_mut(&step) {
                    ended.files = files;
                    ended.notes.extend(notes);
                    ended.state = StepState::Done;
                    if let Some(origin) = origin {
                        ended.origin = origin;
                    }
                }
            }
            Record::Forgotten { through } => {
                for step in self.steps.values_mut().filter(|step| step.id <= through) {
                    step.state = StepState::Forgotten;
                }
            }
            Record::ReviewedPlaces { path, places } => {
                self.places.insert(path, places);
            }
            Record::Reviewed { path, image } => match image {
                Some(image) => {
                    self.reviewed.insert(path, image);
                }
                None => {
                    self.reviewed.remove(&path);
                }
            },
        }
    }
}

/// The open file of one session's journal. Made with its first line.
#[derive(Debug)]
pub(crate) struct Journal {
    path: PathBuf,
    file: Mutex<Option<File>>,
}

impl Journal {
    pub(crate) fn new(path: PathBuf) -> Self {
        Self {
            path,
            file: Mutex::new(None),
        }
    }

    /// Reads a journal. A torn last line, or a damaged one, costs only itself.
    pub(crate) fn read(path: &Path) -> std::io::Result<Told> {
        let bytes = match fs_err::read(path) {
            Ok(bytes) => bytes,
            Err(error) if error.kind() == std::io::ErrorKind::NotFound => Vec::new(),
            Err(error) => return Err(error),
        };
        let mut told = Told::default();
        for line in bytes.split(|byte| *byte == b'\n') {
            if let Ok(record) = serde_json::from_slice(line) {
                told.take(record);
            }
        }
        Ok(told)
    }

    /// Adds a line in one write, and waits until it is on the disk.
    pub(crate) fn append(&self, record: &Record) -> std::io::Result<()> {
        let mut guard = self.file.lock().unwrap_or_else(PoisonError::into_inner);
        let mut line = Vec::new();
        let file = match &mut *guard {
            Some(file) => file,
            none => {
                let (file, torn) = open(&self.path)?;
                if torn {
                    line.push(b'\n');
                }
                none.insert(file)
            }
        };
        serde_json::to_writer(&mut line, record)?;
        line.push(b'\n');
        file.write_all(&line)?;
        file.sync_data()
    }
}

/// Opens the file, and says whether its last line was cut off.
fn open(path: &Path) -> std::io::Result<(File, bool)> {
    if let Some(folder) = path.parent() {
        fs_err::create_dir_all(folder)?;
    }
    let mut file = OpenOptions::new()
        .create(true)
        .append(true)
        .read(true)
        .open(path)?;
    if file.seek(SeekFrom::End(0))? == 0 {
        if let Some(folder) = path.parent() {
            crate::objects::sync_folder(folder);
        }
        return Ok((file, false));
    }
    file.seek(SeekFrom::End(-1))?;
    let mut last = [0];
    file.read_exact(&mut last)?;
    Ok((file, last != [b'\n']))
}
