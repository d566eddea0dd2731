//! Links that the command itself makes: `ln -s secret y; echo x > y`.

use std::path::{Path, PathBuf};

use adroit_shell::{Access, Analysis, Below, CommandPart, PathUse};
use adroit_workspace::{Workspace, leads_to};

use super::disk::{self, Budget};
use super::{at, unknown};

/// Places that links of the command are followed to at most; where they go further, in a circle
/// perhaps, nobody can say.
const MOST_STEPS: usize = 64;

/// The links that a command makes before it may use them.
pub(super) struct MadeLinks(Vec<Made>);

struct Made {
    /// Where it may lie; a name alone may lie anywhere.
    place: PathBuf,
    /// Where it may lead; `None` when nobody can say.
    targets: Option<Vec<PathBuf>>,
    /// Of the part that makes it.
    part: usize,
    /// It is a folder in which such links may lie under any name.
    anywhere_below: bool,
}

impl MadeLinks {
    pub(super) fn of(analysis: &Analysis, budget: &mut Budget) -> Self {
        let links = |part: &CommandPart| {
            part.words.iter().any(|word| {
                let text = word.text.as_deref().unwrap_or(&word.raw);
                matches!(text.rsplit('/').next(), Some("ln" | "link" | "gln"))
            })
        };
        // A text for a shell has its paths at the part that runs it: any of them.
        let hidden = analysis.suspected_parts.iter().any(links);
        let makes = |part: usize| hidden || analysis.parts.get(part).is_some_and(links);
        let symbolic = |part: usize| !hidden && analysis.parts.get(part).is_some_and(is_symbolic);
        let mut made = Vec::new();
        for to in &analysis.paths {
            if to.access != Access::Write || !makes(to.part) {
                continue;
            }
            let sources = analysis
                .paths
                .iter()
                .filter(|from| from.part == to.part && from.access == Access::Read);
            let mut alone = true;
            for from in sources {
                alone = false;
                made.extend(Made::links(Some(to), from, symbolic(to.part)));
            }
            if alone {
                // `ln -s ../x`: here, under the last name of what it leads to.
                made.extend(Made::links(None, to, symbolic(to.part)));
            }
        }
        made.extend(carried(analysis, budget));
        Self(made)
    }

    /// Adds where `paths` lead through these links.
    pub(super) fn follow(
        &self,
        paths: &[PathUse],
        workspace: &Workspace,
        places: &mut Vec<PathUse>,
    ) {
        if self.0.is_empty() {
            return;
        }
        let mut added = 0;
        let mut pending: Vec<PathUse> = paths.to_vec();
        pending.extend(places.iter().cloned());
        while let Some(path) = pending.pop() {
            for made in self.0.iter().filter(|made| made.part != path.part) {
                for place in made.reached_by(&path, workspace) {
                    let known = |old: &&PathUse| {
                        old.resolved == place.resolved
                            && old.span == place.span
                            && old.access == place.access
                            && old.part == place.part
                    };
                    if !places.iter().any(|old| known(&old)) {
                        added += 1;
                        if added > MOST_STEPS {
                            places.push(unknown(&path));
                            return;
                        }
                        pending.push(place.clone());
                        places.push(place);
                    }
                }
            }
        }
    }
}

/// Links that `mv`, `cp -a` or `rsync -a` takes from where it lies to where it is used, those
/// that `cp -s` makes, and those that an archive may hold.
fn carried(analysis: &Analysis, budget: &mut Budget) -> Vec<Made> {
    let everything = Below {
        hidden: true,
        ..Below::default()
    };
    let mut made = Vec::new();
    for (index, part) in analysis.parts.iter().enumerate() {
        let Some(carries) = Carries::of(part) else {
            continue;
        };
        let uses = |access: Access| {
            analysis
                .paths
                .iter()
                .filter(move |path| path.part == index && path.access == access)
        };
        if carries == Carries::Archive {
            let places = uses(Access::Write).filter_map(|path| path.resolved.clone());
            made.extend(places.map(|place| Made {
                place,
                targets: None,
                part: index,
                anywhere_below: true,
            }));
            continue;
        }
        let Some(to) = uses(Access::Write)
            .next_back()
            .and_then(|path| path.resolved.clone())
        else {
            continue;
        };
        for from in uses(Access::Read).chain(uses(Access::Remove)) {
            let Some(named) = from.named.as_ref().map(|named| named.fixed.as_path()) else {
                continue;
            };
            let mut link = |place: PathBuf, real: PathBuf| {
                made.push(Made {
                    place,
                    targets: Some(vec![real]),
                    part: index,
                    anywhere_below: false,
                });
            };
            let inside = named.file_name().map(|name| to.join(name));
            let is_link = named.symlink_metadata().is_ok_and(|data| data.is_symlink());
            if let (true, Ok(real)) = (is_link || carries == Carries::Linked, leads_to(named)) {
                link(to.clone(), real.clone());
                inside
                    .iter()
                    .for_each(|place| link(place.clone(), real.clone()));
            } else if let Some(links) = disk::links_below(named, &everything, budget) {
                for (below, real) in links
                    .iter()
                    .filter_map(|path| Some((path.strip_prefix(named).ok()?, leads_to(path).ok()?)))
                {
                    link(to.join(below), real.clone());
                    inside
                        .iter()
                        .for_each(|place| link(place.join(below), real.clone()));
                }
            }
        }
    }
    made
}

/// How a command brings links to a place.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Carries {
    /// As they are.
    Kept,
    /// Every file becomes a link to where it was.
    Linked,
    /// Nobody sees what comes out of an archive.
    Archive,
}

impl Carries {
    fn of(part: &CommandPart) -> Option<Self> {
        let texts: Vec<&str> = part
            .words
            .iter()
            .map(|word| word.text.as_deref().unwrap_or(&word.raw))
            .collect();
        let at = texts.iter().position(|text| {
            matches!(
                text.rsplit('/').next(),
                Some(
                    "mv" | "gmv"
                        | "cp"
                        | "gcp"
                        | "rsync"
                        | "tar"
                        | "bsdtar"
                        | "unzip"
                        | "cpio"
                        | "7z"
                )
            )
        })?;
        let name = texts[at].rsplit('/').next().unwrap_or_default();
        let options = &texts[at + 1..];
        let has = |letters: &[char], long: &[&str]| {
            options.iter().any(|text| match text.strip_prefix("--") {
                Some(word) => long
                    .iter()
                    .any(|name| word.len() > 2 && name.starts_with(word)),
                None => text.starts_with('-') && text.contains(letters),
            })
        };
        match name {
            "mv" | "gmv" => Some(Self::Kept),
            "cp" | "gcp" if has(&['s', 'l'], &["symbolic-link", "link"]) => Some(Self::Linked),
            "cp" | "gcp" => has(
                &['a', 'd', 'P', 'r', 'R'],
                &["archive", "no-dereference", "recursive", "preserve"],
            )
            .then_some(Self::Kept),
            "rsync" => has(&['a', 'l'], &["archive", "links"]).then_some(Self::Kept),
            "tar" | "bsdtar" => options
                .iter()
                .take(3)
                .any(|text| text.trim_start_matches('-').contains('x'))
                .then_some(Self::Archive),
            _ => Some(Self::Archive),
        }
    }
}

/// Surely `ln -s`, with nothing that changes what its link's text is read from (`-r`).
fn is_symbolic(part: &CommandPart) -> bool {
    part.words.iter().any(|word| {
        let text = word.text.as_deref().unwrap_or_default();
        let letters = text.strip_prefix('-').unwrap_or_default();
        letters.contains('s') && letters.chars().all(|letter| "sfnv".contains(letter))
    }) && !part.words.iter().any(|word| {
        let text = word.text.as_deref().unwrap_or_default();
        text.starts_with("--") || (text.starts_with('-') && text.contains('r'))
    })
}

impl Made {
    /// The links to `from` that may be made at `to`, or in it where it is a folder.
    fn links(to: Option<&PathUse>, from: &PathUse, symbolic: bool) -> Vec<Self> {
        let name = Path::new(&from.word).file_name();
        let mut places: Vec<PathBuf> = Vec::new();
        match to {
            Some(to) => {
                let fixed = to.named.as_ref().map(|named| &named.fixed);
                for place in to.resolved.iter().chain(fixed) {
                    places.push(place.clone());
                    places.extend(name.map(|name| place.join(name)));
                }
            }
            None => places.extend(name.map(PathBuf::from)),
        }
        places.dedup();
        let literal = from
            .named
            .as_ref()
            .is_some_and(|named| named.pattern.is_none());
        let known = from.resolved.as_ref().filter(|_| literal);
        places
            .into_iter()
            .map(|place| {
                // A symbolic link's text is read from the link's folder.
                let folder = place.parent().filter(|folder| folder.is_absolute());
                let targets = known.map(|resolved| match folder {
                    Some(folder) if symbolic => vec![folder.join(&from.word)],
                    Some(folder) => vec![resolved.clone(), folder.join(&from.word)],
                    None => vec![resolved.clone()],
                });
                Self {
                    place,
                    targets,
                    part: from.part,
                    anywhere_below: false,
                }
            })
            .collect()
    }

    /// Where `path` leads when it goes through this link.
    fn reached_by(&self, path: &PathUse, workspace: &Workspace) -> Vec<PathUse> {
        if self.anywhere_below {
            // What is written after an archive was unpacked may go through a link of it; what
            // is read then is read from what the archive brought.
            let written = matches!(path.access, Access::Write) && path.part > self.part;
            let below = path
                .resolved
                .as_ref()
                .is_some_and(|own| own.starts_with(&self.place) && *own != self.place);
            return (written && below)
                .then(|| unknown(path))
                .into_iter()
                .collect();
        }
        let named = path.named.as_ref();
        let fixed = named.map(|named| named.fixed.as_path());
        let open = named.is_some_and(|named| named.pattern.is_some())
            || path.below.as_ref().is_some_and(|below| below.one_by_one);
        let mut rests: Vec<PathBuf> = Vec::new();
        for own in path.resolved.as_deref().into_iter().chain(fixed) {
            // A pattern or a listing may find it.
            if open && (self.place.starts_with(own) || !self.place.is_absolute()) {
                rests.push(PathBuf::new());
            }
            let prefix = own.ancestors().find(|one| {
                *one == self.place
                    || (!self.place.is_absolute()
                        && one.file_name() == Some(self.place.as_os_str()))
            });
            let rest = prefix.and_then(|prefix| own.strip_prefix(prefix).ok());
            rests.extend(rest.map(Path::to_path_buf));
        }
        rests.dedup();
        let Some(targets) = &self.targets else {
            return rests.iter().map(|_| unknown(path)).collect();
        };
        rests
            .iter()
            .flat_map(|rest| targets.iter().map(move |target| target.join(rest)))
            // Joined to nothing it would ask for a folder.
            .map(|place| place.components().collect::<PathBuf>())
            .map(|place| match leads_to(&place) {
                Ok(real) => PathUse {
                    named: None,
                    ..at(path, real, workspace)
                },
                Err(_) => unknown(path),
            })
            .collect()
    }
}
