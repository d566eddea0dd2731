//! Every problem of an input in words: where, what was expected, what came.

use std::fmt::Write;

use jsonschema::error::ValidationErrorKind;
use jsonschema::paths::{Location, LocationSegment};
use jsonschema::{ValidationError, Validator};
use serde_json::Value;

use super::expectation;
use crate::near::near_names;

/// How many problems are told. An input with more is wrong in kind.
const MOST: usize = 50;

/// One problem.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Problem {
    /// Where: `edits[0].old_string`; empty for the input itself.
    pub(crate) path: String,
    /// What was expected.
    pub(crate) expected: String,
    /// What came, where something did.
    pub(crate) came: Option<String>,
    /// True where a required field is missing: the answer may have been cut off.
    pub(crate) missing: bool,
}

/// All problems of an input, without those that are only ours: a pattern whose check
/// was given up says nothing about the input.
pub(crate) fn collect(validator: &Validator, input: &Value, schema: &Value) -> Vec<Problem> {
    let mut problems = Vec::new();
    for error in validator.iter_errors(input) {
        push(&error, schema, &mut problems, 0);
    }
    let mut seen = std::collections::HashSet::new();
    problems.retain(|problem| seen.insert((problem.path.clone(), problem.expected.clone())));
    problems
}

fn push(error: &ValidationError<'_>, schema: &Value, problems: &mut Vec<Problem>, depth: usize) {
    let path = path(error.instance_path());
    let mut add = |path: String, expected: String, came: Option<String>, missing: bool| {
        problems.push(Problem {
            path,
            expected,
            came,
            missing,
        });
    };
    match error.kind() {
        ValidationErrorKind::BacktrackLimitExceeded { .. }
        | ValidationErrorKind::RegexEngineFailure { .. } => {}
        ValidationErrorKind::Required { property } => {
            let name = property.as_str().unwrap_or_default();
            let path = if path.is_empty() {
                name.to_owned()
            } else {
                format!("{path}.{name}")
            };
            add(path, "is required, and missing".to_owned(), None, true);
        }
        ValidationErrorKind::AdditionalProperties { unexpected }
        | ValidationErrorKind::UnevaluatedProperties { unexpected } => {
            let known = known_properties(error, schema);
            for name in unexpected {
                let path = if path.is_empty() {
                    name.clone()
                } else {
                    format!("{path}.{name}")
                };
                add(path, unknown_field(name, &known), None, false);
            }
        }
        ValidationErrorKind::AnyOf { context } | ValidationErrorKind::OneOfNotValid { context } => {
            if let Some(expected) = expectation::of_simple_arms(context) {
                add(
                    path,
                    format!("expected {expected}"),
                    Some(expectation::came(error.instance())),
                    false,
                );
                return;
            }
            match nearest_arm(context).filter(|_| depth < 8) {
                Some(arm) => arm
                    .iter()
                    .for_each(|error| push(error, schema, problems, depth + 1)),
                None => add(
                    path,
                    format!("expected one of {} shapes, and fits none", context.len()),
                    Some(expectation::came(error.instance())),
                    false,
                ),
            }
        }
        kind => {
            let came = (!matches!(kind, ValidationErrorKind::Custom { .. }))
                .then(|| expectation::came(error.instance()));
            let expected = expectation::of(kind).unwrap_or_else(|| expectation::fallback(error));
            add(path, format!("expected {expected}"), came, false);
        }
    }
}

/// The arm that the input was most likely meant for: the one with the fewest problems,
/// of those that are about more than the whole value's type.
fn nearest_arm<'a>(
    context: &'a [Vec<ValidationError<'static>>],
) -> Option<&'a Vec<ValidationError<'static>>> {
    let is_type =
        |error: &ValidationError<'_>| matches!(error.kind(), ValidationErrorKind::Type { .. });
    let shallowest = context
        .iter()
        .flatten()
        .map(|error| error.instance_path().segments().count())
        .min()
        .unwrap_or_default();
    context
        .iter()
        .filter(|arm| {
            !arm.is_empty()
                && !arm.iter().any(|error| {
                    is_type(error) && error.instance_path().segments().count() == shallowest
                })
        })
        .min_by_key(|arm| arm.len())
}

fn unknown_field(name: &str, known: &[String]) -> String {
    let near = near_names(name, known.iter().map(String::as_str));
    if !near.is_empty() {
        let near: Vec<String> = near.into_iter().map(|name| format!("`{name}`")).collect();
        return format!(
            "is not a field of this tool; did you mean {}?",
            near.join(" or ")
        );
    }
    if known.is_empty() {
        return "is not a field of this tool, which takes none here".to_owned();
    }
    let known: Vec<String> = known
        .iter()
        .take(20)
        .map(|name| format!("`{name}`"))
        .collect();
    format!(
        "is not a field of this tool; the fields are {}",
        known.join(", ")
    )
}

/// The names beside the `additionalProperties` keyword that refused one.
fn known_properties(error: &ValidationError<'_>, schema: &Value) -> Vec<String> {
    let keyword = error.schema_path().as_str();
    let owner = keyword.rsplit_once('/').map_or("", |(owner, _)| owner);
    schema
        .pointer(owner)
        .and_then(|owner| owner.get("properties"))
        .and_then(Value::as_object)
        .map(|properties| properties.keys().cloned().collect())
        .unwrap_or_default()
}

fn path(location: &Location) -> String {
    let mut path = String::new();
    for segment in location.segments() {
        match segment {
            LocationSegment::Index(index) => {
                let _ = write!(path, "[{index}]");
            }
            LocationSegment::Property(name) => {
                if !path.is_empty() {
                    path.push('.');
                }
                path.push_str(&name);
            }
        }
    }
    path
}

/// What the model reads.
pub(crate) fn message(tool: &str, problems: &[Problem]) -> String {
    let mut text = format!("InputValidationError: {tool} was not called. ");
    let _ = match problems.len() {
        1 => write!(text, "Its input has a problem:"),
        count => write!(text, "Its input has {count} problems:"),
    };
    for problem in problems.iter().take(MOST) {
        let place = if problem.path.is_empty() {
            "the input".to_owned()
        } else {
            format!("`{}`", problem.path)
        };
        let _ = write!(text, "\n- {place}: {}", problem.expected);
        if let Some(came) = &problem.came {
            let _ = write!(text, "; got {came}");
        }
    }
    if problems.len() > MOST {
        let _ = write!(text, "\n- and {} more", problems.len() - MOST);
    }
    if problems.iter().any(|problem| problem.missing) {
        text.push_str(
            "\nA missing field is not an empty one, and nothing was done. If your answer was cut off at the \
             output limit, send the call again with less in it, in several calls where needed.",
        );
    }
    text
}
