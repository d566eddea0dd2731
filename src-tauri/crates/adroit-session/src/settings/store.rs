//! Reads the settings files, again whenever one has changed.

use std::collections::HashMap;
use std::os::unix::fs::MetadataExt as _;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use adroit_protocol::permission::{RuleScope, RuleSource};

use super::document::{Document, Problem};
use super::effective::{CommandLine, Effective, FileState, Layer};
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
        let stamps: Vec<Stamp> = files.iter().map(|(_, path)| Stamp::of(path)).collect();
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
            .map(|((source, path), stamp)| cache.layer(source, path, *stamp, trusted))
            .collect();
        let effective = Arc::new(Effective::merge(layers, &self.command_line));
        let merged = Merged {
            stamps,
            effective: Arc::clone(&effective),
        };
        cache.effective.insert(key, merged);
        effective
    }
}

impl Cache {
    fn layer(&mut self, source: RuleSource, path: PathBuf, stamp: Stamp, trusted: bool) -> Layer {
        let of_project = matches!(source, RuleSource::Project | RuleSource::ProjectLocal);
        let held_back = of_project && !trusted;
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
    use adroit_protocol::settings::Provider;

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
}
