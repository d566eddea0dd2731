//! How a command of this crate ends.

use std::fmt;

/// Done, or a message for the person at the terminal.
pub(crate) type Outcome<T = ()> = Result<T, Problem>;

/// What went wrong and what to do, in words: nothing here is handled by code.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Problem(String);

impl fmt::Display for Problem {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str(&self.0)
    }
}

impl From<String> for Problem {
    fn from(text: String) -> Self {
        Self(text)
    }
}

impl From<&str> for Problem {
    fn from(text: &str) -> Self {
        Self(text.to_owned())
    }
}
