//! What one session changed, step by step.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use adroit_protocol::{CallId, SessionId};

use crate::fault::Point;
use crate::image::{Hash, Image, keep};
use crate::journal::{Before, FileStep, Journal, Origin, Record, Step, StepState, Told, Watched};
use crate::objects::{Durability, ObjectError};
use crate::originals::as_written;
use crate::scan::{Tree, compare, look};
use crate::store::{Store, StoreError};

/// Said where the folders hold too much to be compared.
const TOO_MANY: &str = "The folder holds too many files to be compared, so what this call changed is not known \
     and cannot be restored.";
/// Names of a note before it counts.
const NAMED: usize = 5;
/// Said where a call goes on after its end.
const UNCOMPARED: &str = "What this call changed could not be looked at, so it cannot be restored.";

/// A call that is about to run.
#[derive(Clone, Debug)]
pub struct Begin {
    /// Which.
    pub call: CallId,
    /// In which turn, from 1.
    pub turn: u32,
    /// In a few words.
    pub title: String,
    /// The moment, milliseconds since 1970.
    pub at: u64,
    /// Files that it names: absolute, links resolved.
    pub files: Vec<PathBuf>,
    /// Folders in which it may change anything; empty where it changes the named files only.
    pub folders: Vec<PathBuf>,
    /// What is known not to be covered, in sentences.
    pub notes: Vec<String>,
}

/// A step that was begun. It is ended by [`History::end`], whatever became of the call.
#[must_use]
pub struct Open {
    pub(crate) step: u64,
    pub(crate) before: Vec<Before>,
    /// What the call itself wrote, by its own word.
    pub(crate) written: BTreeMap<PathBuf, Image>,
    watching: Option<Watching>,
}

impl Open {
    /// The number of the tree that the step will be compared with.
    pub(crate) fn watching(&self) -> Option<u64> {
        let (number, _) = self.watching.as_ref()?.tree.as_ref()?;
        Some(*number)
    }
}

/// What became of what a step looked after.
struct Compared {
    files: Vec<FileStep>,
    notes: Vec<String>,
    /// What stands in the folders now, where a next step goes on from there.
    after: Option<WatchedTree>,
}

/// A tree that is told what others change, and its number among those that are.
type WatchedTree = (u64, Arc<Mutex<Tree>>);

struct Watching {
    roots: Vec<PathBuf>,
    /// Absent where there was too much.
    tree: Option<WatchedTree>,
}

/// The steps of one session.
pub struct History {
    pub(crate) store: Arc<Store>,
    pub(crate) session: SessionId,
    pub(crate) journal: Journal,
    told: Mutex<Told>,
    /// How a path is shown in notes.
    shown_from: PathBuf,
}

impl History {
    /// Opens a session's history; steps that a crash left open are ended from what is on the disk.
    ///
    /// # Errors
    /// The journal cannot be read.
    pub fn open(
        store: Arc<Store>,
        session: SessionId,
        root: &Path,
    ) -> Result<Arc<Self>, StoreError> {
        let path = store.journal(&session);
        let told = Journal::read(&path).map_err(|source| StoreError::Journal {
            path: path.clone(),
            source,
        })?;
        let history = Arc::new(Self {
            journal: Journal::new(path),
            told: Mutex::new(told),
            session: session.clone(),
            shown_from: root.to_path_buf(),
            store: Arc::clone(&store),
        });
        store
            .live
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(session, Arc::downgrade(&history));
        history.end_interrupted();
        Ok(history)
    }

    pub(crate) fn told(&self) -> MutexGuard<'_, Told> {
        self.told.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// The store.
    #[must_use]
    pub fn store(&self) -> &Arc<Store> {
        &self.store
    }

    /// Every step, oldest first.
    #[must_use]
    pub fn steps(&self) -> Vec<Step> {
        self.told().steps.values().cloned().collect()
    }

    /// The steps of a call, oldest first: one, and more where something of it went on.
    #[must_use]
    pub fn steps_of(&self, call: &CallId) -> Vec<Step> {
        self.told()
            .steps
            .values()
            .filter(|step| matches!(&step.origin, Origin::Call { call: made } if made == call))
            .cloned()
            .collect()
    }

    /// Steps that are taken back as a whole at present.
    #[must_use]
    pub fn undone(&self) -> std::collections::BTreeSet<u64> {
        let told = self.told();
        let mut undone = std::collections::BTreeSet::new();
        for step in told.steps.values() {
            if step.state == StepState::Open {
                continue;
            }
            match &step.origin {
                Origin::Undo { steps, whole: true } => undone.extend(steps.iter().copied()),
                Origin::Redo { steps, whole: true } => {
                    for redone in steps {
                        if let Some(Step {
                            origin: Origin::Undo { steps, .. },
                            ..
                        }) = told.steps.get(redone)
                        {
                            for step in steps {
                                undone.remove(step);
                            }
                        }
                        undone.insert(*redone);
                    }
                }
                _ => {}
            }
        }
        undone
    }

    /// Keeps what stands there before a call, and notes that it begins. The call may run when this
    /// is done.
    ///
    /// # Errors
    /// Nothing was kept; a call that changes named files must not run then.
    pub fn begin(&self, begin: Begin) -> Result<Open, StoreError> {
        self.with_room(|| self.begin_once(&begin))
    }

    fn begin_once(&self, begin: &Begin) -> Result<Open, StoreError> {
        let store = &self.store;
        let _using = store.using();
        let before = self.images_before(&begin.files)?;
        let mut notes = begin.notes.clone();
        let (watched, tree) = if begin.folders.is_empty() {
            let before = before.clone();
            (Watched::Files { before }, None)
        } else {
            let _changing = store.changing();
            let tree = look(&begin.folders, &store.known, &store.objects, &store.limits)?;
            if tree.is_none() {
                notes.push(TOO_MANY.to_owned());
            }
            let watched = self.watched_folders(&begin.folders, tree.as_ref(), &before)?;
            // Before the lock goes: an undo that waits for it tells its changes to the trees that are known.
            (watched, tree.map(|tree| store.watch(tree)))
        };
        store.faults.pass(Point::ContentsKept);
        let origin = Origin::Call {
            call: begin.call.clone(),
        };
        let begun = self.begin_step(begin.at, origin, begin.turn, &begin.title, watched, notes);
        if let (Err(_), Some((number, _))) = (&begun, &tree) {
            store.unwatch(*number);
        }
        let step = begun?;
        let watching = (!begin.folders.is_empty()).then(|| Watching {
            roots: begin.folders.clone(),
            tree,
        });
        Ok(Open {
            step,
            before,
            written: BTreeMap::new(),
            watching,
        })
    }

    /// Writes down what stands in the folders.
    fn watched_folders(
        &self,
        folders: &[PathBuf],
        tree: Option<&Tree>,
        named: &[Before],
    ) -> Result<Watched, StoreError> {
        let written = tree.map(|tree| self.store.list(tree)).transpose()?;
        Ok(Watched::Folders {
            roots: folders
                .iter()
                .map(|root| root.display().to_string())
                .collect(),
            tree: written.map(|written| written.tree),
            since: written.and_then(|written| written.since),
            named: named.to_vec(),
        })
    }

    /// Writes that a step begins, and gives its number.
    pub(crate) fn begin_step(
        &self,
        at: u64,
        origin: Origin,
        turn: u32,
        title: &str,
        watched: Watched,
        notes: Vec<String>,
    ) -> Result<u64, StoreError> {
        let mut told = self.told();
        let step = told.steps.keys().next_back().map_or(1, |last| last + 1);
        let record = Record::Begun {
            step,
            at,
            origin,
            turn,
            title: title.to_owned(),
            watched,
            notes,
        };
        self.write(&record)?;
        told.take(record);
        drop(told);
        self.store.faults.pass(Point::Begun);
        Ok(step)
    }

    /// Images of the named files, and of folders on the way to them that do not exist yet: a call
    /// that makes them shall have them taken back.
    pub(crate) fn images_before(&self, files: &[PathBuf]) -> Result<Vec<Before>, StoreError> {
        let mut before: BTreeMap<PathBuf, Image> = BTreeMap::new();
        for file in files {
            for folder in file.ancestors().skip(1) {
                if folder.symlink_metadata().is_ok() {
                    break;
                }
                before.insert(folder.to_path_buf(), Image::Absent);
            }
            let image = keep(
                file,
                &self.store.objects,
                self.store.limits.file_bytes,
                Durability::Disk,
            )?;
            before.insert(file.clone(), image);
        }
        Ok(before
            .into_iter()
            .map(|(path, image)| Before { path, image })
            .collect())
    }

    /// Keeps what stands there after a call, and notes what it changed.
    ///
    /// # Errors
    /// The step stays open; it is ended when the history is opened again.
    pub fn end(&self, open: Open) -> Result<Step, StoreError> {
        self.store.faults.pass(Point::Changed);
        let ended = self.with_room(|| self.end_once(&open, false));
        self.let_go(&open);
        let Compared { files, notes, .. } = ended?;
        self.end_step(open.step, files, notes, None)
    }

    /// As [`History::end`], where something that the call started still runs: the next step begins
    /// with this very look, so that nothing falls between the two. Gives that step too, where the
    /// folders are looked at at all.
    ///
    /// # Errors
    /// As there. Where only the next step cannot be begun, there is none.
    pub fn end_and_go_on(&self, open: Open, at: u64) -> Result<(Step, Option<Open>), StoreError> {
        self.store.faults.pass(Point::Changed);
        let mut ended = self.with_room(|| self.end_once(&open, true));
        // Let go of only when the next one is looked after: its contents are needed.
        let next = ended.as_mut().ok().and_then(|compared| {
            let roots = open.watching.as_ref()?.roots.clone();
            self.go_on(&open, at, roots, compared.after.take()?)
        });
        self.let_go(&open);
        let Compared { files, notes, .. } = ended?;
        let step = self.end_step(open.step, files, notes, None)?;
        Ok((step, next))
    }

    fn go_on(&self, open: &Open, at: u64, roots: Vec<PathBuf>, after: WatchedTree) -> Option<Open> {
        let next = self.begin_next(open, at, &roots, &after.1);
        if !matches!(next, Some(Ok(_))) {
            self.store.unwatch(after.0);
        }
        match next? {
            Ok(step) => Some(Open {
                step,
                before: Vec::new(),
                written: BTreeMap::new(),
                watching: Some(Watching {
                    roots,
                    tree: Some(after),
                }),
            }),
            Err(error) => {
                tracing::error!(%error, "what goes on after a call is not looked after");
                None
            }
        }
    }

    /// `None` where the step that it goes on from is not known.
    fn begin_next(
        &self,
        open: &Open,
        at: u64,
        roots: &[PathBuf],
        tree: &Mutex<Tree>,
    ) -> Option<Result<u64, StoreError>> {
        let begun = {
            let told = self.told();
            let step = told.steps.get(&open.step)?;
            (step.origin.clone(), step.turn, step.title.clone())
        };
        let (origin, turn, title) = begun;
        Some(self.with_room(|| {
            let _using = self.store.using();
            let watched = {
                let tree = tree.lock().unwrap_or_else(PoisonError::into_inner);
                self.watched_folders(roots, Some(&tree), &[])?
            };
            self.begin_step(at, origin.clone(), turn, &title, watched, Vec::new())
        }))
    }

    fn let_go(&self, open: &Open) {
        if let Some(Watching {
            tree: Some((number, _)),
            ..
        }) = &open.watching
        {
            self.store.unwatch(*number);
        }
    }

    /// With `goes_on` the tree is watched before the lock goes, as when a step begins.
    fn end_once(&self, open: &Open, goes_on: bool) -> Result<Compared, StoreError> {
        let _using = self.store.using();
        let _changing = self.store.changing();
        let mut files = self.compare_named(&open.before)?;
        let mut notes = Vec::new();
        let mut found = None;
        if let Some(Watching {
            roots,
            tree: Some((_, tree)),
        }) = &open.watching
        {
            let store = &self.store;
            match look(roots, &store.known, &store.objects, &store.limits)? {
                Some(after) => {
                    let before = tree.lock().unwrap_or_else(PoisonError::into_inner);
                    let difference = compare(&before, &after, |path| self.show(path));
                    files.retain(|file| {
                        !difference.files.iter().any(|other| other.path == file.path)
                    });
                    files.extend(difference.files);
                    files.sort_by(|one, other| one.path.cmp(&other.path));
                    notes = difference.notes;
                    found = goes_on.then(|| store.watch(after));
                }
                None => notes.push(UNCOMPARED.to_owned()),
            }
        }
        as_written(open, &mut files);
        notes.extend(self.lost(&files));
        Ok(Compared {
            files,
            notes,
            after: found,
        })
    }

    /// What was changed or deleted and cannot be put back, in a sentence.
    fn lost(&self, files: &[FileStep]) -> Option<String> {
        let lost: Vec<(String, &'static str)> = files
            .iter()
            .filter_map(|file| Some((self.show(&file.path), file.before.not_kept()?)))
            .collect();
        let (_, why) = lost.first()?;
        let mut names: Vec<&str> = lost
            .iter()
            .take(NAMED)
            .map(|(name, _)| name.as_str())
            .collect();
        let more = format!("{} more", lost.len().saturating_sub(NAMED));
        if lost.len() > NAMED {
            names.push(&more);
        }
        Some(format!(
            "{} was changed or deleted and cannot be restored: {why}.",
            names.join(", ")
        ))
    }

    /// What became of named files.
    pub(crate) fn compare_named(&self, before: &[Before]) -> Result<Vec<FileStep>, StoreError> {
        let mut files = Vec::new();
        for Before { path, image } in before {
            let after = keep(
                path,
                &self.store.objects,
                self.store.limits.file_bytes,
                Durability::Disk,
            )?;
            if after != *image {
                files.push(FileStep::new(path.clone(), image.clone(), after));
            }
        }
        Ok(files)
    }

    /// Writes that a step ended.
    pub(crate) fn end_step(
        &self,
        step: u64,
        files: Vec<FileStep>,
        notes: Vec<String>,
        origin: Option<Origin>,
    ) -> Result<Step, StoreError> {
        self.store
            .changed_by_another(files.iter().map(|file| (&file.path, &file.after)), None);
        let record = Record::Ended {
            step,
            files,
            notes,
            origin,
        };
        self.write(&record)?;
        let mut told = self.told();
        told.take(record);
        let ended = told.steps.get(&step).cloned();
        drop(told);
        ended.ok_or_else(|| StoreError::Journal {
            path: self.store.journal(&self.session),
            source: std::io::Error::other("the step is not in the journal"),
        })
    }

    /// Says that a file was looked at and found good as it is, or takes that back.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn mark_reviewed(&self, path: &Path, image: Option<Image>) -> Result<(), StoreError> {
        let record = Record::Reviewed {
            path: path.to_path_buf(),
            image,
        };
        self.write(&record)?;
        self.told().take(record);
        Ok(())
    }

    /// Says which places of a file were looked at and found good, by what they say.
    ///
    /// # Errors
    /// The journal cannot be written.
    pub fn mark_places(&self, path: &Path, places: Vec<Hash>) -> Result<(), StoreError> {
        if self.reviewed_places(path) == places {
            return Ok(());
        }
        let record = Record::ReviewedPlaces {
            path: path.to_path_buf(),
            places,
        };
        self.write(&record)?;
        self.told().take(record);
        Ok(())
    }

    /// The places of a file that were found good.
    #[must_use]
    pub fn reviewed_places(&self, path: &Path) -> Vec<Hash> {
        self.told().places.get(path).cloned().unwrap_or_default()
    }

    /// Whether a file with this image was found good.
    #[must_use]
    pub fn is_reviewed(&self, path: &Path, image: &Image) -> bool {
        self.told().reviewed.get(path) == Some(image)
    }

    pub(crate) fn write(&self, record: &Record) -> Result<(), StoreError> {
        self.journal
            .append(record)
            .map_err(|source| StoreError::Journal {
                path: self.store.journal(&self.session),
                source,
            })
    }

    /// Tries again once, with what may be let go let go.
    pub(crate) fn with_room<T>(
        &self,
        attempt: impl Fn() -> Result<T, StoreError>,
    ) -> Result<T, StoreError> {
        match attempt() {
            Err(StoreError::Object(ObjectError::Full { .. })) => {
                self.store.collect();
                attempt()
            }
            other => other,
        }
    }

    pub(crate) fn show(&self, path: &Path) -> String {
        adroit_workspace::display_path(path.strip_prefix(&self.shown_from).unwrap_or(path))
    }
}
