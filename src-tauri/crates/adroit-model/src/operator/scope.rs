//! Places: "in a.txt", "in all *.md files", "across src/", "everywhere".

use super::command::Scope;
use super::lexer::{Kind, Token};
use super::words::is_place_word;

/// Words that name no place of their own.
const FILLERS: &[&str] = &[
    "in",
    "across",
    "everywhere",
    "throughout",
    "inside",
    "within",
    "under",
    "below",
    "from",
    "the",
    "all",
    "every",
    "each",
    "any",
    "of",
    "file",
    "files",
    "folder",
    "directory",
    "project",
    "code",
    "codebase",
    "repo",
    "repository",
    "whole",
    "entire",
    "and",
    "it",
    "this",
    "source",
];

/// Files without an extension that are no folders.
const PLAIN_FILES: &[&str] = &[
    "makefile",
    "dockerfile",
    "license",
    "licence",
    "readme",
    "changelog",
    "authors",
    "procfile",
    "gemfile",
    "rakefile",
    "justfile",
    "codeowners",
];

/// The place that these tokens name.
pub(super) fn scope(tokens: &[Token]) -> Scope {
    let mut scope = Scope::default();
    let mut globs: Vec<String> = Vec::new();
    for token in tokens.iter().filter(|token| token.kind != Kind::Break) {
        if token.is_word() && FILLERS.contains(&token.lower().as_str()) {
            continue;
        }
        for name in token.name().split(',').filter(|name| !name.is_empty()) {
            if let Some(glob) = language(&name.to_lowercase()).filter(|_| token.is_word()) {
                globs.push(glob.into());
            } else if glob_like(name) {
                globs.push(name.into());
            } else if dir_like(name) {
                scope.folder = Some(name.into());
            } else {
                scope.files.push(name.into());
            }
        }
    }
    scope.glob = match &globs[..] {
        [] => None,
        [one] => Some(one.clone()),
        several => Some(format!("{{{}}}", several.join(","))),
    };
    scope
}

/// Where the place at the end of these tokens begins: at the last word that leads to a place,
/// and before it as long as there is nothing but place between ("in all markdown files in docs/").
pub(super) fn place_start(tokens: &[Token]) -> Option<usize> {
    let mut start = tokens.iter().rposition(is_place_word)?;
    while let Some(earlier) = tokens[..start].iter().rposition(is_place_word) {
        let between = &tokens[earlier + 1..start];
        let only_place = |token: &Token| {
            let word = token.lower();
            token.is_word()
                && (FILLERS.contains(&word.as_str())
                    || language(&word).is_some()
                    || glob_like(token.name()))
        };
        if between.is_empty() || !between.iter().all(only_place) {
            break;
        }
        start = earlier;
    }
    Some(start)
}

/// Whether it is a pattern and not a name.
pub(super) fn glob_like(name: &str) -> bool {
    name.contains(['*', '?']) || name.contains('{') && name.contains('}')
}

/// Whether a name is that of a folder, as far as a name tells.
pub(super) fn dir_like(name: &str) -> bool {
    let last = name
        .trim_end_matches('/')
        .rsplit('/')
        .next()
        .unwrap_or_default();
    name.ends_with('/')
        || matches!(name, "." | "..")
        || !last.contains('.') && !PLAIN_FILES.contains(&last.to_lowercase().as_str())
}

/// "rust files"
fn language(word: &str) -> Option<&'static str> {
    Some(match word {
        "rust" => "*.rs",
        "python" => "*.py",
        "javascript" => "*.{js,jsx,mjs,cjs}",
        "typescript" => "*.{ts,tsx}",
        "markdown" => "*.md",
        "json" => "*.json",
        "toml" => "*.toml",
        "yaml" => "*.{yml,yaml}",
        "html" => "*.html",
        "css" => "*.css",
        "java" => "*.java",
        _ => return None,
    })
}
