//! What a simple command does beyond reading: paths, destruction, critical
//! removals, commands and scripts within it.

use std::ops::Range;

use super::critical;
use super::expand::{Argument, Shape};
use super::state::State;
use super::{Evaluator, MOST_SCRIPT_DEPTH};
use crate::destructive::{self, Call};
use crate::types::{Access, Below, CommandPart, Critical, PathUse, ReasonCode, Sight, Word};
use crate::verdict::{self, Verdict};
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
        let feed = self.fed_by.clone();
        let mut verdict = verdict::judge(arguments, terminal, feed.as_deref());
        for objection in verdict.objections.drain(..) {
            objections.push((objection.span, objection.code, objection.message));
        }
        self.endless |= verdict.endless;
        if verdict.appends {
            self.appended(arguments, &mut verdict, state, part);
        }
        if let Some(inner) = &verdict.inner {
            self.git_elsewhere(inner, state, objections);
        }
        for span in &verdict.follows_links {
            self.follows_links(span, part);
        }
        self.gather(&verdict, state, part);
    }

    /// What `xargs` gives to its command.
    fn appended(
        &mut self,
        arguments: &[Argument],
        verdict: &mut Verdict,
        state: &State,
        part: usize,
    ) {
        if self.fed_by.is_some() {
            // The folders stand for the names below them.
            let from = self.fed_from.clone();
            for path in &mut verdict.paths {
                // A program that goes on below its folders goes on below these.
                let goes_on = path.below.is_some();
                path.below = Some(Below {
                    shallow: from.shallow && !goes_on,
                    hidden: from.hidden || goes_on,
                    ..from.clone()
                });
            }
        } else if verdict.takes_paths
            && let Some(word) = arguments.first()
        {
            // `echo /etc/passwd | xargs cat`: the words of the input are paths that nobody sees.
            let unseen = Argument {
                shape: Shape::Unknown {
                    prefix: String::new(),
                    splits: true,
                    tail: None,
                },
                ..word.clone()
            };
            self.use_path(&unseen, Access::Read, None, state, part);
        }
        if self.fed_by.is_none()
            && let Some(inner) = &verdict.inner
        {
            self.critical_input(inner);
        }
    }

    /// `grep -R`, `wc --files0-from=list`: a link below or a name in the list may lead anywhere.
    fn follows_links(&mut self, span: &Range<usize>, part: usize) {
        let word = self.span_text(span).to_owned();
        self.analysis.outside_workspace = true;
        self.reason(
            span.clone(),
            ReasonCode::OutsideWorkspace,
            format!("`{word}` goes where links or lists lead, perhaps out of the project"),
        );
        self.analysis.paths.push(PathUse {
            word: format!("what {word} leads to"),
            span: span.clone(),
            resolved: None,
            access: Access::Read,
            outside: true,
            below: None,
            part,
            named: None,
            sight: Sight::Content,
        });
    }

    /// Paths, destruction, scripts and commands within a judged command.
    pub(super) fn gather(&mut self, verdict: &Verdict, state: &State, part: usize) {
        self.analysis.network |= verdict.network;
        self.analysis.privilege |= verdict.privilege;
        if let Some(inner) = &verdict.inner {
            self.effects(inner, verdict, state);
        }
        for path in &verdict.paths {
            // What an option names is read; of an operand, some programs tell the name alone.
            if path.below.is_none() && verdict.operands.contains(&path.argument.span) {
                self.sight = verdict.sight;
            }
            self.use_path(&path.argument, path.access, path.below.clone(), state, part);
            self.sight = Sight::Content;
        }
        for (argument, access) in &verdict.mentions {
            if verdict.operands.contains(&argument.span) {
                self.sight = verdict.sight;
            }
            self.mention(argument, *access, state, part);
            self.sight = Sight::Content;
        }
        for (embedded, below) in &verdict.embedded {
            self.embedded(embedded, below, state, part);
        }
        for script in &verdict.scripts {
            self.script(script, part);
        }
        for hint in &verdict.hints {
            self.hint(hint);
        }
        for command in &verdict.commands {
            if let Some(inner) = self.analyze_inner(command) {
                let suspected = inner.parts.into_iter().chain(inner.suspected_parts);
                self.analysis.suspected_parts.extend(suspected);
            } else {
                self.may_run_anything(command);
            }
        }
        for unseen in &verdict.unseen {
            self.may_run_anything(unseen);
        }
        for program in &verdict.programs {
            if program
                .literal()
                .is_some_and(destructive::is_destructive_program)
            {
                self.destroys(
                    program.span.clone(),
                    "Removes files, by the program in its text.".to_owned(),
                );
            }
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

    /// Destruction and critical paths, by the program that runs in the end.
    fn effects(&mut self, arguments: &[Argument], verdict: &Verdict, state: &State) {
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
        let (verb, wanted) = match name {
            "rm" | "rmdir" | "unlink" | "shred" | "srm" | "trash" => ("removes", Access::Remove),
            "find" | "gfind" => ("removes", Access::Remove),
            "mv" => ("moves away", Access::Remove),
            "rsync" | "git" => {
                self.emptied(name, &arguments[1..], state);
                return;
            }
            "chmod" | "chown" | "chgrp" | "chattr" | "setfacl" | "chcon" => {
                ("changes the rights of everything below", Access::Write)
            }
            _ => return,
        };
        let whole = |path: &&verdict::Use| {
            path.access == wanted && (wanted == Access::Remove || path.below.is_some())
        };
        for path in verdict.paths.iter().filter(whole) {
            // With a test on names the folder itself stays.
            let some = path
                .below
                .as_ref()
                .is_some_and(|below| !below.names.is_empty());
            // `mv * x` leaves the folder where it is, `mv /the/workspace x` does not.
            let moves_contents = name == "mv" && !matches!(path.argument.shape, Shape::Literal(_));
            let only_far = some || wanted == Access::Write || moves_contents;
            let folders = name != "mv" && critical::takes_folders(name, &arguments[1..]);
            self.critical(&path.argument, verb, (only_far, folders), state);
        }
    }

    /// `rsync --delete empty/ ~/` and `git -C ~ clean -fdx` leave nothing of a folder.
    fn emptied(&mut self, name: &str, arguments: &[Argument], state: &State) {
        let texts = || arguments.iter().map(Argument::prefix);
        if name == "rsync" {
            let deletes = texts()
                .any(|text| text.starts_with("--del") || matches!(text, "--remove-source-files"));
            let target = arguments
                .iter()
                .rev()
                .find(|word| !word.prefix().starts_with('-'));
            if let Some(target) = target.filter(|_| deletes) {
                self.critical(target, "deletes in", (false, true), state);
            }
            return;
        }
        if !texts().any(|text| text == "clean") {
            return;
        }
        let folder = arguments
            .windows(2)
            .find(|pair| pair[0].literal() == Some("-C"))
            .map(|pair| pair[1].clone());
        let here = || Some(Argument::synthetic(".", arguments.first()?.span.clone()));
        if let Some(folder) = folder.or_else(here) {
            self.critical(&folder, "cleans", (true, false), state);
        }
    }

    /// A command within the arguments of another: only deny rules and warnings see it.
    fn embedded(&mut self, arguments: &[Argument], below: &Below, state: &State, part: usize) {
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
        let mut verdict = verdict::judge(arguments, false, None);
        // What it is given stands for all that was found.
        for path in &mut verdict.paths {
            path.below = Some(below.clone());
        }
        self.gather(&verdict, state, part);
    }

    /// A text that a program in another language gives to a shell: what it names lies in
    /// the text of a program, so only rules that forbid and warnings hear of it.
    pub(super) fn hint(&mut self, hint: &Argument) {
        let Some(inner) = self.analyze_inner(hint) else {
            self.may_run_anything(hint);
            return;
        };
        let mine = &mut self.analysis;
        mine.suspected_parts.extend(inner.parts);
        mine.suspected_parts.extend(inner.suspected_parts);
        mine.network |= inner.network;
        mine.privilege |= inner.privilege;
        if let Some(critical) = inner.critical {
            mine.critical.get_or_insert(Critical {
                span: hint.span.clone(),
                ..critical
            });
        }
        let mentioned = inner.paths.into_iter().chain(inner.mentions);
        for path in mentioned.filter(|path| path.resolved.is_some()) {
            mine.mentions.push(PathUse {
                span: hint.span.clone(),
                outside: false,
                ..path
            });
        }
        if let Some(destruction) = inner.destructive {
            self.destroys(hint.span.clone(), destruction.sentence);
        }
    }

    /// A command that nobody can read: it may be any that a rule speaks of.
    pub(super) fn may_run_anything(&mut self, text: &Argument) {
        self.analysis.suspected_parts.push(CommandPart {
            words: vec![Word {
                text: Some(CommandPart::OPEN.to_string()),
                raw: text.raw.clone(),
                span: text.span.clone(),
            }],
            assignments: Vec::new(),
            redirects: Vec::new(),
            read_only: false,
            span: text.span.clone(),
            nested: true,
            opaque: true,
        });
    }

    fn analyze_inner(&self, script: &Argument) -> Option<crate::Analysis> {
        let text = script.literal()?;
        if self.script_depth >= MOST_SCRIPT_DEPTH || crate::limits::check(text).is_err() {
            return None;
        }
        Some(crate::analyze_text(
            text,
            self.context,
            self.script_depth + 1,
        ))
    }

    /// A text that is given to a shell: read as a command of its own.
    pub(super) fn script(&mut self, script: &Argument, part: usize) {
        let Some(inner) = self.analyze_inner(script) else {
            self.may_run_anything(script);
            return;
        };
        let mine = &mut self.analysis;
        mine.suspected_parts.extend(inner.parts);
        mine.suspected_parts.extend(inner.suspected_parts);
        mine.network |= inner.network;
        mine.privilege |= inner.privilege;
        if let Some(critical) = inner.critical {
            mine.critical.get_or_insert(Critical {
                span: script.span.clone(),
                ..critical
            });
        }
        mine.mentions
            .extend(inner.mentions.into_iter().map(|path| PathUse {
                span: script.span.clone(),
                part,
                ..path
            }));
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
