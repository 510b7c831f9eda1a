//! The calls of one client that are under way, by the text of their id.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use mainstay_contract::StopReason;
use mainstay_runtime::CallHandle;

/// Cheap to clone; shared with the callbacks that answer.
#[derive(Clone, Default)]
pub struct Calls(Arc<Mutex<HashMap<String, CallHandle>>>);

impl Calls {
    fn lock(&self) -> MutexGuard<'_, HashMap<String, CallHandle>> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn contains(&self, key: &str) -> bool {
        self.lock().contains_key(key)
    }

    /// Remembers a call unless it has been answered already.
    pub fn insert(&self, key: String, handle: CallHandle) {
        if handle.is_finished() {
            return;
        }
        let mut calls = self.lock();
        calls.insert(key.clone(), handle);
        // Answered between the check and the insertion: its callback found nothing to remove.
        if calls.get(&key).is_some_and(CallHandle::is_finished) {
            calls.remove(&key);
        }
    }

    pub fn remove(&self, key: &str) {
        self.lock().remove(key);
    }

    /// Stops a call; an unknown key is ignored.
    pub fn cancel(&self, key: &str) {
        let handle = self.lock().remove(key);
        if let Some(handle) = handle {
            handle.cancel(StopReason::Cancelled);
        }
    }
}
