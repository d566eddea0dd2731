//! Lets go of contents that nothing needs, and of the oldest steps where the store is full.

use std::collections::HashSet;
use std::path::Path;
use std::sync::{Arc, PoisonError};
use std::time::SystemTime;

use adroit_protocol::SessionId;

use crate::History;
use crate::image::{Hash, Image};
use crate::journal::{Journal, Record, Step, StepState, Told, Watched};
use crate::store::{Store, Written};

/// A collection goes on until the store is this full, in percent: collecting costs a look at every
/// journal and is not to come back with the next file.
const ENOUGH: u64 = 70;

/// One session, as the collection sees it.
struct Candidate {
    session: SessionId,
    at: SystemTime,
    live: Option<Arc<History>>,
    told: Told,
}

impl Store {
    /// Lets go of what nothing names; then, while the store is too full, of the oldest steps:
    /// sessions that are not open first, and never the newest steps of an open one.
    pub fn collect(&self) {
        let Some(_alone) = self.alone() else {
            // Another process works in the store: the next collection will come.
            return;
        };
        let mut sessions = self.candidates();
        sessions.sort_by_key(|candidate| (candidate.live.is_some(), candidate.at));
        let enough = self.objects.limit() / 100 * ENOUGH;
        let mut kept = self.named(&sessions);
        self.sweep(&kept);
        if self.objects.bytes() <= enough {
            return;
        }
        self.known.forget();
        for index in 0..sessions.len() {
            let Some(candidate) = sessions.get_mut(index) else {
                break;
            };
            self.forget(candidate);
            kept = self.named(&sessions);
            self.sweep(&kept);
            if self.objects.bytes() <= enough {
                return;
            }
        }
    }

    fn candidates(&self) -> Vec<Candidate> {
        let live = self
            .live
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone();
        let Ok(files) = std::fs::read_dir(self.journals()) else {
            return Vec::new();
        };
        files
            .flatten()
            .filter_map(|file| {
                let name = file.file_name().into_string().ok()?;
                let session = SessionId::from(name.strip_suffix(".jsonl")?);
                let at = file.metadata().ok()?.modified().ok()?;
                let told = Journal::read(&file.path()).ok()?;
                let live = live.get(&session).and_then(std::sync::Weak::upgrade);
                Some(Candidate {
                    session,
                    at,
                    live,
                    told,
                })
            })
            .collect()
    }

    /// Every content that a step, a running call or the next look needs.
    fn named(&self, sessions: &[Candidate]) -> HashSet<Hash> {
        let mut named: HashSet<Hash> = self.known.hashes();
        named.extend(self.listed());
        for tree in self.watched() {
            let tree = tree.lock().unwrap_or_else(PoisonError::into_inner);
            named.extend(tree.entries.values().filter_map(Image::hash));
        }
        for candidate in sessions {
            for step in candidate.told.steps.values() {
                if step.state != StepState::Forgotten {
                    named.extend(hashes(step));
                }
            }
            for watched in candidate.told.open.values() {
                self.watched_hashes(watched, &mut named);
            }
            named.extend(candidate.told.reviewed.values().filter_map(Image::hash));
        }
        named
    }

    fn watched_hashes(&self, watched: &Watched, named: &mut HashSet<Hash>) {
        match watched {
            Watched::Files { before } => {
                named.extend(before.iter().filter_map(|before| before.image.hash()));
            }
            Watched::Folders {
                tree,
                since,
                named: files,
                ..
            } => {
                named.extend(files.iter().filter_map(|before| before.image.hash()));
                named.extend(*tree);
                named.extend(*since);
                let listed = tree.and_then(|tree| {
                    self.read_list(Written {
                        tree,
                        since: *since,
                    })
                });
                if let Some(entries) = listed {
                    named.extend(entries.values().filter_map(Image::hash));
                }
            }
            Watched::Restored { files } => {
                for file in files {
                    named.extend(file.before.hash());
                    named.extend(file.after.hash());
                }
            }
        }
    }

    fn sweep(&self, named: &HashSet<Hash>) {
        for (hash, _) in self.objects.list() {
            if !named.contains(&hash) {
                self.objects.remove(hash);
            }
        }
    }

    /// Lets go of a session's steps; of an open one all but the newest.
    fn forget(&self, candidate: &mut Candidate) {
        let ids: Vec<u64> = candidate
            .told
            .steps
            .values()
            .filter(|step| step.state == StepState::Done)
            .map(|step| step.id)
            .collect();
        let spared = if candidate.live.is_some() {
            self.limits.newest_kept
        } else {
            0
        };
        let Some(through) = ids
            .len()
            .checked_sub(spared + 1)
            .and_then(|index| ids.get(index).copied())
        else {
            return;
        };
        // A step that is still open keeps its images, and those before it with it.
        if candidate.told.open.keys().any(|open| *open <= through) {
            return;
        }
        let record = Record::Forgotten { through };
        let written = match &candidate.live {
            Some(live) => live
                .journal
                .append(&record)
                .map(|()| live.told().take(record.clone())),
            None => append(&self.journal(&candidate.session), &record),
        };
        match written {
            Ok(()) => candidate.told.take(record),
            Err(error) => tracing::warn!(%error, "old steps could not be let go"),
        }
    }
}

fn append(path: &Path, record: &Record) -> std::io::Result<()> {
    Journal::new(path.to_path_buf()).append(record)
}

fn hashes(step: &Step) -> impl Iterator<Item = Hash> + '_ {
    step.files
        .iter()
        .flat_map(|file| [file.before.hash(), file.after.hash()])
        .flatten()
}
