//! Which server answers, and the key for it.

use std::fmt;
use std::sync::Arc;
use std::time::Duration;

pub use adroit_protocol::settings::Provider as ProviderKind;

use crate::{Anthropic, ModelClient, ModelError, OpenAiChat, Operator};

/// A key. It has no `Serialize` and no `Display`, and `Debug` does not show it.
#[derive(Clone, PartialEq, Eq)]
pub struct Secret(String);

impl Secret {
    /// Takes a key; spaces and line ends around it (from pasting) are dropped.
    #[must_use]
    pub fn new(text: impl AsRef<str>) -> Self {
        Self(text.as_ref().trim().to_owned())
    }

    /// The key itself, for the request header.
    pub(crate) fn expose(&self) -> &str {
        &self.0
    }

    /// `text` without the key: servers like to quote a refused key in their message.
    pub(crate) fn scrub(&self, text: &str) -> String {
        if self.0.len() < 4 {
            text.to_owned()
        } else {
            text.replace(&self.0, "[key]")
        }
    }
}

impl From<String> for Secret {
    fn from(text: String) -> Self {
        Self::new(text)
    }
}

impl fmt::Debug for Secret {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        formatter.write_str("Secret([key])")
    }
}

/// What is needed to reach a model.
#[derive(Clone, Debug)]
pub struct ProviderConfig {
    /// The wire protocol.
    pub kind: ProviderKind,
    /// The server; none: the provider's own.
    pub base_url: Option<String>,
    /// The key; local servers need none.
    pub key: Option<Secret>,
    /// How long a stream may be silent before it counts as stalled. Pings are not silence.
    pub idle_timeout: Duration,
    /// How long the server may take to begin its answer. Local servers load a model and
    /// read the whole prompt first, so this is longer.
    pub response_timeout: Duration,
    /// Whether the model takes images; otherwise a note stands in their place.
    pub images: bool,
    /// Pause of the offline operator between two pieces; zero in tests.
    pub operator_delay: Duration,
}

impl ProviderConfig {
    /// The usual configuration of a provider: its own server, no key.
    #[must_use]
    pub fn new(kind: ProviderKind) -> Self {
        Self {
            kind,
            base_url: None,
            key: None,
            idle_timeout: Duration::from_secs(90),
            response_timeout: Duration::from_secs(300),
            images: true,
            operator_delay: Duration::from_millis(8),
        }
    }

    /// The same with another server.
    #[must_use]
    pub fn with_base_url(mut self, url: impl Into<String>) -> Self {
        self.base_url = Some(url.into());
        self
    }

    /// The same with a key.
    #[must_use]
    pub fn with_key(mut self, key: impl Into<Secret>) -> Self {
        self.key = Some(key.into());
        self
    }
}

/// The client for a configuration. Opens no connection and reads no file.
///
/// # Errors
/// [`ModelError::BadAddress`] when the base URL is not an `http` or `https` address.
pub fn client(config: &ProviderConfig) -> Result<Arc<dyn ModelClient>, ModelError> {
    Ok(match config.kind {
        ProviderKind::Offline => Arc::new(Operator::new(config.operator_delay)),
        ProviderKind::Anthropic => Arc::new(Anthropic::new(config)?),
        ProviderKind::OpenaiChat => Arc::new(OpenAiChat::new(config)?),
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_key_is_not_shown() {
        let config =
            ProviderConfig::new(ProviderKind::Anthropic).with_key(" sk-very-secret\n".to_owned());
        let shown = format!("{config:?} {config:#?}");
        assert!(!shown.contains("very-secret"), "{shown}");
        let key = config.key.unwrap();
        assert_eq!(key.expose(), "sk-very-secret");
        assert_eq!(key.scrub("bad key sk-very-secret!"), "bad key [key]!");
    }
}
