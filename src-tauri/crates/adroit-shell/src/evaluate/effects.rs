//! What a simple command does beyond reading: paths, destruction, critical
//! removals, commands and scripts within it.

use std::ops::Range;
use std::path::PathBuf;

use super::expand::{Argument, Shape};
use super::state::State;
use super::{Evaluator, MOST_SCRIPT_DEPTH};
use crate::destructive::{self, Call};
use crate::types::{Access, CommandPart, PathUse, ReasonCode, Word};
use crate::verdict;
use crate::{paths, wrappers};

impl Evaluator<'_> {
    pub(super) fn judged(
        &mut self,
        arguments: &[Argument],
        state: &State,
        terminal: bool,
        part: usize,
        objections: &mut Vec<(Range<usize>, ReasonCode, String)>,
    ) {
        let verdict = verdict::judge(arguments, terminal);
        for objection in &verdict.objections {
            objections.push((
                objection.span.clone(),
                objection.code,
                objection.message.clone(),
            ));
        }
        self.endless |= verdict.endless;
        if verdict.appends && verdict.takes_paths && !self.fed_by_lister {
            // `echo /etc/passwd | xargs cat`: the words of the input are paths that nobody sees.
            if let Some(word) = arguments.first() {
                let unseen = Argument {
                    shape: Shape::Unknown {
                        prefix: String::new(),
                        splits: true,
                    },
                    ..word.clone()
                };
                self.use_path(&unseen, Access::Read, state, part);
            }
        }
        self.analysis.network |= verdict.network;
        self.analysis.privilege |= verdict.privilege;
        if let Some(inner) = verdict.inner {
            self.git_elsewhere(&arguments[inner..], state, objections);
            self.effects(&arguments[inner..], state);
        }
        for (argument, access) in &verdict.paths {
            self.use_path(argument, *access, state, part);
        }
        for embedded in &verdict.embedded {
            self.embedded(embedded, state, part);
        }
        for script in &verdict.scripts {
            self.script(script, part);
        }
    }

    /// Git in another directory trusts what that repository's configuration names.
    fn git_elsewhere(
        &self,
        arguments: &[Argument],
        state: &State,
        objections: &mut Vec<(Range<usize>, ReasonCode, String)>,
    ) {
        let is_git = arguments
            .first()
            .and_then(Argument::literal)
            .is_some_and(|word| wrappers::base_name(word) == "git");
        if !is_git {
            return;
        }
        let here = paths::normalize(self.context.cwd);
        let stays = state
            .directories
            .as_ref()
            .is_some_and(|directories| directories.iter().all(|directory| *directory == here));
        if !stays {
            objections.push((
                arguments[0].span.clone(),
                ReasonCode::NotReadOnlyArgument,
                "git runs in another directory, whose configuration may name programs to run"
                    .to_owned(),
            ));
        }
    }

    /// Destruction and critical removals by the program that runs in the end.
    fn effects(&mut self, arguments: &[Argument], state: &State) {
        let Some(word) = arguments.first() else {
            return;
        };
        let name = wrappers::base_name(word.literal().unwrap_or_default());
        let texts: Vec<Option<&str>> = arguments[1..].iter().map(known_text).collect();
        let call = Call {
            name,
            arguments: &texts,
        };
        if let Some(sentence) = destructive::destruction(&call) {
            self.destroys(word.span.clone(), sentence);
        }
        let removes = matches!(name, "rm" | "rmdir" | "unlink" | "shred" | "srm")
            || matches!(name, "find" | "gfind") && texts.contains(&Some("-delete"));
        if removes {
            for argument in &arguments[1..] {
                if argument.prefix().starts_with('-') {
                    continue;
                }
                self.critical(argument, state);
            }
        }
    }

    fn critical(&mut self, argument: &Argument, state: &State) {
        let named = |what: &str| Some(format!("`{}` is {what}", argument.raw));
        let found = match &argument.shape {
            Shape::Literal(text) => self.critical_path(text, state).and_then(named),
            Shape::Glob { text, .. } => {
                // `dir/*` empties `dir`.
                let parent = text
                    .strip_suffix("/*")
                    .or_else(|| text.strip_suffix("/.*"))
                    .or_else(|| matches!(text.as_str(), "*" | ".*").then_some("."));
                parent.and_then(|parent| {
                    let parent = if parent.is_empty() { "/" } else { parent };
                    self.critical_path(parent, state)
                        .and_then(|what| named(&format!("everything in {what}")))
                })
            }
            Shape::Unknown { prefix, .. } => {
                let bare = prefix.is_empty()
                    && (argument.raw.contains("/*")
                        || argument.raw.trim_end_matches('"').ends_with('/'));
                if bare {
                    named("a pattern directly under a variable, which may be empty")
                } else {
                    None
                }
            }
        };
        if let Some(found) = found {
            self.analysis.critical_removal.get_or_insert(found);
        }
    }

    fn critical_path(&self, text: &str, state: &State) -> Option<&'static str> {
        if text.is_empty() {
            return None;
        }
        let directories = state.directories.clone().unwrap_or_default();
        let absolute = text.starts_with('/').then(|| PathBuf::from("/"));
        directories
            .iter()
            .chain(absolute.as_ref())
            .find_map(|directory| {
                let resolved = paths::resolve(directory, text);
                paths::critical(&resolved, self.context)
                    // After `cd`, what was entered is the working directory.
                    .or_else(|| (resolved == *directory).then_some("the working directory"))
            })
    }

    /// A command within the arguments of another: only deny rules and warnings see it.
    fn embedded(&mut self, arguments: &[Argument], state: &State, part: usize) {
        let Some(first) = arguments.first() else {
            return;
        };
        let span = first.span.start
            ..arguments
                .last()
                .map_or(first.span.end, |last| last.span.end);
        self.analysis.suspected_parts.push(CommandPart {
            words: arguments
                .iter()
                .map(|argument| Word {
                    text: argument.literal().map(str::to_owned),
                    raw: argument.raw.clone(),
                    span: argument.span.clone(),
                })
                .collect(),
            assignments: Vec::new(),
            redirects: Vec::new(),
            read_only: false,
            span,
            nested: true,
            opaque: true,
        });
        let verdict = verdict::judge(arguments, false);
        self.analysis.network |= verdict.network;
        self.analysis.privilege |= verdict.privilege;
        if let Some(inner) = verdict.inner {
            self.effects(&arguments[inner..], state);
        }
        for script in &verdict.scripts {
            self.script(script, part);
        }
    }

    /// A text that is given to a shell: read as a command of its own.
    pub(super) fn script(&mut self, script: &Argument, part: usize) {
        let Some(text) = script.literal() else {
            return;
        };
        if self.script_depth >= MOST_SCRIPT_DEPTH || crate::limits::check(text).is_err() {
            return;
        }
        let inner = crate::analyze_text(text, self.context, self.script_depth + 1);
        let mine = &mut self.analysis;
        mine.suspected_parts.extend(inner.parts);
        mine.suspected_parts.extend(inner.suspected_parts);
        mine.network |= inner.network;
        mine.privilege |= inner.privilege;
        if mine.critical_removal.is_none() {
            mine.critical_removal = inner.critical_removal;
        }
        for path in inner.paths {
            self.add_path(PathUse {
                span: script.span.clone(),
                part,
                ..path
            });
        }
        if let Some(destruction) = inner.destructive {
            self.destroys(script.span.clone(), destruction.sentence);
        }
    }
}

/// The text of an argument for what only warns: a pattern counts as written.
fn known_text(argument: &Argument) -> Option<&str> {
    match &argument.shape {
        Shape::Literal(text) | Shape::Glob { text, .. } => Some(text),
        Shape::Unknown { .. } => None,
    }
}
