//! Removals that no rule and no mode lets through, by every word that may name such a place.

use std::path::{Component, Path, PathBuf};

use super::Evaluator;
use super::expand::{self, Argument, Shape};
use super::state::{State, Value};
use crate::paths;
use crate::types::Critical;
use crate::wrappers;

/// Directories right under the root that `$X/usr` names where `X` is empty.
const SYSTEM_DIRECTORIES: &[&str] = &[
    "bin",
    "boot",
    "dev",
    "etc",
    "home",
    "lib",
    "lib64",
    "media",
    "mnt",
    "opt",
    "proc",
    "root",
    "run",
    "sbin",
    "srv",
    "sys",
    "usr",
    "var",
    "Applications",
    "Library",
    "System",
    "Users",
];

impl Evaluator<'_> {
    /// `only_far`: the working directory itself does not count. `whole`: a folder goes with all
    /// below it, so that a word which may be anything may be the root.
    pub(super) fn critical(
        &mut self,
        argument: &Argument,
        verb: &str,
        (only_far, whole): (bool, bool),
        state: &State,
    ) {
        let far = |what: &&str| !(only_far && *what == paths::WORKING_DIRECTORY);
        let named = |what: &str| format!("`{}` is {what}", argument.raw);
        let found = match &argument.shape {
            Shape::Literal(text) => self.critical_path(text, state).filter(far).map(named),
            Shape::Glob { text, .. } => self
                .critical_glob(text, state, far)
                .map(|what| named(&what)),
            Shape::Unknown { prefix, .. } => self
                .critical_unknown(&argument.raw, prefix, state, far)
                .map(|what| named(&what)),
        };
        if let Some(found) = found {
            self.add_critical(argument, format!("{verb} a critical path: {found}"));
        } else if whole && may_be_anything(argument) && !self.is_temporary(argument, state) {
            self.add_critical(
                argument,
                format!("{verb} what could be anything: `{}`", argument.raw),
            );
        }
    }

    /// `tmp=$(mktemp -d); rm -rf "$tmp"`: that very word, which is new or nothing.
    fn is_temporary(&self, argument: &Argument, state: &State) -> bool {
        let written = argument.raw.trim_matches('"');
        let name = written.strip_prefix('$').map(|name| {
            name.strip_prefix('{')
                .and_then(|name| name.strip_suffix('}'))
                .unwrap_or(name)
        });
        name.is_some_and(|name| {
            crate::syntax::is_name(name)
                && expand::variable(name, state, self.context) == Value::Temporary
        })
    }

    /// `echo / | xargs rm -rf`: nobody sees what it is given.
    pub(super) fn critical_input(&mut self, inner: &[Argument]) {
        let Some((word, rest)) = inner.split_first() else {
            return;
        };
        let name = wrappers::base_name(word.literal().unwrap_or_default());
        if takes_folders(name, rest) && matches!(name, "rm" | "srm" | "trash" | "mv") {
            let phrase = "removes what its input names, which may be a critical path".to_owned();
            self.add_critical(word, phrase);
        }
    }

    fn add_critical(&mut self, argument: &Argument, phrase: String) {
        self.analysis.critical.get_or_insert(Critical {
            phrase,
            span: argument.span.clone(),
        });
    }

    fn critical_path(&self, text: &str, state: &State) -> Option<&'static str> {
        if text.is_empty() {
            return None;
        }
        self.bases(text, state).iter().find_map(|directory| {
            let resolved = paths::resolve(directory, text);
            paths::critical(&resolved, self.context)
                // After `cd`, what was entered is the working directory.
                .or_else(|| (resolved == *directory).then_some(paths::WORKING_DIRECTORY))
        })
    }

    fn bases(&self, text: &str, state: &State) -> Vec<PathBuf> {
        let mut bases = state.directories.clone().unwrap_or_default();
        if text.starts_with('/') {
            bases.push(PathBuf::from("/"));
        }
        bases
    }

    /// `dir/*` empties `dir`, and `/u*` takes all that it fits.
    fn critical_glob(
        &self,
        text: &str,
        state: &State,
        far: impl Fn(&&str) -> bool,
    ) -> Option<String> {
        let parent = emptied(text);
        if !is_pattern(parent)
            && let Some(what) = self.critical_path(parent, state).filter(&far)
        {
            return Some(format!("everything in {what}"));
        }
        let fits = [parent, text].into_iter().any(|pattern| {
            self.bases(pattern, state)
                .iter()
                .map(|base| paths::resolve(base, pattern))
                .any(|resolved| is_pattern(&resolved.to_string_lossy()) && self.fits(&resolved))
        });
        fits.then(|| "a pattern that fits a critical directory".to_owned())
    }

    /// Whether `pattern` fits a directory that is critical, of those that are known.
    fn fits(&self, pattern: &Path) -> bool {
        let context = self.context;
        if pattern.parent() == Some(Path::new("/")) {
            return true;
        }
        [context.home, context.cwd, context.workspace]
            .into_iter()
            .map(paths::normalize)
            .any(|known| known.ancestors().any(|path| components_fit(pattern, path)))
    }

    /// A word of which only the beginning is known.
    fn critical_unknown(
        &self,
        raw: &str,
        prefix: &str,
        state: &State,
        far: impl Fn(&&str) -> bool,
    ) -> Option<String> {
        let written = raw.replace(['"', '\''], "");
        let trimmed = written.trim_end_matches('/');
        let last = trimmed.rsplit('/').next().unwrap_or(trimmed);
        let fixed_end = !last.contains(['$', '`', ')', '}', '*', '?', '[', '~'])
            && !matches!(last, "" | "." | "..");
        if prefix.is_empty() {
            // `~dev`, `~dev/*`, `~dev/..`: the home of somebody, and where it lies is not known.
            if written.starts_with('~') {
                return (!fixed_end).then(|| "the home directory of a user".to_owned());
            }
            let bare = written.ends_with('/') || (!fixed_end && written.contains(['*', '?', '[']));
            if bare {
                return Some("a pattern directly under a variable, which may be empty".to_owned());
            }
            let under_root = trimmed.rsplit_once('/').is_some_and(|(before, name)| {
                !before.contains('/') && SYSTEM_DIRECTORIES.contains(&name)
            });
            return under_root.then(|| "a system directory where the variable is empty".to_owned());
        }
        if fixed_end {
            return None;
        }
        // `/$X`, `$HOME/$X`: what stands before it is all that is left where it is empty.
        self.critical_path(prefix, state)
            .filter(far)
            .map(|what| format!("{what} where the variable is empty"))
    }
}

/// Whether a program that removes takes folders with all below them: without `-r` the common
/// ones leave them where they are. A word that nobody knows may be that option.
pub(super) fn takes_folders(name: &str, arguments: &[Argument]) -> bool {
    match name {
        "rm" | "srm" => arguments
            .iter()
            .take_while(|argument| argument.literal() != Some("--"))
            .enumerate()
            .any(|(at, argument)| match argument.literal() {
                Some(text) if text.starts_with("--") => "--recursive".starts_with(text),
                Some(text) => text.starts_with('-') && text.contains(['r', 'R']),
                // `rm $OPTIONS x`
                None => {
                    argument.prefix().is_empty() && splits(argument) && at + 1 < arguments.len()
                }
            }),
        "rmdir" | "unlink" | "shred" => false,
        _ => true,
    }
}

fn splits(argument: &Argument) -> bool {
    matches!(argument.shape, Shape::Unknown { splits: true, .. })
}

/// `$X`, `"$(echo /)"`, `"${X:-/}"`: no part of it is known, so it may be the root or the home.
fn may_be_anything(argument: &Argument) -> bool {
    let Shape::Unknown { prefix, .. } = &argument.shape else {
        return false;
    };
    let written = argument.raw.replace(['"', '\''], "");
    let last = written.trim_end_matches('/').rsplit('/').next();
    // `$X/build` is at least called so.
    let named = written.contains('/')
        && last.is_some_and(|last| {
            !last.is_empty() && !last.contains(['$', '`', ')', '}', '*', '?', '['])
        });
    prefix.is_empty() && !named
}

/// `text` without the names at its end that fit every name.
fn emptied(text: &str) -> &str {
    let mut rest = text.trim_end_matches('/');
    loop {
        let (parent, last) = match rest.rfind('/') {
            Some(0) => ("/", &rest[1..]),
            Some(at) => (&rest[..at], &rest[at + 1..]),
            None => (".", rest),
        };
        let any = last.contains('*') && last.bytes().all(|byte| b"*?.".contains(&byte));
        if !any {
            return if rest.is_empty() { "/" } else { rest };
        }
        rest = parent;
        if matches!(parent, "/" | ".") {
            return parent;
        }
    }
}

fn is_pattern(text: &str) -> bool {
    text.contains(['*', '?', '['])
}

fn components_fit(pattern: &Path, path: &Path) -> bool {
    let names = |path: &Path| -> Vec<String> {
        path.components()
            .filter(|component| matches!(component, Component::Normal(_)))
            .map(|component| component.as_os_str().to_string_lossy().into_owned())
            .collect()
    };
    let (pattern, path) = (names(pattern), names(path));
    pattern.len() == path.len()
        && pattern
            .iter()
            .zip(&path)
            .all(|(pattern, name)| crate::glob::may_fit(pattern, name))
}
