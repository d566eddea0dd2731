//! Rules that a person may remember for a waiting call, each proven to cover it.

use std::path::Path;

use adroit_protocol::permission::{Breadth, RuleSuggestion};

use crate::case::Case;
use crate::coverage::Gap;
use crate::facts::{Subject, WorkspaceFacts};
use crate::host_pattern;
use crate::path_pattern;
use crate::shell_view::raw_text;
use crate::verdict::QuestionDetails;

/// Programs that run whatever they are given: a prefix rule for one of them is a
/// rule for everything, and says so less clearly than `Bash`.
const RUNNERS: [&str; 40] = [
    "sh",
    "bash",
    "dash",
    "zsh",
    "ksh",
    "ash",
    "fish",
    "eval",
    "source",
    ".",
    "exec",
    "env",
    "sudo",
    "doas",
    "su",
    "pkexec",
    "xargs",
    "python",
    "python3",
    "perl",
    "ruby",
    "node",
    "deno",
    "bun",
    "php",
    "lua",
    "ssh",
    "npx",
    "bunx",
    "uvx",
    "pipx",
    "watch",
    "setsid",
    "ionice",
    "flock",
    "parallel",
    "find",
    "awk",
    "busybox",
    "nix-shell",
];

/// Programs whose first word says little: the prefix takes the second one too.
const MAX_PREFIX_WORDS: usize = 2;

/// Suggestions for `details`, narrowest first. Empty where no rule may approve.
pub(crate) fn suggestions(details: &QuestionDetails) -> Vec<RuleSuggestion> {
    if details.fixed.is_some() {
        return Vec::new();
    }
    let mut result: Vec<RuleSuggestion> = Vec::new();
    for (rule, breadth) in proposals(&details.case) {
        if result.iter().any(|known| known.rule == rule) {
            continue;
        }
        let check = details.check_rule(&rule);
        if check.covers {
            result.push(RuleSuggestion {
                rule,
                covers: check.text,
                breadth,
            });
        }
    }
    result
}

fn proposals(case: &Case) -> Vec<(String, Breadth)> {
    let workspace = &case.snapshot.workspace;
    let tool = case.facts.tool.as_str();
    match &case.facts.subject {
        Subject::Shell { command, .. } => shell(case, command),
        Subject::EditFile { path, .. } => file("Edit", path, workspace),
        Subject::ReadFile { path, .. } => file("Read", path, workspace),
        Subject::Search { path, .. } => vec![
            (
                format!("Read({}/**)", path_pattern::rule_text(path, workspace)),
                Breadth::Prefix,
            ),
            ("Read".to_owned(), Breadth::Tool),
        ],
        Subject::Fetch { url } => host_pattern::host_of(url)
            .map(|host| (format!("{tool}(domain:{host})"), Breadth::Prefix))
            .into_iter()
            .chain([(tool.to_owned(), Breadth::Tool)])
            .collect(),
        Subject::Mcp { server, .. } => vec![
            (tool.to_owned(), Breadth::Tool),
            (format!("mcp__{server}"), Breadth::Tool),
        ],
        Subject::Agent { name } | Subject::Skill { name } => vec![
            (format!("{tool}({name})"), Breadth::Prefix),
            (tool.to_owned(), Breadth::Tool),
        ],
        Subject::Plain => vec![(tool.to_owned(), Breadth::Tool)],
    }
}

fn file(tool: &str, path: &Path, workspace: &WorkspaceFacts) -> Vec<(String, Breadth)> {
    let mut result = vec![(
        format!("{tool}({})", path_pattern::rule_text(path, workspace)),
        Breadth::Exact,
    )];
    if let Some(folder) = path.parent() {
        let folder = path_pattern::rule_text(folder, workspace);
        result.push((
            format!("{tool}({}/**)", folder.trim_end_matches('/')),
            Breadth::Prefix,
        ));
    }
    result.push((tool.to_owned(), Breadth::Tool));
    result
}

fn shell(case: &Case, command: &str) -> Vec<(String, Breadth)> {
    let tool = case.facts.tool.as_str();
    let Subject::Shell { cwd, analysis, .. } = &case.facts.subject else {
        return Vec::new();
    };
    let mut result = Vec::new();
    let text = command.trim();
    // A star would be read as any text: then the rule is not about this command alone.
    if !text.contains('*') {
        result.push((format!("{tool}({text})"), Breadth::Exact));
    }
    let open = open_parts(case, command, cwd, analysis);
    for gap in &open {
        let part = analysis.parts.iter().find(|part| {
            !part.read_only
                && !part.words.is_empty()
                && gap
                    .span
                    .as_ref()
                    .is_some_and(|span| part.span.start <= span.start && span.end <= part.span.end)
        });
        if let Some(part) = part {
            let forms = part.allow_forms();
            // The last form has the most wrappers taken off.
            let plain = forms.iter().min_by_key(|form| form.len());
            let stated = plain.cloned().unwrap_or_else(|| raw_text(part));
            result.extend(
                prefixes(&stated).map(|head| (format!("{tool}({head}:*)"), Breadth::Prefix)),
            );
        }
        if let Some(path) = written_path(case, gap) {
            let rule = path_pattern::rule_text(&path, &case.snapshot.workspace);
            result.push((format!("Edit({rule})"), Breadth::Exact));
        }
        if let Some(path) = read_path(case, gap) {
            let rule = path_pattern::rule_text(&path, &case.snapshot.workspace);
            result.push((format!("Read({rule})"), Breadth::Exact));
            result.push((format!("Read({rule}/**)"), Breadth::Prefix));
        }
    }
    result.push((tool.to_owned(), Breadth::Tool));
    result
}

fn open_parts(
    case: &Case,
    command: &str,
    cwd: &Path,
    analysis: &adroit_shell::Analysis,
) -> Vec<Gap> {
    let edits = crate::coverage::Edits::ByRule;
    crate::coverage::coverage(case, command, cwd, analysis, None, edits).gaps
}

/// The heads that a rule may begin with, from the narrower to the broader.
fn prefixes(form: &str) -> impl Iterator<Item = String> {
    let narrow = prefix(form);
    let broad = narrow
        .as_deref()
        .and_then(|head| head.split_once(' '))
        .map(|(program, _)| program.to_owned());
    narrow.into_iter().chain(broad)
}

/// The first words that name what is done: `cargo run`, `git commit`, `make`.
fn prefix(form: &str) -> Option<String> {
    let mut words = form.split(' ');
    let first = words.next()?;
    let name = first.rsplit('/').next().unwrap_or(first);
    let special = |word: &str| word.contains(['*', '(', ')', '$', '`', '"', '\'', '\\', '\n']);
    if first.is_empty() || special(first) || RUNNERS.contains(&name) {
        return None;
    }
    let mut head = vec![first];
    let is_subcommand = |word: &&str| {
        !word.is_empty()
            && word
                .chars()
                .all(|c| c.is_ascii_alphanumeric() || "-_:".contains(c))
            && !word.starts_with('-')
    };
    head.extend(words.take_while(is_subcommand).take(MAX_PREFIX_WORDS - 1));
    Some(head.join(" "))
}

fn written_path(case: &Case, gap: &Gap) -> Option<std::path::PathBuf> {
    path_at(case, gap, |access| {
        matches!(access, adroit_shell::Access::Write)
    })
}

fn read_path(case: &Case, gap: &Gap) -> Option<std::path::PathBuf> {
    path_at(case, gap, |access| {
        matches!(
            access,
            adroit_shell::Access::Read | adroit_shell::Access::ChangeDirectory
        )
    })
}

fn path_at(
    case: &Case,
    gap: &Gap,
    wanted: impl Fn(adroit_shell::Access) -> bool,
) -> Option<std::path::PathBuf> {
    case.shell
        .as_ref()?
        .paths
        .iter()
        .find(|path| gap.span.as_ref() == Some(&path.span) && wanted(path.access))
        .and_then(|path| path.known())
        .map(|view| view.path.clone())
}
