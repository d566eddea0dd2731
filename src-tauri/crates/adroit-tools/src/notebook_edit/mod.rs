//! NotebookEdit: one cell of a Jupyter notebook.

mod call;
mod presentation;
#[cfg(test)]
mod tests;

use std::borrow::Cow;
use std::path::PathBuf;
use std::sync::Arc;

use adroit_permissions::Subject;
use adroit_protocol::message::ResultContent;
use adroit_protocol::view::View;
use adroit_tool::{
    CallContext, DescribeOptions, Drafted, Features, InvalidInput, Outcome, Stage, Tool,
    ToolFailure,
};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::Value;

pub use call::NotebookEditOutput;

use crate::files::editing;
use crate::files::notebook::CellName;
use crate::{Services, files};

/// The tool.
pub struct NotebookEdit {
    services: Services,
}

/// The input of NotebookEdit.
#[derive(Clone, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct NotebookEditInput {
    /// The notebook (.ipynb): absolute, relative to the project folder, or beginning with ~/.
    pub notebook_path: String,
    /// The id of the cell, as Read shows it. `cell-N` names the cell at index N where cells have no ids.
    /// For insert: the cell after which the new one comes; before all others when neither id nor index
    /// is given.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell_id: Option<String>,
    /// The index of the cell, from 0, instead of its id.
    #[serde(
        default,
        deserialize_with = "files::count::optional",
        skip_serializing_if = "Option::is_none"
    )]
    #[schemars(range(max = files::count::MAX))]
    pub cell_index: Option<u64>,
    /// The new source of the cell. Needed for replace and insert.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub new_source: Option<String>,
    /// The type of the cell. For replace, the type it has when absent; for insert, code when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub cell_type: Option<CellType>,
    /// What to do; replace when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    pub edit_mode: Option<EditMode>,
}

/// The types of cells.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum CellType {
    /// A program, with outputs.
    Code,
    /// Markdown.
    Markdown,
    /// Text that is passed on as it is.
    Raw,
}

/// What is done with a cell.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "snake_case")]
pub enum EditMode {
    /// The cell gets another source. Outputs of a code cell are cleared.
    #[default]
    Replace,
    /// A new cell comes after the one named, or before all others.
    Insert,
    /// The cell goes.
    Delete,
}

impl CellType {
    fn word(self) -> &'static str {
        match self {
            Self::Code => "code",
            Self::Markdown => "markdown",
            Self::Raw => "raw",
        }
    }
}

impl NotebookEditInput {
    fn mode(&self) -> EditMode {
        self.edit_mode.unwrap_or_default()
    }

    fn cell(&self) -> Option<CellName<'_>> {
        match (&self.cell_id, self.cell_index) {
            (Some(id), _) if !id.is_empty() => Some(CellName::Id(id)),
            (_, Some(index)) => Some(CellName::Index(index)),
            _ => None,
        }
    }

    fn problem(&self) -> Option<(&'static str, &'static str)> {
        let has_id = self.cell_id.as_ref().is_some_and(|id| !id.is_empty());
        if has_id && self.cell_index.is_some() {
            return Some(("two_cells", "Give cell_id or cell_index, not both."));
        }
        match self.mode() {
            EditMode::Replace | EditMode::Insert if self.new_source.is_none() => Some((
                "no_source",
                "new_source is missing: it is the source of the cell (an empty text for an empty cell).",
            )),
            EditMode::Replace | EditMode::Delete if self.cell().is_none() => {
                Some(("no_cell", "Name the cell by cell_id or cell_index."))
            }
            _ => None,
        }
    }
}

impl NotebookEdit {
    /// The tool over these services.
    pub fn new(services: Services) -> Self {
        Self { services }
    }
}

impl Tool for NotebookEdit {
    type Input = NotebookEditInput;
    type Output = NotebookEditOutput;

    fn name(&self) -> &'static str {
        "NotebookEdit"
    }

    /// Few projects have notebooks: the model loads it where it meets one.
    fn should_defer(&self) -> bool {
        true
    }

    fn search_hint(&self) -> &'static str {
        "notebook jupyter ipynb edit replace insert delete cell"
    }

    fn description(&self, input: Option<&NotebookEditInput>, _options: &DescribeOptions) -> String {
        match input {
            Some(input) => {
                let path = files::shown(&self.services.workspace, &input.notebook_path);
                match input.mode() {
                    EditMode::Replace => format!("Changes a cell of {path}."),
                    EditMode::Insert => format!("Inserts a cell into {path}."),
                    EditMode::Delete => format!("Deletes a cell of {path}."),
                }
            }
            None => "Replaces, inserts or deletes a cell of a Jupyter notebook.".to_owned(),
        }
    }

    fn prompt(&self, _options: &DescribeOptions) -> Cow<'static, str> {
        Cow::Borrowed(include_str!("prompt.md"))
    }

    async fn validate_input(
        &self,
        input: &NotebookEditInput,
        context: &CallContext,
    ) -> Result<(), InvalidInput> {
        if let Some((code, message)) = input.problem() {
            return Err(InvalidInput::new(code, message));
        }
        editing::validate(&self.services, input, context)
    }

    async fn call(
        &self,
        input: Arc<NotebookEditInput>,
        context: CallContext,
    ) -> Result<Outcome<NotebookEditOutput>, ToolFailure> {
        call::edit(&self.services, input, context)
            .await
            .map(Outcome::new)
    }

    fn is_enabled(&self, features: &Features) -> bool {
        features.has(crate::features::NOTEBOOKS)
    }

    fn inputs_equivalent(&self, one: &NotebookEditInput, other: &NotebookEditInput) -> bool {
        one == other
    }

    fn user_facing_name(&self) -> Cow<'static, str> {
        Cow::Borrowed("Notebook edit")
    }

    fn present(&self, stage: Stage<'_, Self>) -> View {
        presentation::present(self, &stage)
    }

    async fn preview(&self, input: &NotebookEditInput, context: &CallContext) -> View {
        let title = presentation::title(self, &input.notebook_path);
        editing::preview(&self.services, title, input, context).await
    }

    async fn draft(&self, input: &NotebookEditInput, context: &CallContext) -> Option<Drafted> {
        let title = presentation::title(self, &input.notebook_path);
        editing::draft(&self.services, title, input, context).await
    }

    /// What the model reads names the file only.
    fn search_text(&self, output: &NotebookEditOutput) -> String {
        files::diff_text(&output.diff)
    }

    fn map_result(&self, output: &NotebookEditOutput) -> Vec<ResultContent> {
        vec![ResultContent::text(output.for_model())]
    }

    fn classifier_input(&self, input: &NotebookEditInput) -> Option<String> {
        Some(format!(
            "{} {:?}: {}",
            input.notebook_path,
            input.mode(),
            input.new_source.as_deref().unwrap_or_default()
        ))
    }

    fn subject(&self, input: &NotebookEditInput, _context: &CallContext) -> Subject {
        editing::subject(&self.services, input)
    }

    fn path(&self, input: &NotebookEditInput, _context: &CallContext) -> Option<PathBuf> {
        editing::path(&self.services, input)
    }

    fn observable_input(&self, copy: &mut Value, _context: &CallContext) {
        files::make_absolute(&self.services.workspace, copy, "notebook_path");
    }
}
