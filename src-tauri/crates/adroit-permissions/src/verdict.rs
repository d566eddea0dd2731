//! How a decision ends: allowed, asked or denied.

use std::sync::Arc;

use adroit_protocol::CallId;
use adroit_protocol::error::sentence;
use adroit_protocol::permission::{Behavior, Mode, RequestReason, RuleEntry, RuleSuggestion};
use adroit_protocol::record::{
    ClassifierRecord, ClassifierVerdict, ConsentRecord, DecisionSummary,
};
use serde_json::Value;

use crate::case::Case;
use crate::facts::PermissionSnapshot;
use crate::rule::Rule;

/// The answer about one call.
#[derive(Debug)]
pub enum Verdict {
    /// It may run.
    Allowed(Authorized),
    /// A person, or the policy of a run without one, has to answer.
    Ask(Question),
    /// It must not run.
    Denied(Denial),
}

impl Verdict {
    /// Allow, ask or deny.
    #[must_use]
    pub fn behavior(&self) -> Behavior {
        match self {
            Self::Allowed(_) => Behavior::Allow,
            Self::Ask(_) => Behavior::Ask,
            Self::Denied(_) => Behavior::Deny,
        }
    }

    /// What decided, for the record and for answers on the command line.
    #[must_use]
    pub fn summary(&self) -> DecisionSummary {
        match self {
            Self::Allowed(authorized) => authorized.decision.clone(),
            Self::Ask(question) => question.details.summary(),
            Self::Denied(denial) => denial.summary(),
        }
    }
}

/// Proof that one call may run with one input.
///
/// It is made in this crate only, by [`crate::decide`] or by the answer to a
/// [`Question`], cannot be copied, and holds the very input that was judged: an
/// approval can never run another input.
///
/// ```compile_fail
/// // The fields are private: nothing outside can make one.
/// let forged = adroit_permissions::Authorized {
///     call: "call_1".into(),
///     tool: "Bash".to_owned(),
///     input: std::sync::Arc::new(serde_json::json!({ "command": "rm -rf /" })),
/// };
/// ```
///
/// ```compile_fail
/// // It cannot be used twice.
/// fn twice(authorized: adroit_permissions::Authorized) {
///     let again = authorized.clone();
/// }
/// ```
#[derive(Debug)]
#[must_use = "an authorised call that is dropped never runs"]
pub struct Authorized {
    call: CallId,
    tool: String,
    input: Arc<Value>,
    decision: DecisionSummary,
    matched: Vec<RuleEntry>,
}

impl Authorized {
    pub(crate) fn new(case: &Case, decision: DecisionSummary, matched: Vec<RuleEntry>) -> Self {
        Self {
            call: case.facts.call.clone(),
            tool: case.facts.tool.clone(),
            input: Arc::clone(&case.facts.input),
            decision,
            matched,
        }
    }

    /// Which call.
    #[must_use]
    pub fn call(&self) -> &CallId {
        &self.call
    }

    /// The tool that it runs.
    #[must_use]
    pub fn tool(&self) -> &str {
        &self.tool
    }

    /// The input that was judged, and the only one that may run.
    #[must_use]
    pub fn input(&self) -> &Arc<Value> {
        &self.input
    }

    /// Why it may run.
    #[must_use]
    pub fn decision(&self) -> &DecisionSummary {
        &self.decision
    }

    /// Every rule that matched, the winner included.
    #[must_use]
    pub fn matched(&self) -> &[RuleEntry] {
        &self.matched
    }
}

/// A call that waits for an answer. Used up by the answer.
///
/// ```compile_fail
/// // One question has one answer.
/// fn twice(question: adroit_permissions::Question, yes: adroit_protocol::record::ConsentRecord) {
///     let first = question.allow(yes.clone());
///     let second = question.allow(yes);
/// }
/// ```
#[derive(Debug)]
#[must_use = "a question that is dropped is never answered"]
pub struct Question {
    details: Arc<QuestionDetails>,
}

impl Question {
    pub(crate) fn new(details: QuestionDetails) -> Self {
        Self {
            details: Arc::new(details),
        }
    }

    /// What the person has to know.
    #[must_use]
    pub fn details(&self) -> Arc<QuestionDetails> {
        Arc::clone(&self.details)
    }

    /// Judges the waiting call again, after rules or mode changed: the same call with
    /// the same input, so that an answer given to one request can settle its like.
    #[must_use]
    pub fn reconsider(self, snapshot: &PermissionSnapshot) -> Verdict {
        crate::review::decide(snapshot, self.details.case.facts.clone())
    }

    /// A hook says no in the person's place.
    #[must_use]
    pub fn deny_by_hook(self, hook: &str, reason: &str) -> Denial {
        Denial {
            reason: format!("the hook `{hook}` denies it: {reason}"),
            rule: None,
            by: DeniedBy::Hook,
            words: None,
            matched: self.details.matched.clone(),
        }
    }

    /// What the classifier of auto mode makes of it. Its yes counts in auto mode alone, and
    /// only for a question that a rule could have answered too: what asks by an ask rule, a
    /// safety check, a hook or the tool's own nature is the person's to answer. Blocks a
    /// classifier, or a model that talked it round, from waving a protected path through.
    #[must_use]
    pub fn classified(self, record: &ClassifierRecord) -> Verdict {
        let snapshot = &self.details.case.snapshot;
        let counts =
            snapshot.mode == Mode::Auto && snapshot.trusted && self.details.fixed.is_none();
        match record.verdict {
            ClassifierVerdict::Allow if counts => Verdict::Allowed(Authorized::new(
                &self.details.case,
                DecisionSummary {
                    behavior: Behavior::Allow,
                    reason: format!(
                        "the classifier ({}) allows it: {}",
                        record.by, record.reason
                    ),
                    rule: None,
                },
                self.details.matched.clone(),
            )),
            ClassifierVerdict::Block => Verdict::Denied(Denial {
                reason: format!(
                    "the classifier ({}) blocks it: {}",
                    record.by, record.reason
                ),
                rule: None,
                by: DeniedBy::Classifier,
                words: None,
                matched: self.details.matched.clone(),
            }),
            ClassifierVerdict::Allow | ClassifierVerdict::Ask => Verdict::Ask(self),
        }
    }

    /// True where the classifier of auto mode may be asked.
    #[must_use]
    pub fn may_be_classified(&self) -> bool {
        let snapshot = &self.details.case.snapshot;
        snapshot.mode == Mode::Auto && snapshot.trusted && self.details.fixed.is_none()
    }

    /// The answer is yes. The call runs with the input that was asked about.
    pub fn allow(self, consent: ConsentRecord) -> Authorized {
        let reason = match &consent.remembered {
            _ if consent.answered => format!("answered by {}", consent.by),
            Some(rule) => format!("allowed by {}, remembered as `{rule}`", consent.by),
            None => format!("allowed by {}", consent.by),
        };
        Authorized::new(
            &self.details.case,
            DecisionSummary {
                behavior: Behavior::Allow,
                reason,
                rule: None,
            },
            self.details.matched.clone(),
        )
    }

    /// The answer is no.
    #[must_use]
    pub fn deny(self, consent: ConsentRecord) -> Denial {
        let by = match (
            consent.by == "person",
            self.details.case.facts.requires_interaction,
        ) {
            (true, false) => DeniedBy::Person,
            (true, true) => DeniedBy::Declined,
            (false, false) => DeniedBy::NonInteractive,
            (false, true) => DeniedBy::NobodyAnswers,
        };
        let asked = self.details.reasons.first().map_or_else(
            || "no rule allows it".to_owned(),
            |reason| reason.text.clone(),
        );
        let reason = match by {
            DeniedBy::Declined => "the person declined".to_owned(),
            DeniedBy::NobodyAnswers => {
                "it is a question, and nobody can be asked in this run".to_owned()
            }
            DeniedBy::Person => format!("the person declined ({asked})"),
            _ => format!(
                "it needs a person's consent, and nobody can be asked in this run ({asked})"
            ),
        };
        Denial {
            reason,
            rule: None,
            by,
            words: consent.words,
            matched: self.details.matched.clone(),
        }
    }
}

/// What a person has to know to answer a [`Question`].
#[derive(Debug)]
pub struct QuestionDetails {
    /// Why it asks; the first is the main reason. Spans are UTF-16 offsets into the command.
    pub reasons: Vec<RequestReason>,
    /// What would be lost, where something would.
    pub destructive: Option<String>,
    /// Rules that would cover this call, narrowest first; empty where no rule may approve it.
    pub suggestions: Vec<RuleSuggestion>,
    /// Every rule that matched.
    pub matched: Vec<RuleEntry>,
    pub(crate) rule: Option<RuleEntry>,
    /// No allow rule can skip this question, with the reason.
    pub(crate) fixed: Option<String>,
    /// The call is a question itself, and that is all that it is asked for.
    pub(crate) only_a_question: bool,
    pub(crate) case: Case,
}

/// What a rule would do to a waiting call.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleCheck {
    /// With this rule the call would be allowed.
    pub covers: bool,
    /// One sentence: what it covers, or why it does not help.
    pub text: String,
    /// The broadest that it would allow, where it covers the call.
    pub broadest: Option<String>,
}

impl QuestionDetails {
    /// What the waiting call is about.
    #[must_use]
    pub fn subject(&self) -> &crate::Subject {
        &self.case.facts.subject
    }

    /// What the waiting call would come to now, after rules or mode changed.
    #[must_use]
    pub fn behavior_under(&self, snapshot: &PermissionSnapshot) -> Behavior {
        crate::review::decide(snapshot, self.case.facts.clone()).behavior()
    }

    /// Proves whether `rule`, added to the allow rules, would have allowed this
    /// very call, by deciding it again with the rule.
    #[must_use]
    pub fn check_rule(&self, rule: &str) -> RuleCheck {
        let no = |text: String| RuleCheck {
            covers: false,
            text,
            broadest: None,
        };
        let rule = rule.trim();
        let candidate = Rule::compile(crate::rules::session_allow(rule));
        if let Some(problem) = &candidate.entry.problem {
            return no(format!("`{rule}` is not a rule: {problem}"));
        }
        if let Some(reason) = &self.fixed {
            return no(format!("no rule can skip this question: {reason}"));
        }
        if !self.case.allowed_with(&candidate) {
            return no(format!("`{rule}` does not cover this call"));
        }
        RuleCheck {
            covers: true,
            text: candidate.describe(),
            broadest: Some(candidate.broadest()),
        }
    }

    /// True where an ask rule, a safety check or the mode insists on a person: neither an
    /// allow rule nor a hook may answer in their place.
    #[must_use]
    pub fn is_forced(&self) -> bool {
        self.fixed.is_some()
    }

    /// True where the call is a question to the person, and nothing else insists on them: whoever
    /// may answer the question spares it.
    #[must_use]
    pub fn is_only_a_question(&self) -> bool {
        self.only_a_question
    }

    fn summary(&self) -> DecisionSummary {
        DecisionSummary {
            behavior: Behavior::Ask,
            reason: self
                .reasons
                .first()
                .map(|reason| reason.text.clone())
                .unwrap_or_default(),
            rule: self.rule.clone(),
        }
    }
}

/// Who denied.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum DeniedBy {
    /// A deny rule.
    Rule,
    /// The tool's own check, or the app's protection of its data.
    ToolCheck,
    /// A hook.
    Hook,
    /// The mode: dontAsk denies what would ask.
    Mode,
    /// The folder is not trusted.
    Untrusted,
    /// The classifier of auto mode.
    Classifier,
    /// The person.
    Person,
    /// The person, whom the call asked something.
    Declined,
    /// A run or a mode in which nobody answers what the call asks.
    NobodyAnswers,
    /// A run in which nobody can be asked.
    NonInteractive,
}

/// A call that does not run.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Denial {
    /// One sentence.
    pub reason: String,
    /// The rule that denied.
    pub rule: Option<RuleEntry>,
    /// Who denied.
    pub by: DeniedBy,
    /// What the person said to the model.
    pub words: Option<String>,
    /// Every rule that matched.
    pub matched: Vec<RuleEntry>,
}

impl Denial {
    /// What the model reads as the result of the call.
    #[must_use]
    pub fn message_for_model(&self) -> String {
        let next = match self.by {
            DeniedBy::Rule => {
                "Do not try the same by other means; say what you need and let the person decide."
            }
            DeniedBy::ToolCheck | DeniedBy::Hook => "Mind the reason before you try again.",
            DeniedBy::Mode => "In this mode nothing is asked; use what the rules allow.",
            DeniedBy::Untrusted => "Until the folder is trusted you may only read in it.",
            DeniedBy::Classifier => {
                "Do not try the same by other means; find a way that needs less, or ask the person."
            }
            DeniedBy::Person => "Do not try it again unless the person asks for it.",
            DeniedBy::Declined => {
                "Mind what they say, and do not ask the same again; without words of theirs, go on as you think best."
            }
            DeniedBy::NobodyAnswers => {
                "Do not ask again. Decide what fits the request best and say in your answer what you assumed, or put what you wanted to ask into your answer."
            }
            DeniedBy::NonInteractive => {
                "A rule or a mode must allow it beforehand. Go on without it, or say in your answer what is missing."
            }
        };
        let what = match self.by {
            DeniedBy::Declined | DeniedBy::NobodyAnswers => "Not answered",
            _ => "Permission denied",
        };
        match &self.words {
            Some(words) if !words.trim().is_empty() => format!(
                "{what}: {}.\nThe person says: {}\n{next}",
                self.reason,
                words.trim()
            ),
            _ => format!("{what}: {}. {next}", self.reason),
        }
    }

    /// What the person reads at the call: who said no, in their own words where it was they.
    #[must_use]
    pub fn message_for_person(&self) -> String {
        let words = self.words.as_deref().map(str::trim).unwrap_or_default();
        match self.by {
            DeniedBy::Declined if words.is_empty() => "You declined.".to_owned(),
            DeniedBy::Declined => format!("You declined: {words}"),
            DeniedBy::Person if words.is_empty() => "You said no.".to_owned(),
            DeniedBy::Person => format!("You said no: {words}"),
            _ => sentence(&self.reason),
        }
    }

    /// For the decision record.
    #[must_use]
    pub fn summary(&self) -> DecisionSummary {
        DecisionSummary {
            behavior: Behavior::Deny,
            reason: self.reason.clone(),
            rule: self.rule.clone(),
        }
    }
}
