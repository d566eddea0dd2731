//! Doing what a plan says, so that a crash in the middle loses nothing.

use std::collections::BTreeMap;
use std::io::Write as _;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};

use adroit_workspace::{ContentHash, Expected, WriteOptions, write_atomic_with_mode};

use crate::History;
use crate::attributes::Attributes;
use crate::fault::Point;
use crate::image::{Content, Image, capture};
use crate::journal::{FileStep, Origin, Step, Watched};
use crate::links::{become_name_of, foreign, shares};
use crate::objects::Durability;
use crate::plan::{Plan, PlannedFile, Target, Verdict, link_on_the_way};
use crate::store::StoreError;

/// What is done with a file that somebody changed since.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Choice {
    /// It stays as it is.
    #[default]
    Keep,
    /// It becomes what it was; the later change is given up. It is kept, and the undo can be undone.
    Overwrite,
    /// Both are written into it, marked.
    Mark,
}

/// What an undo did.
#[derive(Clone, Debug, PartialEq)]
pub struct Applied {
    /// The step that it is; it can itself be taken back.
    pub step: Step,
    /// Each file.
    pub files: Vec<FileOutcome>,
}

/// What became of one file.
#[derive(Clone, Debug, PartialEq)]
pub struct FileOutcome {
    /// Which.
    pub path: PathBuf,
    /// What.
    pub outcome: Outcome,
}

/// What became of a file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Outcome {
    /// It was as it was.
    Unchanged,
    /// It is what it was before.
    Restored,
    /// Its content is what it was before, and something beside it is not; in a sentence.
    RestoredBut(String),
    /// It was left as it is; why.
    Left(String),
}

/// One change that is to be made.
struct Job<'p> {
    file: &'p PlannedFile,
    to: &'p Target,
}

impl History {
    /// Does what the plan says. `choices` are for files of which the plan says that somebody
    /// changed them since. Hold [`adroit_workspace::lock_path`] of every file meanwhile.
    ///
    /// # Errors
    /// What stands there now could not be kept; nothing was changed then. A file that cannot be
    /// written is told in its outcome.
    pub fn apply(
        &self,
        plan: &Plan,
        choices: &BTreeMap<PathBuf, Choice>,
        how: Undoing,
    ) -> Result<Applied, StoreError> {
        let mut outcomes = BTreeMap::new();
        let mut jobs = Vec::new();
        for file in &plan.files {
            match decide(file, choices.get(&file.path).copied().unwrap_or_default()) {
                Ok(Some(to)) => jobs.push(Job { file, to }),
                Ok(None) => {
                    outcomes.insert(file.path.clone(), Outcome::Unchanged);
                }
                Err(why) => {
                    outcomes.insert(file.path.clone(), Outcome::Left(why));
                }
            }
        }
        let whole = plan.whole
            && !outcomes
                .values()
                .any(|left| matches!(left, Outcome::Left(_)));
        let step = self.with_room(|| self.keep_both(plan, &jobs, whole, &how))?;
        let changing = self.store.changing();
        let done = self.perform(jobs, &mut outcomes);
        self.store
            .changed_by_another(done.iter().map(|file| (&file.path, &file.after)), None);
        drop(changing);
        self.store.faults.pass(Point::Changed);
        let whole = plan.whole
            && !outcomes
                .values()
                .any(|left| matches!(left, Outcome::Left(_)));
        let origin = how.origin(plan.steps.clone(), whole);
        let step = self.end_step(step, done, Vec::new(), Some(origin))?;
        let files = outcomes
            .into_iter()
            .map(|(path, outcome)| FileOutcome { path, outcome })
            .collect();
        Ok(Applied { step, files })
    }

    /// Keeps what stands there and what shall, and notes what is about to be done.
    fn keep_both(
        &self,
        plan: &Plan,
        jobs: &[Job<'_>],
        whole: bool,
        how: &Undoing,
    ) -> Result<u64, StoreError> {
        let _using = self.store.using();
        let mut files = Vec::new();
        for Job { file, to } in jobs {
            for bytes in [&file.now_bytes, &to.bytes].into_iter().flatten() {
                self.store.objects.put(bytes, Durability::Disk)?;
            }
            files.push(step_of(file, to));
        }
        self.store.faults.pass(Point::ContentsKept);
        self.begin_step(
            how.at,
            how.origin(plan.steps.clone(), whole),
            how.turn,
            &how.title,
            Watched::Restored { files },
            Vec::new(),
        )
    }

    /// Files go first and folders last where something is taken away; the other way round where it
    /// comes back.
    fn perform(
        &self,
        mut jobs: Vec<Job<'_>>,
        outcomes: &mut BTreeMap<PathBuf, Outcome>,
    ) -> Vec<FileStep> {
        jobs.sort_by_key(|job| {
            let depth = job.file.path.components().count();
            match &job.to.image {
                Image::Directory { .. } => (1, depth),
                Image::Absent if job.file.now.is_directory() => (3, usize::MAX - depth),
                Image::Absent => (0, depth),
                _ => (2, depth),
            }
        });
        let mut done = Vec::new();
        for Job { file, to } in jobs {
            let outcome = match put_back(file, to) {
                Ok(failed) => {
                    done.push(step_of(file, to));
                    if failed.is_empty() {
                        Outcome::Restored
                    } else {
                        Outcome::RestoredBut(format!(
                            "Its extended attributes could not all be set: {}.",
                            failed.join(", ")
                        ))
                    }
                }
                Err(why) => Outcome::Left(why),
            };
            outcomes.insert(file.path.clone(), outcome);
            self.store.faults.pass(Point::FileWritten);
        }
        done
    }
}

/// Who undoes, and when.
#[derive(Clone, Debug)]
pub struct Undoing {
    /// The moment, milliseconds since 1970.
    pub at: u64,
    /// In which turn, from 1.
    pub turn: u32,
    /// In a few words.
    pub title: String,
    /// Whether what is taken back is itself an undo.
    pub redo: bool,
}

impl Undoing {
    fn origin(&self, steps: Vec<u64>, whole: bool) -> Origin {
        if self.redo {
            Origin::Redo { steps, whole }
        } else {
            Origin::Undo { steps, whole }
        }
    }
}

/// What a file becomes; nothing where it stays; a reason where it is left.
fn decide(file: &PlannedFile, choice: Choice) -> Result<Option<&Target>, String> {
    match (&file.verdict, choice) {
        (Verdict::Nothing, _) => Ok(None),
        (Verdict::Restore { to } | Verdict::Merge { to }, _) => Ok(Some(to)),
        (Verdict::Conflict { to, .. }, Choice::Overwrite) => Ok(Some(to)),
        (
            Verdict::Conflict {
                marked: Some(marked),
                ..
            },
            Choice::Mark,
        ) => Ok(Some(marked)),
        (Verdict::Conflict { .. }, _) => {
            Err("It was changed since, so it was left as it is.".to_owned())
        }
        (Verdict::Impossible { why }, _) => Err(why.clone()),
    }
}

/// The change of a file that is put back, as one that can itself be taken back.
fn step_of(file: &PlannedFile, to: &Target) -> FileStep {
    FileStep {
        names_before: file.names.clone(),
        names_after: to.names.clone(),
        ..FileStep::new(file.path.clone(), file.now.clone(), to.image.clone())
    }
}

/// Makes one file what it shall be, if it is still what the plan saw; names what of its attributes
/// could not be set.
fn put_back(file: &PlannedFile, to: &Target) -> Result<Vec<String>, String> {
    let path = file.path.as_path();
    if link_on_the_way(path).is_some() {
        return Err("A folder on the way to it became a link at this very moment.".to_owned());
    }
    if must_be(file, to)? == Present::AsItShallBe {
        return Ok(Vec::new());
    }
    match (&file.now, &to.image) {
        (Image::Directory { .. }, Image::Directory { mode, .. }) => set_mode(path, *mode)?,
        (Image::Absent, Image::Directory { mode, .. }) => {
            std::fs::create_dir_all(path).map_err(failed)?;
            set_mode(path, *mode)?;
        }
        (Image::Directory { .. }, Image::Absent) => remove_folder(path)?,
        (_, Image::Absent) => std::fs::remove_file(path).map_err(failed)?,
        (Image::Directory { .. }, _) => {
            remove_folder(path)?;
            create(file, to)?;
        }
        (_, Image::Directory { mode, .. }) => {
            std::fs::remove_file(path).map_err(failed)?;
            std::fs::create_dir(path).map_err(failed)?;
            set_mode(path, *mode)?;
        }
        _ => create(file, to)?,
    }
    let attributes = to.image.attributes();
    Ok(attributes.map_or_else(Vec::new, |attributes| set_attributes(path, to, attributes)))
}

/// Bits that take the right to write away take the right to set attributes away too.
fn set_attributes(path: &Path, to: &Target, attributes: &Attributes) -> Vec<String> {
    let failed = attributes.set(path);
    let Some(mode) = to.image.mode() else {
        return failed;
    };
    if failed.is_empty() || mode & 0o200 != 0 || set_mode(path, mode | 0o200).is_err() {
        return failed;
    }
    let failed = attributes.set(path);
    let _ = set_mode(path, mode);
    failed
}

fn create(file: &PlannedFile, to: &Target) -> Result<(), String> {
    let path = file.path.as_path();
    match &to.image {
        Image::Link { target } => replace_by_link(path, target),
        Image::File { mode, .. } => {
            let bytes = to
                .bytes
                .as_deref()
                .ok_or("What it was is no longer kept.")?;
            if become_name_of(path, to)? {
                Ok(())
            } else if shares(path, foreign(&file.names, to)) {
                replace(path, bytes, *mode)
            } else {
                write(file, bytes, *mode)
            }
        }
        Image::Special => Err("It is no file, folder or link.".to_owned()),
        Image::Absent | Image::Directory { .. } => Ok(()),
    }
}

fn write(file: &PlannedFile, bytes: &[u8], mode: u32) -> Result<(), String> {
    let path = file.path.as_path();
    let expected = match (&file.now, &file.now_bytes) {
        (Image::File { mode: present, .. }, Some(now)) => {
            if now == bytes {
                return set_mode(path, mode);
            }
            // A call may have taken the right to write away; giving it back is part of the undo.
            if present & 0o200 == 0 {
                set_mode(path, present | 0o200)?;
            }
            Expected::Content(ContentHash::of(now))
        }
        (Image::Link { .. }, _) => {
            std::fs::remove_file(path).map_err(failed)?;
            Expected::Absent
        }
        _ => Expected::Absent,
    };
    let options = WriteOptions {
        expected,
        create_parents: true,
    };
    write_atomic_with_mode(path, bytes, options, mode)
        .map_err(|error| sentence(&error.to_string()))?;
    Ok(())
}

/// A file of its own takes the place of a name of another: writing over that would change both.
fn replace(path: &Path, bytes: &[u8], mode: u32) -> Result<(), String> {
    let parent = path.parent().unwrap_or(path);
    let mut file = tempfile::Builder::new()
        .prefix(".adroit-")
        .tempfile_in(parent)
        .map_err(failed)?;
    file.write_all(bytes).map_err(failed)?;
    set_mode(file.path(), mode)?;
    file.as_file().sync_all().map_err(failed)?;
    file.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

/// What stands there, where it is something that may be gone on with.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Present {
    /// What the plan saw.
    AsItWas,
    /// What it shall be: another name of the same file was put back before.
    AsItShallBe,
}

/// Refuses where somebody was quicker. The write checks once more at its own last moment.
fn must_be(file: &PlannedFile, to: &Target) -> Result<Present, String> {
    let size = |image: &Image| match image {
        Image::File { size, .. } => *size,
        _ => 0,
    };
    let limit = size(&file.now).max(size(&to.image));
    let present = match &file.now {
        // Nothing is known of its content, so nothing can be compared.
        Image::File {
            content: Content::NotKept { .. },
            ..
        } => {
            return Err(
                "What stands there is too large to be kept, so it is not replaced.".to_owned(),
            );
        }
        _ => capture(&file.path, limit).0,
    };
    if present == file.now {
        Ok(Present::AsItWas)
    } else if present == to.image {
        Ok(Present::AsItShallBe)
    } else {
        Err("It was changed by somebody else at this very moment.".to_owned())
    }
}

fn remove_folder(path: &Path) -> Result<(), String> {
    match std::fs::remove_dir(path) {
        Err(error) if error.kind() == std::io::ErrorKind::DirectoryNotEmpty => {
            Err("The folder holds something else by now, so it stays.".to_owned())
        }
        other => other.map_err(failed),
    }
}

/// A link takes the place of what stands there in one step.
fn replace_by_link(path: &Path, target: &Path) -> Result<(), String> {
    let parent = path.parent().unwrap_or(path);
    std::fs::create_dir_all(parent).map_err(failed)?;
    let made = tempfile::Builder::new()
        .prefix(".adroit-")
        .make_in(parent, |place| std::os::unix::fs::symlink(target, place))
        .map_err(failed)?;
    made.persist(path).map_err(|error| failed(error.error))?;
    Ok(())
}

fn set_mode(path: &Path, mode: u32) -> Result<(), String> {
    std::fs::set_permissions(path, std::fs::Permissions::from_mode(mode)).map_err(failed)
}

fn failed(error: std::io::Error) -> String {
    sentence(&error.to_string())
}

fn sentence(text: &str) -> String {
    adroit_protocol::error::sentence(text)
}
