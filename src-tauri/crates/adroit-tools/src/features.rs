//! The switches under which built-in tools exist.

use std::collections::{BTreeMap, BTreeSet};

use adroit_tool::Features;

/// A switch.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Feature {
    /// Its name in settings (`features.NAME`) and in the environment (`ADROIT_FEATURES=NAME=off`).
    pub name: &'static str,
    /// Whether it is on where nothing is said.
    pub on: bool,
    /// What it switches.
    pub what: &'static str,
}

pub(crate) const AGENTS: &str = "agents";
pub(crate) const MULTI_EDIT: &str = "multiEdit";
pub(crate) const NOTEBOOKS: &str = "notebooks";
pub(crate) const TOOL_SEARCH: &str = "toolSearch";

/// All switches, sorted by name.
pub const FEATURES: [Feature; 4] = [
    Feature {
        name: AGENTS,
        on: true,
        what: "Agent: agents that work for the first one",
    },
    Feature {
        name: MULTI_EDIT,
        on: true,
        what: "MultiEdit: several replacements in one file as one call",
    },
    Feature {
        name: NOTEBOOKS,
        on: true,
        what: "NotebookEdit",
    },
    Feature {
        name: TOOL_SEARCH,
        on: true,
        what: "ToolSearch; without it no tool is deferred",
    },
];

/// The switches in force: what the environment says goes before what settings say, and both before
/// the defaults.
#[must_use]
pub fn features(
    settings: &BTreeMap<String, bool>,
    environment: &BTreeMap<String, bool>,
) -> Features {
    let chosen = |feature: &Feature| environment.get(feature.name).or(settings.get(feature.name));
    let enabled: BTreeSet<String> = FEATURES
        .iter()
        .filter(|feature| chosen(feature).copied().unwrap_or(feature.on))
        .map(|feature| feature.name.to_owned())
        .collect();
    Features { enabled }
}

/// Reads `NAME=on` or `NAME=off`; none where it is neither, or where nothing has that name.
#[must_use]
pub fn parse_feature(word: &str) -> Option<(String, bool)> {
    let (name, value) = word.split_once('=')?;
    let name = name.trim();
    let on = match value.trim() {
        "on" | "true" | "1" => true,
        "off" | "false" | "0" => false,
        _ => return None,
    };
    FEATURES
        .iter()
        .any(|feature| feature.name == name)
        .then(|| (name.to_owned(), on))
}

/// The names, for a message.
#[must_use]
pub fn feature_names() -> String {
    let names: Vec<String> = FEATURES
        .iter()
        .map(|feature| format!("`{}`", feature.name))
        .collect();
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::tests::Project;

    fn switched(text: &str) -> BTreeMap<String, bool> {
        text.split(',').filter_map(parse_feature).collect()
    }

    #[test]
    fn the_environment_goes_before_settings_and_both_before_defaults() {
        let none = BTreeMap::new();
        assert_eq!(features(&none, &none).enabled.len(), FEATURES.len());
        let settings = switched("agents=off,notebooks=off,toolSearch=off");
        let environment = switched("toolSearch=on, multiEdit = 0");
        let enabled = features(&settings, &environment).enabled;
        assert_eq!(enabled, BTreeSet::from([TOOL_SEARCH.to_owned()]));
    }

    #[test]
    fn what_is_no_switch_is_not_read() {
        for word in ["notebooks", "notebooks=maybe", "sandbox=off", "=on", ""] {
            assert_eq!(parse_feature(word), None, "{word}");
        }
    }

    /// Each switch takes exactly the tool away that it names.
    #[test]
    fn each_switch_has_a_tool_that_listens_to_it() {
        let project = Project::new();
        let none = BTreeMap::new();
        for feature in FEATURES {
            let off = features(&BTreeMap::from([(feature.name.to_owned(), false)]), &none);
            let gone: Vec<&str> = project
                .all_tools()
                .filter(|tool| !tool.is_enabled(&off))
                .map(|tool| tool.name())
                .collect();
            assert_eq!(gone.len(), 1, "{}: {gone:?}", feature.name);
            assert!(feature.what.starts_with(gone[0]), "{}", feature.what);
        }
        let on = features(&none, &none);
        assert!(project.all_tools().all(|tool| tool.is_enabled(&on)));
    }
}
