//! Views of a call, whatever its tool does.

use std::panic::{AssertUnwindSafe, catch_unwind};

use adroit_protocol::view::{Block, Tone, View};
use adroit_tool::ErasedStage;

use super::call::Call;

/// The tool's view of a moment. A tool that fails to present itself has a plain view:
/// how a call looks must never decide how it ends.
pub(crate) fn present(call: &Call, stage: ErasedStage<'_>) -> View {
    let Some(tool) = call.tool() else {
        return View::titled(call.tool_name());
    };
    catch_unwind(AssertUnwindSafe(|| tool.present(stage))).unwrap_or_else(|_| {
        tracing::error!(
            tool = call.tool_name(),
            "a tool panicked while it was presented"
        );
        View::titled(tool.tool().user_facing_name())
    })
}

/// The view of a call whose tool is not known.
pub(crate) fn unresolved(name: &str, summary: &str, message: &str, tone: Tone) -> View {
    View {
        summary: Some(summary.to_owned()),
        tone,
        blocks: vec![Block::Notice {
            tone,
            text: message.to_owned(),
        }],
        ..View::titled(name.chars().take(80).collect::<String>())
    }
}
