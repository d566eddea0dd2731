//! Why a model did not answer, and what can be done about it.

use std::time::Duration;

/// What a server said about trying again.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct RetryAdvice {
    /// Not before this long (`retry-after-ms`, `retry-after`).
    pub after: Option<Duration>,
    /// Whether at all (`x-should-retry`).
    pub should: Option<bool>,
}

/// Why a model did not answer. The text says what happened; [`ModelError::hint`] says what to do.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum ModelError {
    /// The configured address cannot be used.
    #[error("`{url}` is not the address of a model server: {reason}")]
    BadAddress {
        /// The address, without credentials.
        url: String,
        /// What is wrong with it.
        reason: String,
    },
    /// No connection.
    #[error("the model server at {url} cannot be reached: {reason}")]
    Unreachable {
        /// The server.
        url: String,
        /// The system's reason.
        reason: String,
    },
    /// No key, or one that the server refuses.
    #[error("the model server at {url} refuses the key: {message}")]
    Unauthorized {
        /// The server.
        url: String,
        /// Its reason.
        message: String,
    },
    /// The server does not know the model.
    #[error("the model server at {url} has no model `{model}`: {message}")]
    ModelNotFound {
        /// The server.
        url: String,
        /// The model asked for.
        model: String,
        /// The server's reason.
        message: String,
    },
    /// The account cannot pay for the request.
    #[error("the account's quota is used up: {message}")]
    QuotaExhausted {
        /// The server's reason.
        message: String,
    },
    /// Too many requests.
    #[error("the model server limits the rate of requests: {message}")]
    RateLimited {
        /// The server's reason.
        message: String,
        /// What it said about trying again.
        advice: RetryAdvice,
    },
    /// The server has too much to do.
    #[error("the model server is overloaded: {message}")]
    Overloaded {
        /// The server's reason.
        message: String,
        /// What it said about trying again.
        advice: RetryAdvice,
    },
    /// The server failed.
    #[error("the model server failed (status {status}): {message}")]
    Server {
        /// HTTP status; 200 when it failed within a stream.
        status: u16,
        /// The server's reason.
        message: String,
        /// What it said about trying again.
        advice: RetryAdvice,
    },
    /// The server finds the request wrong.
    #[error("the model server refuses the request (status {status}): {message}")]
    BadRequest {
        /// HTTP status.
        status: u16,
        /// The server's reason.
        message: String,
    },
    /// The conversation does not fit the model.
    #[error("the conversation is too long for the model: {message}")]
    ContextExceeded {
        /// The server's reason.
        message: String,
    },
    /// Nothing came for too long.
    #[error("the model server sent nothing for {} s", after.as_secs_f32())]
    Stalled {
        /// How long.
        after: Duration,
    },
    /// The stream ended before the answer did.
    #[error("the connection ended before the answer was complete: {reason}")]
    Dropped {
        /// How it ended.
        reason: String,
    },
    /// The server sent something that its protocol does not allow.
    #[error("the model server's answer cannot be understood: {message}")]
    Protocol {
        /// What, and where.
        message: String,
    },
    /// An attempt failed after something of the answer was shown: it has to be discarded before another one.
    #[error("the answer was interrupted: {cause}")]
    Interrupted {
        /// What interrupted it.
        cause: Box<ModelError>,
    },
    /// The person, or the program, stopped it.
    #[error("the request was cancelled")]
    Cancelled,
}

impl ModelError {
    /// What the person can do next; empty where there is nothing to do.
    #[must_use]
    pub fn hint(&self) -> String {
        match self {
            Self::BadAddress { .. } => {
                "Correct the base URL in the settings, for example http://localhost:11434/v1."
                    .into()
            }
            Self::Unreachable { url, .. } if is_local(url) => format!(
                "Start the local model server, or correct its address ({url}) in the settings. \
                 The offline operator works without any server."
            ),
            Self::Unreachable { .. } => {
                "Check the network connection and the base URL in the settings. \
                 The offline operator works without a network."
                    .into()
            }
            Self::Unauthorized { .. } => {
                "Enter a valid key for this provider in the settings, or set it in the environment."
                    .into()
            }
            Self::ModelNotFound { .. } => {
                "Choose another model in the settings; the list there shows what the server offers."
                    .into()
            }
            Self::QuotaExhausted { .. } => {
                "Check plan and billing of the account at the provider, or choose another provider."
                    .into()
            }
            Self::RateLimited { advice, .. } | Self::Overloaded { advice, .. } => {
                match advice.after {
                    Some(after) => format!("Try again in {} s.", after.as_secs().max(1)),
                    None => "Try again in a little while.".into(),
                }
            }
            Self::Server { .. } => {
                "Try again; if it stays so, see the provider's status page or the server's log."
                    .into()
            }
            Self::BadRequest { .. } => {
                "See the server's reason; model name, base URL and limits are in the settings."
                    .into()
            }
            Self::ContextExceeded { .. } => {
                "Say /compact to go on with a summary, begin a new session, or choose a model with a larger context."
                    .into()
            }
            Self::Stalled { .. } => {
                "Try again. A slow local server can be given more time in the settings.".into()
            }
            Self::Dropped { .. } => "Try again.".into(),
            Self::Protocol { .. } => {
                "Check that the base URL belongs to a server of the chosen provider's protocol."
                    .into()
            }
            Self::Interrupted { cause } => cause.hint(),
            Self::Cancelled => String::new(),
        }
    }

    /// Whether the same request may succeed later.
    #[must_use]
    pub fn retryable(&self) -> bool {
        match self {
            Self::RateLimited { advice, .. } | Self::Overloaded { advice, .. } => {
                advice.should.unwrap_or(true)
            }
            Self::Server { status, advice, .. } => advice
                .should
                .unwrap_or(*status == 200 || *status >= 500 || matches!(status, 408 | 409)),
            Self::Unreachable { .. } | Self::Stalled { .. } | Self::Dropped { .. } => true,
            Self::Interrupted { cause } => cause.retryable(),
            _ => false,
        }
    }

    /// How long the server asked to wait.
    #[must_use]
    pub fn retry_after(&self) -> Option<Duration> {
        match self {
            Self::RateLimited { advice, .. }
            | Self::Overloaded { advice, .. }
            | Self::Server { advice, .. } => advice.after,
            Self::Interrupted { cause } => cause.retry_after(),
            _ => None,
        }
    }
}

/// Whether an address names this machine.
fn is_local(url: &str) -> bool {
    ["//localhost", "//127.", "//[::1]", "//0.0.0.0"]
        .iter()
        .any(|host| url.contains(host))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_can_be_retried() {
        let advice = |should| RetryAdvice {
            after: None,
            should,
        };
        let server = |status, should| ModelError::Server {
            status,
            message: String::new(),
            advice: advice(should),
        };
        assert!(server(500, None).retryable());
        assert!(!server(500, Some(false)).retryable());
        assert!(server(409, Some(true)).retryable());
        assert!(
            !ModelError::ContextExceeded {
                message: String::new()
            }
            .retryable()
        );
        assert!(
            !ModelError::Protocol {
                message: String::new()
            }
            .retryable()
        );
        let stalled = ModelError::Stalled {
            after: Duration::from_secs(1),
        };
        assert!(
            ModelError::Interrupted {
                cause: Box::new(stalled)
            }
            .retryable()
        );
        assert!(!ModelError::Cancelled.retryable());
    }
}
