//! Whether a rule speaks of a call, without deciding anything: the `if` of a hook.

use std::sync::Arc;

use adroit_protocol::permission::{Behavior, Mode, RuleEntry, RuleSource};

use crate::case::Case;
use crate::facts::{CallFacts, PermissionSnapshot, Subject, WorkspaceFacts};
use crate::rules::RuleSet;

/// A rule as a condition. It matches as widely as an ask rule does: any command of a chain,
/// any path that may be meant, and every command that cannot be read. Blocks
/// `true; rm -rf build` slipping past a guard that watches for `Bash(rm *)`.
#[derive(Clone, Debug)]
pub struct Condition {
    text: String,
    rules: Arc<RuleSet>,
}

impl Condition {
    /// Reads a rule: `Tool` or `Tool(specifier)`.
    ///
    /// # Errors
    /// What is wrong with it.
    pub fn parse(text: &str) -> Result<Self, String> {
        let rules = RuleSet::compile(vec![RuleEntry {
            rule: text.trim().to_owned(),
            behavior: Behavior::Ask,
            source: RuleSource::Session,
            file: None,
            position: None,
            expires_at: None,
            problem: None,
        }]);
        let problem = rules.entries().find_map(|entry| entry.problem.clone());
        match problem {
            Some(problem) => Err(problem),
            None => Ok(Self {
                text: text.trim().to_owned(),
                rules: Arc::new(rules),
            }),
        }
    }

    /// The rule as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True where the rule speaks, or may speak, of the call.
    #[must_use]
    pub fn concerns(&self, facts: CallFacts, workspace: &WorkspaceFacts) -> bool {
        let snapshot = PermissionSnapshot {
            mode: Mode::Default,
            rules: Arc::clone(&self.rules),
            workspace: workspace.clone(),
            trusted: true,
            bypass_available: false,
        };
        let case = Case::new(&snapshot, facts);
        // A deny rule for files reaches into commands; a hook for files is written for the
        // inputs of file tools and could make nothing of a command.
        let own = !matches!(case.facts.subject, Subject::Shell { .. }) || {
            let names = [case.facts.tool.as_str()];
            let mut rules = self.rules.candidates(Behavior::Ask, &names);
            rules.any(|rule| case.is_own_tool(rule))
        };
        own && !case.restrictions(Behavior::Ask).is_empty()
    }
}
