//! One lock per file, for the whole process.

use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError, Weak};

use tokio::sync::OwnedMutexGuard;

/// Held while a file is read, changed and written back.
#[derive(Debug)]
pub struct PathGuard {
    _guard: OwnedMutexGuard<()>,
}

type Locks = Mutex<HashMap<PathBuf, Weak<tokio::sync::Mutex<()>>>>;

static LOCKS: LazyLock<Locks> = LazyLock::new(Locks::default);

/// Waits until no other task of this process changes the file.
///
/// `real` is [`crate::Resolved::real`]: two names of one file must meet at the same lock. The lock is
/// process-wide and not per session, so that two agents that edit one file take turns.
pub async fn lock_path(real: &Path) -> PathGuard {
    let lock = {
        let mut locks = LOCKS.lock().unwrap_or_else(PoisonError::into_inner);
        match locks.get(real).and_then(Weak::upgrade) {
            Some(lock) => lock,
            None => {
                locks.retain(|_, lock| lock.strong_count() > 0);
                let lock = Arc::new(tokio::sync::Mutex::new(()));
                locks.insert(real.to_owned(), Arc::downgrade(&lock));
                lock
            }
        }
    };
    PathGuard {
        _guard: lock.lock_owned().await,
    }
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
}
