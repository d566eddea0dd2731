//! Compaction: a conversation that outgrows its model goes on with a summary of its older part.
//!
//! It happens when the person says `/compact`, with what they want of the summary behind it; by
//! itself before a request that would fill more of the model's context than the settings let it;
//! and once when the model's server refuses a request as too long. `PreCompact` hooks may keep it
//! from happening; `SessionStart` hooks are told when it has.
//!
//! Nothing is deleted: the transcript gets a line ([`EntryBody::Compacted`]), the person still
//! sees and searches everything, and going back to before it brings the whole back. Where it fails
//! nothing changes. What the agent has read, loaded and been allowed is not part of a conversation
//! and stays as it is.

mod local;
mod plan;
mod rendering;
mod summary;

use std::sync::{Arc, PoisonError};

use adroit_hooks::Occasion;
use adroit_model::{ModelError, context_tokens};
use adroit_protocol::error::sentence;
use adroit_protocol::event::{CompactionItem, CompactionTrigger, ItemBody};
use adroit_protocol::settings::Provider;
use adroit_protocol::view::Tone;

use crate::Session;
use crate::context::estimate;
use crate::transcript::{Compaction, EntryBody, Place, TranscriptError};
use crate::turn::{Run, TurnEnd, report_retry};
use plan::{Plan, Room};
use summary::{Material, Summary};

/// How full a context may get where the settings do not say, percent.
const THRESHOLD: u64 = 80;
/// Tokens that stay as they are: at most this many, and at most a quarter of the context.
const KEPT: u64 = 20_000;
/// What a person types.
const COMMAND: &str = "/compact";

/// Why a conversation was not compacted. Nothing was changed then.
#[derive(Debug, thiserror::Error)]
pub(crate) enum NotCompacted {
    #[error("there is nothing to leave out yet")]
    Nothing,
    #[error("the hook `{hook}` objects: {reason}")]
    Blocked { hook: String, reason: String },
    #[error("a hook objects: {0}")]
    Ended(String),
    #[error("the model could not be asked for a summary: {0}")]
    Model(ModelError),
    #[error("the model gave no summary")]
    Empty,
    #[error("there is no whole summary: {0}")]
    Cut(&'static str),
    #[error("a summary would be no shorter")]
    NotShorter,
    #[error("stopped")]
    Stopped,
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
}

impl NotCompacted {
    fn hint(&self) -> String {
        match self {
            Self::Nothing | Self::NotShorter => {
                "The newest part is always kept as it is. Go on; it can be compacted later.".into()
            }
            Self::Blocked { .. } | Self::Ended(_) => {
                "Change the PreCompact hook in the settings, or begin a new session.".into()
            }
            Self::Model(error) => error.hint(),
            Self::Empty | Self::Cut(_) => {
                "Say /compact again, with what matters behind it, or choose another model.".into()
            }
            Self::Stopped => String::new(),
            Self::Transcript(error) => error.hint(),
        }
    }
}

/// What the person wants of the summary, where a message is the command to compact.
pub(crate) fn command(text: &str) -> Option<&str> {
    let rest = text.trim().strip_prefix(COMMAND)?;
    (rest.is_empty() || rest.starts_with(char::is_whitespace)).then(|| rest.trim())
}

/// Who wants it, and why.
struct Wish<'a> {
    trigger: CompactionTrigger,
    why: String,
    instructions: &'a str,
}

impl Run<'_> {
    /// The person said so. Nothing else happens in this turn.
    pub(crate) async fn compact_by_hand(&mut self, instructions: &str) -> TurnEnd {
        let why = if instructions.is_empty() {
            "You asked for it.".to_owned()
        } else {
            format!("You asked for it: {instructions}")
        };
        let wish = Wish {
            trigger: CompactionTrigger::Manual,
            why,
            instructions,
        };
        let done = self.compact(wish).await;
        self.session.queue_said();
        match done {
            Ok(item) => {
                self.outcome.text = words(&item);
                TurnEnd::Done
            }
            Err(NotCompacted::Stopped) => self.stopped(),
            Err(NotCompacted::Transcript(error)) => self.not_written(&error),
            Err(problem) => {
                let (message, hint) = refusal(&problem);
                self.notice(Tone::Warning, &message, Some(&hint));
                TurnEnd::Incomplete(format!("{message} {hint}"))
            }
        }
    }

    /// Before a request: compacts where it would fill too much of the model. Where that fails the
    /// request goes out as it is; the model decides whether it fits.
    pub(crate) async fn make_room(&mut self) -> Result<(), TranscriptError> {
        if self.no_room_found || !self.session.compacts_by_itself() {
            return Ok(());
        }
        let Some(threshold) = self.session.threshold() else {
            return Ok(());
        };
        let tokens = self.session.context_tokens();
        if tokens <= threshold.tokens {
            return Ok(());
        }
        let why = format!(
            "About {} of the {} tokens that the model takes were used.",
            grouped(tokens),
            grouped(threshold.limit)
        );
        self.compact_by_itself(why).await.map(drop)
    }

    /// The model's server said that the request is too long: true where it is worth asking again.
    pub(crate) async fn make_room_after_refusal(&mut self) -> Result<bool, TranscriptError> {
        if self.refused || !self.session.compacts_by_itself() {
            return Ok(false);
        }
        self.refused = true;
        let why = "The model said that the conversation is too long for it.".to_owned();
        self.compact_by_itself(why).await
    }

    async fn compact_by_itself(&mut self, why: String) -> Result<bool, TranscriptError> {
        let wish = Wish {
            trigger: CompactionTrigger::Auto,
            why,
            instructions: "",
        };
        match self.compact(wish).await {
            Ok(_) => return Ok(true),
            Err(NotCompacted::Transcript(error)) => return Err(error),
            // There is nothing that the person could do about these.
            Err(NotCompacted::Nothing | NotCompacted::Stopped) => {}
            Err(problem) => {
                let (message, hint) = refusal(&problem);
                self.notice(Tone::Warning, &message, Some(&hint));
            }
        }
        // Not before each request of this turn once more.
        self.no_room_found = true;
        Ok(false)
    }

    async fn compact(&mut self, wish: Wish<'_>) -> Result<CompactionItem, NotCompacted> {
        let session = self.session;
        let before = session.context_tokens();
        let plan = session.plan().ok_or(NotCompacted::Nothing)?;
        self.activity("Compacting the conversation");
        self.ask_hooks(&wish).await?;
        let summary = self.summarise(&plan, &wish).await?;
        if summary.usage != adroit_protocol::message::Usage::default() {
            self.outcome.usage += summary.usage;
            session.add_usage(summary.usage, self.outcome.usage);
        }
        let item = session.take_compaction(plan, summary.text, wish, before)?;
        self.activity("Thinking");
        self.tell_hooks_of_compaction().await?;
        Ok(item)
    }

    async fn ask_hooks(&self, wish: &Wish<'_>) -> Result<(), NotCompacted> {
        let occasion = Occasion::Compacting {
            trigger: wish.trigger.word(),
            instructions: wish.instructions.to_owned(),
        };
        let cwd = self.session.engine.cwd.get();
        let told = self.session.hooks.tell(&occasion, &cwd);
        let heard = self
            .unless_stopped(told)
            .await
            .ok_or(NotCompacted::Stopped)?;
        match (heard.blocked, heard.stop) {
            (Some((hook, reason)), _) => Err(NotCompacted::Blocked { hook, reason }),
            (None, Some(reason)) => Err(NotCompacted::Ended(reason)),
            (None, None) => Ok(()),
        }
    }

    async fn summarise(&self, plan: &Plan, wish: &Wish<'_>) -> Result<Summary, NotCompacted> {
        let session = self.session;
        let earlier = session.earlier_summary();
        if session.effective().model.provider.unwrap_or_default() == Provider::Offline {
            return Ok(Summary {
                text: session.local_summary(plan, earlier.as_deref()),
                usage: adroit_protocol::message::Usage::default(),
            });
        }
        let (client, model) = session.model().map_err(NotCompacted::Model)?;
        let material = Material {
            earlier: earlier.as_deref(),
            older: &plan.older,
            instructions: wish.instructions,
            limit: session.context_limit(),
            most: session.max_output_tokens(),
        };
        let reporter = Arc::clone(session);
        let on_retry = move |retry| report_retry(&reporter, &retry);
        summary::ask(&client, &model, &material, &self.cancellation, on_retry).await
    }

    async fn tell_hooks_of_compaction(&self) -> Result<(), TranscriptError> {
        let session = self.session;
        let model = session.state.read(|snapshot| snapshot.model.clone());
        let occasion = Occasion::SessionStarted {
            source: "compact",
            model,
        };
        let cwd = session.engine.cwd.get();
        let told = session.hooks.tell(&occasion, &cwd);
        match self.unless_stopped(told).await {
            Some(heard) => self.take_context(heard.context),
            None => Ok(()),
        }
    }
}

/// From when on there should be room made.
struct Threshold {
    /// More tokens than these are too many.
    tokens: u64,
    /// What the model takes.
    limit: u64,
}

impl Session {
    fn compacts_by_itself(&self) -> bool {
        self.effective().compaction.automatic.unwrap_or(true)
    }

    /// The tokens that the model in force takes, where that is known.
    fn context_limit(&self) -> Option<u64> {
        let model = &self.effective().model;
        let provider = model.provider.unwrap_or_default();
        let name = model
            .name
            .as_deref()
            .unwrap_or_else(|| crate::session::default_model(provider));
        model
            .context_tokens
            .or_else(|| context_tokens(provider, name))
            .filter(|limit| *limit > 0)
    }

    fn threshold(&self) -> Option<Threshold> {
        let limit = self.context_limit()?;
        let percent = self.effective().compaction.threshold_percent;
        let percent = percent.map_or(THRESHOLD, |percent| u64::from(percent).clamp(10, 100));
        // An answer must fit, too; but half of the context is always for what is asked.
        let answer = u64::from(self.max_output_tokens()).min(limit / 2);
        let tokens = (limit.saturating_mul(percent) / 100).min(limit - answer);
        Some(Threshold { tokens, limit })
    }

    /// About how many tokens the next request has.
    fn context_tokens(&self) -> u64 {
        self.context().tokens(|| self.surroundings())
    }

    fn earlier_summary(&self) -> Option<String> {
        let context = self.context();
        Some(context.compaction()?.summary.clone())
    }

    fn plan(&self) -> Option<Plan> {
        let room = Room {
            tokens: self
                .context_limit()
                .map_or(KEPT, |limit| KEPT.min(limit / 4)),
            whole_turn: self
                .model()
                .is_ok_and(|(client, _)| client.needs_whole_turn()),
        };
        let marks = self.marks.lock().unwrap_or_else(PoisonError::into_inner);
        plan::plan(&self.context(), &marks, room)
    }

    fn local_summary(&self, plan: &Plan, earlier: Option<&str>) -> String {
        let items = self.state.read(|snapshot| snapshot.items.clone());
        let kept = self.context().compaction().map(|known| known.kept.clone());
        let older = plan::older_items(&items, kept.as_ref(), &plan.kept);
        let working = self.is_in_turn().then(|| {
            items.iter().rev().find_map(|item| match &item.body {
                ItemBody::User { text, .. } => Some(text.clone()),
                _ => None,
            })
        });
        let tasks: Vec<String> = self
            .tasks()
            .list()
            .iter()
            .filter(|task| task.is_running())
            .map(adroit_tools::TaskState::words)
            .collect();
        local::summary(earlier, older, working.flatten().as_deref(), &tasks)
    }

    /// True where the model has not answered the last message yet.
    fn is_in_turn(&self) -> bool {
        let context = self.context();
        context
            .messages()
            .last()
            .is_some_and(|last| last.role == adroit_protocol::message::Role::User)
    }

    /// The summary takes its place: in the transcript first.
    fn take_compaction(
        &self,
        plan: Plan,
        summary: String,
        wish: Wish<'_>,
        before: u64,
    ) -> Result<CompactionItem, NotCompacted> {
        let said = self
            .state
            .read(|snapshot| plan::said(&snapshot.items, &plan.kept));
        let mut context = self.context();
        let compaction = Compaction {
            at: Place::end_of(context.messages()),
            from: plan.from,
            kept: plan.kept.clone(),
            summary: summary.clone(),
            said: said.clone(),
        };
        let sent = estimate::messages(&compaction.sent(context.messages()));
        let saved = estimate::messages(&context.sent()).saturating_sub(sent);
        if saved == 0 {
            return Err(NotCompacted::NotShorter);
        }
        let item = CompactionItem {
            trigger: wish.trigger,
            why: wish.why,
            tokens_before: before,
            // What a server counted and what the rule estimates are not to be mixed: only the
            // difference is taken from the estimate.
            tokens_after: before.saturating_sub(saved).max(sent),
            summary,
        };
        self.transcript.append(EntryBody::Compacted {
            compaction: item.clone(),
            kept: plan.kept,
            said,
        })?;
        context.compact(compaction);
        drop(context);
        self.state.add_item(ItemBody::Compacted {
            compaction: item.clone(),
        });
        Ok(item)
    }
}

fn refusal(problem: &NotCompacted) -> (String, String) {
    let message = sentence(&format!("The conversation was not compacted: {problem}"));
    (message, problem.hint())
}

/// For a run without a window.
fn words(item: &CompactionItem) -> String {
    format!(
        "The conversation was compacted: about {} tokens to about {}.",
        grouped(item.tokens_before),
        grouped(item.tokens_after)
    )
}

/// A number with its thousands apart.
fn grouped(number: u64) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (at, digit) in digits.chars().enumerate() {
        if at > 0 && (digits.len() - at).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_the_command_itself_is_one() {
        assert_eq!(command("/compact"), Some(""));
        assert_eq!(
            command(" /compact  keep the\nfile names "),
            Some("keep the\nfile names")
        );
        for text in ["/compactor", "compact", "say /compact", "/compact/it", ""] {
            assert_eq!(command(text), None, "{text}");
        }
    }

    #[test]
    fn thousands_stand_apart() {
        assert_eq!(
            [7, 999, 1_000, 84_012, 1_047_576].map(grouped),
            ["7", "999", "1,000", "84,012", "1,047,576"]
        );
    }
}
