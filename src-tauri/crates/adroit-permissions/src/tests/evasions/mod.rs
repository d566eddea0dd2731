//! Ways around a rule that were tried.

mod commands;
mod files;
mod inner;
mod places;

use adroit_protocol::permission::Behavior;

use super::support::{bash, behavior, reason};

/// Each command has the expected answer under `rules`, in default mode.
fn each(rules: &str, commands: &[&str], expected: Behavior) {
    let wrong: Vec<String> = commands
        .iter()
        .filter_map(|command| {
            let got = behavior(rules, bash(command));
            (got != expected)
                .then(|| format!("{command} => {got:?} ({})", reason(rules, bash(command))))
        })
        .collect();
    assert!(
        wrong.is_empty(),
        "[{rules}] expected {expected:?}:\n{}",
        wrong.join("\n")
    );
}
