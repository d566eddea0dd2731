//! Changes of settings files. Everything that the change is not about stays as it is:
//! comments, order, keys of other programs.

use std::path::{Path, PathBuf};

use adroit_protocol::permission::Behavior;
use jsonc_parser::cst::{CstArray, CstInputValue, CstNode, CstObject, CstRootNode};

use super::document::options;
use crate::file::{self, FileError, Privacy};

/// A settings file could not be changed.
#[derive(Debug, thiserror::Error)]
pub enum EditError {
    /// The file is not JSON, so a change could lose what is in it.
    #[error("{path} is not valid JSON ({reason}), so it was left as it is")]
    Broken {
        /// The file.
        path: String,
        /// What is wrong with it.
        reason: String,
    },
    /// The file could not be read or written.
    #[error(transparent)]
    File(#[from] FileError),
}

/// What an edit made of a file; for [`super::SettingsStore::edited`].
#[derive(Debug)]
#[must_use = "a change that the app makes is to count while a command runs"]
pub struct Edited {
    pub(super) path: PathBuf,
    pub(super) before: Option<String>,
    pub(super) after: String,
}

/// Adds a rule to a list, or takes it off. Adding one that is there changes nothing.
///
/// # Errors
/// A file that is not JSON is left as it is.
pub fn edit_rule(
    path: &Path,
    behavior: Behavior,
    rule: &str,
    present: bool,
) -> Result<Edited, EditError> {
    let list = match behavior {
        Behavior::Allow => "allow",
        Behavior::Ask => "ask",
        Behavior::Deny => "deny",
    };
    change(path, |root| {
        let permissions = root.object_value_or_set("permissions");
        if present {
            add_to_list(&permissions, list, rule);
        } else {
            same_rules(&permissions.array_value_or_set(list), rule)
                .into_iter()
                .for_each(CstNode::remove);
        }
        if behavior == Behavior::Allow {
            set_end(&permissions, rule, None);
        }
    })
}

/// Adds an allow rule, to hold until a moment or for good. A rule that is there already gets
/// the new end.
///
/// # Errors
/// A file that is not JSON is left as it is.
pub fn allow_rule(path: &Path, rule: &str, until: Option<&str>) -> Result<Edited, EditError> {
    change(path, |root| {
        let permissions = root.object_value_or_set("permissions");
        add_to_list(&permissions, "allow", rule);
        set_end(&permissions, rule, until);
    })
}

fn add_to_list(permissions: &CstObject, list: &str, rule: &str) {
    let rules = permissions.array_value_or_set(list);
    if same_rules(&rules, rule).is_empty() {
        rules.ensure_multiline();
        rules.append(CstInputValue::String(rule.to_owned()));
    }
}

fn same_rules(rules: &CstArray, rule: &str) -> Vec<CstNode> {
    rules
        .elements()
        .into_iter()
        .filter(|element| {
            element
                .as_string_lit()
                .and_then(|text| text.decoded_value().ok())
                .is_some_and(|text| text == rule)
        })
        .collect()
}

/// A rule that is given for good, or taken off, has no end any more: an old one must not
/// come back with it.
fn set_end(permissions: &CstObject, rule: &str, until: Option<&str>) {
    let value = until.map(|until| CstInputValue::String(until.to_owned()));
    if value.is_none() && permissions.get("until").is_none() {
        return;
    }
    let ends = permissions.object_value_or_set("until");
    set(&ends, rule, value);
    if ends.properties().is_empty()
        && let Some(property) = permissions.get("until")
    {
        property.remove();
    }
}

/// Sets a value in a section, or in one within it, or removes it.
///
/// # Errors
/// A file that is not JSON is left as it is.
pub fn edit_value(
    path: &Path,
    sections: &[&str],
    name: &str,
    value: Option<CstInputValue>,
) -> Result<Edited, EditError> {
    change(path, |root| {
        let section = sections
            .iter()
            .fold(root.clone(), |outer, name| outer.object_value_or_set(name));
        set(&section, name, value);
    })
}

/// Sets the provider, the model and the server together.
///
/// # Errors
/// A file that is not JSON is left as it is.
pub fn edit_model(
    path: &Path,
    provider: &str,
    name: Option<&str>,
    base_url: Option<&str>,
) -> Result<Edited, EditError> {
    let text = |value: Option<&str>| {
        value
            .filter(|value| !value.trim().is_empty())
            .map(|value| CstInputValue::String(value.trim().to_owned()))
    };
    change(path, |root| {
        let model = root.object_value_or_set("model");
        set(&model, "provider", text(Some(provider)));
        set(&model, "name", text(name));
        set(&model, "baseUrl", text(base_url));
    })
}

fn set(object: &CstObject, name: &str, value: Option<CstInputValue>) {
    match (object.get(name), value) {
        (Some(property), Some(value)) => property.set_value(value),
        (Some(property), None) => property.remove(),
        (None, Some(value)) => {
            object.append(name, value);
        }
        (None, None) => {}
    }
}

fn change(path: &Path, edit: impl FnOnce(&CstObject)) -> Result<Edited, EditError> {
    file::with_lock(path, || {
        let before = file::read_optional(path)?;
        let text = match &before {
            Some(text) if !text.trim().is_empty() => text.clone(),
            _ => "{\n}\n".to_owned(),
        };
        let broken = |reason: String| EditError::Broken {
            path: path.display().to_string(),
            reason,
        };
        let root =
            CstRootNode::parse(&text, &options()).map_err(|error| broken(error.to_string()))?;
        let object = root
            .object_value_or_create()
            .ok_or_else(|| broken("it is not an object".to_owned()))?;
        edit(&object);
        let after = root.to_string();
        file::write_whole(path, &after, Privacy::Ordinary)?;
        Ok(Edited {
            path: path.to_path_buf(),
            before,
            after,
        })
    })?
}

#[cfg(test)]
mod tests {
    use super::*;

    fn edited(before: &str, edit: impl FnOnce(&Path) -> Result<Edited, EditError>) -> String {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        std::fs::write(&path, before).unwrap();
        let edited = edit(&path).unwrap();
        assert_eq!(edited.before.as_deref(), Some(before));
        assert_eq!(edited.after, std::fs::read_to_string(&path).unwrap());
        edited.after
    }

    #[test]
    fn comments_order_and_foreign_keys_stay() {
        let before = "{\n  // mine\n  \"hooks\": {\"a\": 1},\n  \"permissions\": {\n    \"allow\": [\n      \"Bash(ls)\"\n    ]\n  }\n}\n";
        let after = edited(before, |path| {
            edit_rule(path, Behavior::Allow, "Bash(cargo test:*)", true)
        });
        insta::assert_snapshot!(after, @r#"
        {
          // mine
          "hooks": {"a": 1},
          "permissions": {
            "allow": [
              "Bash(ls)",
              "Bash(cargo test:*)"
            ]
          }
        }
        "#);
        let back = edited(&after, |path| {
            edit_rule(path, Behavior::Allow, "Bash(cargo test:*)", false)
        });
        assert_eq!(back, before);
    }

    #[test]
    fn adding_twice_adds_once() {
        let once = edited("", |path| {
            edit_rule(path, Behavior::Deny, "Read(.env)", true)
        });
        assert_eq!(
            edited(&once, |path| edit_rule(
                path,
                Behavior::Deny,
                "Read(.env)",
                true
            )),
            once
        );
        assert_eq!(once.matches("Read(.env)").count(), 1);
    }

    #[test]
    fn a_broken_file_is_left_as_it_is() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        std::fs::write(&path, "{ \"permissions\": ").unwrap();
        let error = edit_rule(&path, Behavior::Allow, "Bash", true).unwrap_err();
        assert!(error.to_string().contains("left as it is"), "{error}");
        assert_eq!(
            std::fs::read_to_string(&path).unwrap(),
            "{ \"permissions\": "
        );
    }

    #[test]
    fn two_instances_lose_nothing() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("settings.json");
        std::thread::scope(|scope| {
            for number in 0..8 {
                let path = &path;
                scope.spawn(move || {
                    let _ = edit_rule(path, Behavior::Allow, &format!("Bash(make {number})"), true)
                        .unwrap();
                });
            }
        });
        let text = std::fs::read_to_string(&path).unwrap();
        assert_eq!(text.matches("Bash(make").count(), 8, "{text}");
    }
}
