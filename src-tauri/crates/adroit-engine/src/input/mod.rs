//! From what the model sent to an input that fits the tool's schema, or to words about
//! every place where it does not.

mod bounds;
mod coerce;
mod expectation;
mod problems;
mod schema;

pub(crate) use problems::message;
pub(crate) use schema::InputSchema;
