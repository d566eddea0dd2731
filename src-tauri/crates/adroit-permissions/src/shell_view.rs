//! What rules look at in a shell command, worked out once for a decision.

use std::ops::Range;
use std::path::PathBuf;

use adroit_shell::{Access, Analysis, CommandPart};

use crate::lexical;
use crate::segment::Segment;

/// The texts and paths of a command.
#[derive(Debug)]
pub(crate) struct ShellView {
    /// Everything that a deny or ask rule may match: each command with and
    /// without its wrappers, nested ones included.
    pub(crate) texts: Vec<String>,
    pub(crate) paths: Vec<ShellPath>,
}

/// A word that the command uses as a path.
#[derive(Debug)]
pub(crate) struct ShellPath {
    pub(crate) word: String,
    pub(crate) span: Range<usize>,
    /// Of the part before a glob; `None` when only the shell can know it.
    pub(crate) resolved: Option<PathBuf>,
    /// The names from the first glob on; empty without one.
    pub(crate) glob: Vec<Segment>,
    pub(crate) access: Access,
    pub(crate) outside: bool,
    pub(crate) part: usize,
}

impl ShellView {
    pub(crate) fn new(command: &str, analysis: &Analysis) -> Self {
        let mut texts: Vec<String> = Vec::new();
        for part in analysis.parts.iter().chain(&analysis.suspected_parts) {
            texts.extend(part.deny_forms());
            texts.push(raw_text(part));
        }
        if !analysis.understood {
            // Odd syntax must not dodge a rule: its text as it stands, line by line.
            texts.push(command.trim().to_owned());
            texts.extend(command.lines().map(|line| line.trim().to_owned()));
        }
        texts.retain(|text| !text.is_empty());
        texts.sort_unstable();
        texts.dedup();
        let paths = analysis
            .paths
            .iter()
            .map(|path| ShellPath {
                word: path.word.clone(),
                span: path.span.clone(),
                glob: glob_of(&path.word, path.resolved.as_ref()),
                resolved: path.resolved.as_deref().map(lexical::clean),
                access: path.access,
                outside: path.outside,
                part: path.part,
            })
            .collect();
        Self { texts, paths }
    }
}

/// The words as written, without assignments and redirects.
pub(crate) fn raw_text(part: &CommandPart) -> String {
    part.words
        .iter()
        .map(|word| word.raw.as_str())
        .collect::<Vec<_>>()
        .join(" ")
}

fn glob_of(word: &str, resolved: Option<&PathBuf>) -> Vec<Segment> {
    let is_glob = |name: &&str| name.contains(['*', '?', '[']);
    let names: Vec<&str> = word
        .split('/')
        .filter(|name| !matches!(*name, "" | "."))
        .collect();
    // A quoted star is a name like any other, and then the whole word is resolved.
    let whole = match (resolved.and_then(|path| path.file_name()), names.last()) {
        (Some(end), Some(last)) => end.to_str() == Some(*last),
        _ => false,
    };
    if whole {
        return Vec::new();
    }
    match names.iter().position(is_glob) {
        Some(first) => names
            .get(first..)
            .unwrap_or_default()
            .iter()
            .map(|name| Segment::from_shell(name))
            .collect(),
        None => Vec::new(),
    }
}
