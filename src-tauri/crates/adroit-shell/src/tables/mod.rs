//! The tables of programs, and how a command finds its row.

mod acting;
mod developer;
mod files;
pub(crate) mod git;
pub(crate) mod globals;
pub(crate) mod help;
mod languages;
mod machine;
pub(crate) mod row;
mod search;
mod system;

use std::collections::HashMap;
use std::sync::LazyLock;

use row::{Kind, Row, acts};

/// What is known of one name: the row with which it may be read-only, and the
/// one that says what its words are when it is not.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Entry {
    /// All read-only forms. A program may have several, tried in order.
    pub reading: [Option<&'static Row>; 3],
    pub acting: Option<&'static Row>,
}

/// A program that is not in any table: words that look like paths are paths.
pub(crate) static UNKNOWN: Row = acts("", "g*", "");

static TABLE: LazyLock<HashMap<&'static str, Entry>> = LazyLock::new(|| {
    let mut table: HashMap<&'static str, Entry> = HashMap::new();
    let rows = [
        files::ROWS,
        search::ROWS,
        system::ROWS,
        git::ROWS,
        developer::ROWS,
        languages::ROWS,
        machine::ROWS,
        acting::ROWS,
    ];
    for row in rows.into_iter().flatten() {
        for name in row.names.split('|') {
            let entry = table.entry(name).or_default();
            if row.kind == Kind::Acts {
                entry.acting.get_or_insert(row);
            } else if let Some(free) = entry.reading.iter_mut().find(|slot| slot.is_none()) {
                *free = Some(row);
            }
        }
    }
    table
});

/// Whether some row is about `program` or a subcommand of it.
pub(crate) fn is_listed(program: &str) -> bool {
    TABLE
        .keys()
        .any(|name| name.split(' ').next() == Some(program))
}

/// The program that a command runs, with its subcommand.
pub(crate) struct Found {
    pub entry: Entry,
    /// Number of arguments (after the program) that belong to the name.
    pub skip: usize,
    /// A global option before the subcommand that is not known to be harmless.
    pub global_refused: Option<usize>,
    pub name: String,
}

/// Finds `program` in the tables. `words` are the literal arguments after it
/// up to the first that is not literal.
pub(crate) fn find(program: &str, words: &[Option<&str>]) -> Found {
    let mut skip = 0;
    let mut global_refused = None;
    if let Some(globals) = globals::of(program) {
        while let Some(Some(word)) = words.get(skip) {
            if !word.starts_with('-') || (program == "git" && is_git_question(word)) {
                break;
            }
            if program == "git"
                && *word == "-c"
                && let Some(Some(setting)) = words.get(skip + 1)
                && git::is_harmless_setting(setting)
            {
                skip += 2;
                continue;
            }
            let Some(known) = globals.option(word) else {
                if program != "git" {
                    break;
                }
                // Any other option of git may make it run something.
                global_refused.get_or_insert(skip);
                skip += 1;
                continue;
            };
            if !known.harmless {
                global_refused.get_or_insert(skip);
            }
            skip += known.words;
        }
        if program != "git" && !matches!(words.get(skip), Some(Some(_))) {
            // There is no subcommand: the options are the program's own.
            skip = 0;
            global_refused = None;
        }
    }
    if program == "docker" && words.first() == Some(&Some("compose")) {
        // `docker compose -f a.yml ps`: what is asked stands after these.
        let mut at = 1;
        while let Some(Some("-f" | "--file" | "-p" | "--project-name" | "--profile")) =
            words.get(at)
        {
            at += 2;
        }
        if at > 1
            && let Some(Some(verb)) = words.get(at)
            && let name = format!("docker compose {verb}")
            && let Some(entry) = TABLE.get(name.as_str())
        {
            return Found {
                entry: *entry,
                skip: at + 1,
                global_refused: None,
                name,
            };
        }
    }
    let subcommand = |count: usize| -> Option<String> {
        let mut name = program.to_owned();
        for word in words.get(skip..skip + count)? {
            name.push(' ');
            name.push_str((*word)?);
        }
        Some(name)
    };
    for count in [2, 1] {
        if let Some(name) = subcommand(count)
            && let Some(entry) = TABLE.get(name.as_str())
        {
            return Found {
                entry: *entry,
                skip: skip + count,
                global_refused,
                name,
            };
        }
    }
    let entry = TABLE.get(program).copied().unwrap_or_default();
    if program != "git" {
        // No subcommand that is known: `rg -s x` has options and operands alone.
        skip = 0;
        global_refused = None;
    }
    Found {
        entry,
        skip: if global_refused.is_some() { 0 } else { skip },
        global_refused,
        name: program.to_owned(),
    }
}

/// Options with which git tells something of itself.
fn is_git_question(word: &str) -> bool {
    matches!(
        word,
        "-v" | "--version"
            | "--help"
            | "-h"
            | "--html-path"
            | "--man-path"
            | "--info-path"
            | "--exec-path"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_flag_list_is_well_formed() {
        for (name, entry) in TABLE.iter() {
            for row in entry.reading.iter().flatten().chain(&entry.acting) {
                for flag in row.flags.split_ascii_whitespace() {
                    assert!(flag.starts_with('-'), "{name}: {flag}");
                    let bare = flag.split(['=', '?', '!', '^']).next().unwrap_or(flag);
                    assert!(
                        row::flag(row.flags, bare).is_some(),
                        "{name}: {flag} cannot be looked up"
                    );
                }
                assert!(
                    row.operands
                        .chars()
                        .all(|letter| "tpwrgG*".contains(letter)),
                    "{name}: {}",
                    row.operands
                );
            }
        }
    }

    #[test]
    fn no_name_has_more_forms_than_fit() {
        let mut count: HashMap<&str, usize> = HashMap::new();
        for row in [
            files::ROWS,
            search::ROWS,
            system::ROWS,
            git::ROWS,
            developer::ROWS,
            languages::ROWS,
            machine::ROWS,
        ]
        .into_iter()
        .flatten()
        .filter(|row| row.kind != Kind::Acts)
        {
            for name in row.names.split('|') {
                *count.entry(name).or_default() += 1;
            }
        }
        count.retain(|_, count| *count > 3);
        assert!(count.is_empty(), "{count:?}");
    }
}
