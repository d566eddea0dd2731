//! Commands that speak over pipes instead of a terminal: they are given a text, and what
//! they answer is kept apart from what they complain about.

use std::io;
use std::process::Stdio;
use std::sync::{Arc, Mutex};
use std::time::{Duration, Instant};

use process_wrap::std::{ChildWrapper, CommandWrap, ProcessSession};
use tokio::io::{AsyncRead, AsyncReadExt as _, AsyncWriteExt as _};
use tokio::process::{ChildStderr, ChildStdin, ChildStdout};
use tokio::task::JoinHandle;
use uuid::Uuid;

use crate::conduct::{Limits, conduct};
use crate::exit::{Exit, KillReason};
use crate::feed::Feed;
use crate::output::Recorder;
use crate::running::{KillOnDrop, Running, lock};
use crate::spec::{CommandSpec, SpawnError, SurvivorPolicy};
use crate::supervisor::{Supervisor, take_into_group};
use crate::tree::{TAG, Tree, TreeId};

/// How long the end of a pipe is waited for once every process of the tree is gone. It is
/// certain to come, but on a busy machine the task that reads may not run for a while.
const LAST_OUTPUT: Duration = Duration::from_secs(2);

/// The beginning of what came through one pipe.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Captured {
    /// The first bytes, as many as were to be kept.
    pub bytes: Vec<u8>,
    /// How many came in all.
    pub total: u64,
}

impl Captured {
    /// The kept bytes as text; what is not UTF-8 is replaced.
    #[must_use]
    pub fn text(&self) -> String {
        String::from_utf8_lossy(&self.bytes).into_owned()
    }

    /// True where more came than was kept.
    #[must_use]
    pub fn is_cut(&self) -> bool {
        self.total > self.bytes.len() as u64
    }
}

/// A command on pipes. Dropping it kills its whole tree.
#[derive(Debug)]
#[must_use = "dropping it kills the command"]
pub struct Piped {
    running: Running,
    guard: KillOnDrop,
    input: JoinHandle<()>,
    output: Capture,
    errors: Capture,
}

/// How a command on pipes ended.
#[derive(Debug, Clone)]
pub struct PipedEnd {
    /// Its end. The terminal output in it is empty.
    pub exit: Exit,
    /// Standard output.
    pub output: Captured,
    /// Standard error.
    pub errors: Captured,
}

/// One pipe that is being read.
#[derive(Debug)]
struct Capture {
    kept: Arc<Mutex<Captured>>,
    reading: JoinHandle<()>,
}

impl Supervisor {
    /// Starts a command on pipes, in a session of its own: `input` is written to it and its
    /// input then ends; of each of its outputs the first `keep` bytes are kept and the rest is
    /// read and dropped, so that it is never held up. Whatever outlives it is killed. Of
    /// `spec` the fields that concern a terminal are not used.
    ///
    /// # Errors
    /// See [`SpawnError`].
    pub fn spawn_piped(
        &self,
        spec: CommandSpec,
        input: Vec<u8>,
        keep: usize,
    ) -> Result<Piped, SpawnError> {
        let runtime = self.ready(&spec)?;
        let id = TreeId(Uuid::new_v4());
        let begun = Instant::now();
        let note = self.note(id);
        let failed = |error: io::Error| SpawnError::Start {
            program: spec.program.clone(),
            reason: error.to_string(),
        };
        let mut child = start(&spec, id).map_err(failed)?;
        let leader = i32::try_from(child.id()).unwrap_or_default();
        let tree = Tree::new(id, leader, None);
        let feed = Feed::new(0);
        // No terminal will ever deliver anything: nobody may wait for its end.
        feed.close();
        let recorder = Recorder::new(spec.output_limits, None, spec.size);
        let shared = self.take_in(tree, feed, recorder, None, note, begun);
        let running = Running {
            shared: Arc::clone(&shared),
        };
        let guard = running.kill_on_drop();
        let registry = Arc::clone(self.registry());
        let grouping = Arc::clone(&shared);
        runtime.spawn_blocking(move || take_into_group(&grouping));
        runtime.spawn(conduct(
            shared,
            registry,
            Limits {
                timeout: spec.timeout,
                memory: spec.memory,
            },
            SurvivorPolicy::Kill,
        ));
        let stdin = child.stdin().take().map(ChildStdin::from_std).transpose();
        let stdout = child.stdout().take().map(ChildStdout::from_std).transpose();
        let stderr = child.stderr().take().map(ChildStderr::from_std).transpose();
        Ok(Piped {
            input: runtime.spawn(write(stdin.map_err(failed)?, input)),
            output: capture(&runtime, stdout.map_err(failed)?, keep),
            errors: capture(&runtime, stderr.map_err(failed)?, keep),
            running,
            guard,
        })
    }
}

/// The exit is collected by process number, so the handle is only asked for its pipes.
fn start(spec: &CommandSpec, id: TreeId) -> io::Result<Box<dyn ChildWrapper>> {
    CommandWrap::with_new(&spec.program, |command| {
        command
            .args(&spec.args)
            .current_dir(&spec.cwd)
            .env_clear()
            .envs(spec.env.iter().filter(|(name, _)| name != TAG).cloned())
            .env(TAG, id.to_string())
            .stdin(Stdio::piped())
            .stdout(Stdio::piped())
            .stderr(Stdio::piped());
    })
    .wrap(ProcessSession)
    .spawn()
}

/// Writes the input and ends it. A command that does not read is none of our business: a
/// broken pipe says only that it ended, or closed its input.
async fn write(pipe: Option<ChildStdin>, input: Vec<u8>) {
    if let Some(mut pipe) = pipe
        && let Err(error) = pipe.write_all(&input).await
        && error.kind() != io::ErrorKind::BrokenPipe
    {
        tracing::debug!(%error, "a command did not take its input");
    }
}

fn capture(
    runtime: &tokio::runtime::Handle,
    pipe: Option<impl AsyncRead + Unpin + Send + 'static>,
    keep: usize,
) -> Capture {
    let kept = Arc::new(Mutex::new(Captured::default()));
    let into = Arc::clone(&kept);
    let reading = runtime.spawn(async move {
        let Some(mut pipe) = pipe else { return };
        let mut buffer = vec![0; 16 * 1024];
        while let Ok(length @ 1..) = pipe.read(&mut buffer).await {
            let mut into = lock(&into);
            let room = keep.saturating_sub(into.bytes.len()).min(length);
            into.bytes.extend_from_slice(&buffer[..room]);
            into.total += length as u64;
        }
    });
    Capture { kept, reading }
}

impl Capture {
    async fn end(mut self, until: tokio::time::Instant) -> Captured {
        let _ = tokio::time::timeout_at(until, &mut self.reading).await;
        self.reading.abort();
        std::mem::take(&mut lock(&self.kept))
    }
}

impl Piped {
    /// The process tree.
    #[must_use]
    pub fn running(&self) -> &Running {
        &self.running
    }

    /// Kills the tree.
    pub fn kill(&self, reason: KillReason) {
        self.running.kill(reason);
    }

    /// Waits for the end of the command and of everything that it started.
    pub async fn end(self) -> PipedEnd {
        let exit = self.running.wait().await;
        self.input.abort();
        let until = tokio::time::Instant::now() + LAST_OUTPUT;
        let (output, errors) = tokio::join!(self.output.end(until), self.errors.end(until));
        drop(self.guard);
        PipedEnd {
            exit,
            output,
            errors,
        }
    }
}
