//! What a folder truly holds, where rules speak of single files: `grep -r x .` is asked about
//! because `.env` lies below, not because it might.

use std::path::Path;

use adroit_shell::{Access, Below, PathUse};
use adroit_tool::Withheld;
use adroit_workspace::leads_to;

use super::disk::{self, Budget};

/// Takes the files below a path away where none of them is one that a rule about reading
/// speaks of. What cannot be looked at whole stays: then it may hold any.
pub(super) fn settle_below(path: &mut PathUse, withheld: &Withheld, budget: &mut Budget) {
    let Some(below) = path.below.as_ref().filter(|below| !below.perhaps) else {
        return;
    };
    if path.access != Access::Read {
        return;
    }
    let Some(folder) = path
        .resolved
        .as_deref()
        .and_then(|path| leads_to(path).ok())
    else {
        return;
    };
    if holds_none(&folder, below, withheld, budget) {
        path.below = None;
    }
}

fn holds_none(folder: &Path, below: &Below, withheld: &Withheld, budget: &mut Budget) -> bool {
    let mut restricted = false;
    let walked = disk::walk(folder, below.hidden, below.shallow, budget, &mut |entry| {
        let named =
            below.names.is_empty() || below.names.iter().any(|name| disk::fits(name, &entry.name));
        restricted |= named && !entry.folder && withheld.restricts(&entry.path);
    });
    walked.is_some() && !restricted
}
