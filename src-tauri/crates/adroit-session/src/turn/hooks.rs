//! What hooks have to say of a turn: before a message goes out, and before it ends.

use adroit_hooks::{Heard, Occasion};
use adroit_protocol::message::{Content, Message, Role};
use adroit_protocol::view::Tone;

use super::{Run, TurnEnd};
use crate::transcript::{EntryBody, TranscriptError};

/// How often in a row `Stop` hooks may send the model on. One that never agrees would keep
/// it at work for ever.
const MOST_STOP_OBJECTIONS: usize = 3;

impl Run<'_> {
    /// Tells the hooks of the session's begin and of the message. `Some` where the message is
    /// kept from the model.
    pub(super) async fn before_prompt(
        &mut self,
        prompt: &str,
    ) -> Result<(Option<TurnEnd>, Vec<String>), TranscriptError> {
        let session = self.session;
        let cwd = session.engine.cwd.get();
        let model = session.state.read(|snapshot| snapshot.model.clone());
        let greeting = self.unless_stopped(session.hooks.greet(model, &cwd)).await;
        if let Some(heard) = greeting {
            self.take_context(heard.context)?;
        }
        let occasion = Occasion::PromptSubmitted {
            prompt: prompt.to_owned(),
        };
        let Some(heard) = self
            .unless_stopped(session.hooks.tell(&occasion, &cwd))
            .await
        else {
            return Ok((Some(self.stopped()), Vec::new()));
        };
        let objection = heard
            .blocked
            .map(|(hook, reason)| format!("the hook `{hook}` objects: {reason}"))
            .or(heard.stop);
        match objection {
            None => Ok((None, heard.context)),
            Some(objection) => {
                let message = format!("The message was not sent: {objection}");
                let hint = "The model has not seen it. Say it in another way, or change the hook in Settings.";
                self.notice(Tone::Warning, &message, Some(hint));
                Ok((Some(TurnEnd::Incomplete(message)), Vec::new()))
            }
        }
    }

    /// Asks the hooks whether the model may be done. True where it is sent on.
    pub(super) async fn goes_on(&mut self) -> Result<bool, TranscriptError> {
        let session = self.session;
        let occasion = self.stopping();
        let event = occasion.event().name();
        let cwd = session.engine.cwd.get();
        let Some(heard) = self
            .unless_stopped(session.hooks.tell(&occasion, &cwd))
            .await
        else {
            return Ok(false);
        };
        let Heard {
            blocked: Some((hook, reason)),
            stop: None,
            ..
        } = heard
        else {
            return Ok(false);
        };
        if self.stop_objections == MOST_STOP_OBJECTIONS {
            let text = format!(
                "The {event} hook `{hook}` objected {} times in a row, so the turn ended all the same: {reason}",
                MOST_STOP_OBJECTIONS + 1
            );
            let hint = "Its input says stop_hook_active: true when it has objected already.";
            self.notice(Tone::Warning, &text, Some(hint));
            return Ok(false);
        }
        self.stop_objections += 1;
        let text = format!("The hook `{hook}` sent the model on: {reason}");
        self.notice(Tone::Neutral, &text, None);
        self.take_context(vec![format!(
            "The hook `{hook}` does not let you stop yet: {reason}"
        )])?;
        Ok(true)
    }

    /// What hooks are told of the end: of the turn, or of an agent's work.
    fn stopping(&self) -> Occasion {
        let again = self.stop_objections > 0;
        let last_message = self.outcome.text.clone();
        match &self.session.identity {
            None => Occasion::Stopping {
                again,
                last_message,
            },
            Some(who) => Occasion::SubagentStopping {
                agent: who.name.kind.clone(),
                id: who.name.id.clone(),
                transcript: self.session.transcript.path().to_path_buf(),
                again,
                last_message,
            },
        }
    }

    /// Words for the model that the person did not say; stored, so that a resumed session
    /// has them too.
    pub(crate) fn take_context(&self, words: Vec<String>) -> Result<(), TranscriptError> {
        for text in words {
            self.session
                .transcript
                .append(EntryBody::HookContext { text: text.clone() })?;
            self.session.push(Message {
                role: Role::User,
                content: vec![Content::Text { text }],
            });
        }
        Ok(())
    }

    pub(crate) async fn unless_stopped<T>(&self, future: impl Future<Output = T>) -> Option<T> {
        tokio::select! {
            () = self.cancellation.cancelled() => None,
            value = future => Some(value),
        }
    }
}
