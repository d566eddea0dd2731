//! Ends the steps that a crash left open.

use std::path::PathBuf;
use std::sync::PoisonError;

use adroit_workspace::remove_abandoned_beside;

use crate::History;
use crate::image::keep;
use crate::journal::{Before, FileStep, Origin, Watched};
use crate::objects::Durability;
use crate::scan::{Tree, compare, look};
use crate::store::{StoreError, Written};

const INTERRUPTED: &str = "The app stopped while this ran. What it changed was worked out when the session was opened again.";
const LOST: &str =
    "The app stopped while this ran, and what stood there before is no longer known.";

/// The files of an interrupted step, what is said of it, and how it turned out.
type Found = (Vec<FileStep>, &'static str, Option<Origin>);

impl History {
    /// Ends each open step from what is on the disk now. A step that cannot be ended stays open and
    /// is tried again the next time.
    pub(crate) fn end_interrupted(&self) {
        let open = self.told().open.clone();
        for (step, watched) in open {
            if let Err(error) = self.with_room(|| self.end_one(step, &watched)) {
                tracing::warn!(%error, step, "an interrupted step could not be ended");
            }
        }
    }

    fn end_one(&self, step: u64, watched: &Watched) -> Result<(), StoreError> {
        let _using = self.store.using();
        remove_litter(watched);
        let (files, note, origin) = match watched {
            Watched::Files { before } => (self.compare_named(before)?, INTERRUPTED, None),
            Watched::Folders {
                roots,
                tree,
                since,
                named,
            } => {
                let since = *since;
                let found =
                    match tree.and_then(|tree| self.store.read_list(Written { tree, since })) {
                        Some(entries) => {
                            let tree = Tree::listed(entries);
                            (self.compare_folders(roots, &tree)?, INTERRUPTED, None)
                        }
                        None => (Vec::new(), LOST, None),
                    };
                self.with_named(found, named)?
            }
            Watched::Restored { files } => {
                let (done, whole) = self.restored(files)?;
                let origin = self.origin_of(step, whole);
                (done, INTERRUPTED, origin)
            }
        };
        self.end_step(step, files, vec![note.to_owned()], origin)?;
        Ok(())
    }

    /// With the named files that the look at the folders passed over.
    fn with_named(&self, found: Found, named: &[Before]) -> Result<Found, StoreError> {
        let (mut files, note, origin) = found;
        let seen = |path: &PathBuf, files: &[FileStep]| files.iter().any(|file| file.path == *path);
        for file in self.compare_named(named)? {
            if !seen(&file.path, &files) {
                files.push(file);
            }
        }
        Ok((files, note, origin))
    }

    fn compare_folders(
        &self,
        roots: &[String],
        before: &Tree,
    ) -> Result<Vec<FileStep>, StoreError> {
        let roots: Vec<PathBuf> = roots.iter().map(PathBuf::from).collect();
        let store = &self.store;
        let after = look(&roots, &store.known, &store.objects, &store.limits)?;
        Ok(after.map_or_else(Vec::new, |after| {
            compare(before, &after, |path| self.show(path)).files
        }))
    }

    /// Which files an interrupted undo put back, and whether those are all.
    fn restored(&self, files: &[FileStep]) -> Result<(Vec<FileStep>, bool), StoreError> {
        let mut done = Vec::new();
        for file in files {
            let now = keep(
                &file.path,
                &self.store.objects,
                self.store.limits.file_bytes,
                Durability::Disk,
            )?;
            if now == file.after {
                done.push(file.clone());
            }
        }
        let whole = done.len() == files.len();
        Ok((done, whole))
    }

    fn origin_of(&self, step: u64, whole: bool) -> Option<Origin> {
        match self.told().steps.get(&step)?.origin.clone() {
            Origin::Undo {
                steps,
                whole: meant,
            } => Some(Origin::Undo {
                steps,
                whole: meant && whole,
            }),
            Origin::Redo {
                steps,
                whole: meant,
            } => Some(Origin::Redo {
                steps,
                whole: meant && whole,
            }),
            Origin::Call { .. } => None,
        }
    }
}

/// The killed process may have been writing one of these files; all that it replaced is kept.
fn remove_litter(watched: &Watched) {
    let named: Vec<&PathBuf> = match watched {
        Watched::Files { before: named } | Watched::Folders { named, .. } => {
            named.iter().map(|before| &before.path).collect()
        }
        Watched::Restored { files } => files.iter().map(|file| &file.path).collect(),
    };
    for path in named {
        remove_abandoned_beside(path);
    }
}

impl Drop for History {
    fn drop(&mut self) {
        self.store
            .live
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .retain(|_, history| history.strong_count() > 0);
    }
}
