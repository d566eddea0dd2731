//! One rule, `Tool` or `Tool(specifier)`, compiled once.

use adroit_protocol::permission::{Behavior, RuleEntry};
use serde_json::Value;

use crate::command_pattern::CommandPattern;
use crate::host_pattern::HostPattern;
use crate::path_pattern::{PathPattern, Reach};
use crate::wildcard::Wildcard;

/// Tools whose specifier is a path.
const PATH_TOOLS: [&str; 9] = [
    "Read",
    "Edit",
    "Write",
    "MultiEdit",
    "NotebookEdit",
    "NotebookRead",
    "Glob",
    "Grep",
    "LS",
];

/// Input fields that have a grammar of their own, so that `Bash(command:rm *)`
/// is not taken for a rule about commands, which a compound command would dodge.
const CANONICAL_FIELDS: [&str; 5] = ["command", "file_path", "path", "notebook_path", "url"];

/// Which tools a rule speaks of.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum ToolMatch {
    /// The tool of this name, or all tools of the MCP server of this name.
    Named(String),
    /// Tools whose name fits.
    Fitting(Wildcard),
    /// Even the tool cannot be read: every tool in a deny or ask list.
    Unreadable,
}

/// What stands between the parentheses, read in every way: which one counts is
/// known from the subject of a call, so that a rule under an alias means the same.
#[derive(Clone, Debug)]
pub(crate) struct Specifier {
    text: String,
    command: Option<CommandPattern>,
    path: Option<PathPattern>,
    host: Option<HostPattern>,
    parameter: Option<(String, Wildcard)>,
}

/// A compiled rule.
#[derive(Clone, Debug)]
pub(crate) struct Rule {
    pub(crate) entry: RuleEntry,
    pub(crate) tool: ToolMatch,
    /// `None`: every use of the tool.
    pub(crate) specifier: Option<Specifier>,
}

impl Rule {
    /// Compiles `entry`. A rule that cannot be read keeps its problem: it allows
    /// nothing, and denies or asks for its whole tool.
    pub(crate) fn compile(mut entry: RuleEntry) -> Self {
        let (tool_text, specifier_text, mut problem) = split(&entry.rule);
        let tool = match tool_text {
            "" => ToolMatch::Unreadable,
            name if name.contains('*') => ToolMatch::Fitting(Wildcard::new(name)),
            name => ToolMatch::Named(name.to_owned()),
        };
        let specifier = specifier_text.map(|text| Specifier::read(text, entry.behavior));
        if problem.is_none() {
            problem = check(tool_text, specifier.as_ref(), &entry);
        }
        if entry.problem.is_none() {
            entry.problem = problem;
        }
        let whole = entry.problem.is_some()
            || specifier.as_ref().is_some_and(|specifier| {
                specifier.is_everything() && !PATH_TOOLS.contains(&tool_text)
            });
        Self {
            specifier: if whole { None } else { specifier },
            tool,
            entry,
        }
    }

    pub(crate) fn is_invalid(&self) -> bool {
        self.entry.problem.is_some()
    }

    pub(crate) fn reach(&self) -> Reach {
        match self.entry.behavior {
            Behavior::Allow => Reach::Narrow,
            Behavior::Ask | Behavior::Deny => Reach::Wide,
        }
    }

    /// The rule with its file and position, as a person would look it up.
    pub(crate) fn label(&self) -> String {
        label(&self.entry)
    }

    /// What the rule covers, in words.
    pub(crate) fn describe(&self) -> String {
        let tool = self.tool_text();
        let Some(specifier) = &self.specifier else {
            return format!("every use of {tool}");
        };
        let text = &specifier.text;
        if PATH_TOOLS.contains(&tool) {
            let verb = if matches!(tool, "Edit" | "Write" | "MultiEdit" | "NotebookEdit") {
                "editing"
            } else {
                "reading"
            };
            return match text.strip_suffix("/**") {
                Some(folder) => format!("{verb} anything below `{}`", plain_path(folder)),
                None => format!("{verb} `{}`", plain_path(text)),
            };
        }
        match tool {
            "Bash" => match text.strip_suffix(":*").or_else(|| text.strip_suffix(" *")) {
                Some(head) => format!("`{head}` with any arguments"),
                None if text.contains('*') => {
                    format!("commands of the form `{text}`, where `*` is any text")
                }
                None => format!("exactly `{text}`"),
            },
            "WebFetch" => match text.strip_prefix("domain:") {
                Some(domain) => format!("fetching from {domain}"),
                None => format!("fetching {text}"),
            },
            _ => format!("{tool} with `{text}`"),
        }
    }

    /// The broadest that an allow rule lets through, in words: what the person should have in
    /// mind, and not the call that waits.
    pub(crate) fn broadest(&self) -> String {
        let tool = self.tool_text();
        let Some(specifier) = &self.specifier else {
            return match tool {
                "Bash" => "any command at all, with the rights that you have: deleting, sending files away, installing programs".to_owned(),
                "Read" => "reading any file that you can read, keys and passwords included".to_owned(),
                tool if PATH_TOOLS.contains(&tool) => {
                    "changing any file that you can change, outside the project too".to_owned()
                }
                "WebFetch" => "fetching any address, with anything in it that was read before".to_owned(),
                _ => format!("{tool} with any input"),
            };
        };
        let text = &specifier.text;
        if PATH_TOOLS.contains(&tool) {
            return match text.strip_suffix("/**") {
                Some(folder) => format!(
                    "every file below `{}`, however deep, also those made later",
                    plain_path(folder)
                ),
                None if text.contains('*') => {
                    format!(
                        "every file whose path fits `{}`, also those made later",
                        plain_path(text)
                    )
                }
                None => format!("this file only, with any content: `{}`", plain_path(text)),
            };
        }
        match specifier.command() {
            Some(pattern) if tool == "Bash" && pattern.is_exact() => {
                "this very text and nothing else".to_owned()
            }
            Some(_) if tool == "Bash" => {
                let form = text
                    .strip_suffix(":*")
                    .map_or_else(|| text.clone(), |head| format!("{head} …"));
                format!(
                    "`{form}` with every option and argument that the program knows, also such as make it write, delete, run or send something; what is joined to it by `&&`, `;` or `|` is judged for itself"
                )
            }
            _ => self.describe(),
        }
    }

    fn tool_text(&self) -> &str {
        split(&self.entry.rule).0
    }
}

impl Specifier {
    fn read(text: &str, behavior: Behavior) -> Self {
        Self {
            command: CommandPattern::parse(text).ok(),
            path: PathPattern::parse(text).ok(),
            host: HostPattern::parse(text).ok(),
            // One parameter does not make a whole call safe: never in an allow list.
            parameter: (behavior != Behavior::Allow)
                .then(|| parameter(text))
                .flatten(),
            text: text.trim().to_owned(),
        }
    }

    fn is_everything(&self) -> bool {
        self.command.as_ref().is_some_and(CommandPattern::is_any)
    }

    pub(crate) fn text(&self) -> &str {
        &self.text
    }

    pub(crate) fn command(&self) -> Option<&CommandPattern> {
        self.command.as_ref()
    }

    pub(crate) fn path(&self) -> Option<&PathPattern> {
        self.path.as_ref()
    }

    pub(crate) fn host(&self) -> Option<&HostPattern> {
        self.host.as_ref()
    }

    /// True when the rule is `Tool(name:value)` and the input has that value.
    pub(crate) fn parameter_matches(&self, input: &Value) -> bool {
        let Some((name, pattern)) = &self.parameter else {
            return false;
        };
        match input.get(name) {
            Some(Value::String(text)) => pattern.matches(text),
            Some(Value::Bool(flag)) => pattern.matches(if *flag { "true" } else { "false" }),
            Some(Value::Number(number)) => pattern.matches(&number.to_string()),
            _ => false,
        }
    }
}

/// A rule's text with its file and position.
pub(crate) fn label(entry: &RuleEntry) -> String {
    let place = match (&entry.file, entry.position) {
        (Some(file), Some(position)) => format!("{file}:{}:{}", position.line, position.column),
        (Some(file), None) => file.clone(),
        (None, _) => source_words(entry).to_owned(),
    };
    format!("`{}` ({place})", entry.rule)
}

fn source_words(entry: &RuleEntry) -> &'static str {
    use adroit_protocol::permission::RuleSource as Source;
    match entry.source {
        Source::Managed => "managed settings",
        Source::CommandLine => "command line",
        Source::ProjectLocal => "local project settings",
        Source::Project => "project settings",
        Source::User => "user settings",
        Source::Session => "this session",
    }
}

fn plain_path(text: &str) -> String {
    let text = text.strip_prefix("//").map_or_else(
        || text.strip_prefix('/').unwrap_or(text).to_owned(),
        |rest| format!("/{rest}"),
    );
    if text.is_empty() {
        return "the project folder".to_owned();
    }
    text.replace('\\', "")
}

/// Tool, specifier and what is wrong. The tool is the leading name, so that a
/// deny rule with a typing error behind it still denies that tool.
fn split(rule: &str) -> (&str, Option<&str>, Option<String>) {
    let rule = rule.trim();
    let end = rule
        .find(|c: char| !(c.is_alphanumeric() || "_-.*".contains(c)))
        .unwrap_or(rule.len());
    let (tool, rest) = rule.split_at(end);
    if tool.is_empty() {
        return (
            tool,
            None,
            Some("a rule begins with the name of a tool".to_owned()),
        );
    }
    if rest.is_empty() {
        return (tool, None, None);
    }
    match rest
        .strip_prefix('(')
        .and_then(|inside| inside.strip_suffix(')'))
    {
        Some(inside) => (tool, Some(inside), None),
        None => (
            tool,
            None,
            Some(format!("a rule reads `{tool}` or `{tool}(…)`")),
        ),
    }
}

fn check(tool: &str, specifier: Option<&Specifier>, entry: &RuleEntry) -> Option<String> {
    let allow = entry.behavior == Behavior::Allow;
    if allow && tool.contains('*') && !anchored(tool) {
        return Some(
            "in an allow list `*` in a tool's name is only read after `mcp__<server>__`".to_owned(),
        );
    }
    let specifier = specifier?;
    let text = specifier.text();
    if tool.starts_with("mcp__") {
        return Some("a rule for an MCP tool has no parentheses".to_owned());
    }
    if PATH_TOOLS.contains(&tool) {
        return PathPattern::parse(text).err();
    }
    match tool {
        "Bash" => CommandPattern::parse(text).err(),
        "WebFetch" if text == "*" => None,
        "WebFetch" if specifier.parameter.is_some() && !text.starts_with("domain") => None,
        "WebFetch" => HostPattern::parse(text).err(),
        _ if text.is_empty() => Some("there is nothing between the parentheses".to_owned()),
        _ => None,
    }
}

/// True for `mcp__server__…` with a server that is spelled out.
fn anchored(tool: &str) -> bool {
    mcp_server_of(tool).is_some_and(|server| !server.is_empty() && !server.contains('*'))
}

/// The server of `mcp__server__tool`, read up to the last `__` before a star.
pub(crate) fn mcp_server_of(tool: &str) -> Option<&str> {
    let rest = tool.strip_prefix("mcp__")?;
    let head = rest.split('*').next().unwrap_or(rest);
    head.rfind("__").and_then(|at| rest.get(..at))
}

fn parameter(text: &str) -> Option<(String, Wildcard)> {
    let (name, value) = text.split_once(':')?;
    let (name, value) = (name.trim(), value.trim());
    let is_name = name.chars().all(|c| c.is_ascii_alphanumeric() || c == '_')
        && name.chars().next().is_some_and(|c| !c.is_ascii_digit());
    (is_name && !value.is_empty() && !CANONICAL_FIELDS.contains(&name))
        .then(|| (name.to_owned(), Wildcard::new(value)))
}
