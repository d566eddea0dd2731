//! Looks for a text in a conversation: in what was said, and in what calls gave.

use std::borrow::Cow;
use std::sync::PoisonError;

use adroit_protocol::command::{FoundEntry, FoundText};
use adroit_protocol::event::{CallItem, Item, ItemBody};
use regex::{Regex, RegexBuilder};
use serde_json::Value;

use crate::Session;
use crate::transcript::KnownCall;

/// Characters of a text that is looked for: a whole file pasted by mistake is cut.
const LONGEST: usize = 1_000;
/// Characters of an excerpt on each side of the place.
const AROUND: usize = 60;

impl Session {
    /// The entries that have a text, whatever its case. Goes through every result: not for a
    /// thread that others wait for.
    #[must_use]
    pub fn find(&self, text: &str) -> FoundText {
        let Some(wanted) = pattern(text) else {
            return FoundText {
                entries: Vec::new(),
            };
        };
        let items = self.snapshot().items;
        let entries = items
            .into_iter()
            .filter_map(|item| self.found_in(item, &wanted))
            .collect();
        FoundText { entries }
    }

    fn found_in(&self, item: Item, wanted: &Regex) -> Option<FoundEntry> {
        let excerpt = match &item.body {
            ItemBody::User { text, .. }
            | ItemBody::Assistant { text, .. }
            | ItemBody::Thinking { text, .. } => excerpt(text, wanted),
            ItemBody::Compacted { compaction } => {
                excerpt(&compaction.why, wanted).or_else(|| excerpt(&compaction.summary, wanted))
            }
            ItemBody::Notice { text, hint, .. } => {
                excerpt(text, wanted).or_else(|| excerpt(hint.as_deref()?, wanted))
            }
            ItemBody::Call { call } => {
                // Locked for one entry at a time: calls that run must not wait for a long search.
                let calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
                in_call(call, calls.get(&call.call), wanted)
            }
        }?;
        Some(FoundEntry {
            item: item.id,
            excerpt,
        })
    }
}

/// What the person sees of the call first, then what it was given, then what came of it.
fn in_call(call: &CallItem, known: Option<&KnownCall>, wanted: &Regex) -> Option<String> {
    let view = &call.view;
    let seen = [Some(&view.title), view.summary.as_ref(), view.tag.as_ref()];
    let result = || {
        let known = known?;
        let text = known.search_text.as_deref().or(known.result.as_deref())?;
        excerpt(text, wanted)
    };
    seen.into_iter()
        .flatten()
        .find_map(|text| excerpt(text, wanted))
        .or_else(|| in_value(&known?.input, wanted))
        .or_else(result)
}

fn in_value(value: &Value, wanted: &Regex) -> Option<String> {
    match value {
        Value::String(text) => excerpt(text, wanted),
        Value::Array(items) => items.iter().find_map(|item| in_value(item, wanted)),
        Value::Object(fields) => fields.values().find_map(|field| in_value(field, wanted)),
        _ => None,
    }
}

/// The text as it is, in any case; none where there is nothing to look for.
fn pattern(text: &str) -> Option<Regex> {
    let cut: Cow<'_, str> = match text.char_indices().nth(LONGEST) {
        Some((end, _)) => text[..end].into(),
        None => text.into(),
    };
    if cut.is_empty() {
        return None;
    }
    RegexBuilder::new(&regex::escape(&cut))
        .case_insensitive(true)
        .build()
        .ok()
}

/// The line around the first place.
fn excerpt(text: &str, wanted: &Regex) -> Option<String> {
    let place = wanted.find(text)?;
    let begin = text[..place.start()].rfind('\n').map_or(0, |at| at + 1);
    let end = text[place.end()..]
        .find('\n')
        .map_or(text.len(), |at| place.end() + at);
    let before = &text[begin..place.start()];
    let after = &text[place.end()..end];
    let kept_before = before
        .char_indices()
        .rev()
        .nth(AROUND - 1)
        .map_or(0, |(at, _)| at);
    let kept_after = after
        .char_indices()
        .nth(AROUND)
        .map_or(after.len(), |(at, _)| at);
    let mut line = String::new();
    if kept_before > 0 {
        line.push('…');
    }
    line.push_str(before[kept_before..].trim_start());
    line.push_str(place.as_str());
    line.push_str(after[..kept_after].trim_end());
    if kept_after < after.len() {
        line.push('…');
    }
    Some(line)
}

#[cfg(test)]
mod tests {
    use adroit_protocol::CallId;
    use adroit_protocol::event::CallStatus;
    use adroit_protocol::view::View;
    use serde_json::json;

    use super::*;

    fn found(text: &str, wanted: &str) -> Option<String> {
        excerpt(text, &pattern(wanted).unwrap())
    }

    #[test]
    fn the_line_around_the_first_place_is_shown() {
        assert_eq!(
            found("one\n  two Three\nfour", "three").as_deref(),
            Some("two Three")
        );
        assert_eq!(found("abc", "a.c"), None, "a text is no pattern");
        let long = format!("{}x{}", "ä".repeat(200), "ö".repeat(200));
        let shown = found(&long, "X").unwrap();
        assert!(shown.starts_with('…') && shown.ends_with('…'), "{shown}");
        assert_eq!(shown.chars().count(), 2 * AROUND + 3);
        assert_eq!(pattern("").map(|pattern| pattern.to_string()), None);
        assert!(pattern(&"ß".repeat(5_000)).is_some());
    }

    #[test]
    fn a_call_is_found_by_what_it_shows_was_given_and_gave() {
        let call = CallItem {
            call: CallId::from("a"),
            tool: "Edit".to_owned(),
            status: CallStatus::Succeeded,
            view: View {
                summary: Some("+1 −1".to_owned()),
                ..View::titled("Edit src/main.rs")
            },
            mutating: true,
            started_at: None,
            elapsed_ms: None,
            terminal: None,
            changes: None,
        };
        let mut known = KnownCall::begun(json!({"edits": [{"new_string": "given"}]}));
        known.result = Some("The file was edited.".to_owned());
        known.search_text = Some("src/main.rs\nbrought".to_owned());
        let is_found =
            |wanted: &str| in_call(&call, Some(&known), &pattern(wanted).unwrap()).is_some();
        assert!(is_found("SRC/main") && is_found("+1") && is_found("given"));
        assert!(is_found("brought"), "by what the tool says of its result");
        assert!(!is_found("was edited"), "and by nothing else of it");
        known.search_text = None;
        let wanted = pattern("was edited").unwrap();
        assert!(in_call(&call, Some(&known), &wanted).is_some());
        assert_eq!(in_call(&call, None, &wanted), None);
    }
}
