//! What was read of files before: a look reads only what the system says is another file since.
//!
//! Kept on the disk beside the contents, so that the first look of the next run of the app is one
//! of these too. It is a cache: whatever is wrong with it, files are read again.

use std::collections::{HashMap, HashSet};
use std::io::Write as _;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::image::{Hash, Image, Stamp};
use crate::listing;
use crate::objects::Objects;

/// Files read anew in one look from which on what is known is written down again.
const WORTH_WRITING: usize = 500;

/// Images of files by their path, each with what the system said of it then.
pub(crate) type Images = HashMap<PathBuf, (Stamp, Image)>;

/// What was read before.
#[derive(Debug)]
pub(crate) struct Known {
    file: PathBuf,
    state: Mutex<State>,
}

#[derive(Debug, Default)]
struct State {
    images: Images,
    /// What is on the disk was taken in.
    loaded: bool,
}

impl Known {
    /// What is known in this file, and nothing where there is none.
    pub(crate) fn at(file: PathBuf) -> Self {
        Self {
            file,
            state: Mutex::default(),
        }
    }

    /// Takes what is known out, for one look. Two looks at once both stay correct: what is missing
    /// is read again.
    pub(crate) fn take(&self, objects: &Objects) -> Images {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if !std::mem::replace(&mut state.loaded, true) {
            state.images = read(&self.file, objects).unwrap_or_default();
        }
        std::mem::take(&mut state.images)
    }

    /// Puts back what is known after a look that read so many files.
    pub(crate) fn put(&self, images: Images, read: usize) {
        if read >= WORTH_WRITING
            && let Err(error) = write(&self.file, &images)
        {
            tracing::warn!(%error, "what is known of files was not written down");
        }
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.images.is_empty() {
            state.images = images;
        } else {
            state.images.extend(images);
        }
    }

    /// Contents that the next look would not read again.
    pub(crate) fn hashes(&self) -> HashSet<Hash> {
        self.state
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .images
            .values()
            .filter_map(|(_, image)| image.hash())
            .collect()
    }

    /// Nothing is known any more: contents were let go.
    pub(crate) fn forget(&self) {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        state.images.clear();
        state.loaded = true;
        let _ = std::fs::remove_file(&self.file);
    }
}

/// Of a content that was let go since nothing is known.
fn read(file: &Path, objects: &Objects) -> Option<Images> {
    let bytes = std::fs::read(file).ok()?;
    let mut images = listing::decode_stamped(&bytes)?;
    images.retain(|_, (_, image)| image.hash().is_none_or(|hash| objects.contains(hash)));
    Some(images)
}

fn write(file: &Path, images: &Images) -> std::io::Result<()> {
    let mut sorted: Vec<_> = images.iter().collect();
    sorted.sort_by_key(|(path, _)| path.as_path());
    let folder = file.parent().unwrap_or(file);
    let mut new = tempfile::NamedTempFile::new_in(folder)?;
    new.write_all(&listing::encode_stamped(sorted))?;
    new.persist(file).map_err(|error| error.error)?;
    Ok(())
}
