//! `billing.reviewKit`: one billing object as several providers have it, side by side.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::billing::{diff, diff_file, markdown_table, notes};
use super::output::{Generic, Preview};
use super::{define_on_demand, join, limits};
use crate::artifacts::iso_of;
use crate::billing::{self, Difference, Object, Provider};
use crate::json::pretty;
use crate::kit::Kit;
use crate::record::{File, Place, Record};
use crate::{Foundry, FoundryError};

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let def = define_on_demand("billing.reviewKit")
        .title("Compare billing providers")
        .summary("Compare a billing object of two providers field by field; apply writes a review kit with the differences and specimens drawn with the design kit")
        .writes()
        .planned()
        .policy(limits(120, 20, 1).writes(&["${BASE}/${DATE}/**"]))
        .tags(&["billing", "fixtures", "stripe", "chargebee", "review", "diff"])
        .example(
            "Write the review kit of subscriptions",
            json!({ "object": "Subscription", "fixtures": ["stripe", "chargebee"], "apply": true }),
        )
        .example("See how invoices differ", json!({ "object": "Invoice" }));
    join(foundry, def, run)
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// Billing object to compare.
    object: Object,
    /// Providers to include; all when absent.
    #[serde(default = "all")]
    #[schemars(length(min = 1), extend("uniqueItems" = true))]
    fixtures: Vec<Provider>,
    /// Write the review kit; otherwise only show the differences.
    #[serde(default)]
    apply: bool,
}

fn all() -> Vec<Provider> {
    Provider::ALL.to_vec()
}

/// A pair of providers and where their records differ.
type Found = (Provider, Provider, Vec<Difference>);

fn run(foundry: &Foundry, call: &Call, args: Args) -> Result<Generic, FoundryError> {
    let is_repeated = |at: usize| args.fixtures[..at].contains(&args.fixtures[at]);
    if args.fixtures.is_empty() || (0..args.fixtures.len()).any(is_repeated) {
        return Err(FoundryError::arguments("fixtures names each provider once, and at least one"));
    }
    let record = Record::begin(foundry, call, Place::Run("billing.reviewKit"))?;
    let kit = foundry.kit()?;
    let object = args.object;
    let pairs = args.fixtures.windows(2).map(|pair| (pair[0], pair[1]));
    let found: Vec<Found> = pairs
        .map(|(a, b)| (a, b, billing::differences(billing::record(a, object), billing::record(b, object))))
        .collect();
    let summary = summary(object, &found);
    let shown = found.iter().flat_map(|(_, _, list)| list.iter().map(move |one| (object, one)));
    let preview = Preview {
        summary: Some(summary.clone()),
        notes: notes(shown),
        diffs: found
            .iter()
            .map(|(a, b, list)| diff(format!("{}-vs-{}.{}", a.name(), b.name(), object.key()), list))
            .collect(),
        ..Preview::default()
    };
    let files = match args.apply {
        true => files(&kit, &args, &found, &summary, &iso_of(record.started())),
        false => Vec::new(),
    };
    let kept = record.finish(&args, args.apply, files)?;
    Ok(Generic::new(kept, preview))
}

fn summary(object: Object, found: &[Found]) -> String {
    match found {
        [(a, b, list)] => {
            let fields = if list.len() == 1 {
                "1 field differs".into()
            } else {
                format!("{} fields differ", list.len())
            };
            format!("{}: {fields} between {} and {}.", object.title(), a.name(), b.name())
        }
        _ => format!("{}: one provider, nothing to compare.", object.title()),
    }
}

fn files(kit: &Kit, args: &Args, found: &[Found], summary: &str, created: &str) -> Vec<File> {
    let (object, key) = (args.object, args.object.key());
    let mut text = format!("# {} by provider\n\n{summary}\n", object.title());
    let mut files = Vec::new();
    for provider in &args.fixtures {
        let name = format!("specimens/{}.{key}", provider.name());
        let record = Value::Object(billing::record(*provider, object).clone());
        let page = billing::page(kit, &billing::specimen(*provider, object));
        files.push(File::new(format!("{name}.json"), "The record", pretty(&record)));
        files.push(File::new(format!("{name}.html"), "The record drawn with the kit", page));
    }
    for (a, b, list) in found {
        let name = format!("diffs/{}-vs-{}.{key}.json", a.name(), b.name());
        files.push(diff_file(name, object, (*a, *b), list));
        text.push_str(&format!("\n## {} and {}\n\n{}", a.name(), b.name(), markdown_table((*a, *b), list)));
    }
    let page = billing::page(kit, &billing::comparison(object, &args.fixtures, found));
    files.push(File::new("index.html", "The review, for a browser", page));
    files.push(File::new("summary.md", "The review, for a discussion", text));
    let names: Vec<&str> = files.iter().map(|file| file.name.as_str()).collect();
    let differences: usize = found.iter().map(|(_, _, list)| list.len()).sum();
    let index = json!({
        "object": object, "providers": args.fixtures, "differences": differences, "files": names,
    });
    files.push(File::new("index.json", "What the kit holds", pretty(&index)));
    let diagnostics = json!({
        "schemaVersion": "1.0", "createdAt": created, "tool": "billing.reviewKit", "summary": summary,
        "object": object, "providers": args.fixtures, "differences": differences,
    });
    files.push(File::new("diagnostics.json", "Figures of the run", pretty(&diagnostics)));
    files
}
