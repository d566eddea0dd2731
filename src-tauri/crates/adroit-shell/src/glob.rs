//! Whether a pattern of the shell may fit a name, for what must rather ask once too often.

/// True when `pattern` may fit `text`. A class in brackets stands for any one
/// character, so that no spelling of it (`[[:alpha:]]`, `[!x]`) hides a name.
pub(crate) fn may_fit(pattern: &str, text: &str) -> bool {
    let tokens = tokens(pattern);
    let text: Vec<char> = text.chars().collect();
    let (mut token, mut at) = (0, 0);
    // The last star, and where what follows it was tried: linear steps for one star.
    let mut back: Option<(usize, usize)> = None;
    while at < text.len() {
        match tokens.get(token) {
            Some(Token::Star) => {
                back = Some((token + 1, at));
                token += 1;
            }
            Some(Token::One) => {
                token += 1;
                at += 1;
            }
            Some(Token::Character(own)) if *own == text[at] => {
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
    tokens[token.min(tokens.len())..]
        .iter()
        .all(|token| *token == Token::Star)
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Token {
    Character(char),
    One,
    Star,
}

fn tokens(pattern: &str) -> Vec<Token> {
    let characters: Vec<char> = pattern.chars().collect();
    let mut tokens = Vec::new();
    let mut at = 0;
    while at < characters.len() {
        let token = match characters[at] {
            '*' => Token::Star,
            '?' => Token::One,
            '[' => {
                // The last bracket of the name: a class may hold `]` and other classes.
                match characters[at + 1..].iter().rposition(|c| *c == ']') {
                    Some(length) if characters[at + 1..at + 1 + length].contains(&'[') => {
                        at += length + 1;
                        Token::Star
                    }
                    Some(_) => {
                        let skipped = usize::from(characters.get(at + 1) == Some(&']'));
                        let length = characters[at + 1 + skipped..]
                            .iter()
                            .position(|c| *c == ']')
                            .unwrap_or(0);
                        at += length + skipped + 1;
                        Token::One
                    }
                    None => Token::Character('['),
                }
            }
            other => Token::Character(other),
        };
        tokens.push(token);
        at += 1;
    }
    tokens
}

#[cfg(test)]
mod tests {
    use super::may_fit;

    #[test]
    fn what_may_fit() {
        for (pattern, text, expected) in [
            ("u*", "usr", true),
            ("?sr", "usr", true),
            ("[tu]sr", "usr", true),
            ("[[:alpha:]]sr", "usr", true),
            ("[]u]sr", "usr", true),
            ("[u", "[u", true),
            ("*", "", true),
            ("*a*b", "xaxxb", true),
            ("u*", "etc", false),
            ("usr", "usr2", false),
            ("?", "", false),
        ] {
            assert_eq!(may_fit(pattern, text), expected, "{pattern} {text}");
        }
    }
}
