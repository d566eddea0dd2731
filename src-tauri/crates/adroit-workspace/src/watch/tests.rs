use std::collections::HashSet;
use std::sync::atomic::{AtomicUsize, Ordering};

use super::folders::FolderWatcher;
use super::*;

fn folder() -> (tempfile::TempDir, PathBuf) {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().canonicalize().unwrap();
    (temporary, path)
}

fn file(noticed: Option<Noticed>) -> FileChanged {
    match noticed {
        Some(Noticed::File(changed)) => changed,
        other => panic!("{other:?}"),
    }
}

/// Writes a file whole: a look between cutting off and writing would see an empty one.
fn replace(path: &Path, content: &str) {
    crate::write_atomic(path, content.as_bytes(), crate::WriteOptions::default()).unwrap();
}

/// A system that has this many watches to give, and then says what Linux says.
struct Scarce {
    left: Arc<AtomicUsize>,
    refusal: fn() -> notify::Error,
}

impl FolderWatcher for Scarce {
    fn watch(&mut self, _folder: &Path) -> notify::Result<()> {
        let take = |left: usize| left.checked_sub(1);
        match self
            .left
            .fetch_update(Ordering::Relaxed, Ordering::Relaxed, take)
        {
            Ok(_) => Ok(()),
            Err(_) => Err((self.refusal)()),
        }
    }

    fn unwatch(&mut self, _folder: &Path) -> notify::Result<()> {
        self.left.fetch_add(1, Ordering::Relaxed);
        Ok(())
    }
}

fn no_more_watches() -> notify::Error {
    notify::Error::new(notify::ErrorKind::MaxFilesWatch)
}

/// A watch on such a system, which looks often, and how many watches are left.
fn scarce(
    paths: &[&Path],
    watches: usize,
    refusal: fn() -> notify::Error,
) -> (FileWatch, Arc<AtomicUsize>) {
    let left = Arc::new(AtomicUsize::new(watches));
    let theirs = Arc::clone(&left);
    let paths = paths.iter().map(|path| path.to_path_buf());
    let watch = watch_with(paths, Duration::from_millis(5), move |_| {
        Ok(Box::new(Scarce {
            left: theirs,
            refusal,
        }))
    });
    (watch, left)
}

#[tokio::test]
async fn at_the_limit_files_are_looked_at_and_that_is_told_once() {
    let (_temporary, root) = folder();
    let path = |name: &str| {
        std::fs::create_dir_all(root.join(name)).unwrap();
        let path = root.join(name).join("f");
        std::fs::write(&path, "old").unwrap();
        path
    };
    let (one, two, three) = (path("one"), path("two"), path("three"));
    let (watch, left) = scarce(&[&one], 1, no_more_watches);
    let (set, mut noticed) = watch.into_parts();
    assert_eq!(set.noticing(), Noticing::Told);
    let old = Some(ContentHash::of(b"old"));
    assert_eq!(set.add(&two, old), Noticing::Polling);
    assert_eq!(
        noticed.recv().await,
        Some(Noticed::Polling(PollingReason::Limit))
    );
    assert_eq!(set.add(&three, old), Noticing::Polling);
    // This system tells of nothing, so that only looking can notice it. Another length, because times
    // may be coarse.
    replace(&three, "new content");
    let changed = file(noticed.recv().await);
    assert_eq!(
        (changed.path, changed.content),
        (three, Some(ContentHash::of(b"new content")))
    );
    // What could be watched still is.
    assert_eq!(
        lock(&set.0.known).folders,
        BTreeSet::from([root.join("one")])
    );
    assert_eq!(left.load(Ordering::Relaxed), 0);
    // Without the set, nobody looks any more.
    drop(set);
    assert_eq!(noticed.recv().await, None);
}

/// The limit may be met long after the beginning: when a folder comes into being that has to be watched.
#[tokio::test]
async fn a_limit_that_is_met_later_is_told_too() {
    let (_temporary, root) = folder();
    let path = root.join("later/settings.json");
    let (watch, left) = scarce(&[&path], 1, no_more_watches);
    let (set, mut noticed) = watch.into_parts();
    assert_eq!(set.noticing(), Noticing::Told);
    // Somebody else took the watch that this one gives back.
    left.store(0, Ordering::Relaxed);
    std::fs::create_dir(root.join("later")).unwrap();
    lock(&set.0.known).folders.clear();
    set.0.happened(&Which::These(HashSet::new()));
    assert_eq!(
        noticed.recv().await,
        Some(Noticed::Polling(PollingReason::Limit))
    );
    replace(&path, "{}");
    assert_eq!(file(noticed.recv().await).path, path);
}

#[tokio::test]
async fn a_system_without_any_watcher_is_polled_and_says_why() {
    let (_temporary, root) = folder();
    let path = root.join("f");
    for (refusal, reason) in [
        (
            notify::Error::io(std::io::Error::from_raw_os_error(
                rustix::io::Errno::MFILE.raw_os_error(),
            )),
            PollingReason::Limit,
        ),
        (
            notify::Error::generic("not on this system"),
            PollingReason::Other("not on this system".to_owned()),
        ),
    ] {
        let watch = watch_with([path.clone()], Duration::from_millis(5), |_| Err(refusal));
        let (set, mut noticed) = watch.into_parts();
        assert_eq!(noticed.recv().await, Some(Noticed::Polling(reason)));
        replace(&path, "x");
        assert_eq!(file(noticed.recv().await).path, path);
        std::fs::remove_file(&path).unwrap();
        drop(set);
    }
}

#[tokio::test]
async fn dv_watch_001_a_save_that_replaces_the_file_is_one_change() {
    let (_temporary, root) = folder();
    let path = root.join("f");
    std::fs::write(&path, "old").unwrap();
    let mut watch = watch_files([path.clone()]);
    std::fs::rename(&path, root.join("f~")).unwrap();
    std::fs::write(&path, "new").unwrap();
    std::fs::remove_file(root.join("f~")).unwrap();
    let change = watch.changed().await.unwrap();
    assert_eq!(
        change,
        FileChanged {
            path: path.clone(),
            content: Some(ContentHash::of(b"new"))
        }
    );
    // And after the replacement it is still watched.
    replace(&path, "third");
    assert_eq!(
        watch.changed().await.unwrap().content,
        Some(ContentHash::of(b"third"))
    );
}

#[tokio::test]
async fn a_file_whose_folder_does_not_exist_yet() {
    let (_temporary, root) = folder();
    let path = root.join("later/deep/settings.json");
    let mut watch = watch_files([path.clone()]);
    std::fs::create_dir_all(path.parent().unwrap()).unwrap();
    replace(&path, "{}");
    assert_eq!(
        watch.changed().await.unwrap().content,
        Some(ContentHash::of(b"{}"))
    );
    std::fs::remove_file(&path).unwrap();
    assert_eq!(watch.changed().await.unwrap().content, None);
}

#[tokio::test]
async fn dv_watch_003_own_writes_are_not_reported_and_others_are() {
    let (_temporary, root) = folder();
    let path = root.join("f");
    std::fs::write(&path, "old").unwrap();
    let mut watch = watch_files([path.clone()]);
    watch.set().expect(&path, ContentHash::of(b"own"));
    crate::write_atomic(&path, b"own", crate::WriteOptions::default()).unwrap();
    replace(&path, "external");
    assert_eq!(
        watch.changed().await.unwrap().content,
        Some(ContentHash::of(b"external"))
    );
}

#[tokio::test]
async fn files_are_added_while_it_runs_and_changes_since_they_were_read_are_told() {
    let (_temporary, root) = folder();
    let (one, two) = (root.join("one"), root.join("deep/two"));
    std::fs::create_dir(root.join("deep")).unwrap();
    std::fs::write(&one, "1").unwrap();
    std::fs::write(&two, "changed already").unwrap();
    let (set, mut changes) = watch_files([]).into_parts();
    assert_eq!(set.add(&one, Some(ContentHash::of(b"1"))), Noticing::Told);
    replace(&one, "one");
    assert_eq!(
        file(changes.recv().await).content,
        Some(ContentHash::of(b"one"))
    );
    // It was read with another content than it has by now.
    set.add(&two, Some(ContentHash::of(b"read before")));
    assert_eq!(file(changes.recv().await).path, two);
    set.remove(&two);
    std::fs::write(&two, "not watched").unwrap();
    replace(&one, "last");
    assert_eq!(file(changes.recv().await).path, one);
    // Without the set nothing is watched, and the changes end.
    drop(set);
    assert_eq!(changes.recv().await, None);
}

/// Thousands of files come and go in a folder beside, and some in the very folder: the change is
/// noticed, and nothing else is.
#[tokio::test]
async fn dv_watch_002_a_flood_beside_hides_no_change() {
    let (_temporary, root) = folder();
    for place in ["src", "node_modules", "target"] {
        std::fs::create_dir(root.join(place)).unwrap();
    }
    let path = root.join("src/main.rs");
    std::fs::write(&path, "old").unwrap();
    let mut watch = watch_files([path.clone()]);
    for round in 0..3_000 {
        std::fs::write(root.join(format!("node_modules/{round}")), "x").unwrap();
        std::fs::write(root.join(format!("src/{round}.tmp")), "x").unwrap();
        if round == 1_500 {
            replace(&path, "new");
        }
        std::fs::remove_file(root.join(format!("src/{round}.tmp"))).unwrap();
    }
    let change = watch.changed().await.unwrap();
    assert_eq!(change.content, Some(ContentHash::of(b"new")));
    let watched = lock(&watch.set.0.known).folders.clone();
    assert_eq!(watched, BTreeSet::from([root.join("src")]));
}

#[test]
fn only_what_an_event_names_is_read_again() {
    let state = State {
        content: Some(ContentHash::of(b"x")),
        stamp: None,
    };
    let these = |paths: &[&str]| Which::These(paths.iter().map(PathBuf::from).collect());
    let file = Path::new("/no/where/f");
    assert!(these(&["/no/where/f"]).concerns(file, &state));
    assert!(these(&["/no"]).concerns(file, &state));
    assert!(!these(&["/no/where/g", "/no/where/f2"]).concerns(file, &state));
    assert!(Which::All.concerns(file, &state));
    assert!(!Which::Restamped.concerns(file, &state));
    let gone = State {
        content: None,
        stamp: None,
    };
    assert!(Which::Restamped.concerns(file, &gone));
}

#[test]
fn without_system_watches_it_compares_by_time_and_size_and_then_by_content() {
    let (_temporary, root) = folder();
    let path = root.join("f");
    let (sender, mut receiver) = mpsc::unbounded_channel();
    let nothing = State {
        content: None,
        stamp: None,
    };
    let known = Mutex::new(Known {
        files: HashMap::from([(path.clone(), nothing)]),
        folders: BTreeSet::new(),
    });
    std::fs::write(&path, "x").unwrap();
    compare(&known, &sender, &Which::Restamped);
    compare(&known, &sender, &Which::Restamped);
    assert_eq!(
        file(receiver.try_recv().ok()).content,
        Some(ContentHash::of(b"x"))
    );
    assert!(receiver.try_recv().is_err());
}

/// Editors and programs save in many ways. Each ends as what is there then, and none of those that keep the
/// file reports it as gone.
#[tokio::test]
async fn however_a_program_saves_it_ends_as_what_is_there() {
    type Save = fn(&Path);
    let beside = |path: &Path, name: &str| path.with_file_name(name);
    let saves: [(&str, Save); 7] = [
        ("written over", |path| {
            std::fs::write(path, "written over, and longer than before").unwrap();
        }),
        ("renamed over", |path| replace(path, "renamed over")),
        ("appended", |path| {
            use std::io::Write as _;
            let mut file = std::fs::File::options().append(true).open(path).unwrap();
            file.write_all(b"more\n").unwrap();
        }),
        ("exchanged", |path| {
            let other = path.with_file_name("other");
            std::fs::write(&other, "exchanged").unwrap();
            let here = rustix::fs::CWD;
            let flags = rustix::fs::RenameFlags::EXCHANGE;
            rustix::fs::renameat_with(here, &other, here, path, flags).unwrap();
        }),
        ("a hard link", |path| {
            let other = path.with_file_name("linked");
            std::fs::write(&other, "a hard link").unwrap();
            let made = path.with_file_name("made");
            std::fs::hard_link(&other, &made).unwrap();
            std::fs::rename(made, path).unwrap();
        }),
        ("by sed", |path| {
            let done = std::process::Command::new("sed")
                .args(["-i", "s/hard/soft/"])
                .arg(path)
                .status();
            assert!(done.unwrap().success());
        }),
        ("cut off", |path| {
            let file = std::fs::File::options().write(true).open(path).unwrap();
            file.set_len(1).unwrap();
        }),
    ];
    let (_temporary, root) = folder();
    let path = root.join("f");
    std::fs::write(&path, "old").unwrap();
    let (set, mut noticed) = watch_files([path.clone()]).into_parts();
    for (name, save) in saves {
        save(&path);
        let now = Some(ContentHash::of(&std::fs::read(&path).unwrap()));
        loop {
            let changed = file(noticed.recv().await);
            assert!(changed.content.is_some(), "{name} is told as gone");
            if changed.content == now {
                break;
            }
        }
        // Nothing of these is a change: what is told next is the next save.
        let same = std::fs::read(&path).unwrap();
        std::fs::write(&path, &same).unwrap();
        std::fs::set_permissions(&path, std::os::unix::fs::PermissionsExt::from_mode(0o600))
            .unwrap();
        let opened = std::fs::File::options().write(true).open(&path).unwrap();
        opened.set_modified(std::time::SystemTime::now()).unwrap();
        std::fs::write(beside(&path, "neighbour"), name).unwrap();
    }
    std::fs::remove_file(&path).unwrap();
    while file(noticed.recv().await).content.is_some() {}
    drop(set);
}
