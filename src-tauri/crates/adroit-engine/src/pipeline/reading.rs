//! The rules about reading, for tools that meet files that no call names.

use std::path::Path;
use std::sync::{Arc, OnceLock};

use adroit_permissions::PermissionSnapshot;
use adroit_tool::{RestrictedReading, Withheld};

use crate::engine::Engine;
use crate::ports::Permissions;

/// What the rules of the moment keep from being read. Nothing is asked of them before the
/// first file is looked at.
pub(super) fn withheld(engine: &Engine) -> Withheld {
    let rules = Arc::new(ReadingRules {
        permissions: Arc::clone(&engine.permissions),
        snapshot: OnceLock::new(),
    });
    let denied = Arc::clone(&rules);
    Withheld::new(move |path| {
        let snapshot = denied.snapshot();
        snapshot
            .rules
            .denies_reading(path, None, &snapshot.workspace)
            .is_some()
    })
    .with_rules(rules)
}

struct ReadingRules {
    permissions: Arc<dyn Permissions>,
    snapshot: OnceLock<PermissionSnapshot>,
}

impl ReadingRules {
    fn snapshot(&self) -> &PermissionSnapshot {
        self.snapshot.get_or_init(|| self.permissions.snapshot())
    }
}

impl RestrictedReading for ReadingRules {
    fn any(&self) -> bool {
        self.snapshot().rules.restricts_reading()
    }

    fn speaks_of(&self, path: &Path) -> bool {
        let snapshot = self.snapshot();
        snapshot.rules.speaks_of_reading(path, &snapshot.workspace)
    }
}
