//! What a shell command would do, from its text alone.
//!
//! Owns the reading of one command string as bash would read it: the simple
//! commands in it, what each may write, run or reach, and which words are
//! paths. `adroit-permissions` asks it before every Bash call, `adroit-tools`
//! for the edit that a `sed -i` stands for and for the meaning of an exit code.
//!
//! The way of a command: `limits` → `syntax` (two parsers, one tree) →
//! `evaluate` (the walk that carries directory and variables) → `verdict`
//! (one simple command against the `tables`) → [`Analysis`].
//!
//! Invariants:
//! - Pure: no file, process, clock or environment is looked at. The folders of
//!   a [`ShellContext`] need not exist.
//! - Fail closed: two parsers must agree on the list of simple commands and
//!   every node of both trees must be of a known kind, or nothing is called
//!   read-only.
//! - Bounded: limits on size, nesting and number of words come before parsing.
//! - What is read-only is data (`tables`): a flag that is not listed is not.
//! - A panic of a parser is caught, so the profile must keep unwinding.
//! - It never knows of rules, modes or people: it states facts, others decide.

mod arguments;
mod awk;
mod destructive;
mod evaluate;
mod exit;
mod forms;
mod glob;
mod limits;
mod paths;
mod sed;
mod substitution;
mod syntax;
mod tables;
mod types;
mod variables;
mod verdict;
mod wrappers;

#[cfg(test)]
mod tests;

pub use exit::exit_meaning;
pub use types::{
    Access, Analysis, Assignment, Below, CommandPart, Critical, Destruction, ExitMeaning, Named,
    PathUse, Reason, ReasonCode, Redirect, RedirectOperator, SedEdit, ShellContext, Sight, Word,
};

use syntax::Refusal;

/// Whether an analysis says by this name what a command does: programs of the
/// tables, wrappers, and the shell's own words. A function or an alias of such a
/// name would make it say something else than what runs.
pub fn decides(name: &str) -> bool {
    tables::is_listed(name)
        || wrappers::wrapper_named(name).is_some()
        || tables::globals::of(name).is_some()
        || SHELL_WORDS.contains(&name)
}

/// Reserved words and builtins of bash and zsh.
const SHELL_WORDS: &[&str] = &[
    "!",
    "{",
    "}",
    "[",
    "[[",
    "]]",
    "((",
    ".",
    ":",
    "-",
    "alias",
    "autoload",
    "bg",
    "bind",
    "break",
    "builtin",
    "caller",
    "case",
    "cd",
    "chdir",
    "command",
    "compgen",
    "complete",
    "compopt",
    "continue",
    "coproc",
    "declare",
    "dirs",
    "disown",
    "do",
    "done",
    "echo",
    "elif",
    "else",
    "emulate",
    "enable",
    "end",
    "esac",
    "eval",
    "exec",
    "exit",
    "export",
    "false",
    "fc",
    "fg",
    "fi",
    "float",
    "for",
    "foreach",
    "function",
    "functions",
    "getopts",
    "hash",
    "help",
    "history",
    "if",
    "in",
    "integer",
    "jobs",
    "kill",
    "let",
    "local",
    "logout",
    "mapfile",
    "nocorrect",
    "noglob",
    "popd",
    "print",
    "printf",
    "pushd",
    "pwd",
    "read",
    "readarray",
    "readonly",
    "rehash",
    "repeat",
    "return",
    "select",
    "set",
    "setopt",
    "shift",
    "shopt",
    "source",
    "suspend",
    "test",
    "then",
    "time",
    "times",
    "trap",
    "true",
    "type",
    "typeset",
    "ulimit",
    "umask",
    "unalias",
    "unfunction",
    "unset",
    "unsetopt",
    "until",
    "wait",
    "whence",
    "where",
    "which",
    "while",
    "zmodload",
];

/// Says what `command` would do when bash runs it in `context.cwd`.
pub fn analyze(command: &str, context: &ShellContext<'_>) -> Analysis {
    analyze_text(command, context, 0)
}

/// As [`analyze`], for a text within `depth` others (`sh -c 'eval "..."'`).
pub(crate) fn analyze_text(command: &str, context: &ShellContext<'_>, depth: usize) -> Analysis {
    if let Err(refusal) = limits::check(command) {
        return without_tree(command, &refusal);
    }
    match limits::stack_for(command) {
        limits::Stack::Caller => analyze_here(command, context, depth),
        limits::Stack::Own => limits::on_own_stack(|| analyze_here(command, context, depth))
            .unwrap_or_else(|| without_tree(command, &too_deep(command))),
        limits::Stack::Refused => without_tree(command, &too_deep(command)),
    }
}

fn too_deep(command: &str) -> Refusal {
    Refusal::new(
        ReasonCode::Limit,
        0..command.len(),
        "the command may be nested too deeply to be analysed",
    )
}

fn analyze_here(command: &str, context: &ShellContext<'_>, depth: usize) -> Analysis {
    let reading = syntax::read(command);
    let Some(tree) = reading.tree else {
        let refusal = reading.refusal.unwrap_or_else(|| too_deep(command));
        let mut analysis = without_tree(command, &refusal);
        analysis
            .suspected_parts
            .extend(reading.other.into_iter().map(suspected));
        return analysis;
    };
    let mut analysis = evaluate::evaluate(command, &tree, context, depth);
    if let Some(refusal) = reading.refusal {
        // What was gathered stays as a warning; nothing of it permits anything.
        analysis.read_only = false;
        analysis.understood = false;
        analysis.sed_edit = None;
        let mut parts = std::mem::take(&mut analysis.parts);
        for part in &mut parts {
            part.read_only = false;
            part.opaque = true;
        }
        analysis.suspected_parts.extend(parts);
        analysis
            .suspected_parts
            .extend(reading.other.into_iter().map(suspected));
        analysis.reasons.insert(0, reason(refusal));
    }
    analysis
}

/// The analysis of a text that no parser has a tree of.
fn without_tree(command: &str, refusal: &Refusal) -> Analysis {
    let mut analysis = Analysis::empty();
    let commands = syntax::crude_commands(command);
    analysis.outside_workspace = commands.iter().flatten().any(|word| {
        let path = word.trim_start_matches(['<', '>', '&', '=', '1', '2']);
        (paths::looks_like_path(path) || path.starts_with('~') || path.contains("/.."))
            && !paths::is_harmless_device(path)
    });
    analysis.suspected_parts = commands.into_iter().map(suspected).collect();
    for part in &analysis.suspected_parts {
        let words: Vec<Option<&str>> = part
            .words
            .iter()
            .map(|word| Some(word.raw.as_str()))
            .collect();
        let Some((Some(name), arguments)) = words.split_first() else {
            continue;
        };
        let call = destructive::Call {
            name: wrappers::base_name(name),
            arguments,
        };
        if let Some(sentence) = destructive::destruction(&call) {
            analysis.destructive = Some(Destruction {
                sentence,
                span: 0..command.len(),
            });
            break;
        }
    }
    analysis.reasons.push(reason(refusal.clone()));
    analysis
}

fn reason(refusal: Refusal) -> Reason {
    Reason {
        span: refusal.span,
        code: refusal.code,
        message: refusal.message,
    }
}

/// A command of which only the words are known.
fn suspected(words: Vec<String>) -> CommandPart {
    CommandPart {
        words: words
            .into_iter()
            .map(|raw| Word {
                text: Some(raw.replace("\\\n", "")),
                raw,
                span: 0..0,
            })
            .collect(),
        assignments: Vec::new(),
        redirects: Vec::new(),
        read_only: false,
        span: 0..0,
        nested: true,
        opaque: true,
    }
}
