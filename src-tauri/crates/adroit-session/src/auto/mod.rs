//! Auto mode: who decides where a rule would have to and none does.
//!
//! With a model server a classifier is asked: a model that gets the person's own messages and
//! what the tools tell of their inputs, and never a result of a call. What a file or a page says
//! can thus not argue with who decides about it. With the offline operator a table of rules
//! decides instead ([`table`]).
//!
//! Whatever goes wrong asks the person: an error, a delay, an answer that cannot be read, and
//! every third block in a row. The engine asks only where no rule, safety check or hook has
//! spoken, and the permission engine takes a yes only there.

mod classifier;
mod table;

use std::collections::VecDeque;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use adroit_engine::{Classifier, ToClassify};
use adroit_protocol::event::ItemBody;
use adroit_protocol::record::{ClassifierRecord, ClassifierVerdict};
use futures::FutureExt as _;
use futures::future::BoxFuture;

use crate::model_choice::ModelChoice;
use crate::permissions::SessionPermissions;
use crate::state::SessionState;

pub(crate) use classifier::Opinion;

/// So many blocks in a row are a disagreement that a person should look at.
const MOST_BLOCKS: u32 = 3;
/// Calls of before that the classifier is told.
const MOST_CALLS: usize = 30;

/// The classifier of one session.
pub(crate) struct AutoMode {
    state: Arc<SessionState>,
    permissions: Arc<SessionPermissions>,
    models: Arc<ModelChoice>,
    /// What the tools told of the calls that were classified, oldest first.
    calls: Mutex<VecDeque<String>>,
    blocks: AtomicU32,
}

impl AutoMode {
    pub(crate) fn new(
        state: Arc<SessionState>,
        permissions: Arc<SessionPermissions>,
        models: Arc<ModelChoice>,
    ) -> Arc<Self> {
        Arc::new(Self {
            state,
            permissions,
            models,
            calls: Mutex::default(),
            blocks: AtomicU32::new(0),
        })
    }

    async fn decide(&self, call: ToClassify) -> (String, Opinion) {
        let chosen = match self.models.for_classifier() {
            Ok(Some(chosen)) => chosen,
            Ok(None) => {
                let by = "local rule table".to_owned();
                return (by, table::opinion(&call, &self.permissions.snapshot()));
            }
            Err(error) => return ("auto mode".to_owned(), Opinion::ask(error.to_string())),
        };
        let by = chosen.model.clone();
        let material = classifier::Material {
            said: self.said(),
            calls: self.earlier_calls(&call),
            call,
        };
        let asked = classifier::ask(&chosen, &material);
        let opinion = match tokio::time::timeout(chosen.patience, asked).await {
            Ok(opinion) => opinion,
            Err(_) => Opinion::ask(format!(
                "it did not answer within {}",
                seconds(chosen.patience)
            )),
        };
        (by, opinion)
    }

    /// What the person themselves said. Not the conversation: results of calls are in that.
    fn said(&self) -> Vec<String> {
        self.state.read(|snapshot| {
            snapshot
                .items
                .iter()
                .filter_map(|item| match &item.body {
                    ItemBody::User { text, .. } => Some(text.clone()),
                    _ => None,
                })
                .collect()
        })
    }

    fn earlier_calls(&self, call: &ToClassify) -> Vec<String> {
        let mut calls = self.calls.lock().unwrap_or_else(PoisonError::into_inner);
        let earlier = calls.iter().cloned().collect();
        calls.push_back(format!("{}: {}", call.tool, call.input));
        if calls.len() > MOST_CALLS {
            calls.pop_front();
        }
        earlier
    }

    /// Every third block in a row asks instead.
    fn count(&self, opinion: Opinion) -> Opinion {
        if opinion.verdict != ClassifierVerdict::Block {
            self.blocks.store(0, Ordering::Relaxed);
            return opinion;
        }
        if self.blocks.fetch_add(1, Ordering::Relaxed) + 1 < MOST_BLOCKS {
            return opinion;
        }
        self.blocks.store(0, Ordering::Relaxed);
        Opinion::ask(format!(
            "it would block this, the third call in a row, because {}",
            opinion.reason
        ))
    }
}

impl Classifier for AutoMode {
    fn classify(&self, call: ToClassify) -> BoxFuture<'_, ClassifierRecord> {
        async move {
            let began = Instant::now();
            let (by, opinion) = self.decide(call).await;
            let Opinion { verdict, reason } = self.count(opinion);
            ClassifierRecord {
                by,
                verdict,
                reason,
                took_ms: u64::try_from(began.elapsed().as_millis()).unwrap_or(u64::MAX),
            }
        }
        .boxed()
    }
}

fn seconds(time: Duration) -> String {
    format!("{} s", time.as_secs())
}
