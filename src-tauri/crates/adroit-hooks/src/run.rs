//! One run of one hook: what came of it, and its record.

use std::time::{Instant, SystemTime, UNIX_EPOCH};

use adroit_protocol::CallId;
use adroit_protocol::hook::{HookOutcome, HookRun};

use crate::answer::{Said, shortened};
use crate::entry::HookEntry;
use crate::runtime::HookObserver;

/// Characters of each output that a record keeps.
const SHOWN: usize = 4_000;

/// What came of a run.
pub(crate) struct Ran {
    pub(crate) said: Said,
    pub(crate) code: Option<i32>,
    pub(crate) output: String,
    pub(crate) errors: String,
}

impl Ran {
    pub(crate) fn without_output(said: Said) -> Self {
        Self {
            said,
            code: None,
            output: String::new(),
            errors: String::new(),
        }
    }
}

/// A run that goes on. Where it is dropped, because its call was cancelled, it is recorded
/// as cancelled: every start has an end.
pub(crate) struct Recording<'a> {
    run: Option<HookRun>,
    begun: Instant,
    observer: &'a dyn HookObserver,
}

impl<'a> Recording<'a> {
    pub(crate) fn begin(
        entry: &HookEntry,
        call: Option<&CallId>,
        observer: &'a dyn HookObserver,
    ) -> Self {
        let run = HookRun {
            hook: entry.id.clone(),
            label: entry.label(),
            event: entry.event,
            source: entry.place.source,
            call: call.cloned(),
            outcome: HookOutcome::Cancelled,
            message: None,
            changed_input: false,
            code: None,
            output: String::new(),
            errors: String::new(),
            at: now_ms(),
            duration_ms: 0,
        };
        Self {
            run: Some(run),
            begun: Instant::now(),
            observer,
        }
    }

    fn elapsed_ms(&self) -> u64 {
        u64::try_from(self.begun.elapsed().as_millis()).unwrap_or(u64::MAX)
    }

    pub(crate) fn end(mut self, ran: &Ran) -> Option<HookRun> {
        let duration_ms = self.elapsed_ms();
        let run = self.run.take()?;
        let run = HookRun {
            outcome: ran.said.outcome,
            message: ran.said.message.clone(),
            changed_input: ran.said.updated_input.is_some(),
            code: ran.code,
            output: if ran.said.quiet {
                String::new()
            } else {
                shortened(ran.output.trim_end(), SHOWN)
            },
            errors: shortened(ran.errors.trim_end(), SHOWN),
            duration_ms,
            ..run
        };
        self.observer.ran(&run);
        Some(run)
    }
}

impl Drop for Recording<'_> {
    fn drop(&mut self) {
        let duration_ms = self.elapsed_ms();
        if let Some(mut run) = self.run.take() {
            run.duration_ms = duration_ms;
            self.observer.ran(&run);
        }
    }
}

fn now_ms() -> u64 {
    SystemTime::now()
        .duration_since(UNIX_EPOCH)
        .map_or(0, |since| {
            u64::try_from(since.as_millis()).unwrap_or(u64::MAX)
        })
}
