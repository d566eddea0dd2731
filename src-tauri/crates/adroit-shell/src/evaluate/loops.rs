//! Loops: what a turn leaves behind holds at the next.

use super::arithmetic;
use super::commands::unknown_from;
use super::expand::Shape;
use super::state::{Outcome, State, Value};
use super::{Evaluator, Frame};
use crate::syntax::tree::{Compound, List, Word};
use crate::types::ReasonCode;

/// Values over which a loop is unrolled; with more, its variable is unknown.
const MOST_VALUES: usize = 32;
/// Turns of nested loops together.
const MOST_TURNS: usize = 64;

impl Evaluator<'_> {
    pub(super) fn arithmetic(
        &mut self,
        compound: &Compound,
        expressions: &[String],
        body: Option<&List>,
        state: State,
        frame: &Frame,
        outer: &Frame,
    ) -> Outcome {
        let objection = (
            compound.span.clone(),
            ReasonCode::Expansion,
            "an arithmetic expression may evaluate more than it shows".to_owned(),
        );
        let Some(body) = body else {
            let computes = expressions
                .iter()
                .all(|text| arithmetic::effect(text, &state).is_some());
            self.structural_part(compound, (!computes).then_some(objection), outer);
            if !computes {
                return Outcome::same(unknown_from(&state));
            }
            let mut after = state;
            for expression in expressions {
                if arithmetic::effect(expression, &after) == Some(arithmetic::Effect::Assigns) {
                    arithmetic::assign(expression, &mut after);
                }
            }
            return Outcome::same(after);
        };
        let counter = counter(expressions);
        let mut changes = counter.is_none();
        let mut current = state.clone();
        let mut inner = frame.clone();
        match &counter {
            Some(name) => current.assign(name, Value::Number),
            None => {
                inner.objection.get_or_insert(objection.clone());
                current = unknown_from(&current);
            }
        }
        // What one turn leaves behind holds at the next.
        for turn in 0..3 {
            let after = self.list(body, current.clone(), &inner).any();
            // `i='a[$(x)]'` in the body would be evaluated by the next `i < 3`.
            changes |= counter
                .as_ref()
                .is_some_and(|name| after.variables.get(name) != Some(&Value::Number));
            let next = current.clone().or(after);
            if next == current {
                break;
            }
            let mut next = if turn < 1 { next } else { unknown_from(&next) };
            if let Some(name) = &counter {
                next.assign(name, Value::Number);
            }
            current = next;
        }
        self.structural_part(compound, changes.then_some(objection), outer);
        let mut result = state.or(current);
        if let Some(name) = &counter {
            result.assign(name, Value::Unknown);
        }
        Outcome::same(result)
    }

    pub(super) fn looping(
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

    pub(super) fn for_loop(
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
        let mut words = Vec::new();
        let part = self.analysis.parts.len();
        for word in values.unwrap_or_default() {
            self.substitutions(word, &state, frame);
            for argument in self.expand_here(word, &state, frame) {
                words.push(argument.clone());
                turns.push(match argument.shape {
                    Shape::Literal(text) => Value::Known(text),
                    Shape::Glob { text, .. } => Value::Glob(text),
                    // `for c in $(git rev-list HEAD)`
                    Shape::Unknown {
                        prefix,
                        tail: Some(tail),
                        ..
                    } if prefix.is_empty() && tail.is_empty() => Value::Objects,
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
        // The folder that a pattern lists is looked at by the first command of the loop.
        let last = self.analysis.parts.len().saturating_sub(1);
        self.globs_elsewhere(&words, &state, part.min(last));
        Outcome::same(state.or(current))
    }
}

/// The variable of `for ((i = 0; i < 10; i++))`, where all but it are whole numbers.
fn counter(expressions: &[String]) -> Option<String> {
    let [begin, test, step] = expressions else {
        return None;
    };
    let spaceless = |text: &String| text.split_whitespace().collect::<String>();
    let is_number = |text: &str| {
        (1..=9).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_digit())
    };
    let (begin, test, step) = (spaceless(begin), spaceless(test), spaceless(step));
    let (name, from) = begin.split_once('=')?;
    let is_name = crate::syntax::is_name(name) && crate::variables::is_local_name(name);
    let limit = test
        .strip_prefix(name)?
        .trim_start_matches(['<', '>', '=', '!']);
    let operator_length = test.len() - name.len() - limit.len();
    let steps = step == format!("{name}++")
        || step == format!("++{name}")
        || ["+=", "-="].iter().any(|sign| {
            step.strip_prefix(name)
                .and_then(|rest| rest.strip_prefix(sign))
                .is_some_and(is_number)
        })
        || step == format!("{name}--")
        || step == format!("--{name}");
    (is_name && is_number(from) && is_number(limit) && (1..=2).contains(&operator_length) && steps)
        .then(|| name.to_owned())
}
