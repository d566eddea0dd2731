//! One call against one snapshot: which rules of a list speak of it.

use std::ops::Range;
use std::sync::Arc;

use adroit_protocol::permission::{Behavior, RuleEntry};
use adroit_shell::{Access, CommandPart, Sight};

use crate::facts::{CallFacts, PermissionSnapshot, Subject};
use crate::host_pattern;
use crate::path_pattern::{PathPattern, Reach};
use crate::path_view::PathView;
use crate::rule::{Rule, ToolMatch, mcp_server_of};
use crate::shell_view::{ShellPath, ShellView};

/// A call, the snapshot it is judged by, and what can be worked out once.
#[derive(Debug)]
pub(crate) struct Case {
    pub(crate) snapshot: Arc<PermissionSnapshot>,
    pub(crate) facts: CallFacts,
    pub(crate) shell: Option<ShellView>,
    /// The file that the call is about, as named and where it really lies.
    files: Vec<PathView>,
}

/// A rule that speaks of a call.
#[derive(Debug)]
pub(crate) struct Restriction {
    pub(crate) sure: Match,
    pub(crate) entry: RuleEntry,
    /// The bytes of a command that it is about.
    pub(crate) span: Option<Range<usize>>,
}

/// How surely a rule speaks of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Match {
    No,
    Possible(Doubt),
    Yes,
}

/// Why it is not certain that a rule speaks of a call.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Doubt {
    /// A glob of the shell may expand to what the rule names.
    Wildcard,
    /// What the rule names may lie below a folder that the command reads or changes.
    Below,
    /// A word of a command is computed when it runs, and may be what the rule names.
    Computed,
    /// The command is not understood: which commands are in it is not known.
    NotUnderstood,
}

impl Case {
    pub(crate) fn new(snapshot: &PermissionSnapshot, facts: CallFacts) -> Self {
        let shell = match &facts.subject {
            Subject::Shell {
                command, analysis, ..
            } => {
                let files = snapshot.rules.restricts(&["Read", "Edit"]);
                let workspace = &snapshot.workspace;
                Some(ShellView::new(command, analysis, workspace, files))
            }
            _ => None,
        };
        Self {
            snapshot: Arc::new(snapshot.clone()),
            files: match &facts.subject {
                Subject::ReadFile { path, real }
                | Subject::EditFile { path, real }
                | Subject::Search { path, real } => std::iter::once(path)
                    .chain(real)
                    .map(|path| PathView::new(path, &snapshot.workspace))
                    .collect(),
                _ => Vec::new(),
            },
            facts,
            shell,
        }
    }

    /// Rules of a deny or ask list that speak of the call, strongest source first.
    pub(crate) fn restrictions(&self, list: Behavior) -> Vec<Restriction> {
        let names = self.names(list);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.snapshot
            .rules
            .candidates(list, &names)
            .filter_map(|rule| match self.restricted_by(rule) {
                Match::No => None,
                sure => Some(Restriction {
                    sure,
                    entry: rule.entry.clone(),
                    span: self.place(rule),
                }),
            })
            .collect()
    }

    /// The bytes of a command that a restricting rule speaks of.
    fn place(&self, rule: &Rule) -> Option<Range<usize>> {
        let (Subject::Shell { analysis, .. }, Some(shell)) = (&self.facts.subject, &self.shell)
        else {
            return None;
        };
        let specifier = rule.specifier.as_ref()?;
        if self.is_own_tool(rule) {
            let pattern = specifier.command()?;
            return analysis
                .parts
                .iter()
                .find(|part| part.deny_forms().iter().any(|form| pattern.matches(form)))
                .map(|part| part.span.clone());
        }
        let pattern = specifier.path()?;
        shell
            .paths
            .iter()
            .chain(&shell.mentions)
            .filter_map(|path| Some((path, path.view.as_ref()?)))
            .find(|(path, view)| self.meets(pattern, path, view) != Match::No)
            .map(|(path, _)| path.span.clone())
            .filter(|span| !span.is_empty())
    }

    /// Names under which rules may speak of the call.
    fn names(&self, list: Behavior) -> Vec<String> {
        let mut names = vec![self.facts.tool.clone()];
        names.extend(self.facts.aliases.iter().cloned());
        let restricting = list != Behavior::Allow;
        match &self.facts.subject {
            Subject::EditFile { .. } => {
                names.push("Edit".to_owned());
                if restricting {
                    names.push("Read".to_owned());
                }
            }
            Subject::ReadFile { .. } | Subject::Search { .. } => names.push("Read".to_owned()),
            Subject::Shell { .. } if restricting => {
                names.extend(["Read".to_owned(), "Edit".to_owned()]);
            }
            Subject::Mcp { server, .. } => names.push(format!("mcp__{server}")),
            _ => {}
        }
        names
    }

    /// True when the rule's tool is this call's, under any of its names.
    pub(crate) fn is_own_tool(&self, rule: &Rule) -> bool {
        let allow = rule.entry.behavior == Behavior::Allow;
        if let (true, ToolMatch::Fitting(pattern)) = (allow, &rule.tool) {
            // `mcp__jira__*` must not allow a server that calls itself `jira__x`.
            return match &self.facts.subject {
                Subject::Mcp { server, .. } => {
                    split_server(rule) == Some(server) && pattern.matches(&self.facts.tool)
                }
                _ => false,
            };
        }
        rule.names(&self.facts.tool)
            || self.facts.aliases.iter().any(|alias| rule.names(alias))
            || match &self.facts.subject {
                Subject::Mcp { server, tool } => {
                    rule.tool == ToolMatch::Named(format!("mcp__{server}"))
                        || rule.names(&format!("mcp__{server}__{tool}"))
                }
                _ => false,
            }
    }

    fn restricted_by(&self, rule: &Rule) -> Match {
        let own = self.is_own_tool(rule);
        let Some(specifier) = &rule.specifier else {
            let family = match &self.facts.subject {
                Subject::EditFile { .. } => rule.names("Edit") || rule.names("Read"),
                Subject::ReadFile { .. } | Subject::Search { .. } => rule.names("Read"),
                _ => false,
            };
            if own || family {
                return Match::Yes;
            }
            return self.restricts_shell_files(rule);
        };
        if own && specifier.parameter_matches(&self.facts.input) {
            return Match::Yes;
        }
        // Where the specifier cannot be read for this kind of call, the rule
        // stands for the whole tool: it must not become weaker by an alias.
        let unreadable = if own { Match::Yes } else { Match::No };
        match &self.facts.subject {
            Subject::Shell { analysis, .. } if own => match (specifier.command(), &self.shell) {
                (Some(pattern), Some(shell)) => {
                    if shell.texts.iter().any(|text| pattern.matches(text)) {
                        Match::Yes
                    } else if shell
                        .texts
                        .iter()
                        .filter(|text| text.contains(CommandPart::OPEN))
                        .any(|text| pattern.may_match(text, CommandPart::OPEN))
                    {
                        // `git $x` may be what a rule about `git push` forbids.
                        Match::Possible(Doubt::Computed)
                    } else if analysis.understood {
                        Match::No
                    } else {
                        // Odd syntax must not carry a command past a rule where a mode allows all.
                        Match::Possible(Doubt::NotUnderstood)
                    }
                }
                _ => unreadable,
            },
            Subject::Shell { .. } => self.restricts_shell_files(rule),
            Subject::ReadFile { .. } | Subject::EditFile { .. } | Subject::Search { .. } => {
                match specifier.path() {
                    Some(pattern) => {
                        as_match(self.files.iter().any(|view| {
                            pattern.matches(view, &self.snapshot.workspace, Reach::Wide)
                        }))
                    }
                    None => unreadable,
                }
            }
            Subject::Fetch { url } => match (specifier.host(), host_pattern::host_of(url)) {
                (Some(pattern), Some(host)) => as_match(pattern.matches(&host)),
                // An address without a host that can be read never reaches a client
                // that reads it the same way: a rule about hosts takes it in.
                (Some(_), None) => Match::Yes,
                (None, _) if specifier.text().starts_with("domain") => unreadable,
                (None, _) => Match::No,
            },
            Subject::Agent { name } | Subject::Skill { name } => match specifier.command() {
                Some(pattern) => as_match(pattern.matches(name)),
                None => unreadable,
            },
            Subject::Mcp { .. } => unreadable,
            Subject::Plain => Match::No,
        }
    }

    /// Read and Edit rules over the files that a command names.
    fn restricts_shell_files(&self, rule: &Rule) -> Match {
        let Some(shell) = &self.shell else {
            return Match::No;
        };
        let read = rule.names("Read");
        let edit = rule.names("Edit");
        if matches!(rule.tool, ToolMatch::Unreadable) || !(read || edit) {
            return Match::No;
        }
        let deny = rule.entry.behavior == Behavior::Deny;
        let Some(specifier) = &rule.specifier else {
            // The whole tool: words that merely may be files are none of its business.
            let names = shell
                .paths
                .iter()
                .any(|path| speaks(path, read, edit, deny));
            return as_match(names);
        };
        let Some(pattern) = specifier.path() else {
            return Match::Yes;
        };
        shell
            .paths
            .iter()
            .chain(&shell.mentions)
            .filter(|path| speaks(path, read, edit, deny))
            .filter_map(|path| Some((path, path.view.as_ref()?)))
            .map(|(path, view)| self.meets(pattern, path, view))
            .max()
            .unwrap_or(Match::No)
    }

    fn meets(&self, pattern: &PathPattern, path: &ShellPath, view: &PathView) -> Match {
        let workspace = &self.snapshot.workspace;
        // `ls .env` tells a name; `ls secrets` what is in a folder that a rule keeps.
        let tells_names = path.access == Access::Read && path.sight == Sight::Names;
        if tells_names && !pattern.keeps_folder() {
            return Match::No;
        }
        if pattern.matches(view, workspace, Reach::Wide) {
            return Match::Yes;
        }
        if !view.glob.is_empty() && pattern.may_match_glob(view, workspace) {
            return if pattern.is_literal() {
                Match::Yes
            } else {
                Match::Possible(Doubt::Wildcard)
            };
        }
        match &path.below {
            // A folder that is removed takes what a rule pins down with it; a name that may
            // lie anywhere would make every removal a question.
            Some(_) if path.access == Access::Remove && pattern.floats() => Match::No,
            Some(below) if pattern.may_match_below(view, workspace, below) => {
                if below.certain && pattern.is_literal() {
                    Match::Yes
                } else {
                    Match::Possible(Doubt::Below)
                }
            }
            _ => Match::No,
        }
    }

    /// Allow rules that may speak of the call.
    pub(crate) fn allow_candidates(&self) -> impl Iterator<Item = &Rule> {
        let names = self.names(Behavior::Allow);
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        self.snapshot
            .rules
            .candidates(Behavior::Allow, &names)
            .filter(|rule| !rule.is_invalid())
    }

    /// The allow rule that covers a call that is not a shell command.
    pub(crate) fn allow_rule(&self) -> Option<&Rule> {
        self.allow_candidates().find(|rule| self.allowed_by(rule))
    }

    pub(crate) fn allowed_by(&self, rule: &Rule) -> bool {
        let own = self.is_own_tool(rule);
        let family = match &self.facts.subject {
            Subject::EditFile { .. } => is_named(rule, "Edit"),
            Subject::ReadFile { .. } | Subject::Search { .. } => is_named(rule, "Read"),
            _ => false,
        };
        if !(own || family) {
            return false;
        }
        let Some(specifier) = &rule.specifier else {
            return true;
        };
        match &self.facts.subject {
            Subject::ReadFile { .. } | Subject::EditFile { .. } | Subject::Search { .. } => {
                // Only when it covers where the path really leads, too.
                self.files.iter().all(|view| self.covers_path(rule, view))
            }
            Subject::Fetch { url } => specifier.host().is_some_and(|pattern| {
                host_pattern::host_of(url).is_some_and(|host| pattern.matches(&host))
            }),
            Subject::Agent { name } | Subject::Skill { name } => specifier
                .command()
                .is_some_and(|pattern| pattern.matches(name)),
            Subject::Shell { .. } | Subject::Mcp { .. } | Subject::Plain => false,
        }
    }

    fn covers_path(&self, rule: &Rule, view: &PathView) -> bool {
        match &rule.specifier {
            None => true,
            Some(specifier) => specifier.path().is_some_and(|pattern| {
                pattern.matches(view, &self.snapshot.workspace, rule.reach())
            }),
        }
    }

    /// An allow rule for `tool` (Read or Edit) that covers a file of a command.
    pub(crate) fn file_rule<'a>(
        &'a self,
        tool: &str,
        view: &PathView,
        tried: Option<&'a Rule>,
    ) -> Option<&'a Rule> {
        self.snapshot
            .rules
            .candidates(Behavior::Allow, &[tool])
            .chain(tried)
            .filter(|rule| !rule.is_invalid() && is_named(rule, tool))
            .find(|rule| self.covers_path(rule, view))
    }
}

fn is_named(rule: &Rule, tool: &str) -> bool {
    matches!(&rule.tool, ToolMatch::Named(name) if name == tool)
}

/// Whether a Read or Edit rule is about what is done with a path.
fn speaks(path: &ShellPath, read: bool, edit: bool, deny: bool) -> bool {
    match path.access {
        // A Read deny also blocks editing, as it does for the editing tools.
        Access::Write | Access::Remove => edit || (read && deny),
        // That a file is there, and of what size, is not its content.
        Access::Read => read && path.sight != Sight::Existence,
        Access::ChangeDirectory => false,
    }
}

fn as_match(matched: bool) -> Match {
    if matched { Match::Yes } else { Match::No }
}

fn split_server(rule: &Rule) -> Option<&str> {
    let tool = rule.entry.rule.split('(').next().unwrap_or_default();
    mcp_server_of(tool.trim())
}
