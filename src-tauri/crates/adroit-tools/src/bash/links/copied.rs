//! What a copy of a folder brings along: `cp -r evil sub` makes `sub/.git/hooks` where `evil`
//! holds such, though no word says so.

use std::path::{Path, PathBuf};

use adroit_permissions::holds_protected_name;
use adroit_shell::{Access, Analysis, CommandPart, PathUse};
use adroit_workspace::{Workspace, leads_to};

use super::disk::{self, Budget};
use super::{at, unknown};

/// Protected names that are added for one copy; the first says enough.
const MOST: usize = 4;

/// Adds the protected places that copies and moves of folders would write.
pub(super) fn add_brought_along(
    analysis: &Analysis,
    workspace: &Workspace,
    budget: &mut Budget,
    places: &mut Vec<PathUse>,
) {
    for (index, part) in analysis.parts.iter().enumerate() {
        let Some(copies) = copies(part) else {
            continue;
        };
        let paths = || analysis.paths.iter().filter(|path| path.part == index);
        let Some(to) = paths().rfind(|path| path.access == Access::Write) else {
            continue;
        };
        for from in paths().filter(|path| path.access == copies && path.below.is_some()) {
            let Some(folder) = from
                .resolved
                .as_deref()
                .and_then(|path| leads_to(path).ok())
            else {
                continue;
            };
            for name in protected_in(&folder, budget) {
                match (name, to.resolved.as_deref()) {
                    (Some(name), Some(target)) => {
                        let inside = folder.file_name().map(|own| target.join(own).join(&name));
                        places.push(at(to, target.join(&name), workspace));
                        places.extend(inside.map(|place| at(to, place, workspace)));
                    }
                    _ => places.push(unknown(to)),
                }
            }
        }
    }
}

/// What is done with the sources of a command that takes folders somewhere else.
fn copies(part: &CommandPart) -> Option<Access> {
    part.words.iter().find_map(|word| {
        let text = word.text.as_deref()?;
        match text.rsplit('/').next()? {
            "cp" | "gcp" | "rsync" | "ditto" => Some(Access::Read),
            "mv" | "gmv" => Some(Access::Remove),
            _ => None,
        }
    })
}

/// Paths below `folder` that hold a protected name, each without the folder; `None` among them
/// where not all could be looked at.
fn protected_in(folder: &Path, budget: &mut Budget) -> Vec<Option<PathBuf>> {
    let mut found: Vec<Option<PathBuf>> = Vec::new();
    let walked = disk::walk(folder, true, false, budget, &mut |entry| {
        let below = entry.path.strip_prefix(folder).ok();
        if let Some(below) = below.filter(|below| found.len() < MOST && holds_protected_name(below))
        {
            found.push(Some(below.to_path_buf()));
        }
    });
    if walked.is_none() && found.is_empty() {
        found.push(None);
    }
    found
}
