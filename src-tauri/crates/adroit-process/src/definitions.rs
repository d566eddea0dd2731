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

/// Prints functions and aliases of bash. Names with an underscore first belong to
/// completion: hundreds of them, which no command of a model calls.
const BASH: &str = "for __adroit_name in $(compgen -A function); do case $__adroit_name in \
                    _*) ;; *) declare -f -- \"$__adroit_name\" ;; esac; done; alias -p";
const ZSH: &str = "for __adroit_name in ${(k)functions}; do case $__adroit_name in _*|prompt_*) ;; \
                   *) functions -- $__adroit_name ;; esac; done; alias -L";

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

    /// Without what would trap a command; `None` where nothing is left.
    pub(crate) fn cleaned(self) -> Option<Self> {
        let path = &self.path;
        if fs::metadata(path).ok()?.len() > LARGEST {
            tracing::warn!("the login shell's functions are too many to be passed on");
            return None;
        }
        let text = fs::read(path).ok()?;
        let text = String::from_utf8_lossy(&text);
        let kept: String = text
            .split_inclusive('\n')
            .filter(|line| !asks_before(line))
            .collect();
        if kept.trim().is_empty() {
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

/// An alias that makes a command ask, as some systems give to root: nobody sits
/// in front of it, and the permission to run it was asked for already.
fn asks_before(line: &str) -> bool {
    let Some(alias) = line.strip_prefix("alias ") else {
        return false;
    };
    let alias = alias.strip_prefix("-- ").unwrap_or(alias);
    let Some((name, value)) = alias.split_once('=') else {
        return false;
    };
    matches!(name, "rm" | "cp" | "mv" | "ln")
        && value.split([' ', '\'', '"']).any(|word| {
            word == "--interactive"
                || word.starts_with('-') && !word.starts_with("--") && word.contains(['i', 'I'])
        })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn aliases_that_ask_are_left_out_and_no_others() {
        for line in [
            "alias rm='rm -i'\n",
            "alias cp='cp -vi'\n",
            "alias mv='mv --interactive'\n",
            "alias -- rm='rm -I'\n",
        ] {
            assert!(asks_before(line), "{line}");
        }
        for line in [
            "alias ll='ls -li'\n",
            "alias rm='rm -v'\n",
            "alias grep='grep -i'\n",
            "rm () {\n",
        ] {
            assert!(!asks_before(line), "{line}");
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
