//! The environment that commands run in.
//!
//! A program started from a desktop has not the environment that a person has
//! in a terminal: their login shell sets `PATH` and more. So it is asked once,
//! when first needed, and with a time limit. On top come the settings that keep
//! programs from waiting for somebody, and away go the secrets of this program.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use tokio::sync::OnceCell;

use crate::definitions::{self, Definitions, KeepsDefinition};
use crate::exit::ExitReason;
use crate::shell::{self, PrivateFolder, ShellKind};
use crate::spec::{CommandSpec, SurvivorPolicy};
use crate::supervisor::Supervisor;
use crate::tree::TAG;

/// Time that the login shell's start-up files may take.
const LOGIN_LIMIT: Duration = Duration::from_secs(5);

type Variables = Vec<(OsString, OsString)>;

/// Where the environment of commands comes from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum EnvironmentSource {
    /// This program's own when it was started from a terminal (it is the
    /// person's already), else that of the login shell.
    #[default]
    Auto,
    /// Always that of the login shell.
    LoginShell,
    /// Always this program's own.
    Process,
}

impl EnvironmentSource {
    /// Functions and aliases are in no environment, so the shell is asked for them
    /// where there is a start-up file that may hold some.
    fn asks_definitions(self, home: Option<&Path>) -> bool {
        self != Self::Process && home.is_some_and(definitions::may_exist)
    }

    fn asks_login_shell(self) -> bool {
        match self {
            Self::LoginShell => true,
            Self::Process => false,
            // Shells count their depth; desktops start programs without one,
            // or without a terminal type.
            Self::Auto => std::env::var_os("SHLVL").is_none() || std::env::var_os("TERM").is_none(),
        }
    }
}

/// The person's environment, taken once.
#[derive(Debug)]
pub struct LoginEnvironment {
    supervisor: Supervisor,
    source: EnvironmentSource,
    home: Option<PathBuf>,
    keeps: Option<KeepsDefinition>,
    taken: OnceCell<Environment>,
}

/// A complete environment for commands, with a note when it is not the one
/// that was wanted.
#[derive(Debug)]
pub struct Environment {
    variables: Variables,
    note: Option<String>,
    definitions: Option<Definitions>,
}

impl LoginEnvironment {
    /// Nothing is run until [`LoginEnvironment::get`] is called.
    pub fn new(supervisor: Supervisor, source: EnvironmentSource) -> Self {
        let home = std::env::home_dir().filter(|home| home.is_dir());
        Self {
            supervisor,
            source,
            home,
            keeps: None,
            taken: OnceCell::new(),
        }
    }

    /// Passes on the person's functions and aliases that `keeps` takes. Without it
    /// commands get none.
    #[must_use]
    pub fn with_definitions(mut self, keeps: KeepsDefinition) -> Self {
        self.keeps = Some(keeps);
        self
    }

    /// The same for a person whose home is elsewhere.
    pub fn of_home(supervisor: Supervisor, source: EnvironmentSource, home: PathBuf) -> Self {
        Self {
            home: Some(home),
            ..Self::new(supervisor, source)
        }
    }

    /// The environment; the first call may take as long as the login shell's
    /// start-up files, at most five seconds. May be called ahead of need from
    /// a task of its own.
    pub async fn get(&self) -> &Environment {
        self.taken
            .get_or_init(|| async {
                let wants_variables = self.source.asks_login_shell();
                let wants_definitions =
                    self.keeps.is_some() && self.source.asks_definitions(self.home.as_deref());
                if !wants_variables && !wants_definitions {
                    return Environment::judged(std::env::vars_os(), None, self.keeps);
                }
                let (variables, note, definitions) = match self.ask_login_shell().await {
                    Ok(login) if wants_variables => (login.variables, None, login.definitions),
                    Ok(login) => (std::env::vars_os().collect(), None, login.definitions),
                    Err(reason) => (std::env::vars_os().collect(), Some(reason), None),
                };
                let note = note.map(|reason| {
                    let lacks = if wants_variables {
                        "commands run with the application's own, so PATH may lack entries"
                    } else {
                        "commands run without your functions and aliases"
                    };
                    format!("The login shell could not be asked ({reason}); {lacks}.")
                });
                Environment {
                    definitions,
                    ..Environment::judged(variables, note, self.keeps)
                }
            })
            .await
    }
}

impl Environment {
    /// `variables` without this program's secrets and without what describes
    /// another terminal, plus what keeps programs from waiting for somebody. No
    /// function that bash would take from it.
    pub fn new(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        note: Option<String>,
    ) -> Self {
        Self::judged(variables, note, None)
    }

    fn judged(
        variables: impl IntoIterator<Item = (OsString, OsString)>,
        note: Option<String>,
        keeps: Option<KeepsDefinition>,
    ) -> Self {
        let mut kept: Variables = variables
            .into_iter()
            .filter(|(name, _)| !is_secret(name) && !is_dropped(name))
            .filter(|(name, _)| {
                let name = name.to_string_lossy();
                definitions::exported_function(&name)
                    .is_none_or(|name| definitions::keeps_exported(name, keeps))
            })
            .filter(|(name, _)| SETTINGS.iter().all(|(setting, _)| name != setting))
            .map(|(name, value)| {
                let value = if name == "PATH" {
                    absolute(&value)
                } else {
                    value
                };
                (name, value)
            })
            .collect();
        kept.extend(
            SETTINGS
                .iter()
                .map(|(name, value)| (OsString::from(name), OsString::from(value))),
        );
        Self {
            variables: kept,
            note,
            definitions: None,
        }
    }

    /// A file with the person's functions and aliases for commands of this shell.
    pub fn definitions(&self, shell: ShellKind) -> Option<&Path> {
        self.definitions.as_ref()?.file(shell)
    }

    /// For [`CommandSpec::env`] of a command that nobody sits in front of.
    pub fn for_commands(&self) -> Vec<(OsString, OsString)> {
        self.variables.clone()
    }

    /// For a terminal of the person's own: pagers and editors work there.
    pub fn for_person(&self) -> Vec<(OsString, OsString)> {
        self.variables
            .iter()
            .filter(|(name, _)| {
                name == "TERM" || SETTINGS.iter().all(|(setting, _)| name != setting)
            })
            .cloned()
            .collect()
    }

    /// The value of a variable.
    pub fn get(&self, name: &str) -> Option<&OsStr> {
        self.variables
            .iter()
            .find(|(candidate, _)| candidate == name)
            .map(|(_, value)| value.as_os_str())
    }

    /// What the person should know, such as that `PATH` may be short.
    pub fn note(&self) -> Option<&str> {
        self.note.as_deref()
    }
}

/// The entries of a `PATH` that name a folder wherever one is. With `.` or `node_modules/.bin` in
/// it a program of the project would be run under a name that is known to only read.
fn absolute(path: &OsStr) -> OsString {
    let entries = std::env::split_paths(path).filter(|entry| entry.is_absolute());
    // What was split at the colons is joined by them again.
    std::env::join_paths(entries).unwrap_or_default()
}

/// Set for every command of a model. Nobody sits in front of its pagers and
/// editors; git must neither ask nor take locks that hinder the person's git.
const SETTINGS: &[(&str, &str)] = &[
    ("TERM", "xterm-256color"),
    ("PAGER", "cat"),
    ("MANPAGER", "cat"),
    // A short text is printed and left; of a long one the first screen stays.
    ("LESS", "-FRX"),
    ("GIT_PAGER", "cat"),
    ("GH_PAGER", "cat"),
    ("SYSTEMD_PAGER", "cat"),
    ("DELTA_PAGER", "cat"),
    ("BAT_PAGER", "cat"),
    ("AWS_PAGER", ""),
    ("EDITOR", "true"),
    ("VISUAL", "true"),
    ("GIT_EDITOR", "true"),
    ("GIT_SEQUENCE_EDITOR", "true"),
    ("GIT_MERGE_AUTOEDIT", "no"),
    ("GIT_TERMINAL_PROMPT", "0"),
    ("GIT_OPTIONAL_LOCKS", "0"),
    ("GCM_INTERACTIVE", "never"),
    ("GH_PROMPT_DISABLED", "1"),
    ("DEBIAN_FRONTEND", "noninteractive"),
    ("PIP_NO_INPUT", "1"),
];

/// Keys and tokens of model providers. A command has no use for them, and a
/// model that can print them can send them away.
fn is_secret(name: &OsStr) -> bool {
    const PROVIDERS: &[&str] = &[
        "ADROIT",
        "ANTHROPIC",
        "CLAUDE",
        "OPENAI",
        "AZURE_OPENAI",
        "OPENROUTER",
        "GEMINI",
        "GOOGLE_AI",
        "GOOGLE_GENERATIVE_AI",
        "MISTRAL",
        "GROQ",
        "XAI",
        "DEEPSEEK",
        "COHERE",
        "TOGETHER",
        "FIREWORKS",
        "PERPLEXITY",
        "CEREBRAS",
        "HUGGINGFACE",
        "HF",
        "VOYAGE",
    ];
    const KINDS: &[&str] = &["KEY", "TOKEN", "SECRET", "PASSWORD", "HEADERS"];
    let name = name.to_string_lossy().to_ascii_uppercase();
    name == "GOOGLE_API_KEY"
        || PROVIDERS.iter().any(|provider| {
            name.strip_prefix(provider).is_some_and(|rest| {
                rest.starts_with('_') && KINDS.iter().any(|kind| rest.contains(kind))
            })
        })
}

/// Describes another terminal, another shell or another working directory, or
/// opens a window to ask somebody.
fn is_dropped(name: &OsStr) -> bool {
    const NAMES: &[&str] = &[
        TAG,
        "PWD",
        "OLDPWD",
        "SHLVL",
        "_",
        "COLUMNS",
        "LINES",
        "TERMCAP",
        "TERM_PROGRAM",
        "TERM_PROGRAM_VERSION",
        "TERM_SESSION_ID",
        "VTE_VERSION",
        "WINDOWID",
        "TMUX",
        "TMUX_PANE",
        "STY",
        "GIT_ASKPASS",
        "SSH_ASKPASS",
        "SUDO_ASKPASS",
        "BASH_ENV",
        "ENV",
        "PROMPT_COMMAND",
    ];
    NAMES.iter().any(|dropped| name == *dropped)
}

/// What the login shell says of itself.
struct Login {
    variables: Variables,
    definitions: Option<Definitions>,
}

impl LoginEnvironment {
    /// Runs the login shell, interactive as well (many set `PATH` only there), in
    /// a terminal of its own, and reads its environment from a file: start-up
    /// files print what they like.
    async fn ask_login_shell(&self) -> Result<Login, String> {
        let shell = shell::login_shell().ok_or("no login shell is known")?;
        let folder = PrivateFolder::make().map_err(|error| error.to_string())?;
        let file = folder.path().join("environment");
        // In a folder of its own, which goes with them where there are none.
        let definitions = PrivateFolder::make_apart()
            .ok()
            .and_then(|folder| Definitions::of(&shell, folder))
            .zip(self.keeps);
        let mut script = OsString::from("env -0 > ");
        script.push(shell::quote(file.as_os_str()));
        if let Some((definitions, _)) = &definitions {
            script.push("; ");
            script.push(definitions.script());
        }
        let home = self.home.clone().unwrap_or_else(|| PathBuf::from("/"));
        let variables = std::env::vars_os()
            .filter(|(name, _)| !is_dropped(name) && !is_secret(name) && name != "HOME")
            .chain([("HOME".into(), home.clone().into_os_string())])
            .collect();
        let mut spec = CommandSpec::new(&shell, home, variables);
        spec.args = vec!["-l".into(), "-i".into(), "-c".into(), script];
        spec.timeout = Some(LOGIN_LIMIT);
        spec.survivors = SurvivorPolicy::Kill;
        let running = self
            .supervisor
            .spawn(spec)
            .map_err(|error| error.to_string())?;
        let guard = running.kill_on_drop();
        let exit = running.wait().await;
        drop(guard);
        if exit.reason != ExitReason::Exited {
            return Err(format!(
                "{} did not finish its start-up files in {} s",
                shell.display(),
                LOGIN_LIMIT.as_secs()
            ));
        }
        let bytes = fs::read(&file)
            .map_err(|_| format!("{} ended with {:?}", shell.display(), exit.status))?;
        // What is in it are the person's secrets too.
        let _ = fs::remove_file(&file);
        let variables = parse(&bytes);
        if variables.iter().any(|(name, _)| name == "PATH") {
            Ok(Login {
                variables,
                definitions: definitions
                    .and_then(|(definitions, keeps)| definitions.kept_by(keeps)),
            })
        } else {
            Err(format!("{} printed no PATH", shell.display()))
        }
    }
}

fn parse(bytes: &[u8]) -> Variables {
    bytes
        .split(|&byte| byte == 0)
        .filter_map(|entry| {
            let equals = entry.iter().position(|&byte| byte == b'=')?;
            let name = OsStr::from_bytes(&entry[..equals]).to_owned();
            Some((name, OsString::from_vec(entry[equals + 1..].to_vec())))
        })
        .collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(entries: &[(&str, &str)]) -> Environment {
        let entries = entries
            .iter()
            .map(|(name, value)| (OsString::from(name), OsString::from(value)));
        Environment::new(entries, None)
    }

    #[test]
    fn secrets_of_model_providers_do_not_reach_commands() {
        for name in [
            "ANTHROPIC_API_KEY",
            "ANTHROPIC_AUTH_TOKEN",
            "OPENAI_API_KEY",
            "ADROIT_ANTHROPIC_KEY",
            "ADROIT_API_KEY",
            "OPENROUTER_API_KEY",
            "GEMINI_API_KEY",
            "AZURE_OPENAI_API_KEY",
        ] {
            assert_eq!(environment(&[(name, "x")]).get(name), None, "{name}");
        }
        for name in [
            "GITHUB_TOKEN",
            "ANTHROPIC_BASE_URL",
            "MONKEY",
            "HFS_KEY",
            "ADROITLY_KEY",
        ] {
            assert!(environment(&[(name, "x")]).get(name).is_some(), "{name}");
        }
    }

    #[test]
    fn no_program_is_found_in_the_folder_where_a_command_runs() {
        let environment = environment(&[("PATH", ".:/usr/bin:node_modules/.bin::/bin:")]);
        assert_eq!(environment.get("PATH"), Some(OsStr::new("/usr/bin:/bin")));
    }

    #[test]
    fn functions_in_the_environment_go_on_only_where_they_are_kept() {
        let entries = || {
            [
                "BASH_FUNC_ls%%",
                "BASH_FUNC_module%%",
                "BASH_FUNC_/bin/cat%%",
                "PLAIN",
            ]
            .map(|name| (OsString::from(name), OsString::from("() { :; }")))
        };
        let names = |environment: Environment| -> Vec<OsString> {
            let variables = environment.variables.into_iter().map(|(name, _)| name);
            variables
                .filter(|name| SETTINGS.iter().all(|(setting, _)| name != setting))
                .collect()
        };
        assert_eq!(names(Environment::new(entries(), None)), ["PLAIN"]);
        let kept = Environment::judged(entries(), None, Some(|found| found.name() != "ls"));
        assert_eq!(names(kept), ["BASH_FUNC_module%%", "PLAIN"]);
    }

    #[test]
    fn nothing_waits_for_somebody_and_a_person_keeps_their_pager() {
        let environment = environment(&[("PAGER", "less"), ("COLUMNS", "80"), ("HOME", "/h")]);
        let commands = environment.for_commands();
        let pagers: Vec<_> = commands
            .iter()
            .filter(|(name, _)| name == "PAGER")
            .collect();
        assert_eq!(pagers, [&("PAGER".into(), "cat".into())]);
        assert_eq!(environment.get("COLUMNS"), None);
        assert_eq!(environment.get("GIT_OPTIONAL_LOCKS"), Some(OsStr::new("0")));
        let person = environment.for_person();
        assert!(person.iter().all(|(name, _)| name != "EDITOR"));
        assert!(person.contains(&("TERM".into(), "xterm-256color".into())));
    }

    #[test]
    fn values_with_line_breaks_and_equals_signs_are_read() {
        let variables = parse(b"A=1=2\0B=x\ny\0BASH_FUNC_f%%=() { :; }\0broken\0");
        assert_eq!(variables.len(), 3);
        assert_eq!(variables[0], ("A".into(), "1=2".into()));
        assert_eq!(variables[1], ("B".into(), "x\ny".into()));
    }
}
