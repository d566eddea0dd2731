//! Which shell runs commands, and how a command is handed to it.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::io;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};

use crate::spec::{CommandSpec, MAX_ARGUMENT_BYTES};

/// The dialect of a shell.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ShellKind {
    /// GNU bash.
    Bash,
    /// zsh, which understands nearly all that models write for bash.
    Zsh,
    /// A plain POSIX shell such as dash.
    Posix,
}

/// A shell that can run what is written for bash.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Shell {
    /// Where it is.
    pub path: PathBuf,
    /// What it speaks.
    pub kind: ShellKind,
}

/// There is no shell that commands could run in.
#[derive(Debug, thiserror::Error, PartialEq, Eq)]
#[error(
    "no POSIX shell was found: looked for bash, zsh and sh in {searched}; install bash to run commands"
)]
pub struct NoShell {
    /// The folders looked in.
    pub searched: String,
}

/// Kinds in the order they are preferred, with the names they go by.
const PREFERENCE: &[(ShellKind, &[&str])] = &[
    (ShellKind::Bash, &["bash"]),
    (ShellKind::Zsh, &["zsh"]),
    (ShellKind::Posix, &["sh", "dash", "ash", "ksh"]),
];

/// Looked in after `PATH`: a desktop may give a program a poor one.
const USUAL_FOLDERS: &[&str] = &["/bin", "/usr/bin", "/usr/local/bin", "/opt/homebrew/bin"];

impl Shell {
    /// Finds the shell for commands: bash, else zsh, else sh, wherever `path`
    /// (the value of `PATH`) or the usual folders have one. `preferred` (the
    /// value of `SHELL`) decides only between two of the same kind: fish, nu,
    /// csh, `/bin/false` and `nologin` never run commands.
    ///
    /// # Errors
    /// When there is none.
    pub fn discover(path: Option<&OsStr>, preferred: Option<&OsStr>) -> Result<Self, NoShell> {
        Self::discover_in(path, preferred, USUAL_FOLDERS)
    }

    fn discover_in(
        path: Option<&OsStr>,
        preferred: Option<&OsStr>,
        usual: &[&str],
    ) -> Result<Self, NoShell> {
        let folders: Vec<PathBuf> = path
            .map(|path| std::env::split_paths(path).collect::<Vec<_>>())
            .unwrap_or_default()
            .into_iter()
            .filter(|folder| folder.is_absolute())
            .chain(usual.iter().map(PathBuf::from))
            .collect();
        for &(kind, names) in PREFERENCE {
            if let Some(preferred) = preferred.map(Path::new)
                && preferred.is_absolute()
                && names
                    .iter()
                    .any(|name| preferred.file_name() == Some(OsStr::new(name)))
                && is_executable(preferred)
            {
                return Ok(Self {
                    path: preferred.to_owned(),
                    kind,
                });
            }
            let found = names
                .iter()
                .flat_map(|name| folders.iter().map(move |folder| folder.join(name)))
                .find(|candidate| is_executable(candidate));
            if let Some(path) = found {
                return Ok(Self { path, kind });
            }
        }
        let searched = folders.iter().map(|folder| folder.display().to_string());
        Err(NoShell {
            searched: searched.collect::<Vec<_>>().join(", "),
        })
    }

    /// The file's name, such as `bash`.
    pub fn name(&self) -> String {
        self.path
            .file_name()
            .unwrap_or_default()
            .to_string_lossy()
            .into_owned()
    }

    /// Arguments that keep start-up files out: their effect is already in the
    /// environment, and what they print is not.
    fn plain_arguments(&self) -> &'static [&'static str] {
        match self.kind {
            ShellKind::Bash => &["--noprofile", "--norc"],
            ShellKind::Zsh => &["-f"],
            ShellKind::Posix => &[],
        }
    }
}

pub(crate) fn is_executable(path: &Path) -> bool {
    fs::metadata(path)
        .is_ok_and(|metadata| metadata.is_file() && metadata.permissions().mode() & 0o111 != 0)
}

/// The shell the person logs in with: `SHELL`, else what the user database
/// says, else any. Shells that refuse to run are passed over.
pub(crate) fn login_shell() -> Option<PathBuf> {
    let refuses = |path: &Path| {
        path.file_name()
            .is_none_or(|name| name == "false" || name == "true" || name == "nologin")
    };
    std::env::var_os("SHELL")
        .map(PathBuf::from)
        .into_iter()
        .chain(shell_of_user())
        .find(|shell| shell.is_absolute() && is_executable(shell) && !refuses(shell))
        .or_else(|| {
            let path = std::env::var_os("PATH");
            Some(Shell::discover(path.as_deref(), None).ok()?.path)
        })
}

fn shell_of_user() -> Option<PathBuf> {
    let user = rustix::process::getuid().as_raw().to_string();
    let database = fs::read_to_string("/etc/passwd").ok()?;
    let entry = database
        .lines()
        .find(|line| line.split(':').nth(2) == Some(&user))?;
    entry.split(':').nth(6).map(PathBuf::from)
}

/// The word in single quotes, so that a shell takes it as it is.
pub(crate) fn quote(word: &OsStr) -> OsString {
    use std::os::unix::ffi::OsStringExt;
    let mut quoted = vec![b'\''];
    for &byte in word.as_bytes() {
        if byte == b'\'' {
            quoted.extend_from_slice(b"'\\''");
        } else {
            quoted.push(byte);
        }
    }
    quoted.push(b'\'');
    OsString::from_vec(quoted)
}

/// A folder that only this user can enter, removed when dropped.
#[derive(Debug)]
pub(crate) struct PrivateFolder(tempfile::TempDir);

impl PrivateFolder {
    pub(crate) fn make() -> io::Result<Self> {
        let folder = tempfile::Builder::new().prefix("adroit-").tempdir()?;
        Ok(Self(folder))
    }

    /// One that is not in the temporary folder, which every confined command may write,
    /// where the system has a better place: what lies there is read by later commands.
    pub(crate) fn make_apart() -> io::Result<Self> {
        std::env::var_os("XDG_RUNTIME_DIR")
            .map(PathBuf::from)
            .filter(|runtime| runtime.is_absolute())
            .and_then(|runtime| {
                let folder = tempfile::Builder::new()
                    .prefix("adroit-")
                    .tempdir_in(runtime);
                folder.ok()
            })
            .map_or_else(Self::make, |folder| Ok(Self(folder)))
    }

    pub(crate) fn path(&self) -> &Path {
        self.0.path()
    }
}

/// A command line for a shell.
#[derive(Debug, Clone)]
pub struct ShellCommand<'a> {
    /// The shell that runs it.
    pub shell: &'a Shell,
    /// The text as the model or the person wrote it, of any length.
    pub command: &'a str,
    /// Where it is to run.
    pub cwd: &'a Path,
    /// Where it runs when `cwd` is gone: the project.
    pub fallback_cwd: &'a Path,
    /// The complete environment.
    pub env: Vec<(OsString, OsString)>,
    /// Functions and aliases in the shell's language, see
    /// [`crate::Environment::definitions`].
    pub definitions: Option<&'a Path>,
}

/// A command line ready for [`crate::Supervisor::spawn`].
#[derive(Debug)]
pub struct PreparedCommand {
    /// What to spawn; set its timeout, size and limits.
    pub spec: CommandSpec,
    /// Where the shell will say in which folder it ended. Keep it until the
    /// command has ended: it owns files that the command needs.
    pub report: WorkingDirectoryReport,
    /// Said to the model and the person: the folder was gone.
    pub note: Option<String>,
}

/// The folder a command ended in, told through a file: the terminal belongs to
/// the command alone.
#[derive(Debug)]
pub struct WorkingDirectoryReport {
    folder: PrivateFolder,
}

impl WorkingDirectoryReport {
    fn file(&self) -> PathBuf {
        self.folder.path().join("cwd")
    }

    /// The folder the shell was in at its end, with symlinks resolved. `None`
    /// when it was killed, replaced itself, or its folder is gone.
    pub fn read(&self) -> Option<PathBuf> {
        use std::os::unix::ffi::OsStringExt;
        let mut bytes = fs::read(self.file()).ok()?;
        // Exactly one line break comes from `pwd`; others belong to the name.
        if bytes.pop() != Some(b'\n') {
            return None;
        }
        let path = PathBuf::from(OsString::from_vec(bytes));
        (path.is_absolute() && path.is_dir()).then_some(path)
    }
}

impl ShellCommand<'_> {
    /// Prepares the command.
    ///
    /// # Errors
    /// When the private folder or the script file cannot be written, or the
    /// command holds a NUL.
    pub fn prepare(self) -> io::Result<PreparedCommand> {
        if self.command.contains('\0') {
            return Err(io::Error::new(
                io::ErrorKind::InvalidInput,
                "the command holds a NUL character, which no program can be given",
            ));
        }
        let (cwd, note) = self.usable_cwd();
        let report = WorkingDirectoryReport {
            folder: PrivateFolder::make()?,
        };
        let (run, text) = if self.command.len() < MAX_ARGUMENT_BYTES {
            ("eval \"$__adroit_text\"", OsString::from(self.command))
        } else {
            let script = report.folder.path().join("command");
            fs::write(&script, self.command)?;
            (". \"$__adroit_text\"", script.into_os_string())
        };
        let mut spec = CommandSpec::new(&self.shell.path, cwd, self.env);
        spec.only_waits = true;
        spec.args = self
            .shell
            .plain_arguments()
            .iter()
            .map(OsString::from)
            .chain([
                "-c".into(),
                wrapper(self.shell.kind, run, self.definitions.is_some()).into(),
                self.shell.name().into(),
                text,
                report.file().into_os_string(),
            ])
            .chain(self.definitions.map(|file| file.as_os_str().to_owned()))
            .collect();
        Ok(PreparedCommand { spec, report, note })
    }

    fn usable_cwd(&self) -> (PathBuf, Option<String>) {
        if self.cwd.is_dir() {
            return (self.cwd.to_owned(), None);
        }
        let note = format!(
            "The working directory {} no longer exists; the command ran in {}.",
            self.cwd.display(),
            self.fallback_cwd.display()
        );
        (self.fallback_cwd.to_owned(), Some(note))
    }
}

/// The text around a command, on one line so that the line numbers of the
/// shell's messages are those of the command.
///
/// The command runs in a subshell that is a job of its own (`set -m`). When the
/// outer shell, the session's leader, ends, the kernel sends SIGHUP to the
/// group in the foreground: that is then the outer shell's alone, so a server
/// started with `&` goes on without `nohup`, as it would at a person's prompt.
/// Positional parameters are cleared, so that `$1` is as empty as there.
///
/// The person's definitions are read within, before the command is parsed, so
/// that its aliases count. What the wrapper itself calls afterwards it calls as a
/// builtin: a function may have any name.
fn wrapper(kind: ShellKind, run: &str, defined: bool) -> String {
    let (monitor, no_monitor) = match kind {
        ShellKind::Bash | ShellKind::Posix => ("set -m; ", "set +m; "),
        // zsh has job control only when interactive.
        ShellKind::Zsh => ("", ""),
    };
    let (builtin, aliases) = match kind {
        ShellKind::Bash => ("builtin ", "shopt -s expand_aliases; "),
        // It has aliases of its own (`run-help`); a function of such a name does not parse.
        ShellKind::Zsh => ("builtin ", "unalias -a; setopt aliases; "),
        ShellKind::Posix => ("", ""),
    };
    let definitions = if defined {
        format!("{aliases}. \"$__adroit_definitions\" 2>/dev/null; ")
    } else {
        String::new()
    };
    format!(
        "{monitor}({no_monitor}__adroit_text=$1; __adroit_report=$2; __adroit_definitions=$3; \
         set --; trap '{builtin}pwd -P >|\"$__adroit_report\"' EXIT; \
         {definitions}{builtin}{run}); exit $?"
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    fn folder_with(names: &[&str]) -> tempfile::TempDir {
        let folder = tempfile::tempdir().expect("a folder");
        for name in names {
            let file = folder.path().join(name);
            fs::write(&file, "#!/bin/sh\n").expect("a file");
            fs::set_permissions(&file, fs::Permissions::from_mode(0o755)).expect("executable");
        }
        folder
    }

    fn discover(folder: &Path, preferred: Option<&str>) -> Result<String, NoShell> {
        let preferred = preferred.map(|name| folder.join(name).into_os_string());
        Shell::discover_in(Some(folder.as_os_str()), preferred.as_deref(), &[])
            .map(|shell| shell.name())
    }

    #[test]
    fn bash_comes_before_zsh_before_sh_and_fish_never() {
        let all = folder_with(&["fish", "sh", "zsh", "bash", "false"]);
        for preferred in ["fish", "zsh", "false", "sh", "missing"] {
            assert_eq!(discover(all.path(), Some(preferred)).as_deref(), Ok("bash"));
        }
        let some = folder_with(&["fish", "sh", "zsh"]);
        assert_eq!(discover(some.path(), Some("fish")).as_deref(), Ok("zsh"));
        let plain = folder_with(&["dash", "fish"]);
        assert_eq!(discover(plain.path(), None).as_deref(), Ok("dash"));
    }

    #[test]
    fn without_a_posix_shell_the_error_says_where_it_looked() {
        let none = folder_with(&["fish", "false", "nologin"]);
        fs::write(none.path().join("bash"), "not executable").expect("a file");
        let error = discover(none.path(), Some("false")).expect_err("no shell");
        let message = error.to_string();
        assert!(
            message.contains(&none.path().display().to_string()),
            "{message}"
        );
        assert!(message.contains("install bash"), "{message}");
    }

    #[test]
    fn quotes_in_a_path_are_kept() {
        assert_eq!(quote(OsStr::new("/a'b")), "'/a'\\''b'");
    }
}
