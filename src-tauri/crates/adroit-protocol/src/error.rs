//! The one error shape on the wire.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

/// What kind of failure it is. A code exists only where the UI acts on it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize, TS)]
#[serde(rename_all = "snake_case")]
pub enum ErrorCode {
    /// The command's input is not of its form.
    InvalidInput,
    /// The thing that was named does not exist (any more).
    NotFound,
    /// The folder is not trusted, so this is not done in it.
    Untrusted,
    /// The person must confirm it first.
    Unconfirmed,
    /// The request was answered already, or its nonce is not the right one.
    Stale,
    /// The host cannot do this (a folder picker in a plain browser).
    Unsupported,
    /// The operation was tried and failed.
    Failed,
}

/// A failure as the UI shows it: what happened, to which thing, and what to do next.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize, TS, thiserror::Error)]
#[error("{message}")]
pub struct WireError {
    /// What the UI may act on.
    pub code: ErrorCode,
    /// One sentence: what happened, to which thing.
    pub message: String,
    /// One sentence: what the person can do next.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    #[ts(optional)]
    pub hint: Option<String>,
}

impl WireError {
    /// An error without a hint. The message becomes a sentence: errors of the backend are
    /// worded to stand in the middle of one, and a person reads this.
    pub fn new(code: ErrorCode, message: impl AsRef<str>) -> Self {
        Self {
            code,
            message: sentence(message.as_ref()),
            hint: None,
        }
    }

    /// The same error with what the person can do next.
    #[must_use]
    pub fn with_hint(mut self, hint: impl Into<String>) -> Self {
        self.hint = Some(hint.into());
        self
    }
}

/// The text with a capital at its beginning and a full stop at its end.
#[must_use]
pub fn sentence(text: &str) -> String {
    let mut characters = text.chars();
    let Some(first) = characters.next() else {
        return String::new();
    };
    let word = text.split_whitespace().next().unwrap_or_default();
    // A file, an option or an identifier at the beginning is spelled as it is.
    let is_name = word
        .trim_end_matches([',', '.', ':'])
        .contains(['.', '/', '_', ':', '-']);
    let mut sentence: String = if is_name {
        text.to_owned()
    } else {
        first.to_uppercase().chain(characters).collect()
    };
    if !sentence.ends_with(['.', '!', '?']) {
        sentence.push('.');
    }
    sentence
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_message_is_a_sentence() {
        assert_eq!(sentence("there is no folder /x"), "There is no folder /x.");
        assert_eq!(sentence("Done."), "Done.");
        assert_eq!(sentence(""), "");
        assert_eq!(sentence("gone.rs: no such file"), "gone.rs: no such file.");
        assert_eq!(sentence("src/a is a folder"), "src/a is a folder.");
        assert_eq!(sentence("nothing: all is kept"), "Nothing: all is kept.");
    }
}
