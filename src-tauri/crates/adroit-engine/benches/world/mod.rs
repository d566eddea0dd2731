//! An engine around the tools that a benchmark brings.

use std::path::Path;
use std::sync::Arc;

use adroit_engine::{
    Ask, Consent, ConsentAnswer, CurrentDirectory, Engine, Execution, NoCheckpoints, Permissions,
    Pool, ResultStore, Unobserved,
};
use adroit_hooks::Hooks;
use adroit_permissions::{PermissionSnapshot, RuleSet, WorkspaceFacts};
use adroit_protocol::permission::{AfterPlan, Mode};
use adroit_tool::{AnyTool, Cancellation, Features, Limits, RememberedFiles};
use futures::FutureExt;
use futures::future::BoxFuture;
use tokio::runtime::{Builder, Runtime};

struct Rules(PermissionSnapshot);

impl Permissions for Rules {
    fn snapshot(&self) -> PermissionSnapshot {
        self.0.clone()
    }

    fn leave_plan_mode(&self, _after: AfterPlan) -> bool {
        false
    }
}

struct Nobody;

impl Consent for Nobody {
    fn ask<'a>(
        &'a self,
        _ask: Ask,
        _cancellation: &'a Cancellation,
    ) -> BoxFuture<'a, ConsentAnswer> {
        std::future::ready(ConsentAnswer::Cancelled).boxed()
    }
}

/// Everything is allowed, nobody looks.
pub(crate) fn engine<const N: usize>(
    tools: [Arc<dyn AnyTool>; N],
    hooks: Arc<dyn Hooks>,
) -> Arc<Engine> {
    let rules = Arc::new(RuleSet::compile(Vec::new()));
    Arc::new(Engine {
        pool: Arc::new(Pool::assemble(tools, [], &rules, &Features::default())),
        permissions: Arc::new(Rules(PermissionSnapshot {
            mode: Mode::BypassPermissions,
            rules,
            workspace: WorkspaceFacts {
                root: "/project".into(),
                additional_directories: Vec::new(),
                home: "/home/user".into(),
                cwd: "/project".into(),
                state_directories: Vec::new(),
            },
            trusted: true,
            bypass_available: true,
        })),
        consent: Arc::new(Nobody),
        classifier: Arc::new(adroit_engine::NoClassifier),
        observer: Arc::new(Unobserved),
        checkpoints: Arc::new(NoCheckpoints),
        hooks,
        results: ResultStore::new(Path::new("/nonexistent/results")),
        limits: Limits::default(),
        files: Arc::new(RememberedFiles::default()),
        cwd: CurrentDirectory::new(Path::new("/project")),
        execution: Execution::default(),
        agent: None,
        interactive: false,
    })
}

/// A runtime, or the end of the benchmark.
pub(crate) fn runtime(builder: &mut Builder) -> Runtime {
    builder.build().unwrap_or_else(|problem| {
        eprintln!("nothing can be measured without a runtime: {problem}");
        std::process::exit(1)
    })
}
