//! Identifiers, one type each, so that a call's id is never passed for a session's.

use serde::{Deserialize, Serialize};
use ts_rs::TS;

macro_rules! id {
    ($(#[$doc:meta])* $name:ident, $prefix:literal) => {
        $(#[$doc])*
        #[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord, Serialize, Deserialize, TS)]
        #[serde(transparent)]
        pub struct $name(String);

        impl $name {
            /// A new identifier; version 7, so that later ones sort after earlier ones.
            #[must_use]
            pub fn generate() -> Self {
                Self(format!(concat!($prefix, "{}"), uuid::Uuid::now_v7().simple()))
            }

            /// The identifier as text.
            #[must_use]
            pub fn as_str(&self) -> &str {
                &self.0
            }
        }

        impl From<String> for $name {
            fn from(text: String) -> Self {
                Self(text)
            }
        }

        impl From<&str> for $name {
            fn from(text: &str) -> Self {
                Self(text.to_owned())
            }
        }

        impl std::fmt::Display for $name {
            fn fmt(&self, formatter: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
                formatter.write_str(&self.0)
            }
        }
    };
}

id!(
    /// One conversation on one project folder.
    SessionId,
    "ses_"
);
id!(
    /// One `tool_use` block. Given by the model's server where it gives one.
    CallId,
    "call_"
);
id!(
    /// One question to the person about one call.
    RequestId,
    "req_"
);
id!(
    /// One entry of the transcript as the UI shows it.
    ItemId,
    "item_"
);
id!(
    /// One pseudo terminal, of a Bash call or of the person's own.
    TerminalId,
    "term_"
);
