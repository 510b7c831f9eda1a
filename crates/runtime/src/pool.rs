//! Worker threads, started as they are needed and ended when idle.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

type Job = Box<dyn FnOnce() + Send>;

/// How long an idle worker stays.
const IDLE: Duration = Duration::from_secs(5);

#[derive(Default)]
struct State {
    jobs: VecDeque<Job>,
    idle: usize,
    threads: usize,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    max_threads: usize,
}

impl Shared {
    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

/// A bounded number of threads over one queue. The queue's bound is kept by the runtime, which
/// counts calls until they are answered.
#[derive(Clone)]
pub struct Pool(Arc<Shared>);

impl Pool {
    pub fn new(max_threads: usize) -> Pool {
        Pool(Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            max_threads: max_threads.max(1),
        }))
    }

    /// Queues a job; fails only when the system gives us no thread at all.
    pub fn submit(&self, job: impl FnOnce() + Send + 'static) -> std::io::Result<()> {
        let mut state = self.0.lock();
        state.jobs.push_back(Box::new(job));
        if state.idle >= state.jobs.len() || state.threads >= self.0.max_threads {
            self.0.changed.notify_one();
            return Ok(());
        }
        let shared = Arc::clone(&self.0);
        match std::thread::Builder::new().name("worker".into()).spawn(move || work(&shared)) {
            Ok(_) => state.threads += 1,
            Err(error) if state.threads == 0 => {
                state.jobs.pop_back();
                return Err(error);
            }
            Err(error) => tracing::warn!(%error, "could not start another worker"),
        }
        Ok(())
    }
}

fn work(shared: &Shared) {
    let mut state = shared.lock();
    loop {
        if let Some(job) = state.jobs.pop_front() {
            drop(state);
            job();
            state = shared.lock();
            continue;
        }
        state.idle += 1;
        let (next, timeout) =
            shared.changed.wait_timeout(state, IDLE).unwrap_or_else(PoisonError::into_inner);
        state = next;
        state.idle -= 1;
        if timeout.timed_out() && state.jobs.is_empty() {
            state.threads -= 1;
            return;
        }
    }
}
