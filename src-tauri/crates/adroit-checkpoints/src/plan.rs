//! What an undo would do, worked out before anything is done.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use crate::History;
use crate::attributes::Attributes;
use crate::hunks::{HunkRange, without_hunks};
use crate::image::{Content, Hash, Image, capture};
use crate::journal::{FileStep, Names, Step, StepState};
use crate::links::names_differ;
use crate::merge::{Merged, merge};

/// Which files, and of each which places; all where nothing is said.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Selection {
    /// The files, each with its places; no places mean the whole file. Nothing: every file.
    pub files: Option<BTreeMap<PathBuf, Vec<HunkRange>>>,
}

impl Selection {
    /// Every file, whole.
    #[must_use]
    pub fn everything() -> Self {
        Self::default()
    }

    fn hunks(&self, path: &Path) -> Option<&[HunkRange]> {
        const WHOLE: &[HunkRange] = &[];
        match &self.files {
            None => Some(WHOLE),
            Some(files) => files.get(path).map(Vec::as_slice),
        }
    }
}

/// What an undo would do.
#[derive(Clone, Debug, PartialEq)]
pub struct Plan {
    /// The steps that are taken back.
    pub steps: Vec<u64>,
    /// Each file of them.
    pub files: Vec<PlannedFile>,
    /// What is not covered by the steps, in sentences.
    pub notes: Vec<String>,
    /// Whether the steps are taken back as a whole.
    pub whole: bool,
    /// Names this very plan: another state of the disk gives another.
    pub fingerprint: String,
}

/// What an undo would do to one file.
#[derive(Clone, Debug, PartialEq)]
pub struct PlannedFile {
    /// Absolute, links resolved.
    pub path: PathBuf,
    /// What stands there now.
    pub now: Image,
    /// Its bytes, where it is a file that may be kept.
    pub now_bytes: Option<Vec<u8>>,
    /// Other names of the same file that the changes left it.
    pub names: Names,
    /// What would become of it.
    pub verdict: Verdict,
    /// What beside the content could not be put back, as far as that is known beforehand; in a sentence.
    pub caveat: Option<String>,
}

/// What an undo would do to one file, and whether it may.
#[derive(Clone, Debug, PartialEq)]
pub enum Verdict {
    /// It is as it was already.
    Nothing,
    /// It becomes what it was; nobody changed it since.
    Restore {
        /// What it becomes.
        to: Target,
    },
    /// Somebody changed it since, elsewhere: both changes fit together.
    Merge {
        /// What it becomes.
        to: Target,
    },
    /// Somebody changed it since at the same place. Left as it is unless something else is chosen.
    Conflict {
        /// What it becomes where the later change is given up.
        to: Target,
        /// What it becomes with the places marked, where it has lines.
        marked: Option<Target>,
    },
    /// It cannot be restored.
    Impossible {
        /// Why, in a sentence.
        why: String,
    },
}

/// What a file becomes.
#[derive(Clone, Debug, PartialEq)]
pub struct Target {
    /// The image.
    pub image: Image,
    /// Its bytes, where it is a file.
    pub bytes: Option<Vec<u8>>,
    /// Other names of the same file that it had.
    pub names: Names,
}

impl Target {
    fn file(bytes: Vec<u8>, mode: u32, attributes: Attributes) -> Self {
        let image = Image::File {
            content: Content::Kept(Hash::of(&bytes)),
            mode,
            size: bytes.len() as u64,
            attributes,
        };
        Self {
            image,
            bytes: Some(bytes),
            names: Names::default(),
        }
    }
}

/// Each file with its changes, oldest first.
type Chains = BTreeMap<PathBuf, Vec<FileStep>>;

impl History {
    /// Works out what taking back these steps would do. Nothing is changed.
    #[must_use]
    pub fn plan(&self, steps: &[u64], selection: &Selection) -> Plan {
        let taken: Vec<Step> = {
            let told = self.told();
            steps
                .iter()
                .filter_map(|step| told.steps.get(step).cloned())
                .collect()
        };
        let mut chains = Chains::new();
        let mut notes = Vec::new();
        for step in &taken {
            notes.extend(step.notes.iter().cloned());
            match step.state {
                StepState::Done => {}
                StepState::Open => notes.push(format!(
                    "\"{}\" still runs and is left as it is.",
                    step.title
                )),
                StepState::Forgotten => notes.push(format!(
                    "\"{}\" lies too far back: what its files were is no longer kept.",
                    step.title
                )),
            }
            if step.state != StepState::Done {
                continue;
            }
            for file in &step.files {
                chains
                    .entry(file.path.clone())
                    .or_default()
                    .push(file.clone());
            }
        }
        notes.dedup();
        let whole = selection.files.is_none()
            && taken.iter().all(|step| step.state == StepState::Done)
            && !taken.is_empty();
        self.plan_chains(steps, chains, selection, notes, whole)
    }

    /// Works out what it would do to make each file what it was before, whoever changed it.
    #[must_use]
    pub fn plan_files(&self, files: Vec<FileStep>, selection: &Selection) -> Plan {
        let chains = files
            .into_iter()
            .map(|file| (file.path.clone(), vec![file]))
            .collect();
        self.plan_chains(&[], chains, selection, Vec::new(), false)
    }

    fn plan_chains(
        &self,
        steps: &[u64],
        chains: Chains,
        selection: &Selection,
        notes: Vec<String>,
        whole: bool,
    ) -> Plan {
        let files: Vec<PlannedFile> = chains
            .into_iter()
            .filter_map(|(path, chain)| {
                let hunks = selection.hunks(&path)?;
                Some(self.plan_file(path, chain, hunks))
            })
            .collect();
        let fingerprint = fingerprint(steps, &files);
        Plan {
            steps: steps.to_vec(),
            files,
            notes,
            whole,
            fingerprint,
        }
    }

    fn plan_file(
        &self,
        path: PathBuf,
        mut chain: Vec<FileStep>,
        hunks: &[HunkRange],
    ) -> PlannedFile {
        let (now, now_bytes) = capture(&path, self.store.limits.file_bytes);
        let mut planned = PlannedFile {
            path,
            now,
            now_bytes,
            names: chain
                .last()
                .map(|step| step.names_after.clone())
                .unwrap_or_default(),
            verdict: Verdict::Nothing,
            caveat: None,
        };
        if let Some(link) = link_on_the_way(&planned.path) {
            planned.verdict = Verdict::Impossible {
                why: format!(
                    "{} is a link by now: what it leads to is not this file.",
                    self.show(&link)
                ),
            };
            return planned;
        }
        let mut replaced = None;
        if !hunks.is_empty() {
            match self.partly(&chain, hunks) {
                Ok((step, bytes)) => {
                    chain = vec![step];
                    replaced = Some(bytes);
                }
                Err(why) => {
                    planned.verdict = Verdict::Impossible { why };
                    return planned;
                }
            }
        }
        planned.verdict = Folding {
            history: self,
            replaced,
        }
        .back(&planned.now, planned.now_bytes.as_deref(), &chain);
        if planned.verdict == Verdict::Nothing
            && let Some(to) = self.relinked(&planned, &chain)
        {
            planned.verdict = Verdict::Restore { to };
        }
        planned.caveat = caveat(&planned);
        planned
    }

    /// What a file becomes that is as it was, but for the names that it shares its content with.
    fn relinked(&self, file: &PlannedFile, chain: &[FileStep]) -> Option<Target> {
        let first = chain.first()?;
        if first.before != file.now || (first.names_before.is_empty() && file.names.is_empty()) {
            return None;
        }
        let to = Target {
            image: file.now.clone(),
            bytes: file.now_bytes.clone(),
            names: first.names_before.clone(),
        };
        names_differ(&file.path, &file.names, &to).then_some(to)
    }

    /// The change with only some of its places taken back, as one change.
    fn partly(
        &self,
        chain: &[FileStep],
        hunks: &[HunkRange],
    ) -> Result<(FileStep, Vec<u8>), String> {
        const WHOLE_ONLY: &str =
            "Single places of this file cannot be restored; restore all of it.";
        let (Some(FileStep { path, before, .. }), Some(FileStep { after, .. })) =
            (chain.first(), chain.last())
        else {
            return Err(WHOLE_ONLY.to_owned());
        };
        let bytes = |image: &Image| match image {
            Image::Absent => Some(Vec::new()),
            image => self.store.content(image).ok().flatten(),
        };
        let mixed = bytes(before)
            .zip(bytes(after))
            .and_then(|(old, new)| without_hunks(&old, &new, hunks))
            .ok_or(WHOLE_ONLY)?;
        let mode = after.mode().or(before.mode()).unwrap_or(0o644);
        let attributes = after.attributes().or(before.attributes());
        let target = Target::file(mixed, mode, attributes.cloned().unwrap_or_default());
        let bytes = target.bytes.unwrap_or_default();
        let step = FileStep::new(path.clone(), target.image, after.clone());
        Ok((step, bytes))
    }
}

/// Goes back through the changes of one file, the newest first.
struct Folding<'h> {
    history: &'h History,
    /// The content of a state that no step had: places were chosen.
    replaced: Option<Vec<u8>>,
}

/// How far back one has come.
#[derive(Clone)]
struct At {
    image: Image,
    bytes: Option<Vec<u8>>,
    names: Names,
    merged: bool,
}

impl At {
    fn become_target(&self, target: Target) -> Self {
        Self {
            image: target.image,
            bytes: target.bytes,
            names: target.names,
            merged: self.merged,
        }
    }
}

impl Folding<'_> {
    fn back(&self, now: &Image, now_bytes: Option<&[u8]>, chain: &[FileStep]) -> Verdict {
        let mut at = At {
            image: now.clone(),
            bytes: now_bytes.map(<[u8]>::to_vec),
            names: Names::default(),
            merged: false,
        };
        for (index, step) in chain.iter().enumerate().rev() {
            match self.one(&at, step) {
                Ok(next) => at = next,
                Err(Hindrance::Lost(why)) => return Verdict::Impossible { why },
                Err(Hindrance::Conflict(marked)) => {
                    return match self.target(chain.first().unwrap_or(step)) {
                        Ok(to) => Verdict::Conflict {
                            to,
                            // Marks of a place in the middle would be marked again by the next.
                            marked: marked.filter(|_| index == 0),
                        },
                        Err(why) => Verdict::Impossible { why },
                    };
                }
            }
        }
        if at.image == *now {
            return Verdict::Nothing;
        }
        let to = Target {
            image: at.image,
            bytes: at.bytes,
            names: at.names,
        };
        if at.merged {
            Verdict::Merge { to }
        } else {
            Verdict::Restore { to }
        }
    }

    fn one(&self, at: &At, step: &FileStep) -> Result<At, Hindrance> {
        let (before, after) = (&step.before, &step.after);
        if at.image == *after {
            let target = self.target(step).map_err(Hindrance::Lost)?;
            return Ok(at.become_target(target));
        }
        if at.image == *before {
            return Ok(at.clone());
        }
        // A folder that still holds something of others, or has other bits: it stays.
        if at.image.is_directory() && after.is_directory() && !before.is_directory() {
            let target = self.target(step).map_err(Hindrance::Lost)?;
            return Ok(at.become_target(target));
        }
        self.merged(at, step)
    }

    fn merged(&self, at: &At, step: &FileStep) -> Result<At, Hindrance> {
        let (before, after) = (&step.before, &step.after);
        let target = self.target(step).map_err(Hindrance::Lost)?;
        let (old, names) = (target.bytes, target.names);
        let new = self.bytes(after);
        let (Some(old), Some(new), Some(present)) = (old, new, at.bytes.as_ref()) else {
            return Err(Hindrance::Conflict(None));
        };
        let mode = merged_value(at.image.mode(), before.mode(), after.mode()).unwrap_or(0o644);
        let attributes = merged_value(
            at.image.attributes(),
            before.attributes(),
            after.attributes(),
        )
        .cloned()
        .unwrap_or_default();
        match merge(&new, present, &old) {
            Merged::Clean(bytes) => {
                let target = Target {
                    names,
                    ..Target::file(bytes, mode, attributes)
                };
                Ok(At {
                    merged: true,
                    ..at.become_target(target)
                })
            }
            Merged::Conflict { marked } => Err(Hindrance::Conflict(marked.map(|bytes| Target {
                names,
                ..Target::file(bytes, mode, attributes)
            }))),
        }
    }

    fn bytes(&self, image: &Image) -> Option<Vec<u8>> {
        if let (Some(replaced), Some(hash)) = (&self.replaced, image.hash())
            && Hash::of(replaced) == hash
        {
            return Some(replaced.clone());
        }
        self.history.store.content(image).ok().flatten()
    }

    /// What a file becomes, with its bytes at hand: an undo never finds out half way.
    fn target(&self, step: &FileStep) -> Result<Target, String> {
        let image = &step.before;
        if let Some(why) = image.not_kept() {
            return Err(format!("What it was cannot be restored: {why}."));
        }
        let bytes = match image.hash() {
            None => None,
            Some(_) => Some(
                self.bytes(image)
                    .ok_or("What it was is no longer kept, or is damaged.")?,
            ),
        };
        Ok(Target {
            image: image.clone(),
            bytes,
            names: step.names_before.clone(),
        })
    }
}

enum Hindrance {
    Lost(String),
    Conflict(Option<Target>),
}

/// The first folder on the way to a file that is a link. Blocks an undo that would write elsewhere: when the
/// change was made, there was none.
pub(crate) fn link_on_the_way(path: &Path) -> Option<PathBuf> {
    let mut folders: Vec<&Path> = path.ancestors().skip(1).collect();
    folders.reverse();
    let is_link = |folder: &&&Path| {
        folder
            .symlink_metadata()
            .is_ok_and(|found| found.file_type().is_symlink())
    };
    folders
        .iter()
        .find(is_link)
        .map(|folder| folder.to_path_buf())
}

/// What of a file beside its content stays as it is, said before anything is done.
fn caveat(file: &PlannedFile) -> Option<String> {
    let (Verdict::Restore { to } | Verdict::Merge { to } | Verdict::Conflict { to, .. }) =
        &file.verdict
    else {
        return None;
    };
    let hindered = to.image.attributes()?.hindered(&file.path);
    (!hindered.is_empty()).then(|| {
        format!(
            "Its extended attributes cannot all be set here: {}.",
            hindered.join(", ")
        )
    })
}

/// What somebody set since stays; where nobody did it goes back.
fn merged_value<T: PartialEq>(now: Option<T>, before: Option<T>, after: Option<T>) -> Option<T> {
    if now == after { before.or(now) } else { now }
}

fn fingerprint(steps: &[u64], files: &[PlannedFile]) -> String {
    let mut hasher = blake3::Hasher::new();
    let mut add = |text: &str| {
        hasher.update(text.as_bytes());
        hasher.update(&[0]);
    };
    for step in steps {
        add(&step.to_string());
    }
    for file in files {
        add(&file.path.to_string_lossy());
        add(&format!("{:?}", file.now));
        add(&match &file.verdict {
            Verdict::Nothing => "nothing".to_owned(),
            Verdict::Restore { to } => format!("restore {:?}", to.image),
            Verdict::Merge { to } => format!("merge {:?}", to.image),
            Verdict::Conflict { to, marked } => format!(
                "conflict {:?} {:?}",
                to.image,
                marked.as_ref().map(|marked| &marked.image)
            ),
            Verdict::Impossible { why } => format!("impossible {why}"),
        });
    }
    hasher.finalize().to_hex()[..32].to_owned()
}
