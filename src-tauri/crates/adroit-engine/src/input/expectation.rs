//! Words for what a schema expects and for what came.

use jsonschema::ValidationError;
use jsonschema::error::{TypeKind, ValidationErrorKind};
use serde_json::Value;

/// Characters of a value that are told.
const VALUE_CHARS: usize = 60;

/// What one keyword expects, where it can be said in a few words.
pub(crate) fn of(kind: &ValidationErrorKind) -> Option<String> {
    Some(match kind {
        ValidationErrorKind::Type { kind } => types(kind),
        ValidationErrorKind::Enum { options } => one_of(
            &options
                .as_array()?
                .iter()
                .map(Value::to_string)
                .collect::<Vec<_>>(),
        ),
        ValidationErrorKind::Constant { expected_value } => expected_value.to_string(),
        ValidationErrorKind::Minimum { limit } => format!("a number of at least {limit}"),
        ValidationErrorKind::Maximum { limit } => format!("a number of at most {limit}"),
        ValidationErrorKind::ExclusiveMinimum { limit } => format!("a number greater than {limit}"),
        ValidationErrorKind::ExclusiveMaximum { limit } => format!("a number less than {limit}"),
        ValidationErrorKind::MultipleOf { multiple_of } => format!("a multiple of {multiple_of}"),
        ValidationErrorKind::MinLength { limit } => format!("at least {limit} characters"),
        ValidationErrorKind::MaxLength { limit } => format!("at most {limit} characters"),
        ValidationErrorKind::MinItems { limit } => format!("at least {limit} items"),
        ValidationErrorKind::MaxItems { limit } => format!("at most {limit} items"),
        ValidationErrorKind::MinProperties { limit } => format!("at least {limit} fields"),
        ValidationErrorKind::MaxProperties { limit } => format!("at most {limit} fields"),
        ValidationErrorKind::AdditionalItems { limit } => format!("at most {limit} items"),
        ValidationErrorKind::UniqueItems => "no item twice".to_owned(),
        ValidationErrorKind::Pattern { pattern } => format!("a string that matches {pattern}"),
        ValidationErrorKind::OneOfMultipleValid { context } => {
            format!(
                "exactly one of {} shapes, and fits more than one",
                context.len()
            )
        }
        ValidationErrorKind::FalseSchema => "nothing here".to_owned(),
        _ => return None,
    })
}

/// The validator's own words.
pub(crate) fn fallback(error: &ValidationError<'_>) -> String {
    format!("something else ({})", shorten(&error.to_string()))
}

/// What several arms expect together, where each of them wants a value or a type of the
/// very value that came. "Null" is left out: it is never what was meant.
pub(crate) fn of_simple_arms(context: &[Vec<ValidationError<'static>>]) -> Option<String> {
    let mut words = words_of_arms(context)?;
    if words.len() > 1 {
        words.retain(|word| word != "null");
    }
    Some(one_of(&words))
}

fn words_of_arms(context: &[Vec<ValidationError<'static>>]) -> Option<Vec<String>> {
    let mut words = Vec::new();
    let first = context.iter().flatten().next()?.instance_path();
    for arm in context {
        let [error] = arm.as_slice() else { return None };
        if error.instance_path() != first {
            return None;
        }
        match error.kind() {
            ValidationErrorKind::Type { kind } => words.push(types(kind)),
            ValidationErrorKind::Constant { expected_value } => {
                words.push(expected_value.to_string())
            }
            ValidationErrorKind::Enum { options } => {
                words.extend(options.as_array()?.iter().map(Value::to_string));
            }
            ValidationErrorKind::AnyOf { context }
            | ValidationErrorKind::OneOfNotValid { context } => {
                words.extend(words_of_arms(context)?);
            }
            _ => return None,
        }
    }
    Some(words)
}

fn one_of(words: &[String]) -> String {
    match words {
        [word] => word.clone(),
        words => format!("one of {}", words.join(", ")),
    }
}

fn types(kind: &TypeKind) -> String {
    match kind {
        TypeKind::Single(kind) => type_word(&kind.to_string()).to_owned(),
        TypeKind::Multiple(kinds) => {
            let words: Vec<String> = kinds
                .iter()
                .map(|kind| type_word(&kind.to_string()).to_owned())
                .filter(|word| word != "null")
                .collect();
            words.join(" or ")
        }
    }
}

fn type_word(word: &str) -> &str {
    match word {
        "boolean" => "true or false",
        "integer" => "a whole number",
        "number" => "a number",
        "string" => "a string",
        "array" => "an array",
        "object" => "an object",
        other => other,
    }
}

/// What came, shortened.
pub(crate) fn came(value: &Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Bool(value) => value.to_string(),
        Value::Number(number) => format!("the number {}", shorten(&number.to_string())),
        Value::String(text) => format!("the string {}", quoted(text)),
        Value::Array(items) => format!("an array of {}", items.len()),
        Value::Object(fields) => format!("an object with {} fields", fields.len()),
    }
}

/// A text in quotes, shortened.
fn quoted(text: &str) -> String {
    format!("{:?}", shorten(text))
}

fn shorten(text: &str) -> String {
    match text.char_indices().nth(VALUE_CHARS) {
        Some((end, _)) => format!("{}…", &text[..end]),
        None => text.to_owned(),
    }
}
