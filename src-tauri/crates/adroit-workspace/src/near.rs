//! Names close to one that is not there.

use std::path::{Path, PathBuf};

use unicode_normalization::UnicodeNormalization as _;

/// A folder with more entries than this is sampled, so that a wrong name stays cheap.
const MAX_ENTRIES: usize = 10_000;

/// Existing paths that `missing` may have meant, best first: the same name but for case, spaces or
/// quotes; the same name with another extension; a few typing errors away. Where a folder on the way is
/// missing, its neighbours are compared instead.
pub fn near_names(missing: &Path, limit: usize) -> Vec<PathBuf> {
    let mut wanted = missing;
    while let Some(parent) = wanted.parent() {
        if parent.is_dir() {
            return nearest_in(parent, wanted, limit);
        }
        wanted = parent;
    }
    Vec::new()
}

/// How many single-character changes lead from one text to the other. Two neighbours that changed places are
/// one change.
pub(crate) fn distance(left: &str, right: &str) -> usize {
    let right: Vec<char> = right.chars().collect();
    let mut before: Vec<usize> = Vec::new();
    let mut row: Vec<usize> = (0..=right.len()).collect();
    let mut last = None;
    for (i, a) in left.chars().enumerate() {
        let mut next = vec![i + 1];
        for (j, b) in right.iter().enumerate() {
            let substituted = row[j] + usize::from(a != *b);
            let mut best = substituted.min(next[j] + 1).min(row[j + 1] + 1);
            if j > 0 && last == Some(*b) && right[j - 1] == a {
                best = best.min(before[j - 1] + 1);
            }
            next.push(best);
        }
        before = std::mem::replace(&mut row, next);
        last = Some(a);
    }
    row[right.len()]
}

fn nearest_in(parent: &Path, wanted: &Path, limit: usize) -> Vec<PathBuf> {
    let Some(name) = wanted
        .file_name()
        .map(|name| name.to_string_lossy().into_owned())
    else {
        return Vec::new();
    };
    let Ok(entries) = std::fs::read_dir(parent) else {
        return Vec::new();
    };
    let folded = fold(&name);
    let stem = stem_of(&folded).to_owned();
    let allowed = (folded.chars().count() / 3).clamp(1, 4);
    let mut found: Vec<(usize, PathBuf)> = entries
        .flatten()
        .take(MAX_ENTRIES)
        .filter_map(|entry| {
            let candidate = fold(&entry.file_name().to_string_lossy());
            let score = if candidate == folded {
                0
            } else if stem.len() > 1 && stem_of(&candidate) == stem {
                1
            } else {
                let distance = distance(&folded, &candidate);
                if distance > allowed {
                    return None;
                }
                1 + distance
            };
            Some((score, entry.path()))
        })
        .collect();
    found.sort();
    found
        .into_iter()
        .take(limit)
        .map(|(_, path)| path)
        .collect()
}

fn stem_of(name: &str) -> &str {
    match name.rsplit_once('.') {
        Some((stem, _)) if !stem.is_empty() => stem,
        _ => name,
    }
}

/// One form for what looks alike: letters with their accents are one character, any space is a plain one,
/// curly quotes are straight, dashes are hyphens.
pub(crate) fn fold(text: &str) -> String {
    text.nfc()
        .map(fold_character)
        .flat_map(char::to_lowercase)
        .collect()
}

pub(crate) fn fold_character(character: char) -> char {
    match character {
        '\u{2018}' | '\u{2019}' | '\u{201b}' | '\u{2032}' => '\'',
        '\u{201c}' | '\u{201d}' | '\u{201f}' | '\u{2033}' => '"',
        '\u{2010}'..='\u{2015}' | '\u{2212}' => '-',
        '\t' => ' ',
        other if other.is_whitespace() && other != '\n' && other != '\r' => ' ',
        other => other,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(files: &[&str], missing: &str) -> Vec<String> {
        let folder = tempfile::tempdir().unwrap();
        for file in files {
            let path = folder.path().join(file);
            std::fs::create_dir_all(path.parent().unwrap()).unwrap();
            std::fs::write(path, "").unwrap();
        }
        near_names(&folder.path().join(missing), 3)
            .iter()
            .map(|path| {
                path.strip_prefix(folder.path())
                    .unwrap()
                    .to_string_lossy()
                    .into_owned()
            })
            .collect()
    }

    #[test]
    fn a_narrow_space_case_and_extension_are_found() {
        assert_eq!(
            names(&["at 3.04\u{202f}PM.png", "b.png"], "at 3.04 PM.png"),
            ["at 3.04\u{202f}PM.png"]
        );
        assert_eq!(names(&["README.md", "other"], "readme.md"), ["README.md"]);
        assert_eq!(names(&["main.tsx", "other"], "main.ts"), ["main.tsx"]);
        assert_eq!(
            names(&["cafe\u{301}.md", "other"], "Caf\u{e9}.md"),
            ["cafe\u{301}.md"]
        );
    }

    #[test]
    fn typing_errors_also_of_folders() {
        assert_eq!(names(&["config.toml", "x"], "cofnig.toml"), ["config.toml"]);
        assert_eq!(names(&["source/a.rs"], "sorce/a.rs"), ["source"]);
        assert!(names(&["alpha", "beta"], "gamma.rs").is_empty());
    }

    #[test]
    fn distance_counts_changes() {
        assert_eq!(distance("kitten", "sitting"), 3);
        assert_eq!(distance("", "abc"), 3);
        assert_eq!(distance("scr", "src"), 1);
    }
}
