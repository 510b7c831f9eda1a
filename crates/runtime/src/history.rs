//! What happened minute by minute, in a fixed amount of memory.

use std::collections::{BTreeMap, VecDeque};

use jiff::Timestamp;
use serde::Serialize;

use crate::recent::Ended;

/// Minutes kept; older ones are forgotten.
pub const MINUTES: usize = 180;
/// Sixteen exact steps, then eight per power of two: a quantile is at most an eighth off, up to 19 hours.
const STEPS: usize = 16 + 8 * 32;

/// One minute in which calls ended.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct Minute {
    /// Start, in seconds since 1970.
    pub start: i64,
    pub calls: u64,
    /// Failures by code.
    pub errors: BTreeMap<&'static str, u64>,
    /// Calls refused before they ran because nobody may make them.
    pub denied: u64,
    pub answer_bytes: u64,
    /// Zero unless answers are counted.
    pub answer_tokens: u64,
    pub median_micros: u64,
    pub p95_micros: u64,
    pub max_micros: u64,
}

struct Bucket {
    minute: Minute,
    steps: [u32; STEPS],
}

/// The last minutes that had calls.
#[derive(Default)]
pub(crate) struct History {
    buckets: VecDeque<Bucket>,
}

impl History {
    pub fn record(&mut self, call: &Ended) {
        let start = call.at.as_second().div_euclid(60) * 60;
        // A clock that is set back writes into the newest minute rather than out of order.
        if self.buckets.back().is_none_or(|last| last.minute.start < start) {
            self.buckets
                .push_back(Bucket { minute: Minute { start, ..Minute::default() }, steps: [0; STEPS] });
        }
        let Some(bucket) = self.buckets.back_mut() else { return };
        let minute = &mut bucket.minute;
        minute.calls += 1;
        minute.answer_bytes += call.answer_bytes;
        minute.answer_tokens += call.answer_tokens;
        minute.max_micros = minute.max_micros.max(call.micros);
        minute.denied += u64::from(call.is_denied);
        if let Some(code) = call.code {
            *minute.errors.entry(code).or_default() += 1;
        }
        let step = &mut bucket.steps[step(call.micros)];
        *step = step.saturating_add(1);
        self.forget(start);
    }

    fn forget(&mut self, now: i64) {
        let oldest = now - (MINUTES as i64 - 1) * 60;
        while self.buckets.front().is_some_and(|first| first.minute.start < oldest) {
            self.buckets.pop_front();
        }
    }

    /// The minutes with calls among the last [`MINUTES`] before `now`, oldest first.
    pub fn snapshot(&mut self, now: Timestamp) -> Vec<Minute> {
        self.forget(now.as_second().div_euclid(60) * 60);
        let filled = |bucket: &Bucket| Minute {
            median_micros: quantile(bucket, 0.5),
            p95_micros: quantile(bucket, 0.95),
            ..bucket.minute.clone()
        };
        self.buckets.iter().map(filled).collect()
    }
}

fn step(micros: u64) -> usize {
    if micros < 16 {
        return micros as usize;
    }
    let octave = micros.ilog2() as usize;
    let eighth = (micros >> (octave - 3)) as usize & 7;
    (16 + (octave - 4) * 8 + eighth).min(STEPS - 1)
}

/// The largest duration that falls into a step.
fn upper_end(step: usize) -> u64 {
    match step {
        0..16 => step as u64,
        _ => {
            let (octave, eighth) = ((step - 16) / 8 + 4, (step - 16) % 8);
            ((9 + eighth as u64) << (octave - 3)) - 1
        }
    }
}

fn quantile(bucket: &Bucket, share: f64) -> u64 {
    let wanted = ((bucket.minute.calls as f64 * share).ceil() as u64).max(1);
    let mut seen = 0;
    for (step, count) in bucket.steps.iter().enumerate() {
        seen += u64::from(*count);
        if seen >= wanted {
            return upper_end(step).min(bucket.minute.max_micros);
        }
    }
    bucket.minute.max_micros
}

#[cfg(test)]
mod tests {
    use super::*;

    fn ended(second: i64, micros: u64, code: Option<&'static str>) -> Ended {
        Ended { at: Timestamp::from_second(second).unwrap(), micros, code, ..Ended::default() }
    }

    #[test]
    fn every_duration_lies_in_the_step_that_holds_it() {
        for micros in (0..5_000).chain([1 << 20, (1 << 33) + 12_345, u64::MAX]) {
            let found = step(micros);
            assert!(found == STEPS - 1 || micros <= upper_end(found), "{micros}");
            assert!(found == 0 || upper_end(found - 1) < micros, "{micros}");
        }
    }

    #[test]
    fn minutes_keep_counts_and_quantiles_and_are_forgotten() {
        let mut history = History::default();
        for micros in 1..=100 {
            history.record(&ended(600, micros * 1_000, (micros > 98).then_some("INTERNAL")));
        }
        history.record(&ended(721, 7, None));
        let minutes = history.snapshot(Timestamp::from_second(722).unwrap());
        assert_eq!(minutes.iter().map(|minute| minute.start).collect::<Vec<_>>(), [600, 720]);
        let first = &minutes[0];
        assert_eq!((first.calls, first.errors["INTERNAL"], first.max_micros), (100, 2, 100_000));
        assert!((50_000..57_000).contains(&first.median_micros), "{}", first.median_micros);
        assert!((95_000..=100_000).contains(&first.p95_micros), "{}", first.p95_micros);
        let later = Timestamp::from_second(600 + 60 * MINUTES as i64).unwrap();
        assert_eq!(history.snapshot(later).len(), 1);
        assert!(history.snapshot(Timestamp::from_second(1_000_000).unwrap()).is_empty());
    }
}
