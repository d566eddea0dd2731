//! Redirects, and the resolving of words that are paths.

use std::ops::Range;
use std::path::{Path, PathBuf};

use super::expand::{Argument, Shape};
use super::simple::plain_word;
use super::state::State;
use super::{Evaluator, Frame};
use crate::syntax::tree::Redirection;
use crate::types::{Access, Below, Named, PathUse, ReasonCode, Redirect, RedirectOperator, Word};
use crate::{destructive, paths};

/// The redirects of one command, as far as they are known.
#[derive(Default)]
pub(super) struct Redirects {
    pub redirects: Vec<Redirect>,
    pub paths: Vec<(Argument, Access)>,
    pub objections: Vec<(Range<usize>, ReasonCode, String)>,
    /// Standard output goes elsewhere.
    pub stdout: bool,
}

impl Evaluator<'_> {
    pub(super) fn redirects(
        &mut self,
        redirects: &[Redirection],
        state: &State,
        frame: &Frame,
    ) -> Redirects {
        let mut result = Redirects::default();
        for redirect in redirects {
            match redirect {
                Redirection::Text(word) => {
                    self.substitutions(word, state, frame);
                    self.expand_here(word, state, frame);
                }
                Redirection::Duplicate { stdout, .. } => result.stdout |= *stdout,
                Redirection::File {
                    operator,
                    stdout,
                    target,
                } => {
                    self.substitutions(target, state, frame);
                    result.stdout |= *stdout;
                    for argument in self.expand_here(target, state, frame) {
                        self.file_redirect(*operator, &argument, plain_word(target), &mut result);
                    }
                }
            }
        }
        result
    }

    fn file_redirect(
        &mut self,
        operator: RedirectOperator,
        argument: &Argument,
        target: Word,
        result: &mut Redirects,
    ) {
        let device = argument.literal().is_some_and(paths::is_harmless_device);
        let writes = operator != RedirectOperator::Read && !device;
        let reads = matches!(
            operator,
            RedirectOperator::Read | RedirectOperator::ReadAndWrite
        );
        result.redirects.push(Redirect {
            operator,
            target,
            writes,
            reads,
        });
        // Bash opens a connection for these names.
        if argument.prefix().starts_with("/dev/tcp/") || argument.prefix().starts_with("/dev/udp/")
        {
            self.analysis.network = true;
            result.objections.push((
                argument.span.clone(),
                ReasonCode::Network,
                format!("`{}` opens a network connection", argument.raw),
            ));
        }
        if argument.literal() == Some("/proc/sysrq-trigger") && writes {
            self.destroys(
                argument.span.clone(),
                "May stop the machine at once.".to_owned(),
            );
        }
        if argument.literal().is_some_and(destructive::is_device) && writes {
            self.destroys(
                argument.span.clone(),
                format!("Overwrites the device `{}`.", argument.raw),
            );
        }
        if writes {
            result.objections.push((
                argument.span.clone(),
                ReasonCode::WritesFile,
                format!("it writes the file `{}`", argument.raw),
            ));
        }
        let access = if writes { Access::Write } else { Access::Read };
        result.paths.push((argument.clone(), access));
    }

    /// Records a word that is used as a path.
    pub(super) fn use_path(
        &mut self,
        argument: &Argument,
        access: Access,
        below: Option<Below>,
        state: &State,
        part: usize,
    ) {
        let sight = self.sight;
        let unknown = |word: String| PathUse {
            word,
            span: argument.span.clone(),
            resolved: None,
            access,
            outside: true,
            below: below.clone(),
            part,
            named: None,
            sight,
        };
        let (text, fixed) = match &argument.shape {
            Shape::Literal(text) => (text.as_str(), text.as_str()),
            Shape::Glob { text, prefix, .. } => (text.as_str(), paths::fixed_part(prefix)),
            Shape::Unknown { .. } => {
                self.add_path(unknown(argument.raw.clone()));
                return;
            }
        };
        // `-` is the standard input, except for `cd`, where it is the directory before.
        if text == "-" {
            if access == Access::ChangeDirectory {
                self.add_path(unknown(text.to_owned()));
            }
            return;
        }
        if text.is_empty() || paths::is_harmless_device(text) {
            return;
        }
        let absolute = [PathBuf::from("/")];
        let bases: &[PathBuf] = match &state.directories {
            _ if text.starts_with('/') => &absolute,
            Some(directories) => directories,
            None => {
                self.add_path(unknown(text.to_owned()));
                return;
            }
        };
        for base in bases {
            let whole = paths::resolve(base, text);
            let resolved = paths::resolve(base, fixed);
            let outside = !paths::is_inside(&whole, self.context)
                || !paths::is_inside(&resolved, self.context);
            self.add_path(PathUse {
                word: text.to_owned(),
                span: argument.span.clone(),
                resolved: Some(resolved),
                access,
                outside,
                below: below.clone(),
                part,
                named: Some(named(base, text, fixed)),
                sight: self.sight,
            });
        }
    }

    /// Records a word that may name a file: from here, or from the root of the repository.
    pub(super) fn mention(
        &mut self,
        argument: &Argument,
        access: Access,
        state: &State,
        part: usize,
    ) {
        const MOST: usize = 512;
        let (text, fixed) = match &argument.shape {
            Shape::Literal(text) => (text.as_str(), text.as_str()),
            Shape::Glob { text, prefix, .. } => (text.as_str(), paths::fixed_part(prefix)),
            Shape::Unknown { .. } => return,
        };
        if text.is_empty() || text == "-" || self.analysis.mentions.len() >= MOST {
            return;
        }
        let home = text
            .strip_prefix("~/")
            .map(|rest| self.context.home.join(rest));
        let here = state.directories.clone().unwrap_or_default();
        let root = self.context.workspace.to_path_buf();
        let mut seen = Vec::new();
        for base in here.iter().chain(std::iter::once(&root)) {
            let resolved = match &home {
                Some(path) => paths::normalize(path),
                None => paths::resolve(base, fixed),
            };
            let named = match &home {
                Some(path) => named(path, "", ""),
                None => named(base, text, fixed),
            };
            if seen.contains(&resolved) {
                continue;
            }
            seen.push(resolved.clone());
            self.analysis.mentions.push(PathUse {
                word: text.to_owned(),
                span: argument.span.clone(),
                resolved: Some(resolved),
                access,
                outside: false,
                below: None,
                part,
                named: Some(named),
                sight: self.sight,
            });
        }
    }
}

/// `text` in the folder `base`; `fixed` is what stands before its first pattern.
fn named(base: &Path, text: &str, fixed: &str) -> Named {
    Named {
        fixed: base.join(fixed),
        pattern: text
            .get(fixed.len()..)
            .filter(|rest| !rest.is_empty())
            .map(str::to_owned),
    }
}
