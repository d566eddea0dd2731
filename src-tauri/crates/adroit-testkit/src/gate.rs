//! A point that a scripted answer does not pass before the test says so.

use tokio::sync::watch;

/// Closed until [`Gate::open`]. Clones are the same gate.
#[derive(Clone, Debug)]
pub struct Gate {
    opened: watch::Sender<bool>,
    reached: watch::Sender<bool>,
}

impl Default for Gate {
    fn default() -> Self {
        Self::new()
    }
}

impl Gate {
    /// A closed gate.
    #[must_use]
    pub fn new() -> Self {
        Self {
            opened: watch::Sender::new(false),
            reached: watch::Sender::new(false),
        }
    }

    /// Lets everything through, now and later.
    pub fn open(&self) {
        self.opened.send_replace(true);
    }

    /// Whether it is open.
    #[must_use]
    pub fn is_open(&self) -> bool {
        *self.opened.borrow()
    }

    /// Returns once something waits at the gate (or has passed it): everything that is
    /// scripted before the gate was sent.
    pub async fn reached(&self) {
        wait_for(&self.reached).await;
    }

    /// Waits at the gate. The server calls this; a test's own barrier may, too.
    pub async fn pass(&self) {
        self.reached.send_replace(true);
        wait_for(&self.opened).await;
    }
}

async fn wait_for(state: &watch::Sender<bool>) {
    // The sender lives as long as `state`, so the only way to return is the value.
    let _ = state.subscribe().wait_for(|value| *value).await;
}

#[cfg(test)]
mod tests {
    use super::*;

    #[tokio::test]
    async fn nothing_passes_a_closed_gate() {
        let gate = Gate::new();
        let waiting = tokio::spawn({
            let gate = gate.clone();
            async move { gate.pass().await }
        });
        gate.reached().await;
        tokio::task::yield_now().await;
        assert!(!waiting.is_finished());
        gate.open();
        waiting.await.unwrap();
        gate.pass().await;
    }
}
