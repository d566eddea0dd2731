//! Reads the settings files, again whenever one has changed.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use adroit_protocol::permission::{RuleScope, RuleSource};

use super::document::{Document, Problem};
use super::edit::Edited;
use super::effective::{CommandLine, Effective, FileState, Layer};
use super::held::{Held, fingerprint, version};
use crate::AppDirectories;
use crate::file;

/// Settings that an administrator put on the machine.
const MANAGED: &str = "/etc/adroit/managed-settings.json";

/// The settings of one run of the app.
#[derive(Debug)]
pub struct SettingsStore {
    directories: AppDirectories,
    command_line: CommandLine,
    managed: PathBuf,
    cache: Mutex<Cache>,
    held: Mutex<Held>,
}

#[derive(Debug, Default)]
struct Cache {
    files: HashMap<PathBuf, Known>,
    effective: HashMap<Question, Merged>,
}

/// For which project, and whether it is trusted.
type Question = (Option<PathBuf>, bool);

/// The merged settings, and the versions of the files that they were made from.
#[derive(Debug)]
struct Merged {
    stamps: Vec<Stamp>,
    effective: Arc<Effective>,
}

#[derive(Debug)]
struct Known {
    stamp: Stamp,
    document: Document,
    last_good: Option<Document>,
}

/// What tells one version of a file from another without reading it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Stamp {
    exists: bool,
    modified: (i64, i64),
    changed: (i64, i64),
    size: u64,
    inode: u64,
}

impl Stamp {
    fn of(path: &Path) -> Self {
        // The lint against bare file access is for project files; this is a stat of our own.
        std::fs::metadata(path).map_or(
            Self {
                exists: false,
                modified: (0, 0),
                changed: (0, 0),
                size: 0,
                inode: 0,
            },
            |metadata| Self {
                exists: true,
                modified: (metadata.mtime(), metadata.mtime_nsec()),
                changed: (metadata.ctime(), metadata.ctime_nsec()),
                size: metadata.size(),
                inode: metadata.ino(),
            },
        )
    }
}

impl SettingsStore {
    /// The settings of this run.
    #[must_use]
    pub fn new(directories: AppDirectories, command_line: CommandLine) -> Self {
        Self {
            directories,
            command_line,
            managed: PathBuf::from(MANAGED),
            cache: Mutex::default(),
            held: Mutex::default(),
        }
    }

    /// The files that matter for a project, strongest first.
    #[must_use]
    pub fn files(&self, project: Option<&Path>) -> Vec<(RuleSource, PathBuf)> {
        let mut files = vec![(RuleSource::Managed, self.managed.clone())];
        if let Some(project) = project {
            for (source, name) in [
                (RuleSource::ProjectLocal, ".adroit/settings.local.json"),
                (RuleSource::ProjectLocal, ".claude/settings.local.json"),
                (RuleSource::Project, ".adroit/settings.json"),
                (RuleSource::Project, ".claude/settings.json"),
            ] {
                files.push((source, project.join(name)));
            }
        }
        files.push((RuleSource::User, self.directories.user_settings()));
        files
    }

    /// The file that a remembered answer of this scope goes to; none for the session's own.
    #[must_use]
    pub fn file_of(&self, scope: RuleScope, project: Option<&Path>) -> Option<PathBuf> {
        match scope {
            RuleScope::Session => None,
            RuleScope::ProjectLocal => {
                project.map(|project| project.join(".adroit/settings.local.json"))
            }
            RuleScope::Project => project.map(|project| project.join(".adroit/settings.json")),
            RuleScope::User => Some(self.directories.user_settings()),
        }
    }

    /// The settings in force now. Cheap when no file changed: one look at each.
    #[must_use]
    pub fn effective(&self, project: Option<&Path>, trusted: bool) -> Arc<Effective> {
        let files = self.files(project);
        let note = project.map(|project| self.note(project));
        let stamps: Vec<Stamp> = files
            .iter()
            .map(|(_, path)| path)
            .chain(&note)
            .map(|path| Stamp::of(path))
            .collect();
        let mut cache = self.cache.lock().unwrap_or_else(PoisonError::into_inner);
        let key = (project.map(Path::to_path_buf), trusted);
        if let Some(known) = cache.effective.get(&key)
            && known.stamps == stamps
        {
            return Arc::clone(&known.effective);
        }
        let layers = files
            .into_iter()
            .zip(&stamps)
            .map(|((source, path), stamp)| {
                let mut layer = cache.layer(source, path, *stamp, trusted);
                if let (Some(project), Some(note)) = (project, &note)
                    && is_of_project(source)
                {
                    self.as_accepted(project, note, &mut layer);
                }
                layer
            })
            .collect();
        let effective = Arc::new(Effective::merge(layers, &self.command_line));
        let merged = Merged {
            stamps,
            effective: Arc::clone(&effective),
        };
        cache.effective.insert(key, merged);
        effective
    }

    /// To be called before a command that a sandbox holds in this project begins; what is
    /// returned is dropped when nothing of it is left. See [`super::held`].
    #[must_use]
    pub fn command_begins(self: &Arc<Self>, project: &Path) -> HeldCommand {
        let files: Vec<PathBuf> = self
            .files(Some(project))
            .into_iter()
            .filter(|(source, _)| is_of_project(*source))
            .map(|(_, path)| path)
            .collect();
        self.held().begin(project, &self.note(project), &files);
        HeldCommand {
            store: Arc::clone(self),
            project: project.to_path_buf(),
        }
    }

    /// The person has seen what a command left in a file, and lets it count. False where the
    /// file says something else by now.
    pub fn accept(&self, project: &Path, path: &Path, text: &str) -> bool {
        let note = self.note(project);
        self.held()
            .accept(project, &note, path, |now| fingerprint(now) == text)
    }

    /// The app itself changed a file for the person.
    pub fn edited(&self, project: Option<&Path>, edited: &Edited) {
        if let Some(project) = project {
            let note = self.note(project);
            self.held()
                .edited(project, &note, &edited.path, &edited.before, &edited.after);
        }
    }

    /// Where it is kept what counts of a project's files.
    fn note(&self, project: &Path) -> PathBuf {
        self.directories
            .project_data(project)
            .join("settings-that-count.json")
    }

    fn held(&self) -> MutexGuard<'_, Held> {
        self.held.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Makes of a layer what counts of it, where a command changed the file.
    fn as_accepted(&self, project: &Path, note: &Path, layer: &mut Layer) {
        let path = layer.state.path.clone();
        let mut held = self.held();
        let Some(accepted) = held.accepted(project, note, &path) else {
            return;
        };
        let now = version(&path);
        if now == *accepted {
            return;
        }
        layer.document = accepted.as_deref().map_or_else(Document::default, |text| {
            Document::parse(text, &path.display().to_string(), layer.state.source)
        });
        layer.last_good = None;
        layer.state.problems.clone_from(&layer.document.problems);
        layer.state.changed_in_sandbox = Some(fingerprint(&now));
    }
}

/// A command that a sandbox holds.
#[derive(Debug)]
pub struct HeldCommand {
    store: Arc<SettingsStore>,
    project: PathBuf,
}

impl Drop for HeldCommand {
    fn drop(&mut self) {
        let note = self.store.note(&self.project);
        self.store.held().end(&self.project, &note);
    }
}

fn is_of_project(source: RuleSource) -> bool {
    matches!(source, RuleSource::Project | RuleSource::ProjectLocal)
}

impl Cache {
    fn layer(&mut self, source: RuleSource, path: PathBuf, stamp: Stamp, trusted: bool) -> Layer {
        let held_back = is_of_project(source) && !trusted;
        let known = self.files.get(&path).filter(|known| known.stamp == stamp);
        if known.is_none() {
            let document = read(&path, source, stamp.exists);
            let last_good = if document.is_broken() {
                self.files.remove(&path).and_then(|known| {
                    if known.document.is_broken() {
                        known.last_good
                    } else {
                        Some(known.document)
                    }
                })
            } else {
                None
            };
            self.files.insert(
                path.clone(),
                Known {
                    stamp,
                    document,
                    last_good,
                },
            );
        }
        let (document, last_good) = self
            .files
            .get(&path)
            .map(|known| (known.document.clone(), known.last_good.clone()))
            .unwrap_or_default();
        let problems = document.problems.clone();
        Layer {
            state: FileState {
                source,
                path,
                exists: stamp.exists,
                held_back,
                changed_in_sandbox: None,
                problems,
            },
            document,
            last_good,
        }
    }
}

fn read(path: &Path, source: RuleSource, exists: bool) -> Document {
    if !exists {
        return Document::default();
    }
    if source == RuleSource::Managed && !is_administrators(path) {
        // Anyone may make a file; only the administrator's is managed.
        return Document {
            problems: vec![Problem {
                position: None,
                text: "not used: the file must belong to root and be writable by root only"
                    .to_owned(),
                fatal: false,
            }],
            ..Document::default()
        };
    }
    match file::read_optional(path) {
        Ok(Some(text)) => Document::parse(&text, &path.display().to_string(), source),
        Ok(None) => Document::default(),
        Err(error) => Document {
            problems: vec![Problem {
                position: None,
                text: error.to_string(),
                fatal: true,
            }],
            ..Document::default()
        },
    }
}

fn is_administrators(path: &Path) -> bool {
    std::fs::metadata(path)
        .is_ok_and(|metadata| metadata.uid() == 0 && metadata.mode() & 0o022 == 0)
}

#[cfg(test)]
mod tests {
    use adroit_protocol::permission::{Behavior, Mode};
    use adroit_protocol::settings::{Provider, SandboxNetwork};

    use super::*;

    struct Fixture {
        folder: tempfile::TempDir,
        store: SettingsStore,
    }

    impl Fixture {
        fn new() -> Self {
            let folder = tempfile::tempdir().unwrap();
            let directories = AppDirectories::under(&folder.path().join("app"));
            let store = SettingsStore::new(directories, CommandLine::default());
            Self { folder, store }
        }

        fn project(&self) -> PathBuf {
            self.folder.path().join("project")
        }

        fn write(&self, path: &Path, text: &str) {
            file::write_whole(path, text, file::Privacy::Ordinary).unwrap();
        }

        fn effective(&self, trusted: bool) -> Arc<Effective> {
            self.store.effective(Some(&self.project()), trusted)
        }
    }

    #[test]
    fn an_edit_outside_applies_at_once() {
        let fixture = Fixture::new();
        let path = fixture.project().join(".adroit/settings.json");
        assert_eq!(fixture.effective(true).rules, []);
        fixture.write(&path, r#"{"permissions": {"deny": ["Bash"]}}"#);
        assert_eq!(fixture.effective(true).rules.len(), 1);
        fixture.write(&path, r#"{"permissions": {}}"#);
        assert_eq!(fixture.effective(true).rules, []);
    }

    #[test]
    fn nothing_of_an_untrusted_folder_takes_effect() {
        let fixture = Fixture::new();
        fixture.write(
            &fixture.project().join(".claude/settings.json"),
            r#"{"permissions": {"allow": ["Bash"]}}"#,
        );
        let effective = fixture.effective(false);
        assert_eq!(effective.rules, []);
        let held_back: Vec<_> = effective
            .files
            .iter()
            .filter(|file| file.held_back && file.exists)
            .collect();
        assert_eq!(held_back.len(), 1);
        assert_eq!(fixture.effective(true).rules.len(), 1);
    }

    #[test]
    fn a_file_that_breaks_keeps_its_deny_rules_and_loses_its_allow_rules() {
        let fixture = Fixture::new();
        let path = fixture.store.directories.user_settings();
        fixture.write(
            &path,
            r#"{"permissions": {"allow": ["Bash(ls)"], "deny": ["Read(.env)"]}}"#,
        );
        assert_eq!(fixture.effective(true).rules.len(), 2);
        for broken in ["{", "", "{\"permissions\": 1}"] {
            fixture.write(&path, broken);
            let effective = fixture.effective(true);
            assert_eq!(effective.rules.len(), 1, "{broken}");
            assert_eq!(effective.rules[0].behavior, Behavior::Deny);
            assert_eq!(effective.ask_everything, None);
        }
    }

    #[test]
    fn a_file_that_was_never_good_makes_everything_ask() {
        let fixture = Fixture::new();
        fixture.write(&fixture.store.directories.user_settings(), "{ nope");
        assert!(fixture.effective(true).ask_everything.is_some());
    }

    fn hook(command: &str) -> String {
        format!(
            r#"{{"PreToolUse": [{{"hooks": [{{"type": "command", "command": "{command}"}}]}}]}}"#
        )
    }

    fn in_force(effective: &Effective) -> Vec<String> {
        let entries = effective.hooks.entries();
        entries.iter().map(|entry| entry.text()).collect()
    }

    #[test]
    fn the_hooks_of_an_untrusted_folder_never_run() {
        let fixture = Fixture::new();
        fixture.write(
            &fixture.project().join(".claude/settings.json"),
            &format!(r#"{{"hooks": {}}}"#, hook("theirs")),
        );
        let effective = fixture.effective(false);
        assert_eq!(in_force(&effective), [] as [&str; 0]);
        assert_eq!(
            effective.held_back_hooks[0].reason,
            "the folder is not trusted"
        );
        assert_eq!(in_force(&fixture.effective(true)), ["theirs"]);
    }

    #[test]
    fn a_project_switches_off_its_own_hooks_only() {
        let fixture = Fixture::new();
        fixture.write(
            &fixture.store.directories.user_settings(),
            &format!(r#"{{"hooks": {}}}"#, hook("mine")),
        );
        fixture.write(
            &fixture.project().join(".adroit/settings.json"),
            &format!(
                r#"{{"disableAllHooks": true, "hooks": {}}}"#,
                hook("theirs")
            ),
        );
        assert_eq!(in_force(&fixture.effective(true)), ["mine"]);
        fixture.write(
            &fixture.store.directories.user_settings(),
            &format!(r#"{{"disableAllHooks": true, "hooks": {}}}"#, hook("mine")),
        );
        assert_eq!(in_force(&fixture.effective(true)), [] as [&str; 0]);
    }

    #[test]
    fn the_guards_of_a_file_that_breaks_still_object_but_lift_nothing() {
        let fixture = Fixture::new();
        let path = fixture.store.directories.user_settings();
        fixture.write(&path, &format!(r#"{{"hooks": {}}}"#, hook("mine")));
        assert!(fixture.effective(true).hooks.entries()[0].may_widen);
        for broken in ["{", r#"{"hooks": []}"#] {
            fixture.write(&path, broken);
            let effective = fixture.effective(true);
            assert_eq!(in_force(&effective), ["mine"], "{broken}");
            assert!(!effective.hooks.entries()[0].may_widen);
        }
    }

    #[test]
    fn a_project_cannot_lift_the_mode_nor_choose_the_server() {
        let fixture = Fixture::new();
        fixture.write(
            &fixture.project().join(".adroit/settings.json"),
            r#"{"permissions": {"defaultMode": "bypassPermissions"}, "model": {"provider": "openai-chat", "baseUrl": "http://evil.test"}}"#,
        );
        let effective = fixture.effective(true);
        assert_eq!(effective.default_mode, Mode::Default);
        assert_eq!(effective.model.base_url, None);
        fixture.write(
            &fixture.store.directories.user_settings(),
            r#"{"model": {"provider": "anthropic"}, "permissions": {"defaultMode": "acceptEdits"}}"#,
        );
        let effective = fixture.effective(true);
        assert_eq!(effective.model.provider, Some(Provider::Anthropic));
        assert_eq!(effective.default_mode, Mode::AcceptEdits);
    }

    const LIFTED: &str = r#"{"permissions": {"allow": ["Bash"], "defaultMode": "acceptEdits"}}"#;

    /// What is allowed, and which text waits to be accepted.
    fn local(effective: &Effective) -> (Vec<String>, Option<String>) {
        let rules = effective.rules.iter().map(|rule| rule.rule.clone());
        let waiting = effective
            .files
            .iter()
            .find_map(|file| file.changed_in_sandbox.clone());
        (rules.collect(), waiting)
    }

    #[test]
    fn what_appears_while_a_sandbox_holds_a_command_counts_only_once_accepted() {
        let fixture = Fixture::new();
        let store = Arc::new(fixture.store);
        let project = fixture.folder.path().join("project");
        let file = project.join(".claude/settings.local.json");
        let effective = || store.effective(Some(&project), true);
        let write = |text: &str| file::write_whole(&file, text, file::Privacy::Ordinary).unwrap();
        let running = store.command_begins(&project);
        let other = store.command_begins(&project);
        write(LIFTED);
        let (rules, waiting) = local(&effective());
        assert!(rules.is_empty() && waiting.is_some());
        assert_eq!(effective().default_mode, Mode::Default);
        drop(other);
        drop(running);
        assert_eq!(local(&effective()), (vec![], waiting.clone()));

        // Nor at the next start, with a command that begins there.
        let directories = AppDirectories::under(&fixture.folder.path().join("app"));
        let again = Arc::new(SettingsStore::new(directories, CommandLine::default()));
        assert_eq!(
            local(&again.effective(Some(&project), true)),
            (vec![], waiting.clone())
        );
        drop(again.command_begins(&project));

        // Another text than the one that was seen is not accepted.
        write(r#"{"permissions": {"allow": ["Bash", "Write"]}}"#);
        assert!(!store.accept(&project, &file, &waiting.clone().unwrap()));
        write(LIFTED);
        assert!(store.accept(&project, &file, &waiting.unwrap()));
        assert_eq!(local(&effective()), (vec!["Bash".to_owned()], None));
        write("{}");
        assert_eq!(local(&effective()), (vec![], None));
    }

    #[test]
    fn what_is_moved_away_leaves_no_trace_and_what_is_taken_away_still_counts() {
        let fixture = Fixture::new();
        let store = Arc::new(fixture.store);
        let project = fixture.folder.path().join("project");
        let file = project.join(".adroit/settings.json");
        let note = store.note(&project);
        let denying = r#"{"permissions": {"deny": ["Read(.env)"]}}"#;
        let effective = || store.effective(Some(&project), true);
        let write = |text: &str| file::write_whole(&file, text, file::Privacy::Ordinary).unwrap();
        let running = store.command_begins(&project);
        assert!(note.exists());
        write(LIFTED);
        assert!(local(&effective()).1.is_some());
        fs_err::remove_file(&file).unwrap();
        drop(running);
        assert!(!note.exists());
        write(denying);
        assert_eq!(local(&effective()), (vec!["Read(.env)".to_owned()], None));
        let running = store.command_begins(&project);
        fs_err::remove_file(&file).unwrap();
        drop(running);
        let (rules, waiting) = local(&effective());
        assert_eq!(rules, ["Read(.env)"]);
        assert_eq!(waiting.as_deref(), Some(""));
    }

    #[test]
    fn what_the_app_changes_for_the_person_counts_at_once_and_alone() {
        use super::super::edit_rule;
        let fixture = Fixture::new();
        let store = Arc::new(fixture.store);
        let project = fixture.folder.path().join("project");
        let file = project.join(".adroit/settings.json");
        let effective = || store.effective(Some(&project), true);
        let running = store.command_begins(&project);
        let edited = edit_rule(&file, Behavior::Allow, "Bash(make)", true).unwrap();
        store.edited(Some(&project), &edited);
        assert_eq!(local(&effective()), (vec!["Bash(make)".to_owned()], None));
        // The command writes, and then the person adds another rule: what the command wrote is
        // not accepted by that.
        file::write_whole(&file, LIFTED, file::Privacy::Ordinary).unwrap();
        let edited = edit_rule(&file, Behavior::Allow, "Bash(just)", true).unwrap();
        store.edited(Some(&project), &edited);
        let (rules, waiting) = local(&effective());
        assert_eq!(rules, ["Bash(make)"]);
        assert!(waiting.is_some());
        drop(running);
        assert_eq!(local(&effective()).0, ["Bash(make)"]);
    }

    #[test]
    fn a_project_narrows_the_network_of_its_commands_and_never_widens_it() {
        use SandboxNetwork::{AllowListed, Off, On};
        let listing = r#""allow_listed", "allowedDomains": ["evil.test"]"#;
        for (of_person, of_project, in_force) in [
            (r#""on""#, listing, AllowListed),
            (r#""off""#, listing, Off),
            (r#""off""#, r#""on""#, Off),
            (r#""allow_listed""#, r#""on""#, AllowListed),
            (r#""allow_listed""#, r#""off""#, Off),
        ] {
            let fixture = Fixture::new();
            let settings =
                |network| format!(r#"{{"execution": {{"sandbox": {{"network": {network}}}}}}}"#);
            fixture.write(
                &fixture.project().join(".adroit/settings.json"),
                &settings(of_project),
            );
            fixture.write(
                &fixture.store.directories.user_settings(),
                &settings(of_person),
            );
            let effective = fixture.effective(true);
            let sandbox = effective.execution.sandbox.clone().unwrap();
            assert_eq!(sandbox.network.unwrap_or_default(), in_force);
            assert_eq!(sandbox.allowed_domains, Vec::<String>::new());
        }
        assert_eq!(SandboxNetwork::default(), On);
    }
}
