//! Where the paths of a command lead through links. An analysis knows names only.
//!
//! Blocks `cat link`, `echo x > link`, `cat link/../x`, `cat l*` and `find | xargs cat` where a
//! link leads out of the workspace, to a protected path, or to a file that a rule keeps from
//! being read: the place that it leads to is judged beside the name, as another path of the
//! same word. What cannot be found out counts as a path that cannot be known.

mod copied;
mod disk;
mod held;
mod made;
#[cfg(test)]
mod tests;
mod tracked;

use std::path::{Path, PathBuf};
use std::sync::Arc;

use adroit_shell::{Access, Analysis, PathUse, Reason, ReasonCode};
use adroit_tool::Withheld;
use adroit_workspace::{Workspace, leads_to};

use self::disk::Budget;
use self::made::MadeLinks;

/// Places that are added to one command at most; with more, the rest is unknown.
const MOST_PLACES: usize = 256;

/// The analysis with what only the disk can tell: the places that its paths lead to through
/// links, what copies bring along, which files that rules speak of lie below a folder or are
/// shown by git.
pub(super) fn as_on_disk(
    analysis: &Arc<Analysis>,
    cwd: &Path,
    workspace: &Workspace,
    withheld: &Withheld,
) -> Arc<Analysis> {
    let mut budget = Budget::default();
    let followed = with_links_followed(analysis, workspace, withheld, &mut budget);
    if !withheld.has_rules() {
        return followed;
    }
    let mut settled = Arc::unwrap_or_clone(followed);
    for path in &mut settled.paths {
        held::settle_below(path, withheld, &mut budget);
    }
    let mut shown = Vec::new();
    tracked::add_shown(&settled, cwd, withheld, &mut shown);
    settled.paths.extend(shown);
    Arc::new(settled)
}

fn with_links_followed(
    analysis: &Arc<Analysis>,
    workspace: &Workspace,
    withheld: &Withheld,
    budget: &mut Budget,
) -> Arc<Analysis> {
    let made = MadeLinks::of(analysis, budget);
    let look = Look {
        workspace,
        withheld,
    };
    let mut follow = |paths: &[PathUse]| {
        let mut places: Vec<PathUse> = Vec::new();
        for path in paths {
            look.follow_one(path, budget, &mut places);
        }
        made.follow(paths, workspace, &mut places);
        if let Some(rest) = places.get(MOST_PLACES) {
            let rest = unknown(rest);
            places.truncate(MOST_PLACES);
            places.push(rest);
        }
        places
    };
    let mut followed = follow(&analysis.paths);
    let mentioned = follow(&analysis.mentions);
    copied::add_brought_along(analysis, workspace, budget, &mut followed);
    if followed.is_empty() && mentioned.is_empty() {
        return Arc::clone(analysis);
    }
    let mut analysis = Analysis::clone(analysis);
    // Words that may name a file say nothing about the workspace.
    analysis
        .mentions
        .extend(mentioned.into_iter().map(|path| PathUse {
            outside: false,
            ..path
        }));
    analysis.outside_workspace |= followed.iter().any(|path| path.outside);
    analysis
        .reasons
        .extend(followed.iter().filter(|path| path.outside).map(reason));
    analysis.paths.extend(followed);
    Arc::new(analysis)
}

fn reason(path: &PathUse) -> Reason {
    let (code, message) = match &path.resolved {
        Some(real) => (
            ReasonCode::OutsideWorkspace,
            format!(
                "`{}` leads out of the workspace, to {}",
                path.word,
                real.display()
            ),
        ),
        None => (
            ReasonCode::UnknownPath,
            format!("where `{}` leads cannot be known", path.word),
        ),
    };
    Reason {
        span: path.span.clone(),
        code,
        message,
    }
}

/// What places are judged by.
struct Look<'a> {
    workspace: &'a Workspace,
    withheld: &'a Withheld,
}

impl Look<'_> {
    /// Adds the places of `path` that are not where its text says.
    fn follow_one(&self, path: &PathUse, budget: &mut Budget, places: &mut Vec<PathUse>) {
        let workspace = self.workspace;
        let (Some(named), Some(resolved)) = (&path.named, &path.resolved) else {
            return;
        };
        let Ok(real) = leads_to(&named.fixed) else {
            places.push(unknown(path));
            return;
        };
        if real != *resolved {
            places.push(PathUse {
                outside: !workspace.contains(&real),
                resolved: Some(real.clone()),
                ..path.clone()
            });
        }
        match &named.pattern {
            None => self.below(path, &real, budget, places),
            Some(pattern) => {
                let Some(matches) = disk::matches(&real, pattern, budget) else {
                    places.push(unknown(path));
                    return;
                };
                for name in matches {
                    let Ok(place) = leads_to(&name) else {
                        places.push(unknown(path));
                        continue;
                    };
                    if place != name {
                        places.push(at(path, place.clone(), workspace));
                    }
                    self.below(path, &place, budget, places);
                }
            }
        }
    }

    /// Adds where the links in `folder` lead, when a program is given each name below it.
    fn below(&self, path: &PathUse, folder: &Path, budget: &mut Budget, places: &mut Vec<PathUse>) {
        let workspace = self.workspace;
        let Some(below) = &path.below else {
            return;
        };
        if below.perhaps {
            // `cp a b` writes where the link `b/a` leads.
            for name in &below.names {
                let Some(inside) = disk::matches(folder, name, budget) else {
                    places.push(unknown(path));
                    continue;
                };
                for name in inside {
                    match leads_to(&name) {
                        Ok(real) if real == name => {}
                        Ok(real) => places.push(at(path, real, workspace)),
                        Err(_) => places.push(unknown(path)),
                    }
                }
            }
        }
        // Who removes a link removes the link.
        if !below.one_by_one || path.access == Access::Remove {
            return;
        }
        let Some(links) = disk::links_below(folder, below, budget) else {
            places.push(unknown(path));
            return;
        };
        for link in links {
            match leads_to(&link) {
                // A folder of packages is full of links that stay inside.
                Ok(real)
                    if path.access == Access::Read
                        && workspace.contains(&real)
                        && !self.withheld.restricts(&real) => {}
                Ok(real) => places.push(at(path, real, workspace)),
                Err(_) => places.push(unknown(path)),
            }
        }
    }
}

/// `path`, really at this one place.
fn at(path: &PathUse, real: PathBuf, workspace: &Workspace) -> PathUse {
    PathUse {
        // The place's own name: the word's pattern is no part of it.
        word: real.display().to_string(),
        outside: !workspace.contains(&real),
        resolved: Some(real),
        ..path.clone()
    }
}

/// `path`, at a place that nobody can say.
fn unknown(path: &PathUse) -> PathUse {
    PathUse {
        resolved: None,
        named: None,
        outside: true,
        ..path.clone()
    }
}
