//! The last calls: who called what through which surface, and how it ended. Never what was said.

use std::collections::VecDeque;

use jiff::Timestamp;
use serde::{Serialize, Serializer};

/// Calls kept; older ones are forgotten.
pub const RECENT_CALLS: usize = 1_000;
/// Names of callers are their own words, so they are cut.
const CALLER_CHARS: usize = 80;

/// A call that ended. Arguments and results are not part of it.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Ended {
    /// Grows by one with every call.
    pub number: u64,
    #[serde(serialize_with = "as_text")]
    pub at: Timestamp,
    /// Absent when nobody defined a tool of that name.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub tool: Option<String>,
    pub surface: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub caller: Option<String>,
    /// The error code of a failed call.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub code: Option<&'static str>,
    /// Refused before it ran because the caller may not make it.
    pub is_denied: bool,
    pub micros: u64,
    pub answer_bytes: u64,
    /// Zero unless answers are counted.
    pub answer_tokens: u64,
}

fn as_text<S: Serializer>(at: &Timestamp, serializer: S) -> Result<S::Ok, S::Error> {
    serializer.collect_str(&format_args!("{at:.3}"))
}

/// Who asked, for the log.
#[derive(Debug, Clone, Default)]
pub(crate) struct Asker {
    pub surface: &'static str,
    pub caller: Option<String>,
}

impl Asker {
    pub fn new(surface: &'static str, caller: Option<&str>) -> Asker {
        Asker { surface, caller: caller.map(|name| name.chars().take(CALLER_CHARS).collect()) }
    }
}

/// A ring of the last calls.
#[derive(Default)]
pub(crate) struct Recent {
    calls: VecDeque<Ended>,
    last: u64,
}

impl Recent {
    pub fn push(&mut self, call: Ended) {
        self.last += 1;
        if self.calls.len() == RECENT_CALLS {
            self.calls.pop_front();
        }
        self.calls.push_back(Ended { number: self.last, ..call });
    }

    /// The calls after number `after`, newest first, at most `limit`.
    pub fn after(&self, after: u64, limit: usize) -> Vec<Ended> {
        self.calls.iter().rev().take_while(|call| call.number > after).take(limit).cloned().collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_ring_forgets_the_oldest_and_counts_on() {
        let mut recent = Recent::default();
        for _ in 0..RECENT_CALLS + 5 {
            recent.push(Ended::default());
        }
        let all = recent.after(0, usize::MAX);
        assert_eq!((all.len(), all[0].number), (RECENT_CALLS, RECENT_CALLS as u64 + 5));
        assert_eq!(recent.after(RECENT_CALLS as u64 + 3, 10).len(), 2);
    }
}
