//! The life of a call: resolve, validate, authorise, queue, run, wrap.
//!
//! Every surface reaches every tool through [`Runtime::submit`]; there is no other way. The
//! runtime knows no transport, no terminal and nothing of what a tool does.

#![cfg_attr(test, allow(clippy::unwrap_used))]

mod access;
mod active;
pub mod audit;
pub mod budget;
mod explain;
mod fingerprint;
mod history;
mod host;
mod journal;
mod limits;
mod metrics;
mod near;
pub mod plan;
mod pool;
mod reach;
mod recent;
pub mod recording;
mod registry;
mod request;
mod runtime;
mod timer;
mod validate;

pub use access::{Access, Form, OnDemand, Origin, Sourced};
pub use explain::{Explanation, Standing, explain, explain_here, explain_to};
pub use fingerprint::fingerprint;
pub use history::{MINUTES, Minute};
pub use journal::{Asked, Ending, Journal, Refused};
pub use metrics::{BUCKETS_MICROS, Metrics, ToolMetrics};
pub use near::nearest;
pub use plan::PlanStore;
pub use recent::{Ended, RECENT_CALLS};
pub use registry::{Door, Registry, RegistryError};
pub use request::{Failure, Outcome, Request, Size, Stage, Step, meta_value};
pub use runtime::{CallHandle, Limits, Runtime};
pub use validate::{Validator, Violation};
