//! Counters per tool.

use std::collections::BTreeMap;
use std::sync::{Mutex, PoisonError};
use std::time::Duration;

use mainstay_contract::ErrorCode;
use serde::Serialize;

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

/// Counters of all tools.
#[derive(Default)]
pub struct Metrics {
    tools: Mutex<BTreeMap<String, ToolMetrics>>,
}

impl Metrics {
    pub(crate) fn record(&self, tool: &str, took: Duration, bytes: usize, error: Option<ErrorCode>) {
        let micros = u64::try_from(took.as_micros()).unwrap_or(u64::MAX);
        let mut tools = self.tools.lock().unwrap_or_else(PoisonError::into_inner);
        if !tools.contains_key(tool) {
            tools.insert(tool.to_owned(), ToolMetrics::default());
        }
        let Some(row) = tools.get_mut(tool) else { return };
        row.count += 1;
        row.total_micros = row.total_micros.saturating_add(micros);
        row.max_micros = row.max_micros.max(micros);
        row.answer_bytes += bytes as u64;
        let bucket = BUCKETS_MICROS.iter().position(|limit| micros <= *limit).unwrap_or(BUCKETS_MICROS.len());
        row.buckets[bucket] += 1;
        if let Some(code) = error {
            row.errors += 1;
            *row.codes.entry(code.shared().name()).or_default() += 1;
        }
    }

    /// A copy of the counters, sorted by tool id.
    pub fn snapshot(&self) -> BTreeMap<String, ToolMetrics> {
        self.tools.lock().unwrap_or_else(PoisonError::into_inner).clone()
    }
}
