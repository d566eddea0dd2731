//! Reading a transcript, whatever happened to its file.

use std::path::Path;

use serde_json::Value;

use super::entry::Entry;
use crate::file::FileError;

/// What could be read.
#[derive(Debug, Default, PartialEq)]
pub struct ReadTranscript {
    /// The entries, in order.
    pub entries: Vec<Entry>,
    /// Lines of a kind that this version does not know. Kept in the file.
    pub unknown: usize,
    /// Damaged places that were passed over.
    pub damaged: usize,
}

/// Reads the whole file.
///
/// # Errors
/// The file cannot be read at all.
pub fn read(path: &Path) -> Result<ReadTranscript, FileError> {
    let bytes = fs_err::read(path).map_err(FileError::io("cannot read", path))?;
    Ok(parse(&bytes))
}

/// Reads the lines.
pub(super) fn parse(bytes: &[u8]) -> ReadTranscript {
    let mut transcript = ReadTranscript::default();
    for line in bytes.split(|byte| *byte == b'\n') {
        // A crash of the machine can leave a run of NUL bytes where data was to come.
        let line = line.trim_ascii();
        let line: &[u8] = {
            let start = line
                .iter()
                .position(|byte| *byte != 0)
                .unwrap_or(line.len());
            if start > 0 && start < line.len() {
                transcript.damaged += 1;
            }
            &line[start..]
        };
        if !line.is_empty() {
            transcript.add_line(line);
        }
    }
    transcript
}

impl ReadTranscript {
    fn add_line(&mut self, line: &[u8]) {
        match serde_json::from_slice::<Value>(line) {
            Ok(value) => self.add_value(value),
            Err(_) => {
                self.damaged += 1;
                if let Some(value) = spliced(line) {
                    self.add_value(value);
                }
            }
        }
    }

    fn add_value(&mut self, value: Value) {
        match serde_json::from_value(value) {
            Ok(entry) => self.entries.push(entry),
            Err(_) => self.unknown += 1,
        }
    }
}

/// The whole object at the end of a line that begins with half of another: a write that was
/// cut, followed by the next one.
fn spliced(line: &[u8]) -> Option<Value> {
    let start = br#"{"at":"#;
    line.windows(start.len())
        .enumerate()
        .skip(1)
        .filter(|(_, window)| window == start)
        .find_map(|(index, _)| serde_json::from_slice(&line[index..]).ok())
}

#[cfg(test)]
mod tests {
    use super::super::entry::EntryBody;
    use super::*;

    fn line(number: usize) -> String {
        let entry = Entry {
            at: 1,
            body: EntryBody::User {
                text: format!("message {number}"),
            },
        };
        serde_json::to_string(&entry).unwrap()
    }

    #[test]
    fn damage_in_the_middle_costs_only_itself() {
        let mut text = String::new();
        for number in 0..400 {
            match number {
                120 => {
                    let half = line(120);
                    text.push_str(&half[..half.len() / 2]);
                }
                200 => text.push_str(&format!("{}{}\n", "\0".repeat(50), line(200))),
                300 => text.push('\n'),
                _ => text.push_str(&format!("{}\n", line(number))),
            }
        }
        let read = parse(text.as_bytes());
        assert_eq!(
            read.entries.len(),
            398,
            "all but the half line and the empty one"
        );
        assert_eq!(read.damaged, 2);
        assert!(
            read.entries.iter().any(
                |entry| matches!(&entry.body, EntryBody::User { text } if text == "message 121")
            )
        );
        assert!(
            read.entries.iter().any(
                |entry| matches!(&entry.body, EntryBody::User { text } if text == "message 200")
            )
        );
    }

    #[test]
    fn a_torn_last_line_is_passed_over() {
        let whole = line(1);
        let read = parse(format!("{whole}\n{}", &whole[..10]).as_bytes());
        assert_eq!((read.entries.len(), read.damaged), (1, 1));
    }

    #[test]
    fn lines_of_a_newer_version_are_counted_not_lost() {
        let read = parse(format!("{{\"at\":1,\"type\":\"hologram\"}}\n{}\n", line(1)).as_bytes());
        assert_eq!((read.entries.len(), read.unknown, read.damaged), (1, 1, 0));
    }
}
