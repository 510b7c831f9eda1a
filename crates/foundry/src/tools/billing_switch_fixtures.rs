//! `billing.switchFixtures`: which provider's fixtures are in use from now on, and what that changes.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::billing::{diff, diff_file, markdown_table, notes};
use super::output::{Generic, Preview};
use super::{define_on_demand, join, limits};
use crate::artifacts::{Scope, Written, date_of, iso_of};
use crate::billing::switch::{self, State};
use crate::billing::{self, Difference, Object, Provider};
use crate::json::{pretty, sha256_hex};
use crate::record::{File, Place, Record};
use crate::{Foundry, FoundryError};

/// What scenarios of a billing screen show.
const OBJECTS: [Object; 2] = [Object::Subscription, Object::Invoice];

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let def = define_on_demand("billing.switchFixtures")
        .title("Switch billing fixtures")
        .summary("Switch to the fixtures of another billing provider and record what changes; the provider in use is remembered")
        .writes()
        .planned()
        .policy(limits(90, 20, 1).writes(&["${BASE}/${DATE}/**"]))
        .tags(&["billing", "fixtures", "stripe", "chargebee", "switch"])
        .example("Switch to Chargebee", json!({ "provider": "chargebee", "apply": true }))
        .example("See what going back would change", json!({ "provider": "stripe" }));
    join(foundry, def, run)
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// Target billing provider.
    provider: Provider,
    /// Make the switch; otherwise only show what it would change.
    #[serde(default)]
    apply: bool,
}

fn run(foundry: &Foundry, call: &Call, args: Args) -> Result<Generic, FoundryError> {
    let record = Record::begin(foundry, call, Place::Run("billing.switchFixtures"))?;
    let base = &foundry.rules.artifacts_base;
    let (state, unreadable) = switch::newest(&foundry.config.root.join(base));
    let previous = state.as_ref().map_or(switch::DEFAULT, |state| state.provider);
    let next = args.provider;
    let found: Vec<(Object, Vec<Difference>)> = OBJECTS
        .into_iter()
        .map(|object| {
            let [before, after] = [previous, next].map(|provider| billing::record(provider, object));
            (object, billing::differences(before, after))
        })
        .collect();
    let changed: usize = found.iter().map(|(_, list)| list.len()).sum();
    let summary = match (previous == next, args.apply) {
        (true, _) => format!("{} is in use already; nothing changes.", next.name()),
        (false, true) => {
            format!("Switched from {} to {}; {changed} fields differ.", previous.name(), next.name())
        }
        (false, false) => {
            format!("Would switch from {} to {}; {changed} fields differ.", previous.name(), next.name())
        }
    };
    let mut lines = notes(found.iter().flat_map(|(object, list)| list.iter().map(|one| (*object, one))));
    lines.extend(unreadable.iter().map(|path| format!("{path} is not readable and was passed over")));
    let preview = Preview {
        summary: Some(summary.clone()),
        notes: lines,
        diffs: found
            .iter()
            .filter(|(_, list)| !list.is_empty())
            .map(|(object, list)| {
                diff(format!("{}-to-{}.{}", previous.name(), next.name(), object.key()), list)
            })
            .collect(),
        ..Preview::default()
    };
    let next_state =
        State { provider: next, previous_provider: previous, switched_at: iso_of(record.started()) };
    let text = pretty(&json!(next_state));
    let date = date_of(record.started());
    let path = format!("{base}/{date}/billing.switchFixtures/{}", switch::FILE);
    let scope = Scope::new(&foundry.config.root, &call.tool().policy.writes, base, &date)?
        .watched_by(call.changes().clone());
    if args.apply {
        crate::exec::check(call)?;
        scope.check(&path)?;
    }
    let state = Written { path, sha256: sha256_hex(text.as_bytes()), size: text.len() };
    let changed_files = if args.apply { std::slice::from_ref(&state) } else { &[] };
    let files = files((previous, next), &found, &summary, text.clone());
    let kept = record.finish_with(&args, args.apply, files, changed_files)?;
    // Last, so that a call that is stopped on the way has not switched anything.
    if args.apply {
        scope.write(&state.path, text.as_bytes())?;
    }
    let figures =
        json!({ "provider": next, "previousProvider": previous, "switched": args.apply && previous != next });
    Ok(Generic::new(kept, preview).with_figures(true, figures))
}

fn files(
    sides: (Provider, Provider),
    found: &[(Object, Vec<Difference>)],
    summary: &str,
    state: String,
) -> Vec<File> {
    let (previous, next) = sides;
    let mut text = format!("# Billing fixtures: {} to {}\n\n{summary}\n", previous.name(), next.name());
    let mut files = vec![File::new(switch::FILE, "The provider in use from now on", state)];
    for (object, list) in found {
        let name = format!("diffs/{}-to-{}.{}.json", previous.name(), next.name(), object.key());
        files.push(diff_file(name, *object, sides, list));
        text.push_str(&format!("\n## {}\n\n{}", object.title(), markdown_table(sides, list)));
    }
    files.push(File::new("switch-summary.md", "What changes, for a discussion", text));
    files
}
