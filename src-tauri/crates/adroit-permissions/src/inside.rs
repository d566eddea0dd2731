//! Whether a call stays inside the workspace, and in words what it does.

use crate::case::Case;
use crate::facts::Subject;
use crate::host_pattern;
use crate::reasons;

impl Case {
    /// The call only reads, and only inside.
    pub(crate) fn reads_inside(&self) -> bool {
        let workspace = &self.snapshot.workspace;
        self.facts.read_only
            && match &self.facts.subject {
                Subject::ReadFile { path, real } | Subject::Search { path, real } => {
                    std::iter::once(path)
                        .chain(real)
                        .all(|path| workspace.readable(path))
                }
                Subject::Shell { analysis, .. } => {
                    analysis.understood && analysis.read_only && self.shell_stays_inside()
                }
                Subject::EditFile { .. } | Subject::Fetch { .. } | Subject::Mcp { .. } => false,
                Subject::Agent { .. } | Subject::Skill { .. } | Subject::Plain => true,
            }
    }

    /// Nothing that the command names lies outside, but for results that the app keeps.
    fn shell_stays_inside(&self) -> bool {
        let (Subject::Shell { analysis, .. }, Some(shell)) = (&self.facts.subject, &self.shell)
        else {
            return false;
        };
        if !analysis.outside_workspace {
            return true;
        }
        let mut outside = shell.paths.iter().filter(|path| path.outside).peekable();
        outside.peek().is_some()
            && outside.all(|path| {
                path.resolved()
                    .is_some_and(|path| self.snapshot.workspace.is_state(path))
            })
    }

    /// True when the command names something outside, or the path lies there.
    pub(crate) fn is_outside(&self) -> bool {
        let workspace = &self.snapshot.workspace;
        match &self.facts.subject {
            Subject::ReadFile { path, real }
            | Subject::Search { path, real }
            | Subject::EditFile { path, real } => !std::iter::once(path)
                .chain(real)
                .all(|path| workspace.contains(path)),
            Subject::Shell { analysis, .. } => analysis.outside_workspace,
            _ => false,
        }
    }

    pub(crate) fn is_edit(&self) -> bool {
        matches!(self.facts.subject, Subject::EditFile { .. })
    }

    pub(crate) fn edits_inside(&self) -> bool {
        self.is_edit() && !self.is_outside()
    }

    /// Why a call that is no shell command asks.
    pub(crate) fn sentence(&self) -> String {
        let workspace = &self.snapshot.workspace;
        let file = |verb: &str, path: &std::path::Path, real: Option<&std::path::PathBuf>| {
            let shown = path.display();
            match real {
                _ if !workspace.contains(path) => {
                    format!("{verb} outside the workspace: `{shown}`")
                }
                Some(real) if !workspace.contains(real) => format!(
                    "{verb} outside the workspace: `{shown}` leads to `{}`",
                    real.display()
                ),
                _ => format!("{verb} `{shown}`"),
            }
        };
        match &self.facts.subject {
            Subject::ReadFile { path, real } => file("reads", path, real.as_ref()),
            Subject::Search { path, real } => file("searches", path, real.as_ref()),
            Subject::EditFile { path, real } => file("writes", path, real.as_ref()),
            Subject::Fetch { url } => match host_pattern::host_of(url) {
                Some(host) => format!("fetches from `{host}`"),
                None => format!("`{}` is no web address", reasons::shortened(url)),
            },
            Subject::Mcp { server, tool } => {
                format!("runs `{tool}` of the MCP server `{server}`")
            }
            Subject::Agent { name } => format!("starts the agent `{name}`"),
            Subject::Skill { name } => format!("uses the skill `{name}`"),
            Subject::Plain | Subject::Shell { .. } => {
                format!("`{}` is not a tool that only reads", self.facts.tool)
            }
        }
    }
}
