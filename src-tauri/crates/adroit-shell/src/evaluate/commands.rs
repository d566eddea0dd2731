//! Lists, pipelines and compound commands.

use super::arithmetic;
use super::expand::{self, Argument};
use super::state::{Outcome, Previous, State, Value};
use super::{Evaluator, Frame};
use crate::syntax::tree::{
    Command, Compound, CompoundKind, Connector, Item, List, Piece, Pipeline, TestKind, Word,
};
use crate::types::{Access, CommandPart, ReasonCode, Sight};

impl Evaluator<'_> {
    pub(super) fn list(&mut self, list: &List, state: State, frame: &Frame) -> Outcome {
        let mut outcome = Outcome::same(state);
        for (at, item) in list.0.iter().enumerate() {
            let ends_here = item.background && list.0[at + 1..].iter().any(waits_for_all);
            outcome = if ends_here {
                // `grep -r a & grep -r b & wait`: what it changes is its own.
                let state = outcome.any();
                self.chain(item, state.clone(), frame);
                Outcome::same(state)
            } else {
                self.item(item, outcome.any(), frame)
            };
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

    /// `echo 'rm x' | sh`: the text is what the shell runs.
    fn piped_scripts(&mut self, pipeline: &Pipeline, state: &State) {
        for pair in pipeline.commands.windows(2) {
            let [Command::Simple(writer), Command::Simple(reader)] = pair else {
                continue;
            };
            let Some(text) = self.written(writer, state) else {
                continue;
            };
            let reads: Vec<Argument> = reader
                .words
                .iter()
                .flat_map(|word| expand::expand(word, state, self.context))
                .collect();
            let part = self.analysis.parts.len().saturating_sub(1);
            self.fed_text(&reads, &text, &writer.span, part);
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
                                TestKind::Arithmetic => {
                                    !is_number(&argument) && !expand::is_digits(word, &state)
                                }
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
                self.sight = Sight::Existence;
                for path in paths {
                    self.use_path(&path, Access::Read, None, &state, part);
                }
                self.sight = Sight::Content;
                Outcome::same(state)
            }
            CompoundKind::Arithmetic { expressions, body } => {
                self.arithmetic(compound, expressions, body.as_ref(), state, frame, outer)
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
                // It runs where it is called.
                let mut called = unknown_from(&state);
                if !self.may_move() {
                    called.directories = state.directories;
                }
                self.compound(body, called.clone(), &inner);
                Outcome::same(called)
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

    /// Whether anything in the text may take the shell to another directory.
    fn may_move(&self) -> bool {
        ["cd", "pushd", "popd", "eval", "source", ". "]
            .iter()
            .any(|word| self.text.contains(word))
    }

    /// A part for something that runs without being a simple command: rules
    /// see it, and cannot be passed by it.
    pub(super) fn structural_part(
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
                Piece::Evaluates { lists, .. } => {
                    for (list, _) in lists {
                        self.list(list, state.clone(), &inner);
                    }
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
            if let Piece::Evaluates {
                span, arithmetic, ..
            } = piece
                && !computes(arithmetic.as_deref(), state)
            {
                let message = format!("`{}` may evaluate more than it shows", self.span_text(span));
                self.object(span.clone(), ReasonCode::Expansion, message);
            }
        }
        expand::expand(word, state, self.context)
    }
}

/// `wait`: from here nothing that was started goes on.
fn waits_for_all(item: &Item) -> bool {
    let [Command::Simple(simple)] = item.first.commands.as_slice() else {
        return false;
    };
    let is_wait = matches!(simple.words.as_slice(), [word] if word.raw == "wait");
    is_wait && !item.background && simple.assignments.is_empty()
}

/// Whether an expansion is arithmetic in which nothing is evaluated again.
pub(super) fn computes(expression: Option<&str>, state: &State) -> bool {
    expression.is_some_and(|text| arithmetic::effect(text, state).is_some())
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
pub(super) fn unknown_from(state: &State) -> State {
    let mut unknown = state.clone();
    unknown.directories = None;
    unknown.previous = Previous::Unknown;
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
