//! Programs that print names of files, and what then reads those names.

use super::Evaluator;
use super::expand::{self, Argument};
use super::state::State;
use crate::syntax::tree::{Command, Simple};
use crate::types::Below;
use crate::verdict;

impl Evaluator<'_> {
    /// What `command` writes is what the next of its pipeline reads.
    pub(super) fn feed(&mut self, command: &Command, state: &State) {
        if passes_lines(command) && self.fed_by.is_some() {
            return;
        }
        self.fed_by = None;
        self.fed_from = Below {
            one_by_one: true,
            ..Below::everything()
        };
        let Command::Simple(simple) = command else {
            return;
        };
        if !lists_files(simple) {
            return;
        }
        let words: Vec<Argument> = simple
            .words
            .iter()
            .flat_map(|word| expand::expand(word, state, self.context))
            .collect();
        let arguments = words.get(1..).unwrap_or_default();
        if matches!(
            words.first().and_then(Argument::literal),
            Some("find" | "gfind")
        ) {
            self.fed_from.names = verdict::find_names(arguments);
            self.fed_from.one_by_one = !verdict::finds_no_links(arguments);
            self.fed_by = Some(verdict::find_places(arguments));
            return;
        }
        let lists = words.first().and_then(Argument::literal) == Some("ls");
        if lists {
            let has = |letters: [char; 2], long: [&str; 2]| {
                arguments.iter().any(|argument| match argument.literal() {
                    Some(text) if text.starts_with("--") => long
                        .iter()
                        .any(|name| text.len() > 2 && name.starts_with(text)),
                    Some(text) => text.starts_with('-') && text.contains(letters),
                    None => true,
                })
            };
            self.fed_from.shallow = !has(['R', 'R'], ["--recursive", "--recursive"]);
            self.fed_from.hidden =
                has(['a', 'A'], ["--all", "--almost-all"]) || has(['f', 'f'], ["--all", "--all"]);
        }
        // Names come as the program was given their folders; the folder where it runs is
        // among them wherever it was given none.
        let mut places = vec![Argument::synthetic(".", simple.span.clone())];
        let named = arguments.iter().filter(|argument| {
            argument
                .literal()
                .is_some_and(|text| !text.starts_with('-') && (lists || text.contains('/')))
        });
        places.extend(named.cloned());
        self.fed_from.names = vec![Below::SOME.to_owned()];
        self.fed_by = Some(places);
    }
}

/// Prints names of files below the places that it names itself, and nothing else.
fn lists_files(simple: &Simple) -> bool {
    let words: Vec<&str> = simple.words.iter().map(|word| word.raw.as_str()).collect();
    let has_flag = |letter: char, long: &[&str]| {
        words.iter().any(|word| {
            long.contains(word)
                || (word.starts_with('-') && !word.starts_with("--") && word.contains(letter))
        })
    };
    match words.as_slice() {
        ["find" | "gfind" | "fd" | "fdfind" | "ls", ..] => true,
        ["git", "ls-files", ..] => true,
        ["git", "diff" | "log" | "show", rest @ ..] => rest.contains(&"--name-only"),
        ["git", "grep", ..] | ["grep" | "egrep" | "fgrep" | "rg", ..] => has_flag(
            'l',
            &["--files", "--files-with-matches", "--files-without-match"],
        ),
        _ => false,
    }
}

/// Gives some of the lines that it reads, unchanged. With a file among its words it reads
/// that instead.
fn passes_lines(command: &Command) -> bool {
    let Command::Simple(simple) = command else {
        return false;
    };
    let mut words = simple.words.iter().map(|word| word.raw.as_str());
    let patterns = match words.next() {
        Some("grep" | "egrep" | "fgrep" | "rg") => 1,
        Some("head" | "tail" | "sort" | "uniq") => 0,
        _ => return false,
    };
    let is_number = |word: &str| word.bytes().all(|byte| byte.is_ascii_digit());
    let operands = words.filter(|word| !word.starts_with('-') && !is_number(word));
    operands.count() <= patterns
}
