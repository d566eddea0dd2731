use std::os::unix::fs::{PermissionsExt, symlink};

use super::*;

thread_local! {
    /// What another program does between the last look at a file and its replacement.
    static LAST_MOMENT: std::cell::RefCell<Option<Box<dyn FnOnce()>>> = std::cell::RefCell::default();
}

pub(super) fn at_the_last_moment() {
    if let Some(other) = LAST_MOMENT.take() {
        other();
    }
}

/// What came of a write, what stands there after it, and the names in the folder.
type Raced = (
    Result<WriteReport, WriteError>,
    Option<Vec<u8>>,
    Vec<String>,
);

/// Writes `ours` over `old`, and has another program do something when it was looked at for the last time.
fn raced(other: impl FnOnce(&Path) + 'static) -> Raced {
    let (_temporary, root) = folder();
    let path = root.join("f");
    std::fs::write(&path, "old").unwrap();
    let options = WriteOptions {
        expected: Expected::Content(ContentHash::of(b"old")),
        ..WriteOptions::default()
    };
    let there = path.clone();
    LAST_MOMENT.set(Some(Box::new(move || other(&there))));
    let report = write_atomic(&path, b"ours", options);
    (report, std::fs::read(&path).ok(), names(&root))
}

/// Between the last look at the content and the replacement there is no gap: what somebody else puts there
/// stays.
#[test]
fn what_another_program_writes_at_the_last_moment_is_not_overwritten() {
    fn refused(other: impl FnOnce(&Path) + 'static, stays: Option<&[u8]>, left: &[&str]) {
        let (report, now, names) = raced(other);
        assert!(
            matches!(report, Err(WriteError::Changed { .. })),
            "{report:?}"
        );
        assert_eq!(now.as_deref(), stays);
        assert_eq!(names, left);
    }
    let theirs = Some(&b"theirs"[..]);
    refused(
        |path| std::fs::write(path, "theirs").unwrap(),
        theirs,
        &["f"],
    );
    let replaced = |path: &Path| {
        let other = path.with_file_name("other");
        std::fs::write(&other, "theirs").unwrap();
        std::fs::rename(other, path).unwrap();
    };
    refused(replaced, theirs, &["f"]);
    refused(|path| std::fs::remove_file(path).unwrap(), None, &[]);
    let linked = |path: &Path| {
        std::fs::remove_file(path).unwrap();
        symlink("elsewhere", path).unwrap();
    };
    refused(linked, None, &["f"]);
    let made_a_folder = |path: &Path| {
        std::fs::remove_file(path).unwrap();
        std::fs::create_dir(path).unwrap();
    };
    refused(made_a_folder, None, &["f"]);
    let (report, now, names) = raced(|_| {});
    assert!(report.is_ok());
    assert_eq!(
        (now.as_deref(), names),
        (Some(&b"ours"[..]), vec!["f".to_owned()])
    );
}

fn folder() -> (tempfile::TempDir, PathBuf) {
    let temporary = tempfile::tempdir().unwrap();
    let path = temporary.path().canonicalize().unwrap();
    (temporary, path)
}

fn names(folder: &Path) -> Vec<String> {
    crate::list_dir(folder)
        .unwrap()
        .iter()
        .map(|entry| {
            entry
                .path
                .file_name()
                .unwrap()
                .to_string_lossy()
                .into_owned()
        })
        .collect()
}

const PARENTS: WriteOptions = WriteOptions {
    expected: Expected::Anything,
    create_parents: true,
};

#[test]
fn mode_and_attributes_survive_and_nothing_is_left_behind() {
    let (_temporary, root) = folder();
    let path = root.join("hook.sh");
    std::fs::write(&path, "old").unwrap();
    std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).unwrap();
    let attribute =
        rustix::fs::setxattr(&path, "user.note", b"kept", rustix::fs::XattrFlags::empty()).is_ok();
    let report = write_atomic(&path, b"new", WriteOptions::default()).unwrap();
    assert_eq!(
        report,
        WriteReport {
            created: false,
            hash: ContentHash::of(b"new"),
            in_place: false
        }
    );
    assert_eq!(std::fs::read(&path).unwrap(), b"new");
    assert_eq!(crate::inspect(&path).unwrap().mode, 0o755);
    if attribute {
        let mut value = [0; 16];
        let length = rustix::fs::getxattr(&path, "user.note", &mut value[..]).unwrap();
        assert_eq!(&value[..length], b"kept");
    }
    assert_eq!(names(&root), ["hook.sh"]);
}

/// An access list is an attribute, and it is part of who may read the file.
#[test]
fn access_lists_and_set_id_bits_survive_both_ways_of_writing() {
    let (_temporary, root) = folder();
    // Version 2; owner rw-, user 1 r--, group ---, mask r--, others --- (acl(5), linux/posix_acl_xattr.h).
    let mut list = 2_u32.to_le_bytes().to_vec();
    for (tag, rights, id) in [
        (1_u16, 6_u16, u32::MAX),
        (2, 4, 1),
        (4, 0, u32::MAX),
        (16, 4, u32::MAX),
        (32, 0, u32::MAX),
    ] {
        list.extend(tag.to_le_bytes());
        list.extend(rights.to_le_bytes());
        list.extend(id.to_le_bytes());
    }
    let acl = "system.posix_acl_access";
    for links in 1..=2 {
        let path = root.join(format!("file{links}"));
        std::fs::write(&path, "old").unwrap();
        if links == 2 {
            std::fs::hard_link(&path, root.join("other")).unwrap();
        }
        std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o4750)).unwrap();
        let set = rustix::fs::setxattr(&path, acl, &list, rustix::fs::XattrFlags::empty()).is_ok();
        let mode = crate::inspect(&path).unwrap().mode;
        let report = write_atomic(&path, b"new", WriteOptions::default()).unwrap();
        assert_eq!(report.in_place, links == 2);
        assert_eq!(crate::inspect(&path).unwrap().mode, mode);
        if set {
            let mut value = [0; 128];
            let length = rustix::fs::getxattr(&path, acl, &mut value[..]).unwrap();
            assert_eq!(&value[..length], list);
        }
    }
}

#[test]
fn a_new_file_obeys_the_umask_and_folders_are_made() {
    let (_temporary, root) = folder();
    std::fs::write(root.join("plain"), "").unwrap();
    let ordinary = crate::inspect(&root.join("plain")).unwrap().mode;
    let path = root.join("a/b c/\u{fc}/x.txt");
    assert!(write_atomic(&path, b"1", PARENTS).unwrap().created);
    assert_eq!(std::fs::read(&path).unwrap(), b"1");
    assert_eq!(crate::inspect(&path).unwrap().mode, ordinary);
    let missing = write_atomic(&root.join("no/x"), b"1", WriteOptions::default());
    assert!(matches!(missing, Err(WriteError::NoParent { .. })));
}

#[test]
fn a_file_in_place_of_a_folder_is_named() {
    let (_temporary, root) = folder();
    std::fs::write(root.join("file"), "kept").unwrap();
    for path in ["file/y.txt", "file/deeper/y.txt"] {
        match write_atomic(&root.join(path), b"1", PARENTS) {
            Err(WriteError::ParentNotDirectory { component, .. }) => {
                assert_eq!(component, display_path(&root.join("file")))
            }
            other => panic!("{other:?}"),
        }
    }
    assert_eq!(std::fs::read(root.join("file")).unwrap(), b"kept");
    assert!(matches!(
        write_atomic(&root, b"1", PARENTS),
        Err(WriteError::NotAFile { .. })
    ));
}

#[test]
fn hard_links_stay_together() {
    let (_temporary, root) = folder();
    let (one, two) = (root.join("one"), root.join("two"));
    std::fs::write(&one, "old content").unwrap();
    std::fs::hard_link(&one, &two).unwrap();
    let report = write_atomic(&one, b"new", WriteOptions::default()).unwrap();
    assert!(report.in_place);
    assert_eq!(std::fs::read(&two).unwrap(), b"new");
    assert_eq!(crate::inspect(&one).unwrap().links, 2);
    assert_eq!(names(&root), ["one", "two"]);
}

#[test]
fn a_link_put_in_the_way_is_refused() {
    let (_temporary, root) = folder();
    std::fs::create_dir(root.join("elsewhere")).unwrap();
    symlink("elsewhere", root.join("folder")).unwrap();
    assert!(matches!(
        write_atomic(&root.join("folder/x"), b"1", WriteOptions::default()),
        Err(WriteError::Moved { .. })
    ));
    symlink("target", root.join("link")).unwrap();
    assert!(matches!(
        write_atomic(&root.join("link"), b"1", WriteOptions::default()),
        Err(WriteError::Moved { .. })
    ));
    assert!(names(&root.join("elsewhere")).is_empty());
}

#[test]
fn what_was_not_expected_is_not_replaced() {
    let (_temporary, root) = folder();
    let path = root.join("f");
    std::fs::write(&path, "other").unwrap();
    let expecting = |expected| {
        write_atomic(
            &path,
            b"new",
            WriteOptions {
                expected,
                create_parents: false,
            },
        )
    };
    assert!(matches!(
        expecting(Expected::Content(ContentHash::of(b"seen"))),
        Err(WriteError::Changed { .. })
    ));
    assert_eq!(std::fs::read(&path).unwrap(), b"other");
    assert!(expecting(Expected::Content(ContentHash::of(b"other"))).is_ok());
    std::fs::remove_file(&path).unwrap();
    assert!(matches!(
        expecting(Expected::Content(ContentHash::of(b"new"))),
        Err(WriteError::Changed { .. })
    ));
    assert!(expecting(Expected::Absent).unwrap().created);
    assert_eq!(names(&root), ["f"]);
}

#[test]
fn system_answers_have_words_of_their_own() {
    let path = Path::new("/p");
    let text = |errno| WriteError::from_errno(path, errno).to_string();
    assert!(text(Errno::NOSPC).starts_with("no space left on the device for /p"));
    assert!(text(Errno::ROFS).contains("read-only file system"));
    assert!(text(Errno::ACCESS).starts_with("permission denied"));
}

/// Runs `inner` again in a process with a small file system of its own; `None` where the system gives
/// unprivileged processes no mounts, so that there is nothing to test on.
fn on_small_disk(inner: &str) -> Option<std::process::Output> {
    let (_temporary, root) = folder();
    let script = format!(
        "mount -t tmpfs -o size=64k tmpfs {root} && ADROIT_SMALL_DISK={root} exec {test} --exact write::tests::{inner} --ignored --nocapture",
        root = root.display(),
        test = std::env::current_exe().unwrap().display(),
    );
    let output = std::process::Command::new("unshare")
        .args(["--user", "--map-root-user", "--mount", "sh", "-c", &script])
        .output()
        .ok()?;
    let refused = String::from_utf8_lossy(&output.stderr);
    (!refused.contains("unshare:") && !refused.contains("mount:")).then_some(output)
}

#[test]
fn a_full_disk_leaves_the_old_file_and_no_other() {
    let Some(output) = on_small_disk("inner_full_disk") else {
        return;
    };
    let text = String::from_utf8_lossy(&output.stdout);
    assert!(
        output.status.success() && text.contains("1 passed"),
        "{text}\n{}",
        String::from_utf8_lossy(&output.stderr)
    );
}

#[test]
#[ignore = "runs inside a_full_disk_leaves_the_old_file_and_no_other"]
fn inner_full_disk() {
    let root = PathBuf::from(std::env::var_os("ADROIT_SMALL_DISK").unwrap());
    let keep = root.join("keep.txt");
    std::fs::write(&keep, vec![b'k'; 10 << 10]).unwrap();
    let large = vec![b'n'; 200 << 10];
    for links in 1..=2 {
        let error = write_atomic(&keep, &large, WriteOptions::default()).unwrap_err();
        assert!(matches!(error, WriteError::NoSpace { .. }), "{error:?}");
        assert_eq!(std::fs::read(&keep).unwrap(), vec![b'k'; 10 << 10]);
        assert_eq!(names(&root).len(), links);
        std::fs::hard_link(&keep, root.join("second")).ok();
    }
    assert!(matches!(
        write_atomic(&root.join("fresh"), &large, PARENTS),
        Err(WriteError::NoSpace { .. })
    ));
    assert!(!root.join("fresh").exists());
}

/// Somebody swaps a folder for a link again and again, between every check and every use. What is
/// outside is never read, written, or given folders.
#[test]
fn a_racing_swap_leads_nowhere() {
    use rustix::fs::{CWD, RenameFlags, renameat_with};
    let (_temporary, root) = folder();
    let outside = root.join("outside");
    let inside = root.join("project");
    for place in [&outside, &inside.join("folder")] {
        std::fs::create_dir_all(place.join("deep")).unwrap();
    }
    std::fs::write(outside.join("f"), "secret").unwrap();
    std::fs::write(inside.join("folder/f"), "own").unwrap();
    symlink(&outside, inside.join("link")).unwrap();
    let (one, other) = (inside.join("folder"), inside.join("link"));
    let swap = || renameat_with(CWD, &one, CWD, &other, RenameFlags::EXCHANGE);
    if swap().is_err() {
        return;
    }
    let stop = std::sync::atomic::AtomicBool::new(false);
    let (mut refused, mut done) = (0, 0);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            while !stop.load(std::sync::atomic::Ordering::Relaxed) {
                swap().unwrap();
            }
        });
        // Until both have happened, so that the test does not depend on how fast anybody is.
        let mut round = 0;
        while round < 400 || refused == 0 || done == 0 {
            round += 1;
            let path = one.join("f");
            match crate::open_regular(&path) {
                Ok(file) => {
                    assert_ne!(read_open(&path, file, 99).unwrap(), b"secret");
                    done += 1;
                }
                Err(_) => refused += 1,
            }
            let _ = write_atomic(&path, b"own", WriteOptions::default());
            let _ = write_atomic(&one.join(format!("new{round}/x")), b"own", PARENTS);
            if let Ok(found) = crate::LoadedText::load(&path) {
                assert_eq!(found.text, "own");
            }
        }
        stop.store(true, std::sync::atomic::Ordering::Relaxed);
    });
    assert_eq!(names(&outside), ["deep", "f"]);
    assert_eq!(std::fs::read(outside.join("f")).unwrap(), b"secret");
}

/// Only what a process left that is gone: a write that goes on at this moment keeps its file.
#[test]
fn what_killed_writes_left_is_removed() {
    let (_temporary, root) = folder();
    let mut ended = std::process::Command::new("true").spawn().unwrap();
    ended.wait().unwrap();
    let left = format!(".adroit-{}-0123456789abcdef-0.tmp", ended.id());
    let own = format!(".adroit-{}-0123456789abcdef-0.tmp", std::process::id());
    let others = [".adroit-1.tmp", ".adroit-note.tmp", "f"];
    for name in others.iter().copied().chain([left.as_str(), own.as_str()]) {
        std::fs::write(root.join(name), name).unwrap();
    }
    remove_abandoned_beside(&root.join("f"));
    let mut expected: Vec<String> = others
        .iter()
        .map(|name| (*name).to_owned())
        .chain([own])
        .collect();
    expected.sort();
    let mut stay = names(&root);
    stay.sort();
    assert_eq!(stay, expected);
}
