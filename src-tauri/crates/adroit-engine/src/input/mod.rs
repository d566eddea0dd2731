//! From what the model sent to an input that fits the tool's schema, or to words about
//! every place where it does not.

mod bounds;
mod coerce;
mod expectation;
mod problems;
mod schema;

pub(crate) use problems::message;
pub(crate) use schema::InputSchema;

use std::sync::Arc;

use serde_json::Value;

/// An input as stage 3 makes it of what a model sent, by the schema alone: coerced where that is
/// documented, and checked. For checks of the parser that have no call.
///
/// # Errors
/// What the model would be told.
pub fn fitted_input(schema: &Arc<Value>, sent: Arc<Value>) -> Result<Arc<Value>, String> {
    InputSchema::new(Arc::clone(schema))
        .check(sent)
        .map(|checked| checked.value)
        .map_err(|problems| message("the tool", &problems))
}
