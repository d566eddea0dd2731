//! The tools of the pool that the model sees by name only, for the tool that loads them.

use std::sync::Arc;

use serde_json::Value;

/// A tool whose schema the model gets when it asks for it.
#[derive(Clone, Debug, PartialEq)]
pub struct DeferredTool {
    /// Its name.
    pub name: String,
    /// Its former names.
    pub aliases: Vec<String>,
    /// Words by which a search finds it.
    pub search_hint: String,
    /// What the model is told of it.
    pub description: String,
    /// JSON Schema of its input.
    pub input_schema: Arc<Value>,
    /// The MCP server that it comes from.
    pub server: Option<String>,
    /// The model has loaded it already.
    pub loaded: bool,
}

/// The deferred tools of one agent.
pub trait ToolCatalog: Send + Sync {
    /// All of them, in the order of the pool.
    fn deferred(&self) -> Vec<DeferredTool>;
    /// Whether a tool of this name, or with this alias, is there and was never deferred.
    fn is_always_loaded(&self, name: &str) -> bool;
    /// The model knows this tool from now on, for the rest of the session.
    fn load(&self, name: &str);
}

/// A pool in which nothing is deferred.
#[derive(Clone, Copy, Debug, Default)]
pub struct NothingDeferred;

impl ToolCatalog for NothingDeferred {
    fn deferred(&self) -> Vec<DeferredTool> {
        Vec::new()
    }

    fn is_always_loaded(&self, _name: &str) -> bool {
        false
    }

    fn load(&self, _name: &str) {}
}
