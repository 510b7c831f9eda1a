//! Counters per tool, the last minutes and the last calls.

use std::collections::BTreeMap;
use std::sync::{Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde::Serialize;

use crate::history::{History, Minute};
use crate::recent::{Ended, Recent};

/// Upper bounds of the latency buckets in microseconds; the last bucket is open.
pub const BUCKETS_MICROS: [u64; 8] = [100, 1_000, 5_000, 25_000, 100_000, 500_000, 2_500_000, 10_000_000];

/// The counters of one tool since start.
#[derive(Debug, Clone, Default, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct ToolMetrics {
    pub count: u64,
    pub errors: u64,
    pub total_micros: u64,
    pub max_micros: u64,
    pub answer_bytes: u64,
    /// Calls per latency bucket, not cumulated.
    pub buckets: [u64; BUCKETS_MICROS.len() + 1],
    /// Failures by code.
    pub codes: BTreeMap<&'static str, u64>,
}

#[derive(Default)]
struct Kept {
    tools: BTreeMap<String, ToolMetrics>,
    history: History,
    recent: Recent,
}

/// What is known about the calls since start; bounded, and without what they said.
#[derive(Default)]
pub struct Metrics {
    kept: Mutex<Kept>,
}

impl Metrics {
    fn lock(&self) -> MutexGuard<'_, Kept> {
        self.kept.lock().unwrap_or_else(PoisonError::into_inner)
    }

    pub(crate) fn record(&self, call: Ended) {
        let mut kept = self.lock();
        if let Some(tool) = &call.tool {
            count(&mut kept.tools, tool, &call);
        }
        kept.history.record(&call);
        kept.recent.push(call);
    }

    /// Counts a call that went on as a call of another tool, which is the one in the log.
    pub(crate) fn record_forward(&self, tool: &str, micros: u64) {
        count(&mut self.lock().tools, tool, &Ended { micros, ..Ended::default() });
    }

    /// A copy of the counters, sorted by tool id.
    pub fn snapshot(&self) -> BTreeMap<String, ToolMetrics> {
        self.lock().tools.clone()
    }

    /// The minutes with calls, oldest first.
    pub fn minutes(&self, now: Timestamp) -> Vec<Minute> {
        self.lock().history.snapshot(now)
    }

    /// The calls after the one numbered `after`, newest first.
    pub fn recent(&self, after: u64, limit: usize) -> Vec<Ended> {
        self.lock().recent.after(after, limit)
    }
}

fn count(tools: &mut BTreeMap<String, ToolMetrics>, tool: &str, call: &Ended) {
    if !tools.contains_key(tool) {
        tools.insert(tool.to_owned(), ToolMetrics::default());
    }
    let Some(row) = tools.get_mut(tool) else { return };
    row.count += 1;
    row.total_micros = row.total_micros.saturating_add(call.micros);
    row.max_micros = row.max_micros.max(call.micros);
    row.answer_bytes += call.answer_bytes;
    let bucket =
        BUCKETS_MICROS.iter().position(|limit| call.micros <= *limit).unwrap_or(BUCKETS_MICROS.len());
    row.buckets[bucket] += 1;
    if let Some(code) = call.code {
        row.errors += 1;
        *row.codes.entry(code).or_default() += 1;
    }
}
