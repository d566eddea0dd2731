//! Starting a program in a terminal of its own. The only place that names the
//! PTY library.

use std::ffi::OsString;
use std::io::{self, Read, Write};
use std::path::{Path, PathBuf};

use portable_pty::{CommandBuilder, MasterPty, NativePtySystem, PtySize, PtySystem};

/// The size of a terminal in characters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, serde::Serialize, serde::Deserialize)]
pub struct TerminalSize {
    /// Lines.
    pub rows: u16,
    /// Characters in a line.
    pub columns: u16,
}

impl Default for TerminalSize {
    /// 24 rows of 120 columns.
    fn default() -> Self {
        Self {
            rows: 24,
            columns: 120,
        }
    }
}

impl TerminalSize {
    /// No dimension below what terminal programs and emulators can handle.
    pub(crate) fn at_least_usable(self) -> Self {
        Self {
            rows: self.rows.max(2),
            columns: self.columns.max(2),
        }
    }

    fn for_library(self) -> PtySize {
        PtySize {
            rows: self.rows,
            cols: self.columns,
            pixel_width: 0,
            pixel_height: 0,
        }
    }
}

/// Bits of the terminal's local modes (termios(3)).
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct Modes {
    /// What is typed is shown.
    pub(crate) echo: bool,
    /// Input comes line by line.
    pub(crate) canonical: bool,
}

/// Our side of a terminal.
pub(crate) struct Terminal {
    master: Box<dyn MasterPty + Send>,
    path: Option<PathBuf>,
}

/// A program just started.
pub(crate) struct Started {
    pub(crate) terminal: Terminal,
    pub(crate) reader: Box<dyn Read + Send>,
    pub(crate) pid: i32,
}

/// Opens a terminal and starts `program` in it: in a session of its own with
/// the terminal as the controlling one, no descriptor but 0 to 2 inherited,
/// `environment` complete.
pub(crate) fn start(
    program: &Path,
    arguments: &[OsString],
    folder: &Path,
    environment: impl Iterator<Item = (OsString, OsString)>,
    size: TerminalSize,
) -> Result<Started, String> {
    let pair = NativePtySystem::default()
        .openpty(size.for_library())
        .map_err(|error| format!("no terminal could be opened: {error}"))?;
    let mut command = CommandBuilder::new(program);
    command.args(arguments);
    command.cwd(folder);
    command.env_clear();
    for (name, value) in environment {
        command.env(name, value);
    }
    let reader = pair
        .master
        .try_clone_reader()
        .map_err(|error| error.to_string())?;
    let child = pair
        .slave
        .spawn_command(command)
        .map_err(|error| error.to_string())?;
    let pid = child
        .process_id()
        .and_then(|pid| i32::try_from(pid).ok())
        .ok_or("the system gave no process number")?;
    // The exit is collected by process number; our copy of the program's side
    // is closed here, or the terminal would never report its end.
    drop((child, pair.slave));
    Ok(Started {
        terminal: Terminal {
            path: pair.master.tty_name(),
            master: pair.master,
        },
        reader,
        pid,
    })
}

impl Terminal {
    /// The device, such as `/dev/pts/3`.
    pub(crate) fn path(&self) -> Option<&Path> {
        self.path.as_deref()
    }

    pub(crate) fn resize(&self, size: TerminalSize) -> io::Result<()> {
        self.master
            .resize(size.for_library())
            .map_err(io::Error::other)
    }

    pub(crate) fn writer(&self) -> io::Result<Box<dyn Write + Send>> {
        self.master.take_writer().map_err(io::Error::other)
    }

    pub(crate) fn foreground_group(&self) -> Option<i32> {
        self.master.process_group_leader()
    }

    pub(crate) fn modes(&self) -> Option<Modes> {
        // Values of ECHO and ICANON in the kernel's termbits.h.
        #[cfg(target_os = "linux")]
        const ECHO: u64 = 0o10;
        #[cfg(target_os = "linux")]
        const CANONICAL: u64 = 0o2;
        #[cfg(not(target_os = "linux"))]
        const ECHO: u64 = 0x8;
        #[cfg(not(target_os = "linux"))]
        const CANONICAL: u64 = 0x100;
        let bits = u64::from(self.master.get_termios()?.local_flags.bits());
        Some(Modes {
            echo: bits & ECHO != 0,
            canonical: bits & CANONICAL != 0,
        })
    }
}
