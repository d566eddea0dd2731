//! The `hooks` of a settings file, and which of all files are in force.

use std::sync::Arc;

use adroit_hooks::{HookEntry, Place};
use adroit_protocol::hook::HookEvent;
use adroit_protocol::permission::{Position, RuleSource};
use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged as _;

use super::document::to_json;

/// What one settings file says of hooks.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HookSettings {
    /// Its hooks, in order.
    pub entries: Vec<Arc<HookEntry>>,
    /// `disableAllHooks`: see [`is_switched_off`] for what it reaches.
    pub disable_all: bool,
    /// `allowManagedHooksOnly`, which only an administrator can say.
    pub managed_only: bool,
}

impl HookSettings {
    /// The same, of a file that is broken now: its hooks may still object, but lift and change
    /// nothing, and it switches nothing off.
    pub(super) fn remembered(self) -> Self {
        let weakened = |entry: Arc<HookEntry>| {
            Arc::new(HookEntry {
                may_widen: false,
                ..HookEntry::clone(&entry)
            })
        };
        Self {
            entries: self.entries.into_iter().map(weakened).collect(),
            disable_all: false,
            managed_only: self.managed_only,
        }
    }
}

/// A hook that is not in force.
#[derive(Clone, Debug, PartialEq)]
pub struct HeldBackHook {
    /// The hook.
    pub entry: Arc<HookEntry>,
    /// Why.
    pub reason: String,
}

/// Whether `by`, a file that says `disableAllHooks`, switches off a hook of `source`. A
/// project switches off its own hooks only: blocks a cloned folder that silences the guards
/// of the person. An administrator's hooks are switched off by an administrator only.
pub(super) fn is_switched_off(source: RuleSource, by: RuleSource) -> bool {
    use RuleSource::{Managed, Project, ProjectLocal};
    match by {
        Managed => true,
        Project | ProjectLocal => matches!(source, Project | ProjectLocal),
        _ => source != Managed,
    }
}

/// Why the hooks of a file cannot be known at all: as bad as a deny list that cannot be read.
pub(super) struct Unreadable {
    pub(super) offset: usize,
    pub(super) text: String,
}

/// Reads the section.
pub(super) struct Section<'a> {
    pub(super) text: &'a str,
    pub(super) file: &'a str,
    pub(super) source: RuleSource,
    pub(super) position: &'a dyn Fn(usize) -> Position,
    /// What is wrong beside single hooks, by place.
    pub(super) problems: Vec<(usize, String)>,
}

impl Section<'_> {
    pub(super) fn read(&mut self, root: &Object<'_>) -> Result<Vec<Arc<HookEntry>>, Unreadable> {
        let Some(property) = root.get("hooks") else {
            return Ok(Vec::new());
        };
        let Value::Object(events) = &property.value else {
            return Err(Unreadable {
                offset: property.value.start(),
                text: "`hooks` must be an object: `{ \"PreToolUse\": [ … ] }`".to_owned(),
            });
        };
        let mut entries = Vec::new();
        for property in &events.properties {
            let name = property.name.as_str();
            let Some(event) = HookEvent::of_name(name) else {
                self.problems.push((
                    property.start(),
                    format!("hooks of `{name}` are not run: there is no such event here"),
                ));
                continue;
            };
            match &property.value {
                Value::Array(groups) => self.groups(event, groups, &mut entries),
                other => {
                    return Err(Unreadable {
                        offset: other.start(),
                        text: format!("`hooks.{name}` must be a list"),
                    });
                }
            }
        }
        Ok(entries)
    }

    fn groups(&self, event: HookEvent, groups: &Array<'_>, entries: &mut Vec<Arc<HookEntry>>) {
        for group in &groups.elements {
            let unusable = |problem: &str| {
                let place = self.place(group.start());
                Arc::new(HookEntry::unusable(event, place, problem))
            };
            let Value::Object(object) = group else {
                entries.push(unusable(
                    "an entry is an object: `{ \"matcher\": …, \"hooks\": [ … ] }`",
                ));
                continue;
            };
            let matcher = object
                .get("matcher")
                .map(|property| self.json(&property.value));
            match object.get("hooks").map(|property| &property.value) {
                Some(Value::Array(hooks)) => {
                    entries.extend(hooks.elements.iter().map(|hook| {
                        let place = self.place(hook.start());
                        let read =
                            HookEntry::read(event, matcher.as_ref(), &self.json(hook), place);
                        Arc::new(read)
                    }));
                }
                _ => entries.push(unusable("`hooks` must be a list of hooks")),
            }
        }
    }

    fn place(&self, offset: usize) -> Place {
        Place {
            source: self.source,
            file: self.file.to_owned(),
            position: (self.position)(offset),
        }
    }

    fn json(&self, value: &Value<'_>) -> serde_json::Value {
        to_json(&self.text[value.start()..value.end()])
    }
}
