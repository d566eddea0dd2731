//! A path as patterns see it: its names below each anchor, worked out once.

use std::path::{Path, PathBuf};

use crate::facts::WorkspaceFacts;
use crate::lexical;
use crate::path_pattern::Anchor;
use crate::segment::Segment;

/// An absolute clean path, taken apart for matching against many patterns.
#[derive(Clone, Debug)]
pub(crate) struct PathView {
    pub(crate) path: PathBuf,
    /// Names of a shell glob that follow; empty for a path that is known whole.
    pub(crate) glob: Vec<Segment>,
    file_system: Vec<String>,
    home: Option<Vec<String>>,
    project: Option<Vec<String>>,
    current: Option<Vec<String>>,
}

impl PathView {
    pub(crate) fn new(path: &Path, workspace: &WorkspaceFacts) -> Self {
        let path = lexical::clean(path);
        let below = |anchor: &Path| {
            path.strip_prefix(anchor).ok().map(|rest| {
                lexical::segments(rest)
                    .into_iter()
                    .map(std::borrow::Cow::into_owned)
                    .collect()
            })
        };
        Self {
            file_system: below(Path::new("/")).unwrap_or_default(),
            home: below(&workspace.home),
            project: below(&workspace.root),
            current: below(&workspace.cwd),
            glob: Vec::new(),
            path,
        }
    }

    /// The names below `anchor`; `None` where the path lies elsewhere.
    pub(crate) fn below(&self, anchor: Anchor) -> Option<&[String]> {
        match anchor {
            Anchor::FileSystem => Some(&self.file_system),
            Anchor::Home => self.home.as_deref(),
            Anchor::Project => self.project.as_deref(),
            Anchor::Current => self.current.as_deref(),
        }
    }

    /// The names below the folder `up` levels above `anchor`.
    pub(crate) fn below_parent(&self, anchor: &Path, up: usize) -> Option<Vec<String>> {
        let parent = anchor.ancestors().nth(up).unwrap_or(Path::new("/"));
        let rest = self.path.strip_prefix(parent).ok()?;
        Some(
            lexical::segments(rest)
                .into_iter()
                .map(std::borrow::Cow::into_owned)
                .collect(),
        )
    }
}
