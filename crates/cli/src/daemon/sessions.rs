//! The clients a daemon serves at the moment.

use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use jiff::Timestamp;
use mainstay_server::stdio::{End, Stopper};
use serde_json::{Value, json};

struct One {
    pid: Option<i32>,
    folder: PathBuf,
    since: Timestamp,
    stopper: Stopper,
}

#[derive(Default)]
struct State {
    now: BTreeMap<u64, One>,
    ever: u64,
    closed: bool,
}

/// Cheap to clone.
#[derive(Clone)]
pub struct Sessions {
    state: Arc<(Mutex<State>, Condvar)>,
    max: usize,
}

/// One place among the sessions, given back when it is dropped.
pub struct Seat {
    sessions: Sessions,
    number: u64,
}

impl Sessions {
    pub fn new(max: usize) -> Sessions {
        Sessions { state: Arc::default(), max }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Takes a place; none is left when too many clients are served or the daemon ends.
    pub fn enter(&self, pid: Option<i32>, folder: PathBuf, stopper: Stopper) -> Option<Seat> {
        let mut state = self.lock();
        if state.closed || state.now.len() >= self.max {
            return None;
        }
        state.ever += 1;
        let number = state.ever;
        state.now.insert(number, One { pid, folder, since: Timestamp::now(), stopper });
        Some(Seat { sessions: self.clone(), number })
    }

    /// Ends every session and waits until they have cleaned up.
    pub fn close(&self, wait: Duration) {
        let mut state = self.lock();
        state.closed = true;
        state.now.values().for_each(|one| one.stopper.stop(End::Stopped));
        let (state, _) = self
            .state
            .1
            .wait_timeout_while(state, wait, |state| !state.now.is_empty())
            .unwrap_or_else(PoisonError::into_inner);
        drop(state);
    }

    /// Who is served, and how many were.
    pub fn report(&self) -> Value {
        let state = self.lock();
        let rows: Vec<Value> = state
            .now
            .values()
            .map(|one| json!({ "pid": one.pid, "folder": one.folder, "since": one.since.to_string() }))
            .collect();
        json!({ "now": rows, "ever": state.ever, "max": self.max })
    }
}

impl Drop for Seat {
    fn drop(&mut self) {
        self.sessions.lock().now.remove(&self.number);
        self.sessions.state.1.notify_all();
    }
}
