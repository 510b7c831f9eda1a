//! News that clients may subscribe to: lists that changed, resources that were updated.

use tokio::sync::broadcast;

/// News kept for a subscriber that is slow to read; older ones are dropped.
const BACKLOG: usize = 64;

/// One piece of news.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Change {
    Tools,
    Prompts,
    Resources,
    Resource(String),
}

/// Passes news from whoever changes something to every subscribed client.
#[derive(Debug, Clone)]
pub struct Changes(broadcast::Sender<Change>);

impl Default for Changes {
    fn default() -> Self {
        Changes(broadcast::Sender::new(BACKLOG))
    }
}

impl Changes {
    /// Tells every subscriber; nobody listening is fine.
    pub fn announce(&self, change: Change) {
        let _ = self.0.send(change);
    }

    pub(crate) fn subscribe(&self) -> broadcast::Receiver<Change> {
        self.0.subscribe()
    }
}
