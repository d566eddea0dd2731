//! What one simple command does, from its arguments and the tables.

mod builtins;
mod check;
mod foreign;
mod git_files;
mod inner;
mod into;
mod operands;
mod runs;
mod special;

pub(crate) use foreign::is_interpreter;
pub(crate) use runs::{Input, runs_its_input};
pub(crate) use special::{find_names, find_places, finds_no_links};

use std::borrow::Cow;
use std::ops::Range;

use builtins::test_words;
use check::objections;
use operands::{collect_paths, generic_paths, global_paths, tar_letters};

use crate::arguments;
use crate::evaluate::expand::{Argument, Shape};
use crate::tables::row::{Check, Kind};
use crate::tables::{self, Found, help};
use crate::types::{Access, Below, ReasonCode, Sight};
use crate::wrappers::{self, Wrapping};

/// Why a command is not read-only.
pub(crate) struct Objection {
    pub span: Range<usize>,
    pub code: ReasonCode,
    pub message: String,
}

/// A word that is used as a path.
#[derive(Clone, Debug)]
pub(crate) struct Use {
    pub argument: Argument,
    pub access: Access,
    /// Files below it are meant too.
    pub below: Option<Below>,
}

/// What one command does, wrappers peeled.
#[derive(Default)]
pub(crate) struct Verdict {
    /// Empty when it is read-only.
    pub objections: Vec<Objection>,
    pub paths: Vec<Use>,
    /// How much of its operands is told, and which these are.
    pub sight: Sight,
    pub operands: Vec<Range<usize>>,
    /// Words that may name a file.
    pub mentions: Vec<(Argument, Access)>,
    /// Options with which links are followed, wherever they lead.
    pub follows_links: Vec<Range<usize>>,
    pub network: bool,
    pub privilege: bool,
    /// The command that runs in the end, after all wrappers, with what `xargs` adds to it.
    pub inner: Option<Vec<Argument>>,
    /// Commands within the arguments (`find -exec`), and on which files they run.
    pub embedded: Vec<(Vec<Argument>, Below)>,
    /// Texts that are given to a shell.
    pub scripts: Vec<Argument>,
    /// Texts that a program gives to a shell, so far as they are seen (`awk 'system("x")'`).
    pub hints: Vec<Argument>,
    /// Texts within the arguments that run as commands, in a place of their own or with a
    /// machine between: only rules about commands hear of them.
    pub commands: Vec<Argument>,
    /// Programs in other languages (`python -c`).
    pub programs: Vec<Argument>,
    /// Texts that run commands which nobody can read out of them.
    pub unseen: Vec<Argument>,
    /// Its arguments also come from its input (`xargs`).
    pub appends: bool,
    /// Some of its operands are paths.
    pub takes_paths: bool,
    /// More wrappers than anybody writes: what runs in the end was not looked at.
    pub endless: bool,
}

impl Verdict {
    fn reads(&mut self, argument: Argument) {
        self.uses(argument, Access::Read);
    }

    fn uses(&mut self, argument: Argument, access: Access) {
        self.paths.push(Use {
            argument,
            access,
            below: None,
        });
    }

    fn object(&mut self, span: &Range<usize>, code: ReasonCode, message: impl Into<String>) {
        self.objections.push(Objection {
            span: span.clone(),
            code,
            message: message.into(),
        });
    }
}

/// Judges `arguments`, the first of which is the command word. `terminal` says
/// that its output may be a terminal, `feed` below which folders lie the files
/// whose names its input holds, where that is known.
pub(crate) fn judge(arguments: &[Argument], terminal: bool, feed: Option<&[Argument]>) -> Verdict {
    let mut verdict = Verdict::default();
    let mut rest = Cow::Borrowed(arguments);
    let mut wrappers_seen = 0;
    // Each wrapper is taken off in turn; a chain is as long as its words.
    while let Some(word) = rest.first().cloned() {
        let Some(text) = word.literal() else {
            verdict.object(
                &word.span,
                ReasonCode::ComputedCommand,
                format!(
                    "`{}` decides only when it runs which program it is",
                    word.raw
                ),
            );
            generic_paths(&rest[1..], &mut verdict);
            return verdict;
        };
        let trusted = wrappers::trusted_name(text);
        let name = wrappers::base_name(text);
        if is_query(name, &rest) || (trusted.is_some() && is_wrapper_help(name, &rest)) {
            break;
        }
        let Some(peeled) = wrappers::peel(name, &rest) else {
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
            unknown_program(&word, &mut verdict);
        }
        // `xargs env` runs whatever its input names.
        let fed = verdict.appends;
        wrapper_objections(&rest, &peeled, terminal, &mut verdict);
        verdict.scripts.extend(peeled.script);
        for path in peeled.paths {
            verdict.reads(path);
        }
        if peeled.inner >= rest.len() {
            bare_wrapper(name, &word, fed, &mut verdict);
            return verdict;
        }
        let mut inner = rest[peeled.inner..].to_vec();
        if let (Wrapping::Xargs, Some(feed)) = (peeled.wrapper.wrapping, feed) {
            inner = fed_with(inner, feed, peeled.replaced.as_deref());
        }
        rest = Cow::Owned(inner);
    }
    let Some(word) = rest.first() else {
        return verdict;
    };
    let text = word.literal().unwrap_or_default();
    verdict.commands.extend(
        inner::commands(wrappers::base_name(text), &rest[1..])
            .into_iter()
            .filter(|command| !command.is_empty())
            .map(|command| Argument::synthetic(&command, word.span.clone())),
    );
    runs::commands(wrappers::base_name(text), word, &rest[1..], &mut verdict);
    match wrappers::trusted_name(text) {
        Some(name) => {
            program(name, word, &rest[1..], &mut verdict);
            let shows = matches!(name, "less" | "more")
                && !matches!(&rest[1..], [only] if asks_for_help(only));
            if shows && terminal {
                // Elsewhere it is `cat`.
                verdict.object(
                    &word.span,
                    ReasonCode::UnknownProgram,
                    format!(
                        "`{}` waits at the terminal, and runs what is typed there",
                        word.raw
                    ),
                );
            }
        }
        None => {
            unknown_program(word, &mut verdict);
            generic_paths(&rest[1..], &mut verdict);
        }
    }
    verdict.inner = Some(rest.into_owned());
    verdict
}

/// What `xargs` makes of its command and the names that it reads: a folder stands
/// for all names below it.
fn fed_with(mut inner: Vec<Argument>, feed: &[Argument], replaced: Option<&str>) -> Vec<Argument> {
    let Some(replaced) = replaced.filter(|text| !text.is_empty()) else {
        inner.extend(feed.iter().cloned());
        return inner;
    };
    inner
        .into_iter()
        .flat_map(|argument| replace(argument, replaced, feed))
        .collect()
}

/// `argument` with `mark` replaced by each of `places` in turn.
fn replace(argument: Argument, mark: &str, places: &[Argument]) -> Vec<Argument> {
    match argument.literal() {
        Some(text) if text.contains(mark) => places
            .iter()
            .map(|place| match place.literal() {
                Some(place_text) => Argument {
                    shape: Shape::Literal(text.replace(mark, place_text)),
                    ..argument.clone()
                },
                None => Argument {
                    shape: place.shape.clone(),
                    ..argument.clone()
                },
            })
            .collect(),
        _ => vec![argument],
    }
}

/// What the text of a program in another language does, which `name` reads from its input.
pub(crate) fn foreign_text(name: &str, text: &Argument) -> Verdict {
    let mut verdict = Verdict::default();
    foreign::program(name, text, &mut verdict);
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
            let changes = peeled.has_options && !peeled.only_unsets;
            if changes && peeled.inner < arguments.len() || peeled.script.is_some() {
                verdict.object(
                    &word.span,
                    ReasonCode::Assignment,
                    "`env` with options changes the environment in which it runs",
                );
            }
            for at in &peeled.assignments {
                let argument = &arguments[*at];
                runs::assigned(argument, verdict);
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
            for at in &peeled.assignments {
                runs::assigned(&arguments[*at], verdict);
            }
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
    let asks_wrapper = matches!(arguments, [only] if asks_for_help(only));
    if asks_wrapper && name != "time" && wrappers::wrapper_named(name).is_some() {
        return;
    }
    if matches!(name, "test" | "[") {
        let words = match (name, arguments.split_last()) {
            ("[", Some((last, words))) if last.literal() == Some("]") => words,
            _ => arguments,
        };
        let (objection, paths) = test_words(words);
        if let Some((span, message)) = objection {
            verdict.object(&span, ReasonCode::Expansion, message);
        }
        verdict.sight = Sight::Existence;
        for path in paths {
            verdict.operands.push(path.span.clone());
            verdict.reads(path);
        }
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
                verdict.reads(pair[1].clone());
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
                    "`{}` may make {name} run other programs or work elsewhere",
                    argument.raw
                ),
            );
        }
        global_paths(name, arguments, verdict);
    } else if is_help(&found, rest) || reads(&found, word, rest, verdict) {
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
    collect_paths(&found.name, &row, &parsed, verdict);
    let edits_in_place = parsed
        .options
        .iter()
        .any(|given| given.name.starts_with("-i") || given.name.starts_with("--in"));
    if matches!(name, "sed" | "gsed" | "perl" | "yq" | "jq") && !edits_in_place {
        for path in &mut verdict.paths[known..] {
            path.access = Access::Read;
        }
    }
    if wrappers::is_shell(name) && is_fed(&parsed) {
        // `curl h | sh`: what it reads is what it runs.
        verdict.unseen.push(word.clone());
    }
    special::special(&found.name, &parsed, rest, known, verdict);
    if name == "git" {
        let before = arguments.get(..found.skip).unwrap_or(arguments);
        git_files::elsewhere(before, known, verdict);
    }
}

/// A shell or an interpreter without a program among its words.
fn is_fed(parsed: &arguments::Parsed) -> bool {
    let program = ["-c", "-e", "-p", "-r", "--version", "--help"];
    !parsed.operand_replaced
        && !parsed
            .options
            .iter()
            .any(|given| program.contains(&given.name.as_str()))
        && parsed
            .operands
            .iter()
            .all(|operand| operand.literal() == Some("-"))
}

/// Tries each read-only form; true when one fits. The objections of the first
/// are kept when none does.
fn reads(found: &Found, word: &Argument, arguments: &[Argument], verdict: &mut Verdict) -> bool {
    let mut kept: Option<Vec<Objection>> = None;
    for row in found.entry.reading.iter().flatten() {
        let parsed = arguments::parse(row, arguments);
        let objections = objections(row, &found.name, word, &parsed, verdict.appends);
        if objections.is_empty() {
            collect_paths(&found.name, row, &parsed, verdict);
            verdict.sight = row.sight;
            let spans = parsed.operands.iter().map(|operand| operand.span.clone());
            verdict.operands.extend(spans);
            // `which ../x` tells whether it is there.
            if matches!(
                found.name.as_str(),
                "which" | "type" | "whereis" | "command"
            ) {
                for place in parsed
                    .operands
                    .iter()
                    .filter(|word| word.prefix().contains('/'))
                {
                    verdict.reads((*place).clone());
                }
            }
            if row.check == Check::Copied {
                special::data_definition(&parsed, verdict);
            }
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

/// `timeout --help`: the wrapper answers itself. `time` is the shell's and would run it.
fn is_wrapper_help(name: &str, arguments: &[Argument]) -> bool {
    name != "time"
        && wrappers::wrapper_named(name).is_some()
        && matches!(arguments, [_, only] if asks_for_help(only))
}

fn asks_for_help(argument: &Argument) -> bool {
    matches!(argument.literal(), Some("--help" | "--version"))
}

/// `--help` or `--version` alone, of a program that is known, or of a subcommand that is its
/// own: a plugin or a script of that name would run instead. Git would open a manual page or
/// a browser.
fn is_help(found: &Found, arguments: &[Argument]) -> bool {
    let known = found.entry.acting.is_some() || found.entry.reading[0].is_some();
    if found.name.starts_with("git ") || !known {
        return false;
    }
    match arguments {
        [only] => asks_for_help(only),
        [words @ .., last] if last.literal() == Some("--help") && !found.name.contains(' ') => {
            let words: Option<Vec<&str>> = words.iter().map(Argument::literal).collect();
            words.is_some_and(|words| help::explains(&found.name, &words))
        }
        _ => false,
    }
}
