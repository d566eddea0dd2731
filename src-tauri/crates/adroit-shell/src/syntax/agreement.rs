//! Whether both parsers see the same commands, words, targets and substitutions.

use std::ops::Range;

use super::Refusal;
use super::primary::Tree;
use super::second::{self, Outline};
use super::source::Source;
use super::tree::{Command, Compound, CompoundKind, Item, List, Piece, Redirection, Simple, Word};
use crate::types::ReasonCode;

/// Says where they differ. Either of them silently misreads some inputs, so
/// what only one of them sees is never trusted.
pub(super) fn check(source: &Source<'_>, tree: &Tree) -> Result<(), Refusal> {
    if let Some(refusal) = &tree.refusal {
        return Err(refusal.clone());
    }
    let mut first = Outline::default();
    outline_list(&tree.list, &mut first);
    first.sort();
    continued_lines(source, &first)?;
    let whole = second::outline(source.text);
    match compare(&first, &whole, source.text.len()) {
        Ok(()) => Ok(()),
        Err(refusal) => by_line(source, tree, &first).ok_or(refusal),
    }
}

/// Bash joins a continued line before it looks for words and operators; the
/// parsers do so only between words. Elsewhere it is refused, except in quotes.
fn continued_lines(source: &Source<'_>, first: &Outline) -> Result<(), Refusal> {
    for (at, _) in source.text.match_indices("\\\n") {
        let before = source.text[..at].bytes().next_back();
        let between = matches!(before, None | Some(b' ' | b'\t' | b'\n'));
        let within = || {
            first
                .covered
                .iter()
                .any(|span| span.start < at && at + 1 < span.end)
        };
        if !between && !within() {
            return Err(Refusal::new(
                ReasonCode::NotUnderstood,
                at..at + 2,
                "a line is continued within a word or operator",
            ));
        }
    }
    Ok(())
}

/// The second parser loses the first word of a line after a pipeline of three;
/// alone, each line is read rightly. Lines are cut only where the first parser
/// sees complete commands end.
fn by_line(source: &Source<'_>, tree: &Tree, first: &Outline) -> Option<()> {
    let starts: Vec<usize> = tree.list.0.iter().filter_map(item_start).collect();
    if starts.len() < 2 || starts.len() > 64 {
        return None;
    }
    let mut cuts = Vec::new();
    for start in starts.into_iter().skip(1) {
        let line = source.text.get(..start)?.rfind('\n').map_or(0, |at| at + 1);
        let blank = source.text.get(line..start)?.trim().is_empty();
        if blank && cuts.last() != Some(&line) {
            cuts.push(line);
        }
    }
    if cuts.is_empty() {
        return None;
    }
    cuts.push(source.text.len());
    let mut joined = Outline::default();
    let mut from = 0;
    for cut in cuts {
        let text = source.text.get(from..cut)?;
        // Each piece must be complete for the first parser too.
        let piece = super::primary::parse(&Source::new(text)).ok()?;
        let mut alone = Outline::default();
        outline_list(&piece.list, &mut alone);
        alone.sort();
        let other = second::outline(text);
        compare(&alone, &other, text.len()).ok()?;
        let shift = |range: Range<usize>| range.start + from..range.end + from;
        joined.commands.extend(
            other
                .commands
                .into_iter()
                .map(|words| words.into_iter().map(shift).collect::<Vec<_>>()),
        );
        joined.targets.extend(other.targets.into_iter().map(shift));
        joined
            .substitutions
            .extend(other.substitutions.into_iter().map(shift));
        from = cut;
    }
    joined.sort();
    compare(first, &joined, source.text.len()).ok()
}

fn item_start(item: &Item) -> Option<usize> {
    match item.first.commands.first()? {
        Command::Simple(simple) => Some(simple.span.start),
        Command::Compound(compound) => Some(compound.span.start),
    }
}

fn compare(first: &Outline, second: &Outline, length: usize) -> Result<(), Refusal> {
    let refuse = |span: Range<usize>, message: &str| {
        Err(Refusal::new(ReasonCode::NotUnderstood, span, message))
    };
    if let Some(problem) = &second.problem {
        return refuse(0..length, problem);
    }
    for (mine, other) in first.commands.iter().zip(&second.commands) {
        if mine != other {
            let span = mine.first().cloned().unwrap_or(0..length);
            return refuse(span, "the parsers read this command differently");
        }
    }
    if first.commands.len() != second.commands.len() {
        return refuse(0..length, "the parsers see a different number of commands");
    }
    if first.targets != second.targets {
        return refuse(0..length, "the parsers read a redirect differently");
    }
    if first.substitutions != second.substitutions {
        return refuse(0..length, "the parsers read a substitution differently");
    }
    Ok(())
}

fn outline_list(list: &List, outline: &mut Outline) {
    for item in &list.0 {
        let pipelines = std::iter::once(&item.first).chain(item.rest.iter().map(|(_, rest)| rest));
        for command in pipelines.flat_map(|pipeline| &pipeline.commands) {
            outline_command(command, outline);
        }
    }
}

fn outline_command(command: &Command, outline: &mut Outline) {
    match command {
        Command::Simple(simple) => outline_simple(simple, outline),
        Command::Compound(compound) => outline_compound(compound, outline),
    }
}

fn outline_simple(simple: &Simple, outline: &mut Outline) {
    let bracket = simple.assignments.is_empty()
        && simple.words.first().is_some_and(|word| word.raw == "[")
        && simple.words.last().is_some_and(|word| word.raw == "]");
    if bracket {
        outline.commands.push(vec![simple.span.clone()]);
    } else {
        let assignments = simple.assignments.iter().map(|assign| assign.span.clone());
        let words: Vec<_> = assignments
            .chain(simple.words.iter().map(|word| word.span.clone()))
            .collect();
        if !words.is_empty() {
            outline.commands.push(words);
        }
    }
    for assign in &simple.assignments {
        outline.covered.push(assign.span.clone());
        outline_word(&assign.value, outline);
    }
    outline
        .covered
        .extend(simple.words.iter().map(|word| word.span.clone()));
    for word in &simple.words {
        outline_word(word, outline);
    }
    outline_redirects(&simple.redirects, outline);
}

fn outline_redirects(redirects: &[Redirection], outline: &mut Outline) {
    for redirect in redirects {
        match redirect {
            Redirection::File { target, .. } => {
                outline.targets.push(target.span.clone());
                outline_word(target, outline);
            }
            Redirection::Duplicate { target, .. } => {
                // The second parser has no target for `>&-`.
                if target.raw != "-" {
                    outline.targets.push(target.span.clone());
                }
            }
            Redirection::Text(word) => {
                outline.covered.push(word.span.clone());
                let document = word.raw.ends_with('\n') || word.raw.is_empty();
                if !document {
                    outline.targets.push(word.span.clone());
                }
                outline_word(word, outline);
            }
        }
    }
}

fn outline_word(word: &Word, outline: &mut Outline) {
    for piece in &word.pieces {
        match piece {
            Piece::Substitution { list, span, .. } => {
                outline.substitutions.push(span.clone());
                outline_list(list, outline);
            }
            Piece::Process { list } => outline_list(list, outline),
            Piece::Evaluates { lists, .. } => {
                for (list, span) in lists {
                    outline.substitutions.push(span.clone());
                    outline_list(list, outline);
                }
            }
            _ => {}
        }
    }
}

fn outline_compound(compound: &Compound, outline: &mut Outline) {
    match &compound.kind {
        CompoundKind::Group(list) | CompoundKind::Subshell(list) => outline_list(list, outline),
        CompoundKind::For { values, body, .. } => {
            for word in values.iter().flatten() {
                outline_word(word, outline);
            }
            outline_list(body, outline);
        }
        CompoundKind::Loop {
            condition, body, ..
        } => {
            outline_list(condition, outline);
            outline_list(body, outline);
        }
        CompoundKind::If {
            condition,
            then,
            others,
        } => {
            outline_list(condition, outline);
            outline_list(then, outline);
            for (condition, body) in others {
                if let Some(condition) = condition {
                    outline_list(condition, outline);
                }
                outline_list(body, outline);
            }
        }
        CompoundKind::Case { value, arms } => {
            outline_word(value, outline);
            for (patterns, body) in arms {
                for pattern in patterns {
                    outline_word(pattern, outline);
                }
                outline_list(body, outline);
            }
        }
        CompoundKind::Arithmetic { body: None, .. } => {
            outline.commands.push(vec![compound.span.clone()]);
        }
        CompoundKind::Arithmetic {
            body: Some(body), ..
        } => outline_list(body, outline),
        CompoundKind::Test(terms) => {
            outline.commands.push(vec![compound.span.clone()]);
            for word in terms.iter().flat_map(|term| &term.operands) {
                outline_word(word, outline);
            }
        }
        CompoundKind::Function(body) => outline_compound(body, outline),
        CompoundKind::Coprocess(command) => outline_command(command, outline),
    }
    outline_redirects(&compound.redirects, outline);
}
