//! The typed trait.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::future::Future;
use std::path::PathBuf;
use std::sync::Arc;

use adroit_permissions::{Subject, ToolCheck};
use adroit_protocol::message::{Message, ResultContent};
use adroit_protocol::permission::{AfterPlan, Mode};
use adroit_protocol::view::{GroupKind, View};
use schemars::JsonSchema;
use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::Value;

use crate::{CallContext, DEFAULT_RESULT_CHARS, Drafted, InvalidInput, Stage, ToolFailure};

/// Work to be begun before it is known whether it is needed.
pub type Speculation = Box<dyn FnOnce() + Send>;

/// A tool. Every method but a few has a default that is slow and safe.
///
/// `present` is asked often and must be quick and total; `call` does the work.
pub trait Tool: Send + Sync + Sized + 'static {
    /// The input. Derive `JsonSchema` and `Deserialize` with `deny_unknown_fields`:
    /// its doc comments are what the model reads about each parameter.
    type Input: DeserializeOwned + JsonSchema + Send + Sync + 'static;
    /// What comes of it, before it is put into words for the model.
    type Output: Serialize + Send + Sync + 'static;

    // Identity.

    /// The name that the model, rules and hooks use.
    fn name(&self) -> &'static str;

    /// Former names, which still resolve in calls, rules, hooks and stored transcripts. None by default.
    fn aliases(&self) -> &'static [&'static str] {
        &[]
    }

    /// Words by which a search for tools finds it, beside its name and prompt. None by default.
    fn search_hint(&self) -> &'static str {
        ""
    }

    /// JSON Schema of `Output` as hooks are told of it (`tool_response`), where they may rely on it.
    /// Listed by `adroit-cli tool list --json`. None by default.
    fn output_schema(&self) -> Option<Value> {
        None
    }

    /// How long a result may be before it goes to a file: [`DEFAULT_RESULT_CHARS`] by default.
    fn max_result_chars(&self) -> ResultLimit {
        ResultLimit::Chars(DEFAULT_RESULT_CHARS)
    }

    /// True where the model first sees the name only, and loads the rest on demand. False by default.
    fn should_defer(&self) -> bool {
        false
    }

    /// True where the tool is never deferred, whatever [`Tool::should_defer`] says. False by default.
    fn always_load(&self) -> bool {
        false
    }

    /// True where the provider should hold the model to the schema, which must then require every
    /// property: providers refuse others. False by default: our own check at stage 3 is always made.
    fn strict(&self) -> bool {
        false
    }

    // Life cycle.

    /// Does the work.
    ///
    /// # Errors
    /// A [`ToolFailure`] is what the model reads; nothing else ends a call.
    fn call(
        &self,
        input: Arc<Self::Input>,
        context: CallContext,
    ) -> impl Future<Output = Result<Outcome<Self::Output>, ToolFailure>> + Send;

    /// One sentence for the person, about this input where there is one.
    fn description(&self, input: Option<&Self::Input>, options: &DescribeOptions) -> String;

    /// What the model is told of the tool.
    fn prompt(&self, options: &DescribeOptions) -> Cow<'static, str>;

    /// Whether the input makes sense beyond its schema. Before any permission is asked.
    ///
    /// # Errors
    /// What is wrong, for the model.
    fn validate_input(
        &self,
        _input: &Self::Input,
        _context: &CallContext,
    ) -> impl Future<Output = Result<(), InvalidInput>> + Send {
        std::future::ready(Ok(()))
    }

    /// The tool's own opinion on permission; the general engine decides. None by default.
    fn check_permissions(&self, _input: &Self::Input, _context: &CallContext) -> ToolCheck {
        ToolCheck::Pass
    }

    // Classification, by input.

    /// Whether the tool exists under these switches of settings and environment. True by default.
    fn is_enabled(&self, _features: &Features) -> bool {
        true
    }

    /// Whether it changes nothing at all. False by default.
    fn is_read_only(&self, _input: &Self::Input, _context: &CallContext) -> bool {
        false
    }

    /// Whether it may run beside others. False by default.
    fn is_concurrency_safe(&self, _input: &Self::Input, _context: &CallContext) -> bool {
        false
    }

    /// Whether it loses something that cannot be brought back: its request then needs a held key or
    /// button. False by default.
    fn is_destructive(&self, _input: &Self::Input, _context: &CallContext) -> bool {
        false
    }

    /// Whether it reaches beyond the machine, which its request says. False by default.
    fn is_open_world(&self, _input: &Self::Input) -> bool {
        false
    }

    /// What a new message of the person does to a running call. It blocks by default: the call ends first.
    fn interrupt_behavior(&self) -> InterruptBehavior {
        InterruptBehavior::Block
    }

    /// Under which verb it folds with its neighbours. None by default: such a call has its own row,
    /// whatever group its view names.
    fn search_or_read(&self, _input: &Self::Input) -> Option<GroupKind> {
        None
    }

    /// Whether it cannot run without a person: it asks in every mode. False by default.
    fn requires_user_interaction(&self) -> bool {
        false
    }

    /// The one mode in which the tool makes sense; a call in another one is refused at stage 6, by the
    /// mode of that very moment. Every mode by default.
    fn only_in_mode(&self) -> Option<Mode> {
        None
    }

    /// Fields of the input that only an answer to the call's own question brings, and whose answer
    /// that may be. They are no part of the schema (`#[schemars(skip)]`), so that an input of the
    /// model which has one is refused at stage 3. None by default.
    fn answer_fields(&self) -> AnswerFields {
        AnswerFields::NONE
    }

    /// Whether two inputs mean the same, so that what was said of one holds for the other: a hook that
    /// rewords a description costs no second analysis. Never by default.
    fn inputs_equivalent(&self, _one: &Self::Input, _other: &Self::Input) -> bool {
        false
    }

    /// Work that classifying this input will need, to be begun beside stages 3 to 5 on a thread of its
    /// own. It is a head start only: the tool keeps what comes of it and finds it again by the input,
    /// so that an input which was changed since is simply another one. None by default.
    fn speculate(&self, _input: &Value, _context: &CallContext) -> Option<Speculation> {
        None
    }

    /// Whether its failure cancels later calls of the same kind in the same message. It does not by default.
    fn cascade(&self) -> Cascade {
        Cascade::None
    }

    // Presentation.

    /// How the call looks at a moment. Total: never panics, whatever the input.
    fn present(&self, stage: Stage<'_, Self>) -> View;

    /// How the call looks in a permission request: with the diff, the whole command.
    fn preview(
        &self,
        input: &Self::Input,
        _context: &CallContext,
    ) -> impl Future<Output = View> + Send {
        std::future::ready(self.present(Stage::Queued { input }))
    }

    /// The same with what a person may change of it before they approve it; none where
    /// nothing may be changed.
    fn draft(
        &self,
        _input: &Self::Input,
        _context: &CallContext,
    ) -> impl Future<Output = Option<Drafted>> + Send {
        std::future::ready(None)
    }

    /// The name that a person reads in requests and notifications. The name by default.
    fn user_facing_name(&self) -> Cow<'static, str> {
        Cow::Borrowed(self.name())
    }

    /// Whether the output shows less than there was; its row says so. False by default.
    fn is_result_truncated(&self, _output: &Self::Output) -> bool {
        false
    }

    /// Whether the tool shows what it wraps in its own place: the blocks of its calls are open from the
    /// start. False by default.
    fn is_transparent_wrapper(&self) -> bool {
        false
    }

    // The model's side.

    /// The result in words for the model.
    fn map_result(&self, output: &Self::Output) -> Vec<ResultContent>;

    /// What a classifier gets to see of the input. None by default: the call is the person's to judge.
    fn classifier_input(&self, _input: &Self::Input) -> Option<String> {
        None
    }

    // Rules, hooks and search.

    /// What the call is about, for rules: a file, a command, an address. Nothing by default, so that
    /// only rules about the whole tool speak of it.
    fn subject(&self, _input: &Self::Input, _context: &CallContext) -> Subject {
        Subject::Plain
    }

    /// The file that the call is about, for the decision record. None by default.
    fn path(&self, _input: &Self::Input, _context: &CallContext) -> Option<PathBuf> {
        None
    }

    /// Adds derived fields (an absolute path) to the copy that hooks and the classifier
    /// see. What `call` gets is never touched. Nothing by default.
    fn observable_input(&self, _copy: &mut Value, _context: &CallContext) {}

    /// The text by which a search of the transcript finds the result. What the model read by default.
    fn search_text(&self, output: &Self::Output) -> String {
        self.map_result(output)
            .into_iter()
            .filter_map(|part| match part {
                ResultContent::Text { text } => Some(text),
                ResultContent::Image { .. } => None,
            })
            .collect::<Vec<_>>()
            .join("\n")
    }
}

/// What came of a call that did not fail.
#[derive(Debug)]
pub struct Outcome<O> {
    /// The output.
    pub data: O,
    /// Messages that follow the result.
    pub new_messages: Vec<Message>,
    /// A change of the agent's context. Applied only for calls that are not
    /// concurrency-safe: two at once would race.
    pub context_change: Option<ContextChange>,
    /// What an MCP server sent beside the result.
    pub mcp_meta: Option<Value>,
}

impl<O> Outcome<O> {
    /// An outcome that is only its output.
    pub fn new(data: O) -> Self {
        Self {
            data,
            new_messages: Vec::new(),
            context_change: None,
            mcp_meta: None,
        }
    }

    /// The same with a change of the context.
    #[must_use]
    pub fn with_context_change(mut self, change: ContextChange) -> Self {
        self.context_change = Some(change);
        self
    }
}

/// A change of the agent's context. Data, so that it can be recorded and told.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum ContextChange {
    /// The working directory is now this.
    WorkingDirectory(PathBuf),
    /// The person has approved a plan: plan mode is over.
    LeavePlanMode(AfterPlan),
}

/// The part of an input that is an answer.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct AnswerFields {
    /// The names of the fields, at the top of the input.
    pub names: &'static [&'static str],
    /// Who may fill them.
    pub by: Answerers,
}

impl AnswerFields {
    /// Nothing of the input is an answer.
    pub const NONE: Self = Self {
        names: &[],
        by: Answerers::Person,
    };
}

/// Who may answer a call that is a question.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answerers {
    /// The person alone.
    Person,
    /// The person, or a hook in their place.
    PersonOrHook,
}

/// How long a result may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ResultLimit {
    /// This many characters; the rest goes to a file.
    Chars(usize),
    /// The tool bounds its result itself. For Read: storing its result in a file
    /// would make the model read that file, and so on.
    SelfBounded,
}

/// What a new message of the person does to a running call.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum InterruptBehavior {
    /// The call ends.
    Cancel,
    /// The call finishes; the message waits.
    Block,
}

/// Whether a failure cancels later calls.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cascade {
    /// Its failure concerns nobody else.
    None,
    /// Its failure cancels later calls that cascade too: shell commands build on one another.
    Shell,
}

/// For whom a description is made.
#[derive(Clone, Debug, Default)]
pub struct DescribeOptions {
    /// True where a person can be asked.
    pub interactive: bool,
    /// The names of the built-in tools of the pool. Those of servers are not here: they come
    /// and go, and what is told of built-in tools must stay the same for prompt caches.
    pub tools: BTreeSet<String>,
}

/// Switches under which tools exist.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Features {
    /// The switches that are on.
    pub enabled: BTreeSet<String>,
}

impl Features {
    /// Whether a switch is on.
    #[must_use]
    pub fn has(&self, name: &str) -> bool {
        self.enabled.contains(name)
    }
}
