//! Whose task is whose: a task is there only for the caller, and in the session, that started it.

use std::collections::HashMap;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use axum::http::request::Parts;
use mainstay_contract::Caller;
use rmcp::RoleServer;
use rmcp::service::RequestContext;

use super::SESSION_ID;
use super::client::lock;

/// Who may look at a task.
#[derive(Debug, Clone, Default, PartialEq, Eq)]
pub struct Owner {
    /// Whose token it was; nobody's where none is needed.
    caller: Option<String>,
    /// The session of the older era.
    session: Option<String>,
}

impl Owner {
    /// Whoever sent a request.
    pub fn of(context: &RequestContext<RoleServer>) -> Owner {
        let Some(parts) = context.extensions.get::<Parts>() else { return Owner::default() };
        let session = parts.headers.get(SESSION_ID).and_then(|id| id.to_str().ok());
        Owner {
            caller: parts.extensions.get::<Caller>().and_then(|caller| caller.name.clone()),
            session: session.map(str::to_owned),
        }
    }
}

/// The owners of tasks, for as long as those are kept.
#[derive(Default)]
pub struct Owners(Mutex<HashMap<String, (Owner, Instant)>>);

impl Owners {
    /// Notes whose task it is; the note may be forgotten after a time.
    pub fn add(&self, task: &str, owner: Owner, kept: Duration) {
        let now = Instant::now();
        let mut owners = lock(&self.0);
        owners.retain(|_, (_, until)| *until > now);
        owners.insert(task.to_owned(), (owner, now + kept));
    }

    pub fn owns(&self, task: &str, owner: &Owner) -> bool {
        lock(&self.0).get(task).is_some_and(|(known, _)| known == owner)
    }
}
