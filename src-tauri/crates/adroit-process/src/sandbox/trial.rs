//! Which backend works here: each is tried with a command that must be able to
//! write in one place and must fail to in another. Asking for a version is not
//! enough: on systems that keep user namespaces from ordinary programs bubblewrap
//! says its version and fails at every command.

use std::ffi::OsStr;
use std::io;
use std::path::PathBuf;
use std::time::Duration;

use super::policy::{SandboxNetwork, SandboxPolicy};
use super::{Backend, Found, Unavailable, bubblewrap};
use crate::shell::PrivateFolder;
use crate::spec::CommandSpec;
use crate::supervisor::Supervisor;
use crate::watchdog;

/// Time that a trial may take.
const LIMIT: Duration = Duration::from_secs(3);
/// What the trial prints where all went as it should.
const PROOF: &str = "confined";
/// Most bytes kept of what a trial prints.
const KEPT: usize = 4096;

/// Tries the backends, strongest first.
pub(super) async fn find(
    supervisor: &Supervisor,
    path: Option<&OsStr>,
    network: SandboxNetwork,
) -> Found {
    let mut tried = Vec::new();
    for (name, candidate) in candidates(path) {
        let outcome = match candidate {
            Ok(backend) => attempt(supervisor, &backend, network)
                .await
                .map(|()| backend),
            Err(reason) => Err(reason),
        };
        match outcome {
            Ok(backend) => {
                return Found {
                    backend: Ok(backend),
                    passed_over: tried,
                };
            }
            Err(reason) => {
                tracing::debug!(name, reason, "a sandbox does not work here");
                tried.push((name, reason));
            }
        }
    }
    Found {
        backend: Err(Unavailable {
            tried: tried.clone(),
        }),
        passed_over: tried,
    }
}

type Candidate = (&'static str, Result<Backend, String>);

#[cfg(target_os = "linux")]
fn candidates(path: Option<&OsStr>) -> Vec<Candidate> {
    let bubblewrap = on_path(bubblewrap::PROGRAM, path)
        .map(Backend::Bubblewrap)
        .ok_or_else(|| "it is not installed".to_owned());
    let landlock = watchdog::own_helper().map(Backend::Landlock);
    vec![("bubblewrap", bubblewrap), ("landlock", landlock)]
}

#[cfg(target_os = "macos")]
fn candidates(_path: Option<&OsStr>) -> Vec<Candidate> {
    vec![("seatbelt", Ok(Backend::Seatbelt))]
}

#[cfg(not(any(target_os = "linux", target_os = "macos")))]
fn candidates(_path: Option<&OsStr>) -> Vec<Candidate> {
    Vec::new()
}

#[cfg_attr(not(target_os = "linux"), allow(dead_code))]
fn on_path(program: &str, path: Option<&OsStr>) -> Option<PathBuf> {
    std::env::split_paths(path?)
        .filter(|folder| folder.is_absolute())
        .map(|folder| folder.join(program))
        .find(|candidate| crate::shell::is_executable(candidate))
}

/// The trial itself: one place that may be written, and three that may not.
async fn attempt(
    supervisor: &Supervisor,
    backend: &Backend,
    network: SandboxNetwork,
) -> Result<(), String> {
    let places = Places::make().map_err(|error| format!("no place to try it in: {error}"))?;
    let policy = SandboxPolicy {
        writable: vec![places.open.clone()],
        read_only: vec![places.protected.clone()],
        network,
        ..SandboxPolicy::default()
    };
    // A place that is protected within a writable one is more than landlock can.
    let protected = if backend.keeps_protected() {
        places.protected.as_path()
    } else {
        places.closed.as_path()
    };
    let mut spec = CommandSpec::new("/bin/sh", "/", Vec::new());
    spec.args = vec![
        "-c".into(),
        "{ echo a >\"$1/file\"; } && ! { echo a >\"$2/file\"; } 2>/dev/null \
         && ! { echo a >\"$3/file\"; } 2>/dev/null && echo \"$4\""
            .into(),
        "sh".into(),
        places.open.clone().into(),
        places.closed.clone().into(),
        protected.into(),
        PROOF.into(),
    ];
    spec.timeout = Some(LIMIT);
    backend.confine(&policy, &mut spec);
    let piped = supervisor
        .spawn_piped(spec, Vec::new(), KEPT)
        .map_err(|error| error.to_string())?;
    let end = piped.end().await;
    if end.output.text().trim() == PROOF && end.exit.status.success() {
        return Ok(());
    }
    let errors = end.errors.text();
    let reason = errors.lines().find(|line| !line.trim().is_empty());
    Err(reason.map_or_else(
        || "it let a command write where it must not".to_owned(),
        |line| line.trim().to_owned(),
    ))
}

/// Folders for a trial, gone with it.
struct Places {
    open: PathBuf,
    protected: PathBuf,
    closed: PathBuf,
    _folder: PrivateFolder,
}

impl Places {
    fn make() -> io::Result<Self> {
        let folder = PrivateFolder::make()?;
        let root = folder.path().canonicalize()?;
        let open = root.join("open");
        let places = Self {
            protected: open.join("protected"),
            closed: root.join("closed"),
            open,
            _folder: folder,
        };
        std::fs::create_dir_all(&places.protected)?;
        std::fs::create_dir_all(&places.closed)?;
        Ok(places)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::os::unix::fs::PermissionsExt as _;

    #[tokio::test]
    async fn a_program_that_only_tells_its_version_is_passed_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("bwrap");
        std::fs::write(
            &program,
            "#!/bin/sh\n[ \"$1\" = --version ] && exec echo bubblewrap 0.8.0\n\
             echo 'bwrap: setting up uid map: Permission denied' >&2\nexit 1\n",
        )
        .expect("a program");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))
            .expect("its mode");
        let supervisor = Supervisor::new(None);
        let found = find(
            &supervisor,
            Some(folder.path().as_os_str()),
            SandboxNetwork::On,
        )
        .await;
        let (name, reason) = &found.passed_over[0];
        assert_eq!(*name, "bubblewrap");
        assert_eq!(reason, "bwrap: setting up uid map: Permission denied");
    }

    #[tokio::test]
    async fn one_that_confines_nothing_is_passed_over() {
        let folder = tempfile::tempdir().expect("a folder");
        let program = folder.path().join("bwrap");
        std::fs::write(
            &program,
            "#!/bin/sh\nwhile [ \"$1\" != -- ]; do shift; done\nshift\nexec \"$@\"\n",
        )
        .expect("a program");
        std::fs::set_permissions(&program, std::fs::Permissions::from_mode(0o755))
            .expect("its mode");
        let supervisor = Supervisor::new(None);
        let backend = Backend::Bubblewrap(program);
        let outcome = attempt(&supervisor, &backend, SandboxNetwork::On).await;
        assert_eq!(
            outcome,
            Err("it let a command write where it must not".to_owned())
        );
    }

    #[test]
    fn a_program_is_not_taken_from_a_folder_of_the_project() {
        assert_eq!(on_path("sh", Some(OsStr::new(".:bin"))), None);
        assert!(on_path("sh", Some(OsStr::new(".:/bin"))).is_some());
        assert_eq!(on_path("sh", None), None);
    }
}
