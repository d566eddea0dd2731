//! What a shell command would do, from its text alone.
//!
//! Owns the reading of one command string as bash would read it: the simple
//! commands in it, what each may write, run or reach, and which words are
//! paths. `adroit-permissions` asks it before every Bash call, `adroit-tools`
//! for the edit that a `sed -i` stands for and for the meaning of an exit code.
//!
//! Invariants:
//! - Pure: no file, process, clock or environment is looked at. The folders of
//!   a [`ShellContext`] need not exist.
//! - Fail closed: two parsers must agree on the list of simple commands and
//!   every node of both trees must be of a known kind, or nothing is called
//!   read-only.
//! - Bounded: limits on size, nesting and number of words come before parsing.
//! - It never knows of rules, modes or people: it states facts, others decide.

mod types;

pub use types::{
    Access, Analysis, Assignment, CommandPart, Destruction, ExitMeaning, PathUse, Reason,
    ReasonCode, Redirect, RedirectOperator, SedEdit, ShellContext, Word,
};

/// Says what `command` would do when bash runs it in `context.cwd`.
pub fn analyze(command: &str, context: &ShellContext<'_>) -> Analysis {
    let _ = context;
    Analysis::not_understood(
        0..command.len(),
        ReasonCode::NotUnderstood,
        "the command is not analysed",
    )
}

/// What exit code `code` of `command` means, where it is not simply a failure.
pub fn exit_meaning(command: &str, code: i32) -> Option<ExitMeaning> {
    let _ = (command, code);
    None
}
