//! What is odd about a set of rules: for the settings panel.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use adroit_protocol::command::{RuleOddity, RuleReport};
use adroit_protocol::permission::Behavior;

use crate::command_pattern::CommandPattern;
use crate::containment::contains;
use crate::facts::WorkspaceFacts;
use crate::path_pattern::{Anchor, PathPattern};
use crate::rule::{self, Rule, Specifier, ToolMatch};
use crate::safety::protected_name;

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

fn is_bash(tool: &ToolMatch) -> bool {
    *tool == ToolMatch::Named("Bash".to_owned())
}

/// Names that are often written in another case.
const NAMES: [&str; 17] = [
    "Bash",
    "Read",
    "Edit",
    "Write",
    "MultiEdit",
    "NotebookEdit",
    "Glob",
    "Grep",
    "WebFetch",
    "WebSearch",
    "Agent",
    "Task",
    "Skill",
    "TodoWrite",
    "ToolSearch",
    "AskUserQuestion",
    "ExitPlanMode",
];

/// Programs of which no prefix rule approves anything.
const NEVER_BY_PREFIX: [&str; 4] = ["watch", "setsid", "ionice", "flock"];

fn matches_nothing(rule: &Rule) -> Option<String> {
    if let ToolMatch::Named(name) = &rule.tool {
        if let Some(right) = NAMES
            .iter()
            .find(|known| known.eq_ignore_ascii_case(name) && **known != name)
        {
            return Some(format!(
                "no tool is called `{name}`; it is written `{right}`"
            ));
        }
        if name == "mcp__"
            || name
                .strip_prefix("mcp__")
                .is_some_and(|rest| rest.ends_with("__"))
        {
            return Some(format!(
                "`{name}` names no tool: write `mcp__server` or `mcp__server__tool`"
            ));
        }
    }
    let specifier = rule.specifier.as_ref()?;
    if is_bash(&rule.tool) {
        return bash_matches_nothing(rule, specifier);
    }
    if rule.entry.behavior == Behavior::Allow
        && let ToolMatch::Named(name) = &rule.tool
        && matches!(
            name.as_str(),
            "Edit" | "Write" | "MultiEdit" | "NotebookEdit"
        )
        && let Some(name) = specifier.path().and_then(protected)
    {
        return Some(format!(
            "`{name}` is protected: a change of it is asked in every mode, whatever allows it"
        ));
    }
    absolute_by_mistake(specifier)
}

fn bash_matches_nothing(rule: &Rule, specifier: &Specifier) -> Option<String> {
    let text = specifier.text();
    if let Some((field, _)) = text.split_once(':')
        && field == "command"
    {
        return Some("`command:` is read as text; write the command itself".to_owned());
    }
    let pattern: &CommandPattern = specifier.command()?;
    let exact = pattern.is_exact();
    let joined = ["&&", "||", ";", "|"]
        .iter()
        .find(|sign| text.contains(**sign));
    if let Some(sign) = joined.filter(|_| !exact) {
        return Some(format!(
            "rules are matched against single commands, and `{sign}` joins two"
        ));
    }
    if text.contains(['>', '<']) && !exact && !text.contains(['"', '\'']) {
        return Some(
            "redirects are no part of what a rule is matched against; an Edit rule covers them"
                .to_owned(),
        );
    }
    if rule.entry.behavior != Behavior::Allow {
        return None;
    }
    let mut words = text.split_whitespace();
    let program = words.next().unwrap_or_default().trim_end_matches(":*");
    if !exact && NEVER_BY_PREFIX.contains(&program) {
        return Some(format!(
            "no pattern approves `{program}`, which says nothing of what it runs; spell the whole \
             command out"
        ));
    }
    let acts = words.any(|word| {
        matches!(
            word.trim_end_matches(":*"),
            "-exec" | "-execdir" | "-delete" | "-ok"
        )
    });
    if !exact && program == "find" && acts {
        return Some(
            "no pattern approves `find` with what runs or deletes; spell the whole command out"
                .to_owned(),
        );
    }
    exact.then(|| critical(text)).flatten()
}

/// A command that is asked about whatever allows it.
fn critical(text: &str) -> Option<String> {
    // Where it runs changes nothing for what is critical everywhere.
    let analysis = adroit_shell::analyze(
        text,
        &adroit_shell::ShellContext {
            cwd: Path::new("/w/project"),
            workspace: Path::new("/w/project"),
            additional_directories: &[],
            home: Path::new("/home/user"),
        },
    );
    analysis.critical.map(|critical| {
        format!(
            "it {}: that is asked in every mode, whatever allows it",
            critical.phrase
        )
    })
}

/// The protected name that a pattern spells out.
fn protected(pattern: &PathPattern) -> Option<String> {
    let mut path = PathBuf::from("/w");
    path.extend(pattern.literal_names().map(|name| name.unwrap_or("*")));
    let nowhere = WorkspaceFacts {
        root: PathBuf::from("/w"),
        additional_directories: Vec::new(),
        home: PathBuf::from("/h"),
        cwd: PathBuf::from("/w"),
        state_directories: Vec::new(),
    };
    protected_name(&path, &nowhere)
}

/// `Read(/home/me/x)` begins at the project's root.
fn absolute_by_mistake(specifier: &Specifier) -> Option<String> {
    let pattern = specifier.path()?;
    let mut names = pattern.literal_names();
    let first = names.next().flatten()?;
    let mistaken = pattern.anchor() == Anchor::Project
        && matches!(first, "home" | "Users" | "proc")
        && names.next().is_some();
    mistaken.then(|| {
        format!(
            "`{}` begins at the project's root; the root of the file system is written `/{}`",
            specifier.text(),
            specifier.text()
        )
    })
}
