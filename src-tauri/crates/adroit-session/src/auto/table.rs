//! The rules by which auto mode decides without a model server.
//!
//! | what | verdict |
//! |---|---|
//! | editing files inside the project | allowed |
//! | building, testing, checking and formatting with the usual tools | allowed |
//! | `git add`, `git commit`, `git stash`, `git switch`, `git fetch` | allowed |
//! | making folders and empty files, copying and moving inside the project | allowed |
//! | anything that would lose something, and anything else | asked |
//!
//! The rows are permission rules and are matched as such, by the analysis of the whole command:
//! what is joined to an allowed command by `&&`, `;`, `|` or a substitution is judged for itself.
//! It blocks nothing: deny rules are the person's own to write.

use std::sync::Arc;

use adroit_engine::ToClassify;
use adroit_permissions::{PermissionSnapshot, RuleSet};
use adroit_protocol::permission::{Behavior, Mode, RuleEntry, RuleSource};
use adroit_protocol::record::ClassifierVerdict;

use super::Opinion;

/// The rows, as permission rules.
const ROWS: [&str; 42] = [
    "Edit(/**)",
    "Bash(cargo build:*)",
    "Bash(cargo check:*)",
    "Bash(cargo test:*)",
    "Bash(cargo nextest:*)",
    "Bash(cargo clippy:*)",
    "Bash(cargo fmt:*)",
    "Bash(cargo bench:*)",
    "Bash(npm test:*)",
    "Bash(npm run build:*)",
    "Bash(npm run test:*)",
    "Bash(npm run lint:*)",
    "Bash(npm run check:*)",
    "Bash(pnpm test:*)",
    "Bash(pnpm build:*)",
    "Bash(pnpm lint:*)",
    "Bash(yarn test:*)",
    "Bash(yarn build:*)",
    "Bash(yarn lint:*)",
    "Bash(npx tsc:*)",
    "Bash(npx vitest:*)",
    "Bash(npx eslint:*)",
    "Bash(pytest:*)",
    "Bash(ruff:*)",
    "Bash(mypy:*)",
    "Bash(go build:*)",
    "Bash(go test:*)",
    "Bash(go vet:*)",
    "Bash(gofmt:*)",
    "Bash(make)",
    "Bash(make test:*)",
    "Bash(make check:*)",
    "Bash(make build:*)",
    "Bash(git add:*)",
    "Bash(git commit:*)",
    "Bash(git stash)",
    "Bash(git switch:*)",
    "Bash(git fetch)",
    "Bash(mkdir:*)",
    "Bash(touch:*)",
    "Bash(cp:*)",
    "Bash(mv:*)",
];

/// What the table says of a call.
pub(super) fn opinion(call: &ToClassify, snapshot: &PermissionSnapshot) -> Opinion {
    if call.question.destructive.is_some() {
        return Opinion::ask("something would be lost".to_owned());
    }
    let mut entries: Vec<RuleEntry> = snapshot.rules.entries().cloned().collect();
    entries.extend(ROWS.iter().map(|rule| row(rule)));
    let with_rows = PermissionSnapshot {
        // Decided as if the person had allowed these rows, and in no mode that allows more.
        mode: Mode::Default,
        rules: Arc::new(RuleSet::compile(entries)),
        ..snapshot.clone()
    };
    match call.question.behavior_under(&with_rows) {
        Behavior::Allow => Opinion {
            verdict: ClassifierVerdict::Allow,
            reason: "it is everyday work inside the project".to_owned(),
        },
        Behavior::Ask | Behavior::Deny => {
            Opinion::ask("it is not in the table of everyday work".to_owned())
        }
    }
}

fn row(rule: &str) -> RuleEntry {
    RuleEntry {
        rule: rule.to_owned(),
        behavior: Behavior::Allow,
        source: RuleSource::Session,
        file: None,
        position: None,
        expires_at: None,
        problem: None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_row_is_a_rule() {
        let set = RuleSet::compile(ROWS.iter().map(|rule| row(rule)).collect());
        let odd: Vec<_> = set
            .entries()
            .filter(|rule| rule.problem.is_some())
            .collect();
        assert_eq!(odd, Vec::<&RuleEntry>::new());
        assert_eq!(set.reports(), Vec::new());
    }
}
