//! Whether one rule surely matches whatever another matches.
//!
//! Only ever says yes where it is certain: a report that a rule is never reached must
//! not be wrong, a missing one only says less.

use adroit_protocol::permission::Behavior;

use crate::host_pattern::HostPattern;
use crate::rule::{Rule, Specifier, ToolMatch};

/// Tools that change a file: an Edit rule covers them all.
const EDITING: [&str; 4] = ["Edit", "Write", "MultiEdit", "NotebookEdit"];
/// Tools that read files: a Read rule covers them all.
const READING: [&str; 5] = ["Read", "Glob", "Grep", "LS", "NotebookRead"];

/// True when `outer` surely matches whatever `inner` matches.
pub(crate) fn contains(outer: &Rule, inner: &Rule) -> bool {
    let allow = outer.entry.behavior == Behavior::Allow;
    if !contains_tool(&outer.tool, &inner.tool, allow) {
        return false;
    }
    match (&outer.specifier, &inner.specifier) {
        (None, _) => true,
        (Some(_), None) => false,
        (Some(one), Some(other)) => {
            one.text() == other.text() || contains_specifier(outer, one, inner, other)
        }
    }
}

fn contains_tool(outer: &ToolMatch, inner: &ToolMatch, allow: bool) -> bool {
    match (outer, inner) {
        (ToolMatch::Named(outer), ToolMatch::Named(inner)) => {
            let (outer, inner) = (canonical(outer), canonical(inner));
            outer == inner
                || of_server(outer, inner)
                || (outer == "Edit" && EDITING.contains(&inner))
                || (outer == "Read" && READING.contains(&inner))
                // What may not be read may not be edited either.
                || (outer == "Read" && !allow && EDITING.contains(&inner))
        }
        (ToolMatch::Fitting(outer), ToolMatch::Named(inner)) => outer.matches(inner),
        (ToolMatch::Named(outer), ToolMatch::Fitting(inner)) => inner
            .fixed_start()
            .is_some_and(|start| of_server(outer, start)),
        (ToolMatch::Fitting(outer), ToolMatch::Fitting(inner)) => outer.contains(inner),
        (outer, inner) => outer == inner,
    }
}

/// `mcp__server` and what begins with `mcp__server__`.
fn of_server(server: &str, tool: &str) -> bool {
    server.starts_with("mcp__")
        && tool
            .strip_prefix(server)
            .is_some_and(|rest| rest.starts_with("__"))
}

/// The name under which a tool's rules are kept.
fn canonical(tool: &str) -> &str {
    if tool == "Task" { "Agent" } else { tool }
}

fn contains_specifier(
    outer_rule: &Rule,
    outer: &Specifier,
    inner_rule: &Rule,
    inner: &Specifier,
) -> bool {
    let ToolMatch::Named(tool) = &inner_rule.tool else {
        return false;
    };
    if EDITING.contains(&tool.as_str()) || READING.contains(&tool.as_str()) {
        return match (outer.path(), inner.path()) {
            (Some(outer), Some(inner)) => {
                outer.contains(outer_rule.reach(), inner, inner_rule.reach())
            }
            _ => false,
        };
    }
    if tool == "WebFetch" {
        return match (outer.host(), inner.host()) {
            (Some(outer), Some(inner)) => contains_host(outer, inner),
            _ => false,
        };
    }
    if !matches!(canonical(tool), "Bash" | "Agent" | "Skill") {
        return false;
    }
    // A pattern that matches another's text, its stars taken as a character, matches every
    // text that the other stands for.
    let spelled = match inner.text().strip_suffix(":*") {
        Some(head) => format!("{head} *"),
        None => inner.text().to_owned(),
    };
    outer
        .command()
        .is_some_and(|pattern| pattern.matches(&spelled))
}

fn contains_host(outer: &HostPattern, inner: &HostPattern) -> bool {
    match (outer, inner) {
        (HostPattern::Any, _) => true,
        (HostPattern::Below(parent), HostPattern::Below(child)) => {
            child == parent
                || child
                    .strip_suffix(parent.as_str())
                    .is_some_and(|rest| rest.ends_with('.'))
        }
        (outer, HostPattern::Exact(host)) => outer.matches(host),
        (outer, inner) => outer == inner,
    }
}
