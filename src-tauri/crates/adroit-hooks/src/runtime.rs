//! Runs the hooks of one session.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use adroit_process::{LoginEnvironment, Supervisor};
use adroit_protocol::hook::{HookEvent, HookFailurePolicy, HookOutcome, HookRun};
use adroit_protocol::permission::{Mode, RuleSuggestion};
use adroit_protocol::view::Tone;
use adroit_protocol::{CallId, SessionId};
use futures::FutureExt;
use futures::future::{BoxFuture, join_all};
use serde_json::{Value, json};

use crate::answer::Said;
use crate::call::{AfterCall, BeforeCall, HookCall, Hooks, InsteadOfPerson};
use crate::entry::{Handler, HookEntry, HookSet};
use crate::http::{Request, Requests, SharedRequests};
use crate::merge::{self, Answered};
use crate::occasion::{Heard, Occasion};
use crate::payload::{Common, permission_suggestions};
use crate::run::{Ran, Recording};
use crate::{command, http};

/// Hears of runs. Called from the calls' own tasks: must be quick.
pub trait HookObserver: Send + Sync {
    /// A hook ran to its end, or was ended.
    fn ran(&self, run: &HookRun);

    /// Something that the person should see: a failure, or what a hook wants to tell them.
    fn remark(&self, tone: Tone, text: String, hint: Option<String>);
}

/// What the hooks of a session run in.
#[derive(Clone)]
pub struct Surroundings {
    /// The session.
    pub session: SessionId,
    /// Its transcript.
    pub transcript: PathBuf,
    /// The project's folder.
    pub project: PathBuf,
    /// Runs their commands.
    pub supervisor: Supervisor,
    /// The environment of their commands.
    pub environment: Arc<LoginEnvironment>,
}

/// Gives the hooks in force, at each event anew: a change of settings or of trust applies to
/// the very next one.
pub type InForce = Arc<dyn Fn() -> Arc<HookSet> + Send + Sync>;

/// The hooks of one session.
pub struct HookRuntime {
    shared: Arc<Shared>,
    in_force: InForce,
}

/// What hooks that run in the background keep as well.
struct Shared {
    surroundings: Surroundings,
    observer: Arc<dyn HookObserver>,
    requests: SharedRequests,
}

impl HookRuntime {
    /// The hooks of a session.
    #[must_use]
    pub fn new(
        surroundings: Surroundings,
        observer: Arc<dyn HookObserver>,
        in_force: InForce,
    ) -> Self {
        let requests = Arc::new(Requests::default());
        Self {
            shared: Arc::new(Shared {
                surroundings,
                observer,
                requests,
            }),
            in_force,
        }
    }

    /// Tells the hooks of something that is no call.
    pub async fn tell(&self, occasion: &Occasion, cwd: &Path, mode: Mode) -> Heard {
        let event = occasion.event();
        let kind = occasion.kind();
        let hooks = (self.in_force)().of(event, |entry| {
            kind.is_none_or(|kind| entry.matcher.matches([kind]))
        });
        if hooks.is_empty() {
            return Heard::default();
        }
        let payload = self.common().of_occasion(occasion, cwd, mode);
        merge::heard(self.ask(hooks, &payload, cwd, None).await)
    }

    fn common(&self) -> Common<'_> {
        Common {
            session: &self.shared.surroundings.session,
            transcript: &self.shared.surroundings.transcript,
        }
    }

    async fn ask_about(
        &self,
        event: HookEvent,
        call: HookCall<'_>,
        more: impl IntoIterator<Item = (&'static str, Value)>,
    ) -> Vec<Answered> {
        let names = || std::iter::once(call.tool).chain(call.aliases.iter().copied());
        let hooks = (self.in_force)().of(event, |entry| {
            entry.matcher.matches(names())
                && entry
                    .condition
                    .as_ref()
                    .is_none_or(|condition| (call.concerns)(condition))
        });
        if hooks.is_empty() {
            return Vec::new();
        }
        let payload = self.common().of_call(event, &call, more);
        self.ask(hooks, &payload, call.cwd, Some(call.call)).await
    }

    /// Runs hooks at once and waits for all of them: a hook that says no spares none of the
    /// others, which may be there to write things down.
    async fn ask(
        &self,
        hooks: Vec<Arc<HookEntry>>,
        payload: &Value,
        cwd: &Path,
        call: Option<&CallId>,
    ) -> Vec<Answered> {
        let input = payload.to_string().into_bytes();
        let mut waited_for = Vec::new();
        for entry in hooks {
            if entry.background {
                self.run_in_background(entry, input.clone(), cwd, call);
            } else {
                waited_for.push(self.shared.run(entry, input.clone(), cwd, call));
            }
        }
        let answers: Vec<Answered> = join_all(waited_for).await.into_iter().flatten().collect();
        for answer in &answers {
            self.shared.remark_on(answer);
        }
        answers
    }

    fn run_in_background(
        &self,
        entry: Arc<HookEntry>,
        input: Vec<u8>,
        cwd: &Path,
        call: Option<&CallId>,
    ) {
        let shared = Arc::clone(&self.shared);
        let (cwd, call) = (cwd.to_path_buf(), call.cloned());
        tokio::spawn(async move {
            let answer = shared.run(entry, input, &cwd, call.as_ref()).await;
            if let Some(answer) = answer {
                shared.remark_on(&answer);
            }
        });
    }
}

impl Shared {
    async fn run(
        &self,
        entry: Arc<HookEntry>,
        input: Vec<u8>,
        cwd: &Path,
        call: Option<&CallId>,
    ) -> Option<Answered> {
        let recording = Recording::begin(&entry, call, self.observer.as_ref());
        let ran = self.handle(&entry, input, cwd).await;
        let run = recording.end(&ran)?;
        Some(Answered {
            entry,
            said: ran.said,
            run,
        })
    }

    async fn handle(&self, entry: &HookEntry, input: Vec<u8>, cwd: &Path) -> Ran {
        let surroundings = &self.surroundings;
        match &entry.handler {
            Handler::Command { command, arguments } => {
                let place = command::Surroundings {
                    supervisor: &surroundings.supervisor,
                    environment: &surroundings.environment,
                    project: &surroundings.project,
                    cwd,
                };
                command::run(
                    entry.event,
                    command,
                    arguments.as_deref(),
                    entry.timeout,
                    &place,
                    input,
                )
                .await
            }
            Handler::Http {
                url,
                headers,
                variables,
            } => {
                let request = Request {
                    url,
                    headers,
                    variables,
                    timeout: entry.timeout,
                };
                let environment = &surroundings.environment;
                let requests: &http::Requests = &self.requests;
                requests
                    .run(entry.event, &request, environment, input)
                    .await
            }
            Handler::Unusable { problem, .. } => Ran::without_output(Said::plainly(
                HookOutcome::NotStarted,
                Some(problem.clone()),
            )),
        }
    }

    /// What a hook wants to tell, and every failure, is shown.
    fn remark_on(&self, answer: &Answered) {
        let Answered { entry, said, run } = answer;
        if let Some(text) = &said.system_message {
            let text = format!("{} (hook `{}`)", text.trim(), run.label);
            self.observer.remark(Tone::Neutral, text, None);
        }
        if !said.outcome.is_failure() {
            return;
        }
        let what = match said.outcome {
            HookOutcome::NotStarted => "could not be started",
            HookOutcome::TimedOut => "was too slow",
            _ => "failed",
        };
        let why = said.message.as_deref().unwrap_or("no reason was given");
        let text = format!(
            "The {} hook `{}` {what}: {why}.",
            entry.event.name(),
            run.label
        );
        let blocks = entry.on_failure == HookFailurePolicy::Block;
        let hint = match (entry.event, blocks) {
            (HookEvent::PreToolUse, true) => {
                "The call was not run. Mend the hook, or set its onFailure to \"continue\"."
            }
            (HookEvent::PreToolUse, false) => {
                "The call went on without it. If it guards something, set its onFailure to \"block\"."
            }
            _ => "It is in Settings, under Hooks.",
        };
        self.observer
            .remark(Tone::Warning, text, Some(hint.to_owned()));
    }
}

impl Hooks for HookRuntime {
    fn is_empty(&self) -> bool {
        (self.in_force)().is_empty()
    }

    fn before_call<'a>(&'a self, call: HookCall<'a>) -> BoxFuture<'a, BeforeCall> {
        async move {
            let answers = self.ask_about(HookEvent::PreToolUse, call, []).await;
            merge::before_call(answers, call.settled)
        }
        .boxed()
    }

    fn before_question<'a>(
        &'a self,
        call: HookCall<'a>,
        offered: &'a [RuleSuggestion],
    ) -> BoxFuture<'a, InsteadOfPerson> {
        async move {
            let more = [("permission_suggestions", permission_suggestions(offered))];
            let event = HookEvent::PermissionRequest;
            let answers = self.ask_about(event, call, more).await;
            merge::before_question(answers)
        }
        .boxed()
    }

    fn after_call<'a>(&'a self, call: HookCall<'a>, output: &'a Value) -> BoxFuture<'a, AfterCall> {
        async move {
            let more = [("tool_response", output.clone())];
            merge::after_call(self.ask_about(HookEvent::PostToolUse, call, more).await)
        }
        .boxed()
    }

    fn after_failure<'a>(
        &'a self,
        call: HookCall<'a>,
        failure: &'a str,
    ) -> BoxFuture<'a, AfterCall> {
        async move {
            let more = [("error", json!(failure)), ("is_interrupt", json!(false))];
            let event = HookEvent::PostToolUseFailure;
            merge::after_call(self.ask_about(event, call, more).await)
        }
        .boxed()
    }
}
