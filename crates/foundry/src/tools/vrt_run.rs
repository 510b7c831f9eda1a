//! `vrt.run`: has the look of anything changed.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::output::{Generic, Preview};
use super::{brand, define_on_demand, join, limits, theme};
use crate::browser::Browser;
use crate::json::near;
use crate::record::{Place, Record};
use crate::vrt::{self, Baseline, Outcome, Scope, Verdict};
use crate::{Foundry, FoundryError, specimen};

/// Differences an answer lists; the report has all of them.
const MAX_NOTES: usize = 20;

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let def = define_on_demand("vrt.run")
        .title("Run visual regression tests")
        .summary("Draw every component and pattern of the kit in each brand and theme with headless Chromium and compare the pictures with those of an earlier run; apply writes a report, and the first time the pictures later runs are compared with")
        .writes()
        .needs(super::needs_a_browser(foundry))
        .planned_as_far("pictures are drawn by a browser, and how they come out is known only then")
        .policy(limits(120, 12, 1).writes(&["${BASE}/${DATE}/**"]))
        .tags(&["visual", "regression", "screenshot", "theme", "browser"])
        .example("Look at one component in one theme", json!({ "only": ["Button"], "brands": ["A"], "themes": ["light"] }));
    join(foundry, def, run)
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// Write the report, and baselines where there are none.
    #[serde(default)]
    apply: bool,
    /// With apply: accept how everything looks now as the new baselines.
    #[serde(default)]
    update: bool,
    /// Brands to look at; all unless given.
    brands: Option<Vec<String>>,
    /// Themes to look at; all unless given.
    themes: Option<Vec<String>>,
    /// Components and patterns to look at, by name or id; all unless given.
    only: Option<Vec<String>>,
    /// Folder of baselines to compare with, relative to the project; those of the newest run that made some unless given.
    baseline: Option<String>,
    /// How far colours may be apart, 0 to 1; 0.1 is what an eye barely sees and holds unless given.
    #[schemars(range(min = 0.0, max = 1.0))]
    threshold: Option<f64>,
}

fn run(foundry: &Foundry, call: &Call, args: Args) -> Result<Generic, FoundryError> {
    let record = Record::begin(foundry, call, Place::Run("vrt.run"))?;
    let kit = foundry.kit()?;
    let scope = scope(&kit, &args)?;
    let (root, base) = (&foundry.config.root, &foundry.rules.artifacts_base);
    let browser = Browser::find(foundry, call)?;
    let earlier = match &args.baseline {
        Some(place) => {
            super::inside(place)?;
            Some((place.clone(), Baseline::read(root, place)?))
        }
        None => Baseline::newest(root, base, "vrt.run")?,
    };
    let threshold = args.threshold.unwrap_or(0.1).clamp(0.0, 1.0);
    let current = vrt::shoot(&browser, call, &kit, &scope)?;
    let compared = earlier.as_ref().map(|(place, earlier)| (place.clone(), earlier));
    let outcome = vrt::judge(&browser, call, &kit, &scope, current, compared, threshold)?;
    let preview = preview(&outcome, &args);
    let figures = vrt::summary(&outcome);
    let is_clean = outcome.is_clean();
    let mut files = Vec::new();
    if args.apply {
        files = vrt::files(&outcome);
        if outcome.compared_with.is_none() || args.update {
            let older =
                outcome.compared_with.as_ref().map(|place| Baseline::read(root, place)).transpose()?;
            files.extend(outcome.current.over(older, |key| scope.covers(key)).into_files());
        }
    }
    let kept = record.finish(&args, args.apply, files)?;
    Ok(Generic::new(kept, preview).with_figures(is_clean, figures))
}

fn scope<'k>(kit: &'k crate::kit::Kit, args: &Args) -> Result<Scope<'k>, FoundryError> {
    let brands = match &args.brands {
        Some(wanted) => wanted.iter().map(|name| brand(kit, Some(name))).collect::<Result<_, _>>()?,
        None => kit.manifest.brands.iter().map(String::as_str).collect(),
    };
    let themes = match &args.themes {
        Some(wanted) => wanted.iter().map(|name| theme(kit, name)).collect::<Result<_, _>>()?,
        None => kit.manifest.themes.iter().map(String::as_str).collect(),
    };
    let known = specimen::ids(kit);
    let only = args.only.clone().unwrap_or_default();
    if let Some(unknown) = only.iter().find(|name| !known.contains(name)) {
        let near = near(unknown, known.iter().map(String::as_str), 3);
        return Err(FoundryError::Unknown {
            message: format!("the kit has no component or pattern {unknown:?}"),
            hint: Some(match near.is_empty() {
                true => "list the components with catalog.list".into(),
                false => format!("did you mean {}", near.join(", ")),
            }),
        });
    }
    Ok(Scope { brands, themes, only })
}

fn preview(outcome: &Outcome, args: &Args) -> Preview {
    let specimens = outcome.count(|verdict| !matches!(verdict, Verdict::Removed { .. }));
    let differing = outcome.count(|verdict| !matches!(verdict, Verdict::Same));
    let drawn = format!("{specimens} specimen{}", if specimens == 1 { "" } else { "s" });
    let summary = match (&outcome.compared_with, args.apply) {
        (None, true) => format!("Made baselines of {drawn}; later runs are compared with them."),
        (None, false) => format!("Drew {drawn}; there are no baselines yet, apply makes them."),
        (Some(_), _) if differing > 0 => format!("{differing} of {drawn} differ."),
        (Some(_), _) if specimens == 1 => "The specimen looks as it did.".to_owned(),
        (Some(_), _) => format!("All {drawn} look as they did."),
    };
    let mut notes = outcome.notes.clone();
    let different = outcome.verdicts.iter().filter_map(|(key, verdict)| {
        let what = match verdict {
            Verdict::Same => return None,
            Verdict::Changed { difference, .. } => {
                format!("{} pixels differ ({:.2} %)", difference.pixels, difference.ratio * 100.0)
            }
            Verdict::Added { .. } => "is new".to_owned(),
            Verdict::Removed { .. } => "is gone".to_owned(),
        };
        Some(format!("{} in brand {}, theme {}: {what}", key.id, key.brand, key.theme))
    });
    notes.extend(different.take(MAX_NOTES));
    if differing > MAX_NOTES {
        notes.push(format!("{} more are in the report", differing - MAX_NOTES));
    }
    Preview { summary: Some(summary), notes, ..Preview::default() }
}
