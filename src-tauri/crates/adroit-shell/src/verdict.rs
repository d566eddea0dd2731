//! What one simple command does, from its arguments and the tables.

use std::ops::Range;

use crate::arguments::{self, Parsed};
use crate::awk;
use crate::evaluate::expand::{Argument, Shape};
use crate::sed;
use crate::tables::row::{Check, FlagPath, Kind, Row, flag};
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
        if trusted.is_none() {
            unknown_program(word, &mut verdict);
        }
        wrapper_objections(&arguments[start..], &peeled, terminal, &mut verdict);
        let inner = start + peeled.inner;
        verdict.scripts.extend(peeled.script);
        for path in peeled.paths {
            verdict.paths.push((path, Access::Read));
        }
        if inner >= arguments.len() {
            bare_wrapper(name, word, &peeled.assignments, &mut verdict);
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
fn bare_wrapper(name: &str, word: &Argument, assignments: &[usize], verdict: &mut Verdict) {
    let prints = match name {
        "env" => assignments.is_empty() || verdict.objections.is_empty(),
        "xargs" => true,
        _ => false,
    };
    if !prints {
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
    let rest = arguments.get(found.skip..).unwrap_or_default();
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

fn objections(
    row: &Row,
    name: &str,
    word: &Argument,
    parsed: &Parsed,
    appends: bool,
) -> Vec<Objection> {
    let mut result: Vec<Objection> = parsed
        .refused
        .iter()
        .map(|(span, message)| Objection {
            span: span.clone(),
            code: ReasonCode::NotReadOnlyArgument,
            message: message.clone(),
        })
        .collect();
    let mut object = |span: &Range<usize>, message: String| {
        result.push(Objection {
            span: span.clone(),
            code: ReasonCode::NotReadOnlyArgument,
            message,
        });
    };
    if appends && row.kind != Kind::Free {
        object(
            &word.span,
            format!("`xargs` may give `{name}` options with which it does not only read"),
        );
    }
    if let Some(extra) = first_extra(row, parsed) {
        object(
            &extra.span,
            format!(
                "`{name}` does not only read with the operand `{}`",
                extra.raw
            ),
        );
    }
    // Even where every flag only reads, an option may name a file to be written.
    for given in &parsed.options {
        if given.path == Some(FlagPath::Write) {
            object(
                &given.span,
                format!("`{}` names a file to write", given.name),
            );
        }
    }
    if let Some((span, message)) = check(row, word, parsed) {
        object(&span, message);
    }
    result
}

/// The first operand beyond those that the row allows.
fn first_extra<'p>(row: &Row, parsed: &'p Parsed) -> Option<&'p Argument> {
    if row.operands.contains('*') || row.kind != Kind::Listed {
        return None;
    }
    let allowed =
        row.operands.len() - usize::from(parsed.operand_replaced && !row.operands.is_empty());
    parsed.operands.get(allowed)
}

fn check(row: &Row, word: &Argument, parsed: &Parsed) -> Option<(Range<usize>, String)> {
    let first = parsed.operands.first();
    match row.check {
        Check::None => None,
        Check::Sed => script(parsed, &["-e", "--expression"])
            .into_iter()
            .find(|script| !script.literal().is_some_and(sed::only_prints))
            .map(|script| {
                (
                    script.span.clone(),
                    "the sed script does not only print".to_owned(),
                )
            })
            .or_else(|| {
                first
                    .is_none()
                    .then(|| (word.span.clone(), "there is no script".to_owned()))
                    .filter(|_| !parsed.operand_replaced)
            }),
        Check::Awk => {
            let program = first?;
            let safe = program.literal().is_some_and(awk::only_prints);
            (!safe).then(|| {
                (
                    program.span.clone(),
                    "the awk program does not only compute and print".to_owned(),
                )
            })
        }
        Check::Plus => parsed
            .operands
            .iter()
            .find(|operand| !operand.prefix().starts_with('+'))
            .map(|operand| {
                (
                    operand.span.clone(),
                    format!("`{}` sets the clock", operand.raw),
                )
            }),
        // Needs the order of the words: `program` calls `test_words`.
        Check::Test => None,
        Check::ListingOperands(flags) => {
            let operand = first?;
            let lists = parsed
                .options
                .iter()
                .any(|given| has_word(flags, &given.name));
            (!lists).then(|| {
                (
                    operand.span.clone(),
                    format!("`{}` makes or changes a ref", operand.raw),
                )
            })
        }
        Check::FirstOperand(words) => {
            let operand = first?;
            let known = operand.literal().is_some_and(|text| has_word(words, text));
            (!known).then(|| {
                (
                    operand.span.clone(),
                    format!("`{}` is not known to only read", operand.raw),
                )
            })
        }
        Check::NeedsFlag(flags) => {
            let has = parsed
                .options
                .iter()
                .any(|given| has_word(flags, &given.name));
            (!has).then(|| {
                (
                    word.span.clone(),
                    format!("`{}` is read-only only with certain options", word.raw),
                )
            })
        }
        Check::Jq => {
            let filter = first.filter(|_| !parsed.operand_replaced)?;
            let text = filter.prefix().trim_start();
            let imports = text.starts_with("import") || text.starts_with("include");
            imports.then(|| (filter.span.clone(), "the filter reads a module".to_owned()))
        }
        Check::Names => parsed
            .operands
            .iter()
            .chain(
                parsed
                    .options
                    .iter()
                    .filter(|given| given.name == "-a")
                    .filter_map(|given| given.value.as_ref()),
            )
            .find(|operand| {
                !operand
                    .literal()
                    .is_some_and(crate::variables::is_local_name)
            })
            .map(|operand| {
                (
                    operand.span.clone(),
                    format!("`{}` may be a variable that changes what runs", operand.raw),
                )
            }),
        Check::Printf => printf(word, parsed),
        Check::ShellOptions => shell_options(word, parsed),
    }
}

fn has_word(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|known| known == word)
}

/// The scripts of `sed`: the values of `-e`, or the first operand.
fn script<'p>(parsed: &'p Parsed, flags: &[&str]) -> Vec<&'p Argument> {
    let given: Vec<&Argument> = parsed
        .options
        .iter()
        .filter(|given| flags.contains(&given.name.as_str()))
        .filter_map(|given| given.value.as_ref())
        .collect();
    if given.is_empty() {
        parsed.operands.first().into_iter().collect()
    } else {
        given
    }
}

/// `printf -v` and `%n` assign a variable, whose subscript would be evaluated.
fn printf(word: &Argument, parsed: &Parsed) -> Option<(Range<usize>, String)> {
    if let Some(option) = parsed.options.first() {
        let assigns = parsed
            .options
            .iter()
            .any(|given| given.name.starts_with("-v"));
        if assigns || parsed.operands.is_empty() {
            return Some((
                option.span.clone(),
                "`printf -v` assigns a variable".to_owned(),
            ));
        }
    }
    let Some(format) = parsed.operands.first() else {
        return Some((word.span.clone(), "`printf` has no format".to_owned()));
    };
    let safe = format.literal().is_some_and(|text| {
        text.split('%').skip(1).all(|conversion| {
            let letter = conversion
                .trim_start_matches(|c: char| c.is_ascii_digit() || "-+ #0'.*hlLjzt".contains(c));
            !letter.starts_with('n')
        })
    });
    (!safe).then(|| {
        (
            format.span.clone(),
            "the format may assign a variable".to_owned(),
        )
    })
}

/// Options of the shell that change only how it goes on.
fn shell_options(word: &Argument, parsed: &Parsed) -> Option<(Range<usize>, String)> {
    const LETTERS: &str = "euxovfspqEh";
    const NAMES: &str = "pipefail errexit nounset xtrace errtrace noglob nullglob globstar dotglob failglob nocaseglob";
    if let Some(given) = parsed.options.iter().find(|given| {
        !given
            .name
            .trim_start_matches('-')
            .chars()
            .all(|letter| LETTERS.contains(letter))
    }) {
        return Some((
            given.span.clone(),
            format!("`{}` is not known to be harmless", given.name),
        ));
    }
    if parsed.after_dashes.is_some() {
        return Some((
            word.span.clone(),
            "it sets the arguments of the shell".to_owned(),
        ));
    }
    parsed
        .operands
        .iter()
        .find(|operand| {
            !operand.literal().is_some_and(|text| {
                has_word(NAMES, text)
                    || text.strip_prefix('+').is_some_and(|letters| {
                        letters.chars().all(|letter| LETTERS.contains(letter))
                    })
            })
        })
        .map(|operand| {
            (
                operand.span.clone(),
                format!("`{}` is not known to be harmless", operand.raw),
            )
        })
}

const UNARY_FILE: &str = "-e -f -d -r -w -x -s -L -h -b -c -p -S -g -u -k -O -G -N -a";
const UNARY_TEXT: &str = "-n -z -t -o";
const BINARY: &str = "= == != < > -eq -ne -lt -le -gt -ge -nt -ot -ef -a -o";

/// `test -v` evaluates the subscript of its operand; an operand that cannot be
/// known must not stand where `-v` could. Returns the words that are paths too.
pub(crate) fn test_words(words: &[Argument]) -> (Option<(Range<usize>, String)>, Vec<Argument>) {
    let mut paths = Vec::new();
    let literal = |at: usize| words.get(at).and_then(Argument::literal);
    for (at, word) in words.iter().enumerate() {
        let before = at.checked_sub(1).and_then(literal);
        let operand_of_unary =
            before.is_some_and(|text| has_word(UNARY_FILE, text) || has_word(UNARY_TEXT, text));
        match &word.shape {
            Shape::Literal(text) => {
                if text == "-v" || text == "-R" {
                    let is_name = literal(at + 1).is_some_and(crate::syntax::is_name);
                    let is_text = before.is_some_and(|text| has_word(BINARY, text));
                    if !is_name && !is_text {
                        return (
                            Some((
                                word.span.clone(),
                                "the subscript of its operand is evaluated".to_owned(),
                            )),
                            paths,
                        );
                    }
                }
                if has_word(UNARY_FILE, text)
                    && !operand_of_unary
                    && let Some(next) = words.get(at + 1)
                {
                    // In `x -a y` it joins two tests.
                    let joins =
                        text == "-a" && at > 0 && before != Some("!") && before != Some("(");
                    if !joins {
                        paths.push(next.clone());
                    }
                }
                if matches!(text.as_str(), "-nt" | "-ot" | "-ef") {
                    paths.extend(at.checked_sub(1).and_then(|at| words.get(at)).cloned());
                    paths.extend(words.get(at + 1).cloned());
                }
            }
            _ => {
                let splits = matches!(
                    word.shape,
                    Shape::Unknown { splits: true, .. } | Shape::Glob { .. }
                );
                let settled = operand_of_unary
                    || before.is_some_and(|text| has_word(BINARY, text))
                    || literal(at + 1).is_some_and(|text| has_word(BINARY, text))
                    || words.len() == 1;
                if (splits && word.may_be_option()) || !settled {
                    return (
                        Some((
                            word.span.clone(),
                            format!("`{}` may turn out to be an operator", word.raw),
                        )),
                        paths,
                    );
                }
            }
        }
    }
    (None, paths)
}

/// `tar tzf x` is `tar -tzf x`.
fn tar_letters(name: &str, arguments: &[Argument]) -> Vec<Argument> {
    let mut result = arguments.to_vec();
    if matches!(name, "tar" | "bsdtar")
        && let Some(first) = result.first_mut()
        && let Shape::Literal(text) = &mut first.shape
        && !text.starts_with('-')
        && !text.is_empty()
        && text.bytes().all(|byte| byte.is_ascii_alphabetic())
    {
        text.insert(0, '-');
    }
    result
}

/// Adds what the options and operands of a row say are paths.
fn collect_paths(row: &Row, parsed: &Parsed, verdict: &mut Verdict) {
    for given in &parsed.options {
        let Some(value) = &given.value else {
            continue;
        };
        match given.path {
            Some(FlagPath::Read) => verdict.paths.push((value.clone(), Access::Read)),
            Some(FlagPath::Write) => verdict.paths.push((value.clone(), Access::Write)),
            None => {
                let unlisted = flag(row.flags, &given.name).is_none();
                if unlisted
                    && row.kind == Kind::Acts
                    && crate::paths::looks_like_path(value.prefix())
                {
                    verdict.paths.push((value.clone(), Access::Read));
                }
            }
        }
    }
    let letters = operand_letters(row.operands, parsed.operands.len(), parsed.operand_replaced);
    for (at, (operand, letter)) in parsed.operands.iter().zip(letters).enumerate() {
        match letter {
            'p' => verdict.paths.push((operand.clone(), Access::Read)),
            'w' => verdict.paths.push((operand.clone(), Access::Write)),
            'r' => verdict.paths.push((operand.clone(), Access::Remove)),
            'g' => {
                let certain = parsed.after_dashes.is_some_and(|dashes| at >= dashes);
                if certain || crate::paths::looks_like_path(operand.prefix()) {
                    verdict.paths.push((operand.clone(), Access::Read));
                }
            }
            _ => {}
        }
    }
}

/// One letter for each operand.
fn operand_letters(spec: &str, count: usize, replaced: bool) -> Vec<char> {
    let letters: Vec<char> = spec.chars().collect();
    let star = letters.iter().position(|letter| *letter == '*');
    let (mut head, repeated, tail) = match star {
        Some(at) if at > 0 => (
            letters[..at - 1].to_vec(),
            Some(letters[at - 1]),
            letters[at + 1..].to_vec(),
        ),
        _ => (letters, None, Vec::new()),
    };
    if replaced && !head.is_empty() {
        head.remove(0);
    }
    let mut result = Vec::with_capacity(count);
    for at in 0..count {
        let from_end = count - at;
        let letter = if at < head.len() {
            head[at]
        } else if from_end <= tail.len() && count > head.len() + usize::from(!tail.is_empty()) {
            tail[tail.len() - from_end]
        } else {
            repeated.unwrap_or('g')
        };
        result.push(letter);
    }
    result
}

/// Paths of a program that no table knows.
fn generic_paths(arguments: &[Argument], verdict: &mut Verdict) {
    let parsed = arguments::parse(&tables::UNKNOWN, arguments);
    collect_paths(&tables::UNKNOWN, &parsed, verdict);
}

/// `git -C dir`, `--git-dir=dir`.
fn global_paths(arguments: &[Argument], verdict: &mut Verdict) {
    for (at, argument) in arguments.iter().enumerate() {
        let Some(text) = argument.literal() else {
            continue;
        };
        match text {
            "-C" | "--git-dir" | "--work-tree" => {
                if let Some(value) = arguments.get(at + 1) {
                    verdict.paths.push((value.clone(), Access::Read));
                }
            }
            _ => {
                for name in ["--git-dir=", "--work-tree=", "--exec-path="] {
                    if let Some(value) = text.strip_prefix(name) {
                        let value = Argument {
                            shape: Shape::Literal(value.to_owned()),
                            ..argument.clone()
                        };
                        verdict.paths.push((value, Access::Read));
                    }
                }
            }
        }
    }
}

/// What a program runs or writes beside its row.
fn special(name: &str, parsed: &Parsed, arguments: &[Argument], verdict: &mut Verdict) {
    match name {
        "find" | "gfind" => embedded_commands(arguments, verdict),
        "fd" | "fdfind" => {
            if let Some(at) = arguments.iter().position(|argument| {
                matches!(
                    argument.literal(),
                    Some("-x" | "-X" | "--exec" | "--exec-batch")
                )
            }) {
                verdict.embedded.push(arguments[at + 1..].to_vec());
            }
        }
        "bash" | "sh" | "zsh" | "dash" | "ksh" | "fish" => {
            for given in &parsed.options {
                if given.name == "-c" {
                    verdict.scripts.extend(given.value.clone());
                }
            }
        }
        "eval" | "trap" => {
            let literal: Option<Vec<&str>> =
                parsed.operands.iter().map(Argument::literal).collect();
            if let (Some(texts), Some(first)) = (literal, parsed.operands.first()) {
                let text = if name == "trap" {
                    texts[0].to_owned()
                } else {
                    texts.join(" ")
                };
                verdict
                    .scripts
                    .push(Argument::synthetic(&text, first.span.clone()));
            }
        }
        "dd" => {
            for operand in &parsed.operands {
                let Some((key, value)) = operand.literal().and_then(|text| text.split_once('='))
                else {
                    continue;
                };
                let access = match key {
                    "if" => Access::Read,
                    "of" => Access::Write,
                    _ => continue,
                };
                let value = Argument {
                    shape: Shape::Literal(value.to_owned()),
                    ..operand.clone()
                };
                verdict.paths.push((value, access));
            }
        }
        _ => {}
    }
}

fn embedded_commands(arguments: &[Argument], verdict: &mut Verdict) {
    let mut at = 0;
    while at < arguments.len() {
        let runs = matches!(
            arguments[at].literal(),
            Some("-exec" | "-execdir" | "-ok" | "-okdir")
        );
        at += 1;
        if !runs {
            continue;
        }
        let end = arguments[at..]
            .iter()
            .position(|argument| matches!(argument.literal(), Some(";" | "+")))
            .map_or(arguments.len(), |length| at + length);
        verdict.embedded.push(arguments[at..end].to_vec());
        at = end;
    }
}
