//! From the command table to a trait with one method a command, and the way in by name.

use std::future::Future;

#[allow(clippy::wildcard_imports)] // The table names every type of that module.
use adroit_protocol::command::*;
use adroit_protocol::{ErrorCode, WireError};
use serde_json::Value;

macro_rules! bodies {
    ($($(#[$doc:meta])* $wire:literal $method:ident($input:ident) -> $output:ident;)*) => {
        /// One method a command. A command without a body does not compile.
        pub(crate) trait CommandBodies: Sync {
            $($(#[$doc])* fn $method(&self, input: $input) -> impl Future<Output = Result<$output, WireError>> + Send;)*
        }

        /// Runs the command of that name.
        pub(crate) async fn dispatch<B: CommandBodies>(bodies: &B, name: &str, input: Value) -> Result<Value, WireError> {
            match name {
                $($wire => {
                    let input = parse::<$input>($wire, input)?;
                    to_value(bodies.$method(input).await?)
                })*
                _ => Err(WireError::new(ErrorCode::NotFound, format!("there is no command `{name}`"))),
            }
        }
    };
}

adroit_protocol::command_table!(bodies);

fn parse<T: serde::de::DeserializeOwned>(name: &str, input: Value) -> Result<T, WireError> {
    serde_json::from_value(input).map_err(|error| {
        WireError::new(
            ErrorCode::InvalidInput,
            format!("the input of `{name}` is not of its form: {error}"),
        )
    })
}

fn to_value<T: serde::Serialize>(output: T) -> Result<Value, WireError> {
    serde_json::to_value(output).map_err(|error| {
        WireError::new(
            ErrorCode::Failed,
            format!("the answer could not be written: {error}"),
        )
    })
}
