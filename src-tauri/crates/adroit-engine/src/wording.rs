//! What the model reads where a call did not do what it wanted. One place, so that the
//! tone is one: what happened, to which thing, what to do next.

use std::fmt::Write;

use adroit_protocol::permission::Mode;

use crate::pool::Pool;

/// No tool has this name.
pub(crate) fn unknown_tool(name: &str, pool: &Pool) -> String {
    let shown: String = name.chars().take(80).collect();
    let near = pool.near_names(name);
    let mut text = format!("There is no tool named {shown:?}, and nothing was run.");
    let _ = if near.is_empty() {
        let all: Vec<&str> = pool.iter().map(|tool| tool.name()).take(40).collect();
        write!(text, " The tools are {}.", all.join(", "))
    } else {
        write!(text, " Did you mean {}?", near.join(" or "))
    };
    text
}

/// The tool is deferred and the model has not seen its schema.
pub(crate) fn not_loaded(name: &str) -> String {
    format!(
        "{name} is not loaded yet, so its parameters are unknown to you, and nothing was run. Load it first with \
         ToolSearch(query: \"select:{name}\"), then call it again."
    )
}

/// The arguments are not a JSON object.
pub(crate) fn invalid_json(tool: &str, problem: &str, cut_off: bool) -> String {
    let mut text = format!(
        "InputValidationError: {tool} was not called. Its input is not a valid JSON object: {problem}. It was not \
         repaired; send the call again with one complete JSON object."
    );
    if cut_off {
        text.push_str(
            " It ends in the middle: if your answer was cut off at the output limit, send less in one call.",
        );
    }
    text
}

/// The tool went down.
pub(crate) fn panicked(tool: &str, message: &str) -> String {
    format!(
        "{tool} failed with an internal error ({message}). This is a fault of the tool and not of your input. It may \
         have done a part of its work: look before you try again."
    )
}

/// Hooks and the person cannot agree on an input.
pub(crate) fn never_settles(tool: &str, rounds: usize) -> String {
    format!(
        "{tool} was not called: its input was changed {rounds} times by hooks and did not settle. Tell the user."
    )
}

/// A cancelled call had given something.
pub(crate) fn cancelled_with_output(reason: &str, output: &str) -> String {
    format!("{reason}\nWhat it had given until then:\n{output}")
}

/// The person changed the input before approving it.
pub(crate) fn changed_by_person(input: &str) -> String {
    format!("The user changed the input before approving it; what ran is: {input}")
}

/// The person changed an input that they had changed before.
pub(crate) fn changed_again(before: &str, now: &str) -> String {
    format!("{before}\nAnd then once more: {now}")
}

/// The tool works in one mode only, and this is another one.
pub(crate) fn other_mode(name: &str, only: Mode, now: Mode) -> String {
    format!(
        "{name} was not called: it works in the mode {} only, and the mode is {}. Go on without it; \
         what changes something is asked about as the mode says.",
        only.word(),
        now.word()
    )
}

/// The person approved with words.
pub(crate) fn approved_with_words(words: &str) -> String {
    format!("The user approved this and says: {words}")
}

/// A hook added something.
pub(crate) fn hook_says(words: &str) -> String {
    format!("A hook says: {words}")
}

/// The result has nothing in it.
pub(crate) const NO_OUTPUT: &str = "(no output)";

/// A tool says that its call loses something, and not what.
pub(crate) const DESTRUCTIVE: &str = "It may lose something that cannot be brought back.";

/// A hook wants a rule remembered that cannot be.
pub(crate) fn rule_not_stored(rule: &str, problem: &str) -> String {
    format!("A hook wanted to remember the rule {rule:?}, which was not stored: {problem}")
}
