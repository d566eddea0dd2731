//! Checks that no rule, mode or hook can skip: protected paths, critical
//! removals, and the app's own data.

use std::path::Path;

use adroit_protocol::permission::RequestReason;
use adroit_shell::Access;

use crate::case::Case;
use crate::facts::{Subject, WorkspaceFacts};
use crate::lexical;
use crate::reasons;
use crate::segment::Segment;
use crate::shell_view::BelowView;

/// Folders whose content runs code or steers tools: at any depth, with all below.
const PROTECTED_FOLDERS: [&str; 12] = [
    ".git",
    ".adroit",
    ".claude",
    ".vscode",
    ".idea",
    ".husky",
    ".cargo",
    ".devcontainer",
    ".yarn",
    ".mvn",
    ".direnv",
    ".ssh",
];

/// Files that a shell, git or a package manager reads and obeys.
const PROTECTED_FILES: [&str; 44] = [
    ".gitconfig",
    ".gitmodules",
    ".envrc",
    ".bashrc",
    ".bash_profile",
    ".bash_login",
    ".bash_logout",
    ".bash_aliases",
    ".profile",
    ".zshrc",
    ".zshenv",
    ".zprofile",
    ".zlogin",
    ".zlogout",
    ".kshrc",
    ".cshrc",
    ".tcshrc",
    ".login",
    ".inputrc",
    ".xprofile",
    ".xinitrc",
    ".mcp.json",
    ".claude.json",
    ".npmrc",
    ".yarnrc",
    ".yarnrc.yml",
    ".pnpmfile.cjs",
    ".pnpmfile.mjs",
    "pnpmfile.js",
    ".ripgreprc",
    ".pre-commit-config.yaml",
    "bunfig.toml",
    "lefthook.yml",
    ".lefthook.yml",
    "lefthook.yaml",
    // They say which program `cargo`, `dotnet`, `python` or `node` is, by a path if they like.
    "rust-toolchain",
    "rust-toolchain.toml",
    "global.json",
    ".tool-versions",
    "mise.toml",
    ".mise.toml",
    "mise.local.toml",
    ".mise.local.toml",
    "git~1",
];

/// Folders of home that hold start-up files, as pairs of names.
const PROTECTED_PAIRS: [(&str, &str); 4] = [
    (".config", "git"),
    (".config", "fish"),
    (".config", "autostart"),
    (".config", "systemd"),
];

/// What runs code within a protected folder whose program itself writes the rest of it:
/// git its objects, yarn its cache.
const STEERING_PARTS: [(&str, &[&str]); 2] = [
    // `commondir` names the folder from which git reads the other two.
    (".git", &["hooks", "config", "config.worktree", "commondir"]),
    (".yarn", &["releases", "plugins", "sdks"]),
];

/// How much of what has a name is protected, wherever it lies.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Protection {
    /// Nothing.
    None,
    /// It, and all below it.
    Whole,
    /// Calls that name a place below it are asked about. What holds a whole command,
    /// as a sandbox does, keeps these names below it: the rest its own program writes.
    Parts(&'static [&'static str]),
}

/// What of a file or folder called `name` in a folder called `parent` is protected.
#[must_use]
pub fn protection(parent: Option<&str>, name: &str) -> Protection {
    let name = folded(name);
    if let Some((_, parts)) = STEERING_PARTS.iter().find(|(folder, _)| *folder == name) {
        return Protection::Parts(parts);
    }
    let pair = |(outer, inner): &(&str, &str)| {
        *inner == name && parent.is_some_and(|parent| folded(parent) == *outer)
    };
    if PROTECTED_FOLDERS.contains(&name.as_str())
        || PROTECTED_FILES.contains(&name.as_str())
        || PROTECTED_PAIRS.iter().any(pair)
    {
        Protection::Whole
    } else {
        Protection::None
    }
}

/// What a safety check says.
#[derive(Debug)]
pub(crate) enum Safety {
    /// Asked in every mode.
    Ask(RequestReason),
    /// Never.
    Deny(String),
}

/// The first objection of the safety checks to a call.
pub(crate) fn check(case: &Case) -> Option<Safety> {
    let workspace = &case.snapshot.workspace;
    match &case.facts.subject {
        Subject::EditFile { path, real } => {
            let paths = || std::iter::once(path).chain(real);
            if let Some(state) = paths().find(|path| workspace.is_state(path)) {
                return Some(Safety::Deny(state_reason(state)));
            }
            paths().find_map(|path| {
                protected_name(path, workspace)
                    .map(|name| Safety::Ask(reasons::plain(protected_reason(path, &name))))
            })
        }
        Subject::Shell {
            command, analysis, ..
        } => {
            let shell = case.shell.as_ref()?;
            let written = || {
                shell
                    .paths
                    .iter()
                    .filter(|path| matches!(path.access, Access::Write | Access::Remove))
            };
            if let Some(state) = written()
                .filter_map(|path| path.resolved())
                .find(|path| workspace.is_state(path))
            {
                return Some(Safety::Deny(state_reason(state)));
            }
            if let Some(critical) = &analysis.critical {
                return Some(Safety::Ask(reasons::spanned(
                    command,
                    Some(critical.span.clone()),
                    critical.phrase.clone(),
                )));
            }
            let protected = written().find_map(|path| {
                let Some(resolved) = path.resolved() else {
                    // `$X/.git/hooks/a`: wherever it lies, this much of it is known.
                    let word = Path::new(&path.word);
                    let name = unknown_meets_protected(&path.word)?;
                    return Some((path.span.clone(), word, name));
                };
                let name = protected_name(resolved, workspace)
                    .or_else(|| {
                        path.view
                            .as_ref()
                            .and_then(|view| glob_meets_protected(&view.glob))
                    })
                    .or_else(|| path.below.as_ref().and_then(below_meets_protected))?;
                Some((path.span.clone(), resolved, name))
            });
            let mentioned = || {
                analysis
                    .mentions
                    .iter()
                    .filter(|path| matches!(path.access, Access::Write | Access::Remove))
                    .find_map(|path| {
                        let resolved = path.resolved.as_deref()?;
                        let name = protected_name(resolved, workspace)?;
                        Some((path.span.clone(), resolved, name))
                    })
            };
            protected.or_else(mentioned).map(|(span, resolved, name)| {
                Safety::Ask(reasons::spanned(
                    command,
                    Some(span),
                    protected_reason(resolved, &name),
                ))
            })
        }
        _ => None,
    }
}

/// The protected name in `path`, if there is one. Only names below the workspace
/// or home count: a project that itself lies below `.claude` is not all protected.
pub(crate) fn protected_name(path: &Path, workspace: &WorkspaceFacts) -> Option<String> {
    let below = std::iter::once(&workspace.root)
        .chain(&workspace.additional_directories)
        .chain(std::iter::once(&workspace.home))
        .find_map(|directory| path.strip_prefix(directory).ok())
        .unwrap_or(path);
    let names: Vec<String> = lexical::segments(below)
        .iter()
        .map(|name| folded(name))
        .collect();
    protected_among(&names)
}

fn protected_among(names: &[String]) -> Option<String> {
    if let Some(name) = names
        .iter()
        .find(|name| PROTECTED_FOLDERS.contains(&name.as_str()))
    {
        return Some(name.clone());
    }
    if let Some(name) = names.last()
        && PROTECTED_FILES.contains(&name.as_str())
    {
        return Some(name.clone());
    }
    names.windows(2).find_map(|pair| match pair {
        [first, second] => PROTECTED_PAIRS
            .iter()
            .any(|(outer, inner)| first == outer && second == inner)
            .then(|| format!("{first}/{second}")),
        _ => None,
    })
}

/// Whether `names`, the end of a path, hold what steers tools or runs code: `.git/hooks/x`,
/// `.envrc`. For who looks at the disk for what a copy of a folder brings along.
#[must_use]
pub fn holds_protected_name(names: &Path) -> bool {
    let names: Vec<String> = lexical::segments(names)
        .iter()
        .map(|name| folded(name))
        .collect();
    protected_among(&names).is_some()
}

/// `rm -rf .g*` reaches `.git` without naming it.
fn glob_meets_protected(glob: &[Segment]) -> Option<String> {
    PROTECTED_FOLDERS
        .iter()
        .chain(&PROTECTED_FILES)
        .filter(|name| name.starts_with('.'))
        .find(|name| {
            let own = Segment::Literal((**name).to_owned());
            glob.iter().any(|segment| own.meets(segment))
        })
        .map(|name| (*name).to_owned())
}

/// The protected name in a word of which only the shell knows the rest.
fn unknown_meets_protected(word: &str) -> Option<String> {
    let word = word.replace(['"', '\''], "");
    let last = word
        .rsplit('/')
        .next()
        .map(folded)
        .filter(|name| PROTECTED_FILES.contains(&name.as_str()));
    last.or_else(|| {
        word.split('/')
            .map(folded)
            .find(|name| PROTECTED_FOLDERS.contains(&name.as_str()))
    })
}

/// `cp evil/.envrc dir` and `cp -r evil/. dir` reach what they do not name. What merely
/// changes below a folder (`chmod -R`) stays out: it would ask of every folder.
fn below_meets_protected(below: &BelowView) -> Option<String> {
    let names = below.names.iter().filter(|_| below.perhaps);
    let mut meets = names.filter_map(|segment| {
        PROTECTED_FOLDERS
            .iter()
            .chain(&PROTECTED_FILES)
            .filter(|name| below.hidden || name.starts_with('.'))
            .find(|name| match segment {
                Segment::Literal(own) => folded(own) == **name,
                glob => Segment::Literal((**name).to_owned()).meets(glob),
            })
    });
    meets.next().map(|name| (*name).to_owned())
}

/// File systems that fold case, or drop characters without width, open `.git`
/// for `.GIT` and for `.g\u{200c}it`.
fn folded(name: &str) -> String {
    name.chars()
        .filter(|c| !matches!(*c, '\u{200b}'..='\u{200f}' | '\u{202a}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}'))
        .flat_map(char::to_lowercase)
        .collect::<String>()
        .trim_end_matches(['.', ' '])
        .to_owned()
}

fn protected_reason(path: &Path, name: &str) -> String {
    format!(
        "writes the protected path `{}` (`{name}` steers tools or runs code)",
        path.display()
    )
}

fn state_reason(path: &Path) -> String {
    format!(
        "`{}` belongs to the app's own data, which no call may change",
        path.display()
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_sandbox_keeps_what_the_checks_ask_about() {
        for name in PROTECTED_FOLDERS.iter().chain(&PROTECTED_FILES) {
            assert_ne!(protection(None, name), Protection::None, "{name}");
        }
        for (parent, name) in PROTECTED_PAIRS {
            assert_eq!(protection(Some(parent), name), Protection::Whole);
            assert_eq!(protection(Some("src"), name), Protection::None);
        }
        assert_eq!(protection(None, ".ENVRC"), Protection::Whole);
        assert_eq!(protection(None, "src"), Protection::None);
        for (folder, _) in STEERING_PARTS {
            assert!(PROTECTED_FOLDERS.contains(&folder), "{folder}");
        }
    }
}
