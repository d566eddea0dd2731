//! The order in which a call is judged, as types: no stage can be skipped.

use adroit_protocol::permission::{Behavior, Mode, RequestReason, RuleEntry};
use adroit_protocol::record::DecisionSummary;

use crate::allowance::Allowance;
use crate::case::{Case, Doubt, Match, Restriction};
use crate::facts::{CallFacts, HookOpinion, PermissionSnapshot, Subject, ToolCheck};
use crate::reasons;
use crate::rule;
use crate::safety::{self, Safety};
use crate::suggestion;
use crate::verdict::{Authorized, Denial, DeniedBy, Question, QuestionDetails, Verdict};

/// Decides about one call. Pure: the same facts and snapshot give the same verdict.
///
/// Precedence, each step before all later ones:
///
/// 1. A deny rule of any source denies. Specificity and order do not matter.
/// 2. The tool's own check may deny; so does a write to the app's own data.
/// 3. A hook may deny.
/// 4. In a folder that is not trusted, all but reading inside it is denied.
/// 5. What forces the question, in every mode, whatever allows: an ask rule; a
///    safety check (protected path, critical removal, a tool's bypass-immune
///    ask); a call that is itself a question; a hook that asks.
///    In dontAsk it denies instead.
/// 6. A hook that allows skips the question, that of plan mode included: as documented, it
///    spares the prompt in every mode, and it is a program that the person put there for
///    that. What it never spares stands above.
/// 7. bypassPermissions allows, where it is available.
/// 8. Allow rules allow. In plan mode they do not allow changing files: nothing
///    but reading goes without a question there.
/// 9. The mode allows: reading inside the workspace in every mode; in acceptEdits
///    also edits and plain file commands inside that lose nothing. Not where the
///    tool's own check asks.
/// 10. The rest asks; dontAsk denies it.
#[must_use]
pub fn decide(snapshot: &PermissionSnapshot, facts: CallFacts) -> Verdict {
    let review = match Review::begin(snapshot, facts).deny_rules() {
        Ok(review) => review,
        Err(denial) => return Verdict::Denied(denial),
    };
    match review.rules_and_check() {
        Ok(review) => review.mode(),
        Err(denial) => Verdict::Denied(denial),
    }
}

/// A call before its first check.
#[derive(Debug)]
#[must_use = "a review that is not finished decides nothing"]
pub struct Review {
    case: Case,
}

/// A call that no deny rule stops.
#[derive(Debug)]
#[must_use = "a review that is not finished decides nothing"]
pub struct AfterDeny {
    case: Case,
    /// Deny rules that the call may run into, and why that is not certain.
    possible: Vec<(Doubt, Restriction)>,
}

/// A call whose rules are read and whose tool and hooks do not object.
#[derive(Debug)]
#[must_use = "a review that is not finished decides nothing"]
pub struct AfterRules {
    case: Case,
    forced: Vec<Forced>,
    allowance: Allowance,
    matched: Vec<RuleEntry>,
}

/// Why a question cannot be skipped.
#[derive(Debug)]
struct Forced {
    reason: RequestReason,
    rule: Option<RuleEntry>,
}

impl Review {
    /// Takes the call up.
    pub fn begin(snapshot: &PermissionSnapshot, facts: CallFacts) -> Self {
        Self {
            case: Case::new(snapshot, facts),
        }
    }

    /// Stage 6: deny rules.
    ///
    /// # Errors
    /// The denial, when a rule matches.
    pub fn deny_rules(self) -> Result<AfterDeny, Denial> {
        let mut certain = Vec::new();
        let mut possible = Vec::new();
        for found in self.case.restrictions(Behavior::Deny) {
            match found.sure {
                Match::Yes => certain.push(found.entry),
                Match::Possible(doubt) => possible.push((doubt, found)),
                Match::No => {}
            }
        }
        let Some(rule) = certain.first().cloned() else {
            return Ok(AfterDeny {
                case: self.case,
                possible,
            });
        };
        let reason = match &rule.problem {
            Some(problem) => format!(
                "the deny rule {} cannot be read ({problem}), so it denies all it may speak of",
                rule::label(&rule)
            ),
            None => format!("the deny rule {} matches", rule::label(&rule)),
        };
        Err(Denial {
            reason,
            rule: Some(rule),
            by: DeniedBy::Rule,
            words: None,
            matched: certain,
        })
    }
}

impl AfterDeny {
    /// Stage 7: ask rules, the tool's own check, safety checks, hooks, allow rules.
    ///
    /// # Errors
    /// The denial, when the tool, a safety check or a hook denies.
    pub fn rules_and_check(self) -> Result<AfterRules, Denial> {
        let case = self.case;
        let mut matched: Vec<RuleEntry> = self
            .possible
            .iter()
            .map(|(_, found)| found.entry.clone())
            .collect();
        let mut forced = Vec::new();
        let command = match &case.facts.subject {
            Subject::Shell { command, .. } => command.as_str(),
            _ => "",
        };
        for Restriction { entry, span, .. } in case.restrictions(Behavior::Ask) {
            matched.push(entry.clone());
            let text = format!("the ask rule {} matches", rule::label(&entry));
            forced.push(Forced {
                reason: reasons::spanned(command, span, text),
                rule: Some(entry),
            });
        }
        for (doubt, Restriction { entry, span, .. }) in self.possible {
            let label = rule::label(&entry);
            let text = match doubt {
                Doubt::Wildcard => {
                    format!("a wildcard may reach a file that the deny rule {label} protects")
                }
                Doubt::Below => format!(
                    "it goes through a folder in which the deny rule {label} may protect a file"
                ),
                Doubt::Computed => format!(
                    "a word of it is known only when it runs, and may make it what the deny \
                     rule {label} forbids"
                ),
                Doubt::NotUnderstood => format!(
                    "it is not understood, so it may hold what the deny rule {label} forbids"
                ),
            };
            forced.push(Forced {
                reason: reasons::spanned(command, span, text),
                rule: Some(entry),
            });
        }
        let by_call = |reason: RequestReason| Forced { reason, rule: None };
        match safety::check(&case) {
            Some(Safety::Deny(reason)) => {
                return Err(denial(reason, DeniedBy::ToolCheck, matched));
            }
            Some(Safety::Ask(reason)) => forced.push(by_call(reason)),
            None => {}
        }
        match &case.facts.tool_check {
            ToolCheck::Deny { reason } => {
                return Err(denial(reason.clone(), DeniedBy::ToolCheck, matched));
            }
            ToolCheck::Ask {
                reason,
                bypass_immune: true,
            } => forced.push(by_call(reasons::plain(reason.clone()))),
            ToolCheck::Ask { .. } | ToolCheck::Pass => {}
        }
        match &case.facts.hook {
            HookOpinion::Deny { hook, reason } => {
                let reason = format!("the hook `{hook}` denies it: {reason}");
                return Err(denial(reason, DeniedBy::Hook, matched));
            }
            HookOpinion::Ask { hook, reason } => {
                forced.push(by_call(reasons::plain(format!(
                    "the hook `{hook}` wants you to decide: {reason}"
                ))));
            }
            HookOpinion::Allow { .. } | HookOpinion::None => {}
        }
        if case.facts.requires_interaction {
            forced.push(by_call(reasons::plain(
                "it is a question to you".to_owned(),
            )));
        }
        let allowance = Allowance::of(&case, None, &mut matched);
        Ok(AfterRules {
            case,
            forced,
            allowance,
            matched,
        })
    }
}

impl AfterRules {
    /// Stage 8: what the mode makes of it.
    #[must_use]
    pub fn mode(self) -> Verdict {
        let snapshot = &self.case.snapshot;
        if !snapshot.trusted && !self.case.reads_inside() {
            return Verdict::Denied(denial(
                "the folder is not trusted, and there only reading inside it is allowed".to_owned(),
                DeniedBy::Untrusted,
                self.matched,
            ));
        }
        if !self.forced.is_empty() {
            return self.ask();
        }
        let allowed = |reason: String, rule: Option<RuleEntry>| {
            Verdict::Allowed(Authorized::new(
                &self.case,
                DecisionSummary {
                    behavior: Behavior::Allow,
                    reason,
                    rule,
                },
                self.matched.clone(),
            ))
        };
        if let HookOpinion::Allow { hook } = &self.case.facts.hook {
            return allowed(format!("the hook `{hook}` allows it"), None);
        }
        if snapshot.mode == Mode::BypassPermissions && snapshot.bypass_available && snapshot.trusted
        {
            return allowed("the mode bypassPermissions allows it".to_owned(), None);
        }
        if let Some(rule) = &self.allowance.rule {
            return allowed(
                format!("the allow rule {} covers it", rule::label(rule)),
                Some(rule.clone()),
            );
        }
        let tool_asks = matches!(self.case.facts.tool_check, ToolCheck::Ask { .. });
        match &self.allowance.by_mode {
            Some(reason) if !tool_asks => allowed(reason.clone(), None),
            _ => self.ask(),
        }
    }

    fn ask(self) -> Verdict {
        let mode = self.case.snapshot.mode;
        let mut list: Vec<RequestReason> = Vec::new();
        let mut rule = None;
        let mut fixed = None;
        let tool_asks = matches!(self.case.facts.tool_check, ToolCheck::Ask { .. });
        let only_a_question =
            self.case.facts.requires_interaction && self.forced.len() == 1 && !tool_asks;
        for forced in self.forced {
            fixed.get_or_insert_with(|| forced.reason.text.clone());
            rule = rule.or(forced.rule);
            list.push(forced.reason);
        }
        if let ToolCheck::Ask {
            reason,
            bypass_immune: false,
        } = &self.case.facts.tool_check
        {
            list.push(reasons::plain(reason.clone()));
        }
        let command = match &self.case.facts.subject {
            Subject::Shell { command, .. } => command.as_str(),
            _ => "",
        };
        for gap in self.allowance.gaps {
            let reason = reasons::spanned(command, gap.span, gap.text);
            if !list.contains(&reason) {
                list.push(reason);
            }
        }
        if list.is_empty() {
            list.push(reasons::plain("no rule allows it".to_owned()));
        }
        let is_question = self.case.facts.requires_interaction;
        if mode == Mode::DontAsk && is_question {
            let reason = "it is a question, and in the mode dontAsk nobody is asked".to_owned();
            return Verdict::Denied(denial(reason, DeniedBy::NobodyAnswers, self.matched));
        }
        if mode == Mode::DontAsk {
            let asked = list.first().map(|reason| reason.text.as_str());
            let reason = format!(
                "the mode dontAsk denies what would ask: {}",
                asked.unwrap_or_default()
            );
            let mut denial = denial(reason, DeniedBy::Mode, self.matched);
            denial.rule = rule;
            return Verdict::Denied(denial);
        }
        if fixed.is_none() && mode == Mode::Plan && self.case.is_edit() {
            fixed = Some("in plan mode every change of a file is asked".to_owned());
        }
        let destructive = match &self.case.facts.subject {
            Subject::Shell { analysis, .. } => analysis
                .destructive
                .as_ref()
                .map(|destruction| destruction.sentence.clone()),
            _ => None,
        };
        let mut details = QuestionDetails {
            reasons: list,
            destructive,
            suggestions: Vec::new(),
            matched: self.matched,
            rule,
            fixed,
            only_a_question,
            case: self.case,
        };
        details.suggestions = suggestion::suggestions(&details);
        Verdict::Ask(Question::new(details))
    }
}

fn denial(reason: String, by: DeniedBy, matched: Vec<RuleEntry>) -> Denial {
    Denial {
        reason,
        rule: None,
        by,
        words: None,
        matched,
    }
}
