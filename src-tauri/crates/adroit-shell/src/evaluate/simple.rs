//! One simple command: assignments, words, redirects, and what it does.

use std::ops::Range;
use std::path::PathBuf;

use super::expand::{self, Argument, Shape};
use super::state::{Outcome, State, Value};
use super::{Evaluator, Frame, MOST_COMMANDS, MOST_SCRIPT_DEPTH};
use crate::destructive::{self, Call};
use crate::syntax::tree::{Command, List, Piece, Redirection, Simple};
use crate::types::{
    Access, Assignment, CommandPart, PathUse, ReasonCode, Redirect, RedirectOperator, SedEdit, Word,
};
use crate::verdict::{self, Verdict};
use crate::{paths, sed, syntax, variables, wrappers};

/// The redirects of one command, as far as they are known.
#[derive(Default)]
pub(super) struct Redirects {
    pub redirects: Vec<Redirect>,
    pub paths: Vec<(Argument, Access)>,
    pub objections: Vec<(Range<usize>, ReasonCode, String)>,
    /// Standard output goes elsewhere.
    pub stdout: bool,
}

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
        let evaluates = has_evaluation(simple);
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

        let mut objections = redirects.objections;
        objections.extend(frame.objection.clone());
        self.assignments(simple, &mut state, &mut objections);
        for (target, access) in redirects.paths {
            self.use_path(&target, access, &state, part);
        }
        let outcome = self.run(&arguments, &state, terminal, part, &mut objections);
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

    fn assignments(
        &mut self,
        simple: &Simple,
        state: &mut State,
        objections: &mut Vec<(Range<usize>, ReasonCode, String)>,
    ) {
        let alone = simple.words.is_empty();
        for assign in &simple.assignments {
            let literal = expand::unexpanded(&assign.value);
            let safe = !assign.compound
                && !assign.append
                && if alone {
                    variables::is_local_name(&assign.name)
                } else {
                    variables::is_harmless_before_command(&assign.name, literal.as_deref())
                };
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
        let name = arguments.first()?.literal().unwrap_or_default();
        match name {
            "cd" | "pushd" => {
                return Some(self.change_directory(arguments, state, part, objections));
            }
            "popd" => {
                let mut after = state.clone();
                after.directories = None;
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
                    return None;
                }
                let mut after = state.clone();
                after.directories = None;
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

    fn judged(
        &mut self,
        arguments: &[Argument],
        state: &State,
        terminal: bool,
        part: usize,
        objections: &mut Vec<(Range<usize>, ReasonCode, String)>,
    ) {
        let verdict = verdict::judge(arguments, terminal);
        for objection in &verdict.objections {
            objections.push((
                objection.span.clone(),
                objection.code,
                objection.message.clone(),
            ));
        }
        self.analysis.network |= verdict.network;
        self.analysis.privilege |= verdict.privilege;
        if let Some(inner) = verdict.inner {
            self.git_elsewhere(&arguments[inner..], state, objections);
            self.effects(&arguments[inner..], &verdict, state, part);
        }
        for (argument, access) in &verdict.paths {
            self.use_path(argument, *access, state, part);
        }
        for embedded in &verdict.embedded {
            self.embedded(embedded, state, part);
        }
        for script in &verdict.scripts {
            self.script(script, state, part);
        }
    }

    /// Git in another directory trusts what that repository's configuration names.
    fn git_elsewhere(
        &self,
        arguments: &[Argument],
        state: &State,
        objections: &mut Vec<(Range<usize>, ReasonCode, String)>,
    ) {
        let is_git = arguments
            .first()
            .and_then(Argument::literal)
            .is_some_and(|word| wrappers::base_name(word) == "git");
        if !is_git {
            return;
        }
        let here = paths::normalize(self.context.cwd);
        let stays = state
            .directories
            .as_ref()
            .is_some_and(|directories| directories.iter().all(|directory| *directory == here));
        if !stays {
            objections.push((
                arguments[0].span.clone(),
                ReasonCode::NotReadOnlyArgument,
                "git runs in another directory, whose configuration may name programs to run"
                    .to_owned(),
            ));
        }
    }

    /// Destruction and critical removals by the program that runs in the end.
    fn effects(&mut self, arguments: &[Argument], verdict: &Verdict, state: &State, part: usize) {
        let Some(word) = arguments.first() else {
            return;
        };
        let name = wrappers::base_name(word.literal().unwrap_or_default());
        let texts: Vec<Option<&str>> = arguments[1..].iter().map(known_text).collect();
        let call = Call {
            name,
            arguments: &texts,
        };
        if let Some(sentence) = destructive::destruction(&call) {
            self.destroys(word.span.clone(), sentence);
        }
        let removes = matches!(name, "rm" | "rmdir" | "unlink" | "shred" | "srm")
            || matches!(name, "find" | "gfind") && texts.contains(&Some("-delete"));
        if removes {
            for argument in &arguments[1..] {
                if argument.prefix().starts_with('-') {
                    continue;
                }
                self.critical(argument, state);
            }
        }
        let _ = (verdict, part);
    }

    fn critical(&mut self, argument: &Argument, state: &State) {
        let named = |what: &str| Some(format!("`{}` is {what}", argument.raw));
        let found = match &argument.shape {
            Shape::Literal(text) => self.critical_path(text, state).and_then(named),
            Shape::Glob { text, .. } => {
                // `dir/*` empties `dir`.
                let parent = text
                    .strip_suffix("/*")
                    .or_else(|| text.strip_suffix("/.*"))
                    .or_else(|| matches!(text.as_str(), "*" | ".*").then_some("."));
                parent.and_then(|parent| {
                    let parent = if parent.is_empty() { "/" } else { parent };
                    self.critical_path(parent, state)
                        .and_then(|what| named(&format!("everything in {what}")))
                })
            }
            Shape::Unknown { prefix, .. } => {
                let bare = prefix.is_empty()
                    && (argument.raw.contains("/*")
                        || argument.raw.trim_end_matches('"').ends_with('/'));
                if bare {
                    named("a pattern directly under a variable, which may be empty")
                } else {
                    None
                }
            }
        };
        if let Some(found) = found {
            self.analysis.critical_removal.get_or_insert(found);
        }
    }

    fn critical_path(&self, text: &str, state: &State) -> Option<&'static str> {
        if text.is_empty() {
            return None;
        }
        let directories = state.directories.clone().unwrap_or_default();
        let absolute = text.starts_with('/').then(|| PathBuf::from("/"));
        directories
            .iter()
            .chain(absolute.as_ref())
            .find_map(|directory| {
                let resolved = paths::resolve(directory, text);
                paths::critical(&resolved, self.context)
                    // After `cd`, what was entered is the working directory.
                    .or_else(|| (resolved == *directory).then_some("the working directory"))
            })
    }

    /// A command within the arguments of another: only deny rules and warnings see it.
    fn embedded(&mut self, arguments: &[Argument], state: &State, part: usize) {
        let Some(first) = arguments.first() else {
            return;
        };
        let span = first.span.start
            ..arguments
                .last()
                .map_or(first.span.end, |last| last.span.end);
        self.analysis.suspected_parts.push(CommandPart {
            words: arguments
                .iter()
                .map(|argument| Word {
                    text: argument.literal().map(str::to_owned),
                    raw: argument.raw.clone(),
                    span: argument.span.clone(),
                })
                .collect(),
            assignments: Vec::new(),
            redirects: Vec::new(),
            read_only: false,
            span,
            nested: true,
            opaque: true,
        });
        let verdict = verdict::judge(arguments, false);
        self.analysis.network |= verdict.network;
        self.analysis.privilege |= verdict.privilege;
        if let Some(inner) = verdict.inner {
            self.effects(&arguments[inner..], &verdict, state, part);
        }
        for script in &verdict.scripts {
            self.script(script, state, part);
        }
    }

    /// A text that is given to a shell: read as a command of its own.
    fn script(&mut self, script: &Argument, state: &State, part: usize) {
        let Some(text) = script.literal() else {
            return;
        };
        if self.script_depth >= MOST_SCRIPT_DEPTH || crate::limits::check(text).is_err() {
            return;
        }
        let _ = state;
        let inner = crate::analyze_text(text, self.context, self.script_depth + 1);
        let mine = &mut self.analysis;
        mine.suspected_parts.extend(inner.parts);
        mine.suspected_parts.extend(inner.suspected_parts);
        mine.network |= inner.network;
        mine.privilege |= inner.privilege;
        if mine.critical_removal.is_none() {
            mine.critical_removal = inner.critical_removal;
        }
        for path in inner.paths {
            self.add_path(PathUse {
                span: script.span.clone(),
                part,
                ..path
            });
        }
        if let Some(destruction) = inner.destructive {
            self.destroys(script.span.clone(), destruction.sentence);
        }
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
        for argument in &arguments[1..] {
            let is_option = matches!(argument.literal(), Some("-L" | "-P" | "-e" | "-n"));
            if !options_end && argument.literal() == Some("--") {
                options_end = true;
            } else if !options_end && is_option {
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
        self.use_path(target, Access::ChangeDirectory, state, part);
        let mut entered = state.clone();
        entered.directories = match (&target.shape, &state.directories) {
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
        entered.variables.remove("PWD");
        Outcome {
            success: entered,
            failure: state.clone(),
        }
    }

    pub(super) fn redirects(
        &mut self,
        redirects: &[Redirection],
        state: &State,
        frame: &Frame,
    ) -> Redirects {
        let mut result = Redirects::default();
        for redirect in redirects {
            match redirect {
                Redirection::Text(word) => {
                    self.substitutions(word, state, frame);
                    self.expand_here(word, state, frame);
                }
                Redirection::Duplicate { stdout, .. } => result.stdout |= *stdout,
                Redirection::File {
                    operator,
                    stdout,
                    target,
                } => {
                    self.substitutions(target, state, frame);
                    result.stdout |= *stdout;
                    for argument in self.expand_here(target, state, frame) {
                        self.file_redirect(*operator, &argument, plain_word(target), &mut result);
                    }
                }
            }
        }
        result
    }

    fn file_redirect(
        &mut self,
        operator: RedirectOperator,
        argument: &Argument,
        target: Word,
        result: &mut Redirects,
    ) {
        let device = argument.literal().is_some_and(paths::is_harmless_device);
        let writes = operator != RedirectOperator::Read && !device;
        let reads = matches!(
            operator,
            RedirectOperator::Read | RedirectOperator::ReadAndWrite
        );
        result.redirects.push(Redirect {
            operator,
            target,
            writes,
            reads,
        });
        // Bash opens a connection for these names.
        if argument.prefix().starts_with("/dev/tcp/") || argument.prefix().starts_with("/dev/udp/")
        {
            self.analysis.network = true;
            result.objections.push((
                argument.span.clone(),
                ReasonCode::Network,
                format!("`{}` opens a network connection", argument.raw),
            ));
        }
        if argument.literal().is_some_and(destructive::is_device) && writes {
            self.destroys(
                argument.span.clone(),
                format!("Overwrites the device `{}`.", argument.raw),
            );
        }
        if writes {
            result.objections.push((
                argument.span.clone(),
                ReasonCode::WritesFile,
                format!("it writes the file `{}`", argument.raw),
            ));
        }
        let access = if writes { Access::Write } else { Access::Read };
        result.paths.push((argument.clone(), access));
    }

    /// Records a word that is used as a path.
    pub(super) fn use_path(
        &mut self,
        argument: &Argument,
        access: Access,
        state: &State,
        part: usize,
    ) {
        let unknown = |word: String| PathUse {
            word,
            span: argument.span.clone(),
            resolved: None,
            access,
            outside: true,
            part,
        };
        let (text, fixed) = match &argument.shape {
            Shape::Literal(text) => (text.as_str(), text.as_str()),
            Shape::Glob { text, prefix } => (text.as_str(), paths::fixed_part(prefix)),
            Shape::Unknown { .. } => {
                self.add_path(unknown(argument.raw.clone()));
                return;
            }
        };
        // `-` is the standard input, except for `cd`, where it is the directory before.
        if text == "-" {
            if access == Access::ChangeDirectory {
                self.add_path(unknown(text.to_owned()));
            }
            return;
        }
        if text.is_empty() || paths::is_harmless_device(text) {
            return;
        }
        let absolute = [PathBuf::from("/")];
        let bases: &[PathBuf] = match &state.directories {
            _ if text.starts_with('/') => &absolute,
            Some(directories) => directories,
            None => {
                self.add_path(unknown(text.to_owned()));
                return;
            }
        };
        for base in bases {
            let whole = paths::resolve(base, text);
            let resolved = paths::resolve(base, fixed);
            let outside = !paths::is_inside(&whole, self.context)
                || !paths::is_inside(&resolved, self.context);
            self.add_path(PathUse {
                word: text.to_owned(),
                span: argument.span.clone(),
                resolved: Some(resolved),
                access,
                outside,
                part,
            });
        }
    }
}

/// The text of an argument for what only warns: a pattern counts as written.
fn known_text(argument: &Argument) -> Option<&str> {
    match &argument.shape {
        Shape::Literal(text) | Shape::Glob { text, .. } => Some(text),
        Shape::Unknown { .. } => None,
    }
}

fn plain_word(word: &syntax::tree::Word) -> Word {
    Word {
        text: expand::unexpanded(word),
        raw: word.raw.clone(),
        span: word.span.clone(),
    }
}

fn has_evaluation(simple: &Simple) -> bool {
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
        .any(|piece| matches!(piece, Piece::Evaluates { .. }))
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
