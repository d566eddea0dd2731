//! Regular expressions as people and models write them.

use grep_regex::{RegexMatcher, RegexMatcherBuilder};

use super::SearchError;

/// A compiled pattern.
#[derive(Clone, Debug)]
pub(super) struct Pattern {
    pub(super) matcher: RegexMatcher,
    /// Braces that are no repetition were taken literally: `interface{}`.
    pub(super) literal_braces: bool,
}

pub(super) fn compile(
    pattern: &str,
    case_insensitive: bool,
    multiline: bool,
) -> Result<Pattern, SearchError> {
    let build = |pattern: &str| {
        let mut builder = RegexMatcherBuilder::new();
        builder
            .case_insensitive(case_insensitive)
            .multi_line(true)
            .unicode(true);
        if multiline {
            builder
                .dot_matches_new_line(true)
                .crlf(true)
                .line_terminator(None);
        } else {
            builder
                .line_terminator(Some(b'\n'))
                .dot_matches_new_line(false)
                .crlf(true);
        }
        builder.build(pattern)
    };
    // Asked first, because the matcher's own message points into a pattern that it has wrapped.
    let syntax = regex_syntax::Parser::new().parse(pattern);
    let built = match syntax {
        Ok(_) => build(pattern).map_err(|error| error.to_string()),
        Err(error) => Err(error.to_string()),
    };
    match built {
        Ok(matcher) => Ok(Pattern {
            matcher,
            literal_braces: false,
        }),
        Err(error) => {
            let escaped = escape_braces(pattern);
            if escaped != pattern
                && let Ok(matcher) = build(&escaped)
            {
                return Ok(Pattern {
                    matcher,
                    literal_braces: true,
                });
            }
            Err(SearchError::Pattern {
                message: explain(pattern, &error),
            })
        }
    }
}

/// The pattern as a literal text, where it is not one already and may have been meant as one:
/// `map[string]int`, `items.map(f)`. Nobody means `\w+` or `a.*b` so.
pub(super) fn likely_literal(pattern: &str) -> Option<String> {
    let is_expression = pattern.contains('\n')
        || pattern.contains('|')
        || pattern.starts_with('^')
        || pattern.ends_with('$')
        || [".*", ".+", ".?", "\\", "(?"]
            .iter()
            .any(|sign| pattern.contains(sign));
    let escaped = regex_escape(pattern);
    (escaped != pattern && !is_expression).then_some(escaped)
}

fn regex_escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for character in text.chars() {
        if "\\.+*?()|[]{}^$#&-~".contains(character) {
            escaped.push('\\');
        }
        escaped.push(character);
    }
    escaped
}

/// Escapes braces that cannot be a repetition (`{}`, `{a}`), outside classes and after no letter that
/// takes braces (`\p{L}`, `\x{41}`).
fn escape_braces(pattern: &str) -> String {
    let characters: Vec<char> = pattern.chars().collect();
    let mut out = String::with_capacity(pattern.len() + 4);
    let (mut at, mut in_class) = (0, false);
    while at < characters.len() {
        let character = characters[at];
        match character {
            '\\' => {
                out.push(character);
                if let Some(&next) = characters.get(at + 1) {
                    out.push(next);
                    at += 1;
                    if "pPxuUb".contains(next) && characters.get(at + 1) == Some(&'{') {
                        while let Some(&inner) = characters.get(at + 1) {
                            out.push(inner);
                            at += 1;
                            if inner == '}' {
                                break;
                            }
                        }
                    }
                }
            }
            '[' => {
                in_class = true;
                out.push(character);
            }
            ']' => {
                in_class = false;
                out.push(character);
            }
            '{' if !in_class && !is_repetition(&characters[at..]) => out.push_str("\\{"),
            _ => out.push(character),
        }
        at += 1;
    }
    out
}

/// `{2}`, `{2,}`, `{2,3}`, `{,3}`
fn is_repetition(from_brace: &[char]) -> bool {
    let inner: String = from_brace[1..]
        .iter()
        .take_while(|&&character| character != '}')
        .collect();
    let closed = from_brace.len() > inner.chars().count() + 1;
    let numbers = inner.split(',').collect::<Vec<_>>();
    closed
        && numbers.len() <= 2
        && numbers.iter().any(|number| !number.is_empty())
        && numbers
            .iter()
            .all(|number| number.chars().all(|digit| digit.is_ascii_digit()))
}

/// The parser's message, which shows the position, and a hint for what this engine cannot do.
fn explain(pattern: &str, message: &str) -> String {
    let message = message.trim();
    let hint = if message.contains("look-around") {
        "\nLook-around is not supported. Match without it and filter the result."
    } else if message.contains("backreferences") {
        "\nBackreferences are not supported."
    } else if message.contains("literal \"\\n\"")
        || (message.contains("\\n") && pattern.contains("\\n"))
    {
        "\nSet multiline to match across lines."
    } else {
        "\nTo search for the text itself, escape special characters with a backslash."
    };
    format!("{message}{hint}")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn braces_that_repeat_nothing_are_literal() {
        for (pattern, escaped) in [
            ("interface{}", r"interface\{}"),
            (r"a{2,3}\p{L}{x}", r"a{2,3}\p{L}\{x}"),
            ("[{]{", r"[{]\{"),
        ] {
            assert_eq!(escape_braces(pattern), escaped);
        }
        assert!(compile("interface{}", false, false).unwrap().literal_braces);
        assert!(!compile("a{2}", false, false).unwrap().literal_braces);
        assert!(!compile("-e --flag", false, false).unwrap().literal_braces);
    }

    #[test]
    fn what_looks_like_program_text_may_be_meant_literally() {
        for text in ["map[string]int", "items.map(f)", "a++", "$x[0]", "f(x)"] {
            assert!(likely_literal(text).is_some(), "{text}");
        }
        for pattern in ["plain", r"\w+", "a.*b", "one|two", "^fn", "end$", "a.+b"] {
            assert_eq!(likely_literal(pattern), None, "{pattern}");
        }
    }

    #[test]
    fn a_broken_pattern_shows_where() {
        insta::assert_snapshot!(compile("foo(bar", false, false).unwrap_err(), @"
        invalid regular expression:
        regex parse error:
            foo(bar
               ^
        error: unclosed group
        To search for the text itself, escape special characters with a backslash.
        ");
        insta::assert_snapshot!(compile("(?<=a)b", false, false).unwrap_err(), @"
        invalid regular expression:
        regex parse error:
            (?<=a)b
            ^^^^
        error: look-around, including look-ahead and look-behind, is not supported
        Look-around is not supported. Match without it and filter the result.
        ");
        insta::assert_snapshot!(compile(r"a\nb", false, false).unwrap_err(), @r#"
        invalid regular expression:
        the literal "\n" is not allowed in a regex
        Set multiline to match across lines.
        "#);
    }
}
