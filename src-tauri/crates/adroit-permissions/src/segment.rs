//! One name of a path pattern, as gitignore reads it: `*`, `?`, `[a-z]`, `\` escapes, `**`.

/// A compiled segment.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Segment {
    /// The very name.
    Literal(String),
    /// A name with wildcards.
    Glob(Vec<Token>),
    /// `**`: any number of names.
    AnyDepth,
}

/// One step of a name with wildcards.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) enum Token {
    Character(char),
    /// `?`
    One,
    /// `*`
    Star,
    Class {
        negated: bool,
        ranges: Vec<(char, char)>,
    },
}

impl Token {
    fn takes(&self, character: char) -> bool {
        match self {
            Self::Character(own) => *own == character,
            Self::One | Self::Star => true,
            Self::Class { negated, ranges } => {
                ranges
                    .iter()
                    .any(|(low, high)| (*low..=*high).contains(&character))
                    != *negated
            }
        }
    }
}

impl Segment {
    pub(crate) fn parse(text: &str) -> Result<Self, String> {
        if text == "**" {
            return Ok(Self::AnyDepth);
        }
        let mut tokens = Vec::new();
        let mut characters = text.chars().peekable();
        while let Some(character) = characters.next() {
            match character {
                '*' => {
                    if tokens.last() != Some(&Token::Star) {
                        tokens.push(Token::Star);
                    }
                }
                '?' => tokens.push(Token::One),
                '\\' => match characters.next() {
                    Some(escaped) => tokens.push(Token::Character(escaped)),
                    None => return Err("the pattern ends in a backslash".to_owned()),
                },
                '[' => tokens.push(class(&mut characters)?),
                other => tokens.push(Token::Character(other)),
            }
        }
        let literal: Option<String> = tokens
            .iter()
            .map(|token| match token {
                Token::Character(character) => Some(*character),
                _ => None,
            })
            .collect();
        Ok(literal.map_or(Self::Glob(tokens), Self::Literal))
    }

    /// A segment of a word that the shell expands. What it cannot read is any name.
    pub(crate) fn from_shell(text: &str) -> Self {
        match Self::parse(text) {
            // Without globstar `**` is one `*`.
            Ok(Self::AnyDepth) | Err(_) => Self::Glob(vec![Token::Star]),
            Ok(segment) => segment,
        }
    }

    pub(crate) fn matches(&self, name: &str) -> bool {
        match self {
            Self::Literal(own) => own == name,
            Self::AnyDepth => true,
            Self::Glob(tokens) => {
                let name: Vec<char> = name.chars().collect();
                tokens_match(tokens, &name)
            }
        }
    }

    /// True when whatever fits `inner` surely fits this.
    pub(crate) fn contains(&self, inner: &Self) -> bool {
        if self == inner {
            return true;
        }
        match (self, inner) {
            (_, Self::Literal(name)) => self.matches(name),
            (Self::Glob(own), Self::Glob(tokens)) => {
                // Stars alone: what the other leaves open is one character that none spells.
                let plain = own
                    .iter()
                    .all(|token| matches!(token, Token::Character(_) | Token::Star));
                let text: Vec<char> = tokens
                    .iter()
                    .map(|token| match token {
                        Token::Character(character) => *character,
                        _ => '\u{1}',
                    })
                    .collect();
                plain && tokens_match(own, &text)
            }
            _ => false,
        }
    }

    /// True when some name fits both: `self` is a rule's, `shell` is a word of a command.
    pub(crate) fn meets(&self, shell: &Self) -> bool {
        match (self, shell) {
            (Self::AnyDepth, _) | (_, Self::AnyDepth) => true,
            (rule, Self::Literal(name)) => rule.matches(name),
            (Self::Literal(name), Self::Glob(tokens)) => {
                // The shell's `*` and `?` do not take a leading dot.
                if name.starts_with('.') && !matches!(tokens.first(), Some(Token::Character('.'))) {
                    return false;
                }
                shell.matches(name)
            }
            (Self::Glob(rule), Self::Glob(tokens)) => globs_meet(rule, tokens),
        }
    }
}

fn class(characters: &mut std::iter::Peekable<std::str::Chars<'_>>) -> Result<Token, String> {
    let unclosed = || "a `[` is not closed".to_owned();
    let negated = characters
        .next_if(|character| matches!(character, '!' | '^'))
        .is_some();
    let mut ranges = Vec::new();
    let mut first = true;
    loop {
        let low = match characters.next().ok_or_else(unclosed)? {
            ']' if !first => return Ok(Token::Class { negated, ranges }),
            '\\' => characters.next().ok_or_else(unclosed)?,
            other => other,
        };
        first = false;
        let mut ahead = characters.clone();
        ahead.next();
        let is_range =
            characters.peek() == Some(&'-') && ahead.next().is_some_and(|next| next != ']');
        if !is_range {
            ranges.push((low, low));
            continue;
        }
        characters.next();
        let high = match characters.next().ok_or_else(unclosed)? {
            '\\' => characters.next().ok_or_else(unclosed)?,
            other => other,
        };
        ranges.push((low, high));
    }
}

/// Greedy with one place to go back to: linear for one star, never exponential.
fn tokens_match(tokens: &[Token], name: &[char]) -> bool {
    let (mut token, mut at) = (0, 0);
    let mut back: Option<(usize, usize)> = None;
    while at < name.len() {
        match (tokens.get(token), name.get(at)) {
            (Some(Token::Star), _) => {
                back = Some((token + 1, at));
                token += 1;
            }
            (Some(own), Some(character)) if own.takes(*character) => {
                token += 1;
                at += 1;
            }
            _ => match back {
                Some((after, from)) => {
                    token = after;
                    at = from + 1;
                    back = Some((after, at));
                }
                None => return false,
            },
        }
    }
    tokens
        .get(token..)
        .is_some_and(|rest| rest.iter().all(|own| *own == Token::Star))
}

/// Whether two patterns have a name in common, by trying all pairs of places once.
fn globs_meet(left: &[Token], right: &[Token]) -> bool {
    let width = right.len() + 1;
    let mut seen = vec![false; (left.len() + 1) * width];
    let mut open = vec![(0_usize, 0_usize)];
    while let Some((l, r)) = open.pop() {
        let Some(flag) = seen.get_mut(l * width + r) else {
            continue;
        };
        if std::mem::replace(flag, true) {
            continue;
        }
        match (left.get(l), right.get(r)) {
            (None, None) => return true,
            (Some(Token::Star), other) => {
                open.push((l + 1, r));
                if other.is_some() {
                    open.push((l, r + 1));
                }
            }
            (other, Some(Token::Star)) => {
                open.push((l, r + 1));
                if other.is_some() {
                    open.push((l + 1, r));
                }
            }
            (Some(one), Some(two)) if may_take_same(one, two) => open.push((l + 1, r + 1)),
            _ => {}
        }
    }
    false
}

fn may_take_same(one: &Token, two: &Token) -> bool {
    match (one, two) {
        (Token::Character(character), other) | (other, Token::Character(character)) => {
            other.takes(*character)
        }
        // Two classes: taken as overlapping, which can only ask more.
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::Segment;

    #[test]
    fn names() {
        for (pattern, name, expected) in [
            (".env", ".env", true),
            (".env*", ".env.local", true),
            ("*.md", "a.md", true),
            ("*.md", ".md", true),
            ("a?c", "abc", true),
            ("[ab]*", "bc", true),
            ("[!a]x", "bx", true),
            ("[!a]x", "ax", false),
            ("[a-c]", "b", true),
            ("[]x]", "]", true),
            ("\\*", "*", true),
            ("\\*", "a", false),
            ("*a*b", "xaxxb", true),
            ("{a,b}", "a", false),
        ] {
            let segment = Segment::parse(pattern).expect("valid");
            assert_eq!(segment.matches(name), expected, "{pattern} {name}");
        }
        assert!(Segment::parse("[a").is_err());
    }

    #[test]
    fn a_shell_glob_may_meet_a_rule() {
        for (rule, glob, expected) in [
            (".env", ".e*", true),
            (".env", "*", false),
            (".env", ".[a-f]nv", true),
            ("*.pem", "*", true),
            ("*.pem", "*.rs", false),
            ("*.pem", "key.*", true),
            ("secret*", "s?cret-key", true),
        ] {
            let rule_segment = Segment::parse(rule).expect("valid");
            assert_eq!(
                rule_segment.meets(&Segment::from_shell(glob)),
                expected,
                "{rule} {glob}"
            );
        }
    }
}
