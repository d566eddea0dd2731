//! Places in files that a person opens from what a command printed or a call named.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::SessionId;
use crate::permission::Position;
use crate::wire::wire;

wire! {
    /// Which of some words name a file.
    struct FindFiles {
        /// The session, whose workspace they are looked for in.
        session: SessionId,
        /// The folder that relative ones start at; where they are not there, the project is tried.
        folder: String,
        /// The words. No more than [`FindFiles::MOST`] are looked at.
        names: Vec<String>,
    }
    /// The files, in the order of the words; nothing for one that names no file of the workspace.
    struct FoundFiles {
        /// Absolute, links as they were named.
        paths: Vec<Option<String>>,
    }
    /// Some lines of a file.
    struct ViewFile {
        /// The session, whose workspace the file is in.
        session: SessionId,
        /// The file, absolute or from the project's folder.
        path: String,
        /// The first line wanted, from 1.
        first: u32,
        /// How many. No more than [`ViewFile::MOST`] come.
        count: u32,
    }
    /// Lines of a file.
    struct FileLines {
        /// The file, absolute.
        path: String,
        /// The file as shown: from the project's folder where it is in it.
        shown: String,
        /// Number of the first line that came, from 1.
        first: u32,
        /// The lines, without their endings; very long ones cut.
        lines: Vec<String>,
        /// How many lines the file has.
        total: u32,
        /// Whether the person named an editor that it can be opened in.
        editor: bool,
    }
    /// A place for the person's own editor.
    struct EditPlace {
        /// The session, whose workspace the file is in.
        session: SessionId,
        /// The file, absolute or from the project's folder.
        path: String,
        /// Where in it.
        position: Option<Position>,
    }
}

impl FindFiles {
    /// The most words of one question: more than one line of a terminal holds.
    pub const MOST: usize = 64;
}

impl ViewFile {
    /// The most lines of one answer.
    pub const MOST: u32 = 2_000;
}
