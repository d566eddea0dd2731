//! What a call replaces, kept at the very moment at which it does.
//!
//! The image that is taken when a call begins may be another one by the time that it writes: it waited for
//! another agent's edit, or another program was at work. So a tool that writes a file itself asks here
//! once more while it holds the file, and says what it wrote. What an undo brings back is then exactly what
//! was replaced, and what others wrote before or after is theirs.

use std::path::Path;

use crate::History;
use crate::history::Open;
use crate::image::{Content, Hash, Image, capture};
use crate::journal::{Before, FileStep, Record};
use crate::objects::Durability;
use crate::store::StoreError;

/// Why a file may not be replaced.
#[derive(Debug, thiserror::Error)]
pub enum NotReplaced {
    /// Something else stands there than the call saw.
    #[error("it was changed by someone else at the last moment")]
    Changed,
    /// What stands there could not be kept.
    #[error(transparent)]
    Store(#[from] StoreError),
}

impl History {
    /// The file at `real` is about to be replaced, as a part of this step; `content` is what stands there by
    /// the call's own look, nothing where nothing does. Hold [`adroit_workspace::lock_path`] of it.
    ///
    /// # Errors
    /// Something else stands there, or it could not be kept. It must not be replaced then.
    pub fn replacing(
        &self,
        open: &mut Open,
        real: &Path,
        content: Option<Hash>,
    ) -> Result<(), NotReplaced> {
        let present = self.with_room(|| {
            let _using = self.store.using();
            self.images_before(&[real.to_path_buf()])
        })?;
        let found = present.iter().find(|before| before.path == real);
        if found.is_some_and(|before| is_other(&before.image, content)) {
            return Err(NotReplaced::Changed);
        }
        for before in present {
            let known = open
                .before
                .iter()
                .position(|known| known.path == before.path);
            if known.is_some_and(|at| open.before.get(at) == Some(&before)) {
                continue;
            }
            self.write(&Record::Replacing {
                step: open.step,
                before: before.clone(),
            })?;
            match known.and_then(|at| open.before.get_mut(at)) {
                Some(known) => *known = before,
                None => open.before.push(before),
            }
        }
        Ok(())
    }

    /// It was replaced by these bytes. Where they cannot be kept, what stands there at the end of the step
    /// is taken for them.
    pub fn replaced(&self, open: &mut Open, real: &Path, bytes: &[u8]) {
        let limit = self.store.limits.file_bytes;
        if bytes.len() as u64 > limit {
            return;
        }
        let kept = self.with_room(|| {
            let _using = self.store.using();
            Ok(self.store.objects.put(bytes, Durability::Disk)?)
        });
        let hash = match kept {
            Ok(hash) => hash,
            Err(error) => {
                tracing::warn!(%error, "what was written is looked at when the call ends");
                return;
            }
        };
        let present = capture(real, limit).0;
        let image = if present.hash() == Some(hash) {
            present
        } else {
            // Somebody else was there already: that is not this call's.
            let before = open.before.iter().find(|before| before.path == real);
            let mode = before.and_then(|before| before.image.mode());
            Image::File {
                content: Content::Kept(hash),
                mode: present.mode().or(mode).unwrap_or(0o644),
                size: bytes.len() as u64,
                attributes: present.attributes().cloned().unwrap_or_default(),
            }
        };
        self.store
            .changed_by_another([(&real.to_path_buf(), &image)], open.watching());
        open.written.insert(real.to_path_buf(), image);
    }
}

/// What the call itself wrote is what it changed, whatever stands there by now.
pub(crate) fn as_written(open: &Open, files: &mut Vec<FileStep>) {
    for (path, after) in &open.written {
        let before = open.before.iter().find(|before| before.path == *path);
        let known = files.iter_mut().find(|file| file.path == *path);
        match (known, before) {
            (Some(file), before) => {
                file.after = after.clone();
                if let Some(before) = before {
                    file.before = before.image.clone();
                }
            }
            (None, Some(Before { image, .. })) if image != after => {
                files.push(FileStep::new(path.clone(), image.clone(), after.clone()));
            }
            (None, _) => {}
        }
    }
    files.sort_by(|one, other| one.path.cmp(&other.path));
}

/// Of a file that is too large to be kept nothing can be compared.
fn is_other(image: &Image, content: Option<Hash>) -> bool {
    match (image, content) {
        (Image::Absent, None) => false,
        (
            Image::File {
                content: Content::Kept(present),
                ..
            },
            Some(seen),
        ) => *present != seen,
        (
            Image::File {
                content: Content::NotKept { .. },
                ..
            },
            Some(_),
        ) => false,
        _ => true,
    }
}
