//! What rules and mode allow, before anything forces a question.

use adroit_protocol::permission::{Mode, RuleEntry};

use crate::case::Case;
use crate::coverage::{self, Coverage, Edits, Gap};
use crate::facts::{Subject, ToolCheck};
use crate::rule::Rule;

/// What rules allow, what the mode allows, and what is missing.
#[derive(Debug)]
pub(crate) struct Allowance {
    pub(crate) rule: Option<RuleEntry>,
    pub(crate) by_mode: Option<String>,
    pub(crate) gaps: Vec<Gap>,
}

impl Allowance {
    /// `tried` is one more allow rule, for a call that the rules do not cover.
    /// Rules that match are added to `matched`.
    pub(crate) fn of(case: &Case, tried: Option<&Rule>, matched: &mut Vec<RuleEntry>) -> Self {
        let mode = case.snapshot.mode;
        if case.facts.tool_check == ToolCheck::Pass && case.reads_inside() {
            // Reading inside goes in every mode: no allow rule adds to it.
            return Self {
                rule: None,
                by_mode: Some(reads_only()),
                gaps: Vec::new(),
            };
        }
        if let Subject::Shell {
            command,
            cwd,
            analysis,
        } = &case.facts.subject
        {
            let edits = match mode {
                Mode::AcceptEdits => Edits::Accepted,
                Mode::Plan => Edits::Never,
                _ => Edits::ByRule,
            };
            let coverage = coverage::coverage(case, command, cwd, analysis, tried, edits);
            matched.extend(coverage.rules.iter().cloned());
            let by_mode = case.reads_inside().then(reads_only).or_else(|| {
                (coverage.complete() && coverage.rules.is_empty())
                    .then(|| "the mode acceptEdits allows it".to_owned())
            });
            let rule = coverage
                .complete()
                .then(|| coverage.rules.first().cloned())
                .flatten();
            let Coverage { mut gaps, .. } = coverage;
            if gaps.is_empty() && rule.is_none() && by_mode.is_none() {
                gaps = shell_gaps(analysis);
            }
            return Self {
                rule,
                by_mode,
                gaps,
            };
        }
        let rule = match tried {
            Some(rule) => Some(rule).filter(|rule| !rule.is_invalid() && case.allowed_by(rule)),
            None => case.allow_rule(),
        };
        let rule = rule.map(|rule| rule.entry.clone());
        matched.extend(rule.clone());
        let planning = mode == Mode::Plan && case.is_edit();
        let by_mode = case.reads_inside().then(reads_only).or_else(|| {
            (mode == Mode::AcceptEdits && case.edits_inside())
                .then(|| "the mode acceptEdits allows edits inside the workspace".to_owned())
        });
        Self {
            rule: rule.filter(|_| !planning),
            by_mode,
            gaps: vec![Gap {
                span: None,
                text: case.sentence(),
            }],
        }
    }
}

impl Case {
    /// True when `tried`, added to the allow rules, lets the call through. The
    /// caller has made sure that nothing forces the question.
    pub(crate) fn allowed_with(&self, tried: &Rule) -> bool {
        Allowance::of(self, Some(tried), &mut Vec::new())
            .rule
            .is_some()
    }
}

fn reads_only() -> String {
    "it only reads, inside the workspace".to_owned()
}

/// The analysis' own words, where every part is covered and the whole is not.
fn shell_gaps(analysis: &adroit_shell::Analysis) -> Vec<Gap> {
    analysis
        .reasons
        .iter()
        .map(|reason| Gap {
            span: Some(reason.span.clone()),
            text: reason.message.clone(),
        })
        .collect()
}
