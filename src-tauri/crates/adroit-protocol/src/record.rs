//! The decision record: everything that happened to one call, for "why was this allowed?".

use serde::{Deserialize, Serialize};
use ts_rs::TS;

use crate::CallId;
use crate::hook::HookRun;
use crate::permission::{Behavior, Mode, RuleEntry};

/// The trace of one call through the pipeline. Stored with the transcript.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DecisionRecord {
    /// The call.
    pub call: CallId,
    /// The tool's name as resolved, or as the model wrote it where it was not.
    pub tool: String,
    /// The mode at the moment of the decision.
    pub mode: Mode,
    /// What each stage did, in order. A call sent back to stage 3 has those stages again.
    pub stages: Vec<StageRecord>,
    /// Every rule that matched, the winner included.
    pub rules: Vec<RuleEntry>,
    /// Every run of a hook for this call, in the order of the settings.
    #[serde(default)]
    pub hooks: Vec<HookRun>,
    /// The decision, absent where the call ended before one was made.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub decision: Option<DecisionSummary>,
    /// What the classifier of auto mode said, where it was asked.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub classifier: Option<ClassifierRecord>,
    /// What the person, or the policy of a run without one, said.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub consent: Option<ConsentRecord>,
    /// What the tool says of this very input, once it was understood.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub traits: Option<CallTraits>,
}

/// What a tool says of one input.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
#[expect(
    clippy::struct_excessive_bools,
    reason = "the flags of the contract, as they are"
)]
pub struct CallTraits {
    /// It changes nothing at all.
    pub read_only: bool,
    /// It may run beside others.
    pub concurrency_safe: bool,
    /// It loses something that cannot be brought back.
    pub destructive: bool,
    /// It reaches beyond the machine.
    pub open_world: bool,
    /// The file that it is about.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub path: Option<String>,
}

/// What decided.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct DecisionSummary {
    /// Allow, ask or deny.
    pub behavior: Behavior,
    /// One sentence.
    pub reason: String,
    /// The rule that won.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub rule: Option<RuleEntry>,
}

/// What the classifier of auto mode said of a call.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ClassifierRecord {
    /// Who classified: a model's name, or the local rule table.
    pub by: String,
    /// What it said.
    pub verdict: ClassifierVerdict,
    /// Why, in one sentence.
    pub reason: String,
    /// How long it took, milliseconds.
    #[ts(type = "number")]
    pub took_ms: u64,
}

/// What a classifier may say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ClassifierVerdict {
    /// It may run.
    Allow,
    /// The person should decide. Also what an error, a delay or too many blocks come to.
    Ask,
    /// It must not run; the model is told why.
    Block,
}

/// Who consented, or did not.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct ConsentRecord {
    /// `person`, or the name of the policy.
    pub by: String,
    /// What was said.
    pub behavior: Behavior,
    /// Words to the model.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub words: Option<String>,
    /// The rule that was remembered.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub remembered: Option<String>,
    /// True where the input was changed before it was approved.
    #[serde(default)]
    pub changed: bool,
    /// True where the call was a question, and this is the answer to it.
    #[serde(default)]
    pub answered: bool,
    /// When it was said, milliseconds since 1970; 0 in records of before this was kept.
    #[serde(default)]
    #[ts(type = "number")]
    pub at: u64,
    /// How long the call waited for it, milliseconds.
    #[ts(type = "number")]
    pub waited_ms: u64,
}

/// One stage's part.
#[derive(Clone, Debug, PartialEq, Serialize, Deserialize, TS)]
#[serde(rename_all = "camelCase")]
pub struct StageRecord {
    /// 1 to 14.
    pub number: u8,
    /// The stage's name.
    pub name: String,
    /// How it ended.
    pub outcome: StageOutcome,
    /// How long it took, microseconds.
    #[ts(type = "number")]
    pub duration_us: u64,
    /// What is worth knowing.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub note: Option<String>,
}

/// How a stage ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum StageOutcome {
    /// The call went on.
    Passed,
    /// There was nothing to do.
    Skipped,
    /// The call ended here.
    Ended,
}
