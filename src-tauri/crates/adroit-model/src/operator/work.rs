//! Carrying out the commands of a request.

use super::asking;
use super::calls;
use super::change;
use super::command::{Command, Scope};
use super::help;
use super::past::{Call, Outcome, Past, Reply, Step};
use super::planning;
use super::results::{counted, fenced, file_lines, is_empty, language_of, notes, paths, quotation};
use super::tour;

/// Lines of a file that are shown after reading it.
const SHOWN_LINES: usize = 60;

/// Lines of a search or of a command's output that are shown.
const SHOWN_OUTPUT: usize = 40;

/// Entries of a list that are shown.
const SHOWN_ENTRIES: usize = 60;

/// How a command ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum End {
    /// As asked.
    Done,
    /// Not as asked: what follows is not begun.
    Stopped,
}

/// The next message of the operator.
pub(super) fn carry_out(commands: &[Command], past: &mut Past) -> Reply {
    match all(commands, past) {
        Err(reply) => reply,
        Ok(_) => past.close(),
    }
}

/// One command after the other, up to the first that does not end as asked.
pub(super) fn all(commands: &[Command], past: &mut Past) -> Step<End> {
    for (at, command) in commands.iter().enumerate() {
        if one(command, past)? == End::Stopped {
            let left = commands.len() - at - 1;
            if left > 0 {
                past.say(&format!(
                    "So I did not go on: {} of the request left undone.",
                    counted(left, "step")
                ));
            }
            return Ok(End::Stopped);
        }
    }
    Ok(End::Done)
}

fn one(command: &Command, past: &mut Past) -> Step<End> {
    match command {
        Command::Read {
            paths,
            first,
            count,
        } => read(paths, *first, *count, past),
        Command::List { folder } => list(folder, past),
        Command::Glob { pattern, folder } => by_name(pattern, folder.as_deref(), past),
        Command::Find { text, scope } => find(text, scope, past),
        Command::Create { path, content } => create(path, content, past),
        Command::Replace {
            old, new, scope, ..
        } if scope.files.is_empty() => change::replace_across(old, new, scope, past),
        Command::Replace {
            old,
            new,
            all,
            scope,
        } => change::replace_in(&scope.files, old, new, *all, past),
        Command::Run { command, outside } => run(command, *outside, past),
        Command::Ask {
            question,
            choices,
            multiple,
        } => asking::carry_out(question, choices, *multiple, past),
        Command::Plan { text } => planning::carry_out(text, past),
        Command::Delegate { kind, tasks } => delegate(kind, tasks, past),
        Command::Test => test(past),
        Command::Tour => tour::tour(past),
        Command::Help => {
            past.say(help::HELP);
            Ok(End::Done)
        }
        Command::Unknown { words } => {
            past.say(&help::unknown(words));
            Ok(End::Stopped)
        }
    }
}

/// Says that a call did not do what was asked, with the words that came back.
pub(super) fn failed(what: &str, outcome: &Outcome, past: &mut Past) -> End {
    past.say(&format!(
        "{what} did not happen. What I was told:\n\n{}",
        quotation(&outcome.text)
    ));
    End::Stopped
}

fn read(files: &[String], first: Option<u64>, count: Option<u64>, past: &mut Past) -> Step<End> {
    let named: Vec<String> = files.iter().map(|file| format!("`{file}`")).collect();
    let asked = files
        .iter()
        .map(|file| calls::read(file, first, count))
        .collect();
    let outcomes = past.ask(&format!("I read {}.", named.join(", ")), asked)?;
    let mut end = End::Done;
    for (file, outcome) in files.iter().zip(&outcomes) {
        if outcome.failed && files.len() == 1 && is_folder(&outcome.text) {
            past.say(&format!("`{file}` is a folder."));
            return list(file, past);
        }
        if outcome.failed {
            end = failed(&format!("Reading `{file}`"), outcome, past);
            continue;
        }
        let lines = file_lines(&outcome.text);
        if lines.is_empty() {
            past.say(&format!("**{file}** is read; there is no text to show."));
        } else {
            let block = fenced(language_of(file), &lines, SHOWN_LINES, false);
            past.say(&format!(
                "**{file}**, {}:\n\n{block}",
                counted(lines.len(), "line")
            ));
        }
    }
    Ok(end)
}

/// Whether a refusal to read says that it is a folder.
fn is_folder(text: &str) -> bool {
    ["is a folder", "is a directory"]
        .iter()
        .any(|words| text.contains(words))
}

fn list(folder: &str, past: &mut Past) -> Step<End> {
    let below = (folder != ".")
        .then_some(folder.trim_end_matches('/'))
        .filter(|folder| !folder.is_empty());
    let place = below.map_or_else(|| "the project".into(), |folder| format!("`{folder}`"));
    let outcome = past.ask_one(&format!("I list {place}."), calls::glob("**/*", below))?;
    if outcome.failed {
        return Ok(failed(&format!("Listing {place}"), &outcome, past));
    }
    let entries = tour::entries(&paths(&outcome.text), below);
    if entries.is_empty() {
        past.say(&format!(
            "There are no files in {place}.{}",
            remarks(&outcome.text)
        ));
        return Ok(End::Done);
    }
    let shown: Vec<String> = entries
        .iter()
        .take(SHOWN_ENTRIES)
        .map(tour::Entry::markdown)
        .collect();
    let mut text = format!("In {place}:\n\n{}", shown.join("\n"));
    if entries.len() > shown.len() {
        text.push_str(&format!("\n\n… and {} more.", entries.len() - shown.len()));
    }
    text.push_str(&remarks(&outcome.text));
    past.say(&text);
    Ok(End::Done)
}

/// What a tool remarked: that there is more, or what it did not look at.
fn remarks(result: &str) -> String {
    notes(result)
        .iter()
        .map(|note| format!("\n\n*{note}*"))
        .collect()
}

fn by_name(pattern: &str, folder: Option<&str>, past: &mut Past) -> Step<End> {
    let words = format!("I look for files like `{pattern}`.");
    let outcome = past.ask_one(&words, calls::glob(pattern, folder))?;
    if outcome.failed {
        return Ok(failed("The search", &outcome, past));
    }
    let found = paths(&outcome.text);
    if found.is_empty() {
        past.say(&format!(
            "No file is named like `{pattern}`.{}",
            remarks(&outcome.text)
        ));
        return Ok(End::Done);
    }
    let shown: Vec<String> = found
        .iter()
        .take(SHOWN_ENTRIES)
        .map(|path| format!("- `{path}`"))
        .collect();
    past.say(&format!(
        "{} like `{pattern}`:\n\n{}{}",
        counted(found.len(), "file"),
        shown.join("\n"),
        remarks(&outcome.text)
    ));
    Ok(End::Done)
}

fn find(text: &str, scope: &Scope, past: &mut Past) -> Step<End> {
    let words = format!("I search for `{text}` {}.", scope.words());
    let asked: Vec<Call> = if scope.files.len() > 1 {
        let one = |file: &String| Scope {
            files: vec![file.clone()],
            ..Scope::default()
        };
        scope
            .files
            .iter()
            .map(|file| calls::grep(text, &one(file), "content"))
            .collect()
    } else {
        vec![calls::grep(text, scope, "content")]
    };
    let outcomes = past.ask(&words, asked)?;
    if let Some(outcome) = outcomes.iter().find(|outcome| outcome.failed) {
        return Ok(failed("The search", outcome, past));
    }
    let lines: Vec<&str> = outcomes
        .iter()
        .filter(|outcome| !is_empty(&outcome.text))
        .flat_map(|outcome| outcome.text.lines())
        .collect();
    if lines.is_empty() {
        past.say(&format!("`{text}` is nowhere {}.", scope.words()));
    } else {
        past.say(&format!(
            "Found:\n\n{}",
            fenced("", &lines, SHOWN_OUTPUT, false)
        ));
    }
    Ok(End::Done)
}

fn create(path: &str, content: &str, past: &mut Past) -> Step<End> {
    let lines = content.lines().count();
    let words = format!("I write `{path}` ({}).", counted(lines, "line"));
    let mut outcome = past.ask_one(&words, calls::write(path, content))?;
    if outcome.failed && wants_read(&outcome.text) {
        let seen = past.ask_one(
            &format!("`{path}` is there already, so I read it before I propose to replace it."),
            calls::read(path, None, None),
        )?;
        if seen.failed {
            return Ok(failed(&format!("Reading `{path}`"), &seen, past));
        }
        outcome = past.ask_one("", calls::write(path, content))?;
    }
    if outcome.failed {
        return Ok(failed(&format!("Writing `{path}`"), &outcome, past));
    }
    past.say(&format!("`{path}` is written."));
    Ok(End::Done)
}

/// Whether a refusal says that the file has to be read first.
fn wants_read(text: &str) -> bool {
    let text = text.to_lowercase();
    [
        "not been read",
        "not read",
        "read it first",
        "read the file first",
        "read it before",
        "read it again",
        "changed since",
    ]
    .iter()
    .any(|words| text.contains(words))
}

pub(super) fn first_line(text: &str) -> String {
    let line = text.lines().next().unwrap_or_default();
    let mut short: String = line.chars().take(60).collect();
    if short.len() < text.trim_end_matches('\n').len() {
        short.push('…');
    }
    short
}

fn run(command: &str, outside: bool, past: &mut Past) -> Step<End> {
    let outcome = past.ask_one(
        &format!("I run `{}`.", first_line(command)),
        calls::bash(command, outside),
    )?;
    let lines: Vec<&str> = outcome.text.trim_end().lines().collect();
    if outcome.failed && !outcome.text.starts_with("Exit code") {
        // It was denied, cancelled, or ended by a time limit.
        return Ok(failed(
            &format!("The run of `{}`", first_line(command)),
            &outcome,
            past,
        ));
    }
    if outcome.failed {
        let block = fenced("", &lines, SHOWN_OUTPUT, true);
        past.say(&format!(
            "`{}` did not succeed:\n\n{block}",
            first_line(command)
        ));
        return Ok(End::Stopped);
    }
    let block = || fenced("", &lines, SHOWN_OUTPUT, true);
    if matches!(&lines[..], [] | ["(no output)"]) {
        past.say("It succeeded and printed nothing.");
    } else if lines.iter().any(|line| line.starts_with("Exit code ")) {
        // A code other than 0 that means no failure: nothing found, a difference.
        past.say(&format!("It ended with this:\n\n{}", block()));
    } else {
        past.say(&format!("It succeeded:\n\n{}", block()));
    }
    Ok(End::Done)
}

fn delegate(kind: &str, tasks: &[String], past: &mut Past) -> Step<End> {
    let asked = tasks.iter().map(|task| calls::agent(kind, task)).collect();
    let words = match tasks {
        [_] => format!("I start an agent (`{kind}`)."),
        _ => format!("I start {} (`{kind}`).", counted(tasks.len(), "agent")),
    };
    let outcomes = past.ask(&words, asked)?;
    let mut end = End::Done;
    for (task, outcome) in tasks.iter().zip(&outcomes) {
        if outcome.failed {
            end = failed(
                &format!("What the agent was to do (`{}`)", first_line(task)),
                outcome,
                past,
            );
        } else {
            past.say(&format!(
                "The agent for `{}` says:\n\n{}",
                first_line(task),
                quotation(&outcome.text)
            ));
        }
    }
    Ok(end)
}

/// Manifests and the command that runs the tests of such a project.
const TEST_COMMANDS: &[(&str, &str)] = &[
    ("Cargo.toml", "cargo test"),
    ("package.json", "npm test"),
    ("go.mod", "go test ./..."),
    ("pyproject.toml", "python -m pytest"),
    ("setup.py", "python -m pytest"),
    ("Makefile", "make test"),
];

fn test(past: &mut Past) -> Step<End> {
    let names: Vec<&str> = TEST_COMMANDS
        .iter()
        .map(|(manifest, _)| *manifest)
        .collect();
    let pattern = format!("./{{{}}}", names.join(","));
    let outcome = past.ask_one(
        "I look how this project is tested.",
        calls::glob(&pattern, None),
    )?;
    if outcome.failed {
        return Ok(failed("The search", &outcome, past));
    }
    let found = paths(&outcome.text);
    let known = TEST_COMMANDS.iter().find(|(manifest, _)| {
        found
            .iter()
            .any(|path| path.rsplit('/').next() == Some(manifest))
    });
    let Some((_, command)) = known else {
        past.say(
            "I find no file that tells how the tests are run. Tell me the command: `run COMMAND`.",
        );
        return Ok(End::Stopped);
    };
    run(command, false, past)
}
