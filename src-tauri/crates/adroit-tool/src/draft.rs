//! What a person may change of a call before they approve it.

use std::fmt;
use std::sync::Arc;

use adroit_protocol::permission::{DraftChange, DraftOffer};
use adroit_protocol::view::View;
use serde_json::Value;

/// A call as it is shown for a decision, with what may be changed of it.
pub struct Drafted {
    /// The call as the person sees it.
    pub view: View,
    /// Makes the input that a change amounts to.
    pub draft: Arc<dyn Draft>,
}

/// What may be changed of one call. Made when the question is asked, from what was there then:
/// the same text that the view was made from, so that a change is of what was seen.
///
/// Pure: reads no file. What has changed on disk since is found by the call itself.
pub trait Draft: Send + Sync + fmt::Debug {
    /// What may be changed.
    fn offer(&self) -> DraftOffer;

    /// The text to edit, without the places of the diff that are named.
    ///
    /// # Errors
    /// There is no such text, or no such place.
    fn text(&self, rejected: &[u32]) -> Result<String, DraftError>;

    /// The call that a change amounts to.
    ///
    /// # Errors
    /// The change cannot be applied exactly as it is shown.
    fn change(&self, change: &DraftChange) -> Result<Redrafted, DraftError>;
}

/// A call with a person's change.
#[derive(Clone, Debug, PartialEq)]
pub struct Redrafted {
    /// The input that does exactly what `view` shows.
    pub input: Value,
    /// The call as it would run.
    pub view: View,
    /// What the model is told: the difference between its proposal and this. None where it is no
    /// change of the proposal but an answer to it, which the result of the call tells.
    pub told: Option<String>,
}

/// A change cannot be applied. For the person.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum DraftError {
    /// The text is that of the proposal.
    #[error("this is what was proposed; nothing is changed")]
    Unchanged,
    /// Nothing of the proposal is left.
    #[error("nothing of the proposal is left: deny it instead")]
    NothingLeft,
    /// It names a place that the diff does not have, or offers no choice of places.
    #[error("the diff has no such place to leave out")]
    NoSuchPlace,
    /// The text cannot be edited here.
    #[error("this text cannot be edited here")]
    NoText,
    /// The call asks nothing that could be answered.
    #[error("this call is no question")]
    NoQuestion,
    /// The tool cannot do exactly this.
    #[error("{0}")]
    Unfit(String),
}
