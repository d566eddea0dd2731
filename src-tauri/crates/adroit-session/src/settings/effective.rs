//! The value of all settings files together.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;

use adroit_hooks::{HookEntry, HookSet};

use adroit_protocol::permission::{Behavior, Mode, RuleEntry, RuleSource};
use adroit_protocol::settings::{
    AppearanceSettings, CompactionSettings, ExecutionSettings, ModelSettings, SandboxMode,
    SandboxNetwork, SandboxSettings, TelemetrySettings,
};

use super::document::{Document, Problem};
use super::hooks::{HeldBackHook, HookSettings, is_switched_off};

/// What this start of the app was told on its command line.
#[derive(Clone, Debug, Default)]
pub struct CommandLine {
    /// The mode.
    pub mode: Option<Mode>,
    /// Which model answers.
    pub model: ModelSettings,
}

/// One settings file as it is now.
#[derive(Clone, Debug, PartialEq)]
pub struct FileState {
    /// Whose it is.
    pub source: RuleSource,
    /// Where it is.
    pub path: PathBuf,
    /// Whether it exists.
    pub exists: bool,
    /// True where the folder is not trusted, so that the file takes no effect.
    pub held_back: bool,
    /// Names the text that a command in a sandbox left, which has no effect; what it said before
    /// has.
    pub changed_in_sandbox: Option<String>,
    /// What is wrong with it.
    pub problems: Vec<Problem>,
}

/// The settings in force for one project.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Effective {
    /// The files, strongest first.
    pub files: Vec<FileState>,
    /// The rules of all files.
    pub rules: Vec<RuleEntry>,
    /// The mode that a new session begins in.
    pub default_mode: Mode,
    /// Folders beside the project that count as inside.
    pub additional_directories: Vec<String>,
    /// Which model answers.
    pub model: ModelSettings,
    /// When a conversation is compacted.
    pub compaction: CompactionSettings,
    /// How calls are run.
    pub execution: ExecutionSettings,
    /// How it looks.
    pub appearance: AppearanceSettings,
    /// What is told of calls, and to whom.
    pub telemetry: TelemetrySettings,
    /// Switches under which tools exist, the strongest source first.
    pub features: BTreeMap<String, bool>,
    /// The hooks in force.
    pub hooks: Arc<HookSet>,
    /// Hooks that are not, each with the reason.
    pub held_back_hooks: Vec<HeldBackHook>,
    /// A file takes the mode bypassPermissions away.
    pub bypass_disabled: bool,
    /// Set where a file is broken and no good version of it is known: its deny and ask
    /// rules are unknown, so everything asks.
    pub ask_everything: Option<String>,
    /// A project wants its commands to reach listed hosts only.
    project_wants_list: bool,
}

/// One file with what to use of it.
pub(super) struct Layer {
    pub(super) state: FileState,
    pub(super) document: Document,
    /// What the file said when it was last good, where it is broken now.
    pub(super) last_good: Option<Document>,
}

impl Effective {
    /// Puts the layers together, strongest first.
    pub(super) fn merge(layers: Vec<Layer>, command_line: &CommandLine) -> Self {
        let mut effective = Self::default();
        let mut default_mode = command_line.mode;
        let mut hooks = Hooks::default();
        effective.model = command_line.model.clone();
        for layer in layers {
            let Layer {
                state,
                document,
                last_good,
            } = layer;
            let source = state.source;
            if state.held_back {
                hooks.of_untrusted_folder(document.hooks.entries);
            } else {
                let usable = if document.is_broken() {
                    effective.broken(&state, last_good)
                } else {
                    Some(document)
                };
                if let Some(mut document) = usable {
                    hooks.add(std::mem::take(&mut document.hooks), source);
                    effective.add(document, source, &mut default_mode);
                }
            }
            effective.files.push(state);
        }
        effective.narrow();
        effective.default_mode = default_mode.unwrap_or_default();
        (effective.hooks, effective.held_back_hooks) = hooks.settle();
        effective
    }

    /// Of a broken file only what narrows is kept: its last known deny and ask rules. An
    /// allow rule that the person may just have deleted must not live on.
    fn broken(&mut self, state: &FileState, last_good: Option<Document>) -> Option<Document> {
        let Some(mut document) = last_good else {
            self.ask_everything = Some(format!(
                "{} is broken, so its deny rules are not known and everything asks",
                state.path.display()
            ));
            return None;
        };
        document
            .rules
            .retain(|rule| rule.behavior != Behavior::Allow);
        document.default_mode = None;
        if let Some(sandbox) = &mut document.execution.sandbox {
            sandbox.allowed_domains.clear();
        }
        document.additional_directories.clear();
        document.hooks = document.hooks.remembered();
        Some(document)
    }

    fn add(&mut self, document: Document, source: RuleSource, default_mode: &mut Option<Mode>) {
        self.rules.extend(document.rules);
        // Whoever takes it away: no other source gives it back.
        self.bypass_disabled |= document.bypass_disabled;
        // A cloned folder must not put itself above the questions: of its shared settings
        // only modes that ask as much as the default one count.
        let mode = document.default_mode.filter(|mode| {
            source != RuleSource::Project
                || matches!(mode, Mode::Default | Mode::Plan | Mode::DontAsk)
        });
        *default_mode = default_mode.or(mode);
        self.additional_directories
            .extend(document.additional_directories);
        if !matches!(source, RuleSource::Project | RuleSource::ProjectLocal) {
            // Nor may it send the conversation to a server of its choice.
            fill(&mut self.model.provider, document.model.provider);
            fill(&mut self.model.name, document.model.name);
            fill(&mut self.model.base_url, document.model.base_url);
            fill(
                &mut self.model.max_output_tokens,
                document.model.max_output_tokens,
            );
            fill(
                &mut self.model.context_tokens,
                document.model.context_tokens,
            );
            fill(
                &mut self.compaction.automatic,
                document.compaction.automatic,
            );
            fill(
                &mut self.compaction.threshold_percent,
                document.compaction.threshold_percent,
            );
            fill(
                &mut self.telemetry.otlp_endpoint,
                document.telemetry.otlp_endpoint,
            );
            fill(&mut self.telemetry.log, document.telemetry.log);
            fill(&mut self.model.classifier, document.model.classifier);
            fill(
                &mut self.model.classifier_timeout_seconds,
                document.model.classifier_timeout_seconds,
            );
            fill(
                &mut self.model.response_timeout_seconds,
                document.model.response_timeout_seconds,
            );
            fill(
                &mut self.model.idle_timeout_seconds,
                document.model.idle_timeout_seconds,
            );
            fill(&mut self.appearance.theme, document.appearance.theme);
            fill(&mut self.appearance.density, document.appearance.density);
            // An emptied field names none.
            let editor = document.appearance.editor;
            fill(
                &mut self.appearance.editor,
                editor.filter(|command| !command.trim().is_empty()),
            );
        }
        // A switch takes tools away or leaves them; what a tool may do is judged all the same.
        for (name, on) in document.features {
            self.features.entry(name).or_insert(on);
        }
        fill(&mut self.execution.streaming, document.execution.streaming);
        fill(
            &mut self.execution.bash_error_cascade,
            document.execution.bash_error_cascade,
        );
        fill(&mut self.execution.survivors, document.execution.survivors);
        let of_project = matches!(source, RuleSource::Project | RuleSource::ProjectLocal);
        if let Some(sandbox) = document.execution.sandbox {
            self.add_sandbox(sandbox, of_project);
        }
        if !of_project {
            fill(
                &mut self.execution.agent_depth,
                document.execution.agent_depth,
            );
        }
        if let Some(limits) = document.execution.limits
            && !of_project
        {
            let own = self.execution.limits.get_or_insert_default();
            fill(&mut own.timeout_seconds, limits.timeout_seconds);
            fill(&mut own.memory_megabytes, limits.memory_megabytes);
            fill(&mut own.output_megabytes, limits.output_megabytes);
        }
    }

    /// Blocks a cloned folder that would let its commands out: it can only narrow.
    fn add_sandbox(&mut self, sandbox: SandboxSettings, of_project: bool) {
        let own = self.execution.sandbox.get_or_insert_default();
        let mode = sandbox
            .mode
            .filter(|mode| !of_project || *mode == SandboxMode::Required);
        let network = sandbox
            .network
            .filter(|network| !of_project || *network == SandboxNetwork::Off);
        fill(&mut own.mode, mode);
        fill(&mut own.network, network);
        if of_project {
            self.project_wants_list |= sandbox.network == Some(SandboxNetwork::AllowListed);
        } else {
            own.writable_paths.extend(sandbox.writable_paths);
            own.allowed_domains.extend(sandbox.allowed_domains);
        }
    }

    /// A project may ask for the list where the network would be on, and not where it is off.
    fn narrow(&mut self) {
        if self.project_wants_list {
            let network = &mut self.execution.sandbox.get_or_insert_default().network;
            if network.unwrap_or_default() == SandboxNetwork::On {
                *network = Some(SandboxNetwork::AllowListed);
            }
        }
    }
}

/// The hooks of all files while they are put together.
#[derive(Default)]
struct Hooks {
    entries: Vec<Arc<HookEntry>>,
    held_back: Vec<HeldBackHook>,
    switched_off_by: Vec<RuleSource>,
    managed_only: bool,
}

impl Hooks {
    /// Blocks a cloned folder that would run its programs before anybody trusted it.
    fn of_untrusted_folder(&mut self, entries: Vec<Arc<HookEntry>>) {
        self.held_back
            .extend(entries.into_iter().map(|entry| HeldBackHook {
                entry,
                reason: "the folder is not trusted".to_owned(),
            }));
    }

    fn add(&mut self, settings: HookSettings, source: RuleSource) {
        self.entries.extend(settings.entries);
        self.managed_only |= settings.managed_only;
        if settings.disable_all {
            self.switched_off_by.push(source);
        }
    }

    fn settle(mut self) -> (Arc<HookSet>, Vec<HeldBackHook>) {
        let mut in_force = Vec::new();
        for entry in self.entries {
            let source = entry.place.source;
            let reason = if self.managed_only && source != RuleSource::Managed {
                Some("only the hooks of the administrator run on this machine")
            } else if self
                .switched_off_by
                .iter()
                .any(|by| is_switched_off(source, *by))
            {
                Some("disableAllHooks is set")
            } else {
                None
            };
            match reason {
                None => in_force.push(entry),
                Some(reason) => self.held_back.push(HeldBackHook {
                    entry,
                    reason: reason.to_owned(),
                }),
            }
        }
        (Arc::new(HookSet::new(in_force)), self.held_back)
    }
}

fn fill<T>(place: &mut Option<T>, value: Option<T>) {
    if place.is_none() {
        *place = value;
    }
}
