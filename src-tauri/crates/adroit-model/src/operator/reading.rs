//! The phrasings of reading, listing and finding.

use super::command::{Command, Scope};
use super::lexer::{Kind, Token};
use super::scope::{dir_like, glob_like, place_start, scope};
use super::words::{is_place_word, span_text, without};

fn number(token: &Token) -> Option<u64> {
    token.name().parse().ok()
}

/// `10-20`, or a single line.
fn range(text: &str) -> Option<(u64, u64)> {
    let (first, last) = text.split_once(['-', '–']).unwrap_or((text, text));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first >= 1 && last >= first).then_some((first, last))
}

pub(super) fn read(tokens: &[Token]) -> Command {
    let words: Vec<String> = tokens.iter().map(Token::lower).collect();
    if words
        .iter()
        .any(|word| matches!(word.as_str(), "files" | "folder" | "directory"))
        && !tokens.iter().any(Token::is_literal)
    {
        let named = tokens
            .iter()
            .any(|token| token.name().contains('.') && !dir_like(token.name()));
        if !named {
            return list(tokens);
        }
    }
    if words
        .iter()
        .any(|word| matches!(word.as_str(), "around" | "tour" | "overview"))
    {
        return Command::Tour;
    }
    let (mut first, mut count) = (None, None);
    let mut paths: Vec<String> = Vec::new();
    let mut at = 0;
    while at < tokens.len() {
        let token = &tokens[at];
        let following = tokens.get(at + 1);
        match words[at].as_str() {
            "line" | "lines" => {
                let from = following.and_then(|token| range(token.name()));
                let to = tokens
                    .get(at + 3)
                    .filter(|_| words.get(at + 2).is_some_and(|word| word == "to"))
                    .and_then(number);
                if let Some((begin, end)) = from {
                    let end = to.unwrap_or(end).max(begin);
                    (first, count) = (Some(begin), Some(end - begin + 1));
                    at += if to.is_some() { 4 } else { 2 };
                    continue;
                }
            }
            "first" => {
                if let Some(lines) = following.and_then(number) {
                    (first, count) = (Some(1), Some(lines));
                    at += 2;
                    continue;
                }
            }
            word if token.is_word() && is_read_filler(word) => {}
            _ if token.kind == Kind::Break => {}
            _ => paths.extend(path_with_lines(token, &mut first, &mut count)),
        }
        at += 1;
    }
    match &paths[..] {
        [] => Command::Help,
        [one] if glob_like(one) => Command::Glob {
            pattern: one.clone(),
            folder: None,
        },
        [one] if one.ends_with('/') || one == "." => Command::List {
            folder: one.clone(),
        },
        _ => Command::Read {
            paths,
            first,
            count,
        },
    }
}

fn is_read_filler(word: &str) -> bool {
    matches!(
        word,
        "the"
            | "file"
            | "files"
            | "content"
            | "contents"
            | "of"
            | "me"
            | "and"
            | "in"
            | "at"
            | "from"
            | "to"
            | "out"
            | "it"
            | "a"
    )
}

/// The paths of a token ("a.txt,b.txt"), with a range after a colon ("a.txt:3-9").
fn path_with_lines(token: &Token, first: &mut Option<u64>, count: &mut Option<u64>) -> Vec<String> {
    if !token.is_word() {
        return vec![token.text.clone()];
    }
    let mut paths = Vec::new();
    for path in token.name().split(',').filter(|path| !path.is_empty()) {
        match path
            .rsplit_once(':')
            .and_then(|(path, lines)| Some((path, range(lines)?)))
        {
            Some((path, (begin, end))) => {
                (*first, *count) = (Some(begin), Some(end - begin + 1));
                paths.push(path.to_owned());
            }
            None => paths.push(path.to_owned()),
        }
    }
    paths
}

pub(super) fn list(tokens: &[Token]) -> Command {
    const FILLERS: &[&str] = &[
        "the",
        "all",
        "files",
        "file",
        "folder",
        "folders",
        "directory",
        "in",
        "of",
        "under",
        "inside",
        "me",
        "every",
        "content",
        "contents",
        "are",
        "there",
        "is",
        "this",
        "project",
        "here",
        "below",
        "and",
        "directories",
    ];
    let named: Vec<&Token> = tokens
        .iter()
        .filter(|token| token.kind != Kind::Break && !FILLERS.contains(&token.lower().as_str()))
        .collect();
    let pattern = named.iter().find(|token| glob_like(token.name()));
    let folder = named.iter().find(|token| !glob_like(token.name()));
    let folder = folder.map(|token| token.name().to_owned());
    match pattern {
        Some(pattern) => Command::Glob {
            pattern: anywhere(pattern.name()),
            folder,
        },
        None => Command::List {
            folder: folder.unwrap_or_else(|| ".".into()),
        },
    }
}

/// A pattern for a name means that name in any folder.
fn anywhere(pattern: &str) -> String {
    if pattern.contains('/') {
        pattern.to_owned()
    } else {
        format!("**/{pattern}")
    }
}

pub(super) fn find(tokens: &[Token], request: &str) -> Command {
    const FILLERS: &[&str] = &[
        "for",
        "all",
        "every",
        "occurrences",
        "occurrence",
        "uses",
        "usages",
        "of",
        "the",
        "text",
        "word",
        "string",
        "me",
        "where",
        "through",
        "project",
        "code",
        "codebase",
        "lines",
        "with",
    ];
    let files = tokens
        .iter()
        .take(3)
        .any(|token| matches!(token.lower().as_str(), "files" | "file"));
    let named = tokens.iter().position(|token| {
        matches!(
            token.lower().as_str(),
            "named" | "called" | "matching" | "like"
        )
    });
    if let Some(at) = named.filter(|_| files)
        && let Some(name) = tokens.get(at + 1)
    {
        return by_name(name.name(), &tokens[at + 2..]);
    }
    let tokens = without(tokens, FILLERS);
    let contain = tokens
        .iter()
        .position(|token| matches!(token.lower().as_str(), "containing" | "contain"));
    let tokens = match contain.filter(|_| files) {
        Some(at) => without(&tokens[at + 1..], FILLERS),
        None => tokens,
    };
    let Some(first) = tokens.first() else {
        return Command::Help;
    };
    let glob_first = first.is_word() && glob_like(first.name());
    let rest_is_place = tokens[1..]
        .iter()
        .all(|token| matches!(token.lower().as_str(), "files" | "file"))
        || tokens.get(1).is_some_and(is_place_word);
    if glob_first && rest_is_place || first.is_word() && files && glob_like(first.name()) {
        return by_name(first.name(), &tokens[1..]);
    }
    let place = if first.is_literal() {
        Some(1)
    } else {
        place_start(tokens).filter(|at| *at > 0)
    };
    let (mut text, scope) = match place {
        Some(at) => (span_text(&tokens[..at], request), scope(&tokens[at..])),
        None => (span_text(tokens, request), Scope::default()),
    };
    for ending in [" used", " defined", " mentioned", " called"] {
        if let Some(shorter) = text.strip_suffix(ending).filter(|_| !first.is_literal()) {
            text = shorter.to_owned();
        }
    }
    Command::Find { text, scope }
}

fn by_name(name: &str, rest: &[Token]) -> Command {
    let folder = scope(rest).folder;
    let pattern = if glob_like(name) || name.contains('.') {
        name.to_owned()
    } else {
        format!("*{name}*")
    };
    Command::Glob {
        pattern: anywhere(&pattern),
        folder,
    }
}
