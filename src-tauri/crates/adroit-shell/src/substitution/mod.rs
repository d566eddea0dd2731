//! What one plain `sed -i` substitution makes of a text, where that is certain.
//!
//! GNU sed is what it is held against. Whatever depends on the locale, on the
//! version or on how a regular expression is searched is not followed: then
//! there is no answer, and sed itself has to run.

mod matcher;
mod pattern;

use matcher::{Budget, Found};
use pattern::{Atom, Pattern};

use crate::types::SedEdit;

impl SedEdit {
    /// The text of the file after the edit; `None` where it cannot be told for certain.
    #[must_use]
    pub fn apply(&self, text: &str) -> Option<String> {
        if !self.backup_suffix.is_empty() || self.uses_other_delimiter() {
            return None;
        }
        let flags = Flags::read(&self.flags)?;
        let pattern = Pattern::parse(&self.regex, self.extended, flags.ignores_case)?;
        let replacement = replacement(&self.replacement, pattern.groups.len())?;
        // Beside a boundary GNU sed takes for a group what the expression gave to another
        // part: `s/[ab]*\b\(a*\)/<\1>/` makes `<a>` of `a`.
        let bounded = pattern
            .atoms
            .iter()
            .any(|atom| matches!(atom, Atom::Boundary(_)));
        let grouped = |part: &Part| matches!(part, Part::Group(group) if *group > 0);
        if bounded && replacement.iter().any(grouped) {
            return None;
        }
        let address = Address::read(&self.address, self.extended)?;
        let by_locale = pattern.depends_on_locale || address.depends_on_locale();
        if by_locale && !text.is_ascii() {
            return None;
        }
        let mut budget = Budget::default();
        let mut result = String::with_capacity(text.len());
        let lines: Vec<&str> = text.split_inclusive('\n').collect();
        for (index, whole) in lines.iter().enumerate() {
            let (line, end) = match whole.strip_suffix('\n') {
                Some(line) => (line, "\n"),
                None => (*whole, ""),
            };
            if address.selects(index + 1, lines.len(), line, &mut budget)? {
                substitute(
                    line,
                    &pattern,
                    &replacement,
                    &flags,
                    &mut budget,
                    &mut result,
                )?;
            } else {
                result.push_str(line);
            }
            result.push_str(end);
        }
        Some(result)
    }

    /// An escaped delimiter means itself or an operator, as versions differ.
    fn uses_other_delimiter(&self) -> bool {
        let command = self.script.trim();
        let rest = command.get(self.address.len()..).unwrap_or_default();
        let delimiter = rest.trim_start().chars().nth(1);
        delimiter.is_none_or(|delimiter| {
            let escaped = format!("\\{delimiter}");
            delimiter != '/'
                && (self.regex.contains(&escaped) || self.replacement.contains(&escaped))
        })
    }
}

/// `g`, a number and `I`.
struct Flags {
    every: bool,
    from: usize,
    ignores_case: bool,
}

impl Flags {
    fn read(text: &str) -> Option<Self> {
        let mut flags = Self {
            every: false,
            from: 1,
            ignores_case: false,
        };
        let mut digits = String::new();
        for character in text.chars() {
            match character {
                'g' => flags.every = true,
                'i' | 'I' => flags.ignores_case = true,
                digit if digit.is_ascii_digit() => digits.push(digit),
                _ => return None,
            }
        }
        if !digits.is_empty() {
            flags.from = digits.parse().ok().filter(|from| *from > 0)?;
        }
        Some(flags)
    }
}

/// Which lines are meant.
enum Address {
    All,
    Lines(usize, Last),
    Fitting(Pattern),
}

#[derive(Clone, Copy)]
enum Last {
    Line(usize),
    End,
}

impl Address {
    fn read(text: &str, extended: bool) -> Option<Self> {
        let text = text.trim();
        if text.is_empty() {
            return Some(Self::All);
        }
        if let Some(regex) = text
            .strip_prefix('/')
            .and_then(|rest| rest.strip_suffix('/'))
        {
            // A range between two expressions, or a delimiter within one.
            if regex.contains('/') {
                return None;
            }
            return Pattern::parse(regex, extended, false).map(Self::Fitting);
        }
        let line = |text: &str| text.trim().parse::<usize>().ok().filter(|line| *line > 0);
        match text.split_once(',') {
            None if text == "$" => Some(Self::Lines(usize::MAX, Last::End)),
            None => line(text).map(|line| Self::Lines(line, Last::Line(line))),
            Some((from, to)) => {
                let last = if to.trim() == "$" {
                    Last::End
                } else {
                    Last::Line(line(to)?)
                };
                line(from).map(|from| Self::Lines(from, last))
            }
        }
    }

    fn depends_on_locale(&self) -> bool {
        matches!(self, Self::Fitting(pattern) if pattern.depends_on_locale)
    }

    fn selects(&self, line: usize, count: usize, text: &str, budget: &mut Budget) -> Option<bool> {
        Some(match self {
            Self::All => true,
            // `$` alone.
            Self::Lines(usize::MAX, _) => line == count,
            // A range that ends before it begins is its first line.
            Self::Lines(from, Last::Line(to)) => line == *from || (*from < line && line <= *to),
            Self::Lines(from, Last::End) => line >= *from,
            Self::Fitting(pattern) => {
                let characters: Vec<char> = text.chars().collect();
                matcher::find(pattern, &characters, 0, budget)?.is_some()
            }
        })
    }
}

/// One step of a replacement.
enum Part {
    Text(String),
    /// `&` is 0.
    Group(usize),
}

fn replacement(text: &str, groups: usize) -> Option<Vec<Part>> {
    let mut parts: Vec<Part> = Vec::new();
    let literal = |parts: &mut Vec<Part>, character: char| match parts.last_mut() {
        Some(Part::Text(text)) => text.push(character),
        _ => parts.push(Part::Text(character.to_string())),
    };
    let mut characters = text.chars();
    while let Some(character) = characters.next() {
        match character {
            '&' => parts.push(Part::Group(0)),
            // It would end the command.
            '\n' => return None,
            '\\' => match characters.next()? {
                'n' => literal(&mut parts, '\n'),
                't' => literal(&mut parts, '\t'),
                digit if digit.is_ascii_digit() => {
                    let group = digit as usize - '0' as usize;
                    if group > groups {
                        return None;
                    }
                    parts.push(Part::Group(group));
                }
                same @ ('&' | '\\' | '/' | '.' | '*' | '[' | ']' | '$' | '^' | '"' | '\''
                | '\n') => literal(&mut parts, same),
                // `\U`, `\l`, `\x41` and whatever else a version knows.
                _ => return None,
            },
            other => literal(&mut parts, other),
        }
    }
    Some(parts)
}

fn substitute(
    line: &str,
    pattern: &Pattern,
    replacement: &[Part],
    flags: &Flags,
    budget: &mut Budget,
    result: &mut String,
) -> Option<()> {
    let text: Vec<char> = line.chars().collect();
    let mut at = 0;
    let mut last_end = None;
    let mut count = 0;
    while at <= text.len() {
        let Some(found) = matcher::find(pattern, &text, at, budget)? else {
            break;
        };
        let Found { start, end, groups } = found;
        result.extend(text.get(at..start)?);
        if start == end && last_end == Some(start) {
            // No empty match right behind another one.
            result.extend(text.get(start));
            at = start + 1;
            continue;
        }
        count += 1;
        if count < flags.from {
            result.extend(text.get(start..end)?);
        } else {
            for part in replacement {
                match part {
                    Part::Text(text) => result.push_str(text),
                    Part::Group(0) => result.extend(text.get(start..end)?),
                    Part::Group(group) => {
                        let (from, to) = *groups.get(group - 1)?;
                        result.extend(text.get(from..to)?);
                    }
                }
            }
            if !flags.every {
                at = end;
                break;
            }
        }
        last_end = Some(end);
        at = end;
        if start == end {
            result.extend(text.get(end));
            at = end + 1;
        }
    }
    result.extend(text.get(at.min(text.len())..)?);
    Some(())
}
