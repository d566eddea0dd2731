//! Cancellation with its reason: the model and the person are told *why* a call ended.

use std::sync::{Arc, OnceLock};

use tokio_util::sync::{CancellationToken, WaitForCancellationFuture};

/// Why a call was cancelled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum CancelReason {
    /// The person pressed Stop.
    Stopped,
    /// The person said something new, and the tool says that this cancels it.
    Interrupted,
    /// An earlier Bash call of the same message failed.
    SiblingFailed {
        /// The failed call, in words.
        failed: String,
    },
    /// The answer that the call belongs to was discarded and asked for again.
    StreamDiscarded,
    /// The app ends.
    Shutdown,
}

impl CancelReason {
    /// What the model reads.
    #[must_use]
    pub fn message_for_model(&self) -> String {
        match self {
            Self::Stopped => {
                "Cancelled: the user stopped the turn before this call finished.".to_owned()
            }
            Self::Interrupted => {
                "Cancelled: the user sent a new message, and this call gives way to it.".to_owned()
            }
            Self::SiblingFailed { failed } => {
                format!(
                    "Cancelled: the parallel call {failed} failed, and this one may depend on it."
                )
            }
            Self::StreamDiscarded => {
                "Discarded: the answer that made this call was cut off and is asked for again."
                    .to_owned()
            }
            Self::Shutdown => "Cancelled: the app was closed before this call finished.".to_owned(),
        }
    }

    /// What the person reads, in a few words.
    #[must_use]
    pub fn label(&self) -> &'static str {
        match self {
            Self::Stopped => "stopped",
            Self::Interrupted => "interrupted",
            Self::SiblingFailed { .. } => "cancelled by a failed call",
            Self::StreamDiscarded => "discarded",
            Self::Shutdown => "app closed",
        }
    }
}

/// A signal that is given at most once, with the first reason kept.
///
/// A child is cancelled with its parent and has the parent's reason unless it was
/// cancelled before for a reason of its own.
#[derive(Clone, Debug, Default)]
pub struct Cancellation {
    token: CancellationToken,
    reasons: Arc<Reasons>,
}

#[derive(Debug, Default)]
struct Reasons {
    own: OnceLock<CancelReason>,
    parent: Option<Arc<Reasons>>,
}

impl Reasons {
    fn first(&self) -> Option<&CancelReason> {
        self.own
            .get()
            .or_else(|| self.parent.as_deref().and_then(Self::first))
    }
}

impl Cancellation {
    /// A signal of its own.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// A signal that is given when this one is, and can be given alone.
    #[must_use]
    pub fn child(&self) -> Self {
        Self {
            token: self.token.child_token(),
            reasons: Arc::new(Reasons {
                own: OnceLock::new(),
                parent: Some(Arc::clone(&self.reasons)),
            }),
        }
    }

    /// Gives the signal. A second reason is ignored.
    pub fn cancel(&self, reason: CancelReason) {
        // The reason comes first: whoever sees the signal finds a reason.
        if !self.token.is_cancelled() {
            let _ = self.reasons.own.set(reason);
        }
        self.token.cancel();
    }

    /// True once the signal was given.
    #[must_use]
    pub fn is_cancelled(&self) -> bool {
        self.token.is_cancelled()
    }

    /// Why, once the signal was given.
    #[must_use]
    pub fn reason(&self) -> Option<CancelReason> {
        self.is_cancelled().then(|| {
            self.reasons
                .first()
                .cloned()
                .unwrap_or(CancelReason::Stopped)
        })
    }

    /// Waits for the signal.
    pub fn cancelled(&self) -> WaitForCancellationFuture<'_> {
        self.token.cancelled()
    }

    /// The bare token, for libraries that take one.
    #[must_use]
    pub fn token(&self) -> &CancellationToken {
        &self.token
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_first_reason_stays() {
        let cancellation = Cancellation::new();
        assert_eq!(cancellation.reason(), None);
        cancellation.cancel(CancelReason::Interrupted);
        cancellation.cancel(CancelReason::Stopped);
        assert_eq!(cancellation.reason(), Some(CancelReason::Interrupted));
    }

    #[test]
    fn a_child_has_its_parents_reason() {
        let parent = Cancellation::new();
        let child = parent.child();
        parent.cancel(CancelReason::Shutdown);
        assert_eq!(child.reason(), Some(CancelReason::Shutdown));
    }

    #[test]
    fn a_child_is_cancelled_alone_and_keeps_its_reason() {
        let parent = Cancellation::new();
        let child = parent.child();
        child.cancel(CancelReason::SiblingFailed {
            failed: "Bash(make)".into(),
        });
        assert!(!parent.is_cancelled());
        parent.cancel(CancelReason::Stopped);
        assert_eq!(
            child.reason(),
            Some(CancelReason::SiblingFailed {
                failed: "Bash(make)".into()
            })
        );
    }
}
