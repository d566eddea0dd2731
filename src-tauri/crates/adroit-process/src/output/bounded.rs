//! Text of any length in bounded memory: its beginning, its end, and the whole
//! in a file once it no longer fits.

use std::fs::{self, File, OpenOptions};
use std::io::{self, BufWriter, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::{Path, PathBuf};

use super::OutputLimits;

/// Where the whole went.
#[derive(Debug)]
enum Overflow {
    /// All of it is still in memory.
    NotNeeded,
    Open {
        file: BufWriter<File>,
        path: PathBuf,
        written: u64,
    },
    /// The file reached its own limit: it holds the beginning only.
    Full { path: PathBuf },
    /// No folder was given, or writing failed.
    Unavailable { reason: String },
}

/// A sink for committed text.
#[derive(Debug)]
pub(crate) struct BoundedText {
    head: Vec<u8>,
    /// Up to twice the limit; only its end counts.
    tail: Vec<u8>,
    head_limit: usize,
    tail_limit: usize,
    file_limit: u64,
    folder: Option<PathBuf>,
    total: u64,
    overflow: Overflow,
}

/// What [`BoundedText::finish`] gives.
#[derive(Debug)]
pub(crate) struct Bounded {
    pub(crate) head: String,
    /// Empty when nothing was dropped.
    pub(crate) tail: String,
    pub(crate) dropped: u64,
    pub(crate) total: u64,
    pub(crate) file: Option<PathBuf>,
    /// The file holds only the beginning of the output.
    pub(crate) file_is_partial: bool,
    pub(crate) file_problem: Option<String>,
}

impl BoundedText {
    pub(crate) fn new(limits: OutputLimits, folder: Option<PathBuf>) -> Self {
        let head_limit = limits.memory_bytes / 2;
        Self {
            head: Vec::new(),
            tail: Vec::new(),
            head_limit,
            tail_limit: limits.memory_bytes - head_limit,
            file_limit: limits.file_bytes,
            folder,
            total: 0,
            overflow: Overflow::NotNeeded,
        }
    }

    pub(crate) fn push(&mut self, text: &str) {
        let bytes = text.as_bytes();
        if matches!(self.overflow, Overflow::NotNeeded)
            && self.total + bytes.len() as u64 > (self.head_limit + self.tail_limit) as u64
        {
            self.overflow = self.open();
        }
        self.append_to_file(bytes);
        self.total += bytes.len() as u64;

        let room = self.head_limit - self.head.len();
        let (first, rest) = bytes.split_at(room.min(bytes.len()));
        self.head.extend_from_slice(first);
        self.tail.extend_from_slice(rest);
        if self.tail.len() > 2 * self.tail_limit {
            // Seldom, so that a line costs one copy and no shifting.
            self.tail.drain(..self.tail.len() - self.tail_limit);
            self.tail.shrink_to(3 * self.tail_limit);
        }
    }

    /// The last bytes, at most as many as are to be kept.
    fn end(&self) -> &[u8] {
        &self.tail[self.tail.len().saturating_sub(self.tail_limit)..]
    }

    /// Bytes held in memory, for the test of the bound.
    #[cfg(test)]
    pub(crate) fn held(&self) -> usize {
        self.head.capacity() + self.tail.capacity()
    }

    /// Opens the file and writes what memory still holds whole.
    fn open(&self) -> Overflow {
        let Some(folder) = &self.folder else {
            return Overflow::Unavailable {
                reason: "no folder for long output is configured".to_owned(),
            };
        };
        let path = folder.join(format!("output-{}.txt", uuid::Uuid::new_v4().simple()));
        match create(folder, &path).and_then(|mut file| {
            file.write_all(&self.head)?;
            file.write_all(&self.tail)?;
            Ok(file)
        }) {
            Ok(file) => Overflow::Open {
                file,
                path,
                written: self.total,
            },
            Err(error) => Overflow::Unavailable {
                reason: format!("writing {} failed: {error}", path.display()),
            },
        }
    }

    fn append_to_file(&mut self, bytes: &[u8]) {
        let Overflow::Open {
            file,
            path,
            written,
        } = &mut self.overflow
        else {
            return;
        };
        let room = self.file_limit.saturating_sub(*written);
        let fits = usize::try_from(room).unwrap_or(usize::MAX).min(bytes.len());
        let cut = floor_boundary(bytes, fits);
        let full = cut < bytes.len();
        let result = file.write_all(&bytes[..cut]).and_then(|()| {
            *written += cut as u64;
            if full { file.flush() } else { Ok(()) }
        });
        if let Err(error) = result {
            let reason = format!("writing {} failed: {error}", path.display());
            self.overflow = Overflow::Unavailable { reason };
        } else if full {
            let path = std::mem::take(path);
            self.overflow = Overflow::Full { path };
        }
    }

    /// Bytes pushed so far.
    pub(crate) fn total(&self) -> u64 {
        self.total
    }

    /// Whether the file reached its limit.
    pub(crate) fn is_cut(&self) -> bool {
        matches!(self.overflow, Overflow::Full { .. })
    }

    /// Where the whole is now, whether it stops early, and why there is none.
    /// What was written so far can be read there afterwards.
    fn file(&mut self) -> (Option<PathBuf>, bool, Option<String>) {
        if let Overflow::Open { file, path, .. } = &mut self.overflow
            && let Err(error) = file.flush()
        {
            let reason = format!("writing {} failed: {error}", path.display());
            self.overflow = Overflow::Unavailable { reason };
        }
        match &self.overflow {
            Overflow::NotNeeded => (None, false, None),
            Overflow::Open { path, .. } => (Some(path.clone()), false, None),
            Overflow::Full { path } => (Some(path.clone()), true, None),
            Overflow::Unavailable { reason } => (None, false, Some(reason.clone())),
        }
    }

    /// What came after the first `from` bytes, as far as memory holds it.
    pub(crate) fn since(&mut self, from: u64) -> Bounded {
        let (file, file_is_partial, file_problem) = self.file();
        let head_end = self.head.len() as u64;
        let tail_start = self.total - self.tail.len() as u64;
        let first = self.head.get(index(from)..).unwrap_or_default();
        let after_head = from.max(head_end);
        let start = after_head.max(tail_start);
        let rest = self
            .tail
            .get(index(start - tail_start)..)
            .unwrap_or_default();
        let (head, tail) = if start == after_head {
            (into_text([first, rest].concat()), String::new())
        } else {
            (cut_end(first), cut_start(rest))
        };
        let total = self.total.saturating_sub(from);
        Bounded {
            dropped: total - ((head.len() + tail.len()) as u64).min(total),
            head,
            tail,
            total,
            file,
            file_is_partial,
            file_problem,
        }
    }

    /// All of it, as far as memory holds it. More may follow.
    pub(crate) fn finish(&mut self) -> Bounded {
        let (file, file_is_partial, file_problem) = self.file();
        if (self.head.len() + self.end().len()) as u64 == self.total {
            let mut whole = self.head.clone();
            whole.extend_from_slice(&self.tail);
            return Bounded {
                head: into_text(whole),
                tail: String::new(),
                dropped: 0,
                total: self.total,
                file,
                file_is_partial,
                file_problem,
            };
        }
        let head = cut_end(&self.head);
        let tail = cut_start(self.end());
        Bounded {
            dropped: self.total - (head.len() + tail.len()) as u64,
            head,
            tail,
            total: self.total,
            file,
            file_is_partial,
            file_problem,
        }
    }
}

/// An offset as an index: one beyond memory is beyond every slice.
fn index(offset: u64) -> usize {
    usize::try_from(offset).unwrap_or(usize::MAX)
}

/// Readable by the owner alone: output may hold what others must not see.
fn create(folder: &Path, path: &Path) -> io::Result<BufWriter<File>> {
    fs::create_dir_all(folder)?;
    let file = OpenOptions::new()
        .write(true)
        .create_new(true)
        .mode(0o600)
        .open(path)?;
    Ok(BufWriter::with_capacity(64 * 1024, file))
}

/// The largest character boundary of valid UTF-8 at or below `index`.
fn floor_boundary(bytes: &[u8], index: usize) -> usize {
    let mut at = index.min(bytes.len());
    while at > 0 && at < bytes.len() && bytes[at] & 0xC0 == 0x80 {
        at -= 1;
    }
    at
}

/// The valid beginning of `bytes`, ending after a line where one ends in the
/// last fifth, else after a character.
fn cut_end(bytes: &[u8]) -> String {
    let valid = match std::str::from_utf8(bytes) {
        Ok(text) => text,
        Err(error) => std::str::from_utf8(&bytes[..error.valid_up_to()]).unwrap_or_default(),
    };
    match valid.rfind('\n') {
        Some(line_end) if line_end + 1 >= valid.len() - valid.len() / 5 => {
            valid[..=line_end].to_owned()
        }
        _ => valid.to_owned(),
    }
}

/// The valid end of `bytes`, beginning at a line where one begins in the first
/// fifth, else at a character.
fn cut_start(bytes: &[u8]) -> String {
    let start = bytes
        .iter()
        .take(4)
        .position(|byte| byte & 0xC0 != 0x80)
        .unwrap_or(0);
    let valid = std::str::from_utf8(&bytes[start..]).unwrap_or_default();
    match valid.find('\n') {
        Some(line_end) if line_end < valid.len() / 5 => valid[line_end + 1..].to_owned(),
        _ => valid.to_owned(),
    }
}

/// Only text is ever pushed, so this never replaces anything.
fn into_text(bytes: Vec<u8>) -> String {
    String::from_utf8(bytes)
        .unwrap_or_else(|error| String::from_utf8_lossy(error.as_bytes()).into_owned())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn limits(memory_bytes: usize, file_bytes: u64) -> OutputLimits {
        OutputLimits {
            memory_bytes,
            file_bytes,
        }
    }

    #[test]
    fn a_three_byte_character_is_never_cut_at_any_limit() {
        for limit in 95..=105 {
            let mut text = BoundedText::new(limits(limit, 0), None);
            for _ in 0..34 {
                text.push("\u{2500}");
            }
            let result = text.finish();
            assert!(!result.head.contains('\u{FFFD}') && !result.tail.contains('\u{FFFD}'));
            assert_eq!(
                (result.head.len() + result.tail.len()) as u64 + result.dropped,
                34 * 3
            );
            assert_eq!(result.dropped == 0, limit >= 34 * 3, "limit {limit}");
        }
    }

    #[test]
    fn what_came_since_is_whole_or_says_how_much_is_missing() {
        let mut text = BoundedText::new(limits(100, 0), None);
        text.push("one\ntwo\n");
        let fresh = text.since(4);
        assert_eq!((fresh.head.as_str(), fresh.dropped), ("two\n", 0));
        assert_eq!(text.since(8).head, "");
        for _ in 0..100 {
            text.push("more ─ more\n");
        }
        let fresh = text.since(4);
        assert!(fresh.head.starts_with("two\nmore ─ more\n"));
        assert!(fresh.tail.ends_with("more ─ more\n"));
        assert_eq!(
            fresh.dropped + (fresh.head.len() + fresh.tail.len()) as u64,
            text.total() - 4
        );
        let fresh = text.since(text.total() - 28);
        assert_eq!((fresh.dropped, fresh.head.len()), (0, 28));
    }

    #[test]
    fn the_whole_is_in_the_file_from_its_first_byte() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut text = BoundedText::new(limits(100, 1 << 20), Some(folder.path().join("new")));
        let mut expected = String::new();
        for number in 0..1000 {
            let line = format!("line {number}\n");
            text.push(&line);
            expected.push_str(&line);
        }
        assert!(text.held() < 1000);
        let result = text.finish();
        assert!(result.head.ends_with('\n') && result.tail.starts_with("line "));
        let path = result.file.expect("a file");
        assert_eq!(fs::read_to_string(path).expect("text"), expected);
    }

    #[test]
    fn the_file_stops_at_its_limit_and_says_so() {
        let folder = tempfile::tempdir().expect("a folder");
        let mut text = BoundedText::new(limits(10, 100), Some(folder.path().into()));
        for _ in 0..1000 {
            text.push("äöü\n");
        }
        let result = text.finish();
        assert!(result.file_is_partial);
        let content = fs::read_to_string(result.file.expect("a file")).expect("valid text");
        assert!(content.len() <= 100 && content.len() > 95);
    }

    #[test]
    fn an_unwritable_folder_is_named() {
        let folder = tempfile::tempdir().expect("a folder");
        let blocked = folder.path().join("file");
        fs::write(&blocked, "").expect("a file");
        let mut text = BoundedText::new(limits(10, 100), Some(blocked));
        text.push(&"x".repeat(50));
        let result = text.finish();
        assert!(result.file_problem.expect("a problem").contains("failed"));
        assert_eq!(result.dropped, 40);
    }
}
