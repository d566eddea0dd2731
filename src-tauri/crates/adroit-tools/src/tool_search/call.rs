//! Looking for tools, and loading what was found.

use std::sync::Arc;

use adroit_tool::{DeferredTool, ToolCatalog, ToolFailure};
use serde::Serialize;
use serde_json::{Value, json};

use super::ToolSearchInput;
use super::rank::Words;

/// Tools that a search by words loads where the call does not say how many.
const USUAL_RESULTS: usize = 5;

/// A tool that is loaded now.
#[derive(Clone, Debug, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct FoundTool {
    /// Its name.
    pub name: String,
    /// What it does.
    pub description: String,
    /// JSON Schema of its input.
    pub input_schema: Arc<Value>,
}

/// What a search found.
#[derive(Clone, Debug, Default, PartialEq, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolSearchOutput {
    /// The tools that are loaded now, best match first.
    pub found: Vec<FoundTool>,
    /// Names that were asked for and are no deferred tools, with what is known of them.
    pub missing: Vec<String>,
    /// The names of all deferred tools, where nothing was found.
    pub known: Vec<String>,
}

impl ToolSearchOutput {
    pub(super) fn for_model(&self) -> String {
        let mut lines: Vec<String> = self
            .found
            .iter()
            .map(|tool| {
                let shown = json!({
                    "name": tool.name,
                    "description": tool.description,
                    "input_schema": tool.input_schema.as_ref(),
                });
                format!("<function>{shown}</function>")
            })
            .collect();
        if !lines.is_empty() {
            lines.insert(0, "Loaded; call them like any other tool:".to_owned());
        }
        lines.extend(self.missing.iter().cloned());
        if self.found.is_empty() {
            lines.push(if self.known.is_empty() {
                "There are no tools to load: all that exist are loaded.".to_owned()
            } else {
                format!(
                    "Nothing was loaded. The tools that can be loaded are {}.",
                    self.known.join(", ")
                )
            });
        }
        lines.join("\n")
    }
}

pub(super) fn search(
    input: &ToolSearchInput,
    catalog: &dyn ToolCatalog,
) -> Result<ToolSearchOutput, ToolFailure> {
    let tools = catalog.deferred();
    let query = input.query.trim();
    let mut output = match query.strip_prefix("select:") {
        Some(names) => select(names, &tools, catalog)?,
        None => by_words(query, input.max_results, &tools)?,
    };
    for tool in &output.found {
        catalog.load(&tool.name);
    }
    if output.found.is_empty() {
        output.known = tools.into_iter().map(|tool| tool.name).collect();
    }
    Ok(output)
}

fn select(
    names: &str,
    tools: &[DeferredTool],
    catalog: &dyn ToolCatalog,
) -> Result<ToolSearchOutput, ToolFailure> {
    let mut names = names
        .split(',')
        .map(str::trim)
        .filter(|name| !name.is_empty())
        .peekable();
    if names.peek().is_none() {
        return Err(no_words(
            "`select:` needs names, as in `select:NotebookEdit`",
        ));
    }
    let mut output = ToolSearchOutput::default();
    for name in names {
        match find(name, tools) {
            Some(tool) if output.found.iter().any(|found| found.name == tool.name) => {}
            Some(tool) => output.found.push(found(tool)),
            None if catalog.is_always_loaded(name) => output.missing.push(format!(
                "{name} is loaded already: its parameters are among your tools."
            )),
            None => output
                .missing
                .push(format!("There is no tool named {name:?}.")),
        }
    }
    Ok(output)
}

/// By name, by alias, and at last whatever the case of the letters.
fn find<'a>(name: &str, tools: &'a [DeferredTool]) -> Option<&'a DeferredTool> {
    let exact = |tool: &&DeferredTool| tool.name == name;
    let alias = |tool: &&DeferredTool| tool.aliases.iter().any(|alias| alias == name);
    let similar = |tool: &&DeferredTool| tool.name.eq_ignore_ascii_case(name);
    tools
        .iter()
        .find(exact)
        .or_else(|| tools.iter().find(alias))
        .or_else(|| tools.iter().find(similar))
}

fn by_words(
    query: &str,
    most: Option<u32>,
    tools: &[DeferredTool],
) -> Result<ToolSearchOutput, ToolFailure> {
    let words = Words::of(query);
    if words.is_empty() {
        return Err(no_words("`query` has no words to look for"));
    }
    let most = most.map_or(USUAL_RESULTS, |most| {
        usize::try_from(most).unwrap_or(USUAL_RESULTS)
    });
    let mut scored: Vec<(u32, &DeferredTool)> = tools
        .iter()
        .filter_map(|tool| Some((words.score(tool)?, tool)))
        .collect();
    // By score, then by name: the same search finds the same tools in the same order.
    scored.sort_by(|(one, left), (other, right)| {
        other.cmp(one).then_with(|| left.name.cmp(&right.name))
    });
    Ok(ToolSearchOutput {
        found: scored
            .into_iter()
            .take(most)
            .map(|(_, tool)| found(tool))
            .collect(),
        ..ToolSearchOutput::default()
    })
}

fn found(tool: &DeferredTool) -> FoundTool {
    FoundTool {
        name: tool.name.clone(),
        description: tool.description.clone(),
        input_schema: Arc::clone(&tool.input_schema),
    }
}

fn no_words(message: &str) -> ToolFailure {
    ToolFailure::new("no_words", format!("{message}.")).with_summary("nothing to look for")
}
