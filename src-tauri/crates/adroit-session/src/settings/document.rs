//! One settings file: parsed, with exact positions of what is wrong.

use std::collections::BTreeMap;

use adroit_permissions::HostList;
use adroit_protocol::permission::{Behavior, Mode, Position, RuleEntry, RuleSource};
use adroit_protocol::settings::{
    AppearanceSettings, CompactionSettings, ExecutionSettings, LimitSettings, ModelSettings,
    PermissionSettings, SandboxMode, SandboxNetwork, SandboxSettings, TelemetrySettings,
};
use jsonc_parser::ast::{Array, Object, Value};
use jsonc_parser::common::Ranged as _;
use jsonc_parser::{CollectOptions, ParseOptions, parse_to_ast};
use serde::de::DeserializeOwned;

use super::hooks::{HookSettings, Section};
use crate::moment;

/// What the root of a settings file may hold.
const ROOT_KEYS: &[&str] = &[
    "$schema",
    "permissions",
    "model",
    "compaction",
    "execution",
    "appearance",
    "telemetry",
    "features",
    "hooks",
    "disableAllHooks",
    "allowManagedHooksOnly",
];
/// What `permissions` may hold.
const PERMISSION_KEYS: &[&str] = &[
    "allow",
    "ask",
    "deny",
    "until",
    "defaultMode",
    "disableBypassPermissionsMode",
    "additionalDirectories",
];

/// What is wrong in a settings file.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Problem {
    /// Where.
    pub position: Option<Position>,
    /// What, and what follows from it.
    pub text: String,
    /// True where nothing of the file can be used.
    pub fatal: bool,
}

/// What one settings file says.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct Document {
    /// Its rules, with their places.
    pub rules: Vec<RuleEntry>,
    /// The mode that a new session begins in.
    pub default_mode: Option<Mode>,
    /// It takes the mode bypassPermissions away.
    pub bypass_disabled: bool,
    /// Folders beside the project.
    pub additional_directories: Vec<String>,
    /// Which model answers.
    pub model: ModelSettings,
    /// When a conversation is compacted.
    pub compaction: CompactionSettings,
    /// How calls are run.
    pub execution: ExecutionSettings,
    /// How it looks.
    pub appearance: AppearanceSettings,
    /// What is told of calls, and to whom.
    pub telemetry: TelemetrySettings,
    /// Switches under which tools exist.
    pub features: BTreeMap<String, bool>,
    /// Its hooks.
    pub hooks: HookSettings,
    /// What is wrong.
    pub problems: Vec<Problem>,
}

impl Document {
    /// True where nothing of the file can be used.
    #[must_use]
    pub fn is_broken(&self) -> bool {
        self.problems.iter().any(|problem| problem.fatal)
    }

    /// Parses a file's text. Never fails: a broken file is a document with a fatal problem.
    ///
    /// Sections are read one by one, so that a slip in the theme does not cost a deny rule.
    #[must_use]
    pub fn parse(text: &str, file: &str, source: RuleSource) -> Self {
        let mut document = Self::default();
        let text = text.strip_prefix('\u{feff}').unwrap_or(text);
        if text.trim().is_empty() {
            document.fatal(None, "the file is empty; write `{}` or delete it");
            return document;
        }
        let parsed = parse_to_ast(text, &CollectOptions::default(), &options());
        let value = match &parsed {
            Ok(parsed) => parsed.value.as_ref(),
            Err(error) => {
                let position = Position {
                    line: u32::try_from(error.line_display()).unwrap_or(u32::MAX),
                    column: u32::try_from(error.column_display()).unwrap_or(u32::MAX),
                };
                document.fatal(Some(position), &format!("not valid JSON: {}", error.kind()));
                return document;
            }
        };
        let Some(Value::Object(root)) = value else {
            document.fatal(
                Some(Position { line: 1, column: 1 }),
                "a settings file is a JSON object: `{ … }`",
            );
            return document;
        };
        let mut reader = Reader {
            text,
            file,
            source,
            document: &mut document,
        };
        reader.unknown(root, "", ROOT_KEYS);
        reader.permissions(root);
        let model = reader.section(root, "model");
        let compaction = reader.section(root, "compaction");
        let execution = reader.execution(root);
        let appearance = reader.section(root, "appearance");
        let telemetry = reader.section(root, "telemetry");
        let features = reader.features(root);
        let hooks = reader.hooks(root);
        document.model = model;
        document.compaction = compaction;
        document.execution = execution;
        document.appearance = appearance;
        document.telemetry = telemetry;
        document.features = features;
        document.hooks = hooks;
        document
    }

    fn fatal(&mut self, position: Option<Position>, text: &str) {
        self.problems.push(Problem {
            position,
            text: text.to_owned(),
            fatal: true,
        });
    }
}

/// JSON with comments and trailing commas, as editors of such files write it; nothing looser.
pub(super) fn options() -> ParseOptions {
    ParseOptions {
        allow_comments: true,
        allow_trailing_commas: true,
        allow_loose_object_property_names: false,
        allow_missing_commas: false,
        allow_single_quoted_strings: false,
        allow_hexadecimal_numbers: false,
        allow_unary_plus_numbers: false,
        allow_bare_decimal_point_numbers: false,
        allow_non_finite_numbers: false,
        allow_extended_string_escapes: false,
    }
}

struct Reader<'a> {
    text: &'a str,
    file: &'a str,
    source: RuleSource,
    document: &'a mut Document,
}

fn position(text: &str, offset: usize) -> Position {
    let before = &text[..offset.min(text.len())];
    let line_start = before.rfind('\n').map_or(0, |index| index + 1);
    let count = |number: usize| u32::try_from(number).unwrap_or(u32::MAX);
    Position {
        line: count(before.matches('\n').count() + 1),
        column: count(before[line_start..].chars().count() + 1),
    }
}

impl Reader<'_> {
    fn position(&self, offset: usize) -> Position {
        position(self.text, offset)
    }

    /// A key that nothing reads is told: `permisions` was meant to deny something. The files of
    /// another program hold what is that program's.
    fn unknown(&mut self, object: &Object<'_>, within: &str, known: &[&str]) {
        if self.file.contains("/.claude/") {
            return;
        }
        for property in &object.properties {
            let name = property.name.as_str();
            if !known.contains(&name) {
                let names = known.join("`, `");
                self.problem(
                    property.start(),
                    format!(
                        "`{within}{name}` is no setting and has no effect; there are `{names}`"
                    ),
                );
            }
        }
    }

    /// A switch that nothing listens to is told: it was meant to take something away.
    fn features(&mut self, root: &Object<'_>) -> BTreeMap<String, bool> {
        let features: BTreeMap<String, bool> = self.section(root, "features");
        let known = |name: &String| {
            adroit_tools::FEATURES
                .iter()
                .any(|known| known.name == *name)
        };
        let (known, unknown): (BTreeMap<_, _>, BTreeMap<_, _>) =
            features.into_iter().partition(|(name, _)| known(name));
        let at = root.get("features").map_or(0, |property| property.start());
        for name in unknown.keys() {
            let names = adroit_tools::feature_names();
            self.problem(
                at,
                format!("`features.{name}` switches nothing; there are {names}"),
            );
        }
        known
    }

    fn hooks(&mut self, root: &Object<'_>) -> HookSettings {
        let text = self.text;
        let mut section = Section {
            text,
            file: self.file,
            source: self.source,
            position: &|offset| position(text, offset),
            problems: Vec::new(),
        };
        let entries = section.read(root);
        for (offset, problem) in section.problems {
            self.problem(offset, problem);
        }
        let entries = entries.unwrap_or_else(|unreadable| {
            let position = Some(self.position(unreadable.offset));
            self.document.fatal(position, &unreadable.text);
            Vec::new()
        });
        HookSettings {
            entries,
            disable_all: self.section::<bool>(root, "disableAllHooks"),
            managed_only: self.source == RuleSource::Managed
                && self.section::<bool>(root, "allowManagedHooksOnly"),
        }
    }

    fn problem(&mut self, offset: usize, text: String) {
        let position = Some(self.position(offset));
        self.document.problems.push(Problem {
            position,
            text,
            fatal: false,
        });
    }

    /// A field that cannot be read takes nothing with it; where that is the sandbox, it was
    /// meant to hold commands, and they do not run without, nor reach the network.
    fn execution(&mut self, root: &Object<'_>) -> ExecutionSettings {
        let mut execution: ExecutionSettings = match root.get("execution").map(|it| &it.value) {
            Some(Value::Object(execution)) => self.fields(
                execution,
                &[
                    "streaming",
                    "bashErrorCascade",
                    "survivors",
                    "sandbox",
                    "limits",
                    "agentDepth",
                ],
            ),
            _ => self.section(root, "execution"),
        };
        let says_sandbox = matches!(
            root.get("execution").map(|it| &it.value),
            Some(Value::Object(execution)) if execution.get("sandbox").is_some()
        );
        if says_sandbox && execution.sandbox.is_none() {
            execution.sandbox = Some(SandboxSettings {
                mode: Some(SandboxMode::Required),
                network: Some(SandboxNetwork::Off),
                ..SandboxSettings::default()
            });
        }
        if let Some(problem) = execution.limits.as_ref().and_then(LimitSettings::problem) {
            let at = root.get("execution").map_or(0, |it| it.value.start());
            self.problem(at, format!("`execution.limits`: {problem}"));
        }
        if let Some(sandbox) = &mut execution.sandbox {
            self.hosts(root, &mut sandbox.allowed_domains);
        }
        execution
    }

    /// Takes out what is no host, and says so.
    fn hosts(&mut self, root: &Object<'_>, hosts: &mut Vec<String>) {
        let at = root.get("execution").map_or(0, |it| it.value.start());
        hosts.retain(|host| match HostList::check(host) {
            Ok(()) => true,
            Err(reason) => {
                self.problem(at, format!("`execution.sandbox.allowedDomains`: {reason}"));
                false
            }
        });
    }

    fn permissions(&mut self, root: &Object<'_>) {
        let Some(property) = root.get("permissions") else {
            return;
        };
        let Value::Object(permissions) = &property.value else {
            // Rules are somewhere in there and cannot be read: as bad as a broken file.
            let position = Some(self.position(property.value.start()));
            self.document.fatal(
                position,
                "`permissions` must be an object: `{ \"allow\": [], \"ask\": [], \"deny\": [] }`",
            );
            return;
        };
        self.unknown(permissions, "permissions.", PERMISSION_KEYS);
        for (name, behavior) in [
            ("deny", Behavior::Deny),
            ("ask", Behavior::Ask),
            ("allow", Behavior::Allow),
        ] {
            self.rules(permissions, name, behavior);
        }
        self.ends(permissions);
        let rest: PermissionSettings =
            self.fields(permissions, &["defaultMode", "additionalDirectories"]);
        // Anything but an absent key was meant to take it away.
        self.document.bypass_disabled = permissions.get("disableBypassPermissionsMode").is_some();
        self.document.default_mode = rest.default_mode;
        self.document.additional_directories = rest.additional_directories;
    }

    /// Gives the allow rules their ends. An end that cannot be read has passed: it was meant to
    /// narrow, and must not widen by a slip of the pen.
    fn ends(&mut self, permissions: &Object<'_>) {
        const PASSED: u64 = 0;
        let Some(property) = permissions.get("until") else {
            return;
        };
        let Value::Object(ends) = &property.value else {
            self.problem(
                property.value.start(),
                "`until` must be an object of moments by rule; the allow rules of this file are not used".to_owned(),
            );
            for rule in &mut self.document.rules {
                if rule.behavior == Behavior::Allow {
                    rule.expires_at = Some(PASSED);
                }
            }
            return;
        };
        for end in &ends.properties {
            let rule = end.name.as_str();
            let moment = match &end.value {
                Value::StringLit(text) => moment::from_text(&text.value),
                _ => None,
            };
            if moment.is_none() {
                self.problem(
                    end.value.start(),
                    format!("not a moment in UTC such as `2026-05-01T18:00Z`: the allow rule `{rule}` is not used"),
                );
            }
            for known in &mut self.document.rules {
                if known.behavior == Behavior::Allow && known.rule == rule {
                    known.expires_at = Some(moment.unwrap_or(PASSED));
                }
            }
        }
    }

    fn rules(&mut self, permissions: &Object<'_>, name: &str, behavior: Behavior) {
        let Some(property) = permissions.get(name) else {
            return;
        };
        let Value::Array(list) = &property.value else {
            let position = Some(self.position(property.value.start()));
            let text = format!("`permissions.{name}` must be a list of rules");
            if behavior == Behavior::Allow {
                self.document.problems.push(Problem {
                    position,
                    text,
                    fatal: false,
                });
            } else {
                self.document.fatal(position, &text);
            }
            return;
        };
        self.list(list, name, behavior);
    }

    fn list(&mut self, list: &Array<'_>, name: &str, behavior: Behavior) {
        for element in &list.elements {
            let position = self.position(element.start());
            let (rule, problem) = match element.as_string_lit() {
                Some(text) => (text.value.to_string(), None),
                None => {
                    let raw = self.text[element.start()..element.end()].to_owned();
                    (
                        raw,
                        Some(format!("an entry of `permissions.{name}` must be a string")),
                    )
                }
            };
            if let Some(problem) = &problem {
                self.problem(element.start(), problem.clone());
            }
            self.document.rules.push(RuleEntry {
                rule,
                behavior,
                source: self.source,
                file: Some(self.file.to_owned()),
                position: Some(position),
                expires_at: None,
                problem,
            });
        }
    }

    /// A section that concerns no permission: what cannot be read is reported and left out.
    fn section<T: DeserializeOwned + Default>(&mut self, root: &Object<'_>, name: &str) -> T {
        let Some(property) = root.get(name) else {
            return T::default();
        };
        let value: serde_json::Value =
            to_json(&self.text[property.value.start()..property.value.end()]);
        let start = property.value.start();
        serde_path_to_error::deserialize(value).unwrap_or_else(|error| {
            let place = error.path().to_string();
            self.problem(
                start,
                format!("`{name}` is not used: at `{place}`: {}", error.inner()),
            );
            T::default()
        })
    }

    fn fields<T: DeserializeOwned + Default>(&mut self, object: &Object<'_>, names: &[&str]) -> T {
        let mut picked = serde_json::Map::new();
        for name in names {
            let Some(property) = object.get(name) else {
                continue;
            };
            let value = to_json(&self.text[property.value.start()..property.value.end()]);
            let alone = serde_json::Map::from_iter([((*name).to_owned(), value.clone())]);
            match serde_json::from_value::<T>(serde_json::Value::Object(alone)) {
                Ok(_) => {
                    picked.insert((*name).to_owned(), value);
                }
                Err(error) => {
                    self.problem(
                        property.value.start(),
                        format!("`{name}` is not used: {error}"),
                    );
                }
            }
        }
        serde_json::from_value(serde_json::Value::Object(picked)).unwrap_or_default()
    }
}

/// The JSON of a part that was parsed already.
pub(super) fn to_json(text: &str) -> serde_json::Value {
    jsonc_parser::parse_to_serde_value(text, &options()).unwrap_or(serde_json::Value::Null)
}

#[cfg(test)]
mod tests;
