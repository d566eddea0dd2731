//! Running the command to its end.

use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use std::time::Duration;

use adroit_process::{
    Exit, ExitReason, ExitStatus, InputRequest, KillReason, Output, OutputLimits, OutputMark,
    PreparedCommand, Running, Shell, ShellCommand, SpawnError, SurvivorPolicy, Wanted,
    WorkingDirectoryReport,
};
use adroit_protocol::TerminalId;
use adroit_protocol::view::Block;
use adroit_shell::Analysis;
use adroit_tool::{CallContext, ContextChange, Outcome, Progress, TerminalQuestion, ToolFailure};

use super::output::{BashOutput, join, survivors_note};
use super::sandbox::Hold;
use super::{Bash, BashInput, presentation, waiting};
use crate::tasks::NewTask;
use crate::{OpenedTerminal, TaskId};

/// Bytes of a command's output that the overflow file may hold.
const FILE_BYTES: u64 = 64 << 20;
/// Time between two looks at whether the command waits for input.
const LOOK: Duration = Duration::from_millis(400);

/// Why a command is attended no more.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Attended {
    /// It ended, or is ending.
    Ended,
    /// It was ended because it asks and nobody can answer.
    Stalled(Wanted),
    /// A person moved it to the background.
    Moved,
}

/// A command in its terminal, with what the call remembers of its start.
struct Started {
    running: Running,
    terminal: TerminalId,
    report: WorkingDirectoryReport,
    cwd: PathBuf,
    notes: Vec<String>,
    hold: Hold,
    timeout: Option<Duration>,
    memory: Option<u64>,
}

impl Bash {
    pub(super) async fn run(
        &self,
        input: &BashInput,
        context: &CallContext,
    ) -> Result<Outcome<BashOutput>, ToolFailure> {
        if let Some(done) = self.sed_edit(input, context).await {
            return done.map(Outcome::new);
        }
        let mut started = self.start(input, context).await?;
        if input.run_in_background {
            return Ok(self.go_on(input, context, started, OutputMark::default(), None));
        }
        // When this future is dropped nobody would wait for the command.
        let guard = started.running.kill_on_drop();
        let attended = self.attend(&mut started, context).await;
        if attended == Attended::Moved {
            guard.release();
            started.running.lift_timeout();
            let (output, mark) = started.running.output_since(&OutputMark::default());
            return Ok(self.go_on(input, context, started, mark, Some(output)));
        }
        let exit = started.running.wait().await;
        drop(guard);
        let stalled = match attended {
            Attended::Stalled(wanted) => Some(wanted),
            Attended::Ended | Attended::Moved => None,
        };
        self.conclude(input, context, started, exit, stalled)
            .map_err(|failure| *failure)
    }

    /// The call returns and the command goes on: started so, or moved by a person,
    /// who has seen `printed` so far.
    fn go_on(
        &self,
        input: &BashInput,
        context: &CallContext,
        started: Started,
        read: OutputMark,
        printed: Option<Output>,
    ) -> Outcome<BashOutput> {
        let milliseconds = elapsed_ms(started.running.age());
        let (terminal, cwd) = (started.terminal.clone(), started.cwd.clone());
        let mut notes = started.notes.clone();
        let task = self.adopt(input, context, started, read);
        notes.push(match &printed {
            None => format!(
                "The command runs in the background as task {task}. You will be told when it \
                 ends; read its output with TaskOutput, end it with TaskStop."
            ),
            Some(_) => format!(
                "The user moved this command to the background, where it goes on as task {task}. \
                 Go on with what does not need its end. You will be told when it ends; read its \
                 further output with TaskOutput, end it with TaskStop."
            ),
        });
        let printed = printed.unwrap_or_default();
        let warnings = self.made_later();
        Outcome::new(BashOutput {
            exit_code: None,
            meaning: None,
            output: printed.text(context.limits.terminal_chars),
            truncated: printed.dropped_bytes > 0,
            file: printed.file,
            cwd,
            milliseconds,
            survivors: Vec::new(),
            task: Some(task),
            notes,
            warnings,
            terminal: Some(terminal),
            edit: None,
        })
    }

    /// What earlier commands made after their calls were over.
    fn made_later(&self) -> Vec<String> {
        std::mem::take(
            &mut self
                .made_later
                .lock()
                .unwrap_or_else(PoisonError::into_inner),
        )
    }

    /// Looks, when a command that goes on has ended, at what it made. Nothing is moved then:
    /// in all that time the person or another call may have made it.
    fn look_later(&self, running: &Running, hold: &Hold) {
        let Hold::Confined(confined) = hold else {
            return;
        };
        let (confined, running) = (confined.clone(), running.clone());
        let later = Arc::clone(&self.made_later);
        tokio::spawn(async move {
            running.gone().await;
            let made = confined.made(None);
            let mut later = later.lock().unwrap_or_else(PoisonError::into_inner);
            later.extend(made);
        });
    }

    fn adopt(
        &self,
        input: &BashInput,
        context: &CallContext,
        started: Started,
        read: OutputMark,
    ) -> TaskId {
        self.look_later(&started.running, &started.hold);
        let explain = self
            .denied
            .explainer(&started.hold, &input.command, &started.cwd);
        self.services.tasks.adopt(NewTask {
            call: context.call.clone(),
            command: input.command.clone(),
            cwd: started.cwd,
            terminal: started.terminal,
            running: started.running,
            read,
            files: started.report,
            interactive: context.interactive,
            explain,
        })
    }

    async fn start(
        &self,
        input: &BashInput,
        context: &CallContext,
    ) -> Result<Started, ToolFailure> {
        let environment = self.services.environment.get().await;
        let shell = Shell::discover(environment.get("PATH"), environment.get("SHELL"))
            .map_err(|error| ToolFailure::new("no_shell", error.to_string()))?;
        let PreparedCommand {
            mut spec,
            report,
            note,
        } = ShellCommand {
            shell: &shell,
            command: &input.command,
            cwd: &context.cwd,
            fallback_cwd: self.services.workspace.root(),
            env: environment.for_commands(),
            definitions: environment.definitions(shell.kind),
        }
        .prepare()
        .map_err(|error| {
            ToolFailure::new("cannot_start", format!("The command was not run: {error}"))
        })?;
        let (hold, gate) = self.hold(input, context, environment, shell.kind).await?;
        if let Hold::Confined(confined) = &hold {
            confined.backend.confine(&confined.policy, &mut spec);
        }
        let settings = (self.services.commands)();
        spec.timeout = input.timeout(settings.limits.timeout);
        spec.memory = settings.limits.memory;
        spec.output_limits = OutputLimits {
            memory_bytes: context.limits.terminal_chars,
            file_bytes: settings.limits.output.unwrap_or(FILE_BYTES),
        };
        spec.overflow_dir = Some(context.overflow_directory.to_path_buf());
        spec.survivors = settings.survivors;
        if input.run_in_background {
            // Its end is that of its last process.
            spec.survivors = SurvivorPolicy::Keep;
        }
        let cwd = spec.cwd.clone();
        let running = self.services.supervisor.spawn(spec).map_err(not_started)?;
        if let Hold::Confined(confined) = &hold {
            confined.keep_for(&running);
        }
        if let Some(gate) = gate {
            gate.attend(&running);
        }
        let title = presentation::first_line(&input.command);
        let terminal = self.services.terminals.opened(OpenedTerminal {
            call: &context.call,
            title: &title,
            command: &input.command,
            cwd: &cwd,
            running: &running,
        });
        context.progress.send(Progress {
            terminal: Some(terminal.clone()),
            folder: Some(cwd.clone()),
            ..Progress::default()
        });
        let notes = note
            .into_iter()
            .chain(environment.note().map(str::to_owned))
            .chain(
                matches!(hold, Hold::Released)
                    .then(|| "Ran outside of the sandbox, as the user allowed.".to_owned()),
            )
            .collect();
        Ok(Started {
            hold,
            timeout: input.timeout(settings.limits.timeout),
            memory: settings.limits.memory,
            running,
            terminal,
            report,
            cwd,
            notes,
        })
    }

    /// Waits for the end, a cancellation, a move to the background, or input that
    /// is asked for.
    async fn attend(&self, started: &mut Started, context: &CallContext) -> Attended {
        let mut ends_of_input = 0;
        let mut asked = None;
        let mut movable = self.services.tasks.movable(&context.call);
        loop {
            tokio::select! {
                _ = started.running.wait() => return Attended::Ended,
                () = context.cancellation.cancelled() => {
                    started.running.kill(KillReason::Cancelled);
                    return Attended::Ended;
                }
                () = movable.moved() => return Attended::Moved,
                () = tokio::time::sleep(LOOK) => {}
            }
            let running = started.running.clone();
            let request = tokio::task::spawn_blocking(move || running.waiting_for_input());
            let request = request.await.ok().flatten();
            if context.interactive {
                if request != asked {
                    context.progress.send(told(started, request.as_ref()));
                    asked = request;
                }
                continue;
            }
            let Some(request) = request else {
                continue;
            };
            if ends_of_input >= waiting::ends_of_input(request.wants) {
                started.running.kill(KillReason::Cancelled);
                return Attended::Stalled(request.wants);
            }
            if ends_of_input == 0 {
                started.notes.push(waiting::GIVEN_END_OF_INPUT.to_owned());
            }
            ends_of_input += 1;
            // It may have ended in this moment; then there is nobody to tell.
            let _ = started.running.end_input().await;
        }
    }

    fn conclude(
        &self,
        input: &BashInput,
        context: &CallContext,
        mut started: Started,
        exit: Exit,
        stalled: Option<Wanted>,
    ) -> Result<Outcome<BashOutput>, Box<ToolFailure>> {
        let cwd = started.cwd.clone();
        let terminal = started.terminal.clone();
        let mut notes = std::mem::take(&mut started.notes);
        let hold = started.hold.clone();
        let mut warnings = self.made_later();
        if let Hold::Confined(confined) = &hold {
            warnings.extend(confined.made(Some(&context.overflow_directory)));
        }
        let change = started
            .report
            .read()
            .or_else(|| (*cwd != *context.cwd).then(|| cwd.clone()))
            .filter(|now| !same_folder(now, &context.cwd));
        if let Some(now) = &change
            && !self.is_inside(now)
        {
            notes.push(format!(
                "The working directory is now {}, outside the project. Read, Edit and the other \
                 file tools still resolve relative paths against {}.",
                now.display(),
                self.services.workspace.root().display()
            ));
        }
        let survive = exit.survivors.iter().any(|survivor| !survivor.killed);
        let (timeout, memory) = (started.timeout, started.memory);
        if started.running.output_is_cut() {
            let settings = (self.services.commands)();
            notes.push(format!(
                "Only the first {} MB of the output were kept in the file: the settings allow no more.",
                settings.limits.output.unwrap_or(FILE_BYTES) >> 20
            ));
        }
        let task = survive.then(|| {
            let read = started.running.output_mark();
            self.adopt(input, context, started, read)
        });
        if exit.reason == ExitReason::Exited {
            notes.extend(survivors_note(&exit.survivors, task.as_ref()));
        }
        notes.extend(
            exit.output.file_problem.as_ref().map(|problem| {
                format!("The output that was left out could not be kept: {problem}.")
            }),
        );
        let code = exit.status.shell_code();
        let meaning = adroit_shell::exit_meaning(&input.command, code);
        let benign = code == 0 || meaning.as_ref().is_some_and(|meaning| meaning.benign);
        let printed = exit.output.text(usize::MAX);
        let denied = self
            .denied
            .explainer(&hold, &input.command, &cwd)
            .and_then(|explain| explain(Some(&exit)));
        let kept_by_sandbox = denied.is_some();
        notes.extend(denied.map(|denied| format!("{} {}", denied.what, denied.next)));
        let output = BashOutput {
            exit_code: Some(code),
            meaning: meaning.map(|meaning| meaning.meaning),
            output: printed,
            truncated: exit.output.dropped_bytes > 0,
            file: exit.output.file.clone(),
            cwd,
            milliseconds: elapsed_ms(exit.elapsed),
            survivors: exit.survivors.clone(),
            task,
            notes,
            warnings,
            terminal: Some(terminal),
            edit: None,
        };
        let ended = Ended {
            exit: &exit,
            stalled: stalled.map(|wanted| {
                let analysis = self.analyses.of(&input.command, &context.cwd);
                (wanted, analysis)
            }),
            context,
            timeout,
            memory,
            kept_by_sandbox,
            never_ends: (exit.reason == ExitReason::TimedOut)
                .then(|| waiting::never_ends(&self.analyses.of(&input.command, &context.cwd)))
                .flatten(),
        };
        if benign && exit.reason == ExitReason::Exited {
            let mut outcome = Outcome::new(output);
            outcome.context_change = change.map(ContextChange::WorkingDirectory);
            return Ok(outcome);
        }
        Err(Box::new(failure(input, output, &ended, change)))
    }

    fn is_inside(&self, folder: &Path) -> bool {
        let workspace = &self.services.workspace;
        std::iter::once(workspace.root())
            .chain(
                workspace
                    .additional_directories()
                    .iter()
                    .map(PathBuf::as_path),
            )
            .any(|root| folder.starts_with(root))
    }
}

/// Whether a command waits for the person, and for what.
fn told(started: &Started, request: Option<&InputRequest>) -> Progress {
    Progress {
        message: Some(match request {
            Some(_) => "waits for input".to_owned(),
            None => "running".to_owned(),
        }),
        terminal: Some(started.terminal.clone()),
        folder: Some(started.cwd.clone()),
        question: request.map(|request| TerminalQuestion {
            text: request.last_lines.clone(),
            secret: !request.echo,
        }),
        sub_session: None,
    }
}

/// How a command ended that did not succeed.
struct Ended<'a> {
    exit: &'a Exit,
    /// What it waited for when it was ended for that.
    stalled: Option<(Wanted, Arc<Analysis>)>,
    context: &'a CallContext,
    timeout: Option<Duration>,
    memory: Option<u64>,
    kept_by_sandbox: bool,
    /// What to do instead of a command that never ends.
    never_ends: Option<&'static str>,
}

impl Ended<'_> {
    /// A stable word, a few words for the row, and a sentence for the model.
    fn describe(&self, output: &BashOutput) -> (&'static str, String, String) {
        if let (ExitReason::Killed(_), Some((wanted, analysis))) = (self.exit.reason, &self.stalled)
        {
            return waiting::ended(*wanted, analysis);
        }
        match self.exit.reason {
            ExitReason::TimedOut => {
                let limit = presentation::duration(self.timeout.unwrap_or_default().as_millis());
                (
                    "timed_out",
                    format!("timed out after {limit}"),
                    format!(
                        "Timed out after {limit}; the command and every process it started were \
                         ended. {}",
                        self.never_ends.unwrap_or(
                            "Give a longer timeout, or start it with run_in_background."
                        )
                    ),
                )
            }
            ExitReason::OutOfMemory => {
                let limit = self.memory.unwrap_or_default() >> 20;
                (
                    "out_of_memory",
                    "used too much memory".to_owned(),
                    format!(
                        "Out of memory: the command and what it started used more than {limit} MB, \
                         the limit of the settings, and were ended. Do less at once, or with fewer \
                         jobs in parallel."
                    ),
                )
            }
            ExitReason::Killed(KillReason::Person) => (
                "stopped",
                "stopped".to_owned(),
                "Stopped: the user ended this command. Ask before running it again.".to_owned(),
            ),
            ExitReason::Killed(_) => {
                let reason = self.context.cancellation.reason();
                (
                    "cancelled",
                    reason
                        .as_ref()
                        .map_or("cancelled", |reason| reason.label())
                        .to_owned(),
                    reason.map_or_else(
                        || "Cancelled: the app is closing.".to_owned(),
                        |reason| reason.message_for_model(),
                    ),
                )
            }
            ExitReason::Exited => {
                let code = output.exit_code.unwrap_or_default();
                let meaning = match (&output.meaning, self.exit.status) {
                    (Some(meaning), _) => format!(": {meaning}"),
                    (None, ExitStatus::Signal(signal)) => format!(": ended by signal {signal}"),
                    (None, ExitStatus::Code(_)) => String::new(),
                };
                (
                    "exit_code",
                    format!("exit code {code}"),
                    format!("Exit code {code}{meaning}"),
                )
            }
        }
    }
}

fn failure(
    input: &BashInput,
    output: BashOutput,
    ended: &Ended<'_>,
    change: Option<PathBuf>,
) -> ToolFailure {
    let (code, summary, sentence) = ended.describe(&output);
    let message = format!(
        "{sentence}\n{}",
        join(&output.output, None, &output.notes_and_warnings())
    );
    let time = presentation::duration(output.milliseconds.into());
    let mut blocks = vec![Block::Terminal {
        terminal: output.terminal,
        command: input.command.clone(),
        cwd: output.cwd.display().to_string(),
        output: output.output,
        exit_code: output.exit_code,
    }];
    blocks.extend(output.notes.into_iter().map(presentation::notice));
    blocks.extend(output.warnings.into_iter().map(presentation::warning));
    let summary = if ended.kept_by_sandbox && code == "exit_code" {
        format!("{summary} · perhaps kept back by the sandbox · {time}")
    } else if code == "exit_code" {
        format!("{summary} · {time}")
    } else {
        summary
    };
    let mut failure = ToolFailure::new(code, message)
        .with_blocks(blocks)
        .with_summary(summary);
    failure.context_change = change.map(ContextChange::WorkingDirectory);
    failure
}

fn not_started(error: SpawnError) -> ToolFailure {
    let code = match error {
        SpawnError::WorkingDirectory { .. } => "no_working_directory",
        SpawnError::TooLong { .. } => "too_long",
        SpawnError::ShuttingDown { .. } => "shutting_down",
        _ => "cannot_start",
    };
    ToolFailure::new(code, format!("The command was not run: {error}"))
}

fn elapsed_ms(time: Duration) -> u64 {
    u64::try_from(time.as_millis()).unwrap_or(u64::MAX)
}

/// The same folder, though one of the paths may lead through a symbolic link.
fn same_folder(one: &Path, other: &Path) -> bool {
    one == other
        || matches!(
            (one.canonicalize(), other.canonicalize()),
            (Ok(one), Ok(other)) if one == other
        )
}
