//! Stage 1: the block is received, unless the call is cancelled already.

use super::call::{Call, Ending, Sent};

/// A call that was received.
pub(super) struct Requested {
    pub(super) sent: Sent,
}

pub(super) fn receive(call: &Call, sent: Sent) -> Result<Requested, Ending> {
    let mut stage = call.trace.enter(1);
    if let Err(ending) = call.check_cancelled() {
        stage.note("cancelled before it began");
        return Err(ending);
    }
    stage.passed();
    Ok(Requested { sent })
}
