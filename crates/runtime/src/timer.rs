//! One thread that runs short actions at given moments.

use std::collections::BTreeMap;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Instant;

type Action = Box<dyn FnOnce() + Send>;

/// Names a scheduled action, so that it can be withdrawn.
pub type TimerKey = (Instant, u64);

#[derive(Default)]
struct Plan {
    actions: BTreeMap<TimerKey, Action>,
    next: u64,
    running: bool,
}

#[derive(Default)]
struct Shared {
    plan: Mutex<Plan>,
    changed: Condvar,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, Plan> {
        self.plan.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// Starts its thread with the first action; the thread ends when nothing is planned.
#[derive(Clone, Default)]
pub struct Timer(Arc<Shared>);

impl Timer {
    pub fn at(&self, when: Instant, action: impl FnOnce() + Send + 'static) -> TimerKey {
        let mut plan = self.0.lock();
        let key = (when, plan.next);
        plan.next += 1;
        plan.actions.insert(key, Box::new(action));
        if plan.running {
            if plan.actions.keys().next() == Some(&key) {
                self.0.changed.notify_one();
            }
            return key;
        }
        let shared = Arc::clone(&self.0);
        let thread = std::thread::Builder::new().name("timer".into()).spawn(move || run(&shared));
        plan.running = thread.is_ok();
        if let Err(error) = thread {
            tracing::error!(%error, "no thread for timers: calls run without deadlines");
        }
        key
    }

    /// Plans nothing any more, so that the thread ends soon.
    pub fn clear(&self) {
        self.0.lock().actions.clear();
        self.0.changed.notify_one();
    }

    pub fn withdraw(&self, key: TimerKey) {
        self.0.lock().actions.remove(&key);
    }
}

fn run(shared: &Shared) {
    let mut plan = shared.lock();
    loop {
        let Some(&key) = plan.actions.keys().next() else {
            // Stay a moment for the next action, then let the thread go.
            let (next, timeout) = shared
                .changed
                .wait_timeout(plan, std::time::Duration::from_secs(5))
                .unwrap_or_else(PoisonError::into_inner);
            plan = next;
            if timeout.timed_out() && plan.actions.is_empty() {
                plan.running = false;
                return;
            }
            continue;
        };
        let wait = key.0.saturating_duration_since(Instant::now());
        if wait.is_zero() {
            if let Some(action) = plan.actions.remove(&key) {
                drop(plan);
                action();
                plan = shared.lock();
            }
        } else {
            plan = shared.changed.wait_timeout(plan, wait).unwrap_or_else(PoisonError::into_inner).0;
        }
    }
}
