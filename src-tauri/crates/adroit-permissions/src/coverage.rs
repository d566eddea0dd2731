//! Whether allow rules and the mode together cover every part of a shell command.
//!
//! Every simple command needs a rule or must be built-in read-only, and every
//! file that a redirect writes needs an Edit rule or a mode that accepts edits.

use std::collections::BTreeSet;
use std::ops::Range;
use std::path::Path;

use adroit_protocol::permission::RuleEntry;
use adroit_shell::{Access, Analysis, CommandPart, Reason, ReasonCode, ShellContext, Word};

use crate::case::Case;
use crate::opaque::{is_redirect_target, is_unknown_file, overlaps};
use crate::reasons;
use crate::rule::Rule;
use crate::shell_view::{ShellPart, ShellPath, raw_text};

/// Commands that acceptEdits lets run on files of the workspace.
const FILE_COMMANDS: [&str; 7] = ["mkdir", "touch", "rm", "rmdir", "mv", "cp", "tee"];

/// What covers a command and what does not.
#[derive(Debug, Default)]
pub(crate) struct Coverage {
    /// Rules that covered something.
    pub(crate) rules: Vec<RuleEntry>,
    /// The mode covered something that no rule did.
    pub(crate) by_mode: bool,
    /// Why the rest is not covered. Empty: the command is allowed.
    pub(crate) gaps: Vec<Gap>,
}

/// Something that nothing covers.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Gap {
    pub(crate) span: Option<Range<usize>>,
    pub(crate) text: String,
}

impl Coverage {
    pub(crate) fn complete(&self) -> bool {
        self.gaps.is_empty() && (!self.rules.is_empty() || self.by_mode)
    }
}

/// The rules that speak of one command, sorted by what they are.
struct Bash<'a> {
    case: &'a Case,
    command: &'a str,
    cwd: &'a Path,
    analysis: &'a Analysis,
    paths: &'a [ShellPath],
    parts: &'a [ShellPart],
    rules: Vec<&'a Rule>,
    tried: Option<&'a Rule>,
    edits: Edits,
    /// Some rule forbids or asks for single commands: what it cannot see into must ask.
    commands_restricted: bool,
    files_restricted: bool,
}

/// What covers the files that a command writes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Edits {
    /// The mode, inside the workspace; Edit rules elsewhere.
    Accepted,
    /// Edit rules.
    ByRule,
    /// Nothing: the mode is for planning.
    Never,
}

/// How one part is covered.
enum Cover<'a> {
    Rule(&'a Rule),
    ReadOnly(Vec<&'a Rule>),
    Mode,
    Not(Vec<Gap>),
}

/// Judges the command of `case`, with `tried` as one more allow rule.
pub(crate) fn coverage(
    case: &Case,
    command: &str,
    cwd: &Path,
    analysis: &Analysis,
    tried: Option<&Rule>,
    edits: Edits,
) -> Coverage {
    let rules: Vec<&Rule> = case
        .allow_candidates()
        .filter(|rule| case.is_own_tool(rule))
        .collect();
    let bash = Bash {
        case,
        command,
        cwd,
        analysis,
        paths: case.shell.as_ref().map_or(&[], |shell| &shell.paths),
        parts: case.shell.as_ref().map_or(&[], |shell| &shell.parts),
        rules,
        tried: tried.filter(|rule| !rule.is_invalid()),
        edits,
        commands_restricted: case.snapshot.rules.restricts(&["Bash", &case.facts.tool]),
        files_restricted: case.snapshot.rules.restricts(&["Read", "Edit"]),
    };
    bash.judge()
}

impl<'a> Bash<'a> {
    fn judge(&self) -> Coverage {
        let mut coverage = Coverage::default();
        if !self.analysis.understood || self.analysis.parts.is_empty() {
            // A rule speaks of commands; which ones these are is not known.
            coverage.gaps = self.all_reasons();
            if coverage.gaps.is_empty() {
                coverage.gaps.push(Gap {
                    span: None,
                    text: "the command is not understood".to_owned(),
                });
            }
            return coverage;
        }
        let whole = self.whole_rule();
        let mut rules: Vec<&Rule> = whole.into_iter().collect();
        let mut covered_by_rule: BTreeSet<usize> = BTreeSet::new();
        for (index, part) in self.analysis.parts.iter().enumerate() {
            let cover = match whole {
                Some(rule) => Cover::Rule(rule),
                None if self.inner_of(part, &covered_by_rule) => {
                    covered_by_rule.insert(index);
                    continue;
                }
                None => self.part(index, part),
            };
            match cover {
                Cover::Rule(rule) => {
                    covered_by_rule.insert(index);
                    rules.push(rule);
                }
                Cover::ReadOnly(used) => rules.extend(used),
                Cover::Mode => coverage.by_mode = true,
                Cover::Not(gaps) => coverage.gaps.extend(gaps),
            }
            self.redirects(index, part, &mut rules, &mut coverage);
        }
        if whole.is_none() {
            coverage.gaps.extend(self.unplaced_reasons());
        }
        if coverage.by_mode && self.analysis.destructive.is_some() {
            // Accepting edits is not accepting losses.
            coverage.by_mode = false;
            coverage.gaps.extend(self.all_reasons());
            if coverage.gaps.is_empty() {
                coverage.gaps.push(Gap {
                    span: None,
                    text: "something would be lost".to_owned(),
                });
            }
        }
        let mut seen = BTreeSet::new();
        coverage.rules = rules
            .into_iter()
            .filter(|rule| seen.insert(rule.entry.rule.clone()))
            .map(|rule| rule.entry.clone())
            .collect();
        coverage.gaps.dedup();
        coverage
    }

    /// A rule that covers every part at once: one for the whole tool, or one that
    /// spells out this very text.
    fn whole_rule(&self) -> Option<&'a Rule> {
        let opaque = self.commands_restricted && self.parts.iter().any(|part| part.opaque);
        let hidden = self.files_restricted && self.paths.iter().any(is_unknown_file);
        let tried = self.tried.filter(|rule| self.case.is_own_tool(rule));
        let mut rules = self.rules.iter().copied().chain(tried);
        rules.find(|rule| {
            let text = rule.specifier.as_ref().map(|specifier| specifier.text());
            match text {
                None => !opaque && !hidden,
                Some(text) => exact(rule) && text == self.command.trim(),
            }
        })
    }

    fn part(&self, index: usize, part: &CommandPart) -> Cover<'a> {
        if let Some(rule) = self.part_rule(index) {
            return Cover::Rule(rule);
        }
        if part.read_only || self.reads_only_but_for_redirects(index, part) {
            return self.reading(index, part);
        }
        if self.edits == Edits::Accepted && self.is_file_command(index, part) {
            return Cover::Mode;
        }
        let mut gaps = self.reasons_in(&part.span);
        if gaps.is_empty() {
            gaps.push(Gap {
                span: Some(part.span.clone()),
                text: format!("no rule allows `{}`", reasons::shortened(&raw_text(part))),
            });
        }
        Cover::Not(gaps)
    }

    fn part_rule(&self, index: usize) -> Option<&'a Rule> {
        let known = self.parts.get(index)?;
        let forms = &known.allow_forms;
        if forms.is_empty() {
            return None;
        }
        let hidden = (self.commands_restricted && known.opaque)
            || (self.files_restricted
                && self
                    .paths
                    .iter()
                    .any(|path| path.part == index && is_unknown_file(path)));
        let covers = |rule: &Rule| {
            let Some(pattern) = rule
                .specifier
                .as_ref()
                .and_then(|specifier| specifier.command())
            else {
                return false;
            };
            if pattern.is_exact() {
                // Spelled as written counts too: quotes are gone from the forms.
                return forms
                    .iter()
                    .chain([&known.raw])
                    .any(|form| pattern.matches(form));
            }
            !known.only_exact && !hidden && forms.iter().any(|form| pattern.matches(form))
        };
        // When one more rule is tried, the others have been before.
        if known.uncovered.get().is_none() {
            if let Some(rule) = self.rules.iter().copied().find(|rule| covers(rule)) {
                return Some(rule);
            }
            let _ = known.uncovered.set(());
        }
        self.tried
            .filter(|rule| self.case.is_own_tool(rule) && covers(rule))
    }

    /// A built-in read-only command: what it reads outside needs a Read rule.
    fn reading(&self, index: usize, part: &CommandPart) -> Cover<'a> {
        let mut used = Vec::new();
        let mut gaps = Vec::new();
        for path in self.paths.iter().filter(|path| path.part == index) {
            let written = matches!(path.access, Access::Write | Access::Remove);
            if !path.outside || (written && is_redirect_target(part, path)) {
                continue;
            }
            let known = path.known();
            if known.is_some_and(|view| self.case.snapshot.workspace.is_state(&view.path)) {
                continue;
            }
            match known.and_then(|view| self.case.file_rule("Read", view, self.tried)) {
                Some(rule) => used.push(rule),
                None => gaps.push(self.outside_gap(path)),
            }
        }
        if gaps.is_empty() {
            Cover::ReadOnly(used)
        } else {
            Cover::Not(gaps)
        }
    }

    /// A redirect is a file write: no Bash rule covers it.
    fn redirects(
        &self,
        index: usize,
        part: &CommandPart,
        rules: &mut Vec<&'a Rule>,
        coverage: &mut Coverage,
    ) {
        for redirect in part.redirects.iter().filter(|redirect| redirect.writes) {
            // A link leads to one more place of the same word, and so does a loop's next turn.
            let mut targets = self
                .paths
                .iter()
                .filter(|path| path.part == index && overlaps(&path.span, &redirect.target.span))
                .peekable();
            if targets.peek().is_none() {
                coverage.gaps.push(unknown_target(&redirect.target));
            }
            for path in targets {
                self.redirect_target(path, &redirect.target, rules, coverage);
            }
        }
    }

    fn redirect_target(
        &self,
        path: &ShellPath,
        target: &Word,
        rules: &mut Vec<&'a Rule>,
        coverage: &mut Coverage,
    ) {
        let Some(view) = path.known() else {
            coverage.gaps.push(unknown_target(target));
            return;
        };
        let rule = match self.edits {
            Edits::Never => None,
            _ => self.case.file_rule("Edit", view, self.tried),
        };
        if let Some(rule) = rule {
            rules.push(rule);
        } else if self.edits == Edits::Accepted && !path.outside {
            coverage.by_mode = true;
        } else {
            let place = if path.outside {
                " outside the workspace"
            } else {
                ""
            };
            coverage.gaps.push(Gap {
                span: Some(path.span.clone()),
                text: format!("writes{place}: `{}`", reasons::shortened(&path.word)),
            });
        }
    }

    /// `timeout 5 cargo test` may be told as two parts. The inner one is covered
    /// when its very words are words of a part that a rule covers. What is
    /// substituted into a word is not: its words lie within one word.
    fn inner_of(&self, part: &CommandPart, covered: &BTreeSet<usize>) -> bool {
        part.nested
            && !part.words.is_empty()
            && covered
                .iter()
                .filter_map(|index| self.analysis.parts.get(*index))
                .any(|outer| {
                    outer.words.len() > part.words.len()
                        && part
                            .words
                            .iter()
                            .all(|word| outer.words.iter().any(|own| own.span == word.span))
                })
    }

    /// True when the part only reads once its redirects are taken away.
    fn reads_only_but_for_redirects(&self, index: usize, part: &CommandPart) -> bool {
        // `> f`
        if part.words.is_empty() {
            return part.assignments.is_empty()
                && part.redirects.iter().any(|redirect| redirect.writes);
        }
        if !part.redirects.iter().any(|redirect| redirect.writes) {
            return false;
        }
        self.parts.get(index).is_some_and(|known| {
            *known
                .reads_without_redirects
                .get_or_init(|| self.reads_without_redirects(part, &known.raw))
        })
    }

    fn reads_without_redirects(&self, part: &CommandPart, raw: &str) -> bool {
        let assignments = part
            .assignments
            .iter()
            .map(|assignment| format!("{}={} ", assignment.name, assignment.raw_value));
        let bare: String = assignments.chain([raw.to_owned()]).collect();
        let workspace = &self.case.snapshot.workspace;
        adroit_shell::analyze(
            &bare,
            &ShellContext {
                cwd: self.cwd,
                workspace: &workspace.root,
                additional_directories: &workspace.additional_directories,
                home: &workspace.home,
            },
        )
        .read_only
    }

    fn is_file_command(&self, index: usize, part: &CommandPart) -> bool {
        let name = part.words.first().and_then(|word| word.text.as_deref());
        let sed = name == Some("sed")
            && (self.analysis.sed_edit.is_some() || self.prints_but_for_place(part));
        let listed = sed || name.is_some_and(|name| FILE_COMMANDS.contains(&name));
        let mut touched = 0;
        let inside = self
            .paths
            .iter()
            .filter(|path| path.part == index)
            .all(|path| {
                touched += 1;
                path.view.is_some() && !path.outside
            });
        listed && part.assignments.is_empty() && inside && touched > 0
    }

    /// `sed -i -e 's/a/b/' f g`: the same without `-i` would only print. Its place is fixed:
    /// behind another option it could be that one's value, and the rest mean something else.
    fn prints_but_for_place(&self, part: &CommandPart) -> bool {
        let plain = |word: &&Word| matches!(word.text.as_deref(), Some("-n" | "-E" | "-r" | "-s"));
        let before = part.words.iter().skip(1).take_while(plain).count();
        let Some(place) = part.words.get(1 + before) else {
            return false;
        };
        if !matches!(
            place.text.as_deref(),
            Some("-i" | "-i.bak" | "-i.orig" | "--in-place")
        ) {
            return false;
        }
        let kept: Vec<&str> = part
            .words
            .iter()
            .filter(|word| word.span != place.span)
            .map(|word| word.raw.as_str())
            .collect();
        self.reads_without_redirects(part, &kept.join(" "))
    }

    fn outside_gap(&self, path: &ShellPath) -> Gap {
        let verb = match path.access {
            Access::Read => "reads",
            Access::Write => "writes",
            Access::Remove => "removes",
            Access::ChangeDirectory => "goes",
        };
        let word = reasons::shortened(&path.word);
        let text = if path.view.is_some() {
            format!("{verb} outside the workspace: `{word}`")
        } else {
            format!("{verb} `{word}`, a path that cannot be known")
        };
        Gap {
            span: Some(path.span.clone()),
            text,
        }
    }

    fn reasons_in(&self, span: &Range<usize>) -> Vec<Gap> {
        self.reasons(|reason| {
            // Redirects and reads have sentences of their own.
            reason.code != ReasonCode::WritesFile
                && span.start <= reason.span.start
                && reason.span.end <= span.end
        })
    }

    fn all_reasons(&self) -> Vec<Gap> {
        self.reasons(|_| true)
    }

    /// Objections that no rule about a command can answer: what an expansion
    /// evaluates is not in the text that the rule was matched against.
    fn unplaced_reasons(&self) -> Vec<Gap> {
        self.reasons(|reason| {
            matches!(
                reason.code,
                ReasonCode::Limit
                    | ReasonCode::DeceptiveCharacter
                    | ReasonCode::NotUnderstood
                    | ReasonCode::Expansion
            )
        })
    }

    fn reasons(&self, wanted: impl Fn(&Reason) -> bool) -> Vec<Gap> {
        self.analysis
            .reasons
            .iter()
            .filter(|reason| wanted(reason))
            .map(|reason| Gap {
                span: Some(reason.span.clone()),
                text: reason.message.clone(),
            })
            .collect()
    }
}

fn unknown_target(target: &Word) -> Gap {
    Gap {
        span: Some(target.span.clone()),
        text: format!(
            "writes to `{}`, a path that cannot be known",
            reasons::shortened(&target.raw)
        ),
    }
}

fn exact(rule: &Rule) -> bool {
    rule.specifier
        .as_ref()
        .and_then(|specifier| specifier.command())
        .is_some_and(|pattern| pattern.is_exact())
}
