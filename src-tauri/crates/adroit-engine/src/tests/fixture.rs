//! A world for one engine: test tools, rules, a person who answers by script, a log.

use std::borrow::Cow;
use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use adroit_hooks::{Hooks, NoHooks};
use adroit_permissions::{PermissionSnapshot, RuleSet, Subject, ToolCheck, WorkspaceFacts};
use adroit_protocol::event::CallStatus;
use adroit_protocol::message::{CallInput, ResultContent, ToolCall};
use adroit_protocol::permission::{Behavior, Mode, RuleEntry, RuleScope, RuleSource};
use adroit_protocol::record::ConsentRecord;
use adroit_protocol::view::View;
use adroit_protocol::{CallId, TerminalId};
use adroit_tool::{
    AnyTool, CallContext, Cancellation, Cascade, ContextChange, DescribeOptions, Features,
    InterruptBehavior, InvalidInput, Limits, Outcome, Progress, RememberedFiles, ResultLimit,
    Speculation, Stage, Tool, ToolFailure, erase,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};
use tokio::sync::{Notify, watch};

use crate::*;

/// How a test call ends.
#[derive(Clone, Copy, Debug, Default, Deserialize, JsonSchema, PartialEq, Eq)]
#[serde(rename_all = "snake_case")]
pub(super) enum End {
    #[default]
    Succeed,
    Fail,
    Panic,
    /// Only when it is cancelled.
    Never,
    /// Blocks its thread until the gate opens.
    Block,
}

#[derive(Debug, Default, Deserialize, JsonSchema)]
#[serde(deny_unknown_fields, default)]
pub(super) struct ProbeInput {
    /// What it says.
    pub(super) text: String,
    /// May run beside others.
    pub(super) safe: bool,
    /// How long it takes, in milliseconds.
    pub(super) millis: u64,
    /// How it ends.
    pub(super) end: End,
    /// Does not listen to cancellation.
    pub(super) deaf: bool,
    /// Waits for this gate.
    pub(super) gate: Option<String>,
    /// Goes to this folder when it is done.
    pub(super) goes_to: Option<String>,
    /// Where it looks; what is below `/unsafe` may not be looked at beside others.
    pub(super) relative: bool,
    /// Classifying it is begun ahead.
    pub(super) ahead: bool,
    /// The same, and it is not done before this gate opens.
    pub(super) ahead_gate: Option<String>,
    /// What the hooks of some tests turn into an unsafe call.
    pub(super) turns: bool,
}

/// What happened, in order.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) enum Event {
    Started(CallId, bool),
    Ended(CallId),
}

#[derive(Default)]
pub(super) struct Log {
    events: Mutex<Vec<Event>>,
    started: watch::Sender<usize>,
    gates: watch::Sender<Vec<String>>,
    classified: std::sync::atomic::AtomicUsize,
    /// The texts of inputs whose classification was begun ahead.
    pub(super) begun_ahead: Mutex<Vec<String>>,
}

impl Log {
    /// How often a probe was asked whether an input only reads.
    pub(super) fn classified(&self) -> usize {
        self.classified.load(std::sync::atomic::Ordering::SeqCst)
    }

    fn push(&self, event: Event) {
        let mut events = self.events.lock().unwrap();
        events.push(event);
        let started = events
            .iter()
            .filter(|event| matches!(event, Event::Started(..)))
            .count();
        drop(events);
        self.started.send_replace(started);
    }

    pub(super) fn events(&self) -> Vec<Event> {
        self.events.lock().unwrap().clone()
    }

    pub(super) fn started_calls(&self) -> Vec<String> {
        let started = |event| match event {
            Event::Started(call, _) => Some(call.to_string()),
            Event::Ended(_) => None,
        };
        self.events().into_iter().filter_map(started).collect()
    }

    /// Waits until so many calls have started.
    pub(super) async fn wait_for_starts(&self, number: usize) {
        self.started
            .subscribe()
            .wait_for(|started| *started >= number)
            .await
            .unwrap();
    }

    pub(super) fn open(&self, gate: &str) {
        self.gates.send_modify(|open| open.push(gate.to_owned()));
    }

    fn is_open(&self, gate: &str) -> bool {
        self.gates.borrow().iter().any(|open| open == gate)
    }

    async fn pass(&self, gate: &str) {
        self.gates
            .subscribe()
            .wait_for(|open| open.iter().any(|open| open == gate))
            .await
            .unwrap();
    }
}

struct Ended<'a>(&'a Log, CallId);

impl Drop for Ended<'_> {
    fn drop(&mut self) {
        self.0.push(Event::Ended(self.1.clone()));
    }
}

/// A tool that does as its input says.
pub(super) struct Probe {
    pub(super) name: &'static str,
    pub(super) log: Arc<Log>,
    pub(super) cascade: Cascade,
    pub(super) interrupt: InterruptBehavior,
    pub(super) limit: ResultLimit,
    pub(super) deferred: bool,
}

impl Probe {
    pub(super) fn new(name: &'static str, log: &Arc<Log>) -> Self {
        Self {
            name,
            log: Arc::clone(log),
            cascade: Cascade::None,
            interrupt: InterruptBehavior::Block,
            limit: ResultLimit::Chars(5_000),
            deferred: false,
        }
    }
}

impl Tool for Probe {
    type Input = ProbeInput;
    type Output = String;

    fn name(&self) -> &'static str {
        self.name
    }

    fn aliases(&self) -> &'static [&'static str] {
        if self.name == "Probe" {
            &["OldProbe"]
        } else {
            &[]
        }
    }

    fn max_result_chars(&self) -> ResultLimit {
        self.limit
    }

    fn should_defer(&self) -> bool {
        self.deferred
    }

    async fn call(
        &self,
        input: Arc<ProbeInput>,
        context: CallContext,
    ) -> Result<Outcome<String>, ToolFailure> {
        self.log
            .push(Event::Started(context.call.clone(), input.safe));
        let _ended = Ended(&self.log, context.call.clone());
        context.progress.send(Progress {
            message: Some("under way".to_owned()),
            terminal: Some(TerminalId::from("term_1")),
            ..Progress::default()
        });
        if let Some(gate) = &input.gate {
            self.log.pass(gate).await;
        }
        if input.end == End::Block {
            while !self.log.is_open("block") {
                std::thread::yield_now();
            }
        }
        let work = async {
            tokio::time::sleep(Duration::from_millis(input.millis)).await;
            if input.end == End::Never {
                std::future::pending::<()>().await;
            }
        };
        if input.deaf {
            work.await;
        } else {
            tokio::select! {
                () = work => {}
                () = context.cancellation.cancelled() => {
                    let mut failure = ToolFailure::new("cancelled", "told to end");
                    if !input.text.is_empty() {
                        failure.content = vec![ResultContent::text(input.text.clone())];
                    }
                    return Err(failure);
                }
            }
        }
        match input.end {
            End::Succeed | End::Never | End::Block => {
                let mut outcome = Outcome::new(input.text.clone());
                outcome.context_change = input
                    .goes_to
                    .as_ref()
                    .map(|to| ContextChange::WorkingDirectory(to.into()));
                Ok(outcome)
            }
            End::Fail => {
                Err(ToolFailure::new("failed", "it did not work").with_summary("exit code 1"))
            }
            End::Panic => panic!("on purpose"),
        }
    }

    fn description(&self, _input: Option<&ProbeInput>, _options: &DescribeOptions) -> String {
        "Does as it is told.".to_owned()
    }

    fn prompt(&self, options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Owned(format!("Does as it is told, beside {:?}.", options.tools))
    }

    async fn validate_input(
        &self,
        input: &ProbeInput,
        _context: &CallContext,
    ) -> Result<(), InvalidInput> {
        if input.text == "nonsense" {
            return Err(InvalidInput::new("nonsense", "The text must make sense."));
        }
        assert_ne!(input.text, "panic in validation");
        Ok(())
    }

    fn check_permissions(&self, input: &ProbeInput, _context: &CallContext) -> ToolCheck {
        match input.text.as_str() {
            "forbidden" => ToolCheck::Deny {
                reason: "the tool never does that".to_owned(),
            },
            "dangerous" => ToolCheck::Ask {
                reason: "it cannot be taken back".to_owned(),
                bypass_immune: true,
            },
            _ => ToolCheck::Pass,
        }
    }

    fn inputs_equivalent(&self, one: &ProbeInput, other: &ProbeInput) -> bool {
        // The time that it takes says nothing of what it does.
        one.text == other.text && one.safe == other.safe && one.relative == other.relative
    }

    fn is_read_only(&self, input: &ProbeInput, _context: &CallContext) -> bool {
        self.log
            .classified
            .fetch_add(1, std::sync::atomic::Ordering::SeqCst);
        input.safe
    }

    fn is_concurrency_safe(&self, input: &ProbeInput, context: &CallContext) -> bool {
        assert_ne!(input.text, "panic in classification");
        input.safe && !(input.relative && context.cwd.starts_with("/unsafe"))
    }

    fn speculate(&self, input: &Value, _context: &CallContext) -> Option<Speculation> {
        let gate = input["ahead_gate"].as_str().map(str::to_owned);
        let ahead = input["ahead"] == json!(true) || gate.is_some();
        let log = Arc::clone(&self.log);
        ahead.then(|| {
            log.begun_ahead
                .lock()
                .unwrap()
                .push(input["text"].as_str().unwrap_or_default().to_owned());
            Box::new(move || {
                if let Some(gate) = gate {
                    while !log.is_open(&gate) {
                        std::thread::yield_now();
                    }
                }
            }) as Speculation
        })
    }

    fn interrupt_behavior(&self) -> InterruptBehavior {
        self.interrupt
    }

    fn cascade(&self) -> Cascade {
        self.cascade
    }

    fn present(&self, stage: Stage<'_, Self>) -> View {
        let (summary, text) = match stage {
            Stage::Writing { .. } => ("writing", None),
            Stage::Queued { input } => ("queued", Some(&input.text)),
            Stage::Running { input, .. } => ("running", Some(&input.text)),
            Stage::Succeeded { input, .. } => ("succeeded", Some(&input.text)),
            Stage::Rejected { input, .. } => ("rejected", Some(&input.text)),
            Stage::Failed { failure, .. } => (failure.code, None),
            Stage::Cancelled { reason, .. } => (reason.label(), None),
        };
        assert_ne!(text.map(String::as_str), Some("panic in presentation"));
        View {
            summary: Some(summary.to_owned()),
            ..View::titled(self.name)
        }
    }

    fn map_result(&self, output: &String) -> Vec<ResultContent> {
        assert_ne!(output, "panic in mapping");
        vec![ResultContent::text(output.clone())]
    }

    fn subject(&self, input: &ProbeInput, context: &CallContext) -> Subject {
        if self.cascade == Cascade::Shell {
            let shell = adroit_shell::ShellContext {
                cwd: &context.cwd,
                home: Path::new("/home/user"),
                workspace: Path::new("/project"),
                additional_directories: &[],
            };
            return Subject::Shell {
                command: input.text.clone(),
                cwd: context.cwd.to_path_buf(),
                analysis: Arc::new(adroit_shell::analyze(&input.text, &shell)),
            };
        }
        Subject::Plain
    }
}

/// A tool that edits a file, for rules about files.
pub(super) struct FakeEdit;

#[derive(Deserialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub(super) struct FakeEditInput {
    /// The file.
    file_path: String,
    /// What is in it afterwards.
    content: String,
}

impl Tool for FakeEdit {
    type Input = FakeEditInput;
    type Output = String;

    fn name(&self) -> &'static str {
        "Write"
    }

    async fn call(
        &self,
        input: Arc<FakeEditInput>,
        _context: CallContext,
    ) -> Result<Outcome<String>, ToolFailure> {
        Ok(Outcome::new(format!(
            "wrote {} to {}",
            input.content, input.file_path
        )))
    }

    fn description(&self, _input: Option<&FakeEditInput>, _options: &DescribeOptions) -> String {
        "Writes a file.".to_owned()
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed("Writes a file.")
    }

    fn present(&self, _stage: Stage<'_, Self>) -> View {
        View::titled("Write")
    }

    fn map_result(&self, output: &String) -> Vec<ResultContent> {
        vec![ResultContent::text(output.clone())]
    }

    fn subject(&self, input: &FakeEditInput, _context: &CallContext) -> Subject {
        let path = PathBuf::from("/project").join(&input.file_path);
        Subject::EditFile {
            real: Some(path.clone()),
            path,
        }
    }
}

/// Rules and mode that a test may change.
pub(super) struct Rules(pub(super) Mutex<PermissionSnapshot>);

impl Permissions for Rules {
    fn snapshot(&self) -> PermissionSnapshot {
        self.0.lock().unwrap().clone()
    }
}

pub(super) fn rule(behavior: Behavior, text: &str) -> RuleEntry {
    RuleEntry {
        rule: text.to_owned(),
        behavior,
        source: RuleSource::User,
        file: Some("/home/user/.config/adroit/settings.json".to_owned()),
        position: None,
        expires_at: None,
        problem: None,
    }
}

pub(super) fn snapshot(mode: Mode, rules: &[(Behavior, &str)]) -> PermissionSnapshot {
    PermissionSnapshot {
        mode,
        rules: Arc::new(RuleSet::compile(
            rules
                .iter()
                .map(|(behavior, text)| rule(*behavior, text))
                .collect(),
        )),
        workspace: WorkspaceFacts {
            root: "/project".into(),
            additional_directories: Vec::new(),
            home: "/home/user".into(),
            cwd: "/project".into(),
            state_directories: Vec::new(),
        },
        trusted: true,
        bypass_available: true,
    }
}

type Answer = dyn Fn(&Ask) -> ConsentAnswer + Send + Sync;

/// A person who answers by script, or never.
pub(super) struct Person {
    pub(super) answer: Option<Box<Answer>>,
    pub(super) asked: Mutex<Vec<Ask>>,
    pub(super) remembered: Mutex<Vec<(String, RuleScope)>>,
    pub(super) was_asked: Notify,
}

impl Consent for Person {
    fn remember(&self, rule: &str, scope: RuleScope) -> Result<(), String> {
        self.remembered
            .lock()
            .unwrap()
            .push((rule.to_owned(), scope));
        Ok(())
    }

    fn ask<'a>(
        &'a self,
        ask: Ask,
        _cancellation: &'a Cancellation,
    ) -> BoxFuture<'a, ConsentAnswer> {
        let answer = self.answer.as_ref().map(|answer| answer(&ask));
        self.asked.lock().unwrap().push(ask);
        self.was_asked.notify_one();
        async move {
            match answer {
                Some(answer) => answer,
                None => std::future::pending().await,
            }
        }
        .boxed()
    }
}

pub(super) fn consent(behavior: Behavior, words: Option<&str>) -> ConsentRecord {
    ConsentRecord {
        by: "person".to_owned(),
        behavior,
        words: words.map(str::to_owned),
        remembered: None,
        changed: false,
        at: 0,
        waited_ms: 7,
    }
}

#[derive(Default)]
pub(super) struct Updates(pub(super) Mutex<Vec<(CallId, CallUpdate)>>);

impl Observer for Updates {
    fn call_changed(&self, call: &CallId, update: CallUpdate) {
        self.0.lock().unwrap().push((call.clone(), update));
    }
}

impl Updates {
    pub(super) fn statuses(&self, call: &str) -> Vec<CallStatus> {
        let updates = self.0.lock().unwrap();
        updates
            .iter()
            .filter(|(id, _)| id.as_str() == call)
            .map(|(_, update)| update.status)
            .collect()
    }
}

/// An engine with all that is around it.
pub(super) struct World {
    pub(super) engine: Arc<Engine>,
    pub(super) log: Arc<Log>,
    pub(super) rules: Arc<Rules>,
    pub(super) person: Arc<Person>,
    pub(super) updates: Arc<Updates>,
    folder: tempfile::TempDir,
}

/// A world in which everything is allowed.
pub(super) fn world() -> World {
    World::new(snapshot(Mode::BypassPermissions, &[]), None)
}

impl World {
    pub(super) fn new(snapshot: PermissionSnapshot, answer: Option<Box<Answer>>) -> Self {
        let log = Arc::new(Log::default());
        let folder = tempfile::tempdir().unwrap();
        let rules = Arc::new(Rules(Mutex::new(snapshot)));
        let person = Arc::new(Person {
            answer,
            asked: Mutex::default(),
            remembered: Mutex::default(),
            was_asked: Notify::new(),
        });
        let updates = Arc::new(Updates::default());
        let engine = Engine {
            pool: Arc::new(pool(&log)),
            permissions: rules.clone(),
            consent: person.clone(),
            classifier: Arc::new(crate::NoClassifier),
            observer: updates.clone(),
            checkpoints: Arc::new(NoCheckpoints),
            hooks: NoHooks::shared(),
            results: ResultStore::new(folder.path().join("results")),
            limits: Limits::default(),
            files: Arc::new(RememberedFiles::default()),
            cwd: CurrentDirectory::new(Path::new("/project")),
            execution: Execution {
                grace: Duration::from_millis(20),
                ..Execution::default()
            },
            agent: None,
            interactive: true,
        };
        Self {
            engine: Arc::new(engine),
            log,
            rules,
            person,
            updates,
            folder,
        }
    }

    pub(super) fn with(mut self, change: impl FnOnce(&mut Engine)) -> Self {
        let mut engine = Engine::clone(&self.engine);
        change(&mut engine);
        self.engine = Arc::new(engine);
        self
    }

    pub(super) fn with_hooks(self, hooks: impl Hooks + 'static) -> Self {
        self.with(|engine| engine.hooks = Arc::new(hooks))
    }

    pub(super) fn folder(&self) -> &Path {
        self.folder.path()
    }

    pub(super) fn executor(&self) -> Executor {
        self.engine.executor(Cancellation::new())
    }

    pub(super) async fn run(&self, tool: &str, input: Value) -> ToolResult {
        self.engine
            .run_one(call("c1", tool, input), Cancellation::new())
            .await
    }
}

fn tools(log: &Arc<Log>) -> Vec<Arc<dyn AnyTool>> {
    vec![
        erase(Probe::new("Probe", log)),
        erase(Probe {
            cascade: Cascade::Shell,
            ..Probe::new("Bash", log)
        }),
        erase(Probe {
            interrupt: InterruptBehavior::Cancel,
            ..Probe::new("Yielding", log)
        }),
        erase(Probe {
            limit: ResultLimit::SelfBounded,
            ..Probe::new("Unbounded", log)
        }),
        erase(Probe {
            deferred: true,
            ..Probe::new("Deferred", log)
        }),
        erase(FakeEdit),
    ]
}

pub(super) fn pool(log: &Arc<Log>) -> Pool {
    Pool::assemble(
        tools(log),
        [],
        &RuleSet::compile(Vec::new()),
        &Features::default(),
    )
}

pub(super) fn call(id: &str, tool: &str, input: Value) -> ToolCall {
    ToolCall {
        id: id.into(),
        name: tool.to_owned(),
        input: CallInput::Object(input),
    }
}

/// A call that is `safe` and takes `millis`.
pub(super) fn timed(id: &str, safe: bool, millis: u64) -> ToolCall {
    call(
        id,
        "Probe",
        json!({"text": id, "safe": safe, "millis": millis}),
    )
}

pub(super) async fn drain(executor: &mut Executor) -> Vec<ToolResult> {
    let mut results = Vec::new();
    while let Some(result) = executor.next().await {
        results.push(result);
    }
    results
}

pub(super) fn text(result: &ToolResult) -> String {
    let part = |part: &ResultContent| match part {
        ResultContent::Text { text } => text.clone(),
        ResultContent::Image { .. } => "(image)".to_owned(),
    };
    result
        .content
        .iter()
        .map(part)
        .collect::<Vec<_>>()
        .join("\n---\n")
}

pub(super) fn ids(results: &[ToolResult]) -> Vec<&str> {
    results.iter().map(|result| result.call.as_str()).collect()
}

pub(super) fn statuses(results: &[ToolResult]) -> Vec<CallStatus> {
    results.iter().map(|result| result.status).collect()
}
