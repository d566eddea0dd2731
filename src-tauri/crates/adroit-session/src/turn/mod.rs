//! The query loop: from a message of the person to the point where the model stops
//! asking for tools.

mod answer;
mod hooks;
mod observing;
mod request;

use std::sync::{Arc, PoisonError};
use std::time::Duration;

use adroit_engine::ToolResult;
use adroit_model::{ModelError, RetryPolicy};
use adroit_protocol::error::sentence;
use adroit_protocol::event::{CallStatus, ItemBody, SessionChange, Turn};
use adroit_protocol::message::{Content, Message, Role, StopReason, Usage};
use adroit_protocol::view::Tone;
use adroit_tool::{CancelReason, Cancellation};

pub(crate) use answer::report_retry;
pub(crate) use observing::Observing;

use crate::Session;
use crate::clock::now_ms;
use crate::compaction;
use crate::session::title_of;
use crate::state::SessionState;
use crate::transcript::{EntryBody, TranscriptError};
use answer::{Answer, AnswerEnd};

/// How many calls of the model one turn may take: a loop that only a fault explains ends.
const LONGEST_TURN: usize = 500;

/// How a turn ended.
#[derive(Clone, Debug, PartialEq)]
pub struct TurnOutcome {
    /// What the model said last.
    pub text: String,
    /// How it ended.
    pub end: TurnEnd,
    /// Calls that ran, failed ones included.
    pub calls: usize,
    /// Calls that failed, were denied or were cancelled.
    pub failed_calls: usize,
    /// Calls that were denied: in a few words, and why.
    pub denied_calls: Vec<(String, String)>,
    /// How often the model was asked.
    pub requests: usize,
    /// Tokens.
    pub usage: Usage,
}

/// How a turn ended.
#[derive(Clone, Debug, PartialEq)]
pub enum TurnEnd {
    /// The model was done.
    Done,
    /// The answer was cut, refused, or ended otherwise; in words.
    Incomplete(String),
    /// The person stopped it.
    Stopped,
    /// The model could not be asked, or the conversation not be written.
    Failed {
        /// What happened.
        message: String,
        /// What to do.
        hint: String,
    },
}

impl Session {
    /// Runs one turn. Never fails: what goes wrong is in the transcript and in the outcome.
    pub(crate) async fn turn(
        self: &Arc<Self>,
        text: String,
        cancellation: Cancellation,
    ) -> TurnOutcome {
        let mut run = Run::new(self, cancellation);
        run.activity("Thinking");
        run.outcome.end = match compaction::command(&text) {
            Some(instructions) => run.compact_by_hand(instructions).await,
            None => run.whole(text).await,
        };
        run.close();
        // Before the end shows: who then says something, or looks at a file, finds it done.
        self.settle().await;
        self.state
            .change(SessionChange::TurnChanged { turn: Turn::Idle });
        run.outcome
    }

    /// Works on a task for another agent, to its end. Never fails, as a turn.
    pub(crate) async fn work_for_another(
        self: &Arc<Self>,
        prompt: String,
        cancellation: Cancellation,
    ) -> TurnOutcome {
        let _rest = Rest(&self.state);
        let mut run = Run::new(self, cancellation);
        run.activity("Thinking");
        run.outcome.end = run.task(prompt).await;
        run.close();
        run.outcome
    }
}

/// However an agent's work ends, dropped with its call included, it is seen to have ended.
struct Rest<'a>(&'a SessionState);

impl Drop for Rest<'_> {
    fn drop(&mut self) {
        self.0
            .change(SessionChange::TurnChanged { turn: Turn::Idle });
    }
}

pub(crate) struct Run<'a> {
    pub(crate) session: &'a Arc<Session>,
    pub(crate) cancellation: Cancellation,
    pub(crate) outcome: TurnOutcome,
    since: u64,
    /// How often in a row hooks have sent the model on.
    stop_objections: usize,
    /// The conversation could not be made shorter in this turn.
    pub(crate) no_room_found: bool,
    /// The model's server found the last request too long.
    pub(crate) refused: bool,
}

impl<'a> Run<'a> {
    fn new(session: &'a Arc<Session>, cancellation: Cancellation) -> Self {
        Self {
            session,
            cancellation,
            outcome: TurnOutcome {
                text: String::new(),
                end: TurnEnd::Done,
                calls: 0,
                failed_calls: 0,
                denied_calls: Vec::new(),
                requests: 0,
                usage: Usage::default(),
            },
            since: now_ms(),
            stop_objections: 0,
            no_room_found: false,
            refused: false,
        }
    }
}

impl Run<'_> {
    /// The task of an agent. It stands in its transcript as words within a turn: an agent's work is
    /// a part of the turn that started it.
    async fn task(&mut self, prompt: String) -> TurnEnd {
        let session = self.session;
        session.state.add_item(ItemBody::User {
            text: prompt.clone(),
            turn: None,
        });
        let entry = EntryBody::Steered {
            text: prompt.clone(),
        };
        if let Err(error) = session.transcript.append(entry) {
            return self.not_written(&error);
        }
        session.push(Message::user(prompt));
        self.steps().await
    }

    async fn whole(&mut self, text: String) -> TurnEnd {
        match self.begin(text).await {
            Ok(None) => self.steps().await,
            Ok(Some(end)) => end,
            Err(error) => self.not_written(&error),
        }
    }

    pub(crate) fn activity(&self, activity: &str) {
        let turn = Turn::Running {
            since: self.since,
            activity: activity.to_owned(),
        };
        self.session
            .state
            .change(SessionChange::TurnChanged { turn });
    }

    /// Takes the person's message into the conversation, unless a hook keeps it from there.
    async fn begin(&mut self, text: String) -> Result<Option<TurnEnd>, TranscriptError> {
        let session = self.session;
        session.state.add_item(ItemBody::User {
            text: text.clone(),
            turn: Some(session.checkpointing.turn() + 1),
        });
        let (kept, context) = self.before_prompt(&text).await?;
        if kept.is_some() {
            return Ok(kept);
        }
        let turn = session.checkpointing.begin_turn();
        session.mark_turn(turn);
        session
            .transcript
            .append(EntryBody::User { text: text.clone() })?;
        session.queue_said();
        if session.state.read(|snapshot| snapshot.title.is_empty()) {
            let title = title_of(&text);
            session.state.change(SessionChange::TitleChanged {
                title: title.clone(),
            });
            session.write(EntryBody::Title { title });
        }
        session.say_untold();
        session.push(Message::user(text));
        let context = context.iter().map(|words| format!("A hook says: {words}"));
        self.take_context(context.collect())?;
        Ok(None)
    }

    async fn steps(&mut self) -> TurnEnd {
        while self.outcome.requests < LONGEST_TURN {
            match self.step().await {
                Step::Again => {}
                Step::End(TurnEnd::Done) => match self.goes_on().await {
                    Ok(true) => {}
                    Ok(false) => return TurnEnd::Done,
                    Err(error) => return self.not_written(&error),
                },
                Step::End(end) => return end,
            }
        }
        let message = format!("the model was asked {LONGEST_TURN} times in one turn");
        self.notice(Tone::Warning, &message, Some("Say how to go on."));
        TurnEnd::Incomplete(message)
    }

    /// One request to the model with its calls.
    async fn step(&mut self) -> Step {
        if let Err(error) = self.tell_of_tasks() {
            return Step::End(self.not_written(&error));
        }
        if let Err(error) = self.make_room().await {
            return Step::End(self.not_written(&error));
        }
        if self.cancellation.is_cancelled() {
            return Step::End(self.stopped());
        }
        let answer = match self.ask().await {
            Ok(answer) => answer,
            Err(AskError::Model(error @ ModelError::ContextExceeded { .. })) => {
                return match self.make_room_after_refusal().await {
                    Ok(true) => Step::Again,
                    Ok(false) => Step::End(self.model_failed(&error)),
                    Err(error) => Step::End(self.not_written(&error)),
                };
            }
            Err(AskError::Model(error)) => return Step::End(self.model_failed(&error)),
            Err(AskError::Transcript(error)) => return Step::End(self.not_written(&error)),
        };
        if let Some(text) = answer.last_text() {
            self.outcome.text = text;
        }
        self.outcome.calls += answer.results.len();
        self.outcome.failed_calls += answer
            .results
            .iter()
            .filter(|result| result.is_error)
            .count();
        let denied = answer
            .results
            .iter()
            .filter(|result| result.status == CallStatus::Denied);
        self.outcome
            .denied_calls
            .extend(denied.map(|result| (result.view.title.clone(), reason_of(result))));
        let had_calls = !answer.results.is_empty();
        let mut stops = answer.results.iter().map(|result| &result.stop_turn);
        let stop = stops.find_map(Clone::clone);
        let end = answer.end.clone();
        if let Err(error) = self.record(answer) {
            return Step::End(self.not_written(&error));
        }
        if self.cancellation.is_cancelled() {
            return Step::End(self.stopped());
        }
        if let Some(reason) = stop {
            let message = format!("A hook ended the turn. {reason}");
            self.notice(Tone::Warning, &message, None);
            return Step::End(TurnEnd::Incomplete(message));
        }
        if had_calls {
            self.stop_objections = 0;
        }
        self.refused &= end == AnswerEnd::Finished(StopReason::ContextExceeded);
        match end {
            AnswerEnd::Finished(StopReason::ContextExceeded) if !had_calls => {
                match self.make_room_after_refusal().await {
                    Ok(true) => Step::Again,
                    Ok(false) => Step::End(self.finished(&StopReason::ContextExceeded)),
                    Err(error) => Step::End(self.not_written(&error)),
                }
            }
            // Decided by the calls and not by the stop reason: servers get that wrong.
            AnswerEnd::Finished(_) if had_calls => Step::Again,
            AnswerEnd::Finished(StopReason::PauseTurn) => Step::Again,
            AnswerEnd::Finished(stop) => Step::End(self.finished(&stop)),
            AnswerEnd::Cancelled => Step::End(self.stopped()),
        }
    }

    /// Tells the model, and the person, what became of background tasks.
    fn tell_of_tasks(&self) -> Result<(), TranscriptError> {
        let session = self.session;
        // Agents cannot look at tasks: those that they started are their parent's to hear of.
        if session.identity.is_some() {
            return Ok(());
        }
        for notice in session.tasks().take_notices() {
            let tone = if notice.is_bad {
                Tone::Warning
            } else {
                Tone::Info
            };
            self.notice(tone, &notice.text, None);
            let message = Message::user(notice.for_model());
            session.transcript.append(EntryBody::Added {
                messages: vec![message.clone()],
            })?;
            session.push(message);
        }
        Ok(())
    }

    /// Asks until there is a whole answer, or no more patience.
    async fn ask(&mut self) -> Result<Answer, AskError> {
        let policy = RetryPolicy::default();
        let mut failed = 0;
        loop {
            // The boundary at which the model hears of what the person did meanwhile.
            self.session.say_untold();
            self.outcome.requests += 1;
            let (client, request) = self.session.request()?;
            let error =
                match Answer::stream(self.session, client, request, &self.cancellation).await? {
                    Ok(answer) => return Ok(answer),
                    Err(error) => error,
                };
            failed += 1;
            let Some(delay) = policy.delay(failed, &error) else {
                return Err(error.into());
            };
            self.notice(
                Tone::Warning,
                &format!("The answer was cut off and is asked for again ({error})."),
                None,
            );
            self.wait(delay).await;
            if self.cancellation.is_cancelled() {
                return Err(ModelError::Cancelled.into());
            }
        }
    }

    async fn wait(&self, delay: Duration) {
        tokio::select! {
            () = self.cancellation.cancelled() => {}
            () = tokio::time::sleep(delay) => {}
        }
    }

    /// Takes an answer with its results into the conversation.
    fn record(&mut self, answer: Answer) -> Result<(), TranscriptError> {
        let session = self.session;
        let loaded = session.newly_discovered();
        if !loaded.is_empty() {
            session
                .transcript
                .append(EntryBody::Discovered { tools: loaded })?;
        }
        let of_agents = std::mem::take(&mut *session.told_of_agents());
        self.outcome.denied_calls.extend(of_agents.denied_calls);
        if of_agents.usage != Usage::default() {
            self.outcome.usage += of_agents.usage;
            session.add_usage(of_agents.usage, self.outcome.usage);
        }
        self.outcome.usage += answer.usage;
        if answer.usage != Usage::default() {
            session.add_usage(answer.usage, self.outcome.usage);
            session.context().measure(answer.usage);
        }
        if answer.content.is_empty() {
            return Ok(());
        }
        session.push(Message {
            role: Role::Assistant,
            content: answer.content,
        });
        let mut results = Vec::new();
        let mut added = Vec::new();
        for result in answer.results {
            added.extend(result.new_messages);
            results.push(Content::ToolResult {
                tool_use_id: result.call,
                content: result.content,
                is_error: result.is_error,
            });
        }
        let had_results = !results.is_empty();
        if had_results {
            session.push(Message {
                role: Role::User,
                content: results,
            });
        }
        if !added.is_empty() {
            session.transcript.append(EntryBody::Added {
                messages: added.clone(),
            })?;
            added.into_iter().for_each(|message| session.push(message));
        }
        if had_results && !self.cancellation.is_cancelled() {
            session.deliver_steering()?;
        }
        Ok(())
    }

    fn finished(&self, stop: &StopReason) -> TurnEnd {
        let (message, hint) = match stop {
            StopReason::EndTurn
            | StopReason::ToolUse
            | StopReason::StopSequence
            | StopReason::PauseTurn => {
                return TurnEnd::Done;
            }
            StopReason::MaxTokens => (
                "The answer was cut at the token limit.",
                "Say \"go on\", or raise model.maxOutputTokens in the settings.",
            ),
            StopReason::Refusal => (
                "The model declined to answer.",
                "Ask in other words, or choose another model.",
            ),
            StopReason::ContextExceeded => (
                "The conversation no longer fits the model.",
                "Say /compact to go on with a summary of it, or choose a model with a larger context.",
            ),
            StopReason::Other { reason } => {
                let message = format!("The model stopped: {reason}.");
                self.notice(Tone::Warning, &message, None);
                return TurnEnd::Incomplete(message);
            }
        };
        self.notice(Tone::Warning, message, Some(hint));
        TurnEnd::Incomplete(message.to_owned())
    }

    pub(crate) fn stopped(&self) -> TurnEnd {
        if self.cancellation.reason() != Some(CancelReason::Shutdown) {
            self.notice(Tone::Neutral, "Stopped.", None);
        }
        TurnEnd::Stopped
    }

    fn model_failed(&self, error: &ModelError) -> TurnEnd {
        if *error == ModelError::Cancelled || self.cancellation.is_cancelled() {
            return self.stopped();
        }
        let (message, hint) = (sentence(&error.to_string()), error.hint());
        self.notice(Tone::Danger, &message, Some(&hint));
        TurnEnd::Failed { message, hint }
    }

    pub(crate) fn not_written(&self, error: &TranscriptError) -> TurnEnd {
        let message = sentence(&error.to_string());
        let hint = format!(
            "{} Then say it again: nothing runs that cannot be recorded.",
            error.hint()
        );
        self.session.state.add_item(ItemBody::Notice {
            tone: Tone::Danger,
            text: message.clone(),
            hint: Some(hint.clone()),
        });
        TurnEnd::Failed { message, hint }
    }

    pub(crate) fn notice(&self, tone: Tone, text: &str, hint: Option<&str>) {
        let (text, hint) = (text.to_owned(), hint.map(str::to_owned));
        self.session.state.add_item(ItemBody::Notice {
            tone,
            text: text.clone(),
            hint: hint.clone(),
        });
        self.session.write(EntryBody::Notice { tone, text, hint });
    }

    /// A conversation that ends with the person's message could not be continued: some
    /// servers refuse two messages of one speaker in a row. The push of the next one joins them.
    fn close(&self) {
        self.session.observing.forget();
    }
}

/// Why a call was denied: what its decision says.
fn reason_of(result: &ToolResult) -> String {
    let decision = result.record.decision.as_ref();
    decision.map_or_else(|| "denied".to_owned(), |decision| decision.reason.clone())
}

enum Step {
    Again,
    End(TurnEnd),
}

/// Why an answer did not come.
#[derive(Debug, thiserror::Error)]
pub(crate) enum AskError {
    #[error(transparent)]
    Model(#[from] ModelError),
    #[error(transparent)]
    Transcript(#[from] TranscriptError),
}

impl Session {
    /// Has the model told something with its next request. In the transcript at once: whatever
    /// crashes, it is told.
    pub(crate) fn tell_model(&self, text: String) {
        // In tags: it stands beside what the person says, and is not theirs.
        let text = format!("<system-note>\n{text}\n</system-note>");
        self.write(EntryBody::Told { text: text.clone() });
        self.untold
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .push(text);
    }

    fn say_untold(&self) {
        for loss in self.checkpointing.take_losses() {
            self.tell_model(loss);
        }
        let untold =
            std::mem::take(&mut *self.untold.lock().unwrap_or_else(PoisonError::into_inner));
        for text in untold {
            self.push(Message::user(text));
        }
    }

    /// Adds to the conversation.
    pub(crate) fn push(&self, message: Message) {
        self.context().push(message);
    }
}
