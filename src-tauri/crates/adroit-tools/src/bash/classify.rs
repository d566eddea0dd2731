//! What the call would do, as the analysis of its command tells it.

use std::collections::VecDeque;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, OnceLock, PoisonError};

use adroit_protocol::CallId;
use adroit_protocol::view::GroupKind;
use adroit_shell::{Access, Analysis, CommandPart, ShellContext};
use adroit_tool::{CallContext, Speculation};

use crate::Services;

/// Analyses remembered: one call is asked about several times.
const REMEMBERED: usize = 32;

struct Entry {
    command: String,
    cwd: PathBuf,
    analysis: Arc<OnceLock<Arc<Analysis>>>,
}

/// The analyses of the last commands, those that are being made included: whoever needs one that
/// another thread works on waits for it and does not begin a second.
pub(super) struct Analyses {
    place: Arc<Place>,
    entries: Mutex<VecDeque<Entry>>,
    /// What the last calls were found to be on the disk.
    looked_at: Mutex<VecDeque<Looked>>,
}

/// What one call was found to be.
struct Looked {
    call: CallId,
    command: String,
    cwd: PathBuf,
    analysis: Arc<Analysis>,
}

/// What an analysis needs to know beside the command and where it runs.
struct Place {
    workspace: PathBuf,
    additional_directories: Vec<PathBuf>,
    home: PathBuf,
}

impl Place {
    fn analyze(&self, command: &str, cwd: &Path) -> Arc<Analysis> {
        Arc::new(adroit_shell::analyze(
            command,
            &ShellContext {
                cwd,
                workspace: &self.workspace,
                additional_directories: &self.additional_directories,
                home: &self.home,
            },
        ))
    }
}

impl Analyses {
    pub(super) fn new(services: &Services) -> Self {
        Self {
            place: Arc::new(Place {
                workspace: services.workspace.root().to_owned(),
                additional_directories: services.workspace.additional_directories().to_vec(),
                home: services.home.clone(),
            }),
            entries: Mutex::default(),
            looked_at: Mutex::default(),
        }
    }

    /// As [`Self::of`], with what `look` finds on the disk: once for a call, which is asked
    /// about several times before it runs.
    pub(super) fn on_disk(
        &self,
        command: &str,
        context: &CallContext,
        look: impl FnOnce(&Arc<Analysis>) -> Arc<Analysis>,
    ) -> Arc<Analysis> {
        let lock = || {
            self.looked_at
                .lock()
                .unwrap_or_else(PoisonError::into_inner)
        };
        let known = lock()
            .iter()
            .find(|looked| {
                looked.call == context.call
                    && looked.command == command
                    && looked.cwd == *context.cwd
            })
            .map(|looked| Arc::clone(&looked.analysis));
        if let Some(analysis) = known {
            return analysis;
        }
        let analysis = look(&self.of(command, &context.cwd));
        let mut entries = lock();
        entries.truncate(REMEMBERED - 1);
        entries.push_front(Looked {
            call: context.call.clone(),
            command: command.to_owned(),
            cwd: context.cwd.to_path_buf(),
            analysis: Arc::clone(&analysis),
        });
        analysis
    }

    pub(super) fn of(&self, command: &str, cwd: &Path) -> Arc<Analysis> {
        let analysis = self.entry(command, cwd);
        Arc::clone(analysis.get_or_init(|| self.place.analyze(command, cwd)))
    }

    /// Makes the analysis for whoever asks later; none where it is there already.
    pub(super) fn speculate(&self, command: &str, cwd: &Path) -> Option<Speculation> {
        let analysis = self.entry(command, cwd);
        if analysis.get().is_some() {
            return None;
        }
        let place = Arc::clone(&self.place);
        let (command, cwd) = (command.to_owned(), cwd.to_owned());
        Some(Box::new(move || {
            analysis.get_or_init(|| place.analyze(&command, &cwd));
        }))
    }

    /// Where the analysis is or will be. Nothing is analysed under the lock.
    fn entry(&self, command: &str, cwd: &Path) -> Arc<OnceLock<Arc<Analysis>>> {
        let mut entries = self.entries.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(entry) = entries
            .iter()
            .find(|entry| entry.command == command && entry.cwd == cwd)
        {
            return Arc::clone(&entry.analysis);
        }
        let analysis = Arc::default();
        entries.truncate(REMEMBERED - 1);
        entries.push_front(Entry {
            command: command.to_owned(),
            cwd: cwd.to_owned(),
            analysis: Arc::clone(&analysis),
        });
        analysis
    }
}

/// Whether the shell itself, not a subshell of it, changes its folder.
pub(super) fn leaves_directory(analysis: &Analysis) -> bool {
    let moves = |part: usize| {
        analysis
            .paths
            .iter()
            .any(|path| path.access == Access::ChangeDirectory && path.part == part)
    };
    analysis.parts.iter().enumerate().any(|(index, part)| {
        !part.nested && (moves(index) || matches!(name(part), Some("cd" | "pushd" | "popd")))
    })
}

/// The verb of a command that only searches, reads or lists; `None` for any other.
pub(super) fn verb(analysis: &Analysis) -> Option<GroupKind> {
    if !analysis.read_only {
        return None;
    }
    let mut verb = None;
    for part in &analysis.parts {
        match kind(name(part)?) {
            // What comes first decides: `ls | grep x` lists.
            Kind::Verb(kind) => verb = verb.or(Some(kind)),
            Kind::Beside => {}
            Kind::Other => return None,
        }
    }
    verb
}

/// The program of a part, without its folder.
pub(super) fn name(part: &CommandPart) -> Option<&str> {
    let word = part.words.first()?.text.as_deref()?;
    word.rsplit('/').next()
}

enum Kind {
    Verb(GroupKind),
    /// Shapes or decorates what another command gives.
    Beside,
    Other,
}

fn kind(program: &str) -> Kind {
    match program {
        "grep" | "egrep" | "fgrep" | "rg" | "ag" | "ack" | "find" | "fd" | "fdfind" | "locate"
        | "which" | "whereis" | "type" => Kind::Verb(GroupKind::Search),
        "cat" | "head" | "tail" | "less" | "more" | "bat" | "batcat" | "nl" | "tac" | "stat"
        | "file" | "strings" | "wc" | "jq" | "yq" | "xxd" | "od" | "hexdump" | "readlink"
        | "realpath" => Kind::Verb(GroupKind::Read),
        "ls" | "tree" | "du" | "exa" | "eza" => Kind::Verb(GroupKind::List),
        "sort" | "uniq" | "cut" | "tr" | "column" | "fold" | "fmt" | "paste" | "awk" | "sed"
        | "echo" | "printf" | "true" | "false" | ":" | "cd" | "pwd" | "test" | "[" => Kind::Beside,
        _ => Kind::Other,
    }
}
