//! The permission snapshot of one session, made anew for every decision.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use adroit_permissions::{PermissionSnapshot, RuleSet, WorkspaceFacts};
use adroit_protocol::permission::{Behavior, Mode, RuleEntry, RuleSource};

use crate::projects::Projects;
use crate::session::{Shared, is_trusted};
use crate::settings::{Effective, SettingsStore};

/// The mode, the rules and the trust that the next decision is made with.
pub(crate) struct SessionPermissions {
    settings: Arc<SettingsStore>,
    projects: Arc<Projects>,
    project: PathBuf,
    home: PathBuf,
    state_directories: Vec<PathBuf>,
    trusted: Option<bool>,
    own: Mutex<Own>,
}

struct Own {
    mode: Mode,
    rules: Vec<RuleEntry>,
    compiled: Option<(Arc<Effective>, Arc<RuleSet>)>,
}

impl SessionPermissions {
    pub(crate) fn new(
        shared: &Shared,
        project: &Path,
        trusted: Option<bool>,
        mode: Option<Mode>,
    ) -> Arc<Self> {
        let permissions = Self {
            settings: Arc::clone(&shared.settings),
            projects: Arc::clone(&shared.projects),
            project: project.to_path_buf(),
            home: shared.directories.home().to_path_buf(),
            state_directories: vec![shared.directories.project_data(project)],
            trusted,
            own: Mutex::new(Own {
                mode: Mode::Default,
                rules: Vec::new(),
                compiled: None,
            }),
        };
        let mode = mode
            // A mode without questions is chosen for a sitting, not for good.
            .filter(|mode| *mode != Mode::BypassPermissions)
            .unwrap_or_else(|| permissions.effective().default_mode);
        permissions.set_mode(mode);
        Arc::new(permissions)
    }

    pub(crate) fn mode(&self) -> Mode {
        self.own().mode
    }

    pub(crate) fn set_mode(&self, mode: Mode) {
        self.own().mode = mode;
    }

    /// Whether the folder is trusted **now**: it may have been trusted since the session began.
    pub(crate) fn trusted(&self) -> bool {
        self.trusted
            .unwrap_or_else(|| is_trusted(&self.projects, &self.project))
    }

    pub(crate) fn session_rules(&self) -> Vec<RuleEntry> {
        self.own().rules.clone()
    }

    pub(crate) fn change_session_rule(&self, behavior: Behavior, rule: &str, present: bool) {
        let mut own = self.own();
        own.rules
            .retain(|known| known.behavior != behavior || known.rule != rule);
        if present {
            own.rules.push(session_rule(behavior, rule));
        }
        own.compiled = None;
    }

    fn effective(&self) -> Arc<Effective> {
        self.settings.effective(Some(&self.project), self.trusted())
    }

    fn own(&self) -> std::sync::MutexGuard<'_, Own> {
        self.own.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The rules in force, compiled again only when a file or the session's own changed.
    fn rules(&self, effective: &Arc<Effective>) -> Arc<RuleSet> {
        let mut own = self.own();
        if let Some((known, rules)) = &own.compiled
            && Arc::ptr_eq(known, effective)
        {
            return Arc::clone(rules);
        }
        let mut entries = effective.rules.clone();
        entries.extend(own.rules.iter().cloned());
        if let Some(reason) = &effective.ask_everything {
            // A broken file may hide a rule on any of them.
            entries.extend(adroit_tools::NAMES.iter().map(|tool| RuleEntry {
                file: Some(reason.clone()),
                ..session_rule(Behavior::Ask, tool)
            }));
        }
        let rules = Arc::new(RuleSet::compile(entries));
        own.compiled = Some((Arc::clone(effective), Arc::clone(&rules)));
        rules
    }
}

impl adroit_engine::Permissions for SessionPermissions {
    fn snapshot(&self) -> PermissionSnapshot {
        let effective = self.effective();
        let trusted = self.trusted();
        PermissionSnapshot {
            mode: self.mode(),
            rules: self.rules(&effective),
            workspace: WorkspaceFacts {
                root: self.project.clone(),
                additional_directories: folders(&effective, &self.project, &self.home),
                home: self.home.clone(),
                cwd: self.project.clone(),
                state_directories: self.state_directories.clone(),
            },
            trusted,
            bypass_available: trusted && effective.ask_everything.is_none(),
        }
    }
}

/// The folders beside the project that count as inside; those that do not exist are left out.
pub(crate) fn folders(effective: &Effective, project: &Path, home: &Path) -> Vec<PathBuf> {
    effective
        .additional_directories
        .iter()
        .map(|folder| match folder.strip_prefix("~/") {
            Some(rest) => home.join(rest),
            None => project.join(folder),
        })
        .filter_map(|folder| fs_err::canonicalize(folder).ok())
        .collect()
}

/// The source of rules that live in memory.
fn session_rule(behavior: Behavior, rule: &str) -> RuleEntry {
    RuleEntry {
        rule: rule.to_owned(),
        behavior,
        source: RuleSource::Session,
        file: None,
        position: None,
        problem: None,
    }
}
