//! How often a program may run, counted over all its tools.

use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::{Duration, Instant};

use mainstay_contract::{ErrorCode, Fault};

use crate::config::Limits;

/// Counts the runs of one program.
#[derive(Debug)]
pub struct Gate {
    limits: Limits,
    state: Mutex<State>,
}

#[derive(Debug)]
struct State {
    running: u32,
    /// A token bucket as large as a minute's allowance.
    tokens: f64,
    filled: Option<Instant>,
}

/// A run under way; dropping it makes room.
#[derive(Debug)]
pub struct Permit<'a>(&'a Gate);

impl Gate {
    pub fn new(limits: Limits) -> Gate {
        let tokens = limits.rate_per_minute.map_or(0.0, f64::from);
        Gate { limits, state: Mutex::new(State { running: 0, tokens, filled: None }) }
    }

    /// Admits one run of `program`, or says when to try again.
    pub fn enter(&self, program: &str, now: Instant) -> Result<Permit<'_>, Fault> {
        let mut state = self.lock();
        if let Some(most) = self.limits.concurrency
            && state.running >= most
        {
            let message = format!("{program} is already running {most} times, as often as allowed");
            return Err(Fault::new(ErrorCode::Concurrency, message).detail("retryAfterMs", 1_000));
        }
        if let Some(rate) = self.limits.rate_per_minute {
            let wait = state.take_token(rate, now);
            if !wait.is_zero() {
                let message = format!("{program} may be called {rate} times a minute");
                let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
                return Err(Fault::new(ErrorCode::RateLimit, message).detail("retryAfterMs", wait_ms));
            }
        }
        state.running += 1;
        Ok(Permit(self))
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl State {
    fn take_token(&mut self, rate: u32, now: Instant) -> Duration {
        let rate = f64::from(rate);
        let since = self.filled.map_or(Duration::ZERO, |filled| now.saturating_duration_since(filled));
        self.tokens = (self.tokens + since.as_secs_f64() * rate / 60.0).min(rate);
        self.filled = Some(now);
        if self.tokens >= 1.0 {
            self.tokens -= 1.0;
            return Duration::ZERO;
        }
        Duration::from_secs_f64((1.0 - self.tokens) * 60.0 / rate)
    }
}

impl Drop for Permit<'_> {
    fn drop(&mut self) {
        self.0.lock().running -= 1;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn concurrency_is_counted_until_the_run_is_over() {
        let gate = Gate::new(Limits { concurrency: Some(1), rate_per_minute: None });
        let first = gate.enter("p", Instant::now()).unwrap();
        assert_eq!(gate.enter("p", Instant::now()).unwrap_err().code, ErrorCode::Concurrency);
        drop(first);
        assert!(gate.enter("p", Instant::now()).is_ok());
    }

    #[test]
    fn the_rate_refills_with_time() {
        let gate = Gate::new(Limits { concurrency: None, rate_per_minute: Some(2) });
        let now = Instant::now();
        assert!(gate.enter("p", now).is_ok() && gate.enter("p", now).is_ok());
        let refused = gate.enter("p", now).unwrap_err();
        assert_eq!(
            (refused.code, refused.details["retryAfterMs"].as_u64()),
            (ErrorCode::RateLimit, Some(30_000))
        );
        assert!(gate.enter("p", now + Duration::from_secs(31)).is_ok());
    }
}
