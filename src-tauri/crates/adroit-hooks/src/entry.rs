//! One hook as the settings name it.

use std::sync::Arc;
use std::time::Duration;

use adroit_permissions::Condition;
use adroit_protocol::hook::{HookEvent, HookFailurePolicy, HookState};
use adroit_protocol::permission::{Position, RuleSource};
use serde_json::Value;

use crate::matcher::Matcher;

/// How long a hook may take where it does not say: as documented for Claude Code.
const USUAL_TIMEOUT: Duration = Duration::from_secs(600);
/// The same for hooks that a person waits for before anything happens.
const PROMPT_TIMEOUT: Duration = Duration::from_secs(30);
/// The longest that a hook may say.
const LONGEST_TIMEOUT: f64 = 24.0 * 3600.0;

/// Where a hook stands.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// Whose settings.
    pub source: RuleSource,
    /// The file.
    pub file: String,
    /// Where in it.
    pub position: Position,
}

/// What a hook does.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Handler {
    /// A command line for the shell, or a program with its arguments.
    Command {
        /// The command line, or the program where there are arguments.
        command: String,
        /// Arguments that no shell touches.
        arguments: Option<Vec<String>>,
    },
    /// A request to a server.
    Http {
        /// Its address.
        url: String,
        /// Headers; `$NAME` in a value stands for a variable of the list below.
        headers: Vec<(String, String)>,
        /// Variables of the environment that headers may use.
        variables: Vec<String>,
    },
    /// It cannot be read, so it can never start.
    Unusable {
        /// What the file calls it.
        kind: String,
        /// What is wrong.
        problem: String,
    },
}

/// One hook.
#[derive(Clone, Debug)]
pub struct HookEntry {
    /// Names it for as long as its settings do not change.
    pub id: String,
    /// When it runs.
    pub event: HookEvent,
    /// For which tools, or kinds of the event.
    pub matcher: Matcher,
    /// The rule that a call must fit.
    pub condition: Option<Condition>,
    /// What it does.
    pub handler: Handler,
    /// Where it stands.
    pub place: Place,
    /// How long it may take.
    pub timeout: Duration,
    /// What its failure does to a call.
    pub on_failure: HookFailurePolicy,
    /// It runs beside the session, which does not wait for it: it can only look on.
    pub background: bool,
    /// False for a hook of a file that is broken now, remembered from when it was good: it
    /// may still object, but its word lifts nothing and changes nothing.
    pub may_widen: bool,
}

impl HookEntry {
    /// Reads one hook. Never fails: one that cannot be read stays, as one that cannot start,
    /// so that a slip in a guard is seen and not taken for consent.
    #[must_use]
    pub fn read(event: HookEvent, matcher: Option<&Value>, hook: &Value, place: Place) -> Self {
        let mut problems = Vec::new();
        let matcher_text = match matcher {
            None | Some(Value::Null) => String::new(),
            Some(Value::String(text)) => text.clone(),
            Some(other) => {
                problems.push(format!("`matcher` must be a string, not {other}"));
                String::new()
            }
        };
        // Where the matcher cannot be read the hook is for everything: then it is seen.
        let matcher = Matcher::parse(&matcher_text).unwrap_or_else(|problem| {
            problems.push(problem);
            Matcher::everything()
        });
        let mut fields = Fields {
            hook,
            problems: &mut problems,
        };
        let condition = fields.condition(event);
        let timeout = fields.timeout(event);
        let on_failure = fields.on_failure(place.source);
        let background = fields.flag("async");
        let handler = fields.handler();
        let handler = match (handler, problems.is_empty()) {
            (handler, true) => handler,
            (handler, false) => Handler::Unusable {
                kind: kind(&handler).to_owned(),
                problem: problems.join("; "),
            },
        };
        Self {
            id: identity(event, &matcher_text, hook, &place),
            event,
            matcher,
            condition,
            handler,
            place,
            timeout,
            on_failure,
            background,
            may_widen: true,
        }
    }

    /// A place where a hook should be and none can be read. It stands for every tool.
    #[must_use]
    pub fn unusable(event: HookEvent, place: Place, problem: &str) -> Self {
        let entry = Self::read(event, None, &Value::Null, place);
        Self {
            handler: Handler::Unusable {
                kind: "?".to_owned(),
                problem: problem.to_owned(),
            },
            ..entry
        }
    }

    /// The hook in a few words: its command or its address.
    #[must_use]
    pub fn label(&self) -> String {
        const LONGEST: usize = 80;
        let text = self.text();
        let line = text.split_whitespace().collect::<Vec<_>>().join(" ");
        match line.char_indices().nth(LONGEST) {
            Some((end, _)) => format!("{}…", &line[..end]),
            None => line,
        }
    }

    /// What runs, whole.
    #[must_use]
    pub fn text(&self) -> String {
        match &self.handler {
            Handler::Command { command, arguments } => std::iter::once(command)
                .chain(arguments.iter().flatten())
                .cloned()
                .collect::<Vec<_>>()
                .join(" "),
            Handler::Http { url, .. } => url.clone(),
            Handler::Unusable { kind, .. } => format!("a hook of type `{kind}`"),
        }
    }

    /// The hook for the settings panel, without runs.
    #[must_use]
    pub fn state(&self) -> HookState {
        HookState {
            id: self.id.clone(),
            event: self.event,
            matcher: self.matcher.text().to_owned(),
            condition: self
                .condition
                .as_ref()
                .map(|condition| condition.text().to_owned()),
            kind: kind(&self.handler).to_owned(),
            text: self.text(),
            source: self.place.source,
            file: self.place.file.clone(),
            position: self.place.position,
            timeout_ms: u64::try_from(self.timeout.as_millis()).unwrap_or(u64::MAX),
            on_failure: self.on_failure,
            background: self.background,
            held_back: None,
            problem: match &self.handler {
                Handler::Unusable { problem, .. } => Some(problem.clone()),
                _ => None,
            },
            runs: Vec::new(),
        }
    }
}

/// Two readings of the same place are the same hook.
impl PartialEq for HookEntry {
    fn eq(&self, other: &Self) -> bool {
        self.id == other.id && self.may_widen == other.may_widen
    }
}

fn kind(handler: &Handler) -> &str {
    match handler {
        Handler::Command { .. } => "command",
        Handler::Http { .. } => "http",
        Handler::Unusable { kind, .. } => kind,
    }
}

/// A name that is the same at each reading of the same file.
fn identity(event: HookEvent, matcher: &str, hook: &Value, place: &Place) -> String {
    let text = format!(
        "{}\0{matcher}\0{hook}\0{}\0{}:{}",
        event.name(),
        place.file,
        place.position.line,
        place.position.column
    );
    blake3::hash(text.as_bytes()).to_hex()[..16].to_owned()
}

/// The fields of one hook, read one by one.
struct Fields<'a> {
    hook: &'a Value,
    problems: &'a mut Vec<String>,
}

impl Fields<'_> {
    fn problem(&mut self, text: impl Into<String>) {
        self.problems.push(text.into());
    }

    fn text(&mut self, name: &str) -> Option<String> {
        match self.hook.get(name) {
            None | Some(Value::Null) => None,
            Some(Value::String(text)) => Some(text.clone()),
            Some(other) => {
                self.problem(format!("`{name}` must be a string, not {other}"));
                None
            }
        }
    }

    fn texts(&mut self, name: &str) -> Option<Vec<String>> {
        let list = match self.hook.get(name)? {
            Value::Null => return None,
            Value::Array(list) => list,
            other => {
                self.problem(format!("`{name}` must be a list of strings, not {other}"));
                return None;
            }
        };
        let texts: Option<Vec<String>> = list
            .iter()
            .map(|item| item.as_str().map(str::to_owned))
            .collect();
        if texts.is_none() {
            self.problem(format!("`{name}` must hold strings only"));
        }
        texts
    }

    fn flag(&mut self, name: &str) -> bool {
        match self.hook.get(name) {
            None | Some(Value::Null) => false,
            Some(Value::Bool(flag)) => *flag,
            Some(other) => {
                self.problem(format!("`{name}` must be true or false, not {other}"));
                false
            }
        }
    }

    fn condition(&mut self, event: HookEvent) -> Option<Condition> {
        let text = self.text("if")?;
        if !event.is_about_a_call() {
            self.problem(format!(
                "`if` is a rule about calls, and {} is about none",
                event.name()
            ));
            return None;
        }
        match Condition::parse(&text) {
            Ok(condition) => Some(condition),
            Err(problem) => {
                self.problem(format!("`if`: {problem}"));
                None
            }
        }
    }

    fn timeout(&mut self, event: HookEvent) -> Duration {
        let usual = match event {
            HookEvent::UserPromptSubmit | HookEvent::SessionStart => PROMPT_TIMEOUT,
            _ => USUAL_TIMEOUT,
        };
        match self.hook.get("timeout") {
            None | Some(Value::Null) => usual,
            Some(value) => match value.as_f64() {
                Some(seconds) if seconds > 0.0 => {
                    Duration::from_secs_f64(seconds.min(LONGEST_TIMEOUT))
                }
                _ => {
                    self.problem(format!(
                        "`timeout` must be a number of seconds above 0, not {value}"
                    ));
                    usual
                }
            },
        }
    }

    /// Guards that an administrator put up hold when they fail; a person's own are shown.
    fn on_failure(&mut self, source: RuleSource) -> HookFailurePolicy {
        let managed = if source == RuleSource::Managed {
            HookFailurePolicy::Block
        } else {
            HookFailurePolicy::Continue
        };
        match self.text("onFailure").as_deref() {
            None => managed,
            Some("block") => HookFailurePolicy::Block,
            Some("continue") => HookFailurePolicy::Continue,
            Some(other) => {
                self.problem(format!(
                    "`onFailure` is \"block\" or \"continue\", not \"{other}\""
                ));
                // Whoever wrote it wanted to say something about failures: be careful.
                HookFailurePolicy::Block
            }
        }
    }

    fn handler(&mut self) -> Handler {
        let kind = self.text("type").unwrap_or_default();
        let unusable = |kind: &str, problem: &str| Handler::Unusable {
            kind: kind.to_owned(),
            problem: problem.to_owned(),
        };
        if !self.hook.is_object() {
            return unusable("?", "a hook is an object: `{ \"type\": \"command\", … }`");
        }
        match kind.as_str() {
            "command" => {
                let arguments = self.texts("args");
                match self.text("command").filter(|text| !text.trim().is_empty()) {
                    Some(command) => Handler::Command { command, arguments },
                    None => unusable("command", "`command` is missing"),
                }
            }
            "http" => self.http(),
            "" => unusable("?", "`type` is missing: it is \"command\" or \"http\""),
            other => unusable(
                other,
                &format!("hooks of type \"{other}\" are not run; \"command\" and \"http\" are"),
            ),
        }
    }

    fn http(&mut self) -> Handler {
        let unusable = |problem: String| Handler::Unusable {
            kind: "http".to_owned(),
            problem,
        };
        let Some(url) = self.text("url") else {
            return unusable("`url` is missing".to_owned());
        };
        match reqwest::Url::parse(&url) {
            Ok(parsed) if matches!(parsed.scheme(), "http" | "https") => {}
            Ok(parsed) => {
                return unusable(format!(
                    "`url` must begin with http:// or https://, not {}:",
                    parsed.scheme()
                ));
            }
            Err(error) => return unusable(format!("`url` is no address: {error}")),
        }
        let headers = match self.hook.get("headers") {
            None | Some(Value::Null) => Vec::new(),
            Some(Value::Object(headers)) => headers
                .iter()
                .map(|(name, value)| {
                    let value = value
                        .as_str()
                        .map_or_else(|| value.to_string(), str::to_owned);
                    (name.clone(), value)
                })
                .collect(),
            Some(other) => {
                return unusable(format!("`headers` must be an object, not {other}"));
            }
        };
        Handler::Http {
            url,
            headers,
            variables: self.texts("allowedEnvVars").unwrap_or_default(),
        }
    }
}

/// The hooks in force, strongest source first and in the order of their files.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct HookSet {
    entries: Vec<Arc<HookEntry>>,
}

impl HookSet {
    /// These hooks, in this order.
    #[must_use]
    pub fn new(entries: Vec<Arc<HookEntry>>) -> Self {
        Self { entries }
    }

    /// All of them.
    #[must_use]
    pub fn entries(&self) -> &[Arc<HookEntry>] {
        &self.entries
    }

    /// True where there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// Those of one event. Two that would do the very same run once, as the stronger of the
    /// two.
    pub(crate) fn of(
        &self,
        event: HookEvent,
        fits: impl Fn(&HookEntry) -> bool,
    ) -> Vec<Arc<HookEntry>> {
        let mut found: Vec<Arc<HookEntry>> = Vec::new();
        for entry in self.entries.iter().filter(|entry| entry.event == event) {
            let known = found.iter().any(|known| {
                known.handler == entry.handler
                    && known.on_failure == entry.on_failure
                    && known.background == entry.background
            });
            if !known && fits(entry) {
                found.push(Arc::clone(entry));
            }
        }
        found
    }
}

#[cfg(test)]
#[path = "entry_tests.rs"]
mod tests;
