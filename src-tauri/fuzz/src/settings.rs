//! Settings files: whatever stands in one, it is read to an end, points into its text, and
//! widens nothing where it is broken.

use adroit_permissions::RuleSet;
use adroit_protocol::permission::{Behavior, RuleSource};
use adroit_session::settings::Document;

/// Reads the text as a settings file of the project.
pub fn check(data: &[u8]) {
    let Ok(text) = std::str::from_utf8(data) else {
        return;
    };
    let document = Document::parse(text, "settings.json", RuleSource::Project);
    // A lone return ends a line, too, as editors see it.
    let lines = text.replace("\r\n", "\n").split(['\n', '\r']).count();
    let positions = document
        .problems
        .iter()
        .filter_map(|problem| problem.position)
        .chain(document.rules.iter().filter_map(|rule| rule.position));
    for position in positions {
        let line = usize::try_from(position.line).unwrap_or(usize::MAX);
        assert!(
            (1..=lines).contains(&line),
            "{position:?} is not in {text:?}"
        );
    }
    for problem in &document.problems {
        assert!(!problem.text.is_empty(), "{text:?}: {problem:?}");
    }
    if document.is_broken() {
        let widens = document
            .rules
            .iter()
            .any(|rule| rule.behavior == Behavior::Allow);
        assert!(!widens, "{text:?} is broken, and allows");
        assert!(document.default_mode.is_none(), "{text:?}");
        assert!(document.additional_directories.is_empty(), "{text:?}");
    }
    let reports = RuleSet::compile(document.rules).reports();
    assert!(reports.len() <= text.len(), "more reports than characters");
}
