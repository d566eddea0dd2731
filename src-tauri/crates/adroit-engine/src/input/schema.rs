//! A tool's schema, compiled once, when its first input comes.

use std::sync::{Arc, OnceLock};

use jsonschema::{PatternOptions, Validator};
use serde_json::Value;

use super::bounds::{self, Excess, MAX_DEPTH, MAX_VALUES};
use super::coerce::{self, coerce};
use super::problems::{self, Problem};

/// How often a pattern may step back before the check of it is given up: a server's
/// pattern must not hold a call up.
const BACKTRACKS: usize = 50_000;

/// A schema and, once it was needed, its validator.
pub(crate) struct InputSchema {
    schema: Arc<Value>,
    compiled: OnceLock<Compiled>,
}

enum Compiled {
    /// It checks everything.
    Whole(Box<Validator>),
    /// It checks everything but patterns, of which one is not understood.
    WithoutPatterns(Box<Validator>),
    /// It cannot be used; the tool's own parser and its server are what is left.
    Unusable(String),
}

/// An input that fits.
#[derive(Debug)]
pub(crate) struct Checked {
    /// It, after coercions.
    pub(crate) value: Arc<Value>,
    /// The coercions, and what could not be checked.
    pub(crate) notes: Vec<String>,
}

impl InputSchema {
    pub(crate) fn new(schema: Arc<Value>) -> Self {
        Self {
            schema,
            compiled: OnceLock::new(),
        }
    }

    /// Compiles the schema, where that was not done yet: for somebody who has time for it.
    pub(crate) fn prepare(&self) {
        self.compiled.get_or_init(|| compile(&self.schema));
    }

    /// Checks an input, after the documented coercions.
    pub(crate) fn check(&self, input: Arc<Value>) -> Result<Checked, Vec<Problem>> {
        bounds::check(&input).map_err(|excess| vec![problem_of_excess(excess)])?;
        let mut notes = Vec::new();
        let mut value = input;
        if coerce::may_apply(&value, &self.schema)
            && let Some((coerced, taken)) = coerce(&value, &self.schema)
        {
            value = Arc::new(coerced);
            notes = taken;
        }
        let validator = match self.compiled.get_or_init(|| compile(&self.schema)) {
            Compiled::Whole(validator) => validator,
            Compiled::WithoutPatterns(validator) => {
                notes.push(
                    "a pattern of the schema is not understood: patterns were not checked"
                        .to_owned(),
                );
                validator
            }
            Compiled::Unusable(reason) => {
                notes.push(format!(
                    "the schema cannot be used, so the input was not checked against it: {reason}"
                ));
                return Ok(Checked { value, notes });
            }
        };
        if !validator.is_valid(&value) {
            let found = problems::collect(validator, &value, &self.schema);
            if !found.is_empty() {
                return Err(found);
            }
        }
        Ok(Checked { value, notes })
    }
}

fn problem_of_excess(excess: Excess) -> Problem {
    let (expected, came) = match excess {
        Excess::Depth => (format!("at most {MAX_DEPTH} levels of nesting"), "more"),
        Excess::Values => (format!("at most {MAX_VALUES} values in all"), "more"),
    };
    Problem {
        path: String::new(),
        expected,
        came: Some(came.to_owned()),
        missing: false,
    }
}

fn compile(schema: &Value) -> Compiled {
    match build(schema) {
        Ok(validator) => Compiled::Whole(Box::new(validator)),
        Err(first) => {
            let mut plain = schema.clone();
            remove_patterns(&mut plain);
            match build(&plain) {
                Ok(validator) => Compiled::WithoutPatterns(Box::new(validator)),
                Err(_) => Compiled::Unusable(first),
            }
        }
    }
}

fn build(schema: &Value) -> Result<Validator, String> {
    if bounds::check(schema).is_err() {
        return Err("it is too large".to_owned());
    }
    jsonschema::options()
        // Dialects disagree on whether `format` binds; a good input is never refused for it.
        .should_validate_formats(false)
        .with_pattern_options(
            PatternOptions::fancy_regex()
                .backtrack_limit(BACKTRACKS)
                .size_limit(1 << 20),
        )
        .build(schema)
        .map_err(|error| error.to_string())
}

fn remove_patterns(schema: &mut Value) {
    match schema {
        Value::Object(fields) => {
            if fields.get("pattern").is_some_and(Value::is_string) {
                fields.shift_remove("pattern");
            }
            for field in fields.values_mut() {
                remove_patterns(field);
            }
        }
        Value::Array(items) => {
            for item in items {
                remove_patterns(item);
            }
        }
        _ => {}
    }
}
