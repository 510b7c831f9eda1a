//! Counters as Prometheus text.

use std::fmt::Write;
use std::time::Duration;

use mainstay_runtime::{BUCKETS_MICROS, Runtime, ToolMetrics};

/// Renders the counters of every tool and of the queue.
pub fn render(runtime: &Runtime, uptime: Duration) -> String {
    let tools = runtime.metrics().snapshot();
    let mut text = String::new();
    let head = |text: &mut String, name: &str, kind: &str, help: &str| {
        let _ = writeln!(text, "# HELP {name} {help}\n# TYPE {name} {kind}");
    };
    head(&mut text, "mainstay_uptime_seconds", "gauge", "Seconds since the server started");
    let _ = writeln!(text, "mainstay_uptime_seconds {:.3}", uptime.as_secs_f64());
    head(&mut text, "mainstay_calls_in_flight", "gauge", "Calls accepted and not yet finished");
    let _ = writeln!(text, "mainstay_calls_in_flight {}", runtime.in_flight());
    head(&mut text, "mainstay_queue_max", "gauge", "Calls accepted at once");
    let _ = writeln!(text, "mainstay_queue_max {}", runtime.limits().queue_max);
    head(&mut text, "mainstay_tool_errors_total", "counter", "Failed calls by tool and error code");
    for (tool, row) in &tools {
        for (code, count) in &row.codes {
            let _ = writeln!(text, "mainstay_tool_errors_total{{tool=\"{tool}\",code=\"{code}\"}} {count}");
        }
    }
    head(&mut text, "mainstay_tool_answer_bytes_total", "counter", "Bytes of results by tool");
    for (tool, row) in &tools {
        let _ = writeln!(text, "mainstay_tool_answer_bytes_total{{tool=\"{tool}\"}} {}", row.answer_bytes);
    }
    head(&mut text, "mainstay_tool_duration_seconds", "histogram", "Duration of calls by tool");
    for (tool, row) in &tools {
        histogram(&mut text, tool, row);
    }
    text
}

fn histogram(text: &mut String, tool: &str, row: &ToolMetrics) {
    let name = "mainstay_tool_duration_seconds";
    let mut count = 0;
    for (limit, calls) in BUCKETS_MICROS.iter().zip(&row.buckets) {
        count += calls;
        let seconds = *limit as f64 / 1e6;
        let _ = writeln!(text, "{name}_bucket{{tool=\"{tool}\",le=\"{seconds}\"}} {count}");
    }
    let _ = writeln!(text, "{name}_bucket{{tool=\"{tool}\",le=\"+Inf\"}} {}", row.count);
    let _ = writeln!(text, "{name}_sum{{tool=\"{tool}\"}} {}", row.total_micros as f64 / 1e6);
    let _ = writeln!(text, "{name}_count{{tool=\"{tool}\"}} {}", row.count);
}
