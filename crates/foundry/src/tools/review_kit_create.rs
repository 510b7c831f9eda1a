//! `reviewKit.create`: a folder a designer opens to judge a change.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::output::{Generic, Preview};
use super::{define_on_demand, join, limits};
use crate::record::{Place, Record};
use crate::review::{self, Review};
use crate::{Foundry, FoundryError};

/// Changed tokens and components an answer names; the folder has all of them.
const MAX_NOTES: usize = 20;

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let def = define_on_demand("reviewKit.create")
        .title("Create a review kit")
        .summary("Compare the design kit with a git revision and bundle what changed, specimens with pictures, the accessibility report and the audit into one folder with an index.html; previews unless apply is true")
        .writes()
        .planned_as_far("the kit holds pictures drawn by a browser, and how they come out is known only then")
        .policy(limits(90, 30, 1).writes(&["${BASE}/${DATE}/**"]))
        .tags(&["review", "diff", "specimens", "design", "browser"])
        .example("Bundle the state of the kit for review, without pictures", json!({ "apply": true, "pictures": false }));
    join(foundry, def, run)
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// Write the folder; otherwise only say what it would hold.
    #[serde(default)]
    apply: bool,
    /// Git revision to compare the kit with; HEAD unless given.
    base: Option<String>,
    /// Take pictures of the specimens; true unless given.
    pictures: Option<bool>,
}

fn run(foundry: &Foundry, call: &Call, args: Args) -> Result<Generic, FoundryError> {
    let record = Record::begin(foundry, call, Place::Run("reviewKit.create"))?;
    let kit = foundry.kit()?;
    let review = review::run(foundry, call, &kit, args.base.as_deref(), args.pictures.unwrap_or(true))?;
    let files = if args.apply { review.files(&kit)? } else { Vec::new() };
    let kept = record.finish(&args, args.apply, files)?;
    let mut preview = preview(&review);
    if args.apply {
        preview.notes.insert(0, format!("open {}/index.html", kept.directory));
    }
    Ok(Generic::new(kept, preview).with_figures(review.is_ok(), review.figures()))
}

fn preview(review: &Review) -> Preview {
    let (summary, mut notes) = review.sentences();
    let tokens = review.tokens.iter().map(|one| format!("token {} {}", one.path, one.change.word()));
    let components =
        review.components.iter().map(|one| format!("component {} {}", one.name, one.change.word()));
    let all: Vec<String> = tokens.chain(components).collect();
    let more = all.len().saturating_sub(MAX_NOTES);
    notes.extend(all.into_iter().take(MAX_NOTES));
    if more > 0 {
        notes.push(format!("{more} more changes"));
    }
    Preview { summary: Some(summary), notes, ..Preview::default() }
}
