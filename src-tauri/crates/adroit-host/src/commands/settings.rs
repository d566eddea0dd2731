//! Settings, rules, keys.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use adroit_model::client;
use adroit_permissions::{HostList, RuleSet};
use adroit_process::{Backend, Sandbox};
use adroit_protocol::command::{
    AgentState, ChangeSettings, ProviderCheck, ProviderRef, RuleOddity, RuleReport, SetSecret,
    SettingsChange, SettingsFileState, SettingsProblem, SettingsQuery, SettingsState,
};
use adroit_protocol::event::Event;
use adroit_protocol::permission::{Behavior, Mode, RuleEntry, RuleScope};
use adroit_protocol::settings::{
    LimitSettings, Provider, SandboxMode, SandboxNetwork, SandboxState,
};
use adroit_protocol::{ErrorCode, WireError};
use adroit_session::session::is_trusted;
use adroit_session::settings::{
    EditError, Edited, Effective, Value, edit_model, edit_rule, edit_value,
};
use adroit_session::{Session, agent_states};

use super::{Answer, failed, project};
use crate::App;

pub(super) fn get(app: &App, query: &SettingsQuery) -> Answer<SettingsState> {
    let effective = effective(app, query)?;
    let mut rules = effective.rules.clone();
    if let Some(session) = &query.session {
        rules.extend(app.session(session)?.session_rules());
    }
    // Compiled as they are used, so that the panel shows the same problems that decisions see.
    let (holding, ended): (Vec<RuleEntry>, Vec<RuleEntry>) =
        rules.into_iter().partition(adroit_session::rule_holds_now);
    let compiled = RuleSet::compile(holding);
    let mut reports = compiled.reports();
    let rules = compiled.entries().chain(&ended).cloned().collect();
    reports.extend(ended.into_iter().map(|rule| RuleReport {
        rule,
        kind: RuleOddity::Expired,
        text: "it has ceased to hold".to_owned(),
    }));
    Ok(SettingsState {
        files: effective.files.iter().map(file_state).collect(),
        rules,
        reports,
        default_mode: effective.default_mode,
        theme: effective.appearance.theme.unwrap_or_default(),
        editor: effective.appearance.editor.clone(),
        density: effective.appearance.density.unwrap_or_default(),
        agents: agents(app, query)?,
        sandbox: sandbox_state(app, &effective),
        compaction: effective.compaction.clone(),
        execution: effective.execution.clone(),
        provider: effective.model.provider.unwrap_or_default(),
        model: effective.model.name.clone(),
        base_url: effective.model.base_url.clone(),
        keys: Provider::ALL
            .into_iter()
            .filter(|provider| *provider != Provider::Offline)
            .map(|provider| app.inner.shared.secrets.state(provider))
            .collect(),
    })
}

/// What holds commands now. Where nobody has looked yet, somebody does, and the panel is told.
fn sandbox_state(app: &App, effective: &Effective) -> SandboxState {
    let settings = effective.execution.sandbox.clone().unwrap_or_default();
    let network = adroit_session::sandbox_network(settings.network.unwrap_or_default());
    let sandbox = &app.inner.shared.sandbox;
    if settings.mode.unwrap_or_default() == SandboxMode::Off {
        return SandboxState {
            backend: None,
            meaning: "Commands may write wherever you may.".to_owned(),
        };
    }
    let Some(found) = sandbox.found(network) else {
        let (sandbox, app) = (sandbox.clone(), app.clone());
        tokio::spawn(async move {
            sandbox.find(network).await;
            app.notify(Event::SettingsChanged);
        });
        return SandboxState {
            backend: None,
            meaning: "It is being tried out what works on this machine.".to_owned(),
        };
    };
    let passed_over: Vec<String> = found
        .passed_over
        .iter()
        .map(|(name, reason)| format!("{name} does not work here: {reason}"))
        .collect();
    match &found.backend {
        Ok(backend) => SandboxState {
            backend: Some(backend.name().to_owned()),
            meaning: not_listed(sandbox, backend, settings.network)
                + &if backend.keeps_protected() {
                    "Commands write to the project, temporary folders and caches alone; protected \
                 paths in the project stay as they are."
                        .to_owned()
                } else {
                    format!(
                        "Commands write to the project, temporary folders and caches alone. Protected \
                     paths in the project are not held by it. ({})",
                        passed_over.join("; ")
                    )
                },
        },
        Err(_) => SandboxState {
            backend: None,
            meaning: format!("Nothing holds commands. ({})", passed_over.join("; ")),
        },
    }
}

/// That a list of hosts cannot be held, where one is asked for.
fn not_listed(sandbox: &Sandbox, backend: &Backend, network: Option<SandboxNetwork>) -> String {
    let wanted = network == Some(SandboxNetwork::AllowListed);
    match sandbox.network_helper(backend) {
        Err(reason) if wanted => format!(
            "The list of allowed hosts cannot be held here ({reason}), so commands do not reach \
             the network. "
        ),
        _ => String::new(),
    }
}

fn file_state(file: &adroit_session::settings::FileState) -> SettingsFileState {
    SettingsFileState {
        source: file.source,
        path: file.path.display().to_string(),
        exists: file.exists,
        held_back: file.held_back,
        changed_in_sandbox: file.changed_in_sandbox.clone(),
        problems: file
            .problems
            .iter()
            .map(|problem| SettingsProblem {
                position: problem.position,
                text: problem.text.clone(),
                fatal: problem.fatal,
            })
            .collect(),
    }
}

pub(super) fn change(app: &App, input: &ChangeSettings) -> Answer<SettingsState> {
    let query = SettingsQuery {
        project: input.project.clone(),
        session: input.session.clone(),
    };
    let folder = folder_of(app, &query)?;
    let target = Target {
        app,
        folder: folder.as_deref(),
        session: input.session.as_ref(),
    };
    match &input.change {
        SettingsChange::AddRule {
            behavior,
            rule,
            scope,
        } => target.add_rule(*behavior, rule, *scope)?,
        SettingsChange::RemoveRule {
            behavior,
            rule,
            scope,
            file,
        } => {
            target.remove_rule(*behavior, rule, *scope, file.as_deref())?;
        }
        SettingsChange::SetDefaultMode { mode, scope } => target.set_default_mode(*mode, *scope)?,
        SettingsChange::SetModel {
            provider,
            name,
            base_url,
        } => {
            let path = target.user_file()?;
            let edited = edit_model(&path, provider.word(), name.as_deref(), base_url.as_deref());
            target.done(edited)?;
        }
        SettingsChange::SetAppearance { appearance } => {
            target.set_section(
                "appearance",
                &serde_json::to_value(appearance).map_err(failed)?,
            )?;
        }
        SettingsChange::SetCompaction { compaction } => {
            target.set_section(
                "compaction",
                &serde_json::to_value(compaction).map_err(failed)?,
            )?;
        }
        SettingsChange::SetExecution { execution } => {
            target.set_section(
                "execution",
                &serde_json::to_value(execution).map_err(failed)?,
            )?;
        }
        SettingsChange::AcceptFile { path, text } => target.accept_file(path, text)?,
        SettingsChange::SetLimits { limits } => set_limits(&target.user_file()?, limits)?,
        SettingsChange::SetAllowedDomains { domains } => {
            set_allowed_domains(&target.user_file()?, domains)?;
        }
    }
    app.notify(Event::SettingsChanged);
    app.reconsider_requests();
    get(app, &query)
}

struct Target<'a> {
    app: &'a App,
    folder: Option<&'a Path>,
    session: Option<&'a adroit_protocol::SessionId>,
}

impl Target<'_> {
    fn file(&self, scope: RuleScope) -> Answer<Option<PathBuf>> {
        let of_project = matches!(scope, RuleScope::Project | RuleScope::ProjectLocal);
        if of_project
            && !self
                .folder
                .is_some_and(|folder| is_trusted(&self.app.inner.shared.projects, folder))
        {
            return Err(WireError::new(
                ErrorCode::Untrusted,
                "the folder is not trusted, so its settings take no effect and are not changed",
            )
            .with_hint("Trust the folder first, or keep the rule in your own settings."));
        }
        Ok(self.app.inner.shared.settings.file_of(scope, self.folder))
    }

    fn user_file(&self) -> Answer<PathBuf> {
        self.file(RuleScope::User)?
            .ok_or_else(|| failed("there is no settings file of your own"))
    }

    fn session(&self) -> Answer<Arc<Session>> {
        let id = self.session.ok_or_else(|| {
            WireError::new(
                ErrorCode::InvalidInput,
                "a rule of the session needs a session that is open",
            )
        })?;
        self.app.session(id)
    }

    fn add_rule(&self, behavior: Behavior, rule: &str, scope: RuleScope) -> Answer<()> {
        let rule = rule.trim();
        let problem = RuleSet::compile(vec![adroit_protocol::permission::RuleEntry {
            rule: rule.to_owned(),
            behavior,
            source: adroit_protocol::permission::RuleSource::Session,
            file: None,
            position: None,
            expires_at: None,
            problem: None,
        }])
        .entries()
        .find_map(|entry| entry.problem.clone());
        if let Some(problem) = problem {
            return Err(WireError::new(
                ErrorCode::InvalidInput,
                format!("`{rule}` is not a rule: {problem}"),
            )
            .with_hint(
                "A rule is a tool's name, or Tool(specifier): Bash(cargo test:*), Read(src/**).",
            ));
        }
        match self.file(scope)? {
            Some(path) => self.done(edit_rule(&path, behavior, rule, true)),
            None => {
                self.session()?.change_session_rule(behavior, rule, true);
                Ok(())
            }
        }
    }

    /// A source can have two files (ours and `.claude/`); the rule is taken from the one that
    /// was named, which must be one of the source's own.
    fn remove_rule(
        &self,
        behavior: Behavior,
        rule: &str,
        scope: RuleScope,
        file: Option<&str>,
    ) -> Answer<()> {
        let Some(path) = self.file(scope)? else {
            self.session()?.change_session_rule(behavior, rule, false);
            return Ok(());
        };
        let path = match file {
            None => path,
            Some(named) => self
                .app
                .inner
                .shared
                .settings
                .files(self.folder)
                .into_iter()
                .map(|(_, path)| path)
                .find(|path| path.display().to_string() == named)
                .ok_or_else(|| {
                    WireError::new(
                        ErrorCode::NotFound,
                        format!("{named} is not a settings file"),
                    )
                })?,
        };
        self.done(edit_rule(&path, behavior, rule, false))
    }

    fn set_default_mode(&self, mode: Mode, scope: RuleScope) -> Answer<()> {
        let path = self.file(scope)?.ok_or_else(|| {
            WireError::new(
                ErrorCode::InvalidInput,
                "a session's own mode is switched beside the composer",
            )
        })?;
        if mode == Mode::BypassPermissions {
            // The panel asked before it sent this.
            self.app.inner.shared.projects.confirms_bypass(true);
        }
        self.done(edit_value(
            &path,
            &["permissions"],
            "defaultMode",
            Some(Value::String(mode.word().to_owned())),
        ))
    }

    /// What the app changes for the person counts, whatever runs meanwhile.
    fn done(&self, edited: Result<Edited, EditError>) -> Answer<()> {
        let edited = edited.map_err(failed)?;
        self.app.inner.shared.settings.edited(self.folder, &edited);
        Ok(())
    }

    fn accept_file(&self, path: &str, text: &str) -> Answer<()> {
        let accepted = self.folder.is_some_and(|folder| {
            let settings = &self.app.inner.shared.settings;
            settings.accept(folder, Path::new(path), text)
        });
        if accepted {
            return Ok(());
        }
        Err(WireError::new(
            ErrorCode::Stale,
            "the file says something else by now, so it was not accepted",
        )
        .with_hint("Look at it once more."))
    }

    fn set_section(&self, section: &str, fields: &serde_json::Value) -> Answer<()> {
        set_fields(&self.user_file()?, &[section], fields)
    }
}

/// A file of the person's own, which no command in a project reaches.
fn kept_by_person(edited: Result<Edited, EditError>) -> Answer<()> {
    edited.map(|_| ()).map_err(failed)
}

/// Sets limits that can be kept to; those that are absent are taken out.
fn set_limits(path: &Path, limits: &LimitSettings) -> Answer<()> {
    if let Some(problem) = limits.problem() {
        return Err(WireError::new(ErrorCode::InvalidInput, problem));
    }
    for (name, value) in [
        ("timeoutSeconds", limits.timeout_seconds),
        ("memoryMegabytes", limits.memory_megabytes),
        ("outputMegabytes", limits.output_megabytes),
    ] {
        let value = value.map(|value| Value::Number(value.to_string()));
        kept_by_person(edit_value(path, &["execution", "limits"], name, value))?;
    }
    Ok(())
}

/// Sets the list where all of it are hosts.
fn set_allowed_domains(path: &Path, domains: &[String]) -> Answer<()> {
    for domain in domains {
        HostList::check(domain)
            .map_err(|reason| WireError::new(ErrorCode::InvalidInput, reason))?;
    }
    let list = domains.iter().cloned().map(Value::String).collect();
    let sections = ["execution", "sandbox"];
    let list = Some(Value::Array(list));
    kept_by_person(edit_value(path, &sections, "allowedDomains", list))
}

/// Sets what is there of a section and of those within it; absent ones stay.
fn set_fields(path: &Path, sections: &[&str], fields: &serde_json::Value) -> Answer<()> {
    for (name, value) in fields.as_object().into_iter().flatten() {
        let value = match value {
            serde_json::Value::Null => continue,
            serde_json::Value::Array(list) if list.is_empty() => continue,
            serde_json::Value::Bool(flag) => Value::Bool(*flag),
            serde_json::Value::Number(number) => Value::Number(number.to_string()),
            serde_json::Value::String(text) => Value::String(text.clone()),
            inner @ serde_json::Value::Object(_) => {
                set_fields(path, &[sections, &[name]].concat(), inner)?;
                continue;
            }
            other @ serde_json::Value::Array(_) => {
                return Err(failed(format!(
                    "`{}.{name}` cannot be {other}",
                    sections.join(".")
                )));
            }
        };
        kept_by_person(edit_value(path, sections, name, Some(value)))?;
    }
    Ok(())
}

pub(super) fn set_secret(app: &App, input: &SetSecret) -> Answer<SettingsState> {
    app.inner
        .shared
        .secrets
        .store(input.provider, &input.key)
        .map_err(|error| {
            WireError::new(ErrorCode::Failed, error.to_string())
                .with_hint("Paste the key as the provider shows it.")
        })?;
    app.notify(Event::SettingsChanged);
    get(
        app,
        &SettingsQuery {
            project: None,
            session: None,
        },
    )
}

pub(super) fn clear_secret(app: &App, input: &ProviderRef) -> Answer<SettingsState> {
    app.inner
        .shared
        .secrets
        .clear(input.provider)
        .map_err(failed)?;
    app.notify(Event::SettingsChanged);
    get(
        app,
        &SettingsQuery {
            project: None,
            session: None,
        },
    )
}

pub(super) async fn check_provider(app: &App, query: &SettingsQuery) -> Answer<ProviderCheck> {
    let effective = effective(app, query)?;
    Ok(match ask_models(app, &effective).await {
        Ok(models) => ProviderCheck {
            ok: true,
            text: answered(&effective, &models),
            models,
        },
        Err(error) => ProviderCheck {
            ok: false,
            text: format!("{error}. {}", error.hint()),
            models: Vec::new(),
        },
    })
}

async fn ask_models(
    app: &App,
    effective: &Effective,
) -> Result<Vec<String>, adroit_model::ModelError> {
    let provider = effective.model.provider.unwrap_or_default();
    let mut config = adroit_session::configured(&effective.model);
    config.key = app.inner.shared.secrets.key(provider);
    client(&config)?.models().await
}

fn answered(effective: &Effective, models: &[String]) -> String {
    match &effective.model.name {
        Some(name) if !models.is_empty() && !models.contains(name) => {
            format!(
                "It answers, but does not list the model `{name}`: choose one of its {} models.",
                models.len()
            )
        }
        _ => format!("It answers and offers {} models.", models.len()),
    }
}

/// The settings in force for what is asked about.
fn agents(app: &App, query: &SettingsQuery) -> Answer<Vec<AgentState>> {
    let (folder, trusted) = judged_folder(app, query)?;
    let directories = &app.inner.shared.directories;
    Ok(agent_states(directories, folder.as_deref(), trusted))
}

pub(super) fn effective(app: &App, query: &SettingsQuery) -> Answer<Arc<Effective>> {
    let (folder, trusted) = judged_folder(app, query)?;
    Ok(app
        .inner
        .shared
        .settings
        .effective(folder.as_deref(), trusted))
}

/// The folder, and whether it is trusted.
fn judged_folder(app: &App, query: &SettingsQuery) -> Answer<(Option<PathBuf>, bool)> {
    let folder = folder_of(app, query)?;
    let trusted = folder
        .as_deref()
        .is_some_and(|folder| is_trusted(&app.inner.shared.projects, folder));
    Ok((folder, trusted))
}

fn folder_of(app: &App, query: &SettingsQuery) -> Answer<Option<PathBuf>> {
    query
        .project
        .as_deref()
        .map(|path| project::folder(app, path))
        .transpose()
}
