//! What one simple command does, from its arguments and the tables.

mod check;
mod operands;

use std::ops::Range;

use check::{objections, test_words};
use operands::{collect_paths, generic_paths, global_paths, special, tar_letters};

use crate::arguments;
use crate::evaluate::expand::Argument;
use crate::tables::row::Kind;
use crate::tables::{self, Found};
use crate::types::{Access, ReasonCode};
use crate::wrappers::{self, Wrapping};

/// Why a command is not read-only.
pub(crate) struct Objection {
    pub span: Range<usize>,
    pub code: ReasonCode,
    pub message: String,
}

/// What one command does, wrappers peeled.
#[derive(Default)]
pub(crate) struct Verdict {
    /// Empty when it is read-only.
    pub objections: Vec<Objection>,
    pub paths: Vec<(Argument, Access)>,
    pub network: bool,
    pub privilege: bool,
    /// Where the command that runs in the end begins, after all wrappers.
    pub inner: Option<usize>,
    /// Commands within the arguments (`find -exec`).
    pub embedded: Vec<Vec<Argument>>,
    /// Texts that are given to a shell.
    pub scripts: Vec<Argument>,
    /// Its arguments also come from its input (`xargs`).
    pub appends: bool,
    /// Some of its operands are paths.
    pub takes_paths: bool,
    /// More wrappers than anybody writes: what runs in the end was not looked at.
    pub endless: bool,
}

impl Verdict {
    fn object(&mut self, span: &Range<usize>, code: ReasonCode, message: impl Into<String>) {
        self.objections.push(Objection {
            span: span.clone(),
            code,
            message: message.into(),
        });
    }
}

/// Judges `arguments`, the first of which is the command word. `terminal` says
/// that its output may be a terminal.
pub(crate) fn judge(arguments: &[Argument], terminal: bool) -> Verdict {
    let mut verdict = Verdict::default();
    let mut start = 0;
    let mut wrappers_seen = 0;
    // Each wrapper is taken off in turn; a chain is as long as its words.
    while let Some(word) = arguments.get(start) {
        let Some(text) = word.literal() else {
            verdict.object(
                &word.span,
                ReasonCode::ComputedCommand,
                format!(
                    "`{}` decides only when it runs which program it is",
                    word.raw
                ),
            );
            generic_paths(&arguments[start + 1..], &mut verdict);
            return verdict;
        };
        let trusted = wrappers::trusted_name(text);
        let name = wrappers::base_name(text);
        if is_query(name, &arguments[start..]) {
            break;
        }
        let Some(peeled) = wrappers::peel(name, &arguments[start..]) else {
            break;
        };
        wrappers_seen += 1;
        if wrappers_seen > wrappers::MOST_WRAPPERS {
            verdict.endless = true;
            verdict.object(
                &word.span,
                ReasonCode::Limit,
                "more programs are wrapped around one another than are followed",
            );
            return verdict;
        }
        if trusted.is_none() {
            unknown_program(word, &mut verdict);
        }
        // `xargs env` runs whatever its input names.
        let fed = verdict.appends;
        wrapper_objections(&arguments[start..], &peeled, terminal, &mut verdict);
        let inner = start + peeled.inner;
        verdict.scripts.extend(peeled.script);
        for path in peeled.paths {
            verdict.paths.push((path, Access::Read));
        }
        if inner >= arguments.len() {
            bare_wrapper(name, word, fed, &mut verdict);
            return verdict;
        }
        start = inner;
    }
    let Some(word) = arguments.get(start) else {
        return verdict;
    };
    verdict.inner = Some(start);
    let text = word.literal().unwrap_or_default();
    match wrappers::trusted_name(text) {
        Some(name) => program(name, word, &arguments[start + 1..], &mut verdict),
        None => {
            unknown_program(word, &mut verdict);
            generic_paths(&arguments[start + 1..], &mut verdict);
        }
    }
    verdict
}

fn unknown_program(word: &Argument, verdict: &mut Verdict) {
    verdict.object(
        &word.span,
        ReasonCode::UnknownProgram,
        format!("`{}` is not a program that is known to only read", word.raw),
    );
}

/// `command -v name` asks, it does not run.
fn is_query(name: &str, arguments: &[Argument]) -> bool {
    name == "command"
        && arguments
            .get(1)
            .and_then(Argument::literal)
            .is_some_and(|option| {
                option.starts_with('-')
                    && option.len() > 1
                    && option[1..].chars().all(|letter| "pvV".contains(letter))
                    && option.contains(['v', 'V'])
            })
}

/// A wrapper without a command: `env` and `xargs` (which echoes) only print.
fn bare_wrapper(name: &str, word: &Argument, fed: bool, verdict: &mut Verdict) {
    if fed || !matches!(name, "env" | "xargs") {
        verdict.object(
            &word.span,
            ReasonCode::UnknownProgram,
            format!("`{}` names no command", word.raw),
        );
    }
}

fn wrapper_objections(
    arguments: &[Argument],
    peeled: &wrappers::Peeled,
    terminal: bool,
    verdict: &mut Verdict,
) {
    let word = &arguments[0];
    if let Some(at) = peeled.doubtful {
        let argument = &arguments[at];
        verdict.object(
            &argument.span,
            ReasonCode::NotReadOnlyArgument,
            format!("`{}` is not known to be harmless here", argument.raw),
        );
    }
    match peeled.wrapper.wrapping {
        Wrapping::Plain => {}
        Wrapping::Nohup => {
            if terminal {
                verdict.object(
                    &word.span,
                    ReasonCode::WritesFile,
                    "`nohup` writes `nohup.out` when its output is not redirected",
                );
            }
        }
        Wrapping::Xargs => verdict.appends = true,
        Wrapping::Env => {
            if peeled.has_options && peeled.inner < arguments.len() || peeled.script.is_some() {
                verdict.object(
                    &word.span,
                    ReasonCode::Assignment,
                    "`env` with options changes the environment in which it runs",
                );
            }
            for at in &peeled.assignments {
                let argument = &arguments[*at];
                let safe = argument
                    .literal()
                    .and_then(|text| text.split_once('='))
                    .is_some_and(|(name, value)| {
                        crate::variables::is_harmless_before_command(name, Some(value))
                    });
                if !safe {
                    verdict.object(
                        &argument.span,
                        ReasonCode::Assignment,
                        format!("`{}` may change what runs", argument.raw),
                    );
                }
            }
        }
        Wrapping::Privilege => {
            verdict.privilege = true;
            verdict.object(
                &word.span,
                ReasonCode::Privilege,
                format!("`{}` runs with more rights", word.raw),
            );
        }
        Wrapping::Opaque | Wrapping::Refuses => verdict.object(
            &word.span,
            ReasonCode::UnknownProgram,
            format!("`{}` runs another program in its own way", word.raw),
        ),
    }
}

/// The program that runs in the end.
fn program(name: &str, word: &Argument, arguments: &[Argument], verdict: &mut Verdict) {
    if matches!(name, "test" | "[") {
        let words = match (name, arguments.split_last()) {
            ("[", Some((last, words))) if last.literal() == Some("]") => words,
            _ => arguments,
        };
        let (objection, paths) = test_words(words);
        if let Some((span, message)) = objection {
            verdict.object(&span, ReasonCode::Expansion, message);
        }
        verdict
            .paths
            .extend(paths.into_iter().map(|path| (path, Access::Read)));
        return;
    }
    let arguments = &tar_letters(name, arguments);
    let literals: Vec<Option<&str>> = arguments
        .iter()
        .take(8)
        .map_while(|argument| argument.literal().map(Some))
        .collect();
    let found = tables::find(name, &literals);
    if name == "git"
        && let Some(argument) = arguments.iter().find(|argument| {
            let text = argument.prefix();
            text.contains("%G") || text.contains("%(signature")
        })
    {
        verdict.object(
            &argument.span,
            ReasonCode::NotReadOnlyArgument,
            format!("`{}` runs the program that checks signatures", argument.raw),
        );
    }
    let rest = arguments.get(found.skip..).unwrap_or_default();
    if found.name.starts_with("docker compose") {
        let before = arguments.get(..found.skip).unwrap_or_default();
        for pair in before.windows(2) {
            if matches!(pair[0].literal(), Some("-f" | "--file")) {
                verdict.paths.push((pair[1].clone(), Access::Read));
            }
        }
    }
    let acts = found.entry.acting.is_some_and(|row| row.network);
    if let Some(at) = found.global_refused {
        if let Some(argument) = arguments.get(at) {
            verdict.object(
                &argument.span,
                ReasonCode::NotReadOnlyArgument,
                format!(
                    "`{}` may make git run other programs or another repository",
                    argument.raw
                ),
            );
        }
        global_paths(arguments, verdict);
    } else if reads(&found, word, rest, verdict) {
        return;
    }
    verdict.network |= acts;
    if acts {
        verdict.object(
            &word.span,
            ReasonCode::Network,
            format!("`{}` uses the network", found.name),
        );
    }
    let row = found
        .entry
        .acting
        .or(found.entry.reading[0])
        .unwrap_or(&tables::UNKNOWN);
    let mut row = *row;
    row.kind = Kind::Acts;
    let parsed = arguments::parse(&row, rest);
    let known = verdict.paths.len();
    collect_paths(&row, &parsed, verdict);
    let edits_in_place = parsed
        .options
        .iter()
        .any(|given| given.name.starts_with("-i") || given.name.starts_with("--in"));
    if matches!(name, "sed" | "gsed" | "perl" | "yq" | "jq") && !edits_in_place {
        for (_, access) in &mut verdict.paths[known..] {
            *access = Access::Read;
        }
    }
    special(name, &parsed, rest, verdict);
}

/// Tries each read-only form; true when one fits. The objections of the first
/// are kept when none does.
fn reads(found: &Found, word: &Argument, arguments: &[Argument], verdict: &mut Verdict) -> bool {
    let mut kept: Option<Vec<Objection>> = None;
    for row in found.entry.reading.iter().flatten() {
        let parsed = arguments::parse(row, arguments);
        let objections = objections(row, &found.name, word, &parsed, verdict.appends);
        if objections.is_empty() || is_help(&found.name, arguments) {
            collect_paths(row, &parsed, verdict);
            verdict.network |= row.network;
            if row.network {
                verdict.object(
                    &word.span,
                    ReasonCode::Network,
                    format!("`{}` uses the network", found.name),
                );
            }
            return true;
        }
        // A form that misses its flag altogether explains less than one that fits nearly.
        if kept
            .as_ref()
            .is_none_or(|kept| objections.len() < kept.len())
        {
            kept = Some(objections);
        }
    }
    match kept {
        Some(objections) => verdict.objections.extend(objections),
        None => unknown_program_named(&found.name, word, verdict),
    }
    false
}

fn unknown_program_named(name: &str, word: &Argument, verdict: &mut Verdict) {
    verdict.object(
        &word.span,
        ReasonCode::UnknownProgram,
        format!("`{name}` is not known to only read"),
    );
}

/// `--help` and `--version` alone. Git would open a manual page or a browser.
fn is_help(name: &str, arguments: &[Argument]) -> bool {
    !name.starts_with("git ")
        && matches!(arguments, [only] if matches!(only.literal(), Some("--help" | "--version")))
}
