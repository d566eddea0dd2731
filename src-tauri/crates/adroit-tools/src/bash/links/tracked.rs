//! Files that git shows without being told their names: `git diff`, `git log -p`.
//!
//! The list of tracked files is read from git's index. What history alone holds is not in it.

use std::path::{Component, Path, PathBuf};

use adroit_shell::{Access, Analysis, Below, CommandPart, PathUse, Sight};
use adroit_tool::Withheld;

/// An index larger than this is not read: then a rule may speak of a file in it.
const MOST_BYTES: u64 = 64 << 20;

/// Adds what a rule about reading speaks of among the files that `analysis` has git show.
pub(super) fn add_shown(
    analysis: &Analysis,
    cwd: &Path,
    withheld: &Withheld,
    places: &mut Vec<PathUse>,
) {
    let mut tracked: Option<Option<(PathBuf, Vec<String>)>> = None;
    for (index, part) in analysis.parts.iter().enumerate() {
        let Some(only) = shows_content(part) else {
            continue;
        };
        let Some(listed) = tracked.get_or_insert_with(|| tracked_files(cwd)) else {
            // No repository: git shows nothing.
            continue;
        };
        let (root, names) = listed;
        let wanted = |path: &Path| {
            only.is_empty()
                || only
                    .iter()
                    .any(|place| path.starts_with(clean(&cwd.join(place))))
        };
        let shown = names
            .iter()
            .map(|name| root.join(name))
            .find(|path| wanted(path) && withheld.restricts(path));
        if let Some(path) = shown {
            places.push(may_show(&path, part, index));
        }
    }
}

/// `path`, which git may show: whether it changed is not looked at, so a person is asked.
fn may_show(path: &Path, part: &CommandPart, index: usize) -> PathUse {
    let name = path.file_name().unwrap_or_default().to_string_lossy();
    PathUse {
        word: format!("{} in the repository", path.display()),
        span: part.span.clone(),
        resolved: path.parent().map(Path::to_path_buf),
        access: Access::Read,
        outside: false,
        below: Some(Below {
            hidden: true,
            names: vec![name.into_owned()],
            perhaps: true,
            one_by_one: false,
            shallow: true,
        }),
        part: index,
        named: None,
        sight: Sight::Content,
    }
}

/// The paths to which a git command that shows content of tracked files is bound; none of them
/// when it shows all. `None` for any other command.
fn shows_content(part: &CommandPart) -> Option<Vec<String>> {
    const SUMMARIES: &[&str] = &[
        "--stat",
        "--name-only",
        "--name-status",
        "--numstat",
        "--shortstat",
        "--dirstat",
        "--summary",
        "--quiet",
        "--no-patch",
        "-s",
        "--compact-summary",
    ];
    let words: Vec<&str> = part
        .words
        .iter()
        .map(|word| word.text.as_deref().unwrap_or(&word.raw))
        .collect();
    let git = words
        .iter()
        .position(|word| matches!(word.rsplit('/').next(), Some("git")))?;
    let words = &words[git + 1..];
    let verb = words.iter().position(|word| {
        matches!(
            *word,
            "diff"
                | "log"
                | "show"
                | "stash"
                | "grep"
                | "whatchanged"
                | "format-patch"
                | "diff-tree"
                | "diff-index"
                | "diff-files"
                | "reflog"
                | "range-diff"
                | "fast-export"
                | "archive"
                | "cat-file"
        )
    })?;
    let rest = &words[verb + 1..];
    let patches = rest.iter().any(|word| {
        matches!(
            *word,
            "-p" | "-u" | "--patch" | "--cc" | "-c" | "--binary" | "-W"
        ) || [
            "-U",
            "-L",
            "--unified",
            "-G",
            "-S",
            "--word-diff",
            "--color-words",
        ]
        .iter()
        .any(|flag| word.starts_with(flag))
    });
    let summary = rest
        .iter()
        .any(|word| SUMMARIES.contains(&word.split('=').next().unwrap_or(word)));
    let shows = match words[verb] {
        "log" | "whatchanged" | "reflog" | "diff-tree" | "diff-index" | "diff-files" => patches,
        "stash" => rest.first() == Some(&"show") && (patches || !summary && rest.contains(&"-p")),
        "cat-file" => rest.iter().any(|word| word.starts_with("--batch")),
        "grep" | "format-patch" | "range-diff" | "fast-export" | "archive" => true,
        _ => patches || !summary,
    };
    if !shows {
        return None;
    }
    let paths = rest.iter().position(|word| *word == "--");
    let only: Vec<String> = paths
        .map(|at| {
            rest[at + 1..]
                .iter()
                .map(|word| (*word).to_owned())
                .collect()
        })
        .unwrap_or_default();
    // A pattern or a word with magic may mean any file.
    let plain = only
        .iter()
        .all(|word| !word.starts_with(':') && !word.contains(['*', '?', '[', '$', '`']));
    Some(if plain { only } else { Vec::new() })
}

fn clean(path: &Path) -> PathBuf {
    let mut result = PathBuf::new();
    for component in path.components() {
        match component {
            Component::CurDir => {}
            Component::ParentDir => {
                result.pop();
            }
            other => result.push(other),
        }
    }
    result
}

/// The root of the repository around `cwd` and its tracked files, by their paths in it. One
/// name of any file where the index cannot be read.
fn tracked_files(cwd: &Path) -> Option<(PathBuf, Vec<String>)> {
    let root = cwd
        .ancestors()
        .find(|folder| folder.join(".git").exists())?
        .to_path_buf();
    let git = root.join(".git");
    let folder = match std::fs::read_to_string(&git) {
        // A worktree or a submodule: `gitdir: place`.
        Ok(text) => root.join(text.strip_prefix("gitdir:")?.trim()),
        Err(_) => git,
    };
    let index = folder.join("index");
    let size = std::fs::metadata(&index).ok()?.len();
    if size > MOST_BYTES {
        return None;
    }
    let bytes = std::fs::read(&index).ok()?;
    Some((root, names(&bytes)))
}

/// The paths in an index of version 2, 3 or 4, as gitformat-index(5) describes it. What is cut
/// off ends the list.
fn names(bytes: &[u8]) -> Vec<String> {
    const FIXED: usize = 62;
    let number = |at: usize| -> Option<u32> {
        Some(u32::from_be_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
    };
    let mut found = Vec::new();
    if bytes.get(..4) != Some(b"DIRC") {
        return found;
    }
    let (Some(version), Some(count)) = (number(4), number(8)) else {
        return found;
    };
    let mut at = 12;
    let mut previous: Vec<u8> = Vec::new();
    for _ in 0..count {
        let Some(flags) = bytes.get(at + 60..at + 62) else {
            break;
        };
        let extended = version >= 3 && flags[0] & 0x40 != 0;
        let mut name = at + FIXED + if extended { 2 } else { 0 };
        if version == 4 {
            let Some((cut, behind)) = offset(bytes, name) else {
                break;
            };
            previous.truncate(previous.len().saturating_sub(cut));
            name = behind;
        } else {
            previous.clear();
        }
        let Some(length) = bytes
            .get(name..)
            .and_then(|rest| rest.iter().position(|byte| *byte == 0))
        else {
            break;
        };
        previous.extend_from_slice(&bytes[name..name + length]);
        found.push(String::from_utf8_lossy(&previous).into_owned());
        let end = name + length;
        at = if version == 4 {
            end + 1
        } else {
            // Entries are filled up to eight bytes, with one at least.
            at + (end - at + 8) / 8 * 8
        };
    }
    found
}

/// A number of version 4: seven bits a byte, each further one counted from one on.
fn offset(bytes: &[u8], mut at: usize) -> Option<(usize, usize)> {
    let mut byte = *bytes.get(at)?;
    let mut value = usize::from(byte & 0x7f);
    while byte & 0x80 != 0 {
        at += 1;
        byte = *bytes.get(at)?;
        value = value.checked_add(1)?.checked_mul(128)? + usize::from(byte & 0x7f);
    }
    Some((value, at + 1))
}
