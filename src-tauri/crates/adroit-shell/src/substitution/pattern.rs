//! The regular expressions that are followed: a row of characters, classes and
//! repetitions of one, anchors, word boundaries and groups around parts of the
//! row. Neither alternatives nor repeated groups: in which way these match is
//! where engines differ.

/// A compiled expression.
pub(super) struct Pattern {
    pub(super) atoms: Vec<Atom>,
    /// Where each group begins and ends among the atoms.
    pub(super) groups: Vec<(usize, usize)>,
    pub(super) starts_line: bool,
    pub(super) ends_line: bool,
    /// It matches characters that it does not spell out: bytes or characters, as the locale is.
    pub(super) depends_on_locale: bool,
}

pub(super) enum Atom {
    Repeat { set: Set, least: usize, most: usize },
    Boundary(Boundary),
}

#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Boundary {
    /// `\b`
    Word,
    /// `\<`
    Start,
    /// `\>`
    End,
}

pub(super) struct Set {
    negated: bool,
    ranges: Vec<(char, char)>,
    ignores_case: bool,
}

impl Set {
    fn one(character: char) -> Self {
        Self {
            negated: false,
            ranges: vec![(character, character)],
            ignores_case: false,
        }
    }

    fn of(ranges: &[(char, char)], negated: bool) -> Self {
        Self {
            negated,
            ranges: ranges.to_vec(),
            ignores_case: false,
        }
    }

    pub(super) fn takes(&self, character: char) -> bool {
        let holds = |character: char| {
            self.ranges
                .iter()
                .any(|(low, high)| (*low..=*high).contains(&character))
        };
        let found = holds(character)
            || self.ignores_case
                && (holds(character.to_ascii_lowercase()) || holds(character.to_ascii_uppercase()));
        found != self.negated
    }

    fn spells_ascii(&self) -> bool {
        !self.negated && self.ranges.iter().all(|(_, high)| high.is_ascii())
    }
}

const WORD: &[(char, char)] = &[('0', '9'), ('A', 'Z'), ('_', '_'), ('a', 'z')];
const SPACE: &[(char, char)] = &[(' ', ' '), ('\t', '\r')];

pub(super) fn is_word(character: char) -> bool {
    character.is_ascii_alphanumeric() || character == '_'
}

struct Parser<'t> {
    rest: std::iter::Peekable<std::str::Chars<'t>>,
    extended: bool,
    pattern: Pattern,
    open: Vec<usize>,
    /// Nothing that can be repeated stands before.
    fresh: bool,
}

impl Pattern {
    pub(super) fn parse(text: &str, extended: bool, ignores_case: bool) -> Option<Self> {
        if text.is_empty() || text.contains('\n') {
            return None;
        }
        let mut parser = Parser {
            rest: text.chars().peekable(),
            extended,
            pattern: Self {
                atoms: Vec::new(),
                groups: Vec::new(),
                starts_line: false,
                ends_line: false,
                depends_on_locale: false,
            },
            open: Vec::new(),
            fresh: true,
        };
        parser.run()?;
        let mut pattern = parser.pattern;
        if ignores_case {
            for atom in &mut pattern.atoms {
                if let Atom::Repeat { set, .. } = atom {
                    set.ignores_case = true;
                    pattern.depends_on_locale |= !set.spells_ascii();
                }
            }
        }
        Some(pattern)
    }
}

impl Parser<'_> {
    fn run(&mut self) -> Option<()> {
        if self.rest.peek() == Some(&'^') {
            self.rest.next();
            self.pattern.starts_line = true;
        }
        while let Some(character) = self.rest.next() {
            self.step(character)?;
        }
        (self.open.is_empty()).then_some(())
    }

    fn step(&mut self, character: char) -> Option<()> {
        match character {
            '\\' => {
                let escaped = self.rest.next()?;
                self.escaped(escaped)
            }
            '$' if self.rest.peek().is_none() => {
                self.pattern.ends_line = true;
                Some(())
            }
            // Elsewhere they are text or anchors, as the expression is read.
            '$' | '^' => None,
            '*' => self.repeat(0, usize::MAX),
            '+' if self.extended => self.repeat(1, usize::MAX),
            '?' if self.extended => self.repeat(0, 1),
            '{' if self.extended => self.interval(),
            '(' if self.extended => self.opens(),
            ')' if self.extended => self.closes(),
            '|' | '}' if self.extended => None,
            '.' => {
                self.pattern.depends_on_locale = true;
                self.push(Set::of(&[], true))
            }
            '[' => {
                let set = self.bracket()?;
                self.pattern.depends_on_locale |= !set.spells_ascii();
                self.push(set)
            }
            other => self.push(Set::one(other)),
        }
    }

    fn escaped(&mut self, character: char) -> Option<()> {
        match character {
            '(' | ')' | '{' | '+' | '?' if !self.extended => match character {
                '(' => self.opens(),
                ')' => self.closes(),
                '{' => self.interval(),
                '+' => self.repeat(1, usize::MAX),
                _ => self.repeat(0, 1),
            },
            '(' | ')' | '{' | '}' | '+' | '?' | '|' if self.extended => {
                self.push(Set::one(character))
            }
            '.' | '*' | '[' | ']' | '^' | '$' | '/' | '\\' | '-' | '"' | '\'' => {
                self.push(Set::one(character))
            }
            't' => self.push(Set::one('\t')),
            's' | 'S' | 'w' | 'W' => {
                self.pattern.depends_on_locale = true;
                let ranges = if matches!(character, 's' | 'S') {
                    SPACE
                } else {
                    WORD
                };
                self.push(Set::of(ranges, character.is_ascii_uppercase()))
            }
            'b' | '<' | '>' => {
                self.pattern.depends_on_locale = true;
                self.fresh = true;
                self.pattern.atoms.push(Atom::Boundary(match character {
                    'b' => Boundary::Word,
                    '<' => Boundary::Start,
                    _ => Boundary::End,
                }));
                Some(())
            }
            // Alternatives, references back, and what only some versions know.
            _ => None,
        }
    }

    fn push(&mut self, set: Set) -> Option<()> {
        const MOST: usize = 200;
        if self.pattern.atoms.len() >= MOST {
            return None;
        }
        self.fresh = false;
        self.pattern.atoms.push(Atom::Repeat {
            set,
            least: 1,
            most: 1,
        });
        Some(())
    }

    fn repeat(&mut self, low: usize, high: usize) -> Option<()> {
        // A star at the beginning is text in one syntax and an error in the other.
        if self.fresh {
            return None;
        }
        let Some(Atom::Repeat { set, least, most }) = self.pattern.atoms.last_mut() else {
            return None;
        };
        // Repetitions of repetitions.
        if (*least, *most) != (1, 1) {
            return None;
        }
        (*least, *most) = (low, high);
        self.pattern.depends_on_locale |= !set.spells_ascii();
        Some(())
    }

    fn interval(&mut self) -> Option<()> {
        let mut text = String::new();
        loop {
            match self.rest.next()? {
                '}' if self.extended => break,
                '\\' if !self.extended => {
                    if self.rest.next()? != '}' {
                        return None;
                    }
                    break;
                }
                character => text.push(character),
            }
        }
        let number = |text: &str| text.parse::<usize>().ok().filter(|number| *number < 256);
        match text.split_once(',') {
            None => {
                let times = number(&text)?;
                self.repeat(times, times)
            }
            Some((low, "")) => self.repeat(number(low)?, usize::MAX),
            Some((low, high)) => {
                let (low, high) = (number(low)?, number(high)?);
                if low > high {
                    return None;
                }
                self.repeat(low, high)
            }
        }
    }

    fn opens(&mut self) -> Option<()> {
        self.open.push(self.pattern.groups.len());
        let at = self.pattern.atoms.len();
        self.pattern.groups.push((at, at));
        self.fresh = true;
        Some(())
    }

    fn closes(&mut self) -> Option<()> {
        let group = self.open.pop()?;
        let end = self.pattern.atoms.len();
        let group = self.pattern.groups.get_mut(group)?;
        if group.0 == end {
            return None;
        }
        group.1 = end;
        // A repeated group would be refused: nothing stands before.
        self.fresh = true;
        Some(())
    }

    fn bracket(&mut self) -> Option<Set> {
        let negated = self.rest.next_if_eq(&'^').is_some();
        let mut ranges: Vec<(char, char)> = Vec::new();
        let mut first = true;
        loop {
            let character = self.rest.next()?;
            match character {
                ']' if !first => break,
                '[' if matches!(self.rest.peek(), Some(':')) => {
                    self.rest.next();
                    let mut name = String::new();
                    loop {
                        match self.rest.next()? {
                            ':' => break,
                            letter => name.push(letter),
                        }
                    }
                    if self.rest.next()? != ']' {
                        return None;
                    }
                    ranges.extend(class(&name)?);
                    self.pattern.depends_on_locale = true;
                }
                // Collating elements; a backslash that versions read in two ways.
                '[' if matches!(self.rest.peek(), Some('.' | '=')) => return None,
                '\\' => return None,
                low => {
                    let mut ahead = self.rest.clone();
                    ahead.next();
                    let is_range = self.rest.peek() == Some(&'-')
                        && ahead.next().is_some_and(|next| next != ']');
                    if !is_range {
                        ranges.push((low, low));
                    } else {
                        self.rest.next();
                        let high = self.rest.next()?;
                        // Only where every order of characters agrees.
                        let plain = [('0', '9'), ('a', 'z'), ('A', 'Z')]
                            .iter()
                            .any(|(from, to)| from <= &low && low <= high && &high <= to);
                        if !plain {
                            return None;
                        }
                        ranges.push((low, high));
                        self.pattern.depends_on_locale |= low.is_ascii_alphabetic();
                    }
                }
            }
            first = false;
        }
        Some(Set::of(&ranges, negated))
    }
}

fn class(name: &str) -> Option<Vec<(char, char)>> {
    Some(match name {
        "digit" => vec![('0', '9')],
        "alpha" => vec![('A', 'Z'), ('a', 'z')],
        "alnum" => vec![('0', '9'), ('A', 'Z'), ('a', 'z')],
        "upper" => vec![('A', 'Z')],
        "lower" => vec![('a', 'z')],
        "space" => SPACE.to_vec(),
        "blank" => vec![(' ', ' '), ('\t', '\t')],
        "xdigit" => vec![('0', '9'), ('A', 'F'), ('a', 'f')],
        "punct" => vec![('!', '/'), (':', '@'), ('[', '`'), ('{', '~')],
        _ => return None,
    })
}
