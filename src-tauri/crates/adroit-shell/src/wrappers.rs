//! Programs that run the command in their arguments.

use std::collections::HashMap;
use std::sync::LazyLock;

use crate::arguments;
use crate::evaluate::expand::{Argument, Shape};
use crate::tables::row::{Row, Takes, abbreviated, flag, listed};

/// What peeling a wrapper means.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Wrapping {
    /// Stripped before allow rules, transparent to reading.
    Plain,
    /// As `Plain`, but it writes `nohup.out` when its output is a terminal.
    Nohup,
    /// As `Plain` without options; what it appends comes from its input.
    Xargs,
    /// Stripped before deny and ask rules only; transparent to reading when harmless.
    Env,
    /// Stripped before deny and ask rules only.
    Opaque,
    /// As `Opaque`; asks for more rights.
    Privilege,
    /// As `Opaque`; no prefix rule may approve it.
    Refuses,
}

/// One wrapper.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Wrapper {
    names: &'static str,
    /// Options before the command; only these keep it transparent.
    flags: &'static str,
    /// Operands before the command (the duration of `timeout`).
    leading: usize,
    pub wrapping: Wrapping,
}

const fn wrapper(
    names: &'static str,
    flags: &'static str,
    leading: usize,
    wrapping: Wrapping,
) -> Wrapper {
    Wrapper {
        names,
        flags,
        leading,
        wrapping,
    }
}

const WRAPPERS: &[Wrapper] = &[
    wrapper(
        "timeout|gtimeout",
        "-s= -k= -v -f -p --signal= --kill-after= --foreground --preserve-status --verbose",
        1,
        Wrapping::Plain,
    ),
    wrapper("time", "-p", 0, Wrapping::Plain),
    wrapper("nice", "-n= --adjustment=", 0, Wrapping::Plain),
    wrapper("nohup", "", 0, Wrapping::Nohup),
    wrapper(
        "stdbuf",
        "-i= -o= -e= --input= --output= --error=",
        0,
        Wrapping::Plain,
    ),
    wrapper("command", "-p", 0, Wrapping::Plain),
    wrapper("builtin", "", 0, Wrapping::Plain),
    wrapper(
        "xargs|gxargs",
        "-0 -r -t -x -n= -P= -I= -L= -d= -s= -E= -a=@ --null --no-run-if-empty --max-args= \
         --max-procs= --max-lines= --delimiter= --verbose --arg-file=@ --replace? --exit",
        0,
        Wrapping::Xargs,
    ),
    wrapper(
        "env",
        "-u= -C=@ -S= -i -0 -v --unset= --chdir=@ --split-string= --ignore-environment",
        0,
        Wrapping::Env,
    ),
    wrapper(
        "sudo",
        "-u= -g= -h= -p= -C= -D= -R= -T= -U= -r= -t= --user= --group= --host= --prompt= \
         --chdir= --chroot=",
        0,
        Wrapping::Privilege,
    ),
    wrapper("doas", "-u= -C=", 0, Wrapping::Privilege),
    wrapper("pkexec|run0", "--user= -u=", 0, Wrapping::Privilege),
    wrapper(
        "su|runuser",
        "-c= -s= -g= -G= --command= --shell= --group=",
        1,
        Wrapping::Privilege,
    ),
    wrapper("watch", "-n= -q= --interval=", 0, Wrapping::Refuses),
    wrapper("setsid", "", 0, Wrapping::Refuses),
    wrapper(
        "ionice",
        "-c= -n= -p= -P= -u= --class= --classdata=",
        0,
        Wrapping::Refuses,
    ),
    wrapper(
        "flock",
        "-w= -E= -c= --timeout= --wait= --command=",
        1,
        Wrapping::Refuses,
    ),
    wrapper("chrt", "-T= -P= -D=", 1, Wrapping::Opaque),
    wrapper("taskset", "", 1, Wrapping::Opaque),
    wrapper("chroot", "--userspec= --groups=", 1, Wrapping::Opaque),
    wrapper(
        "strace|ltrace",
        "-o= -e= -p= -s= -u= -E= -S= -P=",
        0,
        Wrapping::Opaque,
    ),
    wrapper(
        "unshare|nsenter|setarch|fakeroot|unbuffer|caffeinate|torsocks|proxychains|catchsegv|\
         dbus-run-session|systemd-inhibit",
        "-t= -p=",
        0,
        Wrapping::Opaque,
    ),
    wrapper(
        "systemd-run",
        "-p= -u= --unit= --property= -E=",
        0,
        Wrapping::Opaque,
    ),
    wrapper("exec", "-a= -c -l", 0, Wrapping::Opaque),
    wrapper("busybox|toybox", "", 0, Wrapping::Opaque),
    wrapper(
        "parallel",
        "-j= -a= -N= --jobs= --arg-file=",
        0,
        Wrapping::Opaque,
    ),
    wrapper("script", "-c= -t= -I= -O= --command=", 0, Wrapping::Opaque),
    wrapper("coproc", "", 0, Wrapping::Opaque),
];

/// Wrappers around one program that are followed; a command with more is not understood.
pub(crate) const MOST_WRAPPERS: usize = 24;

/// The wrapper of that name.
pub(crate) fn wrapper_named(name: &str) -> Option<&'static Wrapper> {
    static BY_NAME: LazyLock<HashMap<&'static str, &'static Wrapper>> = LazyLock::new(|| {
        WRAPPERS
            .iter()
            .flat_map(|wrapper| wrapper.names.split('|').map(move |name| (name, wrapper)))
            .collect()
    });
    BY_NAME.get(name).copied()
}

/// A wrapper taken off.
pub(crate) struct Peeled {
    pub wrapper: &'static Wrapper,
    /// Index of the inner command word; the number of arguments when there is none.
    pub inner: usize,
    /// `NAME=value` words of `env` and `sudo`.
    pub assignments: Vec<usize>,
    /// Options that are not in the wrapper's list, or whose value cannot be known.
    pub doubtful: Option<usize>,
    /// It has options at all, and others than such as take a variable away (`env -u NAME`).
    pub has_options: bool,
    pub only_unsets: bool,
    /// Values of options that are paths.
    pub paths: Vec<Argument>,
    /// Text that it gives to a shell (`su -c`, `flock -c`, `env -S`).
    pub script: Option<Argument>,
    /// What `xargs -I` replaces by each line of its input.
    pub replaced: Option<String>,
}

/// Takes the wrapper `name` (the first of `arguments`) off.
pub(crate) fn peel(name: &str, arguments: &[Argument]) -> Option<Peeled> {
    let wrapper = wrapper_named(name)?;
    let mut peeled = Peeled {
        wrapper,
        inner: arguments.len(),
        assignments: Vec::new(),
        doubtful: None,
        has_options: false,
        only_unsets: true,
        paths: Vec::new(),
        script: None,
        replaced: None,
    };
    let takes_assignments = matches!(wrapper.wrapping, Wrapping::Env | Wrapping::Privilege);
    let mut leading = wrapper.leading;
    let mut at = 1;
    while at < arguments.len() {
        let argument = &arguments[at];
        let Shape::Literal(text) = &argument.shape else {
            if argument.may_be_option() && leading == 0 {
                peeled.doubtful.get_or_insert(at);
            }
            if leading > 0 {
                if argument.may_be_option() {
                    peeled.doubtful.get_or_insert(at);
                }
                leading -= 1;
                at += 1;
                continue;
            }
            peeled.inner = at;
            return Some(peeled);
        };
        if text == "--" {
            at += 1;
            // Operands of its own still stand before the command.
            at += leading;
            peeled.inner = at.min(arguments.len());
            return Some(peeled);
        }
        if text.starts_with('-') && (text.len() > 1 || takes_assignments) {
            at = option(&mut peeled, arguments, at);
            continue;
        }
        if takes_assignments && is_assignment(text) {
            peeled.assignments.push(at);
            at += 1;
            continue;
        }
        if leading > 0 {
            leading -= 1;
            at += 1;
            continue;
        }
        peeled.inner = at;
        return Some(peeled);
    }
    Some(peeled)
}

/// Reads the option at `at`; returns the index after it and its value.
fn option(peeled: &mut Peeled, arguments: &[Argument], at: usize) -> usize {
    peeled.has_options = true;
    let row: Row = listed("", "", peeled.wrapper.flags);
    let row = if peeled.wrapper.names == "nice" {
        row.digits()
    } else {
        row
    };
    let text = arguments[at].literal().unwrap_or_default();
    // Only this option and its value: the command's own options are not ours.
    let is_long = text.starts_with("--");
    let name = if is_long {
        text.split('=').next().unwrap_or(text)
    } else {
        text
    };
    let needs_next = if is_long {
        let listed = flag(row.flags, name);
        // `timeout --sig KILL 5 rm x`
        let short = || abbreviated(row.flags, name).any(|(_, flag)| flag.takes == Takes::Value);
        !text.contains('=') && listed.map_or_else(short, |flag| flag.takes == Takes::Value)
    } else {
        last_takes_next(row.flags, text)
    };
    let end = (at + 1 + usize::from(needs_next)).min(arguments.len());
    let parsed = arguments::parse(&row, &arguments[at..end]);
    if !parsed.refused.is_empty() {
        peeled.doubtful.get_or_insert(at);
    }
    for given in parsed.options {
        // Without `PATH` another program of that name may run.
        peeled.only_unsets &= matches!(given.name.as_str(), "-u" | "--unset")
            && given
                .value
                .as_ref()
                .and_then(Argument::literal)
                .is_some_and(|name| crate::syntax::is_name(name) && name != "PATH");
        let is_script = matches!(
            given.name.as_str(),
            "-c" | "--command" | "-S" | "--split-string"
        ) && !matches!(peeled.wrapper.wrapping, Wrapping::Plain)
            && peeled.wrapper.names != "ionice";
        if is_script {
            peeled.script = given.value.clone();
        }
        if peeled.wrapper.wrapping == Wrapping::Xargs
            && matches!(given.name.as_str(), "-I" | "--replace")
        {
            let mark = given.value.as_ref().and_then(Argument::literal);
            peeled.replaced = Some(mark.unwrap_or("{}").to_owned());
        }
        if given.path.is_some() {
            peeled.paths.extend(given.value);
        }
    }
    end
}

/// Whether the last flag of a cluster takes the next word.
fn last_takes_next(flags: &str, text: &str) -> bool {
    for (at, character) in text.char_indices().skip(1) {
        let Some(found) = flag(flags, &format!("-{character}")) else {
            continue;
        };
        match found.takes {
            Takes::Nothing => {}
            Takes::Attached => return false,
            Takes::Value => return at + character.len_utf8() == text.len(),
        }
    }
    false
}

/// `NAME=value` as a word.
pub(crate) fn is_assignment(text: &str) -> bool {
    text.split_once('=')
        .is_some_and(|(name, _)| crate::syntax::is_name(name))
}

/// Whether a command word names a shell.
pub(crate) fn is_shell(word: &str) -> bool {
    matches!(
        base_name(word),
        "sh" | "bash" | "dash" | "zsh" | "ksh" | "ash" | "fish"
    )
}

/// The name that rules and tables know a command word by.
pub(crate) fn base_name(word: &str) -> &str {
    word.rsplit('/').next().unwrap_or(word)
}

/// The name of a program that is found on the usual path, whether written so
/// or with a system directory before it.
pub(crate) fn trusted_name(word: &str) -> Option<&str> {
    if !word.contains('/') {
        return Some(word);
    }
    [
        "/bin/",
        "/usr/bin/",
        "/usr/local/bin/",
        "/sbin/",
        "/usr/sbin/",
        "/opt/homebrew/bin/",
    ]
    .iter()
    .find_map(|directory| word.strip_prefix(directory))
    .filter(|name| !name.contains('/'))
}
