//! What is odd about a set of rules: for the settings panel.

use std::sync::Arc;

use adroit_protocol::permission::{Behavior, RuleEntry};

use crate::command_pattern::CommandPattern;
use crate::rule::{self, Rule, ToolMatch};

/// Something that a person should know about a rule.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RuleReport {
    /// The rule.
    pub rule: RuleEntry,
    /// What kind of oddity.
    pub kind: RuleOddity,
    /// One sentence.
    pub text: String,
}

/// What may be odd about a rule.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum RuleOddity {
    /// It cannot be read.
    Invalid,
    /// Another rule, which goes before it, matches whatever it matches.
    Unreachable,
    /// The same list says it already.
    Repeated,
    /// There is no call that it could match.
    MatchesNothing,
}

pub(crate) fn reports(rules: &[Arc<Rule>]) -> Vec<RuleReport> {
    rules
        .iter()
        .enumerate()
        .filter_map(|(position, rule)| {
            let (kind, text) = oddity(rules, position, rule)?;
            Some(RuleReport {
                rule: rule.entry.clone(),
                kind,
                text,
            })
        })
        .collect()
}

fn oddity(rules: &[Arc<Rule>], position: usize, rule: &Rule) -> Option<(RuleOddity, String)> {
    if let Some(problem) = &rule.entry.problem {
        let effect = match rule.entry.behavior {
            Behavior::Allow => "it allows nothing",
            Behavior::Ask => "it asks for all that it may speak of",
            Behavior::Deny => "it denies all that it may speak of",
        };
        return Some((RuleOddity::Invalid, format!("{problem}; {effect}")));
    }
    if let Some(reason) = matches_nothing(rule) {
        return Some((RuleOddity::MatchesNothing, reason));
    }
    for (other_position, other) in rules.iter().enumerate() {
        if other_position == position || other.entry.problem.is_some() {
            continue;
        }
        let before = rank(other.entry.behavior) < rank(rule.entry.behavior);
        let same = other.entry.behavior == rule.entry.behavior;
        if before && contains(other, rule) {
            return Some((
                RuleOddity::Unreachable,
                format!(
                    "the {} rule {} goes before it",
                    word(other.entry.behavior),
                    other.label()
                ),
            ));
        }
        let twin = contains(rule, other) && other_position > position;
        if same && contains(other, rule) && !twin {
            return Some((
                RuleOddity::Repeated,
                format!("{} says it already", rule::label(&other.entry)),
            ));
        }
    }
    None
}

fn rank(behavior: Behavior) -> u8 {
    match behavior {
        Behavior::Deny => 0,
        Behavior::Ask => 1,
        Behavior::Allow => 2,
    }
}

fn word(behavior: Behavior) -> &'static str {
    match behavior {
        Behavior::Deny => "deny",
        Behavior::Ask => "ask",
        Behavior::Allow => "allow",
    }
}

/// True when `outer` surely matches whatever `inner` matches.
fn contains(outer_rule: &Rule, inner_rule: &Rule) -> bool {
    let tool = match (&outer_rule.tool, &inner_rule.tool) {
        (ToolMatch::Named(outer), ToolMatch::Named(inner)) => {
            outer == inner
                || inner
                    .strip_prefix(outer.as_str())
                    .is_some_and(|rest| outer.starts_with("mcp__") && rest.starts_with("__"))
        }
        (ToolMatch::Fitting(outer), ToolMatch::Named(inner)) => outer.matches(inner),
        (outer, inner) => outer == inner,
    };
    if !tool {
        return false;
    }
    match (&outer_rule.specifier, &inner_rule.specifier) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(outer), Some(inner)) => {
            if outer.text() == inner.text() {
                return true;
            }
            // A pattern that matches another's text, its stars taken as a
            // character, matches every text that the other stands for.
            let spelled = match inner.text().strip_suffix(":*") {
                Some(head) => format!("{head} *"),
                None => inner.text().to_owned(),
            };
            is_bash(&outer_rule.tool)
                && outer
                    .command()
                    .is_some_and(|pattern| pattern.matches(&spelled))
        }
    }
}

fn is_bash(tool: &ToolMatch) -> bool {
    *tool == ToolMatch::Named("Bash".to_owned())
}

fn matches_nothing(rule: &Rule) -> Option<String> {
    let specifier = rule.specifier.as_ref()?;
    let text = specifier.text();
    if !is_bash(&rule.tool) {
        return None;
    }
    if let Some((field, _)) = text.split_once(':')
        && field == "command"
    {
        return Some("`command:` is read as text; write the command itself".to_owned());
    }
    let pattern: &CommandPattern = specifier.command()?;
    let joined = ["&&", "||", ";", "|"]
        .iter()
        .find(|sign| text.contains(**sign));
    match joined {
        Some(sign) if !pattern.is_exact() => Some(format!(
            "rules are matched against single commands, and `{sign}` joins two"
        )),
        _ => None,
    }
}
