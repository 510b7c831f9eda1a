//! Cancellation: a token passed down to whoever does the work.

use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU8, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use crate::{ErrorCode, Fault};

/// Why a call must stop.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
#[repr(u8)]
pub enum StopReason {
    Cancelled = 1,
    Timeout = 2,
    Disconnected = 3,
    Shutdown = 4,
}

type Hook = Box<dyn FnOnce() + Send>;

#[derive(Default)]
struct Hooks {
    next: u64,
    waiting: BTreeMap<u64, Hook>,
}

#[derive(Default)]
struct Inner {
    reason: AtomicU8,
    hooks: Mutex<Hooks>,
    changed: Condvar,
}

impl Inner {
    fn lock(&self) -> MutexGuard<'_, Hooks> {
        // Hooks run outside the lock, so a poisoned lock still holds a consistent map.
        self.hooks.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A flag that can be set once, polled, waited for and hooked.
#[derive(Clone, Default)]
pub struct CancelToken(Arc<Inner>);

impl CancelToken {
    pub fn new() -> CancelToken {
        CancelToken::default()
    }

    /// Asks the work to stop. The first reason stays; returns whether it was this one.
    pub fn cancel(&self, reason: StopReason) -> bool {
        let hooks = {
            let mut hooks = self.0.lock();
            if self.0.reason.compare_exchange(0, reason as u8, Ordering::AcqRel, Ordering::Acquire).is_err() {
                return false;
            }
            std::mem::take(&mut hooks.waiting)
        };
        self.0.changed.notify_all();
        for hook in hooks.into_values() {
            hook();
        }
        true
    }

    pub fn is_cancelled(&self) -> bool {
        self.0.reason.load(Ordering::Acquire) != 0
    }

    pub fn reason(&self) -> Option<StopReason> {
        match self.0.reason.load(Ordering::Acquire) {
            1 => Some(StopReason::Cancelled),
            2 => Some(StopReason::Timeout),
            3 => Some(StopReason::Disconnected),
            4 => Some(StopReason::Shutdown),
            _ => None,
        }
    }

    /// Fails with `CANCELLED` once the token is set; long loops call it per item.
    pub fn check(&self) -> Result<(), Fault> {
        match self.is_cancelled() {
            true => Err(Fault::new(ErrorCode::Cancelled, "the call was cancelled")),
            false => Ok(()),
        }
    }

    /// Runs `hook` when the token is set, at once if it already is. Dropping the guard forgets the hook.
    pub fn on_cancel(&self, hook: impl FnOnce() + Send + 'static) -> CancelGuard {
        let mut hooks = self.0.lock();
        if self.is_cancelled() {
            drop(hooks);
            hook();
            return CancelGuard { token: self.clone(), key: None };
        }
        let key = hooks.next;
        hooks.next += 1;
        hooks.waiting.insert(key, Box::new(hook));
        CancelGuard { token: self.clone(), key: Some(key) }
    }

    /// Waits until the token is set or the time is over; returns whether it is set.
    pub fn wait_timeout(&self, timeout: Duration) -> bool {
        let end = Instant::now() + timeout;
        let mut hooks = self.0.lock();
        while !self.is_cancelled() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            hooks = self.0.changed.wait_timeout(hooks, left).map_or_else(|e| e.into_inner().0, |r| r.0);
        }
        true
    }
}

/// Keeps a hook of [`CancelToken::on_cancel`] registered.
pub struct CancelGuard {
    token: CancelToken,
    key: Option<u64>,
}

impl Drop for CancelGuard {
    fn drop(&mut self) {
        if let Some(key) = self.key {
            self.token.0.lock().waiting.remove(&key);
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;

    use super::*;

    #[test]
    fn first_reason_stays_and_hooks_run_once() {
        let token = CancelToken::new();
        let ran = Arc::new(AtomicUsize::new(0));
        let count = |ran: &Arc<AtomicUsize>| {
            let ran = Arc::clone(ran);
            move || {
                ran.fetch_add(1, Ordering::SeqCst);
            }
        };
        let kept = token.on_cancel(count(&ran));
        drop(token.on_cancel(count(&ran)));
        assert!(token.cancel(StopReason::Timeout));
        assert!(!token.cancel(StopReason::Cancelled));
        assert_eq!(token.reason(), Some(StopReason::Timeout));
        let _late = token.on_cancel(count(&ran));
        assert_eq!(ran.load(Ordering::SeqCst), 2, "the kept hook and the late one");
        drop(kept);
        assert!(token.check().is_err());
    }

    #[test]
    fn waiting_ends_when_the_token_is_set() {
        let token = CancelToken::new();
        let other = token.clone();
        let waiter = std::thread::spawn(move || other.wait_timeout(Duration::from_secs(30)));
        token.cancel(StopReason::Cancelled);
        assert!(waiter.join().unwrap());
        assert!(!CancelToken::new().wait_timeout(Duration::from_millis(1)));
    }
}
