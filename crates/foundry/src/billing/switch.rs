//! Which provider's fixtures are in use: a small file in the folder of a day, replaced as a whole.

use std::fs;
use std::path::Path;

use serde::{Deserialize, Serialize};

use super::Provider;

/// What holds before anybody has switched.
pub const DEFAULT: Provider = Provider::Stripe;

/// Name of the file below `billing.switchFixtures` of a day.
pub const FILE: &str = "switch-state.json";

/// A switch that was made.
#[derive(Debug, Clone, PartialEq, Eq, Deserialize, Serialize)]
#[serde(rename_all = "camelCase")]
pub struct State {
    pub provider: Provider,
    pub previous_provider: Provider,
    pub switched_at: String,
}

/// The newest switch below the folder for artifacts; files that cannot be read are named.
pub fn newest(base: &Path) -> (Option<State>, Vec<String>) {
    let mut unreadable = Vec::new();
    let mut days: Vec<String> = fs::read_dir(base)
        .into_iter()
        .flatten()
        .filter_map(|entry| entry.ok()?.file_name().into_string().ok())
        .filter(|name| name.len() == 10 && name.bytes().all(|byte| byte.is_ascii_digit() || byte == b'-'))
        .collect();
    days.sort_unstable_by(|a, b| b.cmp(a));
    for day in days {
        let path = format!("{day}/billing.switchFixtures/{FILE}");
        let Ok(bytes) = fs::read(base.join(&path)) else { continue };
        match serde_json::from_slice(&bytes) {
            Ok(state) => return (Some(state), unreadable),
            Err(_) => unreadable.push(path),
        }
    }
    (None, unreadable)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_newest_day_that_can_be_read_counts() {
        let base = tempfile::tempdir().unwrap();
        let write = |day: &str, text: &str| {
            let folder = base.path().join(day).join("billing.switchFixtures");
            fs::create_dir_all(&folder).unwrap();
            fs::write(folder.join(FILE), text).unwrap();
        };
        assert_eq!(newest(base.path()), (None, Vec::new()));
        write("2026-02-20", r#"{"provider":"chargebee","previousProvider":"stripe","switchedAt":"x"}"#);
        write("2026-02-21", "{");
        write("not-a-date", r#"{"provider":"stripe","previousProvider":"stripe","switchedAt":"x"}"#);
        let (state, unreadable) = newest(base.path());
        assert_eq!(state.unwrap().provider, Provider::Chargebee);
        assert_eq!(unreadable, ["2026-02-21/billing.switchFixtures/switch-state.json"]);
    }
}
