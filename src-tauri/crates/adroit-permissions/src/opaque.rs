//! What a rule about commands cannot see into.

use std::ops::Range;

use adroit_shell::{Access, CommandPart};

use crate::shell_view::ShellPath;

/// Shells, whose `-c` text or standard input no rule about commands can see into.
const SHELLS: [&str; 7] = ["sh", "bash", "dash", "zsh", "ksh", "ash", "fish"];

/// A command that hides what it runs: a computed name, `eval`, a shell with text.
pub(crate) fn is_opaque(part: &CommandPart) -> bool {
    let computed = part.words.first().is_some_and(|word| word.text.is_none());
    computed
        || part.deny_forms().iter().any(|form| {
            let mut words = form.split_whitespace();
            let name = words.next().unwrap_or_default();
            let name = name.rsplit('/').next().unwrap_or(name);
            match name {
                "eval" | "source" | "." => true,
                _ if SHELLS.contains(&name) => {
                    let mut arguments = words.peekable();
                    arguments.peek().is_none()
                        || arguments.any(|word| {
                            word == "-"
                                || word == "-s"
                                || (word.starts_with('-')
                                    && !word.starts_with("--")
                                    && word.contains('c'))
                        })
                }
                _ => false,
            }
        })
}

pub(crate) fn is_unknown_file(path: &ShellPath) -> bool {
    path.view.is_none() && path.access != Access::ChangeDirectory
}

pub(crate) fn is_redirect_target(part: &CommandPart, path: &ShellPath) -> bool {
    part.redirects
        .iter()
        .any(|redirect| overlaps(&path.span, &redirect.target.span))
}

pub(crate) fn overlaps(one: &Range<usize>, two: &Range<usize>) -> bool {
    one.start < two.end && two.start < one.end
}
