//! Places at which a test ends the process, to see what a crash there leaves.

use std::sync::Arc;

/// A place between two effects.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Point {
    /// A content was written to its temporary file and has no name yet.
    ContentWritten,
    /// All contents are in the store; the journal does not know of them.
    ContentsKept,
    /// The journal says that the step began; nothing was changed.
    Begun,
    /// One file of an undo was written, others not yet.
    FileWritten,
    /// The files are changed; the journal does not say that the step ended.
    Changed,
}

/// Is told when such a place is passed. In the app nobody listens.
#[derive(Clone, Default)]
pub struct Faults {
    listener: Option<Arc<dyn Fn(Point) + Send + Sync>>,
}

impl Faults {
    /// Calls `listener` at every such place.
    pub fn new(listener: impl Fn(Point) + Send + Sync + 'static) -> Self {
        Self {
            listener: Some(Arc::new(listener)),
        }
    }

    pub(crate) fn pass(&self, point: Point) {
        if let Some(listener) = &self.listener {
            listener(point);
        }
    }
}

impl std::fmt::Debug for Faults {
    fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        formatter.write_str("Faults")
    }
}
