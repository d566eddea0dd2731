//! The ordered list of tools that one agent sees.

use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::{Arc, PoisonError, RwLock};

use adroit_permissions::RuleSet;
use adroit_protocol::message::ToolDefinition;
use adroit_protocol::view::View;
use adroit_tool::{
    AnyTool, DeferredTool, DescribeOptions, ErasedStage, Features, Origin, ToolCatalog,
};

use crate::input::InputSchema;
use crate::near::near_names;

/// A tool of the pool with what the engine keeps beside it.
pub struct PoolTool {
    tool: Arc<dyn AnyTool>,
    schema: InputSchema,
}

impl PoolTool {
    fn new(tool: Arc<dyn AnyTool>) -> Self {
        let schema = InputSchema::new(tool.input_schema());
        Self { tool, schema }
    }

    /// The tool.
    #[must_use]
    pub fn tool(&self) -> &Arc<dyn AnyTool> {
        &self.tool
    }

    /// Compiles the tool's schema ahead of its first call. Takes some milliseconds: not for a
    /// thread that others wait for.
    pub fn prepare(&self) {
        self.schema.prepare();
    }

    /// The tool's view of a moment, with what the contract says of every view of the tool.
    #[must_use]
    pub fn present(&self, stage: ErasedStage<'_>) -> View {
        let (truncated, may_fold) = match &stage {
            ErasedStage::Succeeded { input, output } => (
                self.tool.is_result_truncated(output),
                self.tool.search_or_read(input).is_some(),
            ),
            ErasedStage::Queued { input } | ErasedStage::Running { input, .. } => {
                (false, self.tool.search_or_read(input).is_some())
            }
            // Of what is being written nothing is certain; the rest never folds.
            ErasedStage::Writing { .. } => (false, true),
            ErasedStage::Rejected { .. }
            | ErasedStage::Failed { .. }
            | ErasedStage::Cancelled { .. } => (false, false),
        };
        let mut view = self.tool.present(stage);
        view.truncated |= truncated;
        view.transparent |= self.tool.is_transparent_wrapper();
        if !may_fold {
            view.group = None;
        }
        view
    }

    pub(crate) fn schema(&self) -> &InputSchema {
        &self.schema
    }
}

/// The names of deferred tools that the model has loaded. Clones are the same set, so
/// that it outlives a pool that is assembled anew.
#[derive(Clone, Debug, Default)]
pub struct Discovered {
    names: Arc<RwLock<BTreeSet<String>>>,
}

impl Discovered {
    /// The names of an earlier sitting.
    #[must_use]
    pub fn with(names: &[String]) -> Self {
        let discovered = Self::default();
        for name in names {
            discovered.insert(name.clone());
        }
        discovered
    }

    /// The model knows this tool from now on.
    pub fn insert(&self, name: impl Into<String>) {
        self.names
            .write()
            .unwrap_or_else(PoisonError::into_inner)
            .insert(name.into());
    }

    /// Whether the model knows it.
    #[must_use]
    pub fn contains(&self, name: &str) -> bool {
        self.names
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .contains(name)
    }

    /// All of them, for the transcript.
    #[must_use]
    pub fn names(&self) -> Vec<String> {
        self.names
            .read()
            .unwrap_or_else(PoisonError::into_inner)
            .iter()
            .cloned()
            .collect()
    }
}

/// The tools of one agent.
///
/// Built-in tools come first, by name, as one block; those of servers follow, by name.
/// The order never depends on the order of what was given, and a server's change never
/// touches the first block: so the providers' prompt caches keep it.
pub struct Pool {
    tools: Vec<Arc<PoolTool>>,
    built_ins: usize,
    by_name: HashMap<String, usize>,
    discovered: Discovered,
}

impl Pool {
    /// Puts the pool together from all tools: those that are switched off and those that
    /// a rule denies as a whole are removed, then the rest is ordered. Of two tools with
    /// one name a built-in one wins, so that no server can take a built-in tool's place.
    #[must_use]
    pub fn assemble(
        built_ins: impl IntoIterator<Item = Arc<dyn AnyTool>>,
        mcp: impl IntoIterator<Item = Arc<dyn AnyTool>>,
        rules: &RuleSet,
        features: &Features,
    ) -> Self {
        let available =
            |tool: &Arc<dyn AnyTool>| tool.is_enabled(features) && !is_denied(tool.as_ref(), rules);
        let mut first: Vec<_> = built_ins.into_iter().filter(available).collect();
        let mut second: Vec<_> = mcp.into_iter().filter(available).collect();
        let mut taken = HashSet::new();
        for part in [&mut first, &mut second] {
            part.sort_by(|one, other| one.name().cmp(other.name()));
            part.retain(|tool| taken.insert(tool.name().to_owned()));
        }
        let built_ins = first.len();
        let tools: Vec<_> = first
            .into_iter()
            .chain(second)
            .map(|tool| Arc::new(PoolTool::new(tool)))
            .collect();
        let mut by_name = HashMap::new();
        // Names before aliases: a former name never hides a tool that has it now.
        for (index, entry) in tools.iter().enumerate() {
            by_name.insert(entry.tool.name().to_owned(), index);
        }
        for (index, entry) in tools.iter().enumerate() {
            for alias in entry.tool.aliases() {
                by_name.entry((*alias).to_owned()).or_insert(index);
            }
        }
        Self {
            tools,
            built_ins,
            by_name,
            discovered: Discovered::default(),
        }
    }

    /// The same with what the model has loaded so far.
    #[must_use]
    pub fn with_discovered(mut self, discovered: Discovered) -> Self {
        self.discovered = discovered;
        self
    }

    /// What the model has loaded so far.
    #[must_use]
    pub fn discovered(&self) -> &Discovered {
        &self.discovered
    }

    /// The tool of this name, or else with this alias.
    #[must_use]
    pub fn find(&self, name: &str) -> Option<&Arc<PoolTool>> {
        self.by_name.get(name).map(|index| &self.tools[*index])
    }

    /// The names nearest to one that does not exist.
    #[must_use]
    pub fn near_names(&self, name: &str) -> Vec<&str> {
        near_names(name, self.iter().map(|tool| tool.name()))
    }

    /// True where the model sees the tool's name only, and has not loaded it yet.
    #[must_use]
    pub fn is_hidden(&self, tool: &dyn AnyTool) -> bool {
        is_deferred(tool) && !self.discovered.contains(tool.name())
    }

    /// What the model is told: every tool but the deferred ones that it has not loaded.
    #[must_use]
    pub fn definitions(&self, options: &DescribeOptions) -> Vec<ToolDefinition> {
        self.visible()
            .map(|entry| definition(entry.tool.as_ref(), options))
            .collect()
    }

    /// The names of the deferred tools that the model has not loaded.
    #[must_use]
    pub fn deferred_names(&self) -> Vec<&str> {
        self.iter()
            .filter(|tool| self.is_hidden(tool.as_ref()))
            .map(|tool| tool.name())
            .collect()
    }

    /// How many of [`Pool::definitions`] are the unchanging first block: the place of the
    /// prompt cache's breakpoint. `None` where there is no such block.
    #[must_use]
    pub fn cache_breakpoint(&self) -> Option<usize> {
        let block = self.tools[..self.built_ins]
            .iter()
            .filter(|entry| !self.is_hidden(entry.tool.as_ref()))
            .count();
        (block > 0).then_some(block)
    }

    /// All tools, in order.
    pub fn iter(&self) -> impl Iterator<Item = &Arc<dyn AnyTool>> {
        self.tools.iter().map(|entry| &entry.tool)
    }

    /// For whom the tools are described. Only built-in tools are named to one another: a
    /// description that named a server's tool would change with the server, and the block
    /// before the cache's breakpoint with it.
    #[must_use]
    pub fn describe_options(&self, interactive: bool) -> DescribeOptions {
        let built_ins = self.tools[..self.built_ins].iter();
        DescribeOptions {
            interactive,
            tools: built_ins
                .map(|entry| entry.tool.name().to_owned())
                .collect(),
        }
    }

    fn visible(&self) -> impl Iterator<Item = &Arc<PoolTool>> {
        self.tools
            .iter()
            .filter(|entry| !self.is_hidden(entry.tool.as_ref()))
    }
}

impl ToolCatalog for Pool {
    fn deferred(&self) -> Vec<DeferredTool> {
        // Descriptions of deferred tools are for whoever asks, whatever the tools beside them.
        let options = DescribeOptions::default();
        self.iter()
            .filter(|tool| is_deferred(tool.as_ref()))
            .map(|tool| DeferredTool {
                name: tool.name().to_owned(),
                aliases: tool
                    .aliases()
                    .iter()
                    .map(|&alias| alias.to_owned())
                    .collect(),
                search_hint: tool.search_hint().to_owned(),
                description: tool.prompt(&options).into_owned(),
                input_schema: tool.input_schema(),
                server: match tool.origin() {
                    Origin::Mcp { server, .. } => Some(server),
                    Origin::BuiltIn => None,
                },
                loaded: self.discovered.contains(tool.name()),
            })
            .collect()
    }

    fn is_always_loaded(&self, name: &str) -> bool {
        self.find(name)
            .is_some_and(|entry| !is_deferred(entry.tool.as_ref()))
    }

    fn load(&self, name: &str) {
        self.discovered.insert(name);
    }
}

fn is_deferred(tool: &dyn AnyTool) -> bool {
    tool.should_defer() && !tool.always_load()
}

/// What the model is told of one tool.
#[must_use]
pub fn definition(tool: &dyn AnyTool, options: &DescribeOptions) -> ToolDefinition {
    ToolDefinition {
        name: tool.name().to_owned(),
        description: tool.prompt(options).into_owned(),
        input_schema: tool.input_schema(),
        strict: tool.strict(),
    }
}

/// A rule that denies every use of a tool takes it out of the pool: the model is not
/// tempted by what it can never have. Calls are judged all the same.
fn is_denied(tool: &dyn AnyTool, rules: &RuleSet) -> bool {
    let aliases: Vec<String> = tool
        .aliases()
        .iter()
        .map(|alias| (*alias).to_owned())
        .collect();
    let server = match tool.origin() {
        Origin::Mcp { server, .. } => Some(server),
        Origin::BuiltIn => None,
    };
    rules.denies_tool(tool.name(), &aliases, server.as_deref())
}
