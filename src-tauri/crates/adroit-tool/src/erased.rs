//! The object-safe twin: what the engine holds.
//!
//! [`erase`] makes it from a typed tool; an MCP tool implements it directly.

use std::any::Any;
use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::{Arc, OnceLock};

use adroit_permissions::{Subject, ToolCheck};
use adroit_protocol::message::{Message, ResultContent};
use adroit_protocol::permission::Mode;
use adroit_protocol::view::{GroupKind, View};
use futures::FutureExt;
use futures::future::BoxFuture;
use serde_json::Value;

use crate::{
    AnswerFields, CallContext, CancelReason, Cascade, ContextChange, DescribeOptions, Drafted,
    Features, InterruptBehavior, InvalidInput, Progress, ResultLimit, Speculation, Stage, Tool,
    ToolFailure,
};

/// Where a tool comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Origin {
    /// Ours.
    BuiltIn,
    /// A server's.
    Mcp {
        /// The server's name in the configuration.
        server: String,
        /// The tool's name at the server.
        tool: String,
    },
}

/// An input that was parsed: the JSON that was approved and the value made from it.
///
/// Cheap to clone. The two always belong together: only [`AnyTool::parse`] makes one.
#[derive(Clone)]
pub struct ParsedInput {
    value: Arc<Value>,
    typed: Arc<dyn Any + Send + Sync>,
}

impl ParsedInput {
    /// Puts the two together. For implementors of [`AnyTool::parse`] only.
    #[must_use]
    pub fn new(value: Arc<Value>, typed: Arc<dyn Any + Send + Sync>) -> Self {
        Self { value, typed }
    }

    /// The JSON.
    #[must_use]
    pub fn value(&self) -> &Arc<Value> {
        &self.value
    }

    /// The typed value.
    #[must_use]
    pub fn typed(&self) -> &Arc<dyn Any + Send + Sync> {
        &self.typed
    }
}

/// An output, typed inside.
pub struct ErasedOutput {
    typed: Box<dyn Any + Send + Sync>,
}

impl ErasedOutput {
    /// Wraps an output.
    pub fn new<O: Send + Sync + 'static>(output: O) -> Self {
        Self {
            typed: Box::new(output),
        }
    }

    /// The output, where it is of this type.
    #[must_use]
    pub fn downcast<O: 'static>(&self) -> Option<&O> {
        self.typed.downcast_ref()
    }
}

/// As [`crate::Outcome`].
pub struct ErasedOutcome {
    /// The output.
    pub data: ErasedOutput,
    /// Messages that follow the result.
    pub new_messages: Vec<Message>,
    /// A change of the agent's context.
    pub context_change: Option<ContextChange>,
    /// What an MCP server sent beside the result.
    pub mcp_meta: Option<Value>,
}

/// As [`Stage`], with erased input and output.
pub enum ErasedStage<'a> {
    /// The model still writes the input.
    Writing {
        /// What has arrived.
        partial: &'a Value,
    },
    /// It waits for its turn.
    Queued {
        /// The input.
        input: &'a ParsedInput,
    },
    /// It runs.
    Running {
        /// The input.
        input: &'a ParsedInput,
        /// The last progress.
        progress: Option<&'a Progress>,
    },
    /// It is done.
    Succeeded {
        /// The input.
        input: &'a ParsedInput,
        /// The output.
        output: &'a ErasedOutput,
    },
    /// Somebody said no.
    Rejected {
        /// The input.
        input: &'a ParsedInput,
        /// Who and why.
        reason: &'a str,
    },
    /// It failed.
    Failed {
        /// The input as far as there is one.
        partial: &'a Value,
        /// The failure.
        failure: &'a ToolFailure,
    },
    /// It was cancelled.
    Cancelled {
        /// The input as far as there is one.
        partial: &'a Value,
        /// Why.
        reason: &'a CancelReason,
    },
}

/// A tool as the engine sees it. The methods are those of [`Tool`]; see there.
#[allow(missing_docs)] // Each method is documented on `Tool`.
pub trait AnyTool: Send + Sync {
    fn name(&self) -> &str;
    fn aliases(&self) -> &[&str];
    fn search_hint(&self) -> &str;
    fn origin(&self) -> Origin;
    fn input_schema(&self) -> Arc<Value>;
    fn output_schema(&self) -> Option<Value>;
    fn max_result_chars(&self) -> ResultLimit;
    fn should_defer(&self) -> bool;
    fn always_load(&self) -> bool;
    fn strict(&self) -> bool;

    /// Makes the typed input. The schema was checked before; what fails here is what a
    /// schema cannot say.
    ///
    /// # Errors
    /// What is wrong, with the place.
    fn parse(&self, value: Arc<Value>) -> Result<ParsedInput, InvalidInput>;
    fn call<'a>(
        &'a self,
        input: &'a ParsedInput,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ErasedOutcome, ToolFailure>>;
    fn description(&self, input: Option<&ParsedInput>, options: &DescribeOptions) -> String;
    fn prompt(&self, options: &DescribeOptions) -> Cow<'static, str>;
    fn validate_input<'a>(
        &'a self,
        input: &'a ParsedInput,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<(), InvalidInput>>;
    fn check_permissions(&self, input: &ParsedInput, context: &CallContext) -> ToolCheck;

    fn is_enabled(&self, features: &Features) -> bool;
    fn is_read_only(&self, input: &ParsedInput, context: &CallContext) -> bool;
    fn is_concurrency_safe(&self, input: &ParsedInput, context: &CallContext) -> bool;
    fn is_destructive(&self, input: &ParsedInput, context: &CallContext) -> bool;
    fn is_open_world(&self, input: &ParsedInput) -> bool;
    fn interrupt_behavior(&self) -> InterruptBehavior;
    fn search_or_read(&self, input: &ParsedInput) -> Option<GroupKind>;
    fn requires_user_interaction(&self) -> bool;
    fn only_in_mode(&self) -> Option<Mode> {
        None
    }
    fn answer_fields(&self) -> AnswerFields {
        AnswerFields::NONE
    }
    fn inputs_equivalent(&self, one: &ParsedInput, other: &ParsedInput) -> bool;
    fn speculate(&self, _input: &Value, _context: &CallContext) -> Option<Speculation> {
        None
    }
    fn cascade(&self) -> Cascade;

    fn present(&self, stage: ErasedStage<'_>) -> View;
    fn preview<'a>(
        &'a self,
        input: &'a ParsedInput,
        context: &'a CallContext,
    ) -> BoxFuture<'a, View>;
    fn draft<'a>(
        &'a self,
        _input: &'a ParsedInput,
        _context: &'a CallContext,
    ) -> BoxFuture<'a, Option<Drafted>> {
        std::future::ready(None).boxed()
    }
    fn user_facing_name(&self) -> Cow<'static, str>;
    fn is_result_truncated(&self, output: &ErasedOutput) -> bool;
    fn is_transparent_wrapper(&self) -> bool;

    fn map_result(&self, output: &ErasedOutput) -> Vec<ResultContent>;
    fn output_value(&self, output: &ErasedOutput) -> Value;
    fn classifier_input(&self, input: &ParsedInput) -> Option<String>;
    fn subject(&self, input: &ParsedInput, context: &CallContext) -> Subject;
    fn path(&self, input: &ParsedInput, context: &CallContext) -> Option<PathBuf>;
    fn observable_input(&self, copy: &mut Value, context: &CallContext);
    fn search_text(&self, output: &ErasedOutput) -> String;
}

/// The twin of a typed tool.
pub fn erase<T: Tool>(tool: T) -> Arc<dyn AnyTool> {
    Arc::new(Erased {
        tool,
        schema: OnceLock::new(),
    })
}

struct Erased<T> {
    tool: T,
    schema: OnceLock<Arc<Value>>,
}

impl<T: Tool> Erased<T> {
    /// The typed input. `None` only where an input of another tool is passed, which the
    /// pipeline's types do not let happen; every caller then fails closed.
    fn input<'a>(&self, parsed: &'a ParsedInput) -> Option<&'a T::Input> {
        parsed.typed.downcast_ref()
    }
}

fn foreign_view(name: &str) -> View {
    View::titled(name)
}

impl<T: Tool> AnyTool for Erased<T> {
    fn name(&self) -> &str {
        self.tool.name()
    }

    fn aliases(&self) -> &[&str] {
        self.tool.aliases()
    }

    fn search_hint(&self) -> &str {
        self.tool.search_hint()
    }

    fn origin(&self) -> Origin {
        Origin::BuiltIn
    }

    fn input_schema(&self) -> Arc<Value> {
        Arc::clone(self.schema.get_or_init(|| {
            let mut schema = schemars::schema_for!(T::Input).to_value();
            if let Some(object) = schema.as_object_mut() {
                // A model has no use for the dialect's address and the Rust type's name.
                object.remove("$schema");
                object.remove("title");
            }
            Arc::new(schema)
        }))
    }

    fn output_schema(&self) -> Option<Value> {
        self.tool.output_schema()
    }

    fn max_result_chars(&self) -> ResultLimit {
        self.tool.max_result_chars()
    }

    fn should_defer(&self) -> bool {
        self.tool.should_defer()
    }

    fn always_load(&self) -> bool {
        self.tool.always_load()
    }

    fn strict(&self) -> bool {
        self.tool.strict()
    }

    fn parse(&self, value: Arc<Value>) -> Result<ParsedInput, InvalidInput> {
        let typed: T::Input = serde::Deserialize::deserialize(value.as_ref()).map_err(
            |error: serde_json::Error| InvalidInput::new("invalid_input", error.to_string()),
        )?;
        Ok(ParsedInput::new(value, Arc::new(typed)))
    }

    fn call<'a>(
        &'a self,
        input: &'a ParsedInput,
        context: CallContext,
    ) -> BoxFuture<'a, Result<ErasedOutcome, ToolFailure>> {
        let Ok(input) = Arc::clone(&input.typed).downcast::<T::Input>() else {
            return std::future::ready(Err(ToolFailure::new(
                "foreign_input",
                format!(
                    "{} was given an input that it did not parse",
                    self.tool.name()
                ),
            )))
            .boxed();
        };
        async move {
            let outcome = self.tool.call(input, context).await?;
            Ok(ErasedOutcome {
                data: ErasedOutput::new(outcome.data),
                new_messages: outcome.new_messages,
                context_change: outcome.context_change,
                mcp_meta: outcome.mcp_meta,
            })
        }
        .boxed()
    }

    fn description(&self, input: Option<&ParsedInput>, options: &DescribeOptions) -> String {
        self.tool
            .description(input.and_then(|input| self.input(input)), options)
    }

    fn prompt(&self, options: &DescribeOptions) -> Cow<'static, str> {
        self.tool.prompt(options)
    }

    fn validate_input<'a>(
        &'a self,
        input: &'a ParsedInput,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Result<(), InvalidInput>> {
        match self.input(input) {
            Some(input) => self.tool.validate_input(input, context).boxed(),
            None => std::future::ready(Err(InvalidInput::new(
                "foreign_input",
                "not this tool's input",
            )))
            .boxed(),
        }
    }

    fn check_permissions(&self, input: &ParsedInput, context: &CallContext) -> ToolCheck {
        match self.input(input) {
            Some(input) => self.tool.check_permissions(input, context),
            None => ToolCheck::Deny {
                reason: "the input belongs to another tool".to_owned(),
            },
        }
    }

    fn is_enabled(&self, features: &Features) -> bool {
        self.tool.is_enabled(features)
    }

    fn is_read_only(&self, input: &ParsedInput, context: &CallContext) -> bool {
        self.input(input)
            .is_some_and(|input| self.tool.is_read_only(input, context))
    }

    fn is_concurrency_safe(&self, input: &ParsedInput, context: &CallContext) -> bool {
        self.input(input)
            .is_some_and(|input| self.tool.is_concurrency_safe(input, context))
    }

    fn is_destructive(&self, input: &ParsedInput, context: &CallContext) -> bool {
        self.input(input)
            .is_none_or(|input| self.tool.is_destructive(input, context))
    }

    fn is_open_world(&self, input: &ParsedInput) -> bool {
        self.input(input)
            .is_none_or(|input| self.tool.is_open_world(input))
    }

    fn interrupt_behavior(&self) -> InterruptBehavior {
        self.tool.interrupt_behavior()
    }

    fn search_or_read(&self, input: &ParsedInput) -> Option<GroupKind> {
        self.input(input)
            .and_then(|input| self.tool.search_or_read(input))
    }

    fn requires_user_interaction(&self) -> bool {
        self.tool.requires_user_interaction()
    }

    fn only_in_mode(&self) -> Option<Mode> {
        self.tool.only_in_mode()
    }

    fn answer_fields(&self) -> AnswerFields {
        self.tool.answer_fields()
    }

    fn inputs_equivalent(&self, one: &ParsedInput, other: &ParsedInput) -> bool {
        match (self.input(one), self.input(other)) {
            (Some(one), Some(other)) => self.tool.inputs_equivalent(one, other),
            _ => false,
        }
    }

    fn speculate(&self, input: &Value, context: &CallContext) -> Option<Speculation> {
        self.tool.speculate(input, context)
    }

    fn cascade(&self) -> Cascade {
        self.tool.cascade()
    }

    fn present(&self, stage: ErasedStage<'_>) -> View {
        let stage = match stage {
            ErasedStage::Writing { partial } => Some(Stage::Writing { partial }),
            ErasedStage::Queued { input } => self.input(input).map(|input| Stage::Queued { input }),
            ErasedStage::Running { input, progress } => self
                .input(input)
                .map(|input| Stage::Running { input, progress }),
            ErasedStage::Succeeded { input, output } => self
                .input(input)
                .zip(output.downcast())
                .map(|(input, output)| Stage::Succeeded { input, output }),
            ErasedStage::Rejected { input, reason } => self
                .input(input)
                .map(|input| Stage::Rejected { input, reason }),
            ErasedStage::Failed { partial, failure } => Some(Stage::Failed { partial, failure }),
            ErasedStage::Cancelled { partial, reason } => {
                Some(Stage::Cancelled { partial, reason })
            }
        };
        stage.map_or_else(
            || foreign_view(self.tool.name()),
            |stage| self.tool.present(stage),
        )
    }

    fn preview<'a>(
        &'a self,
        input: &'a ParsedInput,
        context: &'a CallContext,
    ) -> BoxFuture<'a, View> {
        match self.input(input) {
            Some(input) => self.tool.preview(input, context).boxed(),
            None => std::future::ready(foreign_view(self.tool.name())).boxed(),
        }
    }

    fn draft<'a>(
        &'a self,
        input: &'a ParsedInput,
        context: &'a CallContext,
    ) -> BoxFuture<'a, Option<Drafted>> {
        match self.input(input) {
            Some(input) => self.tool.draft(input, context).boxed(),
            None => std::future::ready(None).boxed(),
        }
    }

    fn user_facing_name(&self) -> Cow<'static, str> {
        self.tool.user_facing_name()
    }

    fn is_result_truncated(&self, output: &ErasedOutput) -> bool {
        output
            .downcast()
            .is_some_and(|output| self.tool.is_result_truncated(output))
    }

    fn is_transparent_wrapper(&self) -> bool {
        self.tool.is_transparent_wrapper()
    }

    fn map_result(&self, output: &ErasedOutput) -> Vec<ResultContent> {
        output
            .downcast()
            .map(|output| self.tool.map_result(output))
            .unwrap_or_default()
    }

    fn output_value(&self, output: &ErasedOutput) -> Value {
        output
            .downcast::<T::Output>()
            .and_then(|output| serde_json::to_value(output).ok())
            .unwrap_or(Value::Null)
    }

    fn classifier_input(&self, input: &ParsedInput) -> Option<String> {
        self.input(input)
            .and_then(|input| self.tool.classifier_input(input))
    }

    fn subject(&self, input: &ParsedInput, context: &CallContext) -> Subject {
        self.input(input)
            .map_or(Subject::Plain, |input| self.tool.subject(input, context))
    }

    fn path(&self, input: &ParsedInput, context: &CallContext) -> Option<PathBuf> {
        self.input(input)
            .and_then(|input| self.tool.path(input, context))
    }

    fn observable_input(&self, copy: &mut Value, context: &CallContext) {
        self.tool.observable_input(copy, context);
    }

    fn search_text(&self, output: &ErasedOutput) -> String {
        output
            .downcast()
            .map(|output| self.tool.search_text(output))
            .unwrap_or_default()
    }
}
