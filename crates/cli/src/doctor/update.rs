//! Whether a newer version is out. Nothing is asked unless the operator says where.

use semver::Version;
use serde_json::{Value, json};

use super::{Look, Row, State};
use crate::toolsets::network;

/// A registry document is a few kilobytes.
const MAX_BYTES: u64 = 1 << 20;

/// The row, when there is an address to ask.
pub(super) fn update(look: &Look<'_>) -> Option<Row> {
    let url = look.settings.text("update-url").filter(|url| !url.is_empty())?;
    let running = mainstay_contract::TOOLING_VERSION;
    let row = match newest(look, url) {
        Ok(newest) if Version::parse(running).is_ok_and(|running| newest > running) => {
            Row::new("update", State::Note, format!("mainstay {newest} is out, this is {running}"))
                .next("install it the way this one was installed")
                .facts(json!({ "running": running, "newest": newest.to_string() }))
        }
        Ok(newest) => Row::new("update", State::Ok, "this is the newest version")
            .facts(json!({ "running": running, "newest": newest.to_string() })),
        Err(reason) => Row::new("update", State::Note, format!("the newest version is not known: {reason}"))
            .facts(json!({ "running": running, "newest": null })),
    };
    Some(row)
}

/// The version a document at an address names, such as the `server.json` of a release.
fn newest(look: &Look<'_>, url: &str) -> Result<Version, String> {
    let bytes = network(look.settings).read(url, MAX_BYTES).map_err(|error| error.to_string())?;
    let document: Value =
        serde_json::from_slice(&bytes).map_err(|_| format!("{url} does not answer JSON"))?;
    let version = document["version"].as_str().unwrap_or_default();
    Version::parse(version.trim_start_matches('v')).map_err(|_| format!("{url} names no version"))
}
