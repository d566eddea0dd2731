//! Order, layers and names of the pool.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::sync::Arc;

use adroit_permissions::{RuleSet, Subject, ToolCheck};
use adroit_protocol::message::ResultContent;
use adroit_protocol::permission::Behavior;
use adroit_protocol::view::{GroupKind, View};
use adroit_tool::{
    AnyTool, CallContext, Cascade, DescribeOptions, ErasedOutcome, ErasedOutput, ErasedStage,
    Features, InterruptBehavior, InvalidInput, Origin, ParsedInput, ResultLimit, ToolFailure,
    erase,
};
use futures::FutureExt;
use futures::future::BoxFuture;
use proptest::prelude::*;
use serde_json::{Value, json};

use super::fixture::*;
use crate::Pool;

/// A server's tool: the twin made directly.
struct ServerTool(String);

impl AnyTool for ServerTool {
    fn name(&self) -> &str {
        &self.0
    }
    fn aliases(&self) -> &[&str] {
        &[]
    }
    fn search_hint(&self) -> &str {
        ""
    }
    fn origin(&self) -> Origin {
        Origin::Mcp {
            server: "server".to_owned(),
            tool: self.0.clone(),
        }
    }
    fn input_schema(&self) -> Arc<Value> {
        Arc::new(json!({"type": "object"}))
    }
    fn output_schema(&self) -> Option<Value> {
        None
    }
    fn max_result_chars(&self) -> ResultLimit {
        ResultLimit::Chars(100)
    }
    fn should_defer(&self) -> bool {
        false
    }
    fn always_load(&self) -> bool {
        false
    }
    fn strict(&self) -> bool {
        false
    }
    fn parse(&self, value: Arc<Value>) -> Result<ParsedInput, InvalidInput> {
        Ok(ParsedInput::new(value, Arc::new(())))
    }
    fn call<'a>(
        &'a self,
        _input: &'a ParsedInput,
        _context: CallContext,
    ) -> BoxFuture<'a, Result<ErasedOutcome, ToolFailure>> {
        std::future::ready(Err(ToolFailure::new("none", "none"))).boxed()
    }
    fn description(&self, _input: Option<&ParsedInput>, _options: &DescribeOptions) -> String {
        String::new()
    }
    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed("")
    }
    fn validate_input<'a>(
        &'a self,
        _input: &'a ParsedInput,
        _context: &'a CallContext,
    ) -> BoxFuture<'a, Result<(), InvalidInput>> {
        std::future::ready(Ok(())).boxed()
    }
    fn check_permissions(&self, _input: &ParsedInput, _context: &CallContext) -> ToolCheck {
        ToolCheck::Pass
    }
    fn is_enabled(&self, features: &Features) -> bool {
        !features.enabled.contains("no servers")
    }
    fn is_read_only(&self, _input: &ParsedInput, _context: &CallContext) -> bool {
        false
    }
    fn is_concurrency_safe(&self, _input: &ParsedInput, _context: &CallContext) -> bool {
        false
    }
    fn is_destructive(&self, _input: &ParsedInput, _context: &CallContext) -> bool {
        false
    }
    fn is_open_world(&self, _input: &ParsedInput) -> bool {
        true
    }
    fn interrupt_behavior(&self) -> InterruptBehavior {
        InterruptBehavior::Block
    }
    fn search_or_read(&self, _input: &ParsedInput) -> Option<GroupKind> {
        None
    }
    fn requires_user_interaction(&self) -> bool {
        false
    }
    fn inputs_equivalent(&self, _one: &ParsedInput, _other: &ParsedInput) -> bool {
        false
    }
    fn cascade(&self) -> Cascade {
        Cascade::None
    }
    fn present(&self, _stage: ErasedStage<'_>) -> View {
        View::titled(&self.0)
    }
    fn preview<'a>(
        &'a self,
        _input: &'a ParsedInput,
        _context: &'a CallContext,
    ) -> BoxFuture<'a, View> {
        std::future::ready(View::titled(&self.0)).boxed()
    }
    fn user_facing_name(&self) -> Cow<'static, str> {
        Cow::Owned(self.0.clone())
    }
    fn is_result_truncated(&self, _output: &ErasedOutput) -> bool {
        false
    }
    fn is_transparent_wrapper(&self) -> bool {
        false
    }
    fn map_result(&self, _output: &ErasedOutput) -> Vec<ResultContent> {
        Vec::new()
    }
    fn output_value(&self, _output: &ErasedOutput) -> Value {
        Value::Null
    }
    fn classifier_input(&self, _input: &ParsedInput) -> Option<String> {
        None
    }
    fn subject(&self, _input: &ParsedInput, _context: &CallContext) -> Subject {
        Subject::Mcp {
            server: "server".to_owned(),
            tool: self.0.clone(),
        }
    }
    fn path(&self, _input: &ParsedInput, _context: &CallContext) -> Option<PathBuf> {
        None
    }
    fn observable_input(&self, _copy: &mut Value, _context: &CallContext) {}
    fn search_text(&self, _output: &ErasedOutput) -> String {
        String::new()
    }
}

fn built_ins() -> Vec<Arc<dyn AnyTool>> {
    let log = Arc::default();
    vec![
        erase(FakeEdit),
        erase(Probe::new("Probe", &log)),
        erase(Probe::new("Glob", &log)),
        erase(Probe {
            deferred: true,
            ..Probe::new("Notebook", &log)
        }),
    ]
}

fn server(name: &str) -> Arc<dyn AnyTool> {
    Arc::new(ServerTool(name.to_owned()))
}

fn assemble(
    built_ins: Vec<Arc<dyn AnyTool>>,
    mcp: Vec<Arc<dyn AnyTool>>,
    rules: &[(Behavior, &str)],
) -> Pool {
    let rules = RuleSet::compile(
        rules
            .iter()
            .map(|(behavior, text)| rule(*behavior, text))
            .collect(),
    );
    Pool::assemble(built_ins, mcp, &rules, &Features::default())
}

fn names(pool: &Pool) -> Vec<&str> {
    pool.iter().map(|tool| tool.name()).collect()
}

#[test]
fn built_ins_come_first_each_part_by_name() {
    let pool = assemble(
        built_ins(),
        vec![server("mcp__b__x"), server("AAA"), server("mcp__a__x")],
        &[],
    );
    assert_eq!(
        names(&pool),
        [
            "Glob",
            "Notebook",
            "Probe",
            "Write",
            "AAA",
            "mcp__a__x",
            "mcp__b__x"
        ]
    );
    let defined: Vec<String> = pool
        .definitions(&DescribeOptions::default())
        .into_iter()
        .map(|definition| definition.name)
        .collect();
    assert_eq!(
        defined,
        ["Glob", "Probe", "Write", "AAA", "mcp__a__x", "mcp__b__x"],
        "deferred ones are left out"
    );
    assert_eq!(pool.cache_breakpoint(), Some(3));
    assert_eq!(pool.deferred_names(), ["Notebook"]);
    pool.discovered().insert("Notebook");
    assert_eq!(pool.definitions(&DescribeOptions::default()).len(), 7);
    assert_eq!(pool.cache_breakpoint(), Some(4));
}

#[test]
fn a_server_cannot_take_a_built_in_tools_name() {
    let pool = assemble(built_ins(), vec![server("Write"), server("OldProbe")], &[]);
    assert_eq!(pool.find("Write").unwrap().tool().origin(), Origin::BuiltIn);
    assert_eq!(pool.iter().filter(|tool| tool.name() == "Write").count(), 1);
}

#[test]
fn an_alias_finds_its_tool() {
    let pool = assemble(built_ins(), Vec::new(), &[]);
    assert_eq!(pool.find("OldProbe").unwrap().tool().name(), "Probe");
    assert!(pool.find("probe").is_none(), "names are exact");
}

#[test]
fn what_is_denied_or_switched_off_is_not_there() {
    let pool = assemble(
        built_ins(),
        vec![server("mcp__server__x")],
        &[
            (Behavior::Deny, "Probe"),
            (Behavior::Deny, "Glob(secret)"),
            (Behavior::Deny, "mcp__server"),
        ],
    );
    assert_eq!(names(&pool), ["Glob", "Notebook", "Write"]);
    let off = Features {
        enabled: BTreeSet::from(["no servers".to_owned()]),
    };
    let pool = Pool::assemble(
        built_ins(),
        [server("mcp__server__x")],
        &RuleSet::compile(Vec::new()),
        &off,
    );
    assert!(pool.find("mcp__server__x").is_none());
}

proptest! {
    #[test]
    fn servers_never_change_the_bytes_of_the_built_in_part(
        one in prop::collection::vec("[A-Za-z_]{1,12}", 0..6),
        other in prop::collection::vec("[A-Za-z_]{1,12}", 0..6),
        turned in any::<bool>(),
    ) {
        let bytes = |servers: &[String], turned: bool| {
            let mut built_ins = built_ins();
            if turned {
                built_ins.reverse();
            }
            let pool = assemble(built_ins, servers.iter().map(|name| server(name)).collect(), &[]);
            let definitions = pool.definitions(&pool.describe_options(true));
            serde_json::to_string(&definitions[..pool.cache_breakpoint().unwrap()]).unwrap()
        };
        prop_assert_eq!(bytes(&one, false), bytes(&other, turned));
    }
}
