//! A project folder with a store beside it.

use std::collections::BTreeMap;
use std::os::unix::fs::{MetadataExt as _, PermissionsExt as _, symlink};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use std::time::Duration;

use adroit_protocol::{CallId, SessionId};
use tempfile::TempDir;

use crate::{
    Applied, Begin, Choice, Faults, History, Limits, Origin, Plan, Selection, Step, Store, Undoing,
};

/// Bounds that no test runs into by being slow.
pub(super) fn limits() -> Limits {
    let mut limits = Limits::default();
    limits.scan.time = Duration::from_secs(600);
    limits
}

pub(super) struct Desk {
    pub(super) root: PathBuf,
    pub(super) data: PathBuf,
    pub(super) history: Arc<History>,
    _folder: TempDir,
}

impl Desk {
    pub(super) fn new() -> Self {
        Self::with(limits())
    }

    pub(super) fn with(limits: Limits) -> Self {
        let folder = tempfile::tempdir().unwrap();
        let top = folder.path().canonicalize().unwrap();
        let (root, data) = (top.join("project"), top.join("data"));
        std::fs::create_dir(&root).unwrap();
        let store = Store::open(&data, limits).unwrap();
        let history = History::open(store, SessionId::from("ses_1"), &root).unwrap();
        Self {
            root,
            data,
            history,
            _folder: folder,
        }
    }

    /// Opens the same history anew, as the next run of the app does.
    pub(super) fn reopen(&mut self) {
        let store = Store::open(&self.data, limits()).unwrap();
        self.history = History::open(store, SessionId::from("ses_1"), &self.root).unwrap();
    }

    pub(super) fn path(&self, name: &str) -> PathBuf {
        self.root.join(name)
    }

    pub(super) fn write(&self, name: &str, content: impl AsRef<[u8]>) {
        let path = self.path(name);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, content).unwrap();
    }

    pub(super) fn read(&self, name: &str) -> String {
        std::fs::read_to_string(self.path(name)).unwrap()
    }

    /// A call of a file tool.
    pub(super) fn edit(&self, call: &str, name: &str, content: impl AsRef<[u8]>) -> Step {
        let begin = begin(call, vec![self.path(name)], Vec::new());
        let open = self.history.begin(begin).unwrap();
        self.write(name, content);
        self.history.end(open).unwrap()
    }

    /// A call that may change anything.
    pub(super) fn run(&self, call: &str, command: impl FnOnce()) -> Step {
        let begin = begin(call, Vec::new(), vec![self.root.clone()]);
        let open = self.history.begin(begin).unwrap();
        command();
        self.history.end(open).unwrap()
    }

    pub(super) fn plan(&self, steps: &[u64]) -> Plan {
        self.history.plan(steps, &Selection::everything())
    }

    /// Takes steps back.
    pub(super) fn undo(&self, steps: &[u64]) -> Applied {
        self.apply(&self.plan(steps), &BTreeMap::new())
    }

    pub(super) fn apply(&self, plan: &Plan, choices: &BTreeMap<PathBuf, Choice>) -> Applied {
        self.history.apply(plan, choices, undoing(false)).unwrap()
    }

    /// Takes back what an undo did.
    pub(super) fn redo(&self, undone: &Applied) -> Applied {
        let plan = self.plan(&[undone.step.id]);
        self.history
            .apply(&plan, &BTreeMap::new(), undoing(true))
            .unwrap()
    }

    pub(super) fn all_steps(&self) -> Vec<u64> {
        self.history.steps().iter().map(|step| step.id).collect()
    }

    pub(super) fn snapshot(&self) -> BTreeMap<PathBuf, Thing> {
        snapshot(&self.root)
    }
}

pub(super) fn undoing(redo: bool) -> Undoing {
    Undoing {
        at: 0,
        turn: 1,
        title: "Undo".to_owned(),
        redo,
    }
}

pub(super) fn begin(call: &str, files: Vec<PathBuf>, folders: Vec<PathBuf>) -> Begin {
    Begin {
        call: CallId::from(call),
        turn: 1,
        title: call.to_owned(),
        at: 0,
        files,
        folders,
        notes: Vec::new(),
    }
}

pub(super) fn open_with(root: &Path, data: &Path, faults: Faults) -> Arc<History> {
    let store = Store::open_with_faults(data, limits(), faults).unwrap();
    History::open(store, SessionId::from("ses_1"), root).unwrap()
}

/// What there is at one path, as far as an undo has to restore it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Thing {
    File(Vec<u8>, u32, Noted, Vec<PathBuf>),
    Link(PathBuf),
    Folder(u32, Noted),
}

/// The attribute that tests set.
pub(super) type Noted = Option<Vec<u8>>;

const NOTE: &str = "user.adroit_test";

/// Sets the attribute, or takes it off; false where the file system has none.
pub(super) fn note(path: &Path, value: Option<&[u8]>) -> bool {
    match value {
        Some(value) => {
            rustix::fs::lsetxattr(path, NOTE, value, rustix::fs::XattrFlags::empty()).is_ok()
        }
        None => rustix::fs::lremovexattr(path, NOTE).is_ok(),
    }
}

fn noted(path: &Path) -> Noted {
    let mut value = vec![0; 1_000];
    let length = rustix::fs::lgetxattr(path, NOTE, value.as_mut_slice()).ok()?;
    value.truncate(length);
    Some(value)
}

/// Everything below a folder.
pub(super) fn snapshot(folder: &Path) -> BTreeMap<PathBuf, Thing> {
    let mut things = BTreeMap::new();
    let mut numbers: BTreeMap<u64, Vec<PathBuf>> = BTreeMap::new();
    let mut folders = vec![folder.to_path_buf()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(&folder).unwrap() {
            let path = entry.unwrap().path();
            let metadata = path.symlink_metadata().unwrap();
            let mode = metadata.mode() & 0o7777;
            let thing = if metadata.is_symlink() {
                Thing::Link(std::fs::read_link(&path).unwrap())
            } else if metadata.is_dir() {
                folders.push(path.clone());
                Thing::Folder(mode, noted(&path))
            } else {
                numbers
                    .entry(metadata.ino())
                    .or_default()
                    .push(path.clone());
                Thing::File(
                    std::fs::read(&path).unwrap(),
                    mode,
                    noted(&path),
                    Vec::new(),
                )
            };
            things.insert(path, thing);
        }
    }
    for names in numbers.values_mut() {
        names.sort();
        for name in names.iter() {
            if let Some(Thing::File(.., others)) = things.get_mut(name) {
                others.extend(names.iter().filter(|other| *other != name).cloned());
            }
        }
    }
    things
}

/// Sets the times of all files back, as if they had been written a while ago. The system's own time
/// of the change is waited for: it cannot be set.
pub(super) fn settle(folder: &Path) {
    let newest = |path: &Path| {
        let data = path.symlink_metadata().unwrap();
        std::time::UNIX_EPOCH
            + Duration::new(
                u64::try_from(data.ctime()).unwrap(),
                u32::try_from(data.ctime_nsec()).unwrap(),
            )
    };
    let mut folders = vec![folder.to_path_buf()];
    let mut last = newest(folder);
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).unwrap() {
            let path = entry.unwrap().path();
            last = last.max(newest(&path));
            if path.is_dir() {
                folders.push(path);
            }
        }
    }
    let settled = last + Duration::from_millis(60);
    while std::time::SystemTime::now() < settled {
        std::thread::yield_now();
    }
}

/// Puts a link where nothing or a file is.
pub(super) fn link(target: &str, path: &Path) {
    let _ = std::fs::remove_file(path);
    symlink(target, path).unwrap();
}

pub(super) fn chmod(path: &Path, mode: u32) {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).unwrap();
}

/// Steps of calls, undos left out.
pub(super) fn calls(history: &History) -> Vec<u64> {
    history
        .steps()
        .iter()
        .filter(|step| matches!(step.origin, Origin::Call { .. }))
        .map(|step| step.id)
        .collect()
}
