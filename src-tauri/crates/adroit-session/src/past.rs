//! Calls of before: what a rule would have let through, and what would have been decided
//! otherwise. Judged by the function that `permissions check` uses.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use adroit_permissions::{PermissionSnapshot, RuleSet, decide_named};
use adroit_protocol::command::{
    PastMatch, RuleCheck, WhatIf, WhatIfAnswer, WhatIfChange, WhatIfRule,
};
use adroit_protocol::permission::{Behavior, Mode, RuleEntry, RuleSource};
use adroit_protocol::record::{DecisionRecord, DecisionSummary};
use adroit_protocol::{CallId, RequestId, SessionId};
use serde_json::Value;

use crate::approvals::AnswerError;
use crate::transcript::{self, EntryBody};
use crate::{AppDirectories, Session};

/// Sessions that are looked through, newest first.
const MOST_SESSIONS: usize = 40;
/// Calls that are looked at: each is analysed anew.
const MOST_CALLS: usize = 600;

/// A call of before.
#[derive(Clone, Debug)]
pub struct PastCall {
    /// Of which session.
    pub session: SessionId,
    /// Which call.
    pub call: CallId,
    /// The tool, as resolved where that is known.
    pub tool: String,
    /// Its input as the model sent it.
    pub input: Arc<Value>,
    /// How it was decided, where that is known.
    pub decided: Option<Behavior>,
}

impl PastCall {
    /// What it was about, in a line: the command, the path, or the input.
    #[must_use]
    pub fn subject(&self) -> String {
        const MOST: usize = 160;
        let known = [
            "command",
            "file_path",
            "notebook_path",
            "path",
            "pattern",
            "url",
        ];
        let text = known
            .iter()
            .find_map(|field| self.input.get(field).and_then(Value::as_str))
            .map_or_else(|| self.input.to_string(), str::to_owned);
        match text.char_indices().nth(MOST) {
            Some((end, _)) => format!("{}…", &text[..end]),
            None => text,
        }
    }
}

/// The calls of a project's stored sessions, newest session first, each input once.
#[must_use]
pub fn past_calls(directories: &AppDirectories, project: &Path) -> Vec<PastCall> {
    let mut calls = Vec::new();
    let mut seen = HashSet::new();
    for session in transcript::list(directories, project)
        .into_iter()
        .take(MOST_SESSIONS)
    {
        let mut found = calls_of(directories, project, &session.session);
        found.reverse();
        // What still waits, or never got so far, says nothing of what one allows.
        found.retain(|call| call.decided.is_some());
        found.retain(|call| seen.insert((call.tool.clone(), call.input.to_string())));
        calls.extend(found);
        if calls.len() >= MOST_CALLS {
            calls.truncate(MOST_CALLS);
            break;
        }
    }
    calls
}

/// The calls of one session, in order.
#[must_use]
pub fn calls_of(
    directories: &AppDirectories,
    project: &Path,
    session: &SessionId,
) -> Vec<PastCall> {
    let path = transcript::path_of(directories, project, session);
    let Ok(read) = transcript::read(&path) else {
        return Vec::new();
    };
    let mut calls: Vec<PastCall> = Vec::new();
    for entry in read.entries {
        match entry.body {
            EntryBody::Call {
                call, name, input, ..
            } => calls.push(PastCall {
                session: session.clone(),
                call,
                tool: name,
                input: Arc::new(input),
                decided: None,
            }),
            EntryBody::Result {
                call, tool, record, ..
            } => {
                if let Some(known) = calls.iter_mut().rev().find(|known| known.call == call) {
                    known.tool = tool;
                    known.decided = decided(&record);
                }
            }
            _ => {}
        }
    }
    calls
}

/// How a call was decided in the end: by the person where they were asked.
fn decided(record: &DecisionRecord) -> Option<Behavior> {
    record
        .consent
        .as_ref()
        .map(|consent| consent.behavior)
        .or_else(|| record.decision.as_ref().map(|decision| decision.behavior))
}

fn number(count: usize) -> u32 {
    u32::try_from(count).unwrap_or(u32::MAX)
}

/// Rules as somebody tries them out: of no file.
fn tried_rules(rules: &[WhatIfRule]) -> RuleSet {
    RuleSet::compile(
        rules
            .iter()
            .map(|tried| RuleEntry {
                rule: tried.rule.clone(),
                behavior: tried.behavior,
                source: RuleSource::Session,
                file: None,
                position: None,
                expires_at: None,
                problem: None,
            })
            .collect(),
    )
}

/// The calls that an allow rule alone would let through, where nothing else would.
#[must_use]
pub fn matched_by<'c>(
    rule: &str,
    calls: &'c [PastCall],
    snapshot: &PermissionSnapshot,
) -> Vec<&'c PastCall> {
    let rule = RuleEntry {
        rule: rule.to_owned(),
        behavior: Behavior::Allow,
        source: RuleSource::Session,
        file: None,
        position: None,
        expires_at: None,
        problem: None,
    };
    let under = |rules: Vec<RuleEntry>| PermissionSnapshot {
        mode: Mode::Default,
        rules: Arc::new(RuleSet::compile(rules)),
        trusted: true,
        ..snapshot.clone()
    };
    let (with, without) = (under(vec![rule]), under(Vec::new()));
    let allows = |call: &PastCall, snapshot: &PermissionSnapshot| {
        decide_named(&call.tool, &call.input, snapshot)
            .is_ok_and(|decision| decision.behavior == Behavior::Allow)
    };
    calls
        .iter()
        .filter(|call| allows(call, &with) && !allows(call, &without))
        .collect()
}

/// The calls that a snapshot would decide otherwise than another: with both decisions.
#[must_use]
pub fn decided_otherwise<'c>(
    calls: &'c [PastCall],
    now: &PermissionSnapshot,
    tried: &PermissionSnapshot,
) -> Vec<(&'c PastCall, DecisionSummary, DecisionSummary)> {
    calls
        .iter()
        .filter_map(|call| {
            let before = decide_named(&call.tool, &call.input, now).ok()?;
            let after = decide_named(&call.tool, &call.input, tried).ok()?;
            (before.behavior != after.behavior).then_some((call, before, after))
        })
        .collect()
}

/// Calls of before that were gathered a moment ago.
#[derive(Debug, Default)]
pub(crate) struct Gathered(Mutex<Option<(Instant, Arc<Vec<PastCall>>)>>);

impl Gathered {
    /// The calls of a project. Gathered anew after a while: a rule is checked while it is typed.
    fn calls(&self, directories: &AppDirectories, project: &Path) -> Arc<Vec<PastCall>> {
        const FRESH: Duration = Duration::from_secs(20);
        let mut gathered = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some((at, calls)) = &*gathered
            && at.elapsed() < FRESH
        {
            return Arc::clone(calls);
        }
        let calls = Arc::new(past_calls(directories, project));
        *gathered = Some((Instant::now(), Arc::clone(&calls)));
        calls
    }
}

impl Session {
    /// Which calls of before would be decided otherwise. Reads stored sessions: not for a
    /// thread that others wait for.
    #[must_use]
    pub fn what_if(&self, question: &WhatIf) -> WhatIfAnswer {
        const MOST_SHOWN: usize = 50;
        let directories = &self.shared.directories;
        let calls = if question.whole_project {
            past_calls(directories, self.project())
        } else {
            let mut calls = calls_of(directories, self.project(), &self.id());
            calls.reverse();
            calls
        };
        let now = self.permission_snapshot();
        let rules = question.rules.as_ref().map(|rules| tried_rules(rules));
        let problems = rules.iter().flat_map(RuleSet::entries).filter_map(|rule| {
            let problem = rule.problem.as_ref()?;
            Some(format!("`{}`: {problem}", rule.rule))
        });
        let problems = problems.collect();
        let tried = PermissionSnapshot {
            mode: question.mode.unwrap_or(now.mode),
            rules: rules.map_or_else(|| Arc::clone(&now.rules), Arc::new),
            ..now.clone()
        };
        let changed = decided_otherwise(&calls, &now, &tried);
        WhatIfAnswer {
            looked_at: number(calls.len()),
            more: number(changed.len().saturating_sub(MOST_SHOWN)),
            changed: changed
                .into_iter()
                .take(MOST_SHOWN)
                .map(|(call, now, tried)| WhatIfChange {
                    session: call.session.clone(),
                    call: call.call.clone(),
                    tool: call.tool.clone(),
                    subject: call.subject(),
                    decided: call.decided,
                    now,
                    tried,
                })
                .collect(),
            problems,
        }
    }

    /// What a rule would do to a request that waits, and to the calls of before. Reads stored
    /// sessions: not for a thread that others wait for.
    ///
    /// # Errors
    /// The request has ended.
    pub fn check_rule(&self, request: &RequestId, rule: &str) -> Result<RuleCheck, AnswerError> {
        const MOST_SHOWN: usize = 8;
        let check = self.approvals().check_rule(request, rule)?;
        if !check.covers {
            return Ok(RuleCheck {
                covers: false,
                text: check.text,
                broadest: None,
                past: Vec::new(),
                more: 0,
                looked_at: 0,
            });
        }
        let calls = self
            .gathered
            .calls(&self.shared.directories, self.project());
        let matched = matched_by(rule, &calls, &self.permission_snapshot());
        Ok(RuleCheck {
            covers: true,
            text: check.text,
            broadest: check.broadest,
            more: number(matched.len().saturating_sub(MOST_SHOWN)),
            looked_at: number(calls.len()),
            past: matched
                .into_iter()
                .take(MOST_SHOWN)
                .map(|call| PastMatch {
                    tool: call.tool.clone(),
                    subject: call.subject(),
                    decided: call.decided,
                })
                .collect(),
        })
    }
}
