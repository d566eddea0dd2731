//! The permission snapshot of one session, made anew for every decision.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use adroit_permissions::{PermissionSnapshot, RuleSet, WorkspaceFacts};
use adroit_protocol::permission::{Behavior, Mode, RuleEntry, RuleSource};

use crate::clock::now_ms;
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
    compiled: Option<Compiled>,
}

/// Rules as they are until a file, the session's own, or the clock changes them.
struct Compiled {
    effective: Arc<Effective>,
    rules: Arc<RuleSet>,
    /// When the first of them ceases to hold, milliseconds since 1970.
    until: Option<u64>,
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
        // Settings alone bypass nothing: a person confirms it first, in the window or by the
        // arguments of a run without one.
        let unconfirmed = trusted.is_none() && !permissions.projects.confirms_bypass(false);
        let refused = permissions.bypass_refused().is_some();
        let mode = match mode {
            Mode::BypassPermissions if unconfirmed || refused => Mode::Default,
            mode => mode,
        };
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

    /// Why the mode bypassPermissions cannot be had, where it cannot.
    pub(crate) fn bypass_refused(&self) -> Option<BypassRefused> {
        let effective = self.effective();
        if !self.trusted() {
            Some(BypassRefused::Untrusted)
        } else if effective.bypass_disabled {
            Some(BypassRefused::Disabled)
        } else if effective.ask_everything.is_some() {
            Some(BypassRefused::BrokenSettings)
        } else {
            None
        }
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

    /// Remembers an allow rule for this session, with its end where it has one.
    pub(crate) fn allow_until(&self, rule: &str, expires_at: Option<u64>) {
        self.change_session_rule(Behavior::Allow, rule, true);
        let mut own = self.own();
        if let Some(entry) = own.rules.last_mut() {
            entry.expires_at = expires_at;
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
        let now = now_ms();
        if let Some(known) = &own.compiled
            && Arc::ptr_eq(&known.effective, effective)
            && known.until.is_none_or(|until| until > now)
        {
            return Arc::clone(&known.rules);
        }
        let mut entries: Vec<RuleEntry> = effective.rules.clone();
        entries.extend(own.rules.iter().cloned());
        entries.retain(|rule| holds(rule, now));
        let until = entries.iter().filter_map(|rule| rule.expires_at).min();
        if let Some(reason) = &effective.ask_everything {
            // One rule for every tool, those of servers included: one reason in the request.
            entries.push(RuleEntry {
                file: Some(reason.clone()),
                ..session_rule(Behavior::Ask, "*")
            });
        }
        let rules = Arc::new(RuleSet::compile(entries));
        own.compiled = Some(Compiled {
            effective: Arc::clone(effective),
            rules: Arc::clone(&rules),
            until,
        });
        rules
    }
}

impl SessionPermissions {
    /// The rules and the mode of this moment.
    pub(crate) fn snapshot(&self) -> PermissionSnapshot {
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
            bypass_available: trusted
                && effective.ask_everything.is_none()
                && !effective.bypass_disabled,
        }
    }
}

/// Why the mode bypassPermissions cannot be had.
#[derive(Clone, Copy, Debug, PartialEq, Eq, thiserror::Error)]
pub enum BypassRefused {
    /// The folder is not trusted.
    #[error("permissions are not bypassed in a folder that is not trusted")]
    Untrusted,
    /// A settings file takes it away.
    #[error("the settings disable the mode bypassPermissions")]
    Disabled,
    /// What a broken settings file denied is not known.
    #[error("a settings file is broken, so what it denies is not known and everything asks")]
    BrokenSettings,
    /// The person has not confirmed it yet.
    #[error("bypassing permissions needs to be confirmed once")]
    Unconfirmed,
}

/// Whether a rule holds at this moment.
#[must_use]
pub fn rule_holds_now(rule: &RuleEntry) -> bool {
    holds(rule, now_ms())
}

fn holds(rule: &RuleEntry, now: u64) -> bool {
    rule.expires_at.is_none_or(|end| end > now)
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
        expires_at: None,
        problem: None,
    }
}
