//! How much of a conversation a model can take.

use crate::ProviderKind;

/// Sizes by how a model's name begins, the longest first where one begins another. Sources: the
/// providers' own model pages. A name behind a router (`openai/gpt-4.1`) counts by its last part.
const SIZES: &[(&str, u64)] = &[
    ("claude", 200_000),
    ("gpt-5", 400_000),
    ("gpt-4.1", 1_047_576),
    ("gpt-4o", 128_000),
    ("gpt-4-turbo", 128_000),
    ("o4-mini", 200_000),
    ("o3", 200_000),
    ("o1", 200_000),
];

/// The context size of a model in tokens, where it is known: what is asked and what is answered
/// share it. Unknown for local servers, whose size is chosen when they are started, and for the
/// offline operator, which has none.
#[must_use]
pub fn context_tokens(provider: ProviderKind, model: &str) -> Option<u64> {
    if provider == ProviderKind::Offline {
        return None;
    }
    let name = model.rsplit('/').next().unwrap_or(model).to_lowercase();
    SIZES
        .iter()
        .find(|(begin, _)| name.starts_with(begin))
        .map(|(_, tokens)| *tokens)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn sizes_are_known_by_the_beginning_of_a_name_and_never_guessed() {
        let of = |name| context_tokens(ProviderKind::OpenaiChat, name);
        assert_eq!(of("claude-sonnet-4-5"), Some(200_000));
        assert_eq!(of("anthropic/Claude-Opus-4"), Some(200_000));
        assert_eq!(of("gpt-4.1-mini"), Some(1_047_576));
        assert_eq!(of("gpt-4"), None);
        assert_eq!(of("qwen3-coder:30b"), None);
        assert_eq!(context_tokens(ProviderKind::Offline, "claude"), None);
    }
}
