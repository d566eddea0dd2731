//! Lists, pipelines and compound commands.

use super::expand::{self, Argument, Shape};
use super::state::{Outcome, State, Value};
use super::{Evaluator, Frame};
use crate::syntax::tree::{
    Command, Compound, CompoundKind, Connector, Item, List, Piece, Pipeline, Simple, TestKind, Word,
};
use crate::types::{Access, Below, CommandPart, ReasonCode};
use crate::verdict;

/// Values over which a loop is unrolled; with more, its variable is unknown.
const MOST_VALUES: usize = 32;
/// Turns of nested loops together.
const MOST_TURNS: usize = 64;

impl Evaluator<'_> {
    pub(super) fn list(&mut self, list: &List, state: State, frame: &Frame) -> Outcome {
        let mut outcome = Outcome::same(state);
        for item in &list.0 {
            outcome = self.item(item, outcome.any(), frame);
        }
        outcome
    }

    fn item(&mut self, item: &Item, state: State, frame: &Frame) -> Outcome {
        if !item.background {
            return self.chain(item, state, frame);
        }
        let mut inner = frame.clone();
        let span = item_span(item);
        inner.objection.get_or_insert((
            span,
            ReasonCode::Background,
            "it goes on running in the background".to_owned(),
        ));
        self.chain(item, state.clone(), &inner);
        Outcome::same(state)
    }

    fn chain(&mut self, item: &Item, state: State, frame: &Frame) -> Outcome {
        let mut outcome = self.pipeline(&item.first, state, frame);
        for (connector, pipeline) in &item.rest {
            outcome = match connector {
                Connector::And => {
                    let next = self.pipeline(pipeline, outcome.success, frame);
                    Outcome {
                        success: next.success,
                        failure: outcome.failure.or(next.failure),
                    }
                }
                Connector::Or => {
                    let next = self.pipeline(pipeline, outcome.failure, frame);
                    Outcome {
                        success: outcome.success.or(next.success),
                        failure: next.failure,
                    }
                }
            };
        }
        outcome
    }

    fn pipeline(&mut self, pipeline: &Pipeline, state: State, frame: &Frame) -> Outcome {
        let outcome = if let [only] = pipeline.commands.as_slice() {
            self.command(only, state, frame)
        } else {
            // Each runs in a subshell: what it changes is lost.
            let last = pipeline.commands.len().saturating_sub(1);
            let outer = (self.fed_by.clone(), self.fed_from.clone());
            for (at, command) in pipeline.commands.iter().enumerate() {
                let mut inner = frame.clone();
                inner.terminal = frame.terminal && at == last;
                if at > 0 {
                    self.feed(&pipeline.commands[at - 1], &state);
                }
                self.command(command, state.clone(), &inner);
            }
            (self.fed_by, self.fed_from) = outer;
            self.piped_scripts(pipeline, &state);
            Outcome::same(state)
        };
        if pipeline.negated {
            outcome.negated()
        } else {
            outcome
        }
    }

    /// What `command` writes is what the next of its pipeline reads.
    fn feed(&mut self, command: &Command, state: &State) {
        if passes_lines(command) && self.fed_by.is_some() {
            return;
        }
        self.fed_by = None;
        self.fed_from = Below::everything();
        let Command::Simple(simple) = command else {
            return;
        };
        if !lists_files(simple) {
            return;
        }
        let words: Vec<Argument> = simple
            .words
            .iter()
            .flat_map(|word| expand::expand(word, state, self.context))
            .collect();
        let arguments = words.get(1..).unwrap_or_default();
        if matches!(
            words.first().and_then(Argument::literal),
            Some("find" | "gfind")
        ) {
            self.fed_from.names = verdict::find_names(arguments);
            self.fed_by = Some(verdict::find_places(arguments));
            return;
        }
        // Names come as the program was given their folders; the folder where it runs is
        // among them wherever it was given none.
        let mut places = vec![Argument::synthetic(".", simple.span.clone())];
        let named = arguments.iter().filter(|argument| {
            argument
                .literal()
                .is_some_and(|text| !text.starts_with('-') && text.contains('/'))
        });
        places.extend(named.cloned());
        self.fed_from.names = vec![Below::SOME.to_owned()];
        self.fed_by = Some(places);
    }

    /// `echo 'rm x' | sh`: the text is what the shell runs.
    fn piped_scripts(&mut self, pipeline: &Pipeline, state: &State) {
        for pair in pipeline.commands.windows(2) {
            let [Command::Simple(writer), Command::Simple(reader)] = pair else {
                continue;
            };
            let prints = writer
                .words
                .first()
                .is_some_and(|word| matches!(word.raw.as_str(), "echo" | "printf"));
            if !prints {
                continue;
            }
            let texts: Option<Vec<String>> = writer
                .words
                .iter()
                .skip(1)
                .flat_map(|word| expand::expand(word, state, self.context))
                .map(|argument| argument.literal().map(str::to_owned))
                .collect();
            if let Some(texts) = texts {
                let reads: Vec<Argument> = reader
                    .words
                    .iter()
                    .flat_map(|word| expand::expand(word, state, self.context))
                    .collect();
                let part = self.analysis.parts.len().saturating_sub(1);
                self.fed_text(&reads, &texts.join(" "), &writer.span, part);
            }
        }
    }

    fn command(&mut self, command: &Command, state: State, frame: &Frame) -> Outcome {
        match command {
            Command::Simple(simple) => self.simple(simple, state, frame),
            Command::Compound(compound) => self.compound(compound, state, frame),
        }
    }

    fn compound(&mut self, compound: &Compound, state: State, frame: &Frame) -> Outcome {
        let mut inner = frame.clone();
        inner.nested = true;
        let redirects = self.redirects(&compound.redirects, &state, frame);
        inner.terminal = frame.terminal && !redirects.stdout;
        // A test has its redirects itself; for others the commands within carry them.
        for objection in &redirects.objections {
            inner.objection.get_or_insert(objection.clone());
        }
        inner.redirects.extend(redirects.redirects.iter().cloned());
        let first_part = self.analysis.parts.len();
        let outcome = self.compound_kind(compound, state.clone(), &inner, frame);
        let part = if first_part < self.analysis.parts.len() {
            first_part
        } else {
            first_part.saturating_sub(1)
        };
        for (target, access) in redirects.paths {
            self.use_path(&target, access, None, &state, part);
        }
        for (span, code, message) in redirects.objections {
            self.object(span, code, message);
        }
        outcome
    }

    fn compound_kind(
        &mut self,
        compound: &Compound,
        state: State,
        frame: &Frame,
        outer: &Frame,
    ) -> Outcome {
        match &compound.kind {
            CompoundKind::Group(list) => self.list(list, state, frame),
            CompoundKind::Subshell(list) => {
                self.list(list, state.clone(), frame);
                Outcome::same(state)
            }
            CompoundKind::If {
                condition,
                then,
                others,
            } => self.branches(condition, then, others, state, frame),
            CompoundKind::Loop {
                condition,
                until,
                body,
            } => self.looping(condition, *until, body, state, frame),
            CompoundKind::For {
                variable,
                values,
                body,
            } => self.for_loop(compound, variable, values.as_deref(), body, state, frame),
            CompoundKind::Case { value, arms } => self.case(value, arms, state, frame),
            CompoundKind::Test(terms) => {
                let mut objection = None;
                let mut paths = Vec::new();
                for term in terms {
                    for word in &term.operands {
                        self.substitutions(word, &state, frame);
                        let arguments = self.expand_here(word, &state, frame);
                        for argument in arguments {
                            let problem = match term.kind {
                                TestKind::Arithmetic => !is_number(&argument),
                                TestKind::Variable => {
                                    !argument.literal().is_some_and(crate::syntax::is_name)
                                }
                                TestKind::File | TestKind::Text => false,
                            };
                            if problem {
                                objection.get_or_insert((
                                    argument.span.clone(),
                                    ReasonCode::Expansion,
                                    format!("`{}` is evaluated as an expression", argument.raw),
                                ));
                            }
                            if term.kind == TestKind::File {
                                paths.push(argument);
                            }
                        }
                    }
                }
                let part = self.structural_part(compound, objection, outer);
                for path in paths {
                    self.use_path(&path, Access::Read, None, &state, part);
                }
                Outcome::same(state)
            }
            CompoundKind::Arithmetic { expressions, body } => {
                let literal =
                    body.is_none() && expressions.iter().all(|text| is_literal_arithmetic(text));
                let objection = (!literal).then(|| {
                    (
                        compound.span.clone(),
                        ReasonCode::Expansion,
                        "an arithmetic expression may evaluate more than it shows".to_owned(),
                    )
                });
                self.structural_part(compound, objection.clone(), outer);
                if let Some(body) = body {
                    let mut inner = frame.clone();
                    inner.objection = inner.objection.or(objection);
                    let state = unknown_from(&state);
                    self.list(body, state, &inner);
                }
                Outcome::same(unknown_from(&state))
            }
            CompoundKind::Function(body) => {
                let mut inner = frame.clone();
                inner.objection.get_or_insert((
                    compound.span.clone(),
                    ReasonCode::NotUnderstood,
                    "it defines a function, which may replace a program".to_owned(),
                ));
                self.structural_part(compound, inner.objection.clone(), outer);
                if multiplies(self.span_text(&compound.span), body) {
                    self.destroys(
                        compound.span.clone(),
                        "Starts copies of itself until the machine stands still.".to_owned(),
                    );
                }
                self.compound(body, unknown_from(&state), &inner);
                Outcome::same(unknown_from(&state))
            }
            CompoundKind::Coprocess(command) => {
                let mut inner = frame.clone();
                inner.objection.get_or_insert((
                    compound.span.clone(),
                    ReasonCode::Background,
                    "it runs as a coprocess".to_owned(),
                ));
                self.command(command, state.clone(), &inner);
                Outcome::same(state)
            }
        }
    }

    /// A part for something that runs without being a simple command: rules
    /// see it, and cannot be passed by it.
    fn structural_part(
        &mut self,
        compound: &Compound,
        objection: Option<(std::ops::Range<usize>, ReasonCode, String)>,
        outer: &Frame,
    ) -> usize {
        let raw = self.span_text(&compound.span).to_owned();
        let objection = objection.or_else(|| outer.objection.clone());
        let part = CommandPart {
            words: vec![crate::types::Word {
                text: None,
                raw,
                span: compound.span.clone(),
            }],
            assignments: Vec::new(),
            redirects: outer.redirects.clone(),
            read_only: objection.is_none(),
            span: compound.span.clone(),
            nested: outer.nested,
            opaque: objection.is_some(),
        };
        let index = self.add_part(part);
        if let Some((span, code, message)) = objection {
            self.object(span, code, message);
            self.part_is_not_read_only(index);
        }
        index
    }

    fn branches(
        &mut self,
        condition: &List,
        then: &List,
        others: &[(Option<List>, List)],
        state: State,
        frame: &Frame,
    ) -> Outcome {
        let tested = self.list(condition, state, frame);
        let mut result = self.list(then, tested.success, frame).any();
        let mut otherwise = tested.failure;
        let mut has_else = false;
        for (condition, body) in others {
            let entered = match condition {
                Some(condition) => {
                    let tested = self.list(condition, otherwise, frame);
                    otherwise = tested.failure;
                    tested.success
                }
                None => {
                    has_else = true;
                    otherwise.clone()
                }
            };
            result = result.or(self.list(body, entered, frame).any());
        }
        if !has_else {
            result = result.or(otherwise);
        }
        Outcome::same(result)
    }

    fn looping(
        &mut self,
        condition: &List,
        until: bool,
        body: &List,
        state: State,
        frame: &Frame,
    ) -> Outcome {
        let mut before = state;
        // What a turn changes holds at the next: twice, then nothing is known.
        for turn in 0..3 {
            let tested = self.list(condition, before.clone(), frame);
            let tested = if until { tested.negated() } else { tested };
            let after = self.list(body, tested.success, frame).any();
            let next = before.clone().or(after);
            if next == before {
                return Outcome::same(tested.failure.or(before));
            }
            before = if turn < 1 { next } else { unknown_from(&next) };
        }
        Outcome::same(before)
    }

    fn for_loop(
        &mut self,
        compound: &Compound,
        variable: &str,
        values: Option<&[Word]>,
        body: &List,
        state: State,
        frame: &Frame,
    ) -> Outcome {
        let mut inner = frame.clone();
        if !crate::variables::is_local_name(variable) {
            inner.objection.get_or_insert((
                compound.span.clone(),
                ReasonCode::Assignment,
                format!("the loop sets `{variable}`, which may change what runs"),
            ));
        }
        let mut turns: Vec<Value> = Vec::new();
        for word in values.unwrap_or_default() {
            self.substitutions(word, &state, frame);
            for argument in self.expand_here(word, &state, frame) {
                turns.push(match argument.shape {
                    Shape::Literal(text) => Value::Known(text),
                    Shape::Glob { text, .. } => Value::Glob(text),
                    Shape::Unknown { .. } => Value::Unknown,
                });
            }
        }
        turns.dedup();
        let too_many = turns.len() > MOST_VALUES || turns.len() * frame.unrolled > MOST_TURNS;
        if values.is_none() || too_many {
            turns = vec![Value::Unknown];
        }
        inner.unrolled = frame.unrolled * turns.len().max(1);
        let mut current = state.clone();
        for value in &turns {
            current.assign(variable, value.clone());
            // A `break` or `continue` may leave a turn at any place.
            let after = self.list(body, current.clone(), &inner).any();
            current = current.or(after);
        }
        if turns.is_empty() {
            self.list(body, state.clone(), &inner);
        }
        // Where the number of turns is not known, what one turn leaves behind
        // holds at the next.
        if turns.iter().any(|value| !matches!(value, Value::Known(_))) {
            for again in 0..2 {
                let before = if again == 0 {
                    current.clone()
                } else {
                    unknown_from(&current)
                };
                let after = self.list(body, before.clone(), &inner).any();
                let next = current.clone().or(after);
                if next == current {
                    break;
                }
                current = next;
            }
        }
        Outcome::same(state.or(current))
    }

    fn case(
        &mut self,
        value: &Word,
        arms: &[(Vec<Word>, List)],
        state: State,
        frame: &Frame,
    ) -> Outcome {
        self.substitutions(value, &state, frame);
        self.expand_here(value, &state, frame);
        let mut result = state.clone();
        for (patterns, body) in arms {
            for pattern in patterns {
                self.substitutions(pattern, &state, frame);
                self.expand_here(pattern, &state, frame);
            }
            let after = self.list(body, state.clone(), frame).any();
            result = result.or(after);
        }
        Outcome::same(result)
    }

    /// Runs the substitutions in a word: in subshells, output not to a terminal.
    pub(super) fn substitutions(&mut self, word: &Word, state: &State, frame: &Frame) {
        let mut inner = frame.clone();
        inner.nested = true;
        inner.terminal = false;
        // A redirect of the command around it does not hold for what it substitutes.
        inner.redirects = Vec::new();
        for piece in &word.pieces {
            match piece {
                Piece::Substitution { list, .. } | Piece::Process { list } => {
                    self.list(list, state.clone(), &inner);
                }
                _ => {}
            }
        }
    }

    /// Expands a word and objects to expansions that evaluate.
    pub(super) fn expand_here(
        &mut self,
        word: &Word,
        state: &State,
        _frame: &Frame,
    ) -> Vec<Argument> {
        for piece in &word.pieces {
            if let Piece::Evaluates { span, .. } = piece {
                let message = format!("`{}` may evaluate more than it shows", self.span_text(span));
                self.object(span.clone(), ReasonCode::Expansion, message);
            }
        }
        expand::expand(word, state, self.context)
    }
}

/// `f() { f | f & }`: a function that starts itself in the background.
fn multiplies(name: &str, body: &Compound) -> bool {
    let (CompoundKind::Group(list) | CompoundKind::Subshell(list)) = &body.kind else {
        return false;
    };
    list.0.iter().any(|item| {
        let pipelines = std::iter::once(&item.first).chain(item.rest.iter().map(|(_, rest)| rest));
        let calls = pipelines
            .flat_map(|pipeline| &pipeline.commands)
            .any(|command| {
                matches!(command, Command::Simple(simple)
                if simple.words.first().is_some_and(|word| word.raw == name))
            });
        calls && (item.background || item.first.commands.len() > 1)
    })
}

/// Nothing is known of directory and variables.
fn unknown_from(state: &State) -> State {
    let mut unknown = state.clone();
    unknown.directories = None;
    for value in unknown.variables.values_mut() {
        *value = Value::Unknown;
    }
    unknown
}

fn item_span(item: &Item) -> std::ops::Range<usize> {
    let span = |command: &Command| match command {
        Command::Simple(simple) => simple.span.clone(),
        Command::Compound(compound) => compound.span.clone(),
    };
    let last = item
        .rest
        .last()
        .map_or(&item.first, |(_, pipeline)| pipeline);
    let start = item
        .first
        .commands
        .first()
        .map_or(0, |first| span(first).start);
    let end = last.commands.last().map_or(start, |last| span(last).end);
    start..end
}

fn is_number(argument: &Argument) -> bool {
    argument.literal().is_some_and(|text| {
        let digits = text.strip_prefix('-').unwrap_or(text);
        !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit())
    })
}

fn is_literal_arithmetic(text: &str) -> bool {
    text.bytes()
        .all(|byte| byte.is_ascii_digit() || b" +-*/%()<>&|^~!?:".contains(&byte))
        && !text.contains("++")
        && !text.contains("--")
        && !text.is_empty()
}

/// Prints names of files below the places that it names itself, and nothing else.
fn lists_files(simple: &Simple) -> bool {
    let words: Vec<&str> = simple.words.iter().map(|word| word.raw.as_str()).collect();
    let has_flag = |letter: char, long: &[&str]| {
        words.iter().any(|word| {
            long.contains(word)
                || (word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
        })
    };
    match words.as_slice() {
        ["find" | "gfind" | "fd" | "fdfind" | "ls", ..] => true,
        ["git", "ls-files", ..] => true,
        ["git", "diff" | "log" | "show", rest @ ..] => rest.contains(&"--name-only"),
        ["git", "grep", ..] | ["grep" | "egrep" | "fgrep" | "rg", ..] => has_flag(
            'l',
            &["--files", "--files-with-matches", "--files-without-match"],
        ),
        _ => false,
    }
}

/// Gives some of the lines that it reads, unchanged. With a file among its words it reads
/// that instead.
fn passes_lines(command: &Command) -> bool {
    let Command::Simple(simple) = command else {
        return false;
    };
    let mut words = simple.words.iter().map(|word| word.raw.as_str());
    let patterns = match words.next() {
        Some("grep" | "egrep" | "fgrep" | "rg") => 1,
        Some("head" | "tail" | "sort" | "uniq") => 0,
        _ => return false,
    };
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let operands = words.filter(|word| !word.starts_with('-') && !is_number(word));
    operands.count() <= patterns
}
