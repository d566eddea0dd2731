//! The phrasings of each command.

use super::command::{Command, Scope};
use super::lexer::{Kind, Token};
use super::scope::{dir_like, glob_like, scope};

/// The verbs, by what they do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Verb {
    Read,
    List,
    Find,
    Create,
    Replace,
    Remove,
    Run,
    Tour,
    Help,
}

/// The verb at the beginning, and how many tokens it takes.
fn verb(tokens: &[Token]) -> Option<(Verb, usize)> {
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let (first, second, third) = (word(0), word(1), word(2));
    let two = [first.as_str(), second.as_str()];
    let phrase = match (two, third.as_str()) {
        (["look", "for"] | ["search", "for"], _) => Some((Verb::Find, 2)),
        (["look", "at"] | ["show", "me"], _) => Some((Verb::Read, 2)),
        (["look", "around"], _) => Some((Verb::Tour, 2)),
        (["show", "around"], _) => Some((Verb::Tour, 2)),
        (["where", "is" | "are" | "do" | "does"], _) => Some((Verb::Find, 2)),
        (["which" | "what", "files"], "contain" | "mention" | "use" | "have") => {
            Some((Verb::Find, 3))
        }
        (["which" | "what", "files"], _) => Some((Verb::List, 2)),
        (["what" | "how", "can" | "do"], "you" | "i") => Some((Verb::Help, 3)),
        (["what", "is"], "in") => Some((Verb::Read, 3)),
        (["what's", "in"], _) => Some((Verb::Read, 2)),
        (
            [
                "what" | "tell" | "explain" | "describe" | "summarize" | "summarise" | "understand",
                _,
            ],
            _,
        ) if tokens.iter().any(|token| {
            matches!(
                token.lower().as_str(),
                "project" | "codebase" | "repo" | "repository"
            )
        }) =>
        {
            Some((Verb::Tour, 1))
        }
        _ => None,
    };
    if phrase.is_some() {
        return phrase;
    }
    let raw = tokens
        .first()
        .filter(|token| token.is_word())
        .map(|token| token.text.as_str())
        .unwrap_or_default();
    if raw == "$" || raw == "!" {
        return Some((Verb::Run, 1));
    }
    if raw == "?" {
        return Some((Verb::Help, 1));
    }
    let verb = match first.as_str() {
        "read" | "show" | "open" | "view" | "cat" | "print" | "display" => Verb::Read,
        "list" | "ls" | "dir" | "files" => Verb::List,
        "find" | "search" | "grep" | "locate" => Verb::Find,
        "create" | "write" | "make" | "add" | "new" | "save" => Verb::Create,
        "replace" | "change" | "substitute" | "rename" | "edit" | "update" | "swap" => {
            Verb::Replace
        }
        // "in a.txt replace x with y"
        "in" if has_inner_verb(tokens) => Verb::Replace,
        "remove" | "delete" if tokens.get(1).is_some_and(Token::is_literal) => Verb::Remove,
        "run" | "execute" | "exec" | "bash" | "test" => Verb::Run,
        "tour" | "overview" | "introduction" => Verb::Tour,
        "give"
            if tokens
                .iter()
                .any(|token| matches!(token.lower().as_str(), "tour" | "overview")) =>
        {
            Verb::Tour
        }
        "help" | "commands" | "hello" | "hi" | "hallo" => Verb::Help,
        _ => return None,
    };
    Some((
        verb,
        usize::from(!matches!(verb, Verb::Replace) || first != "in"),
    ))
}

fn has_inner_verb(tokens: &[Token]) -> bool {
    tokens.iter().skip(1).any(is_replace_word)
}

fn is_replace_word(token: &Token) -> bool {
    matches!(
        token.lower().as_str(),
        "replace" | "change" | "substitute" | "rename"
    )
}

/// Whether a command begins here. Words that begin one only at the start of a request
/// ("new", "files", "test", "in") do not count in the middle of a sentence.
pub(super) fn begins_command(tokens: &[Token]) -> bool {
    let first = tokens.first().map(Token::lower).unwrap_or_default();
    let inner = !matches!(
        first.as_str(),
        "new" | "files" | "in" | "dir" | "hi" | "commands" | "make" | "add" | "save"
    );
    (inner || tokens.len() > 2) && verb(tokens).is_some()
}

/// Whether the words so far may go on with anything: a command line, or unquoted content.
pub(super) fn is_open_ended(tokens: &[Token]) -> bool {
    match verb(tokens) {
        Some((Verb::Run, _)) => !tokens.last().is_some_and(Token::is_literal),
        Some((Verb::Create, _)) => {
            let content = tokens
                .iter()
                .position(|token| is_content_word(&token.lower()));
            content.is_some() && !tokens.last().is_some_and(Token::is_literal)
        }
        Some((Verb::Find | Verb::Replace, _)) => false,
        _ => false,
    }
}

/// The command of one segment; none for a segment without words.
pub(super) fn command(tokens: &[Token], request: &str) -> Option<Command> {
    let first = tokens.first()?;
    let Some((verb, length)) = verb(tokens) else {
        let end = tokens.last().map_or(first.span.end, |last| last.span.end);
        return Some(Command::Unknown {
            words: request[first.span.start..end].to_owned(),
        });
    };
    let rest: Vec<Token> = tokens[length..].to_vec();
    Some(match verb {
        Verb::Read => read(&rest),
        Verb::List => list(&rest),
        Verb::Find => find(&rest, request),
        Verb::Create => create(&rest, request),
        Verb::Replace => super::replace::replace(&tokens[0].lower(), &rest, request),
        Verb::Remove => super::replace::remove(&rest, request),
        Verb::Run => run(&tokens[0].lower(), &rest, request),
        Verb::Tour => Command::Tour,
        Verb::Help => Command::Help,
    })
}

/// The request from the first to the last of these tokens; what it says exactly, when it is one quoted piece.
pub(super) fn span_text(tokens: &[Token], request: &str) -> String {
    match tokens {
        [] => String::new(),
        [one] if one.is_literal() => one.text.clone(),
        [one] => one.name().to_owned(),
        [first, .., last] => {
            let end = last.span.start
                + if last.is_word() {
                    last.name().len()
                } else {
                    last.span.len()
                };
            request[first.span.start..end].to_owned()
        }
    }
}

fn without<'a>(mut tokens: &'a [Token], fillers: &[&str]) -> &'a [Token] {
    while tokens
        .first()
        .is_some_and(|token| token.kind == Kind::Break || fillers.contains(&token.lower().as_str()))
    {
        tokens = &tokens[1..];
    }
    tokens
}

fn number(token: &Token) -> Option<u64> {
    token.name().parse().ok()
}

/// `10-20`, or a single line.
fn range(text: &str) -> Option<(u64, u64)> {
    let (first, last) = text.split_once(['-', '–']).unwrap_or((text, text));
    let (first, last) = (first.parse().ok()?, last.parse().ok()?);
    (first >= 1 && last >= first).then_some((first, last))
}

fn read(tokens: &[Token]) -> Command {
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

fn list(tokens: &[Token]) -> Command {
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

fn find(tokens: &[Token], request: &str) -> Command {
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
        tokens.iter().rposition(is_place_word).filter(|at| *at > 0)
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

/// Words after which a place follows.
pub(super) fn is_place_word(token: &Token) -> bool {
    matches!(
        token.lower().as_str(),
        "in" | "across" | "everywhere" | "throughout" | "inside" | "within" | "under" | "below"
    )
}

fn is_content_word(word: &str) -> bool {
    matches!(
        word,
        "with" | "containing" | "saying" | "contains" | "says" | "having"
    )
}

fn create(tokens: &[Token], request: &str) -> Command {
    const FILLERS: &[&str] = &[
        "a", "an", "the", "new", "empty", "file", "called", "named", "document", "text", "at", "me",
    ];
    const CONTENT_FILLERS: &[&str] = &[
        "the",
        "content",
        "contents",
        "text",
        "following",
        "this",
        "lines",
        "line",
        "as",
    ];
    let tokens = without(tokens, FILLERS);
    // "write CONTENT to PATH"
    let to = tokens
        .iter()
        .rposition(|token| matches!(token.lower().as_str(), "to" | "into"));
    let content_word = tokens
        .iter()
        .position(|token| is_content_word(&token.lower()));
    if let Some(at) = to
        && (content_word.is_none_or(|word| word > at) || tokens[0].is_literal())
        && let Some(path) = without(&tokens[at + 1..], FILLERS).first()
        && at > 0
    {
        return Command::Create {
            path: path.name().to_owned(),
            content: span_text(&tokens[..at], request),
        };
    }
    let Some(path) = tokens.first().filter(|token| token.kind != Kind::Fence) else {
        return Command::Help;
    };
    let mut rest = &tokens[1..];
    if rest
        .first()
        .is_some_and(|token| token.lower() == "that" || token.lower() == "which")
    {
        rest = &rest[1..];
    }
    let content = match rest
        .iter()
        .position(|token| is_content_word(&token.lower()))
    {
        Some(at) => without(&rest[at + 1..], CONTENT_FILLERS),
        None => rest,
    };
    let content = without(content, &[":"]);
    let literal = content.iter().find(|token| token.is_literal());
    let content = match (literal, content) {
        (Some(literal), [first, ..]) if first.is_literal() || literal.kind == Kind::Fence => {
            literal.text.clone()
        }
        (_, [first, .., last]) => request[first.span.start..last.span.end].to_owned(),
        (_, [one]) => one.text.clone(),
        (_, []) => String::new(),
    };
    Command::Create {
        path: path.name().to_owned(),
        content,
    }
}

fn run(verb: &str, tokens: &[Token], request: &str) -> Command {
    let words: Vec<String> = tokens.iter().map(Token::lower).collect();
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    if matches!(
        (verb, &words[..]),
        (
            "run",
            ["the" | "all", "tests"] | ["tests"] | ["all", "the", "tests"]
        ) | ("test", [] | ["it"] | ["the", "project"])
    ) {
        return Command::Test;
    }
    if verb == "test" {
        return Command::Unknown {
            words: format!("test {}", span_text(tokens, request)),
        };
    }
    let tokens = match &words[..] {
        ["the", "command", ..] => &tokens[2..],
        ["command", ..] => &tokens[1..],
        _ => tokens,
    };
    let command = match tokens {
        [] => return Command::Help,
        [one] if one.is_literal() => one.text.trim_end().to_owned(),
        [first, .., last] if last.is_word() => {
            // The full stop of a sentence, but not the one of `ls .` or `cat a.`.
            let plain = last
                .text
                .strip_suffix('.')
                .filter(|word| word.len() > 1 && word.chars().all(char::is_alphanumeric));
            request[first.span.start..last.span.start + plain.unwrap_or(&last.text).len()]
                .to_owned()
        }
        [first, .., last] => request[first.span.start..last.span.end].to_owned(),
        [one] => one.text.clone(),
    };
    Command::Run { command }
}
