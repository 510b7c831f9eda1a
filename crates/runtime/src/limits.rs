//! Rate and concurrency per tool.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use mainstay_contract::{ErrorCode, Fault, FaultResult, ToolDef};

#[derive(Default)]
struct Use {
    running: u32,
    /// Tokens left and when they were counted; absent until the first call.
    bucket: Option<(f64, Instant)>,
}

/// How often and how many times at once each limited tool is in use.
#[derive(Default)]
pub struct Usage {
    tools: Mutex<HashMap<String, Use>>,
}

/// A place among the concurrent calls of one tool; freed on drop.
pub struct Place {
    usage: Arc<Usage>,
    tool: Option<String>,
}

impl Usage {
    /// Takes a rate token and a place, or says when to come back.
    pub fn enter(self: &Arc<Self>, def: &ToolDef, now: Instant) -> FaultResult<Place> {
        let policy = &def.policy;
        if policy.rate_per_minute.is_none() && policy.concurrency.is_none() {
            return Ok(Place { usage: Arc::clone(self), tool: None });
        }
        let mut tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        let entry = tools.entry(def.id.clone()).or_default();
        if let Some(rate) = policy.rate_per_minute {
            let per_second = f64::from(rate) / 60.0;
            let (left, counted) = entry.bucket.unwrap_or((f64::from(rate), now));
            let refilled = left + now.saturating_duration_since(counted).as_secs_f64() * per_second;
            let left = refilled.min(f64::from(rate));
            if left < 1.0 {
                entry.bucket = Some((left, now));
                let wait = Duration::from_secs_f64((1.0 - left) / per_second.max(f64::MIN_POSITIVE));
                let message = format!("{} may be called {rate} times a minute", def.id);
                return Err(refusal(ErrorCode::RateLimit, message, def, wait));
            }
            entry.bucket = Some((left - 1.0, now));
        }
        if let Some(limit) = policy.concurrency
            && entry.running >= limit
        {
            let message = format!("{} is already running {limit} time(s)", def.id);
            return Err(refusal(ErrorCode::Concurrency, message, def, Duration::from_millis(250)));
        }
        entry.running += 1;
        Ok(Place { usage: Arc::clone(self), tool: Some(def.id.clone()) })
    }
}

fn refusal(code: ErrorCode, message: String, def: &ToolDef, wait: Duration) -> Fault {
    let wait_ms = u64::try_from(wait.as_millis()).unwrap_or(u64::MAX).max(1);
    Fault::new(code, message)
        .detail("tool", def.id.as_str())
        .detail("retryAfterMs", wait_ms)
        .hint(format!("retry in {wait_ms} ms"))
}

impl Drop for Place {
    fn drop(&mut self) {
        if let Some(tool) = &self.tool {
            let mut tools = self.usage.tools.lock().unwrap_or_else(PoisonError::into_inner);
            if let Some(entry) = tools.get_mut(tool) {
                entry.running = entry.running.saturating_sub(1);
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use mainstay_contract::{Policy, Toolset};

    use super::*;

    #[test]
    fn a_rate_refills_over_time_and_says_when() {
        let def = ToolDef::new("t", Toolset::Foundry).policy(Policy::interactive().rate_per_minute(2));
        let usage = Arc::new(Usage::default());
        let start = Instant::now();
        assert!(usage.enter(&def, start).is_ok());
        assert!(usage.enter(&def, start).is_ok());
        let refused = usage.enter(&def, start).err().unwrap();
        assert_eq!(refused.code, ErrorCode::RateLimit);
        assert_eq!(refused.details["retryAfterMs"], 30_000);
        assert!(usage.enter(&def, start + Duration::from_millis(30_001)).is_ok());
    }

    #[test]
    fn a_place_is_freed_when_the_call_ends() {
        let def = ToolDef::new("t", Toolset::Foundry).policy(Policy::interactive().concurrency(1));
        let usage = Arc::new(Usage::default());
        let place = usage.enter(&def, Instant::now()).ok().unwrap();
        assert_eq!(usage.enter(&def, Instant::now()).err().unwrap().code, ErrorCode::Concurrency);
        drop(place);
        assert!(usage.enter(&def, Instant::now()).is_ok());
    }
}
