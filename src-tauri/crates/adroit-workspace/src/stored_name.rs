//! The name that a folder itself has for a file, where the system takes other spellings for it.
//!
//! On some file systems (macOS, Windows, folders that fold case on Linux) `.ENV` opens `.env`, and a name
//! composed otherwise opens it too. The system does not say so: it just opens the file. A rule about
//! `.env`, the lock of a file and what was read of it go by the name, so the name has to be the one that
//! there is. Blocks passing a rule by another spelling.

use std::ffi::{OsStr, OsString};
use std::os::unix::fs::DirEntryExt;
use std::path::Path;

use unicode_normalization::UnicodeNormalization as _;

/// The name in `folder` of the file that `name` was found to open, whose number is this; nothing where that
/// is `name` itself.
///
/// Costs a question or two: whether another spelling opens anything. Where none does, as on nearly every
/// Linux system, the folder is not read. Whether it opens the same file is not asked: some file systems
/// (exFAT and others through FUSE) number a file anew for each spelling.
pub(crate) fn stored_name(folder: &Path, name: &OsStr, number: u64) -> Option<OsString> {
    let opens = |spelling: &String| folder.join(spelling).symlink_metadata().is_ok();
    if !other_spellings(name.to_str()?).iter().any(opens) {
        return None;
    }
    let entries = std::fs::read_dir(folder).ok()?.flatten();
    among(
        name,
        number,
        entries.map(|entry| (entry.file_name(), entry.ino())),
    )
}

/// The name of the entry that `name` is another spelling of, unless there is one that is spelled so: files
/// may have several names (hard links), of which each is itself. Among several the one with this number.
fn among(
    name: &OsStr,
    number: u64,
    entries: impl Iterator<Item = (OsString, u64)>,
) -> Option<OsString> {
    let wanted = folded(name.to_str()?);
    let mut stored: Vec<(OsString, bool)> = Vec::new();
    for (entry, entry_number) in entries {
        if entry == name {
            return None;
        }
        // What is spelled quite otherwise is another name, and not this one folded.
        if entry.to_str().is_some_and(|text| folded(text) == wanted) {
            stored.push((entry, entry_number == number));
        }
    }
    let only = stored.len() == 1;
    stored
        .into_iter()
        .find(|(_, is_same)| *is_same || only)
        .map(|(entry, _)| entry)
}

/// The same name in the other case, and composed otherwise; without `name` itself.
fn other_spellings(name: &str) -> Vec<String> {
    let swapped: String = name
        .chars()
        .flat_map(|character| {
            let other: Vec<char> = if character.is_lowercase() {
                character.to_uppercase().collect()
            } else {
                character.to_lowercase().collect()
            };
            other
        })
        .collect();
    let mut spellings = vec![swapped];
    if !name.is_ascii() {
        spellings.extend([name.nfc().collect(), name.nfd().collect()]);
    }
    spellings.retain(|spelling| spelling != name);
    spellings
}

fn folded(name: &str) -> String {
    name.nfd().flat_map(char::to_lowercase).nfc().collect()
}

#[cfg(test)]
mod tests {
    use std::os::unix::fs::MetadataExt as _;

    use super::*;

    fn stored(name: &str, entries: &[(&str, u64)]) -> Option<String> {
        let entries = entries
            .iter()
            .map(|(name, number)| (OsString::from(name), *number));
        among(OsStr::new(name), 7, entries).map(|name| name.into_string().unwrap())
    }

    #[test]
    fn the_entry_of_another_case_or_form_is_the_file() {
        assert_eq!(
            stored(".ENV", &[("a", 1), (".env", 7)]).as_deref(),
            Some(".env")
        );
        assert_eq!(
            stored("CAF\u{c9}.md", &[("cafe\u{301}.md", 7)]).as_deref(),
            Some("cafe\u{301}.md")
        );
        assert_eq!(stored("stra\u{df}e", &[("stra\u{df}e", 7)]), None);
        // Hard links: each name is itself, however the other is spelled.
        assert_eq!(stored("File", &[("fILE", 7), ("File", 7)]), None);
        assert_eq!(stored("File", &[("other", 7)]), None);
        // Numbers that tell nothing: what is not listed and opens is the one that folds to it.
        assert_eq!(stored("File", &[("file", 8)]).as_deref(), Some("file"));
        assert_eq!(stored("File", &[("file", 8), ("FILE", 9)]), None);
        assert_eq!(
            stored("File", &[("file", 8), ("FILE", 7)]).as_deref(),
            Some("FILE")
        );
    }

    #[test]
    fn each_name_has_its_other_spellings() {
        assert_eq!(other_spellings("Read.md"), ["rEAD.MD"]);
        assert_eq!(other_spellings("123"), Vec::<String>::new());
        assert!(other_spellings("\u{e9}").contains(&"e\u{301}".to_owned()));
    }

    /// Where case matters, names that differ in it are different files, whatever they share.
    #[test]
    fn where_case_matters_nothing_is_taken_for_another() {
        let temporary = tempfile::tempdir().unwrap();
        let folder = temporary.path().canonicalize().unwrap();
        std::fs::write(folder.join("file"), "").unwrap();
        let is_folding = folder.join("FILE").symlink_metadata().is_ok();
        if is_folding {
            let facts = folder.join("FILE").symlink_metadata().unwrap();
            let name = stored_name(&folder, OsStr::new("FILE"), facts.ino());
            assert_eq!(name.as_deref(), Some(OsStr::new("file")));
            return;
        }
        std::fs::hard_link(folder.join("file"), folder.join("FILE")).unwrap();
        for name in ["file", "FILE"] {
            let facts = folder.join(name).symlink_metadata().unwrap();
            let stored = stored_name(&folder, OsStr::new(name), facts.ino());
            assert_eq!(stored, None, "{name}");
        }
    }
}
