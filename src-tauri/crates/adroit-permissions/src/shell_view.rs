//! What rules look at in a shell command, worked out once for a decision.

use std::ops::Range;
use std::path::Path;
use std::sync::OnceLock;

use adroit_shell::{Access, Analysis, Below, CommandPart, PathUse, Sight};

use crate::facts::WorkspaceFacts;
use crate::opaque::is_opaque;
use crate::path_view::PathView;
use crate::segment::Segment;

/// The texts and paths of a command.
#[derive(Debug)]
pub(crate) struct ShellView {
    /// Everything that a deny or ask rule may match: each command with and
    /// without its wrappers, nested ones included.
    pub(crate) texts: Vec<String>,
    pub(crate) paths: Vec<ShellPath>,
    /// Words that may name a file: only what forbids looks at them.
    pub(crate) mentions: Vec<ShellPath>,
    /// As the analysis has them.
    pub(crate) parts: Vec<ShellPart>,
}

/// A word that the command uses as a path.
#[derive(Debug)]
pub(crate) struct ShellPath {
    pub(crate) word: String,
    pub(crate) span: Range<usize>,
    /// Of the part before a glob, with the glob; `None` when only the shell can know it.
    pub(crate) view: Option<PathView>,
    pub(crate) access: Access,
    pub(crate) outside: bool,
    pub(crate) part: usize,
    /// Files below it are meant too.
    pub(crate) below: Option<BelowView>,
    /// How much of it is seen, where it is read.
    pub(crate) sight: Sight,
}

/// Which files below a folder are meant.
#[derive(Debug)]
pub(crate) struct BelowView {
    /// Names with a leading dot too.
    pub(crate) hidden: bool,
    /// Patterns of names; none when any name is meant.
    pub(crate) names: Vec<Segment>,
    /// It is known which names are meant.
    pub(crate) certain: bool,
    /// Whether there is a folder at all is not known.
    pub(crate) perhaps: bool,
}

impl ShellPath {
    fn new(path: &PathUse, workspace: &WorkspaceFacts) -> Self {
        Self {
            word: path.word.clone(),
            span: path.span.clone(),
            view: path.resolved.as_deref().map(|resolved| {
                let mut view = PathView::new(resolved, workspace);
                view.glob = glob_of(&path.word, resolved);
                view
            }),
            access: path.access,
            outside: path.outside,
            part: path.part,
            sight: path.sight,
            below: path.below.as_ref().map(|below| BelowView {
                hidden: below.hidden,
                names: below
                    .names
                    .iter()
                    .map(|name| Segment::from_shell(name))
                    .collect(),
                perhaps: below.perhaps,
                certain: !below.perhaps
                    && !below.names.is_empty()
                    && below.names.iter().all(|name| name != Below::SOME),
            }),
        }
    }

    /// The whole path, where it is known.
    pub(crate) fn known(&self) -> Option<&PathView> {
        self.view.as_ref().filter(|view| view.glob.is_empty())
    }

    /// The path, or what is fixed of it.
    pub(crate) fn resolved(&self) -> Option<&Path> {
        self.view.as_ref().map(|view| view.path.as_path())
    }
}

/// A simple command, in the texts that rules are matched against.
#[derive(Debug)]
pub(crate) struct ShellPart {
    pub(crate) raw: String,
    pub(crate) allow_forms: Vec<String>,
    pub(crate) only_exact: bool,
    pub(crate) opaque: bool,
    /// Set once it is known that no allow rule covers it.
    pub(crate) uncovered: OnceLock<()>,
    /// It only reads once its redirects are taken away. Asked for rarely, and dear.
    pub(crate) reads_without_redirects: OnceLock<bool>,
}

impl ShellView {
    pub(crate) fn new(
        command: &str,
        analysis: &Analysis,
        workspace: &WorkspaceFacts,
        wants_mentions: bool,
    ) -> Self {
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
        let seen = |paths: &[PathUse]| {
            paths
                .iter()
                .map(|path| ShellPath::new(path, workspace))
                .collect()
        };
        let paths = seen(&analysis.paths);
        // Most commands are judged where no rule speaks of files: then nobody looks.
        let mentions = if wants_mentions {
            seen(&analysis.mentions)
        } else {
            Vec::new()
        };
        let parts = analysis
            .parts
            .iter()
            .map(|part| ShellPart {
                raw: raw_text(part),
                allow_forms: part.allow_forms(),
                only_exact: part.refuses_prefix_rules(),
                opaque: is_opaque(part),
                uncovered: OnceLock::new(),
                reads_without_redirects: OnceLock::new(),
            })
            .collect();
        Self {
            texts,
            paths,
            mentions,
            parts,
        }
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

fn glob_of(word: &str, resolved: &Path) -> Vec<Segment> {
    let is_glob = |name: &&str| name.contains(['*', '?', '[']);
    let names: Vec<&str> = word
        .split('/')
        .filter(|name| !matches!(*name, "" | "."))
        .collect();
    // A quoted star is a name like any other, and then the whole word is resolved.
    let whole = match (resolved.file_name(), names.last()) {
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
