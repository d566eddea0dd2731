//! Walks the tree as the shell would, carrying what is known of its state, and
//! gathers the analysis.

mod arithmetic;
mod commands;
mod critical;
mod effects;
pub(crate) mod expand;
mod feed;
mod loops;
mod open;
mod output;
mod redirects;
mod simple;
pub(crate) mod state;

use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::PathBuf;

use expand::Argument;
use state::State;

use crate::syntax::tree::List;
use crate::types::{
    Access, Analysis, Below, CommandPart, Destruction, Named, PathUse, Reason, ReasonCode,
    Redirect, ShellContext, Sight,
};

/// Simple commands that one analysis evaluates at most, loops unrolled.
const MOST_COMMANDS: usize = 20_000;
/// Texts within texts (`sh -c 'eval "..."'`) that are followed.
const MOST_SCRIPT_DEPTH: usize = 3;

/// By what two uses of a path are the same.
type PathKey = (
    usize,
    usize,
    Option<PathBuf>,
    u8,
    Option<Below>,
    Option<Named>,
);

/// What surrounds a command.
#[derive(Clone)]
pub(crate) struct Frame {
    /// Inside a substitution, subshell, group, loop, condition or wrapper.
    nested: bool,
    /// Its output may be a terminal.
    terminal: bool,
    /// Redirects of the groups around it.
    redirects: Vec<Redirect>,
    /// Why nothing here is read-only.
    objection: Option<(Range<usize>, ReasonCode, String)>,
    /// Values over which the loops around it are unrolled, multiplied.
    unrolled: usize,
}

/// Gathers the analysis of one text.
pub(crate) struct Evaluator<'c> {
    context: &'c ShellContext<'c>,
    text: &'c str,
    script_depth: usize,
    analysis: Analysis,
    known_parts: HashMap<(usize, usize), usize>,
    known_paths: HashSet<PathKey>,
    known_reasons: HashSet<(usize, usize, ReasonCode)>,
    commands: usize,
    /// What is evaluated reads names of files from a program that lists them at these places
    /// of its own (`find src`, `git ls-files`), and which names they are.
    fed_by: Option<Vec<Argument>>,
    fed_from: Below,
    /// A chain of wrappers was not followed to its end.
    endless: bool,
    /// How much is seen of the path that is taken up now.
    sight: Sight,
}

/// Evaluates `list`, the tree of `text`.
pub(crate) fn evaluate(
    text: &str,
    list: &List,
    context: &ShellContext<'_>,
    script_depth: usize,
) -> Analysis {
    let mut evaluator = Evaluator {
        context,
        text,
        script_depth,
        analysis: Analysis::empty(),
        known_parts: HashMap::new(),
        known_paths: HashSet::new(),
        known_reasons: HashSet::new(),
        commands: 0,
        fed_by: None,
        fed_from: Below::everything(),
        endless: false,
        sight: Sight::Content,
    };
    let frame = Frame {
        nested: false,
        terminal: true,
        redirects: Vec::new(),
        objection: None,
        unrolled: 1,
    };
    evaluator.analysis.read_only = true;
    if !crate::paths::is_inside(&crate::paths::normalize(context.cwd), context) {
        // Every relative word, and every listing without one, is outside.
        evaluator.analysis.outside_workspace = true;
        evaluator.reason(
            0..text.len(),
            ReasonCode::OutsideWorkspace,
            format!(
                "the working directory {} is outside the workspace",
                context.cwd.display()
            ),
        );
    }
    evaluator.list(list, State::new(context.cwd), &frame);
    let mut analysis = evaluator.analysis;
    // Where something runs that nobody looked at, no allow rule may cover it.
    analysis.understood = !evaluator.endless;
    analysis.sed_edit = simple::whole_sed_edit(list);
    analysis
}

impl Evaluator<'_> {
    fn reason(&mut self, span: Range<usize>, code: ReasonCode, message: String) {
        if self.known_reasons.insert((span.start, span.end, code)) {
            self.analysis.reasons.push(Reason {
                span,
                code,
                message,
            });
        }
    }

    /// Not read-only, for this reason.
    fn object(&mut self, span: Range<usize>, code: ReasonCode, message: String) {
        self.analysis.read_only = false;
        self.reason(span, code, message);
    }

    fn destroys(&mut self, span: Range<usize>, sentence: String) {
        if self.analysis.destructive.is_none() {
            self.analysis.destructive = Some(Destruction {
                sentence: sentence.clone(),
                span: span.clone(),
            });
        }
        self.object(span, ReasonCode::Destructive, sentence);
    }

    /// Adds a part, or finds the one that an earlier turn of a loop added.
    fn add_part(&mut self, part: CommandPart) -> usize {
        let key = (part.span.start, part.span.end);
        if let Some(index) = self.known_parts.get(&key) {
            return *index;
        }
        let index = self.analysis.parts.len();
        self.known_parts.insert(key, index);
        self.analysis.parts.push(part);
        index
    }

    fn part_is_not_read_only(&mut self, part: usize) {
        if let Some(part) = self.analysis.parts.get_mut(part) {
            part.read_only = false;
        }
    }

    fn add_path(&mut self, path: PathUse) {
        let access = match path.access {
            Access::Read => 0,
            Access::Write => 1,
            Access::Remove => 2,
            Access::ChangeDirectory => 3,
        };
        let key = (
            path.span.start,
            path.span.end,
            path.resolved.clone(),
            access,
            path.below.clone(),
            // `{in/../a,a}`: the same text, and not the same file where `in` is a link.
            path.named.clone(),
        );
        if !self.known_paths.insert(key) {
            // The same file, and this time more of it is seen.
            if path.sight == Sight::Content {
                let same = self.analysis.paths.iter_mut().filter(|own| {
                    own.span == path.span
                        && own.resolved == path.resolved
                        && own.access == path.access
                });
                same.for_each(|own| own.sight = Sight::Content);
            }
            return;
        }
        if path.outside {
            self.analysis.outside_workspace = true;
            let (code, message) = match &path.resolved {
                Some(resolved) => {
                    let verb = match path.access {
                        Access::Read => "reads",
                        Access::Write => "writes",
                        Access::Remove => "removes",
                        Access::ChangeDirectory => "goes",
                    };
                    (
                        ReasonCode::OutsideWorkspace,
                        format!("{verb} outside the project: `{}`", resolved.display()),
                    )
                }
                None => (
                    ReasonCode::UnknownPath,
                    format!("the path `{}` cannot be known before it runs", path.word),
                ),
            };
            self.reason(path.span.clone(), code, message);
        }
        self.analysis.paths.push(path);
    }

    fn span_text(&self, span: &Range<usize>) -> &str {
        self.text.get(span.clone()).unwrap_or_default()
    }
}
