//! The person's functions and aliases, as their login shell knows them.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};

use crate::shell::{self, PrivateFolder, ShellKind};

/// Start-up files that may define something, in the person's home.
const START_UP: &[&str] = &[
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zprofile",
    ".zshenv",
    ".zlogin",
];

/// Prints functions and aliases of bash: what it is, NUL, its text, NUL. No text
/// of a shell holds a NUL, so none can pass for two. Names with an underscore
/// first belong to completion: hundreds of them, which no command of a model calls.
const BASH: &str = "for __adroit_name in $(compgen -A function); do case $__adroit_name in \
                    _*) ;; *) builtin printf 'function %s\\0' \"$__adroit_name\"; \
                    declare -f -- \"$__adroit_name\"; builtin printf '\\0' ;; esac; done; \
                    for __adroit_name in $(compgen -a); do \
                    builtin printf 'alias %s\\0' \"$__adroit_name\"; \
                    builtin alias -- \"$__adroit_name\"; builtin printf '\\0'; done";
/// Only plain aliases: a global one (`alias -g`) would stand for any word of a
/// command, and one for a suffix makes a command of a file.
const ZSH: &str = "for __adroit_name in ${(k)functions}; do case $__adroit_name in _*|prompt_*) ;; \
                   *) builtin printf 'function %s\\0' \"$__adroit_name\"; \
                   functions -- $__adroit_name; builtin printf '\\0' ;; esac; done; \
                   for __adroit_name in ${(k)aliases}; do \
                   builtin printf 'alias %s\\0' \"$__adroit_name\"; \
                   builtin alias -L -- $__adroit_name; builtin printf '\\0'; done";

/// More than this is no hand-written start-up file, and each command reads it.
const LARGEST: u64 = 1 << 20;

/// Whether a start-up file in `home` defines something. Asking a shell costs tens
/// of milliseconds, or hundreds where it sets up version managers, and many such
/// files only set variables.
pub(crate) fn may_exist(home: &Path) -> bool {
    START_UP
        .iter()
        .filter_map(|name| fs::read(home.join(name)).ok())
        .any(|text| String::from_utf8_lossy(&text).lines().any(defines))
}

fn defines(line: &str) -> bool {
    let line = line.trim_start();
    let is_comment = line.starts_with('#');
    let mut words = line.split([' ', '\t', ';', '&', '|', '{', '(']);
    !is_comment && (line.contains("()") || words.any(|word| matches!(word, "alias" | "function")))
}

/// A function or an alias of the person.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Definition<'a> {
    /// A function.
    Function {
        /// Its name.
        name: &'a str,
    },
    /// An alias.
    Alias {
        /// Its name.
        name: &'a str,
        /// What it stands for; `None` where that cannot be told.
        value: Option<String>,
    },
}

impl Definition<'_> {
    /// The word that calls it.
    pub fn name(&self) -> &str {
        match self {
            Self::Function { name } | Self::Alias { name, .. } => name,
        }
    }
}

/// Whether a definition may go on to commands. What a command would do is judged
/// by the names in it, so whoever judges says which names may mean something else.
pub type KeepsDefinition = fn(&Definition<'_>) -> bool;

/// A file of definitions in one shell's language. It goes with this value.
#[derive(Debug)]
pub(crate) struct Definitions {
    kind: ShellKind,
    path: PathBuf,
    _folder: PrivateFolder,
}

impl Definitions {
    /// Those of `shell`, where its language is one that commands run in.
    pub(crate) fn of(shell: &Path, folder: PrivateFolder) -> Option<Self> {
        let kind = match shell.file_name()?.to_str()? {
            "bash" => ShellKind::Bash,
            "zsh" => ShellKind::Zsh,
            _ => return None,
        };
        Some(Self {
            kind,
            path: folder.path().join("definitions"),
            _folder: folder,
        })
    }

    /// Has the shell write them.
    pub(crate) fn script(&self) -> OsString {
        let print = match self.kind {
            ShellKind::Zsh => ZSH,
            ShellKind::Bash | ShellKind::Posix => BASH,
        };
        let mut script = OsString::from(format!("{{ {print}; }} > "));
        script.push(shell::quote(self.path.as_os_str()));
        script
    }

    /// Only those that `keeps` takes; `None` where nothing is left.
    pub(crate) fn kept_by(self, keeps: KeepsDefinition) -> Option<Self> {
        let path = &self.path;
        if fs::metadata(path).ok()?.len() > LARGEST {
            tracing::warn!("the login shell's functions are too many to be passed on");
            return None;
        }
        let kept = kept(&fs::read(path).ok()?, keeps);
        if kept.is_empty() {
            return None;
        }
        fs::write(path, kept).ok()?;
        Some(self)
    }

    /// The file, for commands of `shell`.
    pub(crate) fn file(&self, shell: ShellKind) -> Option<&Path> {
        (self.kind == shell).then_some(&self.path)
    }
}

/// The texts of the definitions that `keeps` takes and that no shell calls by itself.
fn kept(printed: &[u8], keeps: KeepsDefinition) -> String {
    let mut kept = String::new();
    for pair in printed
        .split(|&byte| byte == 0)
        .collect::<Vec<_>>()
        .chunks(2)
    {
        let [what, text] = pair else { continue };
        let (Ok(what), Ok(text)) = (std::str::from_utf8(what), std::str::from_utf8(text)) else {
            continue;
        };
        let definition = match what.split_once(' ') {
            Some(("function", name)) => Definition::Function { name },
            Some(("alias", name)) => Definition::Alias {
                name,
                value: alias_value(name, text),
            },
            _ => continue,
        };
        if text.trim().is_empty() {
            continue;
        }
        if is_plain_name(definition.name()) && keeps(&definition) {
            kept.push_str(text);
            kept.push('\n');
        } else {
            tracing::debug!(?definition, "not passed on to commands");
        }
    }
    kept
}

/// A name that is called where it is written, and nowhere else.
///
/// Blocks a function named `/bin/ls`, which bash takes for the program, and those
/// that a shell calls unasked: for a command that is not installed, at each `cd`,
/// at a signal.
fn is_plain_name(name: &str) -> bool {
    const HOOKS: &[&str] = &[
        "command_not_found_handle",
        "command_not_found_handler",
        "chpwd",
        "periodic",
        "precmd",
        "preexec",
        "zshaddhistory",
        "zshexit",
    ];
    !name.is_empty()
        && !name.starts_with("TRAP")
        && !HOOKS.contains(&name)
        && name
            .chars()
            .all(|letter| letter.is_alphanumeric() || "_-.:+@,?!%^".contains(letter))
}

/// What an alias stands for, from how its shell prints it; `None` where that is
/// quoted in a way that is not known here.
fn alias_value(name: &str, text: &str) -> Option<String> {
    let text = text.strip_prefix("alias ")?;
    let text = text.strip_prefix("-- ").unwrap_or(text);
    let mut rest = text
        .strip_prefix(name)?
        .strip_prefix('=')?
        .trim_end_matches('\n');
    let mut value = String::new();
    while !rest.is_empty() {
        if let Some(quoted) = rest.strip_prefix('\'') {
            let (inside, after) = quoted.split_once('\'')?;
            value.push_str(inside);
            rest = after;
        } else if let Some(after) = rest.strip_prefix("\\'") {
            value.push('\'');
            rest = after;
        } else {
            let letter = rest.chars().next()?;
            if !letter.is_ascii_alphanumeric() && !"_-./=:,+%".contains(letter) {
                return None;
            }
            value.push(letter);
            rest = &rest[letter.len_utf8()..];
        }
    }
    Some(value)
}

/// The name of a function that a variable of the environment defines: bash takes
/// it from there (`export -f`).
pub(crate) fn exported_function(variable: &str) -> Option<&str> {
    let name = variable.strip_prefix("BASH_FUNC_")?;
    Some(
        name.strip_suffix("%%")
            .or_else(|| name.strip_suffix("()"))
            .unwrap_or(name),
    )
}

/// Whether a function from the environment goes on to commands.
pub(crate) fn keeps_exported(name: &str, keeps: Option<KeepsDefinition>) -> bool {
    keeps.is_some_and(|keeps| is_plain_name(name) && keeps(&Definition::Function { name }))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all_kept(printed: &[u8]) -> String {
        kept(printed, |_| true)
    }

    #[test]
    fn each_definition_is_judged_by_itself_and_hooks_are_left_out() {
        let printed =
            b"function ls\0ls () \n{ \n    :\n}\n\0alias ll\0alias ll='a\nalias ls=x'\n\0";
        let kept_text = kept(printed, |definition| definition.name() != "ls");
        assert_eq!(kept_text, "alias ll='a\nalias ls=x'\n\n");
        for name in [
            "/bin/ls",
            "command_not_found_handle",
            "chpwd",
            "TRAPEXIT",
            "a b",
            "$(x)",
            "",
        ] {
            let printed = format!("function {name}\0f () {{ :; }}\n\0");
            assert_eq!(all_kept(printed.as_bytes()), "", "{name}");
        }
        // Cut off, or no definition.
        for printed in [&b"function f\0"[..], b"variable f\0x\0", b"", b"\0\0\0"] {
            assert_eq!(all_kept(printed), "", "{printed:?}");
        }
    }

    #[test]
    fn the_value_of_an_alias_is_what_stands_between_the_quotes() {
        for (text, value) in [
            ("alias x='ls -l'\n", Some("ls -l")),
            ("alias -- x='cd -'\n", Some("cd -")),
            ("alias x='a'\\''b'\n", Some("a'b")),
            ("alias x='a '\n", Some("a ")),
            ("alias x=plain\n", Some("plain")),
            ("alias x=$'a\\nb'\n", None),
            ("alias x='open\n", None),
            ("alias y='a'\n", None),
            ("alias -g x='a'\n", None),
        ] {
            assert_eq!(alias_value("x", text).as_deref(), value, "{text}");
        }
    }

    #[test]
    fn files_that_only_set_variables_are_no_reason_to_ask() {
        for line in [
            "alias ll='ls -l'",
            "  [ -t 1 ] && alias x=y",
            "greet() { :; }",
            "function greet {",
        ] {
            assert!(defines(line), "{line}");
        }
        for line in [
            "# alias ll='ls -l'",
            "export PATH=\"$HOME/bin:$PATH\"",
            "if [ -f ~/.bash_aliases ]; then . ~/.bash_aliases; fi",
            "eval \"$(pyenv init -)\"",
            "mesg n 2> /dev/null || true",
        ] {
            assert!(!defines(line), "{line}");
        }
    }

    #[test]
    fn only_the_same_language_is_passed_on() {
        let folder = || PrivateFolder::make().expect("a folder");
        assert!(Definitions::of(Path::new("/usr/bin/fish"), folder()).is_none());
        let bash = Definitions::of(Path::new("/bin/bash"), folder()).expect("bash");
        assert!(bash.file(ShellKind::Bash).is_some());
        assert!(bash.file(ShellKind::Zsh).is_none());
    }
}
