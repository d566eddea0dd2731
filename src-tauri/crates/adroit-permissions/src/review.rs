//! The order in which a call is judged, as types: no stage can be skipped.

use adroit_protocol::permission::{Behavior, Mode, RequestReason, RuleEntry};
use adroit_protocol::record::DecisionSummary;

use crate::case::{Case, Match};
use crate::coverage::{self, Coverage, Edits, Gap};
use crate::facts::{CallFacts, HookOpinion, PermissionSnapshot, Subject, ToolCheck};
use crate::host_pattern;
use crate::reasons;
use crate::rule::{self, Rule};
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
/// 6. A hook that allows skips the question.
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
    /// Deny rules that a glob of the shell may run into.
    possible: Vec<RuleEntry>,
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

/// What rules and mode allow, before anything forces a question.
#[derive(Debug)]
struct Allowance {
    rule: Option<RuleEntry>,
    by_mode: Option<String>,
    gaps: Vec<Gap>,
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
        for (sure, entry) in self.case.restrictions(Behavior::Deny) {
            if sure == Match::Yes {
                certain.push(entry);
            } else {
                possible.push(entry);
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
        let mut matched = self.possible.clone();
        let mut forced = Vec::new();
        for (_, entry) in case.restrictions(Behavior::Ask) {
            matched.push(entry.clone());
            forced.push(Forced {
                reason: reasons::plain(format!("the ask rule {} matches", rule::label(&entry))),
                rule: Some(entry),
            });
        }
        for entry in self.possible {
            forced.push(Forced {
                reason: reasons::plain(format!(
                    "a wildcard may reach a file that the deny rule {} protects",
                    rule::label(&entry)
                )),
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
        if mode == Mode::Auto {
            if let Some(first) = list.first_mut() {
                first
                    .text
                    .push_str("; auto mode has no classifier yet, so it asks you");
            }
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
            case: self.case,
        };
        details.suggestions = suggestion::suggestions(&details);
        Verdict::Ask(Question::new(details))
    }
}

impl Allowance {
    /// `tried` is one more allow rule. Rules that match are added to `matched`.
    fn of(case: &Case, tried: Option<&Rule>, matched: &mut Vec<RuleEntry>) -> Self {
        let mode = case.snapshot.mode;
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
        let rule = case.allow_rule(tried).map(|rule| rule.entry.clone());
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

    /// The call only reads, and only inside.
    fn reads_inside(&self) -> bool {
        let workspace = &self.snapshot.workspace;
        self.facts.read_only
            && match &self.facts.subject {
                Subject::ReadFile { path, real } | Subject::Search { path, real } => {
                    std::iter::once(path)
                        .chain(real)
                        .all(|path| workspace.readable(path))
                }
                Subject::Shell { analysis, .. } => {
                    analysis.understood && analysis.read_only && self.shell_stays_inside()
                }
                Subject::EditFile { .. } | Subject::Fetch { .. } | Subject::Mcp { .. } => false,
                Subject::Agent { .. } | Subject::Skill { .. } | Subject::Plain => true,
            }
    }

    /// Nothing that the command names lies outside, but for results that the app keeps.
    fn shell_stays_inside(&self) -> bool {
        let (Subject::Shell { analysis, .. }, Some(shell)) = (&self.facts.subject, &self.shell)
        else {
            return false;
        };
        if !analysis.outside_workspace {
            return true;
        }
        let mut outside = shell.paths.iter().filter(|path| path.outside).peekable();
        outside.peek().is_some()
            && outside.all(|path| {
                path.resolved
                    .as_deref()
                    .is_some_and(|path| self.snapshot.workspace.is_state(path))
            })
    }

    /// True when the command names something outside, or the path lies there.
    pub(crate) fn is_outside(&self) -> bool {
        let workspace = &self.snapshot.workspace;
        match &self.facts.subject {
            Subject::ReadFile { path, real }
            | Subject::Search { path, real }
            | Subject::EditFile { path, real } => !std::iter::once(path)
                .chain(real)
                .all(|path| workspace.contains(path)),
            Subject::Shell { analysis, .. } => analysis.outside_workspace,
            _ => false,
        }
    }

    pub(crate) fn is_edit(&self) -> bool {
        matches!(self.facts.subject, Subject::EditFile { .. })
    }

    fn edits_inside(&self) -> bool {
        self.is_edit() && !self.is_outside()
    }

    /// Why a call that is no shell command asks.
    fn sentence(&self) -> String {
        let workspace = &self.snapshot.workspace;
        let file = |verb: &str, path: &std::path::Path, real: Option<&std::path::PathBuf>| {
            let shown = path.display();
            match real {
                _ if !workspace.contains(path) => {
                    format!("{verb} outside the workspace: `{shown}`")
                }
                Some(real) if !workspace.contains(real) => format!(
                    "{verb} outside the workspace: `{shown}` leads to `{}`",
                    real.display()
                ),
                _ => format!("{verb} `{shown}`"),
            }
        };
        match &self.facts.subject {
            Subject::ReadFile { path, real } => file("reads", path, real.as_ref()),
            Subject::Search { path, real } => file("searches", path, real.as_ref()),
            Subject::EditFile { path, real } => file("writes", path, real.as_ref()),
            Subject::Fetch { url } => match host_pattern::host_of(url) {
                Some(host) => format!("fetches from `{host}`"),
                None => format!("`{}` is no web address", reasons::shortened(url)),
            },
            Subject::Mcp { server, tool } => {
                format!("runs `{tool}` of the MCP server `{server}`")
            }
            Subject::Agent { name } => format!("starts the agent `{name}`"),
            Subject::Skill { name } => format!("uses the skill `{name}`"),
            Subject::Plain | Subject::Shell { .. } => {
                format!("`{}` is not a tool that only reads", self.facts.tool)
            }
        }
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

fn denial(reason: String, by: DeniedBy, matched: Vec<RuleEntry>) -> Denial {
    Denial {
        reason,
        rule: None,
        by,
        words: None,
        matched,
    }
}
