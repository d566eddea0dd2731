//! The built-in tools, one folder each.
//!
//! Owns the one table of tools ([`all`]) and what they are made with ([`Services`]).
//!
//! Called by the session, which makes a set of tools for each agent; the engine runs them and knows
//! none of them by name.
//!
//! Invariants: a tool's name stands once in [`NAMES`] (checked when this crate is compiled), in the order
//! in which the pool shows it; every tool has a folder of the same shape (`mod.rs` is its datasheet,
//! `prompt.md` what the model is told); a tool opens no file by itself but through `adroit-workspace`.
//!
//! It must never know: who asked, who consented, which model listens.

mod agent;
mod agents;
mod ask_user_question;
mod bash;
#[cfg(test)]
mod contract;
mod edit;
mod exit_plan_mode;
mod features;
mod files;
mod glob;
mod grep;
mod multi_edit;
mod notebook_edit;
#[cfg(test)]
mod own_cases;
mod read;
/// What `cargo xtask new-tool` copies: a tool that compiles and holds the contract, and is in no table.
#[cfg(test)]
#[expect(unreachable_pub, reason = "its copies are exported, it is not")]
mod scaffold;
mod services;
mod task_output;
mod task_stop;
mod tasks;
#[cfg(test)]
mod tests;
mod tool_search;
#[cfg(test)]
mod views;
mod write;

use std::sync::Arc;

use adroit_tool::{AnyTool, erase};

pub use agent::{Agent, AgentInput, AgentOutput};
pub use agents::{AgentKind, AgentReport, AgentTask, Agents, NoAgents};
pub use ask_user_question::{
    AnsweredQuestion, AskUserQuestion, AskUserQuestionInput, AskUserQuestionOutput, AskedQuestion,
    GivenAnswer, QuestionOption,
};
pub use bash::{Bash, BashInput, BashOutput, keeps_definition};
pub use edit::{Edit, EditInput, EditOutput};
pub use exit_plan_mode::{ExitPlanMode, ExitPlanModeInput, ExitPlanModeOutput};
pub use features::{FEATURES, Feature, feature_names, features, parse_feature};
pub use glob::{Glob, GlobInput, GlobOutput};
pub use grep::{Grep, GrepInput, GrepOutput, OutputMode};
pub use multi_edit::{MultiEdit, MultiEditInput, MultiEditOutput, OneEdit};
pub use notebook_edit::{CellType, EditMode, NotebookEdit, NotebookEditInput, NotebookEditOutput};
pub use read::{
    Document, DocumentPage, NotebookCells, Read, ReadContent, ReadInput, ReadOutput, TextPage,
};
pub use services::{
    CommandLimits, CommandSettings, NoTerminals, OpenedTerminal, SandboxMode, SandboxSettings,
    Sandboxed, Services, Terminals, WhileSandboxed,
};
pub use task_output::{TaskOutput, TaskOutputInput, TaskOutputResult};
pub use task_stop::{TaskStop, TaskStopInput, TaskStopResult};
pub use tasks::{BackgroundTasks, TaskId, TaskNotice, TaskState};
pub use tool_search::{FoundTool, ToolSearch, ToolSearchInput, ToolSearchOutput};
pub use write::{Write, WriteInput, WriteOutput};

/// The names of the built-in tools, sorted.
pub const NAMES: [&str; 14] = [
    "Agent",
    "AskUserQuestion",
    "Bash",
    "Edit",
    "ExitPlanMode",
    "Glob",
    "Grep",
    "MultiEdit",
    "NotebookEdit",
    "Read",
    "TaskOutput",
    "TaskStop",
    "ToolSearch",
    "Write",
];

const _: () = assert!(is_sorted_without_duplicates(&NAMES));

/// Every built-in tool over these services: the one table.
pub fn all(services: &Services) -> Vec<Arc<dyn AnyTool>> {
    vec![
        erase(Agent::new(services.clone())),
        erase(AskUserQuestion),
        erase(Bash::new(services.clone())),
        erase(Edit::new(services.clone())),
        erase(ExitPlanMode),
        erase(Glob::new(services.clone())),
        erase(Grep::new(services.clone())),
        erase(MultiEdit::new(services.clone())),
        erase(NotebookEdit::new(services.clone())),
        erase(Read::new(services.clone())),
        erase(TaskOutput::new(services.clone())),
        erase(TaskStop::new(services.clone())),
        erase(ToolSearch),
        erase(Write::new(services.clone())),
    ]
}

const fn is_sorted_without_duplicates(names: &[&str]) -> bool {
    let mut index = 1;
    while index < names.len() {
        if !is_before(names[index - 1].as_bytes(), names[index].as_bytes()) {
            return false;
        }
        index += 1;
    }
    true
}

const fn is_before(left: &[u8], right: &[u8]) -> bool {
    let mut index = 0;
    while index < left.len() && index < right.len() {
        if left[index] != right[index] {
            return left[index] < right[index];
        }
        index += 1;
    }
    left.len() < right.len()
}
