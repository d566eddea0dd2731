//! `permissions check`: one JSON line in, one JSON line out.

use std::path::PathBuf;
use std::sync::Arc;

use adroit_protocol::CallId;
use adroit_protocol::permission::{Behavior, Mode, RuleEntry, RuleSource};
use adroit_protocol::record::DecisionSummary;
use adroit_shell::SedEdit;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use crate::case::Case;
use crate::facts::{
    CallFacts, HookOpinion, PermissionSnapshot, Subject, ToolCheck, WorkspaceFacts,
};
use crate::lexical;
use crate::named::{SubjectError, named_subject};
use crate::review;
use crate::rules::RuleSet;

/// What all lines of one run share.
#[derive(Clone, Debug)]
pub struct CheckContext {
    /// The workspace, absolute.
    pub workspace: PathBuf,
    /// The home folder, absolute.
    pub home: PathBuf,
    /// The mode.
    pub mode: Mode,
}

/// One line to decide. Fields that are not listed are passed over.
#[derive(Clone, Debug, Deserialize)]
pub struct CheckQuery {
    /// Given back as it is.
    #[serde(default)]
    pub id: Value,
    /// The tool; absent where `command` is given.
    #[serde(default)]
    pub tool: Option<String>,
    /// The tool's input.
    #[serde(default)]
    pub input: Option<Value>,
    /// A Bash command, short for `tool` and `input`.
    #[serde(default)]
    pub command: Option<String>,
    /// The working directory; the workspace when absent.
    #[serde(default)]
    pub cwd: Option<PathBuf>,
    /// Rules, as if from project settings.
    #[serde(default)]
    pub rules: Option<CheckRules>,
}

/// The three lists.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct CheckRules {
    /// Rules that allow.
    #[serde(default)]
    pub allow: Vec<String>,
    /// Rules that ask.
    #[serde(default)]
    pub ask: Vec<String>,
    /// Rules that deny.
    #[serde(default)]
    pub deny: Vec<String>,
}

/// The answer to a [`CheckQuery`].
#[derive(Clone, Debug, Serialize)]
pub struct CheckAnswer {
    /// The query's.
    pub id: Value,
    /// Allow, ask or deny.
    pub behavior: Behavior,
    /// One sentence.
    pub reason: String,
    /// The rule that won.
    pub rule: Option<String>,
    /// What the call would do.
    pub analysis: CheckAnalysis,
}

/// What a call would do.
#[derive(Clone, Debug, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct CheckAnalysis {
    /// It only reads.
    pub read_only: bool,
    /// It may run beside others.
    pub concurrency_safe: bool,
    /// It names something outside the workspace.
    pub outside_workspace: bool,
    /// Something would be lost.
    pub destructive: bool,
    /// The file edit that it stands for.
    pub sed_edit: Option<SedEdit>,
}

/// A line that could not be decided. It never carries a behaviour.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CheckFailure {
    /// Not JSON, or a field of a wrong kind.
    #[error("the line is not a query: {0}")]
    Line(String),
    /// Neither tool nor command.
    #[error("the line has neither `tool` nor `command`")]
    NoTool,
    /// `command` beside another tool.
    #[error("`command` is short for Bash, but `tool` is {0}")]
    TwoTools(String),
    /// The input does not fit the tool.
    #[error(transparent)]
    Input(#[from] SubjectError),
    /// A folder that is not absolute.
    #[error("`cwd` must be an absolute path, not `{0}`")]
    RelativeFolder(String),
}

/// Decides one line. The answer is one JSON object on one line: a
/// [`CheckAnswer`], or `{"id", "error"}` for a line that is no query.
#[must_use]
pub fn check_line(line: &str, context: &CheckContext) -> String {
    // Read into the query itself: a field that stands twice is an error, not a choice.
    let answer = serde_json::from_str::<CheckQuery>(line)
        .map_err(|error| CheckFailure::Line(error.to_string()))
        .and_then(|query| check(query, context));
    let id = || {
        serde_json::from_str::<Value>(line)
            .ok()
            .and_then(|value| value.get("id").cloned())
            .unwrap_or_default()
    };
    let text = match answer {
        Ok(answer) => serde_json::to_string(&answer),
        Err(failure) => serde_json::to_string(&json!({
            "id": id(),
            "error": failure.to_string(),
        })),
    };
    text.unwrap_or_else(|error| format!("{{\"id\":null,\"error\":\"{error}\"}}"))
}

fn check(query: CheckQuery, context: &CheckContext) -> Result<CheckAnswer, CheckFailure> {
    let (tool, input) = match (query.tool, query.command) {
        (None, None) => return Err(CheckFailure::NoTool),
        (Some(tool), Some(_)) if tool != "Bash" => return Err(CheckFailure::TwoTools(tool)),
        (_, Some(command)) => ("Bash".to_owned(), json!({ "command": command })),
        (Some(tool), None) => (tool, query.input.unwrap_or_else(|| json!({}))),
    };
    let root = lexical::clean(&context.workspace);
    let cwd = match query.cwd {
        Some(cwd) if !cwd.is_absolute() => {
            return Err(CheckFailure::RelativeFolder(cwd.display().to_string()));
        }
        Some(cwd) => lexical::clean(&cwd),
        None => root.clone(),
    };
    let workspace = WorkspaceFacts {
        root,
        additional_directories: Vec::new(),
        home: lexical::clean(&context.home),
        cwd,
        state_directories: Vec::new(),
    };
    let snapshot = PermissionSnapshot {
        mode: context.mode,
        rules: Arc::new(RuleSet::compile(entries(query.rules.unwrap_or_default()))),
        workspace,
        trusted: true,
        bypass_available: true,
    };
    let facts = named_facts(&tool, Arc::new(input), &snapshot.workspace)?;
    let analysis = CheckAnalysis::of(&Case::new(&snapshot, facts.clone()));
    let decision = review::decide(&snapshot, facts).summary();
    Ok(CheckAnswer {
        id: query.id,
        behavior: decision.behavior,
        reason: decision.reason,
        rule: decision.rule.map(|entry| entry.rule),
        analysis,
    })
}

/// Decides about a call that is known by its tool's name and its input alone: a line of
/// `permissions check`, or a call of before that the inspector asks "what if?" about.
///
/// # Errors
/// When the input lacks what a decision is made from.
pub fn decide_named(
    tool: &str,
    input: &Arc<Value>,
    snapshot: &PermissionSnapshot,
) -> Result<DecisionSummary, SubjectError> {
    let facts = named_facts(tool, Arc::clone(input), &snapshot.workspace)?;
    Ok(review::decide(snapshot, facts).summary())
}

fn named_facts(
    tool: &str,
    input: Arc<Value>,
    workspace: &WorkspaceFacts,
) -> Result<CallFacts, SubjectError> {
    let named = named_subject(tool, &input, workspace)?;
    Ok(CallFacts {
        call: CallId::from("check"),
        tool: tool.to_owned(),
        aliases: named.aliases,
        input,
        subject: named.subject,
        read_only: named.read_only,
        requires_interaction: named.is_question,
        tool_check: ToolCheck::Pass,
        hook: HookOpinion::None,
    })
}

impl CheckAnalysis {
    fn of(case: &Case) -> Self {
        let read_only = case.facts.read_only;
        let (destructive, sed_edit) = match &case.facts.subject {
            Subject::Shell { analysis, .. } => {
                (analysis.destructive.is_some(), analysis.sed_edit.clone())
            }
            _ => (false, None),
        };
        Self {
            read_only,
            concurrency_safe: read_only,
            outside_workspace: case.is_outside(),
            destructive,
            sed_edit,
        }
    }
}

fn entries(rules: CheckRules) -> Vec<RuleEntry> {
    [
        (Behavior::Allow, rules.allow),
        (Behavior::Ask, rules.ask),
        (Behavior::Deny, rules.deny),
    ]
    .into_iter()
    .flat_map(|(behavior, list)| {
        list.into_iter().map(move |rule| RuleEntry {
            rule,
            behavior,
            source: RuleSource::Project,
            file: None,
            position: None,
            expires_at: None,
            problem: None,
        })
    })
    .collect()
}
