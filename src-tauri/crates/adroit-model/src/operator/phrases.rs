//! The phrasings of each command.

use super::command::Command;
use super::lexer::Token;
use super::words::is_content_word;
use super::{asking, delegate, making, reading, replace};

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
    Ask,
    Delegate,
    Tour,
    Help,
}

/// The verb at the beginning, and how many tokens it takes.
fn verb(tokens: &[Token]) -> Option<(Verb, usize)> {
    let word = |at: usize| tokens.get(at).map(Token::lower).unwrap_or_default();
    let (first, second, third) = (word(0), word(1), word(2));
    if delegate::is_delegation(tokens) {
        return Some((Verb::Delegate, 0));
    }
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
        "ask" => Verb::Ask,
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
        // What an agent is told goes to the end.
        Some((Verb::Delegate, _)) => true,
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
        Verb::Read => reading::read(&rest),
        Verb::List => reading::list(&rest),
        Verb::Find => reading::find(&rest, request),
        Verb::Create => making::create(&rest, request),
        Verb::Replace => replace::replace(&tokens[0].lower(), &rest, request),
        Verb::Remove => replace::remove(&rest, request),
        Verb::Run => making::run(&tokens[0].lower(), &rest, request),
        Verb::Ask => asking::ask(&rest, request),
        Verb::Delegate => delegate::command(&rest, request),
        Verb::Tour => Command::Tour,
        Verb::Help => Command::Help,
    })
}
