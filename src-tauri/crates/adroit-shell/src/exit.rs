//! What an exit code means where it is not simply a failure.

use std::path::Path;

use crate::evaluate::expand::{Argument, Shape};
use crate::syntax;
use crate::syntax::tree::{Command, Pipeline};
use crate::types::{ExitMeaning, ShellContext};
use crate::wrappers;

/// What exit code `code` of `command` means, where it is not simply a failure.
/// In a pipeline and a list the last command decides; where that cannot be
/// told, there is no meaning.
pub fn exit_meaning(command: &str, code: i32) -> Option<ExitMeaning> {
    if code == 0 || crate::limits::check(command).is_err() {
        return None;
    }
    let (outer, name, words) = last_command(command)?;
    if outer == "timeout" && code == 124 {
        return Some(ExitMeaning {
            benign: false,
            meaning: "timed out".to_owned(),
        });
    }
    meaning(&name, &words, code).map(|(benign, meaning)| ExitMeaning {
        benign,
        meaning: meaning.to_owned(),
    })
}

fn meaning(name: &str, words: &[String], code: i32) -> Option<(bool, &'static str)> {
    let has = |flag: &str| words.iter().any(|word| word == flag);
    let subcommand = words
        .iter()
        .find(|word| !word.starts_with('-'))
        .map(String::as_str);
    Some(match (name, code) {
        ("grep" | "egrep" | "fgrep" | "zgrep" | "rg" | "ag" | "ack" | "pgrep" | "pidof", 1) => {
            (true, "no match")
        }
        ("diff" | "cmp" | "colordiff" | "diff3", 1) => (true, "the files differ"),
        ("test" | "[" | "[[", 1) => (true, "the condition is false"),
        ("find", 1) => (true, "some directories could not be read"),
        ("which" | "type" | "command" | "whereis" | "hash", 1) => (true, "not found"),
        ("git", 1) => match subcommand {
            Some("diff") if has("--exit-code") || has("--quiet") || has("--no-index") => {
                (true, "there are differences")
            }
            Some("diff-index" | "diff-tree" | "diff-files") => (true, "there are differences"),
            Some("grep") => (true, "no match"),
            Some("check-ignore") => (true, "not ignored"),
            Some("merge-base") if has("--is-ancestor") => (true, "not an ancestor"),
            Some("config") => (true, "not set"),
            Some("show-ref") => (true, "no such ref"),
            _ => return None,
        },
        ("jq", 1) if has("-e") || has("--exit-status") => (true, "the result is false or null"),
        ("expr", 1) => (true, "the value is zero or empty"),
        ("let" | "((", 1) => (true, "the value is zero"),
        ("false", 1) => (true, "false, as it always is"),
        ("systemctl", 3) => (true, "not active"),
        (_, 126) => (false, "found, but cannot be executed"),
        (_, 127) => (false, "command not found"),
        (_, 130) => (false, "interrupted"),
        (_, 137) => (false, "killed"),
        (_, 139) => (false, "crashed"),
        (_, 141) => (true, "the reader of its output stopped"),
        (_, 143) => (false, "terminated"),
        _ => return None,
    })
}

/// The command whose code the shell returns: its word, and name and arguments
/// of what runs in it after all wrappers.
fn last_command(command: &str) -> Option<(String, String, Vec<String>)> {
    if !matches!(
        crate::limits::stack_for(command),
        crate::limits::Stack::Caller
    ) {
        return None;
    }
    let reading = syntax::read(command);
    if reading.refusal.is_some() {
        return None;
    }
    let list = reading.tree?;
    let item = list.0.last()?;
    // In `a || b` and `a && b` either may have returned the code.
    let pipeline: &Pipeline = match item.rest.as_slice() {
        [] => &item.first,
        _ => return None,
    };
    if pipeline.negated || item.background {
        return None;
    }
    match pipeline.commands.last()? {
        Command::Compound(compound) => matches!(compound.kind, syntax::tree::CompoundKind::Test(_))
            .then(|| (String::new(), "[[".to_owned(), Vec::new())),
        Command::Simple(simple) => {
            let root = Path::new("/");
            let context = ShellContext {
                cwd: root,
                workspace: root,
                additional_directories: &[],
                home: root,
            };
            let state = crate::evaluate::state::State::new(root);
            let arguments: Vec<Argument> = simple
                .words
                .iter()
                .flat_map(|word| crate::evaluate::expand::expand(word, &state, &context))
                .collect();
            let outer = wrappers::base_name(arguments.first()?.literal()?).to_owned();
            let mut start = 0;
            for _ in 0..8 {
                let name = arguments.get(start)?.literal()?;
                let Some(peeled) = wrappers::peel(wrappers::base_name(name), &arguments[start..])
                else {
                    break;
                };
                // `xargs` returns codes of its own; `command -v` answers itself.
                if name == "xargs"
                    || peeled.doubtful.is_some()
                    || start + peeled.inner >= arguments.len()
                {
                    break;
                }
                start += peeled.inner;
            }
            let name = wrappers::base_name(arguments.get(start)?.literal()?).to_owned();
            let words = arguments[start + 1..]
                .iter()
                .map(|argument| match &argument.shape {
                    Shape::Literal(text) => text.clone(),
                    _ => argument.raw.clone(),
                })
                .collect();
            Some((outer, name, words))
        }
    }
}
