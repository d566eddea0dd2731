//! How many tokens something has, where no server has counted them.
//!
//! The rule: four characters of ASCII are a token, every other character is one by itself, a
//! message has four more, and an image has 1,600 (what Anthropic's documentation names for one of
//! the largest size). It is meant to be rather too much than too little for text and code.

use adroit_model::SystemBlock;
use adroit_protocol::message::{Content, Message, ResultContent, ToolDefinition};

const CHARACTERS_PER_TOKEN: u64 = 4;
const TOKENS_PER_MESSAGE: u64 = 4;
const TOKENS_PER_IMAGE: u64 = 1_600;

/// Tokens of a text.
pub(crate) fn text(text: &str) -> u64 {
    let others = text
        .chars()
        .filter(|character| !character.is_ascii())
        .count() as u64;
    let bytes_of_others: usize = text
        .chars()
        .filter(|character| !character.is_ascii())
        .map(char::len_utf8)
        .sum();
    let ascii = (text.len() - bytes_of_others) as u64;
    others + ascii.div_ceil(CHARACTERS_PER_TOKEN)
}

/// Tokens of messages.
pub(crate) fn messages(messages: &[Message]) -> u64 {
    messages
        .iter()
        .map(|message| TOKENS_PER_MESSAGE + message.content.iter().map(block).sum::<u64>())
        .sum()
}

/// Tokens of what stands around a conversation.
pub(crate) fn surroundings(system: &[SystemBlock], tools: &[ToolDefinition]) -> u64 {
    let system: u64 = system.iter().map(|block| text(&block.text)).sum();
    let tools: u64 = tools
        .iter()
        .map(|tool| {
            text(&tool.name) + text(&tool.description) + text(&tool.input_schema.to_string())
        })
        .sum();
    system + tools
}

fn block(block: &Content) -> u64 {
    match block {
        Content::Text { text: words } | Content::Thinking { text: words, .. } => text(words),
        Content::RedactedThinking { data, .. } => text(data),
        Content::Image { .. } => TOKENS_PER_IMAGE,
        Content::ToolUse { name, input, .. } => text(name) + text(&input.to_string()),
        Content::ToolResult { content, .. } => content.iter().map(result).sum(),
        Content::Opaque { value, .. } => text(&value.to_string()),
    }
}

fn result(part: &ResultContent) -> u64 {
    match part {
        ResultContent::Text { text: words } => text(words),
        ResultContent::Image { .. } => TOKENS_PER_IMAGE,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn letters_of_any_script_count() {
        assert_eq!(text(""), 0);
        assert_eq!(text("abcde"), 2);
        assert_eq!(text("你好 ab"), 2 + 1);
    }
}
