//! One simple command: assignments, words, redirects, and what it does.

use std::ops::Range;

use super::arithmetic;
use super::commands::computes;
use super::expand::{self, Argument, Shape};
use super::state::{Outcome, Previous, State, Value};
use super::{Evaluator, Frame, MOST_COMMANDS};
use crate::syntax::tree::{Command, List, Piece, Redirection, Simple};
use crate::types::{Access, Assignment, CommandPart, ReasonCode, SedEdit, Sight, Word};
use crate::{destructive, paths, sed, syntax, variables, verdict, wrappers};

impl Evaluator<'_> {
    pub(super) fn simple(&mut self, simple: &Simple, state: State, frame: &Frame) -> Outcome {
        self.commands += 1;
        if self.commands > MOST_COMMANDS {
            self.object(
                simple.span.clone(),
                ReasonCode::Limit,
                "the command has too many turns to be followed".to_owned(),
            );
            return Outcome::same(state);
        }
        let mut state = state;
        let evaluates = has_evaluation(simple, &state);
        for assign in &simple.assignments {
            self.substitutions(&assign.value, &state, frame);
            self.expand_here(&assign.value, &state, frame);
        }
        let mut arguments: Vec<Argument> = Vec::new();
        for word in &simple.words {
            self.substitutions(word, &state, frame);
            arguments.extend(self.expand_here(word, &state, frame));
        }
        let redirects = self.redirects(&simple.redirects, &state, frame);
        let terminal = frame.terminal && !redirects.stdout;

        let mut part_redirects = redirects.redirects.clone();
        part_redirects.extend(frame.redirects.iter().cloned());
        let part = self.add_part(CommandPart {
            words: simple.words.iter().map(plain_word).collect(),
            assignments: simple
                .assignments
                .iter()
                .map(|assign| Assignment {
                    name: assign.name.clone(),
                    raw_value: assign.value.raw.clone(),
                    literal: if assign.compound {
                        None
                    } else {
                        expand::unexpanded(&assign.value)
                    },
                })
                .collect(),
            redirects: part_redirects,
            read_only: true,
            span: simple.span.clone(),
            nested: frame.nested,
            opaque: evaluates,
        });

        let written: Vec<Word> = simple.words.iter().map(plain_word).collect();
        self.opened(&arguments, &written, &simple.span);
        assign_counted(simple, &mut state);

        let mut objections = redirects.objections;
        objections.extend(frame.objection.clone());
        self.assignments(simple, &mut state, &mut objections);
        for (target, access) in redirects.paths {
            self.use_path(&target, access, None, &state, part);
        }
        let outcome = self.run(&arguments, &state, terminal, part, &mut objections);
        self.globs_elsewhere(&arguments, &state, part);
        self.fed_documents(simple, &arguments, part);
        self.fed_processes(simple, &state, &arguments, part);
        let is_read_only = objections.is_empty() && !evaluates;
        if !is_read_only {
            self.part_is_not_read_only(part);
        }
        for (span, code, message) in objections {
            self.object(span, code, message);
        }
        self.analysis.read_only &= is_read_only;
        outcome.unwrap_or_else(|| Outcome::same(state))
    }

    /// `echo /etc/*`: the shell lists the folder, whatever the program makes of the names.
    pub(super) fn globs_elsewhere(&mut self, words: &[Argument], state: &State, part: usize) {
        for word in words {
            let Shape::Glob { text, .. } = &word.shape else {
                continue;
            };
            let known = self
                .analysis
                .paths
                .iter()
                .any(|path| path.span == word.span);
            // A pattern without a folder lists where the command runs.
            let here = !text.contains('/')
                && state.directories.as_ref().is_some_and(|directories| {
                    let cwd = paths::normalize(self.context.cwd);
                    directories.iter().all(|directory| *directory == cwd)
                });
            if !known && !here {
                self.sight = Sight::Names;
                self.use_path(word, Access::Read, None, state, part);
                self.sight = Sight::Content;
            }
        }
    }

    /// `bash <<E`, `psql <<E`: the document is what runs.
    fn fed_documents(&mut self, simple: &Simple, arguments: &[Argument], part: usize) {
        for redirect in &simple.redirects {
            if let Redirection::Text(word) = redirect
                && let Some(text) = expand::unexpanded(word)
            {
                self.fed_text(arguments, &text, &simple.span, part);
            }
        }
    }

    /// `bash <(echo 'rm x')`: what the other prints is the script.
    fn fed_processes(
        &mut self,
        simple: &Simple,
        state: &State,
        arguments: &[Argument],
        part: usize,
    ) {
        let runs = |argument: &Argument| {
            argument.literal().is_some_and(|name| {
                wrappers::is_shell(name)
                    || matches!(name, "source" | ".")
                    || verdict::is_interpreter(wrappers::base_name(name))
            })
        };
        if !arguments.iter().any(runs) {
            return;
        }
        for word in &simple.words {
            let [Piece::Process { list }] = word.pieces.as_slice() else {
                continue;
            };
            match self.printed(list, state) {
                Some(text) => self.fed_text(arguments, &text, &word.span, part),
                None => self.may_run_anything(&Argument::synthetic("", word.span.clone())),
            }
        }
    }

    /// What `list` prints where it is one `echo` or `printf` of known words.
    fn printed(&self, list: &List, state: &State) -> Option<String> {
        let [item] = list.0.as_slice() else {
            return None;
        };
        let ([Command::Simple(writer)], true) =
            (item.first.commands.as_slice(), item.rest.is_empty())
        else {
            return None;
        };
        self.written(writer, state)
    }

    /// What `writer` prints where it is one `echo` or `printf` of known words.
    pub(super) fn written(&self, writer: &Simple, state: &State) -> Option<String> {
        let first = writer.words.first()?;
        if !matches!(first.raw.as_str(), "echo" | "printf") || !writer.redirects.is_empty() {
            return None;
        }
        let texts: Option<Vec<String>> = writer
            .words
            .iter()
            .skip(1)
            .flat_map(|word| expand::expand(word, state, self.context))
            .map(|argument| argument.literal().map(str::to_owned))
            .collect();
        texts.map(|texts| texts.join(" "))
    }

    /// `text` is the input of the program that `arguments` run.
    pub(super) fn fed_text(
        &mut self,
        arguments: &[Argument],
        text: &str,
        span: &Range<usize>,
        part: usize,
    ) {
        let names = || arguments.iter().filter_map(Argument::literal);
        if names().any(|name| wrappers::is_shell(name) || matches!(name, "source" | ".")) {
            self.script(&Argument::synthetic(text, span.clone()), part);
        }
        if let Some(name) = names()
            .map(wrappers::base_name)
            .find(|name| verdict::is_interpreter(name))
        {
            let program = Argument::synthetic(text, span.clone());
            let read = verdict::foreign_text(name, &program);
            self.gather(&read, &State::new(self.context.cwd), part);
        }
        self.fed_editor(arguments, text, span, part);
        let is_client =
            names().any(|name| destructive::is_database_client(wrappers::base_name(name)));
        if is_client && destructive::is_destructive_statement(text) {
            self.destroys(span.clone(), "Deletes data of the database.".to_owned());
        }
    }

    /// `at now <<< 'rm x'`, `ed <<< '!rm x'`, `make -f - <<< 'all:; rm x'`.
    fn fed_editor(&mut self, arguments: &[Argument], text: &str, span: &Range<usize>, part: usize) {
        let name = arguments
            .iter()
            .filter_map(Argument::literal)
            .map(wrappers::base_name)
            .find(|name| verdict::runs_its_input(name).is_some());
        match name.and_then(verdict::runs_its_input) {
            Some(verdict::Input::Script) => {
                self.script(&Argument::synthetic(text, span.clone()), part);
            }
            Some(verdict::Input::Other) => {
                self.may_run_anything(&Argument::synthetic(text, span.clone()));
            }
            None => {}
        }
    }

    fn assignments(
        &mut self,
        simple: &Simple,
        state: &mut State,
        objections: &mut Vec<(Range<usize>, ReasonCode, String)>,
    ) {
        let alone = simple.words.is_empty();
        for assign in &simple.assignments {
            let literal = expand::unexpanded(&assign.value);
            let words = alone && assign.compound && is_plain_list(&assign.name, &assign.value.raw);
            // What is appended to a name of the shell's own is text: whole numbers are declared.
            let safe = (!assign.compound || words)
                && (!assign.append || alone)
                && if alone {
                    variables::is_local_name(&assign.name)
                } else {
                    // `IFS= read -r line` holds for `read` alone.
                    let splits_read = assign.name == "IFS"
                        && literal.is_some()
                        && simple.words.first().is_some_and(|word| word.raw == "read");
                    splits_read
                        || variables::is_harmless_before_command(&assign.name, literal.as_deref())
                };
            if variables::names_program(&assign.name) {
                // `GIT_PAGER='rm x' git log`
                match &literal {
                    Some(text) => self.hint(&Argument::synthetic(text, assign.span.clone())),
                    None => self.may_run_anything(&Argument::synthetic("", assign.span.clone())),
                }
            }
            if !safe {
                objections.push((
                    assign.span.clone(),
                    ReasonCode::Assignment,
                    format!("setting `{}` may change what runs", assign.name),
                ));
            }
            if alone {
                let value = if assign.compound || assign.append {
                    Value::Unknown
                } else {
                    expand::assigned(&assign.value, state, self.context)
                };
                let name = assign.name.split('[').next().unwrap_or(&assign.name);
                state.assign(name, value);
            }
        }
    }

    /// What the command does; the outcome when it changes the state of the shell.
    fn run(
        &mut self,
        arguments: &[Argument],
        state: &State,
        terminal: bool,
        part: usize,
        objections: &mut Vec<(Range<usize>, ReasonCode, String)>,
    ) -> Option<Outcome> {
        // `builtin cd src`, `command cd src`
        let arguments = match arguments {
            [first, rest @ ..]
                if matches!(first.literal(), Some("builtin" | "command"))
                    && rest.first().is_some_and(|word| {
                        matches!(word.literal(), Some("cd" | "pushd" | "popd"))
                    }) =>
            {
                rest
            }
            all => all,
        };
        let name = arguments.first()?.literal().unwrap_or_default();
        match name {
            "cd" | "pushd" => {
                return Some(self.change_directory(arguments, state, part, objections));
            }
            "popd" => {
                let mut after = state.clone();
                after.directories = None;
                after.previous = Previous::Unknown;
                return Some(Outcome::same(after));
            }
            "exit" | "return" => {
                self.judged(arguments, state, terminal, part, objections);
                return Some(Outcome::same(state.clone().unreachable()));
            }
            "read" | "mapfile" | "readarray" | "getopts" | "unset" | "printf" | "declare"
            | "local" | "export" | "typeset" | "readonly" | "let" => {
                self.judged(arguments, state, terminal, part, objections);
                let mut after = state.clone();
                for argument in &arguments[1..] {
                    let Some(text) = argument.literal() else {
                        continue;
                    };
                    let name = text.split(['=', '[', '+']).next().unwrap_or(text);
                    if syntax::is_name(name)
                        && (name != text
                            || after.variables.contains_key(name)
                            || arguments[0].literal() == Some("read"))
                    {
                        after.assign(name, Value::Unknown);
                    }
                }
                return Some(Outcome::same(after));
            }
            "eval" | "source" | "." | "trap" | "set" | "shopt" | "alias" => {
                self.judged(arguments, state, terminal, part, objections);
                if matches!(name, "set" | "shopt") {
                    let mut after = state.clone();
                    after.physical |= goes_physically(arguments);
                    return Some(Outcome::same(after));
                }
                let mut after = state.clone();
                after.directories = None;
                after.previous = Previous::Unknown;
                for value in after.variables.values_mut() {
                    *value = Value::Unknown;
                }
                return Some(Outcome::same(after));
            }
            _ => {}
        }
        self.judged(arguments, state, terminal, part, objections);
        None
    }

    fn change_directory(
        &mut self,
        arguments: &[Argument],
        state: &State,
        part: usize,
        objections: &mut Vec<(Range<usize>, ReasonCode, String)>,
    ) -> Outcome {
        let mut target: Option<&Argument> = None;
        let mut options_end = false;
        let mut physical = state.physical;
        for argument in &arguments[1..] {
            let is_option = matches!(argument.literal(), Some("-L" | "-P" | "-e" | "-n"));
            if !options_end && argument.literal() == Some("--") {
                options_end = true;
            } else if !options_end && is_option {
                physical |= argument.literal() == Some("-P");
                continue;
            } else if target.replace(argument).is_some() {
                objections.push((
                    argument.span.clone(),
                    ReasonCode::NotReadOnlyArgument,
                    "`cd` takes one directory".to_owned(),
                ));
            }
        }
        let home = Argument::synthetic(
            &self.context.home.to_string_lossy(),
            arguments[0].span.clone(),
        );
        let target = target.unwrap_or(&home);
        match (target.literal(), state.previous.known()) {
            // Back to where it came from.
            (Some("-"), Some(places)) => {
                for place in places {
                    let place = Argument {
                        shape: Shape::Literal(place.to_string_lossy().into_owned()),
                        ..target.clone()
                    };
                    self.use_path(&place, Access::ChangeDirectory, None, state, part);
                }
            }
            _ => self.use_path(target, Access::ChangeDirectory, None, state, part),
        }
        let mut entered = state.clone();
        entered.directories = match (&target.shape, &state.directories) {
            // Where links lead, and `..` from there: text cannot say.
            _ if physical => None,
            (Shape::Literal(text), _) if text == "-" => state.previous.known(),
            (Shape::Literal(text), Some(directories)) if text != "-" && !text.starts_with('+') => {
                Some(
                    directories
                        .iter()
                        .map(|directory| paths::resolve(directory, text))
                        .collect(),
                )
            }
            (Shape::Literal(text), None) if text.starts_with('/') => {
                Some(vec![paths::normalize(std::path::Path::new(text))])
            }
            _ => None,
        };
        entered.previous = Previous::of(state.directories.clone());
        entered.variables.remove("PWD");
        Outcome {
            success: entered,
            failure: state.clone(),
        }
    }
}

/// `name=(a b c)`: words without an expansion, a pattern or a subscript, which would be evaluated.
fn is_plain_list(name: &str, raw: &str) -> bool {
    raw.strip_prefix(name)
        .and_then(|rest| rest.strip_prefix("=("))
        .and_then(|rest| rest.strip_suffix(')'))
        .is_some_and(|inner| {
            inner
                .bytes()
                .all(|byte| byte.is_ascii_alphanumeric() || b" \n\t_./,:@%+-'\"".contains(&byte))
        })
}

pub(super) fn plain_word(word: &syntax::tree::Word) -> Word {
    Word {
        text: expand::unexpanded(word),
        raw: word.raw.clone(),
        span: word.span.clone(),
    }
}

/// `set -P`: from here `cd` goes where links lead, and `..` from there.
fn goes_physically(arguments: &[Argument]) -> bool {
    arguments
        .iter()
        .skip(1)
        .any(|argument| match argument.literal() {
            Some(text) => text == "physical" || text.starts_with('-') && text.contains('P'),
            None => true,
        })
}

/// The pieces of all words of a command.
fn pieces(simple: &Simple) -> impl Iterator<Item = &Piece> {
    let assigned = simple.assignments.iter().map(|assign| &assign.value);
    let targets = simple.redirects.iter().map(|redirect| match redirect {
        Redirection::File { target, .. }
        | Redirection::Duplicate { target, .. }
        | Redirection::Text(target) => target,
    });
    assigned
        .chain(&simple.words)
        .chain(targets)
        .flat_map(|word| &word.pieces)
}

fn has_evaluation(simple: &Simple, state: &State) -> bool {
    pieces(simple).any(|piece| match piece {
        Piece::Evaluates { arithmetic, .. } => !computes(arithmetic.as_deref(), state),
        _ => false,
    })
}

/// `echo $((i++))` counts on.
fn assign_counted(simple: &Simple, state: &mut State) {
    let expressions: Vec<&str> = pieces(simple)
        .filter_map(|piece| match piece {
            Piece::Evaluates { arithmetic, .. } => arithmetic.as_deref(),
            _ => None,
        })
        .filter(|text| arithmetic::effect(text, state) == Some(arithmetic::Effect::Assigns))
        .collect();
    for expression in expressions {
        arithmetic::assign(expression, state);
    }
}

/// The edit that the whole command stands for: one `sed -i`, nothing else, no
/// expansion anywhere.
pub(super) fn whole_sed_edit(list: &List) -> Option<SedEdit> {
    let [item] = list.0.as_slice() else {
        return None;
    };
    let [Command::Simple(simple)] = item.first.commands.as_slice() else {
        return None;
    };
    let alone = item.rest.is_empty()
        && !item.background
        && !item.first.negated
        && simple.assignments.is_empty()
        && simple.redirects.is_empty();
    if !alone {
        return None;
    }
    let mut arguments = Vec::with_capacity(simple.words.len());
    for word in &simple.words {
        let literal = word
            .pieces
            .iter()
            .all(|piece| matches!(piece, Piece::Literal { .. } | Piece::Brace(_)));
        let text = expand::unexpanded(word)?;
        if !literal {
            return None;
        }
        arguments.push(Argument {
            raw: word.raw.clone(),
            span: word.span.clone(),
            shape: Shape::Literal(text),
        });
    }
    let name = arguments.first()?.literal()?;
    if !matches!(wrappers::trusted_name(name), Some("sed" | "gsed")) {
        return None;
    }
    sed::edit(&arguments[1..])
}
