//! Passing changes on to the clients that subscribed to them.

use rmcp::RoleServer;
use rmcp::model::ResourceUpdatedNotificationParam;
use rmcp::service::{Peer, SubscriptionContext};
use tokio::sync::broadcast::Receiver;
use tokio::sync::broadcast::error::RecvError;

use crate::changes::Change;

/// The next change; a subscriber that was too slow goes on with the newest ones.
async fn next(changes: &mut Receiver<Change>) -> Option<Change> {
    loop {
        match changes.recv().await {
            Ok(change) => return Some(change),
            Err(RecvError::Lagged(_)) => {}
            Err(RecvError::Closed) => return None,
        }
    }
}

/// Serves one `subscriptions/listen` request until it is cancelled.
pub async fn listen(mut changes: Receiver<Change>, subscription: SubscriptionContext) {
    let sink = subscription.sink();
    loop {
        let change = tokio::select! {
            () = subscription.cancelled() => return,
            change = next(&mut changes) => change,
        };
        let sent = match change {
            Some(Change::Tools) => sink.notify_tool_list_changed().await,
            Some(Change::Prompts) => sink.notify_prompt_list_changed().await,
            Some(Change::Resources) => sink.notify_resource_list_changed().await,
            Some(Change::Resource(uri)) => sink.notify_resource_updated(uri).await,
            None => return,
        };
        // Most changes are not in the filter of this subscription, which the sink enforces.
        if let Err(error) = sent {
            tracing::trace!(%error, "a change was not sent");
        }
    }
}

/// Tells a session of the older era about changes until its connection ends.
pub async fn tell(mut changes: Receiver<Change>, peer: Peer<RoleServer>, watches: impl Fn(&str) -> bool) {
    while let Some(change) = next(&mut changes).await {
        let sent = match change {
            Change::Tools => peer.notify_tool_list_changed().await,
            Change::Prompts => peer.notify_prompt_list_changed().await,
            Change::Resources => peer.notify_resource_list_changed().await,
            Change::Resource(uri) if watches(&uri) => {
                peer.notify_resource_updated(ResourceUpdatedNotificationParam::new(uri)).await
            }
            Change::Resource(_) => Ok(()),
        };
        if sent.is_err() {
            return;
        }
    }
}
