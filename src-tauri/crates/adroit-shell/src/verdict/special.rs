//! What a program runs or writes beside what its row says.

use super::operands::literal;
use super::{Use, Verdict, replace};
use super::{foreign, git_files, into};
use crate::arguments::Parsed;
use crate::evaluate::expand::{Argument, Shape};
use crate::tables::git::RUNS_PROGRAMS;
use crate::types::{Access, Below};

/// `known` is the number of paths before those of the row.
pub(super) fn special(
    name: &str,
    parsed: &Parsed,
    arguments: &[Argument],
    known: usize,
    verdict: &mut Verdict,
) {
    if name == "git" || name.starts_with("git ") {
        git_files::written_files(name, arguments, verdict);
    }
    match name {
        "find" | "gfind" => find(arguments, known, verdict),
        "fd" | "fdfind" => fd(arguments, parsed, verdict),
        "bash" | "sh" | "zsh" | "dash" | "ksh" | "fish" => {
            let texts = values(parsed, &["-c"]);
            verdict.scripts.extend(texts);
        }
        "eval" | "trap" => evaluated(name, arguments, verdict),
        "dd" => data_definition(parsed, verdict),
        "tar" | "bsdtar" => tar(parsed, known, verdict),
        "rsync" | "scp" => {
            copies(parsed, known, verdict);
            into::copied_into(name, parsed, verdict);
        }
        "cp" | "ditto" | "mv" | "ln" | "link" | "install" => {
            into::copied_into(name, parsed, verdict);
        }
        "git config" | "git config set" => git_config(parsed, verdict),
        "git" => git_alias(arguments, verdict),
        "awk" | "gawk" | "mawk" | "nawk" => {
            if let Some(program) = parsed.operands.first().filter(|_| !parsed.operand_replaced) {
                foreign::program(name, program, verdict);
            }
            // `-i inplace`: the library by which it writes back what it reads.
            let in_place =
                |given: &Argument| given.literal().is_none_or(|text| text.contains("inplace"));
            if values(parsed, &["-i", "--include", "-l", "--load"])
                .iter()
                .any(in_place)
                || arguments
                    .iter()
                    .any(|word| word.prefix().contains("inplace"))
            {
                for operand in arguments {
                    verdict.uses(operand.clone(), Access::Write);
                }
            }
        }
        "sed" | "gsed" => {
            sed_files(parsed, verdict);
            backups(parsed, verdict);
        }
        "python" | "python2" | "python3" | "pypy3" | "perl" | "ruby" | "node" | "nodejs"
        | "deno" | "bun" | "php" => {
            if name == "perl" {
                backups(parsed, verdict);
            }
            for program in values(parsed, &["-c", "-e", "-E", "-p", "-r", "--eval", "--print"]) {
                foreign::program(name, &program, verdict);
            }
        }
        _ => {}
    }
}

fn values(parsed: &Parsed, names: &[&str]) -> Vec<Argument> {
    parsed
        .options
        .iter()
        .filter(|given| names.contains(&given.name.as_str()))
        .filter_map(|given| given.value.clone())
        .collect()
}

/// `find` deletes, or runs a command on, what lies below the places where it starts.
fn find(arguments: &[Argument], known: usize, verdict: &mut Verdict) {
    let places = find_places(arguments);
    let below = Below {
        hidden: true,
        names: find_names(arguments),
        perhaps: false,
        one_by_one: !finds_no_links(arguments),
        shallow: false,
    };
    if arguments
        .iter()
        .any(|argument| argument.literal() == Some("-delete"))
    {
        // Only the places: what `-newer` names is read.
        for place in &mut verdict.paths[known..] {
            let is_place = places
                .iter()
                .any(|own| own.span == place.argument.span && own.raw == place.argument.raw);
            if is_place {
                place.access = Access::Remove;
                place.below = Some(below.clone());
            }
        }
        if known == verdict.paths.len() {
            // `find -delete` starts here.
            verdict.paths.extend(places.iter().map(|place| Use {
                argument: place.clone(),
                access: Access::Remove,
                below: Some(below.clone()),
            }));
        }
    }
    let mut at = 0;
    while at < arguments.len() {
        let runs = matches!(
            arguments[at].literal(),
            Some("-exec" | "-execdir" | "-ok" | "-okdir")
        );
        at += 1;
        if !runs {
            continue;
        }
        let end = arguments[at..]
            .iter()
            .position(|argument| matches!(argument.literal(), Some(";" | "+")))
            .map_or(arguments.len(), |length| at + length);
        embed(&arguments[at..end], &places, &below, verdict);
        at = end;
    }
}

/// `fd -x`: as `find -exec`, and the name comes last where there is no `{}`.
fn fd(arguments: &[Argument], parsed: &Parsed, verdict: &mut Verdict) {
    let Some(at) = arguments.iter().position(|argument| {
        matches!(
            argument.literal(),
            Some("-x" | "-X" | "--exec" | "--exec-batch")
        )
    }) else {
        return;
    };
    let mut places: Vec<Argument> = parsed.operands.iter().skip(1).cloned().collect();
    places.retain(|place| place.span.end <= arguments[at].span.start);
    if places.is_empty() {
        places.push(Argument::synthetic(".", arguments[at].span.clone()));
    }
    let mut command = arguments[at + 1..].to_vec();
    let marked = command
        .iter()
        .any(|argument| argument.literal().is_some_and(|text| text.contains('{')));
    if !marked {
        command.extend(places.iter().cloned());
    }
    let below = Below {
        hidden: true,
        names: vec![Below::SOME.to_owned()],
        perhaps: false,
        one_by_one: true,
        shallow: false,
    };
    embed(&command, &places, &below, verdict);
}

fn embed(command: &[Argument], places: &[Argument], below: &Below, verdict: &mut Verdict) {
    // `-exec {} ;` runs what it finds.
    verdict.unseen.extend(
        command
            .first()
            .filter(|word| word.literal().is_none_or(|text| text.contains("{}")))
            .cloned(),
    );
    let command = command
        .iter()
        .cloned()
        .flat_map(|argument| replace(argument, "{}", places))
        .collect();
    verdict.embedded.push((command, below.clone()));
}

/// Where `find` starts: what stands before its first expression.
pub(crate) fn find_places(arguments: &[Argument]) -> Vec<Argument> {
    let mut places: Vec<Argument> = arguments
        .iter()
        .skip_while(|argument| matches!(argument.literal(), Some("-H" | "-L" | "-P")))
        .take_while(|argument| {
            let text = argument.prefix();
            !(text.starts_with('-') || matches!(text, "(" | "!" | ")" | ","))
        })
        .cloned()
        .collect();
    if places.is_empty() {
        let span = arguments
            .first()
            .map_or(0..0, |argument| argument.span.clone());
        places.push(Argument::synthetic(".", span));
    }
    places
}

/// Patterns of which every found name fits one; none where every file is found. Where tests
/// are joined by anything but *and*, some file is found of which no more is known.
pub(crate) fn find_names(arguments: &[Argument]) -> Vec<String> {
    /// Tests that every file passes, and actions.
    const NO_TEST: &str = "-type -xtype -depth -mindepth -xdev -mount -daystart -print -print0 -ls -printf \
         -delete -exec -execdir -ok -okdir -noleaf -true -follow";
    let mut name = None;
    let mut some = false;
    let mut words = arguments.iter().map(Argument::literal);
    while let Some(word) = words.next() {
        match word {
            Some("-o" | "-or" | "!" | "-not" | ",") => return vec![Below::SOME.to_owned()],
            Some("-name") => name = words.next().flatten().map(str::to_owned).or(name),
            Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                // Its words are another program's.
                words.find(|word| matches!(word, Some(";" | "+") | None));
            }
            Some(text) if text.starts_with('-') && text.len() > 2 => {
                some |= !NO_TEST.split_ascii_whitespace().any(|own| own == text);
            }
            _ => {}
        }
    }
    match name {
        // Two of them must both fit: one says enough.
        Some(name) => vec![name],
        None if some => vec![Below::SOME.to_owned()],
        None => Vec::new(),
    }
}

/// Every file that `find` gives is one of a kind that is no link (`-type f`).
pub(crate) fn finds_no_links(arguments: &[Argument]) -> bool {
    let mut typed = false;
    let mut acted = false;
    let mut words = arguments.iter().map(Argument::literal);
    while let Some(word) = words.next() {
        match word {
            // With these the test may not hold, or a link passes for what it leads to.
            Some("-o" | "-or" | "!" | "-not" | "," | "-L" | "-follow") | None => return false,
            // What an action does is done before a later test.
            Some("-type") => typed |= !acted && matches!(words.next().flatten(), Some("f" | "d")),
            Some("-print" | "-print0") => acted = true,
            Some("-exec" | "-execdir" | "-ok" | "-okdir") => {
                acted = true;
                words.find(|word| matches!(word, Some(";" | "+") | None));
            }
            Some(_) => {}
        }
    }
    typed
}

/// Their words are a command, options of it included.
fn evaluated(name: &str, arguments: &[Argument], verdict: &mut Verdict) {
    let words = match arguments.split_first() {
        Some((first, rest)) if first.literal() == Some("--") => rest,
        _ => arguments,
    };
    let texts: Option<Vec<&str>> = words.iter().map(Argument::literal).collect();
    if let (Some(texts), Some(first)) = (texts, words.first()) {
        let text = if name == "trap" {
            texts[0].to_owned()
        } else {
            texts.join(" ")
        };
        verdict
            .scripts
            .push(Argument::synthetic(&text, first.span.clone()));
    } else {
        verdict.unseen.extend(words.first().cloned());
    }
}

pub(super) fn data_definition(parsed: &Parsed, verdict: &mut Verdict) {
    for operand in &parsed.operands {
        let Some((key, value)) = operand.literal().and_then(|text| text.split_once('=')) else {
            continue;
        };
        let access = match key {
            "if" => Access::Read,
            "of" => Access::Write,
            _ => continue,
        };
        verdict.uses(literal(value, operand), access);
    }
}

/// Extraction writes where it happens; creation reads all below what it packs.
fn tar(parsed: &Parsed, known: usize, verdict: &mut Verdict) {
    let has = |names: &[&str]| {
        parsed
            .options
            .iter()
            .any(|given| names.contains(&given.name.as_str()))
    };
    let span = parsed
        .options
        .first()
        .map_or(0..0, |given| given.span.clone());
    let folder = values(parsed, &["-C", "--directory"]);
    if has(&["-x", "--extract", "--get"]) {
        // The archive is read, and what it holds is written below the folder.
        verdict.paths.truncate(known);
        for archive in values(parsed, &["-f", "--file"]) {
            verdict.reads(archive);
        }
        // A folder of its own for all that comes out.
        for top in values(parsed, &["--one-top-level"]) {
            verdict.uses(top, Access::Write);
        }
        let folder = folder
            .into_iter()
            .next_back()
            .unwrap_or_else(|| Argument::synthetic(".", span));
        for operand in &parsed.operands {
            if let Some(text) = operand.literal()
                && !text.starts_with('/')
                && let Some(base) = folder.literal()
            {
                // `tar -xf a.tar .git/config`
                let member = literal(&format!("{base}/{text}"), operand);
                verdict.mentions.push((member, Access::Write));
            }
        }
        verdict.uses(folder, Access::Write);
        return;
    }
    let creates = has(&["-c", "-r", "-u", "-A", "--create", "--append", "--update"]);
    for operand in parsed.operands.iter().filter(|_| creates) {
        verdict.paths.push(Use {
            argument: match (folder.last().and_then(Argument::literal), operand.literal()) {
                (Some(base), Some(text)) if !text.starts_with('/') => {
                    literal(&format!("{base}/{text}"), operand)
                }
                _ => operand.clone(),
            },
            access: if has(&["--remove-files"]) {
                Access::Remove
            } else {
                Access::Read
            },
            below: Some(Below::everything()),
        });
    }
}

/// The last operand is written, unless it lies on another machine.
fn copies(parsed: &Parsed, known: usize, verdict: &mut Verdict) {
    verdict.paths.truncate(known);
    for given in &parsed.options {
        if let (Some(_), Some(value)) = (given.path, &given.value) {
            verdict.reads(value.clone());
        }
    }
    let last = parsed.operands.len().saturating_sub(1);
    for (at, operand) in parsed.operands.iter().enumerate() {
        let text = operand.prefix();
        let remote = text
            .split_once(':')
            .is_some_and(|(host, _)| !host.contains('/'));
        if remote {
            continue;
        }
        verdict.paths.push(Use {
            argument: operand.clone(),
            access: if at == last && last > 0 {
                Access::Write
            } else {
                Access::Read
            },
            below: (at < last).then(Below::everything),
        });
    }
}

/// Some settings of git name programs that it then runs: as good as a hook.
fn git_config(parsed: &Parsed, verdict: &mut Verdict) {
    let Some(key) = parsed.operands.first() else {
        return;
    };
    let Some(text) = key.literal().map(str::to_ascii_lowercase) else {
        return;
    };
    let is_written = parsed.operands.len() > 1
        || parsed.options.iter().any(|given| {
            matches!(
                given.name.as_str(),
                "--add" | "--replace-all" | "--unset" | "--unset-all"
            )
        });
    let runs = RUNS_PROGRAMS
        .split_ascii_whitespace()
        .any(|known| match known.split_once('*') {
            Some((head, tail)) => text.starts_with(head) && text.ends_with(tail),
            None => text == known,
        });
    if !(is_written && runs) {
        return;
    }
    let has = |name: &str| parsed.options.iter().any(|given| given.name == name);
    let file = if has("--global") {
        "~/.gitconfig"
    } else {
        ".git/config"
    };
    if !(has("-f") || has("--file") || has("--system")) {
        verdict.mentions.push((literal(file, key), Access::Write));
    }
}

/// `git -c alias.x=push x` is a push; `-c alias.x='!cmd'` runs a command.
fn git_alias(arguments: &[Argument], verdict: &mut Verdict) {
    for pair in arguments.windows(2) {
        let (Some("-c"), Some(setting)) = (pair[0].literal(), pair[1].literal()) else {
            continue;
        };
        let Some((_, value)) = setting
            .strip_prefix("alias.")
            .and_then(|alias| alias.split_once('='))
        else {
            continue;
        };
        let text = match value.strip_prefix('!') {
            Some(command) => command.to_owned(),
            None => format!("git {value}"),
        };
        verdict
            .hints
            .push(Argument::synthetic(&text, pair[1].span.clone()));
    }
}

/// Where `-i` keeps the files that it edits: a star in the suffix is the name of the file,
/// so `sed -i'.git/hooks/*' s/a/b/ pre-commit` makes a hook.
fn backups(parsed: &Parsed, verdict: &mut Verdict) {
    let files = parsed
        .operands
        .iter()
        .skip(usize::from(!parsed.operand_replaced));
    let suffixes = values(parsed, &["-i", "--in-place"]);
    for (suffix, file) in files.flat_map(|file| suffixes.iter().map(move |own| (own, file))) {
        let plain = suffix.literal().filter(|text| !text.contains(['/', '*']));
        match (suffix.literal(), plain, &file.shape) {
            (Some(text), _, Shape::Literal(path)) => {
                let (folder, name) = match path.rfind('/') {
                    Some(at) => path.split_at(at + 1),
                    None => ("", path.as_str()),
                };
                let backup = if text.contains('*') {
                    text.replace('*', name)
                } else {
                    format!("{name}{text}")
                };
                // Seds differ on the folder from which a suffix with a slash counts.
                if backup.contains('/') {
                    verdict.uses(literal(&backup, file), Access::Write);
                }
                verdict.uses(literal(&format!("{folder}{backup}"), file), Access::Write);
            }
            (
                _,
                Some(text),
                Shape::Glob {
                    text: glob,
                    prefix,
                    several,
                },
            ) => {
                let shape = Shape::Glob {
                    text: format!("{glob}{text}"),
                    prefix: prefix.clone(),
                    several: *several,
                };
                let backup = Argument {
                    shape,
                    ..file.clone()
                };
                verdict.uses(backup, Access::Write);
            }
            _ => {
                let shape = Shape::Unknown {
                    prefix: String::new(),
                    splits: true,
                    tail: None,
                };
                let unseen = Argument {
                    shape,
                    ..suffix.clone()
                };
                verdict.uses(unseen, Access::Write);
            }
        }
    }
}

/// Files that a sed script writes or reads.
fn sed_files(parsed: &Parsed, verdict: &mut Verdict) {
    let mut scripts = values(parsed, &["-e", "--expression"]);
    if scripts.is_empty() && !parsed.operand_replaced {
        scripts.extend(parsed.operands.first().cloned());
    }
    for script in &scripts {
        let Some(text) = script.literal() else {
            continue;
        };
        for line in text.lines() {
            for (at, letter) in line.char_indices() {
                let access = match letter {
                    'w' | 'W' => Access::Write,
                    'r' | 'R' => Access::Read,
                    _ => continue,
                };
                // A command stands at the beginning, after an address or after flags.
                let before = line[..at].chars().next_back();
                let begins = before.is_none_or(|before| {
                    !before.is_alphanumeric() || "gpiIm0123456789".contains(before)
                });
                let file = line[at + 1..].trim();
                if begins && !file.is_empty() {
                    verdict.mentions.push((literal(file, script), access));
                    if let Some((file, _)) = file.split_once([';', '}']) {
                        verdict.mentions.push((literal(file, script), access));
                    }
                }
            }
        }
    }
}
