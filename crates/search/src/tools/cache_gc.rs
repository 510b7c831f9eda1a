//! `cache_gc`: keep the caches of all repositories within bounds.

use std::sync::Arc;
use std::time::{Duration, SystemTime};

use mainstay_contract::{Call, Policy, Tool, ToolDef, Toolset};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::clean_artifacts::{Cleaned, clean};
use crate::cache::{self, Cached};
use crate::{Search, SearchError};

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("cache_gc", Toolset::Search)
        .title("Collect cache garbage")
        .summary(
            "Delete indexes whose repository is gone and, with limits, those unused for longest until the rest fits",
        )
        .destroys()
        .planned()
        .policy(Policy::interactive())
        .example("What would be deleted", json!({"dryRun": true}))
        .handler(move |call: &Call, args: Args| run(call, &search, &args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Say what would be deleted and delete nothing.
    dry_run: Option<bool>,
    /// The plan of a dry run: nothing is deleted when something else would be by now.
    #[schemars(length(min = 1, max = 200))]
    plan_id: Option<String>,
    /// Largest number of bytes all indexes may take.
    max_bytes: Option<u64>,
    /// Largest number of gigabytes (10^9 bytes) all indexes may take; the smaller of both limits holds.
    #[schemars(range(min = 0))]
    max_gb: Option<f64>,
    /// Indexes written longer ago than this many days are deleted.
    #[schemars(range(min = 0))]
    max_age_days: Option<f64>,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Cleaned, SearchError> {
    let all = cache::list(call.caller(), &search.config.cache_dir);
    let limit = [args.max_bytes, args.max_gb.map(|gb| (gb * 1e9) as u64)].into_iter().flatten().min();
    let age = args.max_age_days.and_then(|days| Duration::try_from_secs_f64(days * 86_400.0).ok());
    let oldest = age.and_then(|age| SystemTime::from(call.now()).checked_sub(age));
    clean(call, search, &choose(all, limit, oldest), args.dry_run == Some(true), args.plan_id.as_deref())
}

/// Orphans, then what is too old, then the oldest until the rest fits.
fn choose(all: Vec<Cached>, limit: Option<u64>, oldest: Option<SystemTime>) -> Vec<Cached> {
    let too_old = |cached: &Cached| oldest.is_some_and(|oldest| cached.written < oldest);
    let (mut chosen, mut kept): (Vec<Cached>, Vec<Cached>) =
        all.into_iter().partition(|cached| cached.is_orphan() || too_old(cached));
    kept.sort_by_key(|cached| cached.written);
    let mut bytes: u64 = kept.iter().map(|cached| cached.bytes).sum();
    for cached in kept {
        if limit.is_none_or(|limit| bytes <= limit) {
            break;
        }
        bytes -= cached.bytes;
        chosen.push(cached);
    }
    chosen
}
