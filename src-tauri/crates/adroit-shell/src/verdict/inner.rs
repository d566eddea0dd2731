//! Commands within the words of a program: `npx rm x`, `ssh host rm x`, `sed '1e rm x'`. Only
//! rules that forbid or ask look at them; one too many is a question too many, no more.

use crate::evaluate::expand::Argument;
use crate::types::CommandPart;

/// Suffixes of one command that are taken for commands.
const MOST: usize = 8;
/// Bytes of commands that are read out of one script of sed.
const MOST_SED_TEXT: usize = 8 << 10;
/// Letters of ssh that are followed by a value.
const SSH_VALUES: &str = "bBcDEeFIiJLlmOopPQRSWw";

/// Texts that `name` gives to a shell or runs as a command.
pub(super) fn commands(name: &str, arguments: &[Argument]) -> Vec<String> {
    let words: Vec<&str> = arguments
        .iter()
        .map(|argument| argument.literal().unwrap_or(&argument.raw))
        .collect();
    let sub = words.iter().position(|word| !word.starts_with('-'));
    let is_sub = |names: &[&str]| sub.is_some_and(|at| names.contains(&words[at]));
    let behind = sub.map_or(&words[..0], |at| &words[at + 1..]);
    match name {
        "npx" | "bunx" | "pnpx" | "uvx" => runners(&words),
        "npm" | "pnpm" | "yarn" | "bun" | "bundle" | "uv" | "poetry" | "pipenv" | "rye" | "pdm"
        | "hatch" | "mise" | "direnv" => {
            // What these run is a script of the project, by its name.
            let scripts = matches!(name, "npm" | "pnpm" | "yarn" | "bun");
            if is_sub(&["exec", "x", "dlx"]) || !scripts && is_sub(&["run"]) {
                runners(behind)
            } else {
                Vec::new()
            }
        }
        "ssh" => {
            let mut texts = option_values(&words, &["-o"])
                .iter()
                .filter_map(|value| value.split_once(['=', ' ']))
                .map(|(_, command)| command.to_owned())
                .collect::<Vec<_>>();
            texts.extend(after_place(&words, |word| {
                word.len() == 2 && SSH_VALUES.contains(&word[1..])
            }));
            texts
        }
        "docker" | "podman" | "nerdctl" | "kubectl" | "oc" => {
            match words
                .iter()
                .position(|word| matches!(*word, "exec" | "run"))
            {
                // The pod or the image, options and their values stand before it.
                Some(at) => {
                    let end = words.len().min(at + 2 + MOST * 2);
                    // One of them within another is taken apart in its turn.
                    let again = (at + 2..end).find(|begin| words[*begin] == name);
                    (at + 2..again.map_or(end, |again| again + 1))
                        .filter(|begin| !words[*begin].starts_with('-'))
                        .map(|begin| joined(&words[begin..]))
                        .collect()
                }
                None => Vec::new(),
            }
        }
        "git" => git(&words),
        "tar" | "bsdtar" => {
            let options = [
                "--to-command",
                "--checkpoint-action",
                "--use-compress-program",
                "--info-script",
                "--new-volume-script",
                "--rsh-command",
                "-I",
                "-F",
            ];
            let values = option_values(&words, &options);
            let strip = |value: String| {
                value
                    .strip_prefix("exec=")
                    .map_or(value.clone(), str::to_owned)
            };
            values.into_iter().map(strip).collect()
        }
        "alias" => words
            .iter()
            .filter_map(|word| word.split_once('='))
            .map(|(_, value)| value.to_owned())
            .collect(),
        "mapfile" | "readarray" => option_values(&words, &["-C"]),
        "vim" | "vi" | "nvim" | "ex" | "view" | "gvim" | "less" | "ed" => words
            .iter()
            .filter_map(|word| word.split_once('!'))
            .map(|(_, command)| command.to_owned())
            .collect(),
        "sed" | "gsed" => words.iter().flat_map(|word| sed(word)).collect(),
        _ => Vec::new(),
    }
}

fn joined(words: &[&str]) -> String {
    words.join(" ")
}

/// What begins at the first word that is no option, and at a word behind an option, which may
/// be its value or not.
fn suffixes<'a>(words: &'a [&'a str]) -> Vec<&'a [&'a str]> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        if word.starts_with('-') {
            continue;
        }
        found.push(&words[at..]);
        let may_be_value = at > 0 && words[at - 1].starts_with('-') && words[at - 1] != "--";
        if !may_be_value || found.len() >= MOST {
            break;
        }
    }
    found
}

fn runners(words: &[&str]) -> Vec<String> {
    let mut texts = option_values(words, &["-c", "--call"]);
    texts.extend(suffixes(words).into_iter().map(joined));
    texts
}

/// What follows the first operand: the host of ssh.
fn after_place(words: &[&str], takes_value: impl Fn(&str) -> bool) -> Vec<String> {
    let mut at = 0;
    while let Some(word) = words.get(at) {
        if !word.starts_with('-') {
            return vec![joined(words.get(at + 1..).unwrap_or_default())];
        }
        at += if takes_value(word) { 2 } else { 1 };
    }
    Vec::new()
}

/// Values of options, attached or not. Beginnings of long names count.
pub(super) fn option_values(words: &[&str], options: &[&str]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, word) in words.iter().enumerate() {
        let (name, attached) = match word.split_once('=') {
            Some((name, value)) => (name, Some(value)),
            None => (*word, None),
        };
        for option in options {
            if option.starts_with("--") {
                if name.len() > 3 && option.starts_with(name) {
                    found.extend(attached.or(words.get(at + 1).copied()).map(str::to_owned));
                }
            } else if word == option {
                found.extend(words.get(at + 1).map(|value| (*value).to_owned()));
            } else if let Some(value) = word.strip_prefix(option) {
                found.push(value.to_owned());
            }
        }
    }
    found
}

fn git(words: &[&str]) -> Vec<String> {
    let mut texts: Vec<String> = option_values(words, &["-c"])
        .iter()
        .filter_map(|setting| setting.split_once('='))
        .map(|(_, value)| value.trim_start_matches('!').to_owned())
        .collect();
    let place = |name: &str| words.iter().position(|word| *word == name);
    if place("rebase").is_some() || place("difftool").is_some() {
        texts.extend(option_values(words, &["-x", "--exec", "--extcmd"]));
    }
    if let Some(at) = place("bisect").and_then(|_| place("run")) {
        texts.push(joined(&words[at + 1..]));
    }
    if let Some(at) = place("submodule").and_then(|_| place("foreach")) {
        texts.extend(suffixes(&words[at + 1..]).into_iter().map(joined));
    }
    if place("filter-branch").is_some() {
        for (at, word) in words.iter().enumerate() {
            if word.ends_with("-filter") {
                texts.extend(words.get(at + 1).map(|value| (*value).to_owned()));
            }
        }
    }
    texts
}

/// `1e rm x` and `s/.*/rm x/e`.
fn sed(script: &str) -> Vec<String> {
    let mut found = Vec::new();
    for line in script.lines() {
        for (at, letter) in line.char_indices() {
            let before = line[..at].chars().next_back();
            if before.is_some_and(char::is_alphabetic) {
                continue;
            }
            let behind = &line[at + letter.len_utf8()..];
            if letter == 'e' {
                found.push(behind.trim().to_owned());
            } else if letter == 's'
                && let Some(delimiter) = behind.chars().next()
            {
                let mut pieces = behind[delimiter.len_utf8()..].split(delimiter);
                let (_, replacement, flags) = (pieces.next(), pieces.next(), pieces.next());
                if let (Some(replacement), Some(flags)) = (replacement, flags)
                    && flags
                        .split([';', '}', ' '])
                        .next()
                        .is_some_and(|flags| flags.contains('e'))
                {
                    found.push(replacement.to_owned());
                }
            }
        }
    }
    // Each `e` may begin a text that goes on to the end of the line: thousands of them would be
    // thousands of times the script. Nobody reads them then, and they may be any command.
    let length: usize = found.iter().map(String::len).sum();
    if found.len() > 64 || length > MOST_SED_TEXT {
        return vec![CommandPart::OPEN.to_string()];
    }
    found
}
