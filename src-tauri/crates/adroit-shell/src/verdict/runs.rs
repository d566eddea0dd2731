//! Programs that run a command among their words, as data: `prlimit --nproc=5 rm x`,
//! `hyperfine 'rm x'`, `rsync -e 'rm x'`. Where their own words end is not looked for: a command
//! may begin at each word. Only what forbids, asks or warns hears of it; one too many is a
//! question too many, no more.

use super::Verdict;
use super::inner::option_values;
use crate::evaluate::expand::Argument;
use crate::variables;
use crate::wrappers;

/// A command follows somewhere behind these.
const FOLLOWED: &str = "prlimit setpriv numactl perf valgrind linux32 linux64 i386 x86_64 uname26 gdb \
     lldb rr xvfb-run faketime sg bwrap firejail nsjail proot fakechroot chronic entr nodemon \
     watchexec direnv asdf rtx mise nix nix-shell conda mamba micromamba dotenv dotenvx cross-env \
     cross-env-shell env-cmd concurrently npm-run-all hyperfine tmux screen zellij dtach abduco at \
     batch sem ts tsp pueue tini dumb-init gosu su-exec capsh aa-exec cgexec dbus-launch ssh-agent \
     start-stop-daemon daemonize daemon setlock softlimit chpst retry trickle cpulimit tsocks \
     proxychains4 torify doppler op chamber envdir envchain aws-vault infisical sops rlwrap \
     eatmydata ccache sccache bear scan-build kcov uftrace bpftrace systemd-nspawn flatpak-spawn \
     distrobox toolbox wsl asciinema ttyrec foreman honcho rbenv pyenv nodenv jenv goenv volta fnm \
     nvm devbox pixi rustup cargo-watch opam stack cabal lerna with-contenv guix \
     flox devenv setuidgid runcon newgrp";

/// Options whose value is a command.
const OPTIONS: &[(&str, &[&str])] = &[
    ("rsync", &["-e", "--rsh", "--rsync-path"]),
    ("zip", &["-TT", "--unzip-command"]),
    ("rg", &["--pre", "--hostname-bin"]),
    ("bat batcat delta", &["--pager", "--diff-cmd"]),
    ("man apropos", &["-P", "--pager", "-H", "--html"]),
    ("fzf sk", &["--preview", "--bind"]),
    ("sort gsort", &["--compress-program"]),
    ("split gsplit", &["--filter"]),
    ("nc ncat netcat", &["-e", "-c", "--exec", "--sh-exec"]),
    ("scp sftp", &["-S", "-D"]),
    ("wget", &["--use-askpass"]),
    (
        "git",
        &[
            "--upload-pack",
            "--receive-pack",
            "--exec",
            "-O",
            "--open-files-in-pager",
        ],
    ),
    ("cargo", &["-x", "-s", "--exec", "--shell"]),
    ("vim vi nvim ex view", &["-c", "--cmd"]),
    ("gh", &["--editor"]),
];

/// Interpreters whose language is not read.
const LANGUAGES: &str = "julia elixir erl ghc runghc ghci groovy scala swipl guile emacs clojure clj \
     racket sbcl ocaml octave raku crystal tsx ts-node bun R gdb lldb jshell nu elvish xonsh tcsh \
     csh pwsh powershell";

/// Where a command may begin; with more words, the rest is not looked at one by one.
const MOST_BEGINNINGS: usize = 12;

/// What a program makes of its input.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Input {
    /// Runs it as a shell would.
    Script,
    /// May run commands that stand in it, in a language that is not read here.
    Other,
}

/// Whether `name` runs what stands in its input.
pub(crate) fn runs_its_input(name: &str) -> Option<Input> {
    match name {
        "at" | "batch" => Some(Input::Script),
        "make" | "gmake" | "ninja" | "ed" | "ex" | "vi" | "vim" | "nvim" | "view" | "gdb"
        | "lldb" | "expect" | "tclsh" | "sftp" | "ftp" | "tmux" | "pwsh" | "powershell"
        | "osascript" | "R" | "Rscript" | "julia" | "ghci" | "irb" | "gnuplot" | "m4" | "psql"
        | "sqlite3" | "mysql" | "crontab" => Some(Input::Other),
        _ => None,
    }
}

/// Takes up the commands among the words of `name`.
pub(super) fn commands(name: &str, word: &Argument, arguments: &[Argument], verdict: &mut Verdict) {
    let mut texts = Vec::new();
    if has(FOLLOWED, name) {
        texts.extend(following(arguments));
    }
    let words = literals(arguments);
    for (_, options) in OPTIONS.iter().filter(|(names, _)| has(names, name)) {
        texts.extend(option_values(&words, options));
    }
    if matches!(
        name,
        "export" | "declare" | "typeset" | "readonly" | "local"
    ) {
        for argument in arguments {
            assigned(argument, verdict);
        }
    }
    if name == "git" && words.windows(2).any(|pair| pair == ["subtree", "push"]) {
        texts.push("git push".to_owned());
    }
    hides(name, word, arguments, verdict);
    let texts = texts.into_iter().filter(|text| !text.trim().is_empty());
    verdict
        .hints
        .extend(texts.map(|text| Argument::synthetic(&text, word.span.clone())));
}

/// What a program gets another name for, or reads out of what another prints, is run unseen.
fn hides(name: &str, word: &Argument, arguments: &[Argument], verdict: &mut Verdict) {
    let runs_files = wrappers::is_shell(name)
        || super::is_interpreter(name)
        || matches!(name, "source" | "." | "make" | "gmake" | "expect" | "tclsh");
    // `bash <(echo rm x)`
    let printed = |argument: &&Argument| argument.raw.starts_with("<(");
    if runs_files && let Some(argument) = arguments.iter().find(printed) {
        verdict.unseen.push(argument.clone());
    }
    // `ln -s /usr/bin/git p; ./p push`
    let program = |argument: &&Argument| {
        argument
            .literal()
            .is_some_and(|text| text.contains('/') && wrappers::trusted_name(text).is_some())
    };
    let renames = matches!(name, "ln" | "link" | "cp" | "install" | "mv" | "hash");
    if renames
        && let Some(argument) = arguments.iter().find(program)
        // The last is where to.
        && (name == "hash" || arguments.last().is_some_and(|last| last.span != argument.span))
    {
        verdict.unseen.push(argument.clone());
    }
    if matches!(name, "lua" | "luajit" | "texlua") {
        for text in option_values(&literals(arguments), &["-e"]) {
            super::foreign::program(
                name,
                &Argument::synthetic(&text, word.span.clone()),
                verdict,
            );
        }
    }
    // A program among the words, in a language that nobody reads here.
    let given = |argument: &Argument| {
        matches!(
            argument.prefix(),
            "-e" | "-c" | "-g" | "-E" | "--eval" | "-eval" | "-x"
        )
    };
    if has(LANGUAGES, name) && arguments.iter().any(given) {
        verdict.unseen.push(word.clone());
    }
    // Their programs are in languages that nobody reads here.
    if matches!(
        name,
        "expect" | "tclsh" | "osascript" | "pwsh" | "powershell" | "Rscript"
    ) {
        verdict.unseen.push(word.clone());
    }
}

/// `GIT_PAGER='rm x'`, as a word of `export` or `env`.
pub(super) fn assigned(argument: &Argument, verdict: &mut Verdict) {
    let text = argument.literal().unwrap_or(&argument.raw);
    let Some((name, value)) = text.split_once('=') else {
        return;
    };
    if variables::names_program(name) {
        match argument.literal() {
            Some(_) => verdict
                .hints
                .push(Argument::synthetic(value, argument.span.clone())),
            None => verdict.unseen.push(argument.clone()),
        }
    }
}

fn has(list: &str, name: &str) -> bool {
    list.split_ascii_whitespace().any(|own| own == name)
}

/// What begins at each word that may begin a command, and each word that may be a whole one.
fn following(arguments: &[Argument]) -> Vec<String> {
    let mut found = Vec::new();
    for (at, argument) in arguments.iter().enumerate() {
        if let Some(text) = argument.literal().filter(|text| text.contains(' ')) {
            // `--run='rm x'`, `-c'rm x'`
            let value = text.split_once('=').map(|(_, value)| value);
            let attached = text.get(2..).filter(|_| text.starts_with('-'));
            found.extend(
                [Some(text), value, attached]
                    .into_iter()
                    .flatten()
                    .map(str::to_owned),
            );
        }
        if !argument.raw.starts_with('-') && at < MOST_BEGINNINGS {
            found.push(as_written(&arguments[at..]));
            // It is taken apart in its turn: each chain is followed once, whatever its length.
            let name = argument.literal().map(wrappers::base_name);
            if name.is_some_and(|name| has(FOLLOWED, name)) {
                break;
            }
        }
    }
    found
}

fn literals(arguments: &[Argument]) -> Vec<&str> {
    arguments
        .iter()
        .map(|argument| argument.literal().unwrap_or(&argument.raw))
        .collect()
}

/// Quotes are kept, so that `sh -c 'rm x'` stays what it is.
fn as_written(arguments: &[Argument]) -> String {
    let words: Vec<&str> = arguments
        .iter()
        .map(|argument| argument.raw.as_str())
        .collect();
    words.join(" ")
}
