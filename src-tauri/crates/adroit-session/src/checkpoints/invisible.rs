//! Differences between two texts that their lines do not show.

use std::path::Path;

use adroit_workspace::LoadedText;

use super::describe::Sides;

/// Characters that take no room or turn the direction of writing.
fn is_hidden(character: char) -> bool {
    matches!(
        character,
        '\u{ad}' | '\u{61c}' | '\u{180e}' | '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'
    )
}

/// In sentences; nothing where one side is no text.
pub(super) fn between(sides: &Sides) -> Vec<String> {
    let load = |bytes: &Option<Vec<u8>>| {
        bytes
            .clone()
            .and_then(|bytes| LoadedText::from_bytes(bytes, Path::new("")).ok())
    };
    let Some(new) = load(&sides.new) else {
        return Vec::new();
    };
    let mut said = Vec::new();
    let hidden = |text: &str| text.chars().filter(|found| is_hidden(*found)).count();
    let Some(old) = load(&sides.old) else {
        let count = hidden(&new.text);
        if count > 0 {
            said.push(hidden_words(count));
        }
        return said;
    };
    if old.encoding != new.encoding {
        said.push(format!(
            "Encoding: {} became {}.",
            old.encoding.name(),
            new.encoding.name()
        ));
    }
    let marks = (
        !old.encoding.mark().is_empty(),
        !new.encoding.mark().is_empty(),
    );
    match marks {
        (true, false) => said.push("The byte order mark is gone.".to_owned()),
        (false, true) => said.push("A byte order mark was added.".to_owned()),
        _ => {}
    }
    let kinds = |loaded: &LoadedText| {
        let endings = loaded.endings;
        (endings.lf > 0, endings.crlf > 0, endings.cr_only())
    };
    if kinds(&old) != kinds(&new) {
        said.push(format!("Was: {}. Is: {}.", old.endings, new.endings));
    }
    if old.endings.final_newline != new.endings.final_newline && !new.text.is_empty() {
        said.push(
            if new.endings.final_newline {
                "A line ending was added at the end of the file."
            } else {
                "The line ending at the end of the file is gone."
            }
            .to_owned(),
        );
    }
    let trailing = |text: &str| {
        text.lines()
            .filter(|line| line.ends_with([' ', '\t']))
            .count()
    };
    let (before, after) = (trailing(&old.text), trailing(&new.text));
    if before != after {
        said.push(format!(
            "Lines with white space at their end: {before} before, {after} after."
        ));
    }
    let (before, after) = (hidden(&old.text), hidden(&new.text));
    if after > before {
        said.push(hidden_words(after - before));
    }
    said
}

/// Whether all that differs is what lines do not show: they read the same.
pub(super) fn is_all(sides: &Sides) -> bool {
    let (old, new) = sides.texts();
    let visible = |text: &str| -> Vec<String> {
        text.lines()
            .map(|line| {
                let shown: String = line.chars().filter(|found| !is_hidden(*found)).collect();
                shown.trim_end().to_owned()
            })
            .collect()
    };
    visible(&old) == visible(&new)
}

fn hidden_words(count: usize) -> String {
    match count {
        1 => "1 hidden character was added (no width, or turning the direction of writing)."
            .to_owned(),
        count => format!(
            "{count} hidden characters were added (no width, or turning the direction of writing)."
        ),
    }
}

#[cfg(test)]
mod tests {
    use adroit_protocol::changes::ChangedKind;

    use super::*;

    fn said(old: &[u8], new: &[u8]) -> Vec<String> {
        between(&Sides {
            old: Some(old.to_vec()),
            new: Some(new.to_vec()),
            kind: ChangedKind::Text,
        })
    }

    #[test]
    fn it_is_known_when_nothing_else_differs() {
        let all = |old: &str, new: &str| {
            is_all(&Sides {
                old: Some(old.as_bytes().to_vec()),
                new: Some(new.as_bytes().to_vec()),
                kind: ChangedKind::Text,
            })
        };
        assert!(all("a\nb\n", "a \u{200b}\r\nb\u{200b}"));
        assert!(!all("a\nb\n", "a\nc\n"));
        assert!(!all("a\n", "a\n\n"));
    }

    #[test]
    fn what_lines_do_not_show_is_said() {
        let cases: [(&[u8], &[u8], &[&str]); 6] = [
            (
                b"a\nb\n",
                b"a\r\nb\r\n",
                &["Was: LF line endings. Is: CRLF line endings."],
            ),
            (
                b"a\nb\n",
                b"a\nb",
                &["The line ending at the end of the file is gone."],
            ),
            (
                b"a\nb\n",
                b"a \nb\n",
                &["Lines with white space at their end: 0 before, 1 after."],
            ),
            (
                b"if admin\n",
                "if \u{202e}nimda\n".as_bytes(),
                &["1 hidden character was added (no width, or turning the direction of writing)."],
            ),
            (b"a\n", b"b\n", &[]),
            (b"a\n", b"a\n", &[]),
        ];
        for (old, new, expected) in cases {
            assert_eq!(said(old, new), expected);
        }
        let marked = said(b"a\n", b"\xef\xbb\xbfa\n");
        assert!(marked.contains(&"A byte order mark was added.".to_owned()));
    }
}
