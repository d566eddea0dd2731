//! All rules of a session, compiled once and found by the name of a tool.

use std::collections::HashMap;
use std::path::Path;
use std::sync::Arc;

use adroit_protocol::command::RuleReport;
use adroit_protocol::permission::{Behavior, RuleEntry, RuleSource};

use crate::facts::WorkspaceFacts;
use crate::path_pattern::Reach;
use crate::path_view::PathView;
use crate::report;
use crate::rule::{Rule, ToolMatch};

/// The rules of all sources. Compiled when settings change, shared by all calls.
#[derive(Clone, Debug, Default)]
pub struct RuleSet {
    rules: Vec<Arc<Rule>>,
    allow: Index,
    ask: Index,
    deny: Index,
}

/// Positions in [`RuleSet::rules`], strongest source first.
#[derive(Clone, Debug, Default)]
struct Index {
    named: HashMap<String, Vec<usize>>,
    /// Rules whose tool is a pattern, or cannot be read.
    other: Vec<usize>,
}

impl RuleSet {
    /// Compiles `entries`. A rule that cannot be read stays, with its problem
    /// filled in: in a deny or ask list it then stands for its whole tool, or for
    /// every tool when even the tool cannot be read; in an allow list for nothing.
    #[must_use]
    pub fn compile(entries: Vec<RuleEntry>) -> Self {
        let mut rules: Vec<Arc<Rule>> = entries
            .into_iter()
            .map(|entry| Arc::new(Rule::compile(entry)))
            .collect();
        // Which rule is named as the winner follows from its source, not from
        // the order in which the sources were read.
        rules.sort_by_key(|rule| rule.entry.source);
        let mut set = Self::default();
        for (position, rule) in rules.iter().enumerate() {
            let index = match rule.entry.behavior {
                Behavior::Allow => &mut set.allow,
                Behavior::Ask => &mut set.ask,
                Behavior::Deny => &mut set.deny,
            };
            match &rule.tool {
                ToolMatch::Named(name) => {
                    index.named.entry(name.clone()).or_default().push(position);
                }
                _ => index.other.push(position),
            }
        }
        set.rules = rules;
        set
    }

    /// These rules and one more, in the list that its behaviour names.
    #[must_use]
    pub fn with_rule(&self, entry: RuleEntry) -> Self {
        let mut entries: Vec<RuleEntry> = self.entries().cloned().collect();
        entries.push(entry);
        Self::compile(entries)
    }

    /// Every rule, strongest source first, with its problem if it has one.
    pub fn entries(&self) -> impl Iterator<Item = &RuleEntry> {
        self.rules.iter().map(|rule| &rule.entry)
    }

    /// Rules that have a problem, repeat another, can never decide or match nothing.
    #[must_use]
    pub fn reports(&self) -> Vec<RuleReport> {
        report::reports(&self.rules)
    }

    /// True when a bare rule denies the tool in every use, so that it need not be
    /// offered. `server` is the MCP server that it comes from, if it does.
    #[must_use]
    pub fn denies_tool(&self, tool: &str, aliases: &[String], server: Option<&str>) -> bool {
        let server = server.map(|server| format!("mcp__{server}"));
        let names: Vec<&str> = std::iter::once(tool)
            .chain(aliases.iter().map(String::as_str))
            .chain(server.as_deref())
            .collect();
        self.candidates(Behavior::Deny, &names)
            .any(|rule| rule.specifier.is_none() && names.iter().any(|name| rule.names(name)))
    }

    /// The deny rule that keeps the content of `path` from being read. For tools
    /// that meet files while they search: a file that may not be read must not
    /// show up in the results of a search above it either.
    #[must_use]
    pub fn denies_reading(
        &self,
        path: &Path,
        real: Option<&Path>,
        workspace: &WorkspaceFacts,
    ) -> Option<&RuleEntry> {
        let mut candidates = self.candidates(Behavior::Deny, &["Read"]).peekable();
        // A search asks for every file that it meets: without such a rule it costs nothing.
        candidates.peek()?;
        let views: Vec<PathView> = std::iter::once(path)
            .chain(real)
            .map(|path| PathView::new(path, workspace))
            .collect();
        candidates
            .find(|rule| match &rule.specifier {
                None => rule.names("Read"),
                Some(specifier) => specifier.path().is_none_or(|pattern| {
                    views
                        .iter()
                        .any(|view| pattern.matches(view, workspace, Reach::Wide))
                }),
            })
            .map(|rule| &rule.entry)
    }

    /// True when some deny or ask rule speaks of reading single files.
    #[must_use]
    pub fn restricts_reading(&self) -> bool {
        self.restricts(&["Read"])
    }

    /// True when some deny or ask rule speaks of reading `path`.
    #[must_use]
    pub fn speaks_of_reading(&self, path: &Path, workspace: &WorkspaceFacts) -> bool {
        let view = PathView::new(path, workspace);
        [Behavior::Deny, Behavior::Ask].into_iter().any(|list| {
            self.candidates(list, &["Read"])
                .any(|rule| match &rule.specifier {
                    None => rule.names("Read"),
                    Some(specifier) => specifier
                        .path()
                        .is_none_or(|pattern| pattern.matches(&view, workspace, Reach::Wide)),
                })
        })
    }

    /// True when some deny or ask rule speaks of single uses of one of `tools`.
    pub(crate) fn restricts(&self, tools: &[&str]) -> bool {
        [&self.deny, &self.ask].into_iter().any(|index| {
            tools
                .iter()
                .filter_map(|tool| index.named.get(*tool))
                .flatten()
                .filter_map(|position| self.rules.get(*position))
                .any(|rule| rule.specifier.is_some())
        })
    }

    /// Rules of one list that may speak of a tool with one of these names.
    pub(crate) fn candidates<'a>(
        &'a self,
        list: Behavior,
        names: &[&str],
    ) -> impl Iterator<Item = &'a Rule> + use<'a> {
        let index = match list {
            Behavior::Allow => &self.allow,
            Behavior::Ask => &self.ask,
            Behavior::Deny => &self.deny,
        };
        let mut positions: Vec<usize> = names
            .iter()
            .filter_map(|name| index.named.get(*name))
            .flatten()
            .chain(&index.other)
            .copied()
            .collect();
        positions.sort_unstable();
        positions.dedup();
        positions
            .into_iter()
            .filter_map(|position| self.rules.get(position))
            .map(Arc::as_ref)
    }
}

impl Rule {
    /// True when the rule's tool is `name`.
    pub(crate) fn names(&self, name: &str) -> bool {
        match &self.tool {
            ToolMatch::Named(own) => own == name,
            ToolMatch::Fitting(pattern) => pattern.matches(name),
            ToolMatch::Unreadable => true,
        }
    }
}

/// A rule as an answer of the person would add it.
pub(crate) fn session_allow(rule: &str) -> RuleEntry {
    RuleEntry {
        rule: rule.to_owned(),
        behavior: Behavior::Allow,
        source: RuleSource::Session,
        file: None,
        position: None,
        expires_at: None,
        problem: None,
    }
}
