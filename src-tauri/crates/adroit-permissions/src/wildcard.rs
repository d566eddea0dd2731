//! Text with `*`, matched without a regular expression: no pattern can be slow.

/// Literal pieces between the stars of a pattern. One piece means no star.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Wildcard {
    pieces: Vec<String>,
}

impl Wildcard {
    /// `*` is any text, nothing else is special.
    pub(crate) fn new(pattern: &str) -> Self {
        Self {
            pieces: pattern.split('*').map(str::to_owned).collect(),
        }
    }

    pub(crate) fn has_star(&self) -> bool {
        self.pieces.len() > 1
    }

    /// True for a pattern of stars only.
    pub(crate) fn is_any(&self) -> bool {
        self.has_star() && self.pieces.iter().all(String::is_empty)
    }

    /// What every text that fits begins with, where there is a star.
    pub(crate) fn fixed_start(&self) -> Option<&str> {
        self.pieces
            .first()
            .map(String::as_str)
            .filter(|start| self.has_star() && !start.is_empty())
    }

    /// True when whatever fits `inner` surely fits this.
    pub(crate) fn contains(&self, inner: &Self) -> bool {
        // A star of the other stands for any text: taken as a character that no pattern holds.
        self.matches(&inner.pieces.join("\u{1}"))
    }

    /// True when `text` is the pattern with its stars replaced by any text.
    pub(crate) fn matches(&self, text: &str) -> bool {
        let Some((first, rest)) = self.pieces.split_first() else {
            return false;
        };
        let Some((last, middle)) = rest.split_last() else {
            return text == first;
        };
        let Some(mut text) = text.strip_prefix(first.as_str()) else {
            return false;
        };
        // The leftmost place of each middle piece leaves the most room for the
        // others, so one pass without going back decides.
        for piece in middle {
            let Some(at) = text.find(piece.as_str()) else {
                return false;
            };
            text = text.get(at + piece.len()..).unwrap_or_default();
        }
        text.len() >= last.len() && text.ends_with(last.as_str())
    }
}

#[cfg(test)]
mod tests {
    use super::Wildcard;

    #[test]
    fn stars_stand_for_any_text() {
        for (pattern, text, expected) in [
            ("a", "a", true),
            ("a", "ab", false),
            ("a*", "a", true),
            ("a*b", "ab", true),
            ("a*b", "a b c", false),
            ("a*b*c", "a-b-b-c", true),
            ("*b", "b", true),
            ("aba*aba", "aba", false),
            ("*", "", true),
            ("git * main", "git push origin main", true),
            ("git * main", "git main", false),
        ] {
            assert_eq!(
                Wildcard::new(pattern).matches(text),
                expected,
                "{pattern} {text}"
            );
        }
    }
}
