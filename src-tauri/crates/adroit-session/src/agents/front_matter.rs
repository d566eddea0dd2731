//! The head of a Markdown file that defines an agent: `---`, fields, `---`.
//!
//! It is the part of YAML that such files use, and nothing is guessed: text to the end of the line,
//! quoted text, lists, and text over several lines. Unlike in YAML a text may have a colon: the
//! descriptions that programs write into such files have them.

use std::collections::BTreeMap;

/// What a field holds.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Field {
    Text(String),
    List(Vec<String>),
}

/// A head that cannot be read: the line, from 1, and what is wrong with it.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("line {line}: {what}")]
pub(super) struct Unreadable {
    pub(super) line: usize,
    pub(super) what: String,
}

/// The fields and the text after them.
pub(super) fn parse(text: &str) -> Result<(BTreeMap<String, Field>, String), Unreadable> {
    let text = text.strip_prefix('\u{feff}').unwrap_or(text);
    let lines: Vec<&str> = text.lines().collect();
    if lines.first().map(|line| line.trim_end()) != Some("---") {
        return Err(wrong(0, "the file must begin with `---`"));
    }
    let end = lines
        .iter()
        .skip(1)
        .position(|line| line.trim_end() == "---")
        .map(|at| at + 1)
        .ok_or_else(|| wrong(0, "there is no second `---`"))?;
    let mut fields = BTreeMap::new();
    let mut at = 1;
    while at < end {
        let line = lines[at];
        if line.trim().is_empty() || line.starts_with('#') {
            at += 1;
            continue;
        }
        let (name, rest) = line
            .split_once(':')
            .filter(|(name, rest)| is_name(name) && (rest.is_empty() || rest.starts_with(' ')))
            .ok_or_else(|| wrong(at, "this is no `name: value`"))?;
        let follows = lines[at + 1..end]
            .iter()
            .take_while(|line| line.trim().is_empty() || line.starts_with([' ', '\t']))
            .count();
        let more = &lines[at + 1..at + 1 + follows];
        let value = field(rest.trim(), more).map_err(|what| wrong(at, &what))?;
        if fields.insert(name.to_owned(), value).is_some() {
            return Err(wrong(at, &format!("`{name}` is there twice")));
        }
        at += 1 + follows;
    }
    Ok((fields, lines[end + 1..].join("\n").trim().to_owned()))
}

fn wrong(index: usize, what: &str) -> Unreadable {
    Unreadable {
        line: index + 1,
        what: what.to_owned(),
    }
}

fn is_name(name: &str) -> bool {
    !name.is_empty()
        && name
            .chars()
            .all(|letter| letter.is_ascii_alphanumeric() || matches!(letter, '_' | '-'))
}

/// A value with the indented lines that follow it.
fn field(value: &str, more: &[&str]) -> Result<Field, String> {
    let lines: Vec<&str> = more
        .iter()
        .map(|line| line.trim())
        .filter(|line| !line.is_empty())
        .collect();
    match value.chars().next() {
        None if lines.is_empty() => Ok(Field::Text(String::new())),
        None => lines
            .iter()
            .map(|line| {
                let item = line
                    .strip_prefix("- ")
                    .ok_or("only a list of `- item` may follow")?;
                scalar(item.trim())
            })
            .collect::<Result<_, _>>()
            .map(Field::List),
        Some('|' | '>') if matches!(value, "|" | "|-" | ">" | ">-") => {
            let between = if value.starts_with('|') { "\n" } else { " " };
            Ok(Field::Text(block(more).join(between).trim().to_owned()))
        }
        Some('[') => {
            let inner = value
                .strip_prefix('[')
                .and_then(|rest| rest.strip_suffix(']'))
                .filter(|_| lines.is_empty())
                .ok_or("the list does not end on its line")?;
            inner
                .split(',')
                .map(str::trim)
                .filter(|item| !item.is_empty())
                .map(scalar)
                .collect::<Result<_, _>>()
                .map(Field::List)
        }
        Some(_) => {
            let whole = std::iter::once(value).chain(lines).collect::<Vec<_>>();
            scalar(&whole.join(" ")).map(Field::Text)
        }
    }
}

/// The lines of a text block without their common indentation.
fn block<'l>(lines: &[&'l str]) -> Vec<&'l str> {
    let indentation = lines
        .iter()
        .filter(|line| !line.trim().is_empty())
        .map(|line| line.len() - line.trim_start().len())
        .min()
        .unwrap_or(0);
    lines
        .iter()
        .map(|line| line.get(indentation..).unwrap_or_default().trim_end())
        .collect()
}

fn scalar(text: &str) -> Result<String, String> {
    match text.chars().next() {
        Some('"') => serde_json::from_str(text)
            .map_err(|_| "the text in double quotes does not end as it should".to_owned()),
        Some('\'') => text
            .strip_prefix('\'')
            .and_then(|rest| rest.strip_suffix('\''))
            .filter(|inner| !inner.replace("''", "").contains('\''))
            .map(|inner| inner.replace("''", "'"))
            .ok_or_else(|| "the text in quotes does not end as it should".to_owned()),
        Some(first @ ('{' | '&' | '*' | '!' | '%' | '@' | '`')) if text != "*" => Err(format!(
            "a value may not begin with `{first}`; put it in quotes"
        )),
        _ => Ok(text.to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(head: &str) -> Result<BTreeMap<String, Field>, Unreadable> {
        parse(&format!("---\n{head}\n---\n\nbody")).map(|(fields, _)| fields)
    }

    fn text(value: &str) -> Field {
        Field::Text(value.to_owned())
    }

    #[test]
    fn the_forms_that_such_files_have() {
        let fields = read(
            "name: reviewer\n# a remark\ndescription: Use it when: a change is done.\\nAlways.\n\
             tools: Read, Grep\nmodel: 'it''s'\nlist: [Read, \"Glob\"]\n\
             items:\n  - Read\n  - Edit\nlong: |\n  one\n    two\nfolded: >-\n  three\n  four\ncolor:",
        )
        .unwrap();
        assert_eq!(fields["name"], text("reviewer"));
        assert_eq!(
            fields["description"],
            text("Use it when: a change is done.\\nAlways.")
        );
        assert_eq!(fields["tools"], text("Read, Grep"));
        assert_eq!(fields["model"], text("it's"));
        let list =
            |items: &[&str]| Field::List(items.iter().map(|&item| item.to_owned()).collect());
        assert_eq!(fields["list"], list(&["Read", "Glob"]));
        assert_eq!(fields["items"], list(&["Read", "Edit"]));
        assert_eq!(fields["long"], text("one\n  two"));
        assert_eq!(fields["folded"], text("three four"));
        assert_eq!(fields["color"], text(""));
    }

    #[test]
    fn what_is_not_understood_is_named_with_its_line() {
        for (head, line) in [
            ("name: a\nno value here", 3),
            ("name: a\nname: b", 3),
            ("name: {a: b}", 2),
            ("name: \"a", 2),
            ("tools: [a,\n  b]", 2),
            ("tools:\n  nested: a", 2),
        ] {
            assert_eq!(read(head).unwrap_err().line, line, "{head}");
        }
        assert!(parse("name: a\n").is_err());
        assert!(parse("---\nname: a\n").is_err());
        assert!(parse("").is_err());
    }
}
