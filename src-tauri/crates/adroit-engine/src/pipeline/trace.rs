//! The decision record while it is written.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Instant;

use adroit_protocol::CallId;
use adroit_protocol::hook::HookRun;
use adroit_protocol::permission::{Mode, RuleEntry};
use adroit_protocol::record::{
    CallTraits, ClassifierRecord, ConsentRecord, DecisionRecord, DecisionSummary, StageOutcome,
    StageRecord,
};

/// The stages' names, from 1.
pub(crate) const STAGES: [&str; 14] = [
    "receive",
    "resolve",
    "parse",
    "validate",
    "pre_hooks",
    "deny_rules",
    "ask_and_allow_rules",
    "consent",
    "span_start",
    "call",
    "post_hooks",
    "span_end",
    "map_result",
    "context",
];

/// Collects what the stages did. It is beside the states, not in them: whatever ends a
/// call, a panic included, what happened until then is known.
pub(crate) struct Trace {
    record: Mutex<Written>,
}

struct Written {
    tool: String,
    mode: Option<Mode>,
    stages: Vec<StageRecord>,
    rules: Vec<RuleEntry>,
    hooks: Vec<HookRun>,
    stop: Option<String>,
    decision: Option<DecisionSummary>,
    classifier: Option<ClassifierRecord>,
    consent: Option<ConsentRecord>,
    traits: Option<CallTraits>,
}

impl Trace {
    pub(crate) fn new(tool: &str) -> Self {
        let record = Written {
            tool: tool.to_owned(),
            mode: None,
            stages: Vec::with_capacity(STAGES.len()),
            rules: Vec::new(),
            hooks: Vec::new(),
            stop: None,
            decision: None,
            classifier: None,
            consent: None,
            traits: None,
        };
        Self {
            record: Mutex::new(record),
        }
    }

    fn lock(&self) -> MutexGuard<'_, Written> {
        self.record.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Enters a stage. Where the stage is left without a word, the call ended there.
    pub(crate) fn enter(&self, number: u8) -> Stage<'_> {
        Stage {
            trace: self,
            number,
            entered: Instant::now(),
            outcome: StageOutcome::Ended,
            note: None,
        }
    }

    pub(crate) fn resolved(&self, tool: &str) {
        let mut record = self.lock();
        if record.tool != tool {
            record.tool = tool.to_owned();
        }
    }

    pub(crate) fn judged(&self, mode: Mode) {
        self.lock().mode = Some(mode);
    }

    /// What the tool says of the input that is judged.
    pub(crate) fn understood(&self, traits: CallTraits) {
        self.lock().traits = Some(traits);
    }

    pub(crate) fn decided(&self, decision: DecisionSummary, rules: Vec<RuleEntry>) {
        let mut record = self.lock();
        record.decision = Some(decision);
        record.rules = rules;
    }

    pub(crate) fn consented(&self, consent: ConsentRecord) {
        self.lock().consent = Some(consent);
    }

    pub(crate) fn classified(&self, record: ClassifierRecord) {
        self.lock().classifier = Some(record);
    }

    pub(crate) fn has_consent(&self) -> bool {
        self.lock().consent.is_some()
    }

    /// Hooks ran for the call.
    pub(crate) fn hooked(&self, runs: Vec<HookRun>) {
        self.lock().hooks.extend(runs);
    }

    /// A hook wants the turn to end; the first reason counts.
    pub(crate) fn stop(&self, reason: Option<String>) {
        let mut record = self.lock();
        record.stop = record.stop.take().or(reason);
    }

    /// Why the turn should end, where it should.
    pub(crate) fn stop_reason(&self) -> Option<String> {
        self.lock().stop.clone()
    }

    /// The mode of the decision, once there was one.
    pub(crate) fn mode(&self) -> Option<Mode> {
        self.lock().mode
    }

    /// The record; the trace is empty afterwards.
    pub(crate) fn take(&self, call: CallId, mode: Mode) -> DecisionRecord {
        let mut record = self.lock();
        DecisionRecord {
            call,
            tool: record.tool.clone(),
            mode: record.mode.unwrap_or(mode),
            stages: std::mem::take(&mut record.stages),
            rules: std::mem::take(&mut record.rules),
            hooks: std::mem::take(&mut record.hooks),
            decision: record.decision.take(),
            classifier: record.classifier.take(),
            consent: record.consent.take(),
            traits: record.traits.take(),
        }
    }
}

/// A stage that is being gone through.
pub(crate) struct Stage<'a> {
    trace: &'a Trace,
    number: u8,
    entered: Instant,
    outcome: StageOutcome,
    note: Option<String>,
}

impl Stage<'_> {
    /// The call goes on.
    pub(crate) fn passed(mut self) {
        self.outcome = StageOutcome::Passed;
    }

    /// The call goes on, and there is something to tell.
    pub(crate) fn passed_with(mut self, note: impl Into<String>) {
        self.outcome = StageOutcome::Passed;
        self.note = Some(note.into());
    }

    /// There was nothing to do.
    pub(crate) fn skipped(mut self) {
        self.outcome = StageOutcome::Skipped;
    }

    /// Says why the call ends here, where it does.
    pub(crate) fn note(&mut self, note: impl Into<String>) {
        self.note = Some(note.into());
    }
}

impl Drop for Stage<'_> {
    fn drop(&mut self) {
        let note = match self.note.take() {
            None if std::thread::panicking() => Some("panicked".to_owned()),
            note => note,
        };
        let name = STAGES
            .get(usize::from(self.number).wrapping_sub(1))
            .copied()
            .unwrap_or_default();
        self.trace.lock().stages.push(StageRecord {
            number: self.number,
            name: name.to_owned(),
            outcome: self.outcome,
            duration_us: u64::try_from(self.entered.elapsed().as_micros()).unwrap_or(u64::MAX),
            note,
        });
    }
}
