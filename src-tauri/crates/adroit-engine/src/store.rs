//! Results that are too long for the model: whole in a file, head and tail in the message.

use std::io::Write;
use std::path::{Path, PathBuf};
use std::sync::Arc;

use adroit_protocol::CallId;

/// Characters of the beginning that the model sees of a stored result.
const HEAD_CHARS: usize = 3_000;
/// Characters of the end that the model sees of a stored result.
const TAIL_CHARS: usize = 1_000;

/// Why a result could not be stored.
#[derive(Debug, thiserror::Error)]
#[error("the whole result of call {call} could not be written to {}: {source}", path.display())]
pub struct StoreError {
    /// The call.
    pub call: CallId,
    /// The file that could not be written.
    pub path: PathBuf,
    /// What the system says.
    pub source: std::io::Error,
}

/// A folder of the app's own data where long results are kept, one folder a session.
#[derive(Clone, Debug)]
pub struct ResultStore {
    directory: Arc<Path>,
}

impl ResultStore {
    /// A store in this folder, which is made when the first result needs it.
    #[must_use]
    pub fn new(directory: impl Into<Arc<Path>>) -> Self {
        Self {
            directory: directory.into(),
        }
    }

    /// The folder.
    #[must_use]
    pub fn directory(&self) -> &Arc<Path> {
        &self.directory
    }

    /// Writes the whole text, so that a reader sees all of it or no file.
    ///
    /// # Errors
    /// When the folder or the file cannot be written.
    pub fn store(&self, call: &CallId, text: &str) -> Result<PathBuf, StoreError> {
        let path = self.directory.join(file_name(call));
        self.write(&path, text).map_err(|source| StoreError {
            call: call.clone(),
            path: path.clone(),
            source,
        })?;
        Ok(path)
    }

    fn write(&self, path: &Path, text: &str) -> std::io::Result<()> {
        private_directory(&self.directory)?;
        let partial = path.with_extension("partial");
        let mut options = fs_err::OpenOptions::new();
        options.write(true).create_new(true);
        // A result may hold what only its owner may read.
        #[cfg(unix)]
        {
            use fs_err::os::unix::fs::OpenOptionsExt;
            options.mode(0o600);
        }
        let written = options.open(&partial).and_then(|mut file| {
            file.write_all(text.as_bytes())?;
            file.sync_data()
        });
        let moved = written.and_then(|()| fs_err::rename(&partial, path));
        if moved.is_err() {
            // A full disk must not stay full of a half result.
            let _ = fs_err::remove_file(&partial);
        }
        moved
    }

    /// [`ResultStore::store`] beside the runtime's threads.
    pub(crate) async fn store_in_background(
        &self,
        call: CallId,
        text: Arc<str>,
    ) -> Result<PathBuf, StoreError> {
        let store = self.clone();
        let path = self.directory.join(file_name(&call));
        let named = call.clone();
        match tokio::task::spawn_blocking(move || store.store(&call, &text)).await {
            Ok(stored) => stored,
            Err(error) => Err(StoreError {
                call: named,
                path,
                source: std::io::Error::other(error),
            }),
        }
    }
}

fn private_directory(directory: &Path) -> std::io::Result<()> {
    let mut builder = std::fs::DirBuilder::new();
    builder.recursive(true);
    #[cfg(unix)]
    {
        use std::os::unix::fs::DirBuilderExt;
        builder.mode(0o700);
    }
    builder.create(directory)
}

/// A name that only this result has. The call's id comes from a server, so nothing of
/// it but plain characters is used: `../` in it would leave the folder.
fn file_name(call: &CallId) -> String {
    let plain: String = call
        .as_str()
        .chars()
        .filter(|character| character.is_ascii_alphanumeric() || matches!(character, '-' | '_'))
        .take(64)
        .collect();
    let unique = CallId::generate();
    let unique = unique.as_str().trim_start_matches("call_");
    if plain.is_empty() {
        format!("{unique}.txt")
    } else {
        format!("{plain}-{unique}.txt")
    }
}

/// What the model sees of a stored result.
pub(crate) fn preview(text: &str, chars: usize, path: &Path) -> String {
    let (head, tail) = ends(text, HEAD_CHARS, TAIL_CHARS);
    format!(
        "The result is {chars} characters long, which is too long for a message. The whole of it is in {path}: \
         read parts of that file, or search it, as you need.\n\nIts beginning:\n{head}\n\n[… {left_out} characters \
         left out …]\n\nIts end:\n{tail}",
        path = path.display(),
        left_out = chars.saturating_sub(HEAD_CHARS + TAIL_CHARS),
    )
}

/// What the model sees where the whole could not be stored.
pub(crate) fn truncated(text: &str, chars: usize, limit: usize, problem: &StoreError) -> String {
    let head_chars = limit / 2;
    let tail_chars = limit - head_chars;
    let (head, tail) = ends(text, head_chars, tail_chars);
    format!(
        "{head}\n\n[… {left_out} of {chars} characters left out here, and lost: {problem} …]\n\n{tail}",
        left_out = chars.saturating_sub(limit),
    )
}

/// The first and the last characters of a text that is longer than both.
fn ends(text: &str, head: usize, tail: usize) -> (&str, &str) {
    let head_end = text
        .char_indices()
        .nth(head)
        .map_or(text.len(), |(at, _)| at);
    let tail_start = tail.checked_sub(1).map_or(text.len(), |nth| {
        text.char_indices().rev().nth(nth).map_or(0, |(at, _)| at)
    });
    (&text[..head_end], &text[tail_start.max(head_end)..])
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keeps_the_whole_text_in_one_private_file() {
        let folder = tempfile::tempdir().unwrap();
        let store = ResultStore::new(folder.path().join("deep/results"));
        let path = store.store(&CallId::from("toolu_01"), "whole").unwrap();
        assert_eq!(std::fs::read_to_string(&path).unwrap(), "whole");
        let names: Vec<_> = std::fs::read_dir(store.directory())
            .unwrap()
            .map(|entry| entry.unwrap().path())
            .collect();
        assert_eq!(names, std::slice::from_ref(&path), "no partial file stays");
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            assert_eq!(
                std::fs::metadata(&path).unwrap().permissions().mode() & 0o777,
                0o600
            );
        }
        let again = store.store(&CallId::from("toolu_01"), "another").unwrap();
        assert_ne!(path, again, "the same id twice overwrites nothing");
    }

    #[test]
    fn an_id_cannot_leave_the_folder() {
        let folder = tempfile::tempdir().unwrap();
        let store = ResultStore::new(folder.path());
        for id in ["../../etc/cron.d/x", "/absolute", "a\0b", "", "ä/ö"] {
            let path = store.store(&CallId::from(id), "x").unwrap();
            assert_eq!(path.parent().unwrap(), folder.path(), "{id}");
        }
    }

    #[test]
    fn says_which_file_could_not_be_written() {
        let folder = tempfile::tempdir().unwrap();
        let blocked = folder.path().join("file");
        std::fs::write(&blocked, "").unwrap();
        let error = ResultStore::new(blocked.join("results"))
            .store(&CallId::from("c"), "x")
            .unwrap_err();
        assert!(error.to_string().contains("results"), "{error}");
    }

    #[test]
    fn ends_do_not_cut_characters() {
        let text = "äöü".repeat(10);
        assert_eq!(ends(&text, 2, 2), ("äö", "öü"));
        assert_eq!(ends("ab", 5, 5), ("ab", ""));
        assert_eq!(ends("abc", 1, 0), ("a", ""));
    }

    #[test]
    fn the_fallback_has_both_ends_and_the_reason() {
        let problem = StoreError {
            call: CallId::from("c1"),
            path: PathBuf::from("/data/c1.txt"),
            source: std::io::Error::other("no space left"),
        };
        let text = format!("start{}end", "x".repeat(1_000));
        let shown = truncated(&text, 1_008, 20, &problem);
        insta::assert_snapshot!(shown, @r"
        startxxxxx

        [… 988 of 1008 characters left out here, and lost: the whole result of call c1 could not be written to /data/c1.txt: no space left …]

        xxxxxxxend
        ");
    }
}
