//! Stage 10: the tool is called, with the input that was authorised and no other.
//!
//! A cancelled call is told so and has [`crate::Execution::grace`] to end by itself, so
//! that it may clean up (kill its processes, remove a temporary file). Then it is
//! dropped. Where it ends well within the grace, it *was* done, and its result says so.

use std::panic::AssertUnwindSafe;
use std::pin::Pin;
use std::sync::Arc;

use adroit_permissions::Authorized;
use adroit_protocol::event::CallStatus;
use adroit_tool::{
    CallContext, CancelReason, ErasedOutcome, ErasedStage, ParsedInput, Progress, ProgressSender,
    ToolFailure,
};
use futures::FutureExt;
use tokio::sync::mpsc::{UnboundedReceiver, unbounded_channel};
use tokio::time::{Sleep, sleep};
use tracing::{Instrument, Span};

use super::call::{Call, Ending};
use super::panic_message;
use super::present::present;
use super::stage_08_consent::Approved;
use super::stage_09_span_start::Started;
use crate::pool::PoolTool;
use crate::ports::Starting;
use crate::wording;

/// A call that has run.
pub(super) struct Ran {
    pub(super) tool: Arc<PoolTool>,
    pub(super) input: ParsedInput,
    pub(super) words: Vec<String>,
    pub(super) span: Span,
    pub(super) outcome: RunOutcome,
}

/// What came of the run.
pub(super) enum RunOutcome {
    /// It was done.
    Succeeded(ErasedOutcome),
    /// It failed.
    Failed(ToolFailure),
    /// It was cancelled while it ran.
    Cancelled {
        /// Why.
        reason: CancelReason,
        /// What the tool said of it, where it ended by itself.
        left: Option<ToolFailure>,
    },
}

pub(super) async fn run(call: &Call, started: Started) -> Result<Ran, Ending> {
    let mut stage = call.trace.enter(10);
    let Started {
        approved:
            Approved {
                tool,
                words,
                input,
                authorized,
            },
        span,
    } = started;
    let input = authorized_input(call, &tool, input, authorized)?;
    let _turn = match call.unless_cancelled(call.turn()).await {
        Ok(turn) => turn,
        Err(ending) => {
            stage.note("cancelled before it ran");
            return Err(ending);
        }
    };
    let keeps = !call.is_read_only();
    if keeps && let Err(failure) = keep(call, &tool, &input).await {
        stage.note(format!("not run: {}", failure.code));
        return Err(Ending::Failed(failure));
    }
    call.begin();
    call.tell_stage(
        CallStatus::Running,
        ErasedStage::Running {
            input: &input,
            progress: None,
        },
    );
    let ended = drive(call, &tool, &input).instrument(span.clone()).await;
    call.end();
    if keeps {
        call.engine.checkpoints.after(&call.id).await;
    }
    let reason = call.context.cancellation.reason();
    let outcome = match (ended, reason) {
        (Some(Ok(outcome)), _) => {
            stage.passed();
            RunOutcome::Succeeded(outcome)
        }
        (Some(Err(failure)), None) => {
            stage.passed_with(format!("failed: {}", failure.code));
            RunOutcome::Failed(failure)
        }
        (Some(Err(left)), Some(reason)) => {
            stage.passed_with(reason.label());
            RunOutcome::Cancelled {
                reason,
                left: Some(left),
            }
        }
        (None, reason) => {
            stage.passed_with("cancelled, and dropped after its grace");
            RunOutcome::Cancelled {
                reason: reason.unwrap_or(CancelReason::Stopped),
                left: None,
            }
        }
    };
    Ok(Ran {
        tool,
        input,
        words,
        span,
        outcome,
    })
}

/// The input inside the authorisation, which is used up here. Were it another call's, or
/// another tool's, nothing would run.
fn authorized_input(
    call: &Call,
    tool: &PoolTool,
    input: ParsedInput,
    authorized: Authorized,
) -> Result<ParsedInput, Ending> {
    let foreign = authorized.call() != &call.id || authorized.tool() != tool.tool().name();
    if foreign {
        let message = format!(
            "{} was not called: the authorisation is of another call.",
            tool.tool().name()
        );
        return Err(Ending::Failed(ToolFailure::new(
            "foreign_authorisation",
            message,
        )));
    }
    if Arc::ptr_eq(authorized.input(), input.value()) {
        return Ok(input);
    }
    let parsed = tool.tool().parse(Arc::clone(authorized.input()));
    parsed.map_err(|problem| Ending::Failed(ToolFailure::new(problem.code, problem.message)))
}

/// Has what the call may change kept before it runs. Not cut short by a cancellation: half of a
/// look at the files is of no use, and its end is bounded.
async fn keep(call: &Call, tool: &PoolTool, input: &ParsedInput) -> Result<(), ToolFailure> {
    let starting = Starting {
        call: call.id.clone(),
        title: present(call, ErasedStage::Queued { input }).title,
        subject: tool.tool().subject(input, &call.context),
    };
    call.engine.checkpoints.before(starting).await
}

/// Runs the tool and tells its progress. `None` when it was dropped.
async fn drive(
    call: &Call,
    tool: &PoolTool,
    input: &ParsedInput,
) -> Option<Result<ErasedOutcome, ToolFailure>> {
    let (sender, mut progress) = unbounded_channel();
    let context = CallContext {
        progress: ProgressSender::new(call.id.clone(), sender),
        originals: call.engine.checkpoints.originals(&call.id),
        ..call.context.clone()
    };
    // Inside of an async block, so that a panic before the first await is caught as well.
    let running = async { tool.tool().call(input, context).await };
    let mut running = std::pin::pin!(AssertUnwindSafe(running).catch_unwind());
    let mut cancelled = std::pin::pin!(call.context.cancellation.cancelled());
    let mut grace: Option<Pin<Box<Sleep>>> = None;
    loop {
        tokio::select! {
            biased;
            ended = &mut running => {
                tell_progress(call, input, &mut progress, None);
                return Some(ended.unwrap_or_else(|panic| Err(panicked(call, panic.as_ref()))));
            }
            () = &mut cancelled, if grace.is_none() => {
                grace = Some(Box::pin(sleep(call.engine.execution.grace)));
            }
            () = async { if let Some(grace) = &mut grace { grace.await } }, if grace.is_some() => return None,
            Some((_, first)) = progress.recv() => tell_progress(call, input, &mut progress, Some(first)),
        }
    }
}

pub(super) fn panicked(call: &Call, panic: &(dyn std::any::Any + Send)) -> ToolFailure {
    let message = panic_message(panic);
    tracing::error!(tool = call.tool_name(), "a tool panicked");
    ToolFailure::new("panicked", wording::panicked(call.tool_name(), &message))
        .with_summary("internal error")
}

/// Tells the newest of the progress that waits: a tool that floods costs one view a turn.
fn tell_progress(
    call: &Call,
    input: &ParsedInput,
    waiting: &mut UnboundedReceiver<(adroit_protocol::CallId, Progress)>,
    first: Option<Progress>,
) {
    let still_runs = first.is_some();
    let mut newest = first.unwrap_or_default();
    while let Ok((_, next)) = waiting.try_recv() {
        newest = Progress {
            message: next.message.or(newest.message),
            terminal: next.terminal.or(newest.terminal),
            folder: next.folder.or(newest.folder),
            // A question that was answered is no longer told.
            question: next.question,
            sub_session: next.sub_session.or(newest.sub_session),
        };
    }
    if let Some(terminal) = &newest.terminal {
        call.set_terminal(terminal.clone());
    }
    // Progress that came with the end itself is told by the end.
    if still_runs {
        call.tell_stage(
            CallStatus::Running,
            ErasedStage::Running {
                input,
                progress: Some(&newest),
            },
        );
    }
}
