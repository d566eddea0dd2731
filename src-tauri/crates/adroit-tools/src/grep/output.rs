//! What comes of a search.

use adroit_workspace::search::HitLine;
use serde::Serialize;

use super::OutputMode;
use crate::files::counted;

/// What was found.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct GrepOutput {
    /// What was asked for.
    pub mode: OutputMode,
    /// Whether line numbers are shown.
    pub line_numbers: bool,
    /// Files in the order of their paths.
    pub files: Vec<FileResult>,
    /// Files that match in all.
    pub total_files: u64,
    /// Lines that match in all, where they were counted.
    pub total_lines: u64,
    /// Matches in all, where they were counted.
    pub total_occurrences: u64,
    /// Lines (content) or files that are not returned.
    pub more: u64,
    /// The time ran out.
    pub partial: bool,
    /// Remarks on what was not looked at, and on the pattern.
    pub notes: Vec<String>,
}

/// The matches in one file.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FileResult {
    /// Relative to the project where inside.
    pub path: String,
    /// Its lines.
    pub lines: Vec<Line>,
    /// Lines that match.
    pub matching_lines: u64,
    /// Matches.
    pub occurrences: u64,
}

/// One line.
#[derive(Clone, Debug, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Line {
    /// From 1.
    pub number: u64,
    /// As shown.
    pub text: String,
    /// Where it matched, as UTF-16 offsets.
    pub ranges: Vec<[u32; 2]>,
    /// Shown because it is near a match.
    pub context: bool,
    /// Lines are left out before it.
    pub gap_before: bool,
}

impl From<HitLine> for Line {
    fn from(line: HitLine) -> Self {
        let HitLine {
            number,
            text,
            ranges,
            context,
            gap_before,
        } = line;
        Self {
            number,
            text,
            ranges,
            context,
            gap_before,
        }
    }
}

impl GrepOutput {
    pub(super) fn for_model(&self) -> String {
        let mut text = String::new();
        let mut separate = false;
        let has_context = self
            .files
            .iter()
            .flat_map(|file| &file.lines)
            .any(|line| line.context);
        for file in &self.files {
            match self.mode {
                OutputMode::FilesWithMatches => text.push_str(&format!("{}\n", file.path)),
                OutputMode::Count => text.push_str(&count_line(file)),
                OutputMode::Content => {
                    for line in &file.lines {
                        if line.gap_before || (separate && has_context) {
                            text.push_str("--\n");
                        }
                        separate = false;
                        let sign = if line.context { '-' } else { ':' };
                        text.push_str(&file.path);
                        if self.line_numbers {
                            text.push_str(&format!("{sign}{}", line.number));
                        }
                        text.push_str(&format!("{sign}{}\n", line.text));
                    }
                    separate = true;
                }
            }
        }
        for note in self.remarks() {
            text.push_str(&format!("[{note}]\n"));
        }
        text.trim_end_matches('\n').to_owned()
    }

    fn remarks(&self) -> Vec<String> {
        let mut remarks = Vec::new();
        if self.partial {
            let so_far = counted(self.total_files, "file matches", "files match");
            remarks.push(format!("the search ran out of time; this is only a part ({so_far} so far). Narrow the path, glob or type"));
        } else if self.total_files == 0 {
            remarks.push("no matches".to_owned());
        }
        if self.more > 0 {
            remarks.push(match self.mode {
                OutputMode::Content => format!(
                    "{} more matching lines; {} in {} in all. Raise head_limit or narrow the search",
                    self.more,
                    self.total_lines,
                    counted(self.total_files, "file", "files")
                ),
                _ => format!("{} more; raise head_limit or narrow the search", counted(self.more, "file", "files")),
            });
        }
        if self.mode == OutputMode::Count && self.total_files > 0 {
            remarks.push(format!(
                "{} with {} in {}",
                counted(self.total_lines, "matching line", "matching lines"),
                counted(self.total_occurrences, "match", "matches"),
                counted(self.total_files, "file", "files")
            ));
        }
        remarks.extend(self.notes.iter().cloned());
        remarks
    }
}

/// `src/a.rs:3`, with the number of matches where lines match more than once.
fn count_line(file: &FileResult) -> String {
    if file.occurrences == file.matching_lines {
        format!("{}:{}\n", file.path, file.matching_lines)
    } else {
        format!(
            "{}:{} ({} matches)\n",
            file.path, file.matching_lines, file.occurrences
        )
    }
}
