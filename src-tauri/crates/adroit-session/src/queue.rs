//! What is said to the agent, and what waits until it can be.
//!
//! A message that comes while a turn runs waits in a queue that lives here, not in the window:
//! it is kept over a reload and over a restart. It is said when the turn ends, or, where the
//! person steers, at the next tool boundary: in the message that carries the results of calls. Calls
//! that give way to a new message (a search, a wait for a background task) end then, so that the
//! boundary is soon; a message that waits for the turn's end disturbs none.

use std::collections::VecDeque;
use std::sync::{Arc, MutexGuard, PoisonError};

use adroit_protocol::ItemId;
use adroit_protocol::event::{ItemBody, QueuedMessage, SessionChange, Turn};
use adroit_protocol::message::Message;
use adroit_tool::{CancelReason, Cancellation};

use crate::Session;
use crate::clock::now_ms;
use crate::compaction;
use crate::transcript::{EntryBody, StoredUndo, TranscriptError};
use crate::turn::{TurnEnd, TurnOutcome};

/// What the agent does, and what waits for it.
#[derive(Default)]
pub(crate) struct Work {
    running: Option<Cancellation>,
    queue: VecDeque<QueuedMessage>,
    /// Undos that wait for the turn's end.
    undos: Vec<StoredUndo>,
    /// What the transcript says of the queue is more than nothing.
    recorded: bool,
    pub(crate) closed: bool,
}

/// What comes after a turn.
enum Next {
    /// A message, with what stops its turn.
    Message(String, Cancellation),
    /// Undos that came in this very moment.
    Undos,
    /// Rest.
    Nothing,
}

impl Work {
    /// At rest, with what was not said before the app ended.
    pub(crate) fn with(queue: Vec<QueuedMessage>, undos: Vec<StoredUndo>) -> Self {
        Self {
            recorded: !queue.is_empty(),
            queue: queue.into(),
            undos,
            ..Self::default()
        }
    }

    fn find(&self, id: &ItemId) -> Option<usize> {
        self.queue.iter().position(|message| message.id == *id)
    }
}

impl Session {
    fn work(&self) -> MutexGuard<'_, Work> {
        self.work.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Says something to the agent; while it works the message waits, for the next tool
    /// boundary where it is to `steer`, else for the turn's end.
    pub fn submit(self: &Arc<Self>, text: String, steer: bool) {
        let mut work = self.work();
        if work.closed {
            return;
        }
        if work.running.is_some() {
            work.queue.push_back(QueuedMessage {
                id: ItemId::generate(),
                text,
                steer,
            });
            self.queue_changed(&mut work);
            if steer {
                self.steering.notify_one();
            }
            return;
        }
        self.start(&mut work, text);
    }

    /// Begins a turn. Before this returns whoever sent the message sees that it is worked on.
    fn start(self: &Arc<Self>, work: &mut Work, text: String) {
        let cancellation = Cancellation::new();
        work.running = Some(cancellation.clone());
        self.state.change(SessionChange::TurnChanged {
            turn: Turn::Running {
                since: now_ms(),
                activity: "Thinking".to_owned(),
            },
        });
        let session = Arc::clone(self);
        tokio::spawn(async move { session.work_off(text, cancellation).await });
    }

    /// Runs one turn to its end: for runs without a window.
    pub async fn run(self: &Arc<Self>, text: String) -> TurnOutcome {
        let cancellation = Cancellation::new();
        self.work().running = Some(cancellation.clone());
        let outcome = self.turn(text, cancellation).await;
        self.work().running = None;
        outcome
    }

    async fn work_off(self: &Arc<Self>, text: String, first: Cancellation) {
        // What still waited when the app was closed.
        self.take_back_waiting().await;
        let (mut text, mut cancellation) = (text, first);
        loop {
            let outcome = self.turn(text, cancellation).await;
            loop {
                match self.next(outcome.end == TurnEnd::Stopped) {
                    Next::Message(next, fresh) => {
                        (text, cancellation) = (next, fresh);
                        break;
                    }
                    Next::Undos => self.take_back_waiting().await,
                    Next::Nothing => return,
                }
            }
        }
    }

    /// The end of a turn: what goes on in the background is looked at, and what waited for this
    /// moment is taken back.
    pub(crate) async fn settle(&self) {
        self.look_at_tasks().await;
        self.take_back_waiting().await;
    }

    async fn take_back_waiting(&self) {
        loop {
            let next = {
                let work = self.work();
                // Where the app closes, what waits stays for the next run of it.
                work.undos.first().filter(|_| !work.closed).cloned()
            };
            let Some(undo) = next else { return };
            self.undo_fixed(&undo).await;
            // Written after it was done: a crash between the two finds it done already.
            self.forget_undo(&undo.shown.id);
        }
    }

    /// Keeps an undo for the end of the turn; gives it back where none runs.
    pub(crate) fn wait_with_undo(&self, undo: StoredUndo) -> Option<StoredUndo> {
        let mut work = self.work();
        if work.running.is_none() {
            return Some(undo);
        }
        work.undos.push(undo);
        self.undos_changed(&work);
        None
    }

    /// Takes an undo out of those that wait; false where it does not wait any more.
    pub fn forget_undo(&self, id: &ItemId) -> bool {
        let mut work = self.work();
        let before = work.undos.len();
        work.undos.retain(|undo| undo.shown.id != *id);
        let found = work.undos.len() < before;
        if found {
            self.undos_changed(&work);
        }
        found
    }

    fn undos_changed(&self, work: &Work) {
        let undos = work.undos.iter().map(|undo| undo.shown.clone()).collect();
        self.state.change(SessionChange::UndosChanged { undos });
        self.write(EntryBody::Undos {
            undos: work.undos.clone(),
        });
    }

    /// The next queued message, or the end of the work: decided under one lock, so that a
    /// message sent at that moment is never left lying. Who stopped the turn wants stillness:
    /// the queue waits until they say or send something.
    fn next(&self, stopped: bool) -> Next {
        let mut work = self.work();
        if !work.undos.is_empty() && !work.closed {
            return Next::Undos;
        }
        let message = if work.closed || stopped {
            None
        } else {
            work.queue.pop_front()
        };
        let Some(message) = message else {
            work.running = None;
            return Next::Nothing;
        };
        let cancellation = Cancellation::new();
        work.running = Some(cancellation.clone());
        self.tell_queue(&work);
        Next::Message(message.text, cancellation)
    }

    /// Takes a message out of the queue.
    pub fn remove_queued(&self, id: &ItemId) -> Option<String> {
        let mut work = self.work();
        let index = work.find(id)?;
        let message = work.queue.remove(index)?;
        self.queue_changed(&mut work);
        Some(message.text)
    }

    /// Changes the text of a queued message; false where it is not in the queue any more.
    pub fn edit_queued(&self, id: &ItemId, text: String) -> bool {
        let mut work = self.work();
        let Some(message) = work.find(id).and_then(|index| work.queue.get_mut(index)) else {
            return false;
        };
        message.text = text;
        self.queue_changed(&mut work);
        true
    }

    /// Delivers a queued message at the next tool boundary, or at the turn's end again; at once
    /// where nothing runs. False where it is not in the queue any more.
    pub fn steer_queued(self: &Arc<Self>, id: &ItemId, steer: bool) -> bool {
        let mut work = self.work();
        let Some(index) = work.find(id) else {
            return false;
        };
        if steer && work.running.is_none() && !work.closed {
            if let Some(message) = work.queue.remove(index) {
                self.tell_queue(&work);
                self.start(&mut work, message.text);
            }
            return true;
        }
        if let Some(message) = work.queue.get_mut(index) {
            message.steer = steer;
        }
        self.queue_changed(&mut work);
        if steer {
            self.steering.notify_one();
        }
        true
    }

    /// Waits until the person steers. One that was taken back meanwhile is none.
    pub(crate) async fn steered(&self) {
        loop {
            self.steering.notified().await;
            let work = self.work();
            let steers = |message: &QueuedMessage| {
                message.steer && compaction::command(&message.text).is_none()
            };
            if work.queue.iter().any(steers) {
                return;
            }
        }
    }

    /// At a tool boundary: says what is to steer, after the results of the calls and in the
    /// same message.
    ///
    /// # Errors
    /// The transcript cannot be written; what was not said stays in the queue.
    pub(crate) fn deliver_steering(&self) -> Result<(), TranscriptError> {
        loop {
            let next = self
                .work()
                .queue
                .iter()
                // A command to compact is no message: it waits for the turn's end.
                .find(|message| message.steer && compaction::command(&message.text).is_none())
                .cloned();
            let Some(message) = next else { return Ok(()) };
            self.transcript.append(EntryBody::Steered {
                text: message.text.clone(),
            })?;
            self.state.add_item(ItemBody::User {
                text: message.text.clone(),
                turn: None,
            });
            self.push(Message::user(message.text));
            let mut work = self.work();
            work.queue.retain(|waiting| waiting.id != message.id);
            self.queue_changed(&mut work);
        }
    }

    fn queue_changed(&self, work: &mut Work) {
        self.tell_queue(work);
        self.write_queue(work);
    }

    fn tell_queue(&self, work: &Work) {
        let queue = work.queue.iter().cloned().collect();
        self.state.change(SessionChange::QueueChanged { queue });
    }

    /// Writes what waits. Of a message that is said now this comes after the message itself: a
    /// crash between the two may say it twice, but never loses it.
    pub(crate) fn queue_said(&self) {
        let mut work = self.work();
        if work.recorded {
            self.write_queue(&mut work);
        }
    }

    fn write_queue(&self, work: &mut Work) {
        work.recorded = !work.queue.is_empty();
        self.write(EntryBody::Queue {
            messages: work.queue.iter().cloned().collect(),
        });
    }

    /// Stops the turn. What waits in the queue stays there.
    pub fn stop(&self, reason: CancelReason) {
        if let Some(cancellation) = &self.work().running {
            cancellation.cancel(reason);
        }
    }

    /// Does something while no turn runs and none can begin; `None` where one runs.
    pub(crate) fn at_rest<T>(&self, act: impl FnOnce() -> T) -> Option<T> {
        let work = self.work();
        work.running.is_none().then(act)
    }

    /// True while a turn runs.
    #[must_use]
    pub fn is_working(&self) -> bool {
        self.work().running.is_some()
    }
}
