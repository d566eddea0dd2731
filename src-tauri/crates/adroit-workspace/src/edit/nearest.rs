//! What a string that does not occur was probably meant to be. For a message only: nothing is ever
//! replaced by likeness.

use std::fmt;

use unicode_normalization::UnicodeNormalization as _;

use crate::near::{distance, fold_character};
use crate::text::mark_to_byte;

/// Texts beyond these are not compared: the message is not worth the time.
const MAX_TEXT: usize = 4 << 20;
const MAX_NEEDLE: usize = 100 << 10;
/// Lines of the region that a message shows.
const MAX_SHOWN: usize = 12;
/// The longest line that is compared character by character.
const MAX_LINE: usize = 400;
/// Differences that a message lists.
const MAX_DIFFERENCES: usize = 4;

/// The region that comes closest, and what differs.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Nearest {
    /// Its first line, from 1.
    pub first_line: usize,
    /// The file's lines there, with invisible characters made visible.
    pub lines: Vec<String>,
    /// What differs, one sentence each.
    pub differences: Vec<String>,
}

impl fmt::Display for Nearest {
    fn fmt(&self, formatter: &mut fmt::Formatter<'_>) -> fmt::Result {
        writeln!(
            formatter,
            "The closest place begins at line {}:",
            self.first_line
        )?;
        for (index, line) in self.lines.iter().take(MAX_SHOWN).enumerate() {
            writeln!(formatter, "{:>6}\t{line}", self.first_line + index)?;
        }
        if self.lines.len() > MAX_SHOWN {
            writeln!(
                formatter,
                "     …\t({} more lines)",
                self.lines.len() - MAX_SHOWN
            )?;
        }
        for difference in self.differences.iter().take(MAX_DIFFERENCES) {
            writeln!(formatter, "- {difference}")?;
        }
        if self.differences.len() > MAX_DIFFERENCES {
            writeln!(
                formatter,
                "- and {} more differences",
                self.differences.len() - MAX_DIFFERENCES
            )?;
        }
        formatter.write_str("Read the file there and give old_string exactly as it stands.")
    }
}

pub(super) fn find(text: &str, needle: &str) -> Option<Nearest> {
    if text.len() > MAX_TEXT || needle.len() > MAX_NEEDLE || needle.trim().is_empty() {
        return None;
    }
    numbered(text, needle)
        .or_else(|| composed_otherwise(text, needle))
        .or_else(|| look_alike(text, needle))
        .or_else(|| escaped(text, needle))
        .or_else(|| same_words(text, needle))
        .or_else(|| other_case(text, needle))
        .or_else(|| other_blank_lines(text, needle))
        .or_else(|| most_similar(text, needle))
}

/// Taken from what Read shows, with its line numbers.
fn numbered(text: &str, needle: &str) -> Option<Nearest> {
    let bare: Vec<&str> = needle
        .lines()
        .map(|line| {
            let (number, rest) = line.split_once('\t')?;
            let number = number.trim_start();
            let is_number = !number.is_empty() && number.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then_some(rest)
        })
        .collect::<Option<_>>()?;
    let at = text.find(&bare.join("\n"))?;
    let first = text[..at].matches('\n').count();
    let lines = text.lines().skip(first).take(bare.len());
    Some(Nearest {
        first_line: first + 1,
        lines: lines.map(visible).collect(),
        differences: vec![
            "old_string has the line numbers that Read shows; they are not part of the file"
                .to_owned(),
        ],
    })
}

/// Differs only in spaces, quotes or dashes of another kind, one for one.
fn look_alike(text: &str, needle: &str) -> Option<Nearest> {
    let folded: String = text.chars().map(fold_character).collect();
    let wanted: String = needle.chars().map(fold_character).collect();
    let at = folded.find(&wanted)?;
    let skipped = folded[..at].chars().count();
    let region: String = text
        .chars()
        .skip(skipped)
        .take(needle.chars().count())
        .collect();
    let before: String = text.chars().take(skipped).collect();
    let first_line = before.matches('\n').count() + 1;
    let mut differences = Vec::new();
    let mut line = first_line;
    for (there, wanted) in region.chars().zip(needle.chars()) {
        if there != wanted {
            let sentence = format!(
                "line {line}: the file has {} where old_string has {}",
                named(there),
                named(wanted)
            );
            if !differences.contains(&sentence) {
                differences.push(sentence);
            }
        }
        line += usize::from(there == '\n');
    }
    let start = before.rfind('\n').map_or(0, |at| at + 1);
    let whole: Vec<String> = text[start..]
        .lines()
        .take(region.matches('\n').count() + 1)
        .map(visible)
        .collect();
    Some(Nearest {
        first_line,
        lines: whole,
        differences,
    })
}

/// Written with the escapes of JSON or of a string literal once too often: `\\"` where the file has `"`.
fn escaped(text: &str, needle: &str) -> Option<Nearest> {
    if !needle.contains('\\') {
        return None;
    }
    let mut plain = String::with_capacity(needle.len());
    let mut characters = needle.chars();
    while let Some(character) = characters.next() {
        match (character, characters.clone().next()) {
            ('\\', Some(next @ ('"' | '\'' | '\\' | '`' | '$'))) => plain.push(next),
            ('\\', Some('n')) => plain.push('\n'),
            ('\\', Some('t')) => plain.push('\t'),
            _ => {
                plain.push(character);
                continue;
            }
        }
        characters.next();
    }
    let at = text.find(&plain)?;
    let first = text[..at].matches('\n').count();
    let count = plain.lines().count().max(1);
    Some(Nearest {
        first_line: first + 1,
        lines: text.lines().skip(first).take(count).map(visible).collect(),
        differences: vec![
            "old_string has backslashes that the file has not: it was escaped once too often"
                .to_owned(),
        ],
    })
}

/// The same but for upper and lower case.
fn other_case(text: &str, needle: &str) -> Option<Nearest> {
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = needle.lines().collect();
    let lower = |lines: &[&str]| -> Vec<String> {
        lines
            .iter()
            .map(|line| collapse(line).to_lowercase())
            .collect()
    };
    let at = window_of(&lower(&lines), &lower(&wanted))?;
    let mut nearest = region(&lines, at, &wanted);
    nearest
        .differences
        .insert(0, "upper and lower case differ".to_owned());
    Some(nearest)
}

/// The same lines with other blank lines between them.
fn other_blank_lines(text: &str, needle: &str) -> Option<Nearest> {
    let filled = |text: &str| -> Vec<(usize, String)> {
        let lines = text.lines().enumerate();
        lines
            .map(|(index, line)| (index, collapse(line)))
            .filter(|(_, line)| !line.is_empty())
            .collect()
    };
    let (there, wanted) = (filled(text), filled(needle));
    if wanted.len() < 2 {
        return None;
    }
    let bare = |lines: &[(usize, String)]| -> Vec<String> {
        lines.iter().map(|(_, line)| line.clone()).collect()
    };
    let at = window_of(&bare(&there), &bare(&wanted))?;
    let (first, last) = (there.get(at)?.0, there.get(at + wanted.len() - 1)?.0);
    let lines = text.lines().skip(first).take(last - first + 1);
    Some(Nearest {
        first_line: first + 1,
        lines: lines.map(visible).collect(),
        differences: vec!["the lines are the same, with other blank lines between them".to_owned()],
    })
}

/// Where the lines of `pattern` stand in `lines`, the first and the last of them possibly in part.
fn window_of(lines: &[String], pattern: &[String]) -> Option<usize> {
    if pattern.is_empty() {
        return None;
    }
    lines.windows(pattern.len()).position(|window| {
        let last = window.len() - 1;
        window
            .iter()
            .zip(pattern)
            .enumerate()
            .all(|(index, (there, wanted))| match index {
                0 if last == 0 => there.contains(wanted.as_str()),
                0 => there.ends_with(wanted.as_str()),
                index if index == last => there.starts_with(wanted.as_str()),
                _ => there == wanted,
            })
    })
}

/// The same letters, with their marks composed in the other way: both look the same.
fn composed_otherwise(text: &str, needle: &str) -> Option<Nearest> {
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = needle.lines().collect();
    let composed =
        |lines: &[&str]| -> Vec<String> { lines.iter().map(|line| line.nfc().collect()).collect() };
    let at = window_of(&composed(&lines), &composed(&wanted))?;
    let there = lines.get(at..at + wanted.len())?;
    let (file, old_string) = if needle.nfc().eq(needle.chars()) {
        ("a letter and a mark of its own", "one character")
    } else {
        ("one character", "a letter and a mark of its own")
    };
    Some(Nearest {
        first_line: at + 1,
        lines: there.iter().copied().map(visible).collect(),
        differences: vec![format!(
            "letters with marks look the same and are written otherwise: the file has {file}, \
             old_string {old_string} (`é` is U+00E9, or `e` with U+0301)"
        )],
    })
}

/// The same lines but for the amount of white space.
fn same_words(text: &str, needle: &str) -> Option<Nearest> {
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = needle.lines().collect();
    let collapsed: Vec<String> = lines.iter().map(|line| collapse(line)).collect();
    let pattern: Vec<String> = wanted.iter().map(|line| collapse(line)).collect();
    let at = window_of(&collapsed, &pattern)?;
    let mut nearest = region(&lines, at, &wanted);
    nearest
        .differences
        .insert(0, "only white space differs".to_owned());
    Some(nearest)
}

/// The region with the most lines in common, else the one with the most similar line.
fn most_similar(text: &str, needle: &str) -> Option<Nearest> {
    let lines: Vec<&str> = text.lines().collect();
    let wanted: Vec<&str> = needle.lines().collect();
    let collapsed: Vec<String> = lines.iter().map(|line| collapse(line)).collect();
    let mut scores = vec![0_usize; lines.len()];
    for (offset, line) in wanted.iter().enumerate().take(200) {
        let line = collapse(line);
        // Braces and the like stand everywhere and say nothing.
        if line
            .chars()
            .filter(|character| character.is_alphanumeric())
            .count()
            < 3
        {
            continue;
        }
        for (index, there) in collapsed.iter().enumerate() {
            if *there == line && index >= offset {
                scores[index - offset] += 1;
            }
        }
    }
    let best = (0..scores.len()).max_by_key(|&index| (scores[index], std::cmp::Reverse(index)))?;
    if scores[best] > 0 {
        return Some(region(&lines, best, &wanted));
    }
    let (offset, longest) = wanted
        .iter()
        .enumerate()
        .max_by_key(|(_, line)| line.trim().len())?;
    let longest = collapse(longest);
    if longest.len() > MAX_LINE || lines.len() * longest.len() > 4 << 20 {
        return None;
    }
    let length = longest.chars().count();
    let (index, changes) = collapsed
        .iter()
        .enumerate()
        .filter(|(_, there)| there.len() <= MAX_LINE && there.len() * 2 > longest.len())
        .map(|(index, there)| (index, distance(&longest, there)))
        .min_by_key(|&(_, changes)| changes)?;
    (changes * 5 <= length * 2).then(|| region(&lines, index.saturating_sub(offset), &wanted))
}

fn region(lines: &[&str], at: usize, wanted: &[&str]) -> Nearest {
    let end = lines.len().min(at + wanted.len());
    let mut differences = Vec::new();
    for (index, line) in wanted.iter().enumerate() {
        match lines.get(at + index) {
            Some(there) if there != line && !(index == 0 && there.ends_with(line)) => differences
                .push(format!(
                    "line {}: the file has `{}`, old_string has `{}`",
                    at + index + 1,
                    visible(there),
                    visible(line)
                )),
            None => differences.push("old_string goes on past the end of the file".to_owned()),
            _ => {}
        }
    }
    Nearest {
        first_line: at + 1,
        lines: lines[at..end].iter().map(|line| visible(line)).collect(),
        differences,
    }
}

fn collapse(line: &str) -> String {
    let folded: String = line.chars().map(fold_character).collect();
    folded.split_whitespace().collect::<Vec<_>>().join(" ")
}

/// Tabs as `→`, spaces at the end as `·`, other invisible characters by number.
fn visible(line: &str) -> String {
    let end = line.trim_end_matches(' ').len();
    let mut shown = String::new();
    for (index, character) in line.char_indices().take(MAX_LINE) {
        match character {
            '\t' => shown.push('→'),
            ' ' if index >= end => shown.push('·'),
            ' ' => shown.push(' '),
            other if mark_to_byte(other).is_some() => {
                shown.push_str(&crate::escape_control(other.encode_utf8(&mut [0; 4])));
            }
            other if other.is_whitespace() || other.is_control() || is_invisible(other) => {
                shown.push_str(&format!("<U+{:04X}>", u32::from(other)));
            }
            other => shown.push(other),
        }
    }
    shown
}

fn is_invisible(character: char) -> bool {
    matches!(character, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{ad}')
}

fn named(character: char) -> String {
    match character {
        ' ' => "a space".to_owned(),
        '\t' => "a tab".to_owned(),
        '\u{a0}' => "a no-break space (U+00A0)".to_owned(),
        other if other.is_whitespace() || is_invisible(other) => {
            format!("U+{:04X}", u32::from(other))
        }
        other if mark_to_byte(other).is_some() => {
            let shown = crate::escape_control(other.encode_utf8(&mut [0; 4])).into_owned();
            format!("the byte {shown}, which is no text")
        }
        other => format!("`{other}` (U+{:04X})", u32::from(other)),
    }
}
