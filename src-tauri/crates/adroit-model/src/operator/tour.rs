//! A tour of the project: what is there, read in parallel, and a summary of what was read.

use std::collections::BTreeMap;

use super::calls;
use super::manifest;
use super::past::{Past, Step};
use super::results::{counted, file_lines, paths, quotation};
use super::work::End;

/// What tells most about a project, best first.
const TELLING: &[&str] = &[
    "README.md",
    "README",
    "README.rst",
    "README.txt",
    "readme.md",
    "Cargo.toml",
    "package.json",
    "pyproject.toml",
    "go.mod",
    "CMakeLists.txt",
    "Makefile",
    "pom.xml",
    "build.gradle",
    "Gemfile",
    "composer.json",
    "CONTRIBUTING.md",
    "ARCHITECTURE.md",
    "AGENTS.md",
    "CLAUDE.md",
];
/// Files where a program begins, read when there are few others.
const BEGINNINGS: &[&str] = &[
    "src/main.rs",
    "src/lib.rs",
    "main.py",
    "src/main.py",
    "app.py",
    "index.js",
    "src/index.js",
    "src/index.ts",
    "src/main.ts",
    "main.go",
    "main.c",
    "src/main.c",
];
/// Files that are read.
const MOST_READ: usize = 6;
/// Lines of each that are read.
const LINES_READ: u64 = 200;

/// Looks around and tells.
pub(super) fn tour(past: &mut Past) -> Step<End> {
    let telling = format!("./{{{}}}", [TELLING, BEGINNINGS].concat().join(","));
    let looked = past.ask(
        "I look around: first what is there.",
        vec![calls::glob("**/*", None), calls::glob(&telling, None)],
    )?;
    if let Some(outcome) = looked.iter().find(|outcome| outcome.failed) {
        past.say(&format!(
            "I cannot look around. What I was told:\n\n{}",
            quotation(&outcome.text)
        ));
        return Ok(End::Stopped);
    }
    let mut listed = looked
        .iter()
        .map(|outcome| relative(paths(&outcome.text), None));
    let all = listed.next().unwrap_or_default();
    let found = listed.next().unwrap_or_default();
    let chosen: Vec<&str> = [TELLING, BEGINNINGS]
        .concat()
        .into_iter()
        .filter(|name| found.iter().chain(&all).any(|path| path == name))
        .take(MOST_READ)
        .collect();
    let mut read: Vec<(&str, String)> = Vec::new();
    if !chosen.is_empty() {
        let asked = chosen
            .iter()
            .map(|path| calls::read(path, Some(1), Some(LINES_READ)))
            .collect();
        let outcomes = past.ask("Now I read what tells most, all at once.", asked)?;
        for (path, outcome) in chosen.iter().zip(&outcomes) {
            if !outcome.failed {
                read.push((path, file_lines(&outcome.text).join("\n")));
            }
        }
    }
    past.say(&summary(&all, &read));
    Ok(End::Done)
}

/// The summary, from nothing but what was read.
fn summary(all: &[String], read: &[(&str, String)]) -> String {
    let mut parts: Vec<String> = Vec::new();
    let readme = read
        .iter()
        .find(|(path, _)| path.to_lowercase().starts_with("readme"));
    let (title, about) = readme
        .map(|(_, text)| title_and_first_paragraph(text))
        .unwrap_or_default();
    let manifests: Vec<manifest::Facts> = read
        .iter()
        .filter_map(|(path, text)| manifest::facts(path, text))
        .collect();
    let name = title.or_else(|| manifests.iter().find_map(|facts| facts.name.clone()));
    parts.push(format!(
        "## {}",
        name.unwrap_or_else(|| "This project".into())
    ));
    if let Some(about) = about.or_else(|| manifests.iter().find_map(|facts| facts.about.clone())) {
        parts.push(about);
    }
    for facts in &manifests {
        parts.push(facts.markdown());
    }
    let entries = entries(all, None);
    if entries.is_empty() {
        parts.push(
            "There are no files here yet. `create FILE with CONTENT` makes the first one.".into(),
        );
        return parts.join("\n\n");
    }
    let shown: Vec<String> = entries.iter().take(20).map(Entry::markdown).collect();
    parts.push(format!("### What is where\n\n{}", shown.join("\n")));
    let kinds = kinds(all);
    if !kinds.is_empty() {
        parts.push(format!("Mostly {}.", kinds.join(", ")));
    }
    if !read.is_empty() {
        let named: Vec<String> = read.iter().map(|(path, _)| format!("`{path}`")).collect();
        parts.push(format!(
            "This comes from {}. `read FILE` shows any of them.",
            named.join(", ")
        ));
    }
    parts.join("\n\n")
}

/// The first heading of a README and its first paragraph of prose.
fn title_and_first_paragraph(text: &str) -> (Option<String>, Option<String>) {
    let mut title = None;
    let mut paragraph: Vec<&str> = Vec::new();
    let mut in_block = false;
    for line in text.lines().map(str::trim) {
        if line.starts_with("```") {
            in_block = !in_block;
        }
        let heading = line
            .strip_prefix('#')
            .map(|rest| rest.trim_start_matches('#').trim());
        match heading {
            Some(words) if title.is_none() => title = Some(words.to_owned()),
            // Badges, HTML, lists and rules are no prose.
            _ if in_block
                || line.starts_with(['<', '!', '[', '|', '-', '*', '=', '`', '#'])
                || line.is_empty() =>
            {
                if !paragraph.is_empty() {
                    break;
                }
            }
            _ => paragraph.push(line),
        }
    }
    (
        title.filter(|title| !title.is_empty()),
        (!paragraph.is_empty()).then(|| paragraph.join(" ")),
    )
}

/// An entry of a folder.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Entry {
    name: String,
    /// Files below it; none for a file.
    files: Option<usize>,
}

impl Entry {
    /// As a line of a list.
    pub(super) fn markdown(&self) -> String {
        match self.files {
            Some(files) => format!("- `{}/` ({})", self.name, counted(files, "file")),
            None => format!("- `{}`", self.name),
        }
    }
}

/// The entries of a folder, from the files below it: folders first, each by name.
pub(super) fn entries(files: &[String], folder: Option<&str>) -> Vec<Entry> {
    let mut folders: BTreeMap<String, usize> = BTreeMap::new();
    let mut plain: Vec<Entry> = Vec::new();
    for path in relative(files.to_vec(), folder) {
        match path.split_once('/') {
            Some((first, _)) => *folders.entry(first.to_owned()).or_default() += 1,
            None => plain.push(Entry {
                name: path,
                files: None,
            }),
        }
    }
    plain.sort_by(|one, other| one.name.cmp(&other.name));
    let folders = folders.into_iter().map(|(name, files)| Entry {
        name,
        files: Some(files),
    });
    folders.chain(plain).collect()
}

/// The paths relative to the folder, whether the tool gives them so, relative to the
/// project, or absolute.
fn relative(files: Vec<String>, folder: Option<&str>) -> Vec<String> {
    let below =
        folder.map(|folder| format!("{}/", folder.trim_start_matches("./").trim_end_matches('/')));
    if let Some(below) = &below
        && !files.is_empty()
        && files
            .iter()
            .all(|path| path.starts_with(below.as_str()) || path.contains(&format!("/{below}")))
    {
        let inner = |path: &String| {
            let at = path.find(below.as_str()).map_or(0, |at| at + below.len());
            path[at..].to_owned()
        };
        return files.iter().map(inner).collect();
    }
    if !files.iter().all(|path| path.starts_with('/')) {
        return files;
    }
    let Some(first) = files.first() else {
        return files;
    };
    let mut common = first
        .rsplit_once('/')
        .map_or(0, |(parent, _)| parent.len() + 1);
    for path in &files {
        while !path.starts_with(&first[..common]) {
            common = first[..common - 1].rfind('/').map_or(0, |at| at + 1);
        }
    }
    files.iter().map(|path| path[common..].to_owned()).collect()
}

/// The most frequent kinds of file: "12 rs files".
fn kinds(files: &[String]) -> Vec<String> {
    let mut counts: BTreeMap<&str, usize> = BTreeMap::new();
    for path in files {
        let name = path.rsplit('/').next().unwrap_or_default();
        if let Some((stem, extension)) = name.rsplit_once('.')
            && !stem.is_empty()
        {
            *counts.entry(extension).or_default() += 1;
        }
    }
    let mut counts: Vec<(&str, usize)> = counts.into_iter().collect();
    counts.sort_by(|one, other| other.1.cmp(&one.1).then(one.0.cmp(other.0)));
    counts
        .iter()
        .take(3)
        .map(|(extension, count)| counted(*count, &format!("`.{extension}` file")))
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn strings(names: &[&str]) -> Vec<String> {
        names.iter().map(|&name| name.into()).collect()
    }

    #[test]
    fn paths_in_any_form_give_the_same_entries() {
        let expected = ["- `deep/` (1 file)", "- `a.rs`"];
        let shown = |files: &[&str]| -> Vec<String> {
            entries(&strings(files), Some("src"))
                .iter()
                .map(Entry::markdown)
                .collect()
        };
        assert_eq!(shown(&["src/a.rs", "src/deep/b.rs"]), expected);
        assert_eq!(shown(&["a.rs", "deep/b.rs"]), expected);
        assert_eq!(shown(&["/p/src/a.rs", "/p/src/deep/b.rs"]), expected);
        assert_eq!(
            relative(strings(&["/p/x/a", "/p/xy/b"]), None),
            ["x/a", "xy/b"]
        );
        assert!(relative(vec![], Some("src")).is_empty());
    }

    #[test]
    fn the_first_prose_of_a_readme() {
        let text = "<img>\n# Title\n\n[![badge](x)](y)\n\nIt does\nthis.\n\nMore.";
        assert_eq!(
            title_and_first_paragraph(text),
            (Some("Title".into()), Some("It does this.".into()))
        );
        assert_eq!(title_and_first_paragraph("```\ncode\n```\n"), (None, None));
    }
}
