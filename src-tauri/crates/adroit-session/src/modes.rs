//! The mode of a session: what is judged in it, and who switches it.

use std::sync::{Arc, Mutex, PoisonError};

use adroit_permissions::PermissionSnapshot;
use adroit_protocol::event::SessionChange;
use adroit_protocol::permission::{AfterPlan, Mode};

use crate::approvals::Approvals;
use crate::permissions::SessionPermissions;
use crate::state::SessionState;
use crate::transcript::{EntryBody, Transcript};

/// Switches the mode of one session, for the person and for a plan that they approve.
pub(crate) struct ModeSwitch {
    permissions: Arc<SessionPermissions>,
    approvals: Arc<Approvals>,
    state: Arc<SessionState>,
    transcript: Arc<Transcript>,
    /// Two switches at once would tell the page one mode and keep another.
    switching: Mutex<()>,
}

impl ModeSwitch {
    pub(crate) fn new(
        permissions: &Arc<SessionPermissions>,
        approvals: &Arc<Approvals>,
        state: &Arc<SessionState>,
        transcript: &Arc<Transcript>,
    ) -> Self {
        Self {
            permissions: Arc::clone(permissions),
            approvals: Arc::clone(approvals),
            state: Arc::clone(state),
            transcript: Arc::clone(transcript),
            switching: Mutex::default(),
        }
    }

    /// Switches the mode. The very next decision is made in it.
    pub(crate) fn set(&self, mode: Mode) {
        let _switching = self.switching();
        self.switch(mode);
    }

    fn switching(&self) -> std::sync::MutexGuard<'_, ()> {
        self.switching
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
    }

    fn switch(&self, mode: Mode) {
        self.permissions.set_mode(mode);
        self.state.change(SessionChange::ModeChanged { mode });
        self.approvals.reconsider(&self.permissions.snapshot());
        // Only a session in which something was said is kept; its mode comes with it.
        if self.state.read(|snapshot| !snapshot.items.is_empty()) {
            self.transcript.note(&self.state, EntryBody::Mode { mode });
        }
    }
}

impl adroit_engine::Permissions for ModeSwitch {
    fn snapshot(&self) -> PermissionSnapshot {
        self.permissions.snapshot()
    }

    fn leave_plan_mode(&self, after: AfterPlan) -> bool {
        let _switching = self.switching();
        // Blocks a plan whose approval comes late: the person has chosen another mode since.
        let planning = self.permissions.mode() == Mode::Plan;
        if planning {
            self.switch(after.mode());
        }
        planning
    }
}
