//! What a decision is made from: the call, the workspace, the rules and the mode.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use adroit_protocol::CallId;
use adroit_protocol::permission::Mode;
use adroit_shell::Analysis;
use serde_json::Value;

use crate::lexical;
use crate::rules::RuleSet;

/// What a call is about, as its tool states it. Decisions look at this, never at a tool's name.
///
/// `path` is absolute and lexically clean; `real` is the same after symbolic
/// links, where the tool could resolve it. Deny and ask rules match when either
/// matches; allow rules match, and a path counts as inside, only when both do:
/// a link inside the workspace must not open what lies outside.
#[derive(Clone, Debug)]
pub enum Subject {
    /// One file is read.
    ReadFile {
        /// As named.
        path: PathBuf,
        /// After symbolic links.
        real: Option<PathBuf>,
    },
    /// One file is created, changed or replaced.
    EditFile {
        /// As named.
        path: PathBuf,
        /// After symbolic links.
        real: Option<PathBuf>,
    },
    /// A folder, or one file, is searched.
    Search {
        /// As named.
        path: PathBuf,
        /// After symbolic links.
        real: Option<PathBuf>,
    },
    /// A shell command runs.
    Shell {
        /// The whole text.
        command: String,
        /// Absolute folder in which it starts.
        cwd: PathBuf,
        /// What it would do. Must be of this very command and folder.
        analysis: Arc<Analysis>,
    },
    /// An address is fetched.
    Fetch {
        /// The address.
        url: String,
    },
    /// A tool of an MCP server.
    Mcp {
        /// The server as configured.
        server: String,
        /// The tool as the server names it.
        tool: String,
    },
    /// A sub-agent starts.
    Agent {
        /// Its kind.
        name: String,
    },
    /// A skill is used.
    Skill {
        /// Its name.
        name: String,
    },
    /// Nothing of the above.
    Plain,
}

/// What a tool's own check says.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum ToolCheck {
    /// Nothing to object: left to rules and mode.
    #[default]
    Pass,
    /// A person should see it.
    Ask {
        /// One sentence.
        reason: String,
        /// Neither bypassPermissions, nor an allow rule, nor a hook may skip the question.
        bypass_immune: bool,
    },
    /// It must not run.
    Deny {
        /// One sentence.
        reason: String,
    },
}

/// What the `PreToolUse` hooks say together.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum HookOpinion {
    /// Nothing.
    #[default]
    None,
    /// No question is needed. Never more than that: rules and safety checks stand.
    Allow {
        /// The hook's name.
        hook: String,
    },
    /// A person must be asked.
    Ask {
        /// The hook's name.
        hook: String,
        /// One sentence.
        reason: String,
    },
    /// It must not run.
    Deny {
        /// The hook's name.
        hook: String,
        /// One sentence.
        reason: String,
    },
}

/// Everything about one call that a decision needs.
#[derive(Clone, Debug)]
pub struct CallFacts {
    /// Which call.
    pub call: CallId,
    /// The tool's name.
    pub tool: String,
    /// Its other names: rules may use them.
    pub aliases: Vec<String>,
    /// The validated input: what is approved is what runs.
    pub input: Arc<Value>,
    /// What it is about.
    pub subject: Subject,
    /// The tool says that this input only reads.
    pub read_only: bool,
    /// The call itself is a question to the person: it is asked in every mode.
    pub requires_interaction: bool,
    /// The tool's own check.
    pub tool_check: ToolCheck,
    /// The hooks.
    pub hook: HookOpinion,
}

/// The folders that paths are judged by. All absolute and lexically clean.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct WorkspaceFacts {
    /// The project folder.
    pub root: PathBuf,
    /// Further folders that count as inside.
    pub additional_directories: Vec<PathBuf>,
    /// What `~` stands for.
    pub home: PathBuf,
    /// The working directory: what relative rules are anchored at.
    pub cwd: PathBuf,
    /// The app's own data: readable, since results are kept there; never writable.
    pub state_directories: Vec<PathBuf>,
}

impl WorkspaceFacts {
    /// True when `path` lies in the project or a folder added to it.
    #[must_use]
    pub fn contains(&self, path: &Path) -> bool {
        let path = lexical::clean(path);
        std::iter::once(&self.root)
            .chain(&self.additional_directories)
            .any(|directory| path.starts_with(directory))
    }

    /// True when `path` belongs to the app.
    #[must_use]
    pub fn is_state(&self, path: &Path) -> bool {
        let path = lexical::clean(path);
        self.state_directories
            .iter()
            .any(|directory| path.starts_with(directory))
    }

    /// True when `path` may be read without a question.
    #[must_use]
    pub fn readable(&self, path: &Path) -> bool {
        self.contains(path) || self.is_state(path)
    }
}

/// Everything but the call: taken once, so that a decision is a pure function.
#[derive(Clone, Debug)]
pub struct PermissionSnapshot {
    /// The mode.
    pub mode: Mode,
    /// All rules.
    pub rules: Arc<RuleSet>,
    /// The folders.
    pub workspace: WorkspaceFacts,
    /// The person trusts the project folder.
    pub trusted: bool,
    /// bypassPermissions may be used: confirmed, and not switched off by an administrator.
    pub bypass_available: bool,
}
