//! How a notebook's JSON is written, so that new parts look like the old ones.

use std::ops::Range;

use serde_json::Value;

/// The manner of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Layout {
    /// One level of indentation; `None` where everything stands on one line.
    unit: Option<String>,
    newline: &'static str,
    /// Between a name and its value.
    colon: &'static str,
    /// Between two values on one line.
    comma: &'static str,
    /// Whether characters beyond ASCII are written as `\uXXXX`.
    ascii: bool,
}

impl Layout {
    /// Of a file whose list of cells stands at `array`.
    pub(super) fn of(text: &str, array: &Range<usize>) -> Self {
        let pretty = text[array.clone()].contains('\n')
            || (text[array.clone()].trim_matches(['[', ']', ' ']).is_empty()
                && text.trim_end().contains('\n'));
        // The first line after the opening brace is indented by one level.
        let unit = pretty.then(|| {
            let line = text.split('\n').nth(1).unwrap_or_default();
            let indent = &line[..line.len() - line.trim_start().len()];
            if indent.is_empty() {
                " ".to_owned()
            } else {
                indent.to_owned()
            }
        });
        let spaced = text[..array.start].ends_with(' ');
        Self {
            unit,
            newline: if text.contains("\r\n") { "\r\n" } else { "\n" },
            colon: if spaced { ": " } else { ":" },
            comma: if spaced { ", " } else { "," },
            ascii: text.is_ascii() && has_unicode_escape(text),
        }
    }

    /// The same, with everything on one line.
    pub(super) fn on_one_line(&self) -> Self {
        Self {
            unit: None,
            ..self.clone()
        }
    }

    /// The line break before something indented like this; nothing where all stands on one line.
    pub(super) fn line(&self, indent: &str) -> String {
        match &self.unit {
            Some(_) => format!("{}{indent}", self.newline),
            None => String::new(),
        }
    }

    /// One level deeper.
    pub(super) fn deeper(&self, indent: &str) -> String {
        format!("{indent}{}", self.unit.as_deref().unwrap_or_default())
    }

    /// What stands between two values, the second of which is indented like this.
    pub(super) fn between(&self, indent: &str) -> String {
        match &self.unit {
            Some(_) => format!(",{}", self.line(indent)),
            None => self.comma.to_owned(),
        }
    }

    /// A value that begins on a line indented by `indent`.
    pub(super) fn render(&self, value: &Value, indent: &str) -> String {
        match value {
            Value::Array(items) => {
                let inner = self.deeper(indent);
                let items = items.iter().map(|item| self.render(item, &inner));
                self.enclose("[", "]", items.collect(), indent)
            }
            Value::Object(members) => {
                let inner = self.deeper(indent);
                let members = members
                    .iter()
                    .map(|(key, value)| self.member(key, &self.render(value, &inner)));
                self.enclose("{", "}", members.collect(), indent)
            }
            Value::String(text) => self.string(text),
            other => other.to_string(),
        }
    }

    /// A name with its value.
    pub(super) fn member(&self, key: &str, value: &str) -> String {
        format!("{}{}{value}", self.string(key), self.colon)
    }

    /// Parts between brackets, on lines of their own or on one.
    pub(super) fn enclose(
        &self,
        open: &str,
        close: &str,
        parts: Vec<String>,
        indent: &str,
    ) -> String {
        if parts.is_empty() {
            return format!("{open}{close}");
        }
        let inner = self.deeper(indent);
        format!(
            "{open}{}{}{}{close}",
            self.line(&inner),
            parts.join(&self.between(&inner)),
            self.line(indent)
        )
    }

    fn string(&self, text: &str) -> String {
        let written = Value::from(text).to_string();
        if !self.ascii || written.is_ascii() {
            return written;
        }
        let mut escaped = String::with_capacity(written.len() * 2);
        for character in written.chars() {
            if character.is_ascii() {
                escaped.push(character);
            } else {
                for unit in character.encode_utf16(&mut [0; 2]) {
                    escaped.push_str(&format!("\\u{unit:04x}"));
                }
            }
        }
        escaped
    }
}

/// White space at the beginning of the line in which `at` stands.
pub(super) fn indent_at(text: &str, at: usize) -> &str {
    let line = text[..at].rfind('\n').map_or(0, |newline| newline + 1);
    let rest = &text[line..at];
    &rest[..rest.len() - rest.trim_start_matches([' ', '\t']).len()]
}

/// `\u00e4` and the like, but not `\u001b`: control characters are escaped by everyone.
fn has_unicode_escape(text: &str) -> bool {
    text.match_indices("\\u").any(|(at, _)| {
        let code = text.get(at + 2..at + 6);
        let backslashes = text[..at].len() - text[..at].trim_end_matches('\\').len();
        backslashes.is_multiple_of(2)
            && code
                .and_then(|code| u32::from_str_radix(code, 16).ok())
                .is_some_and(|code| code >= 0x80)
    })
}
