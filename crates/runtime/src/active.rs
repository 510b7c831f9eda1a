//! A running call: answered exactly once, progress only before the answer.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError, Weak};
use std::time::{Duration, Instant};

use mainstay_contract::{CancelToken, Progress, ProgressSink, ToolDef};

use crate::recent::Asker;
use crate::request::{Outcome, Step, StepSink};
use crate::timer::{Timer, TimerKey};

/// At most four steps a second reach a client.
const STEP_INTERVAL: Duration = Duration::from_millis(250);

pub type Done = Box<dyn FnOnce(Outcome) + Send>;

struct State {
    done: Option<Done>,
    steps: Option<StepSink>,
    value: f64,
    sent: Option<Instant>,
    /// The newest step that has not been sent.
    pending: Option<Progress>,
    flush: Option<TimerKey>,
    deadline: Option<TimerKey>,
}

pub struct Active {
    pub tool: Arc<ToolDef>,
    pub asker: Asker,
    pub token: CancelToken,
    pub started: Instant,
    timer: Timer,
    state: Mutex<State>,
}

impl Active {
    pub fn new(
        tool: Arc<ToolDef>,
        asker: Asker,
        token: CancelToken,
        timer: Timer,
        steps: Option<StepSink>,
        done: Done,
    ) -> Active {
        Active {
            tool,
            asker,
            token,
            started: Instant::now(),
            timer,
            state: Mutex::new(State {
                done: Some(done),
                steps,
                value: 0.0,
                sent: None,
                pending: None,
                flush: None,
                deadline: None,
            }),
        }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub fn is_answered(&self) -> bool {
        self.lock().done.is_none()
    }

    /// Arms the deadline, replacing an earlier one.
    pub fn set_deadline(&self, after: Duration, action: impl FnOnce() + Send + 'static) {
        let mut state = self.lock();
        if let Some(old) = state.deadline.take() {
            self.timer.withdraw(old);
        }
        if state.done.is_some() {
            state.deadline = Some(self.timer.at(Instant::now() + after, action));
        }
    }

    /// Answers the call unless it has been answered; `outcome` is made only then.
    pub fn answer(&self, outcome: impl FnOnce() -> Outcome) -> bool {
        let done = {
            let mut state = self.lock();
            let Some(done) = state.done.take() else { return false };
            for key in [state.flush.take(), state.deadline.take()].into_iter().flatten() {
                self.timer.withdraw(key);
            }
            state.steps = None;
            state.pending = None;
            done
        };
        done(outcome());
        true
    }

    fn report(self: &Arc<Self>, progress: Progress) {
        let mut state = self.lock();
        if state.steps.is_some() {
            state.pending = Some(progress);
            self.send_when_due(&mut state);
        }
    }

    /// Sends the newest step now if its time has come, else once it has.
    fn send_when_due(self: &Arc<Self>, state: &mut State) {
        if self.token.is_cancelled() {
            state.pending = None;
        }
        let now = Instant::now();
        match state.sent.map(|sent| sent + STEP_INTERVAL) {
            Some(due) if due > now => {
                if state.pending.is_some() && state.flush.is_none() {
                    let call: Weak<Active> = Arc::downgrade(self);
                    state.flush = Some(self.timer.at(due, move || {
                        if let Some(call) = call.upgrade() {
                            let mut state = call.lock();
                            state.flush = None;
                            call.send_when_due(&mut state);
                        }
                    }));
                }
            }
            _ => {
                if let Some(progress) = state.pending.take() {
                    self.send(state, progress, now);
                }
            }
        }
    }

    /// Sends while the lock is held, so that no step can follow the answer.
    fn send(&self, state: &mut State, progress: Progress, now: Instant) {
        state.sent = Some(now);
        let total = progress.total.map(|total| total as f64);
        // The value must grow even when the work reports the same count twice.
        let counted = progress.done.map(|done| done as f64).filter(|done| *done > state.value);
        state.value = counted.unwrap_or(match progress.done {
            Some(_) => state.value + 0.001,
            None => state.value.floor() + 1.0,
        });
        let step = Step { value: state.value, total: total.filter(|total| *total >= state.value), progress };
        if let Some(steps) = &state.steps {
            steps(&self.tool, step);
        }
    }
}

/// The progress sink handed to the tool.
pub struct Reporter(pub Arc<Active>);

impl ProgressSink for Reporter {
    fn report(&self, progress: Progress) {
        self.0.report(progress);
    }
}
