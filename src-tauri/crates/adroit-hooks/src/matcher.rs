//! Which tools, or which kinds of an event, a hook is for.

use regex::Regex;

/// A matcher, as publicly documented for Claude Code:
///
/// - nothing, an empty text or `*`: everything;
/// - letters, digits, `_`, `-`, spaces, `,` and `|` only: one name, or a list of names
///   separated by `|` or `,`, each compared exactly;
/// - anything else: a regular expression that may match anywhere in the name.
///
/// Beyond that `mcp__server`, which would be no tool's name, stands for every tool of that
/// server, as it does in a permission rule: a guard that silently matches nothing is worse.
#[derive(Clone, Debug)]
pub struct Matcher {
    text: String,
    kind: Kind,
}

#[derive(Clone, Debug)]
enum Kind {
    Everything,
    Names(Vec<String>),
    Pattern(Regex),
}

impl Matcher {
    /// Matches everything.
    #[must_use]
    pub fn everything() -> Self {
        Self {
            text: String::new(),
            kind: Kind::Everything,
        }
    }

    /// Reads a matcher.
    ///
    /// # Errors
    /// What is wrong with the regular expression.
    pub fn parse(text: &str) -> Result<Self, String> {
        let trimmed = text.trim();
        let kind = if trimmed.is_empty() || trimmed == "*" {
            Kind::Everything
        } else if trimmed.chars().all(is_plain) {
            Kind::Names(
                trimmed
                    .split(['|', ','])
                    .map(str::trim)
                    .filter(|name| !name.is_empty())
                    .map(str::to_owned)
                    .collect(),
            )
        } else {
            Kind::Pattern(
                Regex::new(trimmed)
                    .map_err(|error| format!("the matcher `{trimmed}` cannot be read: {error}"))?,
            )
        };
        Ok(Self {
            text: trimmed.to_owned(),
            kind,
        })
    }

    /// The matcher as it was written.
    #[must_use]
    pub fn text(&self) -> &str {
        &self.text
    }

    /// True where one of the names fits: a tool's name and its aliases.
    pub fn matches<'a>(&self, names: impl IntoIterator<Item = &'a str>) -> bool {
        let mut names = names.into_iter();
        match &self.kind {
            Kind::Everything => true,
            Kind::Names(listed) => {
                names.any(|name| listed.iter().any(|listed| is_named(name, listed)))
            }
            Kind::Pattern(pattern) => names.any(|name| pattern.is_match(name)),
        }
    }
}

fn is_plain(character: char) -> bool {
    character.is_alphanumeric() || matches!(character, '_' | '-' | ' ' | ',' | '|')
}

fn is_named(name: &str, listed: &str) -> bool {
    let is_server = || {
        listed.len() > "mcp__".len()
            && listed.starts_with("mcp__")
            && name
                .strip_prefix(listed)
                .is_some_and(|rest| rest.starts_with("__") && rest.len() > 2)
    };
    name == listed || is_server()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(matcher: &str, name: &str) -> bool {
        Matcher::parse(matcher).unwrap().matches([name])
    }

    #[test]
    fn names_are_exact_and_patterns_are_not() {
        for everything in ["", "*", " "] {
            assert!(matches(everything, "Bash"), "{everything:?}");
        }
        for (matcher, name, expected) in [
            ("Bash", "Bash", true),
            ("Bash", "BashOutput", false),
            ("bash", "Bash", false),
            ("Edit|Write", "Write", true),
            ("Edit | Write", "Write", true),
            ("Edit,Write", "Write", true),
            ("Edit|Write", "MultiEdit", false),
            ("Edit||Write", "", false),
            ("Notebook.*", "NotebookEdit", true),
            ("^Bash$", "BashOutput", false),
            (".*Edit", "MultiEditor", true),
            ("mcp__memory__.*", "mcp__memory__store", true),
            ("mcp__.*__write.*", "mcp__files__write_file", true),
            ("mcp__memory", "mcp__memory__store", true),
            ("mcp__memory", "mcp__memory_two__store", false),
            ("mcp__memory__store", "mcp__memory__store", true),
            ("mcp__memory__store", "mcp__memory__store_all", false),
            ("mcp__", "mcp____x", false),
        ] {
            assert_eq!(matches(matcher, name), expected, "{matcher} {name}");
        }
    }

    #[test]
    fn an_alias_counts_as_the_tool() {
        assert!(Matcher::parse("Task").unwrap().matches(["Agent", "Task"]));
    }

    #[test]
    fn a_pattern_that_is_none_says_so() {
        let problem = Matcher::parse("Bash(").unwrap_err();
        assert!(problem.contains("Bash("), "{problem}");
    }
}
