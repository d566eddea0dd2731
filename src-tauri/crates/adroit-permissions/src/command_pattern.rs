//! The specifier of a Bash rule: `npm run lint`, `git * main`, `cargo test:*`.

use crate::wildcard::Wildcard;

/// A compiled Bash specifier.
///
/// - without `*`: the exact text;
/// - `*`: any text, spaces included;
/// - a trailing ` *` or `:*`: a word boundary, which the bare command meets too;
/// - `:*` anywhere else is text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct CommandPattern {
    head: Wildcard,
    /// `head` followed by a space and anything, where the pattern ends at a word boundary.
    with_arguments: Option<Wildcard>,
}

impl CommandPattern {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        let text = text.trim();
        if text.is_empty() {
            return Err("there is nothing between the parentheses".to_owned());
        }
        let Some(head) = text.strip_suffix(":*").or_else(|| text.strip_suffix(" *")) else {
            return Ok(Self {
                head: Wildcard::new(text),
                with_arguments: None,
            });
        };
        let head = head.trim_end();
        if head.is_empty() {
            return Err("there is no command before the `*`".to_owned());
        }
        Ok(Self {
            head: Wildcard::new(head),
            with_arguments: Some(Wildcard::new(&format!("{head} *"))),
        })
    }

    pub(crate) fn matches(&self, text: &str) -> bool {
        self.head.matches(text)
            || self
                .with_arguments
                .as_ref()
                .is_some_and(|pattern| pattern.matches(text))
    }

    /// True when `text`, in which each `open` stands for any text, may become one that fits.
    pub(crate) fn may_match(&self, text: &str, open: char) -> bool {
        self.head.may_match(text, open)
            || self
                .with_arguments
                .as_ref()
                .is_some_and(|pattern| pattern.may_match(text, open))
    }

    /// No star: covers one text.
    pub(crate) fn is_exact(&self) -> bool {
        self.with_arguments.is_none() && !self.head.has_star()
    }

    /// Stars only: covers every text.
    pub(crate) fn is_any(&self) -> bool {
        self.head.is_any()
    }
}

#[cfg(test)]
mod tests {
    use super::CommandPattern;

    #[test]
    fn exact_star_boundary() {
        for (pattern, text, expected) in [
            ("pnpm run lint", "pnpm run lint", true),
            ("pnpm run lint", "pnpm run lint --fix", false),
            ("cargo test:*", "cargo test", true),
            ("cargo test:*", "cargo test --all", true),
            ("cargo test:*", "cargo testament", false),
            ("cargo test *", "cargo test", true),
            ("cargo test *", "cargo testament", false),
            ("ls*", "lsof", true),
            ("git:* push", "git push", false),
            ("git:* push", "git:x push", true),
            ("* --help *", "npm --help", true),
            ("* --help *", "npm --helper", false),
            ("npm run test:unit", "npm run test:unit", true),
            ("*", "anything at all", true),
        ] {
            let compiled = CommandPattern::parse(pattern).expect("valid");
            assert_eq!(compiled.matches(text), expected, "{pattern} | {text}");
        }
    }

    #[test]
    fn nothing_is_not_a_pattern() {
        assert!(CommandPattern::parse("").is_err());
        assert!(CommandPattern::parse(":*").is_err());
        assert!(CommandPattern::parse("  ").is_err());
    }
}
