//! Programs in other languages: which commands and files stand in their text, and whether all
//! commands that they run can be read out of it.

use std::ops::Range;

use super::Verdict;
use super::operands::{literal, mention};
use crate::evaluate::expand::Argument;
use crate::types::Access;

/// One language: what runs a command in it, and what runs a text as a program of its own.
struct Language {
    programs: &'static str,
    /// Functions whose first argument is a command.
    runners: &'static str,
    /// Functions that are such only where one of these words stands in the text, too: `exec` of
    /// a regular expression runs nothing.
    sometimes: &'static str,
    modules: &'static str,
    /// Functions that run or load what a text names; read where it is a plain text.
    evaluates: &'static str,
    /// Texts within backquotes are commands.
    backquotes: bool,
}

const LANGUAGES: &[Language] = &[
    Language {
        programs: "python python2 python3 pypy3 py",
        runners: "system popen getoutput getstatusoutput check_call check_output Popen spawnl spawnlp \
                  spawnv spawnvp execl execlp execv execve execvp posix_spawn create_subprocess_shell \
                  create_subprocess_exec startfile",
        sometimes: "run call",
        modules: "subprocess sh pexpect fabric invoke",
        evaluates: "exec eval compile __import__ import_module getattr",
        backquotes: false,
    },
    Language {
        programs: "node nodejs deno bun tsx ts-node",
        runners: "execSync execFileSync spawnSync execFile execa",
        sometimes: "exec spawn fork run Command",
        modules: "child_process Deno Bun execa zx shelljs",
        evaluates: "eval Function require import runInThisContext runInNewContext",
        backquotes: false,
    },
    Language {
        programs: "perl perl5",
        runners: "system exec qx readpipe open",
        sometimes: "run capture",
        modules: "IPC",
        evaluates: "eval require",
        backquotes: true,
    },
    Language {
        programs: "ruby",
        runners: "system exec spawn popen capture2 capture2e capture3 sh",
        sometimes: "run",
        modules: "Open3 Process",
        evaluates: "eval instance_eval class_eval send public_send",
        backquotes: true,
    },
    Language {
        programs: "php",
        runners: "system exec shell_exec passthru popen proc_open pcntl_exec",
        sometimes: "",
        modules: "",
        evaluates: "eval assert call_user_func call_user_func_array create_function",
        backquotes: true,
    },
    Language {
        programs: "lua luajit texlua lua5.1 lua5.3 lua5.4",
        runners: "execute popen",
        sometimes: "",
        modules: "",
        evaluates: "load loadstring dofile require",
        backquotes: false,
    },
    Language {
        programs: "awk gawk mawk nawk",
        runners: "system",
        sometimes: "",
        modules: "",
        evaluates: "",
        backquotes: false,
    },
];

fn has_word(list: &str, word: &str) -> bool {
    list.split_ascii_whitespace().any(|own| own == word)
}

fn language(program: &str) -> Option<&'static Language> {
    LANGUAGES
        .iter()
        .find(|language| has_word(language.programs, program))
}

/// Whether `name` runs a text of a language that is known here.
pub(crate) fn is_interpreter(name: &str) -> bool {
    language(name).is_some()
}

/// Takes the text of a program of `name` up.
pub(crate) fn program(name: &str, program: &Argument, verdict: &mut Verdict) {
    verdict.programs.push(program.clone());
    let Some(text) = program.literal() else {
        verdict.unseen.push(program.clone());
        return;
    };
    for range in quoted(text) {
        if let Some(inner) = text.get(range) {
            mention(&literal(inner, program), Access::Write, verdict);
        }
    }
    let Some(language) = language(name) else {
        return;
    };
    let mut found = Commands::default();
    calls(language, text, &mut found);
    removals(text, &mut found);
    if language.runners == "system" {
        pipes(text, &mut found);
    }
    if language.backquotes {
        backquoted(text, &mut found);
    }
    let told = |text: &String| Argument::synthetic(text, program.span.clone());
    verdict.hints.extend(found.texts.iter().map(told));
    verdict.commands.extend(found.lists.iter().map(told));
    if found.unread {
        verdict.unseen.push(program.clone());
    }
}

/// Commands of a program.
#[derive(Default)]
struct Commands {
    /// Texts for a shell.
    texts: Vec<String>,
    /// Words that may follow one another.
    lists: Vec<String>,
    /// Some command is put together when it runs.
    unread: bool,
}

/// Calls that are looked at in one text; with more, it is not read.
const MOST_CALLS: usize = 64;

fn calls(language: &Language, text: &str, found: &mut Commands) {
    let sometimes = language
        .modules
        .split_ascii_whitespace()
        .any(|module| text.contains(module));
    let mut seen = 0;
    for (name, behind) in names(text) {
        let runs =
            has_word(language.runners, name) || sometimes && has_word(language.sometimes, name);
        let evaluates = has_word(language.evaluates, name);
        if !runs && !evaluates {
            continue;
        }
        seen += 1;
        if seen > MOST_CALLS {
            found.unread = true;
            return;
        }
        let rest = text.get(behind..).unwrap_or_default().trim_start();
        let arguments = match rest.strip_prefix('(') {
            Some(inner) => inside(inner),
            // `system "rm x"`, of perl and ruby.
            None if language.backquotes && rest.starts_with(['"', '\'']) => {
                rest.split(['\n', ';']).next().unwrap_or_default()
            }
            // `exec qw(rm x)` of perl: words without quotes. `system $x`, `exec @list`.
            None if runs && language.backquotes && rest.starts_with(['q', '$', '@', '%', '{']) => {
                found.texts.extend(word_list(rest));
                found.unread = true;
                continue;
            }
            None => continue,
        };
        if evaluates && !runs {
            // `require("fs")` and `getattr(x, "name")` are read; `eval` of a text is not.
            let plain = matches!(name, "require" | "import" | "__import__" | "import_module");
            found.unread |= !(plain && is_plain_text(first(arguments)));
            continue;
        }
        argument(name, arguments, found);
    }
}

/// `qw(rm x)`: what stands between its delimiters.
fn word_list(text: &str) -> Option<String> {
    let rest = text.trim_start_matches(['q', 'w']).trim_start();
    let open = rest.chars().next()?;
    let close = match open {
        '(' => ')',
        '[' => ']',
        '{' => '}',
        '<' => '>',
        same => same,
    };
    let inner = rest.get(open.len_utf8()..)?.split(close).next()?;
    Some(inner.to_owned())
}

/// Functions that remove a folder with all below it.
const REMOVERS: &str = "rmtree remove_tree removedirs rmSync rmdirSync rm_rf rm_r remove_dir_all \
     remove_entry_secure rimraf removeSync emptyDirSync RemoveAll";

/// `shutil.rmtree("/")` is looked at as `rm -rf '/'` is.
fn removals(text: &str, found: &mut Commands) {
    for (_, behind) in names(text).filter(|(name, _)| has_word(REMOVERS, name)) {
        let rest = text.get(behind..).unwrap_or_default().trim_start();
        let arguments = rest.strip_prefix('(').map_or(rest, inside);
        let target = first(arguments);
        if is_plain_text(target)
            && let Some(path) = quoted(target)
                .first()
                .and_then(|range| target.get(range.clone()))
            && !path.contains('\'')
        {
            found.texts.push(format!("rm -rf '{path}'"));
        }
    }
}

/// The arguments of one call that runs a command.
fn argument(name: &str, arguments: &str, found: &mut Commands) {
    let texts: Vec<&str> = quoted(arguments)
        .into_iter()
        .filter_map(|range| arguments.get(range))
        .collect();
    let command = first(arguments).trim();
    if name == "open" {
        // Perl's opens a file, unless a bar makes its text a command.
        found.texts.extend(
            texts
                .iter()
                .filter(|text| text.contains('|'))
                .map(|text| text.replace('|', " ")),
        );
        return;
    }
    let listed = command
        .strip_prefix(['[', '('])
        .map(|list| list.trim_end_matches([']', ')']));
    match listed {
        Some(list) => {
            found.unread |= !list
                .split(',')
                .all(|item| is_plain_text(item) || item.trim().is_empty())
        }
        None if is_plain_text(command) => {
            found
                .texts
                .extend(texts.first().map(|text| (*text).to_owned()));
        }
        None => found.unread = true,
    }
    // `run(["rm", "x"])`, `spawn("rm", ["x"])`: the words follow one another.
    for from in 0..texts.len().min(8) {
        found.lists.push(texts[from..].join(" "));
    }
}

/// `print | "sort"` and `"date" | getline` of awk.
fn pipes(text: &str, found: &mut Commands) {
    let ranges = quoted(text);
    for range in &ranges {
        let before = text[..range.start - 1].trim_end();
        let after = text.get(range.end + 1..).unwrap_or_default().trim_start();
        let runs = before.ends_with('|') && !before.ends_with("||")
            || after.starts_with('|') && !after.starts_with("||");
        if runs {
            found
                .texts
                .extend(text.get(range.clone()).map(str::to_owned));
        }
    }
    let bytes = text.as_bytes();
    for (at, _) in text.match_indices('|') {
        let double = bytes.get(at + 1) == Some(&b'|') || at > 0 && bytes[at - 1] == b'|';
        if double || ranges.iter().any(|range| range.contains(&at)) {
            continue;
        }
        let after = text[at + 1..].trim_start_matches(['&', ' ', '\t']);
        let before = text[..at].trim_end();
        let read = after.starts_with('"')
            || after.starts_with("getline") && before.ends_with('"')
            // A bar in a regular expression stands between no names that are commands.
            || in_pattern(text, at);
        found.unread |= !read;
    }
}

/// Whether the place lies between two slashes of its line.
fn in_pattern(text: &str, at: usize) -> bool {
    let line = text[..at].rfind('\n').map_or(0, |end| end + 1);
    let opened = text[line..at].matches('/').count() % 2 == 1;
    opened
        && text[at..]
            .lines()
            .next()
            .is_some_and(|rest| rest.contains('/'))
}

fn backquoted(text: &str, found: &mut Commands) {
    let mut pieces = text.split('`');
    pieces.next();
    while let (Some(inner), Some(_)) = (pieces.next(), pieces.next()) {
        found.unread |= inner.contains(['$', '#']);
        found.texts.push(inner.to_owned());
        if found.texts.len() > MOST_CALLS {
            return;
        }
    }
}

/// The names in `text` outside of quotes, and where each ends.
fn names(text: &str) -> impl Iterator<Item = (&str, usize)> {
    let ranges = quoted(text);
    let mut at = 0;
    std::iter::from_fn(move || {
        loop {
            let rest = text.get(at..)?;
            let start = at + rest.find(|c: char| c.is_ascii_alphabetic() || c == '_')?;
            let length = text[start..]
                .find(|c: char| !(c.is_ascii_alphanumeric() || c == '_'))
                .unwrap_or(text.len() - start);
            at = start + length;
            if !ranges.iter().any(|range| range.contains(&start)) {
                return Some((&text[start..at], at));
            }
        }
    })
}

/// What stands before the parenthesis that closes what is open where `text` begins.
fn inside(text: &str) -> &str {
    let ranges = quoted(text);
    let mut depth = 0_usize;
    for (at, character) in text.char_indices() {
        if ranges.iter().any(|range| range.contains(&at)) {
            continue;
        }
        match character {
            '(' => depth += 1,
            ')' if depth == 0 => return &text[..at],
            ')' => depth -= 1,
            _ => {}
        }
    }
    text
}

/// The first argument.
fn first(arguments: &str) -> &str {
    let ranges = quoted(arguments);
    let mut depth = 0_usize;
    for (at, character) in arguments.char_indices() {
        if ranges.iter().any(|range| range.contains(&at)) {
            continue;
        }
        match character {
            '(' | '[' | '{' => depth += 1,
            ')' | ']' | '}' => depth = depth.saturating_sub(1),
            ',' if depth == 0 => return &arguments[..at],
            _ => {}
        }
    }
    arguments
}

/// One text between quotes, with nothing that is put into it when it runs.
fn is_plain_text(text: &str) -> bool {
    let text = text.trim();
    let ranges = quoted(text);
    let [range] = ranges.as_slice() else {
        return false;
    };
    let inner = text.get(range.clone()).unwrap_or_default();
    range.start == 1 && range.end + 1 == text.len() && !inner.contains(['$', '#', '`'])
}

/// Where the texts between quotes are.
pub(super) fn quoted(text: &str) -> Vec<Range<usize>> {
    const MOST: usize = 64;
    let mut found = Vec::new();
    let mut open: Option<(char, usize)> = None;
    let mut escaped = false;
    for (at, character) in text.char_indices() {
        if escaped {
            escaped = false;
            continue;
        }
        match (open, character) {
            (_, '\\') => escaped = true,
            (Some((quote, from)), _) if quote == character => {
                found.push(from..at);
                open = None;
            }
            (None, '"' | '\'' | '`') => open = Some((character, at + 1)),
            _ => {}
        }
        if found.len() == MOST {
            break;
        }
    }
    found
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(name: &str, text: &str) -> (Vec<String>, bool) {
        let mut verdict = Verdict::default();
        program(name, &Argument::synthetic(text, 0..0), &mut verdict);
        let texts = verdict
            .hints
            .iter()
            .chain(&verdict.commands)
            .filter_map(|text| text.literal().map(str::to_owned))
            .collect();
        (texts, !verdict.unseen.is_empty())
    }

    #[test]
    fn commands_are_read_out_of_calls() {
        for (name, text, command) in [
            ("python3", "import os; os.system(\"rm x\")", "rm x"),
            (
                "python3",
                "import subprocess; subprocess.run(['rm','x'])",
                "rm x",
            ),
            (
                "python3",
                "import subprocess as s; s.check_call([\"rm\", \"x\"], cwd=\".\")",
                "rm x",
            ),
            ("node", "require('child_process').execSync('rm x')", "rm x"),
            (
                "node",
                "const c = require('child_process'); c.spawn('rm', ['x'])",
                "rm x",
            ),
            ("perl", "system 'rm x'", "rm x"),
            ("perl", "`rm x`", "rm x"),
            ("ruby", "system(\"rm x\")", "rm x"),
            ("php", "shell_exec('rm x');", "rm x"),
            ("awk", "BEGIN{system(\"rm x\")}", "rm x"),
            ("awk", "BEGIN{\"rm x\" | getline}", "rm x"),
            ("awk", "{print | \"rm x\"}", "rm x"),
        ] {
            let (texts, unread) = read(name, text);
            assert!(
                texts.iter().any(|own| own.starts_with(command)),
                "{text}: {texts:?}"
            );
            assert!(!unread, "{text}");
        }
    }

    #[test]
    fn what_is_put_together_when_it_runs_is_not_read() {
        for (name, text) in [
            ("python3", "import os; os.system(x)"),
            ("python3", "import os; os.system('rm ' + x)"),
            ("python3", "import os; os.system(f'{x}')"),
            ("python3", "import subprocess; subprocess.run([a, 'x'])"),
            ("python3", "exec(text)"),
            ("python3", "getattr(os, 'sys' + 'tem')('rm x')"),
            ("python3", "__import__(name)"),
            ("node", "require('child_process').execSync(process.argv[1])"),
            ("node", "require('child_process').execSync('git' + ' push')"),
            ("node", "eval(text)"),
            ("node", "require('child_' + 'process')"),
            ("perl", "system($ARGV[0])"),
            ("perl", "`$x`"),
            ("perl", "eval($x)"),
            ("ruby", "system(ARGV[0])"),
            ("php", "system($argv[1]);"),
            ("awk", "{system($1)}"),
            ("awk", "{system(\"rm \" $1)}"),
            ("awk", "{print | cmd}"),
            ("awk", "{cmd | getline}"),
        ] {
            assert!(read(name, text).1, "{text}");
        }
    }

    #[test]
    fn what_merely_looks_like_a_command_is_none() {
        for (name, text) in [
            ("python3", "print(\"rm x\")"),
            ("python3", "run = 'rm x'; print(run)"),
            ("python3", "# os.system\nx = ['rm x']"),
            ("python3", "import re; re.compile"),
            ("node", "console.log(/x/.exec(\"rm x\"))"),
            ("node", "console.log(`rm x`)"),
            ("node", "const fs = require('fs'); fs.readFileSync('rm x')"),
            ("perl", "print 'rm x'"),
            ("ruby", "puts \"rm x\""),
            ("awk", "/rm x|y/{print}"),
            ("awk", "$1 == \"rm x\" || $2 {print}"),
        ] {
            let (texts, unread) = read(name, text);
            assert!(texts.is_empty() && !unread, "{text}: {texts:?} {unread}");
        }
    }
}
