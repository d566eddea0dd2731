//! Stage 1: the block is received, unless the call is cancelled already.

use adroit_protocol::message::{CallInput, ToolCall};

use super::call::{Call, Ending};

/// A call that was received.
pub(super) struct Requested {
    pub(super) name: String,
    pub(super) input: CallInput,
}

pub(super) fn receive(call: &Call, received: ToolCall) -> Result<Requested, Ending> {
    let mut stage = call.trace.enter(1);
    if let Err(ending) = call.check_cancelled() {
        stage.note("cancelled before it began");
        return Err(ending);
    }
    stage.passed();
    Ok(Requested {
        name: received.name,
        input: received.input,
    })
}
