//! One lock per file, for the whole process.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use tokio::sync::OwnedMutexGuard;

/// Held while a file is read, changed and written back.
#[derive(Debug)]
pub struct PathGuard {
    _path: OwnedMutexGuard<()>,
    _content: Option<OwnedMutexGuard<()>>,
}

/// What is locked.
#[derive(Clone, Debug, PartialEq, Eq, Hash)]
enum Key {
    Path(PathBuf),
    /// Device and number of a file that has more than one name.
    Content(u64, u64),
}

type Locks = Mutex<HashMap<Key, Weak<tokio::sync::Mutex<()>>>>;

static LOCKS: LazyLock<Locks> = LazyLock::new(Locks::default);

/// Waits until no other task of this process changes the file.
///
/// `real` is [`crate::Resolved::real`]: two names of one file must meet at the same lock. Names that
/// are hard links have different paths, so a file with several names is locked by its content too: it
/// is written in place and keeps its number. The lock is process-wide and not per session, so that two
/// agents that edit one file take turns.
pub async fn lock_path(real: &Path) -> PathGuard {
    let path = lock(Key::Path(real.to_owned())).await;
    // Always the path first, so that nobody waits for one who waits for him.
    let content = match real.symlink_metadata() {
        Ok(facts) if facts.is_file() && facts.nlink() > 1 => {
            Some(lock(Key::Content(facts.dev(), facts.ino())).await)
        }
        _ => None,
    };
    PathGuard {
        _path: path,
        _content: content,
    }
}

async fn lock(key: Key) -> OwnedMutexGuard<()> {
    let lock = {
        let mut locks = LOCKS.lock().unwrap_or_else(PoisonError::into_inner);
        match locks.get(&key).and_then(Weak::upgrade) {
            Some(lock) => lock,
            None => {
                locks.retain(|_, lock| lock.strong_count() > 0);
                let lock = Arc::new(tokio::sync::Mutex::new(()));
                locks.insert(key, Arc::downgrade(&lock));
                lock
            }
        }
    };
    lock.lock_owned().await
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn one_file_is_one_lock_and_others_do_not_wait() {
        let held = lock_path(Path::new("/lock-test/a")).await;
        let _other = lock_path(Path::new("/lock-test/b")).await;
        let waiting = tokio::spawn(async { lock_path(Path::new("/lock-test/a")).await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(held);
        waiting.await.unwrap();
    }

    #[tokio::test]
    async fn two_names_of_one_file_are_one_lock() {
        let folder = tempfile::tempdir().unwrap();
        let (one, two) = (folder.path().join("one"), folder.path().join("two"));
        std::fs::write(&one, "x").unwrap();
        std::fs::hard_link(&one, &two).unwrap();
        let held = lock_path(&one).await;
        let waiting = tokio::spawn(async move { lock_path(&two).await });
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        drop(held);
        waiting.await.unwrap();
    }
}
