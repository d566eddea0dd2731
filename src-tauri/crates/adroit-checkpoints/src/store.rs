//! The store of one project, which all its sessions share.

use std::collections::{BTreeMap, HashMap};
use std::fs::File;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError, RwLock, RwLockReadGuard, RwLockWriteGuard};

use adroit_protocol::SessionId;
use fs_err as fs;
use rustix::fs::FlockOperation;

use crate::attributes::Attributes;
use crate::fault::Faults;
use crate::image::{Content, Hash, Image};
use crate::known::Known;
use crate::limits::Limits;
use crate::listing;
use crate::objects::{Durability, ObjectError, Objects};
use crate::scan::{self, Tree};

/// Where more than one in so many things is different, a listing is written anew.
const WORTH_ANEW: usize = 8;

/// A step could not be kept.
#[derive(Debug, thiserror::Error)]
pub enum StoreError {
    /// A content could not be kept or read.
    #[error(transparent)]
    Object(#[from] ObjectError),
    /// The journal could not be written or read.
    #[error("the journal of changes {} cannot be used: {source}", path.display())]
    Journal {
        /// The file.
        path: PathBuf,
        /// The system's reason.
        source: std::io::Error,
    },
}

impl StoreError {
    /// What the person can do next.
    #[must_use]
    pub fn hint(&self) -> &'static str {
        match self {
            Self::Object(ObjectError::Full { .. }) => {
                "Delete old sessions of this project; their kept contents go with them."
            }
            Self::Object(ObjectError::Gone { .. } | ObjectError::Damaged { .. }) => {
                "Restore the file from the repository or a backup."
            }
            Self::Object(ObjectError::Io { .. }) | Self::Journal { .. } => {
                "Free space on the disk of the app's data folder, then try again."
            }
        }
    }
}

/// A listing that is kept as a content.
struct Listed {
    hash: Hash,
    entries: Arc<BTreeMap<PathBuf, Image>>,
}

/// How a tree is written down: an earlier listing, and what is different since.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Written {
    pub(crate) tree: Hash,
    pub(crate) since: Option<Hash>,
}

/// Contents and journals of one project.
pub struct Store {
    folder: PathBuf,
    pub(crate) objects: Objects,
    pub(crate) limits: Limits,
    pub(crate) faults: Faults,
    pub(crate) known: Known,
    /// The listing that was written last: a later one says what is different.
    listed: Mutex<Option<Listed>>,
    /// What looks before running calls saw. A change that this app makes meanwhile for somebody
    /// else is not that call's.
    watching: Mutex<HashMap<u64, Arc<Mutex<Tree>>>>,
    next: std::sync::atomic::AtomicU64,
    /// Held while contents are let go, so that none is that a step is just about to name.
    collecting: RwLock<()>,
    changing: Mutex<()>,
    pub(crate) live: Mutex<HashMap<SessionId, std::sync::Weak<crate::History>>>,
}

impl Store {
    /// Opens the store in a folder of the app's own.
    ///
    /// # Errors
    /// The folder cannot be made.
    pub fn open(folder: &Path, limits: Limits) -> Result<Arc<Self>, StoreError> {
        Self::open_with_faults(folder, limits, Faults::default())
    }

    /// As [`Store::open`], for tests of crashes.
    ///
    /// # Errors
    /// As there.
    pub fn open_with_faults(
        folder: &Path,
        limits: Limits,
        faults: Faults,
    ) -> Result<Arc<Self>, StoreError> {
        private_folder(folder)?;
        let objects = Objects::open(folder.join("objects"), limits.store_bytes, faults.clone())?;
        Ok(Arc::new(Self {
            folder: folder.to_path_buf(),
            objects,
            limits,
            faults,
            known: Known::at(folder.join("known")),
            listed: Mutex::default(),
            watching: Mutex::default(),
            next: std::sync::atomic::AtomicU64::new(0),
            collecting: RwLock::new(()),
            changing: Mutex::new(()),
            live: Mutex::default(),
        }))
    }

    /// A kept content.
    ///
    /// # Errors
    /// It was let go, or is damaged.
    pub fn content(&self, image: &Image) -> Result<Option<Vec<u8>>, StoreError> {
        match image.hash() {
            Some(hash) => Ok(Some(self.objects.get(hash)?)),
            None => Ok(None),
        }
    }

    /// Keeps a content that comes from elsewhere: a commit.
    ///
    /// # Errors
    /// The store cannot take it.
    pub fn keep_bytes(&self, bytes: &[u8]) -> Result<Hash, StoreError> {
        Ok(self.objects.put(bytes, Durability::System)?)
    }

    /// As [`Store::keep_bytes`], as the image of a file with these permission bits and attributes.
    ///
    /// # Errors
    /// As there.
    pub fn keep_file(
        &self,
        bytes: &[u8],
        mode: u32,
        attributes: Attributes,
    ) -> Result<Image, StoreError> {
        Ok(Image::File {
            content: Content::Kept(self.keep_bytes(bytes)?),
            mode,
            size: bytes.len() as u64,
            attributes,
        })
    }

    /// Writes down what stands in the folders, for the case of a crash. Of a tree that is much as
    /// it was, only what is different is written.
    pub(crate) fn list(&self, tree: &Tree) -> Result<Written, ObjectError> {
        let mut listed = self.listed.lock().unwrap_or_else(PoisonError::into_inner);
        // Another process may have let it go.
        let usable = |listed: &&Listed| self.objects.contains(listed.hash);
        if let Some(listed) = listed.as_ref().filter(usable) {
            let since = scan::since(&listed.entries, &tree.entries);
            if since.len() <= tree.entries.len() / WORTH_ANEW {
                let bytes = (!since.is_empty()).then(|| encode(&since));
                let since = bytes.map(|bytes| self.objects.put(&bytes, Durability::System));
                return Ok(Written {
                    tree: listed.hash,
                    since: since.transpose()?,
                });
            }
        }
        let bytes = encode(&tree.entries);
        let hash = self.objects.put(&bytes, Durability::System)?;
        *listed = Some(Listed {
            hash,
            entries: Arc::clone(&tree.entries),
        });
        Ok(Written {
            tree: hash,
            since: None,
        })
    }

    /// What was written down.
    pub(crate) fn read_list(&self, written: Written) -> Option<BTreeMap<PathBuf, Image>> {
        let read = |hash| listing::decode(&self.objects.get(hash).ok()?);
        let mut entries = read(written.tree)?;
        if let Some(since) = written.since {
            for (path, image) in read(since)? {
                if image.is_absent() {
                    entries.remove(&path);
                } else {
                    entries.insert(path, image);
                }
            }
        }
        Some(entries)
    }

    /// The listing that the next one may say the difference to.
    pub(crate) fn listed(&self) -> Option<Hash> {
        self.listed
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .as_ref()
            .map(|listed| listed.hash)
    }

    /// The bounds.
    #[must_use]
    pub fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Bytes that kept contents take on the disk.
    #[must_use]
    pub fn bytes(&self) -> u64 {
        self.objects.bytes()
    }

    pub(crate) fn journals(&self) -> PathBuf {
        self.folder.join("sessions")
    }

    pub(crate) fn journal(&self, session: &SessionId) -> PathBuf {
        self.journals().join(format!("{session}.jsonl"))
    }

    /// Forgets a session: its journal goes, and what only it needed goes with the next collection.
    pub fn delete(&self, session: &SessionId) {
        let _ = fs::remove_file(self.journal(session));
        self.collect();
    }

    /// Contents that are put from now on stay until the guard goes, named by a journal or not.
    pub(crate) fn using(&self) -> Using<'_> {
        Using {
            _here: self
                .collecting
                .read()
                .unwrap_or_else(PoisonError::into_inner),
            _elsewhere: self.lock_file(FlockOperation::LockShared),
        }
    }

    /// Nobody puts anything until the guard goes; `None` where another process is at it.
    pub(crate) fn alone(&self) -> Option<Alone<'_>> {
        let here = self
            .collecting
            .write()
            .unwrap_or_else(PoisonError::into_inner);
        let elsewhere = self.lock_file(FlockOperation::NonBlockingLockExclusive)?;
        Some(Alone {
            _here: here,
            _elsewhere: elsewhere,
        })
    }

    /// Another process may work in the same store: the window and a headless run.
    fn lock_file(&self, operation: FlockOperation) -> Option<File> {
        let file = File::options()
            .create(true)
            .truncate(false)
            .write(true)
            .open(self.folder.join("lock"))
            .ok()?;
        rustix::fs::flock(&file, operation).ok()?;
        Some(file)
    }

    /// Trees that running calls will be compared with.
    pub(crate) fn watched(&self) -> Vec<Arc<Mutex<Tree>>> {
        self.watching
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .values()
            .cloned()
            .collect()
    }

    pub(crate) fn watch(&self, tree: Tree) -> (u64, Arc<Mutex<Tree>>) {
        let number = self.next.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let tree = Arc::new(Mutex::new(tree));
        self.watching
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(number, Arc::clone(&tree));
        (number, tree)
    }

    pub(crate) fn unwatch(&self, number: u64) {
        self.watching
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .remove(&number);
    }

    /// Held by whoever puts files back, and by whoever looks at what a call changed: neither sees the other
    /// half done, and takes it for a call's change.
    pub(crate) fn changing(&self) -> std::sync::MutexGuard<'_, ()> {
        self.changing.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A change of somebody else: calls that run at this moment did not make it, `but` the one that is
    /// compared with this tree.
    pub(crate) fn changed_by_another<'a>(
        &self,
        files: impl IntoIterator<Item = (&'a PathBuf, &'a Image)>,
        but: Option<u64>,
    ) {
        let watching: Vec<Arc<Mutex<Tree>>> = self
            .watching
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .filter(|(number, _)| Some(**number) != but)
            .map(|(_, tree)| Arc::clone(tree))
            .collect();
        if watching.is_empty() {
            return;
        }
        for (path, image) in files {
            for tree in &watching {
                tree.lock()
                    .unwrap_or_else(PoisonError::into_inner)
                    .set(path, image);
            }
        }
    }
}

fn encode(entries: &BTreeMap<PathBuf, Image>) -> Vec<u8> {
    listing::encode(entries.iter().map(|(path, image)| (path.as_path(), image)))
}

/// Keeps contents from being let go. The file's lock goes with the file.
pub(crate) struct Using<'s> {
    _here: RwLockReadGuard<'s, ()>,
    _elsewhere: Option<File>,
}

/// Keeps everybody else out.
pub(crate) struct Alone<'s> {
    _here: RwLockWriteGuard<'s, ()>,
    _elsewhere: File,
}

/// Only the person may look into it: contents of files lie there.
fn private_folder(folder: &Path) -> Result<(), ObjectError> {
    use std::os::unix::fs::DirBuilderExt as _;
    let failed = |source| ObjectError::Io {
        operation: "cannot create",
        path: folder.to_path_buf(),
        source,
    };
    if let Some(parent) = folder.parent() {
        std::fs::create_dir_all(parent).map_err(failed)?;
    }
    match std::fs::DirBuilder::new().mode(0o700).create(folder) {
        Err(error) if error.kind() != std::io::ErrorKind::AlreadyExists => Err(failed(error)),
        _ => Ok(()),
    }
}
