//! A look at the whole workspace, before and after a call that may write anywhere.
//!
//! The first look reads every file; later ones read only files whose size, number or times changed
//! since, so that the usual look costs one `stat` a file.

use std::collections::{BTreeMap, HashMap};
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use std::time::{Duration, Instant, SystemTime, UNIX_EPOCH};

use crate::image::{Image, NotKept, Stamp, keep, not_kept};
use crate::journal::{FileStep, Names};
use crate::known::{Images, Known};
use crate::limits::{Limits, ScanLimits};
use crate::objects::{Durability, ObjectError, Objects};
use crate::walk::{Found, walk};

/// A file changed so shortly before it was read may change once more within the same tick of the
/// file system's clock, and would then look unchanged.
const TICK: Duration = Duration::from_millis(40);
/// The same where the clock goes by whole seconds or two (FAT, exFAT, ext4 with small inodes, some network
/// file systems).
const COARSE_TICK: Duration = Duration::from_millis(2_100);
/// Other names of one file that are remembered.
const MOST_NAMES: usize = 16;
/// Names of a note before it says "and more".
const NAMED: usize = 5;

/// What stood in the workspace at one moment.
#[derive(Clone, Debug, Default)]
pub(crate) struct Tree {
    /// Shared with the listing that was made of it.
    pub(crate) entries: Arc<BTreeMap<PathBuf, Image>>,
    /// The other names of files that have several (hard links).
    names: BTreeMap<PathBuf, Vec<PathBuf>>,
    roots: Vec<PathBuf>,
    ignored: BTreeMap<PathBuf, Option<Stamp>>,
    repository: Vec<(PathBuf, Option<Stamp>)>,
}

impl Tree {
    /// Takes what somebody else changed meanwhile for what stood there.
    pub(crate) fn set(&mut self, path: &Path, image: &Image) {
        if !self.roots.iter().any(|root| path.starts_with(root)) {
            return;
        }
        let entries = Arc::make_mut(&mut self.entries);
        if image.is_absent() {
            entries.remove(path);
        } else {
            entries.insert(path.to_path_buf(), image.clone());
        }
    }

    /// A tree as it was listed for the case of a crash.
    pub(crate) fn listed(entries: BTreeMap<PathBuf, Image>) -> Self {
        Self {
            entries: Arc::new(entries),
            ..Self::default()
        }
    }

    /// The other names of a file.
    fn names(&self, path: &Path) -> Names {
        self.names
            .get(path)
            .cloned()
            .map_or_else(Names::default, Names)
    }
}

/// What was different at a later look; what is gone is absent.
pub(crate) fn since(
    before: &BTreeMap<PathBuf, Image>,
    now: &BTreeMap<PathBuf, Image>,
) -> BTreeMap<PathBuf, Image> {
    let mut different: BTreeMap<PathBuf, Image> = now
        .iter()
        .filter(|(path, image)| before.get(*path) != Some(image))
        .map(|(path, image)| (path.clone(), image.clone()))
        .collect();
    different.extend(
        before
            .keys()
            .filter(|path| !now.contains_key(*path))
            .map(|path| (path.clone(), Image::Absent)),
    );
    different
}

/// Looks at the folders. `None` where they hold more files than may be looked at.
///
/// # Errors
/// The store cannot take the contents.
pub(crate) fn look(
    roots: &[PathBuf],
    known: &Known,
    objects: &Objects,
    limits: &Limits,
) -> Result<Option<Tree>, ObjectError> {
    let names = walk(roots, limits.scan.files);
    if names.too_many {
        return Ok(None);
    }
    let before = known.take(objects);
    let reading = Reading {
        before: &before,
        objects,
        file_bytes: limits.file_bytes,
        budget: Budget::new(&limits.scan),
        now: SystemTime::now()
            .duration_since(UNIX_EPOCH)
            .map_or(0, |since| since.as_nanos() as i128),
    };
    let read = reading.all(&names);
    let seen = match read {
        Ok(seen) => seen,
        Err(error) => {
            known.put(before, 0);
            return Err(error);
        }
    };
    let mut entries = BTreeMap::new();
    let mut trusted = Images::with_capacity(seen.len());
    let mut read = 0;
    for Seen {
        path,
        stamp,
        image,
        is_new,
    } in seen
    {
        read += usize::from(is_new);
        if let Some(stamp) = stamp {
            trusted.insert(path.clone(), (stamp, image.clone()));
        }
        entries.insert(path, image);
    }
    known.put(trusted, read);
    Ok(Some(Tree {
        entries: Arc::new(entries),
        names: other_names(&names.entries),
        ignored: names.ignored,
        repository: repository(roots),
        roots: roots.to_vec(),
    }))
}

/// How much one look may still read.
struct Budget {
    bytes: AtomicU64,
    end: Instant,
}

impl Budget {
    fn new(limits: &ScanLimits) -> Self {
        Self {
            bytes: AtomicU64::new(limits.bytes),
            end: Instant::now() + limits.time,
        }
    }

    fn take(&self, bytes: u64) -> bool {
        Instant::now() < self.end
            && self
                .bytes
                .fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| {
                    left.checked_sub(bytes)
                })
                .is_ok()
    }
}

struct Reading<'a> {
    before: &'a Images,
    objects: &'a Objects,
    file_bytes: u64,
    budget: Budget,
    now: i128,
}

struct Seen {
    path: PathBuf,
    /// Absent where the image must not be trusted the next time.
    stamp: Option<Stamp>,
    image: Image,
    /// It was read, not known.
    is_new: bool,
}

impl Reading<'_> {
    /// Reads what is new, on several threads.
    fn all(&self, names: &Found) -> Result<Vec<Seen>, ObjectError> {
        let next = AtomicUsize::new(0);
        let threads = std::thread::available_parallelism().map_or(2, |count| count.get().min(8));
        let work = || {
            let mut seen = Vec::new();
            while let Some((path, metadata)) =
                names.entries.get(next.fetch_add(1, Ordering::Relaxed))
            {
                seen.push(self.one(path, metadata)?);
            }
            Ok(seen)
        };
        std::thread::scope(|scope| {
            let workers: Vec<_> = (0..threads).map(|_| scope.spawn(work)).collect();
            let mut all = Vec::with_capacity(names.entries.len());
            for worker in workers {
                match worker.join() {
                    Ok(seen) => all.extend(seen?),
                    Err(panic) => std::panic::resume_unwind(panic),
                }
            }
            Ok(all)
        })
    }

    fn one(&self, path: &Path, metadata: &std::fs::Metadata) -> Result<Seen, ObjectError> {
        let stamp = Stamp::of(metadata);
        let trusted = |image, is_new| {
            let tick = if stamp.is_coarse() { COARSE_TICK } else { TICK };
            let settled = stamp.latest() + (tick.as_nanos() as i128) < self.now;
            Seen {
                path: path.to_path_buf(),
                stamp: settled.then_some(stamp),
                image,
                is_new,
            }
        };
        if let Some((known, image)) = self.before.get(path)
            && *known == stamp
        {
            return Ok(trusted(image.clone(), false));
        }
        if metadata.is_file()
            && metadata.len() <= self.file_bytes
            && !self.budget.take(metadata.len())
        {
            return Ok(Seen {
                path: path.to_path_buf(),
                // The next look may have the budget.
                stamp: None,
                image: not_kept(metadata, NotKept::OverBudget),
                is_new: false,
            });
        }
        let image = keep(path, self.objects, self.file_bytes, Durability::System)?;
        Ok(trusted(image, true))
    }
}

/// The other names of each file that has several of those that were found.
fn other_names(found: &[(PathBuf, std::fs::Metadata)]) -> BTreeMap<PathBuf, Vec<PathBuf>> {
    let mut files: HashMap<(u64, u64), Vec<&PathBuf>> = HashMap::new();
    for (path, metadata) in found {
        if metadata.is_file() && metadata.nlink() > 1 {
            let number = (metadata.dev(), metadata.ino());
            files.entry(number).or_default().push(path);
        }
    }
    let mut names = BTreeMap::new();
    for paths in files.values_mut().filter(|paths| paths.len() > 1) {
        paths.sort();
        for path in paths.iter() {
            let others = paths.iter().filter(|other| *other != path);
            let others = others.take(MOST_NAMES).map(|&other| other.clone());
            names.insert((*path).clone(), others.collect());
        }
    }
    names
}

/// The files of the repositories that tell of a commit, a switch of the branch or a reset.
fn repository(roots: &[PathBuf]) -> Vec<(PathBuf, Option<Stamp>)> {
    roots
        .iter()
        .flat_map(|root| {
            ["HEAD", "logs/HEAD", "packed-refs"].map(|name| root.join(".git").join(name))
        })
        .map(|path| {
            let stamp = path.symlink_metadata().ok().map(|found| Stamp::of(&found));
            (path, stamp)
        })
        .collect()
}

/// What is different between two looks.
pub(crate) struct Difference {
    pub(crate) files: Vec<FileStep>,
    pub(crate) notes: Vec<String>,
}

/// Compares two looks at the same folders.
pub(crate) fn compare(before: &Tree, after: &Tree, show: impl Fn(&Path) -> String) -> Difference {
    let mut files = Vec::new();
    let step = |path: &PathBuf, old: &Image, new: &Image| FileStep {
        names_before: before.names(path),
        names_after: after.names(path),
        ..FileStep::new(path.clone(), old.clone(), new.clone())
    };
    for (path, image) in before.entries.iter() {
        let now = after.entries.get(path).unwrap_or(&Image::Absent);
        if image != now || relinked(before, after, path) {
            files.push(step(path, image, now));
        }
    }
    for (path, now) in after.entries.iter() {
        if !before.entries.contains_key(path) {
            // A file that an ignore file hid and no longer hides was there already.
            if before.ignored.contains_key(path) {
                continue;
            }
            files.push(step(path, &Image::Absent, now));
        }
    }
    // The other way round: what is hidden now is still there.
    files.retain(|file| !(file.after.is_absent() && hidden(after, &file.path)));
    files.sort_by(|one, other| one.path.cmp(&other.path));
    let notes = notes(before, after, show);
    Difference { files, notes }
}

/// Whether two names that were there all the time became, or ceased to be, names of one file.
fn relinked(before: &Tree, after: &Tree, path: &Path) -> bool {
    let (had, has) = (before.names.get(path), after.names.get(path));
    if had == has {
        return false;
    }
    let (had, has) = (
        had.map_or(&[][..], Vec::as_slice),
        has.map_or(&[][..], Vec::as_slice),
    );
    let lost = had
        .iter()
        .any(|name| !has.contains(name) && after.entries.contains_key(name));
    let gained = has
        .iter()
        .any(|name| !had.contains(name) && before.entries.contains_key(name));
    lost || gained
}

fn hidden(tree: &Tree, path: &Path) -> bool {
    path.ancestors()
        .any(|above| tree.ignored.contains_key(above))
}

fn notes(before: &Tree, after: &Tree, show: impl Fn(&Path) -> String) -> Vec<String> {
    let mut notes = Vec::new();
    let mut lost = Vec::new();
    let mut changed = Vec::new();
    for (path, stamp) in &before.ignored {
        match after.ignored.get(path) {
            Some(now) if now == stamp => {}
            Some(_) => changed.push(path),
            None if after.entries.contains_key(path) => {}
            None => lost.push(path),
        }
    }
    let mut say = |paths: Vec<&PathBuf>, what: &str| {
        if paths.is_empty() {
            return;
        }
        let mut names: Vec<String> = paths.iter().take(NAMED).map(|path| show(path)).collect();
        if paths.len() > NAMED {
            names.push(format!("{} more", paths.len() - NAMED));
        }
        notes.push(format!("{} {what}", names.join(", ")));
    };
    say(
        lost,
        "was deleted and cannot be restored: an ignore file hides it, so it was not kept.",
    );
    say(
        changed,
        "was changed and cannot be restored: an ignore file hides it, so it was not kept.",
    );
    if before.repository != after.repository && !before.repository.is_empty() {
        notes.push(
            "The git repository itself changed (a commit, a branch, a reset). Undo restores files \
             and leaves the repository as it is."
                .to_owned(),
        );
    }
    notes
}
