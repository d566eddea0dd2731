//! The arguments of a complete call: a JSON object, or a fault with its position.

use adroit_protocol::message::CallInput;
use adroit_protocol::strict_json;
use serde_json::{Map, Value};

/// How often a string may hold JSON again. Some servers encode the arguments twice.
const MAX_ENCODINGS: usize = 3;

/// Reads the arguments of a call that is complete.
///
/// Nothing is repaired: a repaired command is not the command that the model wrote. The
/// exceptions lose nothing: no arguments (`""`, `null`) are an empty object, an object
/// that was encoded as a string is that object, and half of a surrogate pair, which no
/// UTF-8 text can hold, becomes U+FFFD.
pub(crate) fn parse(raw: &str) -> CallInput {
    let mut text = raw.to_owned();
    for _ in 0..MAX_ENCODINGS {
        if text.trim().is_empty() {
            return CallInput::Object(Value::Object(Map::new()));
        }
        match parse_json(&text) {
            Ok(Value::String(inner)) => text = inner,
            Ok(Value::Null) => return CallInput::Object(Value::Object(Map::new())),
            Ok(value @ Value::Object(_)) => return CallInput::Object(value),
            Ok(other) => {
                return invalid(raw, format!("it is {}, not an object", kind(&other)));
            }
            Err(error) => return invalid(raw, error.to_string()),
        }
    }
    invalid(raw, "it is a string, not an object".into())
}

/// The message is the bare problem; whoever answers the call says what to do about it.
fn invalid(raw: &str, problem: String) -> CallInput {
    CallInput::Invalid {
        raw: raw.to_owned(),
        message: problem,
    }
}

fn kind(value: &Value) -> &'static str {
    match value {
        Value::Null => "null",
        Value::Bool(_) => "a boolean",
        Value::Number(_) => "a number",
        Value::String(_) => "a string",
        Value::Array(_) => "an array",
        Value::Object(_) => "an object",
    }
}

/// Whether the text is already a whole JSON object.
pub(crate) fn is_complete(raw: &str) -> bool {
    raw.trim_start().starts_with('{')
        && (serde_json::from_str::<serde::de::IgnoredAny>(raw).is_ok() || parse_json(raw).is_ok())
}

/// Strict JSON, except that half of a surrogate pair becomes U+FFFD instead of an error.
pub(crate) fn parse_json(text: &str) -> Result<Value, serde_json::Error> {
    strict_json(text).or_else(|error| match without_lone_surrogates(text) {
        Some(mended) => strict_json(&mended),
        None => Err(error),
    })
}

/// The JSON text with each escape of half a surrogate pair replaced; none when there is none.
fn without_lone_surrogates(text: &str) -> Option<String> {
    let mut mended = String::new();
    let (mut copied, mut at) = (0, 0);
    while let Some(found) = text[at..].find('\\') {
        let escape = at + found;
        let Some(unit) = unit_at(text, escape) else {
            // Another escape, or a malformed one: pass over the backslash and what it escapes.
            at = escape + 1 + text[escape + 1..].chars().next().map_or(0, char::len_utf8);
            continue;
        };
        at = escape + 6;
        let paired = (0xD800..0xDC00).contains(&unit)
            && unit_at(text, at).is_some_and(|low| (0xDC00..0xE000).contains(&low));
        if paired {
            at += 6;
        } else if (0xD800..0xE000).contains(&unit) {
            mended.push_str(&text[copied..escape]);
            mended.push_str("\\ufffd");
            copied = at;
        }
    }
    if copied == 0 {
        return None;
    }
    mended.push_str(&text[copied..]);
    Some(mended)
}

/// The value of the `\uXXXX` at this position.
fn unit_at(text: &str, at: usize) -> Option<u32> {
    let digits = text.get(at..at + 6)?.strip_prefix("\\u")?;
    if digits.bytes().all(|byte| byte.is_ascii_hexdigit()) {
        u32::from_str_radix(digits, 16).ok()
    } else {
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    fn message(raw: &str) -> String {
        match parse(raw) {
            CallInput::Invalid { message, raw: kept } => {
                assert_eq!(kept, raw);
                message
            }
            CallInput::Object(value) => panic!("{raw} became {value}"),
        }
    }

    #[test]
    fn what_is_not_an_object_is_refused_with_its_position() {
        // dv-stream-003
        insta::assert_snapshot!(message(r#"{"command": "ls -la",}"#), @"trailing comma at line 1 column 22");
        insta::assert_snapshot!(message(r#"{"command": "ls" "x"}"#), @"expected `,` or `}` at line 1 column 18");
        insta::assert_snapshot!(message(r#"{"a":1}{"b":2}"#), @"trailing characters at line 1 column 8");
        insta::assert_snapshot!(message("[1]"), @"it is an array, not an object");
        insta::assert_snapshot!(message("{\"content\": \"half a fi"), @"EOF while parsing a string at line 1 column 22");
        insta::assert_snapshot!(message(r#"{"command":"ls","command":"rm x"}"#), @r#"the key "command" is there twice at line 1 column 33"#);
        message("\"no object\"");
        message("{\"a\":\n1e999}");
        message(&"[".repeat(100_000));
    }

    #[test]
    fn arguments_in_other_clothes() {
        // dv-stream-016
        let ls = CallInput::Object(json!({"command": "ls"}));
        assert_eq!(parse(r#"{"command":"ls"}"#), ls);
        assert_eq!(parse(r#""{\"command\":\"ls\"}""#), ls);
        for empty in ["", " \n", "null", "{}", "\"\"", "\"{}\"", "\"null\""] {
            assert_eq!(parse(empty), CallInput::Object(json!({})), "{empty}");
        }
    }

    #[test]
    fn half_a_surrogate_pair_is_replaced() {
        // dv-stream-012
        let parsed = |raw: &str| match parse(raw) {
            CallInput::Object(value) => value["t"].as_str().unwrap().to_owned(),
            CallInput::Invalid { message, .. } => panic!("{message}"),
        };
        assert_eq!(parsed(r#"{"t":"a\ud99cb"}"#), "a\u{FFFD}b");
        assert_eq!(parsed(r#"{"t":"\udc00"}"#), "\u{FFFD}");
        assert_eq!(parsed(r#"{"t":"\ud83d\ud83d\ude00"}"#), "\u{FFFD}😀");
        // A pair stays, and so does an escaped backslash that only looks like an escape.
        assert_eq!(parsed(r#"{"t":"\ud83d\ude00"}"#), "😀");
        assert_eq!(parsed(r#"{"t":"\\ud99c \ud99c"}"#), "\\ud99c \u{FFFD}");
        assert!(without_lone_surrogates("\\").is_none());
        assert!(without_lone_surrogates(r#""\ud8"#).is_none());
    }

    #[test]
    fn a_whole_object_is_known() {
        assert!(is_complete(r#" {"a":"}"}"#));
        assert!(is_complete(r#"{"a":"\ud800"}"#));
        for partial in ["", "{", r#"{"a":1"#, r#"{"a":1}{"#, "[1]", "\"{}\""] {
            assert!(!is_complete(partial), "{partial}");
        }
    }

    proptest::proptest! {
        #[test]
        fn any_text_gives_an_answer(raw in "\\PC*|(\\\\u[dD][89a-fA-F][0-9]{2}|\\\\|\"|[{}:é])*") {
            parse(&raw);
            is_complete(&raw);
        }
    }
}
