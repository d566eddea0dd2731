//! A part of a conversation as text, for whoever summarises it.
//!
//! As text and not as messages: tools are not offered for a summary, and servers refuse calls in
//! a conversation without tools.

use std::fmt::Write as _;

use adroit_protocol::message::{Content, Message, ResultContent, Role};

use crate::context::estimate;

/// Characters of one result, input or text that are shown, from generous to sparse.
const LENGTHS: [usize; 4] = [6_000, 1_500, 400, 100];

/// The text, at most about so many tokens: the longest pieces are shortened first, and where that
/// is not enough the oldest ones go.
pub(super) fn render(earlier: Option<&str>, messages: &[Message], most: u64) -> String {
    let mut pieces = Vec::new();
    for length in LENGTHS {
        pieces = all(messages, length);
        let tokens: u64 = pieces.iter().map(|piece| estimate::text(piece)).sum();
        if tokens <= most {
            break;
        }
    }
    let mut room = most;
    let kept = pieces
        .iter()
        .rev()
        .take_while(|piece| {
            let tokens = estimate::text(piece);
            let fits = tokens <= room;
            room = room.saturating_sub(tokens);
            fits
        })
        .count();
    let left_out = pieces.len() - kept;
    let mut text = String::from("<conversation>\n");
    if let Some(earlier) = earlier {
        let _ = writeln!(
            text,
            "<summary of=\"what came before\">\n{earlier}\n</summary>"
        );
    }
    if left_out > 0 {
        let _ = writeln!(text, "({left_out} older pieces are left out here.)");
    }
    for piece in pieces.iter().skip(left_out) {
        text.push_str(piece);
    }
    text.push_str("</conversation>");
    text
}

fn all(messages: &[Message], length: usize) -> Vec<String> {
    messages
        .iter()
        .flat_map(|message| {
            message
                .content
                .iter()
                .filter_map(|block| piece(message.role, block, length))
        })
        .collect()
}

fn piece(role: Role, block: &Content, length: usize) -> Option<String> {
    let speaker = match role {
        Role::User => "user",
        Role::Assistant => "assistant",
    };
    Some(match block {
        Content::Text { text } if !text.trim().is_empty() => {
            format!(
                "<{speaker}>\n{}\n</{speaker}>\n",
                shortened(text.trim(), length)
            )
        }
        Content::Image { .. } => format!("<{speaker}>(an image)</{speaker}>\n"),
        Content::ToolUse { name, input, .. } => format!(
            "<call tool=\"{name}\">{}</call>\n",
            shortened(&input.to_string(), length)
        ),
        Content::ToolResult {
            content, is_error, ..
        } => {
            let failed = if *is_error { " failed=\"true\"" } else { "" };
            let parts: Vec<&str> = content
                .iter()
                .map(|part| match part {
                    ResultContent::Text { text } => text.as_str(),
                    ResultContent::Image { .. } => "(an image)",
                })
                .collect();
            let text = parts.join("\n");
            format!(
                "<result{failed}>\n{}\n</result>\n",
                shortened(text.trim_end(), length)
            )
        }
        // Reasoning is not part of what was said, and what only its server reads is no text.
        _ => return None,
    })
}

/// The beginning and the end of a text, with what is missing between them.
pub(super) fn shortened(text: &str, most: usize) -> String {
    let count = text.chars().count();
    if count <= most {
        return text.to_owned();
    }
    let half = most / 2;
    let head: String = text.chars().take(half).collect();
    let tail: String = text.chars().skip(count - half).collect();
    format!(
        "{head}\n(… {} characters left out …)\n{tail}",
        count - 2 * half
    )
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn conversation() -> Vec<Message> {
        vec![
            Message::user("fix the build"),
            Message {
                role: Role::Assistant,
                content: vec![
                    Content::Text {
                        text: "I look.".into(),
                    },
                    Content::ToolUse {
                        id: "a".into(),
                        name: "Read".into(),
                        input: json!({"file_path": "a.rs"}),
                    },
                ],
            },
            Message {
                role: Role::User,
                content: vec![Content::ToolResult {
                    tool_use_id: "a".into(),
                    content: vec![ResultContent::text("long ".repeat(4_000))],
                    is_error: true,
                }],
            },
        ]
    }

    #[test]
    fn what_is_long_is_shortened_and_the_oldest_goes_last_of_all() {
        let whole = render(None, &conversation(), 5_000);
        assert!(whole.contains("<user>\nfix the build\n</user>"), "{whole}");
        assert!(whole.contains("characters left out"), "{whole}");
        insta::assert_snapshot!(render(Some("earlier"), &conversation(), 100));
        let little = render(None, &conversation(), 50);
        assert!(little.contains("older pieces are left out"), "{little}");
        assert!(
            little.contains("<result failed"),
            "the newest stays: {little}"
        );
    }

    #[test]
    fn letters_are_never_cut() {
        assert_eq!(shortened("ääää", 4), "ääää");
        assert_eq!(
            shortened("äöüß你", 4),
            "äö\n(… 1 characters left out …)\nß你"
        );
    }
}
