//! The moments at which a call is presented.

use serde_json::Value;

use crate::{CancelReason, Progress, Tool, ToolFailure};

/// One moment of a call, with what is known then.
///
/// [`Tool::present`] must be total on all of them; in `Writing` the input is whatever
/// has arrived, so anything may be missing.
pub enum Stage<'a, T: Tool> {
    /// The model still writes the input.
    Writing {
        /// What has arrived, closed to valid JSON.
        partial: &'a Value,
    },
    /// The input is complete; the call waits for its turn.
    Queued {
        /// The input.
        input: &'a T::Input,
    },
    /// It runs.
    Running {
        /// The input.
        input: &'a T::Input,
        /// The last progress.
        progress: Option<&'a Progress>,
    },
    /// It is done.
    Succeeded {
        /// The input.
        input: &'a T::Input,
        /// What came of it.
        output: &'a T::Output,
    },
    /// A rule, a mode, a hook or the person said no.
    Rejected {
        /// The input.
        input: &'a T::Input,
        /// Who and why.
        reason: &'a str,
    },
    /// It failed, perhaps before its input was understood.
    Failed {
        /// The input as far as there is one.
        partial: &'a Value,
        /// The failure.
        failure: &'a ToolFailure,
    },
    /// It was cancelled.
    Cancelled {
        /// The input as far as there is one.
        partial: &'a Value,
        /// Why.
        reason: &'a CancelReason,
    },
}
