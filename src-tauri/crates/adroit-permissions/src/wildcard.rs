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

    /// True when `text`, in which each `open` stands for any text, may become one that fits.
    pub(crate) fn may_match(&self, text: &str, open: char) -> bool {
        // Most texts differ before anything is open.
        let fixed = text.split(open).next().unwrap_or_default();
        let start = self.pieces.first().map_or("", String::as_str);
        if !start.starts_with(fixed) && !fixed.starts_with(start) {
            return false;
        }
        let pattern: Vec<char> = self.pieces.join("*").chars().collect();
        let mut states = vec![false; pattern.len() + 1];
        let skip_stars = |states: &mut [bool]| {
            for (at, character) in pattern.iter().enumerate() {
                if states[at] && *character == '*' {
                    states[at + 1] = true;
                }
            }
        };
        states[0] = true;
        skip_stars(&mut states);
        for character in text.chars() {
            let mut next = vec![false; states.len()];
            if character == open {
                // Any text reaches every place behind the first.
                if let Some(from) = states.iter().position(|state| *state) {
                    next[from..].fill(true);
                }
            } else {
                for (at, own) in pattern.iter().enumerate().filter(|(at, _)| states[*at]) {
                    if *own == '*' {
                        next[at] = true;
                    } else if *own == character {
                        next[at + 1] = true;
                    }
                }
            }
            skip_stars(&mut next);
            states = next;
        }
        states.last().copied().unwrap_or(false)
    }
}

#[cfg(test)]
mod tests {
    use super::Wildcard;

    #[test]
    fn open_text_may_be_anything() {
        for (pattern, text, expected) in [
            ("git push", "git ?", true),
            ("git push", "git pu?", true),
            ("git push", "git pull?", false),
            ("git push", "git status ?", false),
            ("git push *", "git push ?", true),
            ("git * main", "git push ? x", false),
            ("git * main", "git push ?", true),
            ("rm", "?", true),
            ("a*b", "?b", true),
            ("a*b", "?a", false),
            ("ab", "?c", false),
        ] {
            assert_eq!(
                Wildcard::new(pattern).may_match(text, '?'),
                expected,
                "{pattern} {text}"
            );
        }
    }

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
