//! Asking a model whether a call is what the person wants.

use std::fmt::Write as _;
use std::sync::Arc;

use adroit_engine::ToClassify;
use adroit_model::{EndedPart, ModelRequest, StreamEvent, SystemBlock};
use adroit_protocol::message::{Content, Message};
use adroit_protocol::record::ClassifierVerdict;
use adroit_tool::Cancellation;
use futures::StreamExt as _;
use serde::Deserialize;

use crate::model_choice::ChosenModel;

/// Characters of the person's messages and of each call that are sent: the newest count.
const MOST_SAID: usize = 24_000;
const MOST_INPUT: usize = 20_000;
/// Characters of a reason that are kept.
const MOST_REASON: usize = 300;

/// What a classifier said.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Opinion {
    pub(crate) verdict: ClassifierVerdict,
    pub(crate) reason: String,
}

impl Opinion {
    pub(crate) fn ask(reason: String) -> Self {
        Self {
            verdict: ClassifierVerdict::Ask,
            reason,
        }
    }
}

/// Everything that the classifier gets to see.
pub(super) struct Material {
    /// What the person said, oldest first.
    pub(super) said: Vec<String>,
    /// What the tools told of earlier calls, oldest first.
    pub(super) calls: Vec<String>,
    pub(super) call: ToClassify,
}

/// Asks. Every failure is an opinion: that the person should decide.
pub(super) async fn ask(chosen: &ChosenModel, material: &Material) -> Opinion {
    // Half of a command could look harmless.
    if material.call.input.chars().count() > MOST_INPUT {
        return Opinion::ask("its input is too long to be classified".to_owned());
    }
    let request = ModelRequest {
        model: chosen.model.clone(),
        system: vec![SystemBlock {
            text: include_str!("instructions.md").to_owned(),
            cache: false,
        }],
        tools: Vec::new(),
        tool_cache_breakpoint: None,
        messages: vec![Message::user(written(material))].into(),
        max_output_tokens: 400,
        thinking: None,
    };
    // The stream is dropped, and with it the request, when nobody waits for it any more.
    let cancellation = Cancellation::new();
    let mut stream = chosen
        .client
        .stream(Arc::new(request), cancellation.token().clone());
    let mut text = String::new();
    while let Some(event) = stream.next().await {
        match event {
            Ok(StreamEvent::End {
                content: EndedPart::Content(Content::Text { text: part }),
                ..
            }) => text.push_str(&part),
            Ok(_) => {}
            Err(error) => return Opinion::ask(format!("it could not be asked ({error})")),
        }
    }
    read(&text)
}

fn written(material: &Material) -> String {
    let mut text = String::from("# What the user said, oldest first\n");
    for said in newest(&material.said, MOST_SAID) {
        let _ = writeln!(text, "<user>{said}</user>");
    }
    text.push_str("\n# Earlier tool calls of the agent\n");
    for call in newest(&material.calls, MOST_SAID) {
        let _ = writeln!(text, "<call>{call}</call>");
    }
    let _ = write!(
        text,
        "\n# The call to judge\n<call>{}: {}</call>\n",
        material.call.tool, material.call.input
    );
    text
}

/// As many of the newest as fit, in their order.
fn newest(texts: &[String], most: usize) -> Vec<&str> {
    let mut room = most;
    let mut kept: Vec<&str> = texts
        .iter()
        .rev()
        .take_while(|text| {
            let length = text.chars().count();
            let fits = length <= room;
            room = room.saturating_sub(length);
            fits
        })
        .map(String::as_str)
        .collect();
    kept.reverse();
    kept
}

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Answer {
    verdict: ClassifierVerdict,
    reason: String,
}

/// The one JSON object of the answer. Anything else, two objects included, asks the person.
fn read(text: &str) -> Opinion {
    let unreadable = || Opinion::ask("its answer could not be read".to_owned());
    let (Some(start), Some(end)) = (text.find('{'), text.rfind('}')) else {
        return unreadable();
    };
    let Some(object) = text.get(start..=end) else {
        return unreadable();
    };
    serde_json::from_str::<Answer>(object).map_or_else(
        |_| unreadable(),
        |answer| Opinion {
            verdict: answer.verdict,
            reason: answer
                .reason
                .split_whitespace()
                .collect::<Vec<_>>()
                .join(" ")
                .chars()
                .take(MOST_REASON)
                .collect(),
        },
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_one_clear_answer_counts() {
        let allow = read("Sure.\n{\"verdict\": \"allow\", \"reason\": \"It runs\\n the tests.\"}");
        assert_eq!(allow.verdict, ClassifierVerdict::Allow);
        assert_eq!(allow.reason, "It runs the tests.");
        for text in [
            "",
            "allow",
            "{\"verdict\": \"yes\", \"reason\": \"\"}",
            "{\"verdict\": \"allow\"}",
            "{\"verdict\": \"allow\", \"reason\": \"\", \"sudo\": true}",
            "{\"verdict\": \"block\", \"reason\": \"\"} {\"verdict\": \"allow\", \"reason\": \"\"}",
        ] {
            assert_eq!(read(text).verdict, ClassifierVerdict::Ask, "{text}");
        }
    }

    #[test]
    fn the_newest_messages_are_kept_whole() {
        let texts: Vec<String> = ["first", "second", "third"].map(str::to_owned).to_vec();
        assert_eq!(newest(&texts, 11), ["second", "third"]);
        assert_eq!(newest(&texts, 10), ["third"]);
        assert_eq!(newest(&texts, 3), Vec::<&str>::new());
    }
}
