//! `tokens.build`: token files for one brand and theme.

use std::sync::Arc;

use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::output::{Generic, Preview};
use super::{brand, define, join, limits, theme};
use crate::record::{File, Place, Record};
use crate::tokens::{TokenSet, emit};
use crate::{Foundry, FoundryError};

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let def = define("tokens.build")
        .title("Build tokens")
        .summary("Resolve the design tokens of a brand and theme and write JSON, CSS, TypeScript and Tailwind files; previews unless apply is true")
        .writes()
        .planned()
        .policy(limits(60, 30, 1).writes(&["${BASE}/${DATE}/**"]))
        .tags(&["tokens", "css", "tailwind", "dtcg", "theme"])
        .example("Preview the dark theme of brand A", json!({ "brand": "A", "theme": "dark", "apply": false }))
        .example("Write the light theme of brand B", json!({ "brand": "B", "theme": "light", "apply": true }));
    join(foundry, def, run)
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// Brand of the kit: A or B in the built-in one.
    #[serde(default = "brand_a")]
    brand: String,
    /// Theme: light, dark or hc (high contrast).
    #[serde(default = "dark")]
    theme: String,
    /// Write the files; otherwise only say what they would be.
    #[serde(default)]
    apply: bool,
}

fn brand_a() -> String {
    "A".into()
}

fn dark() -> String {
    "dark".into()
}

fn run(foundry: &Foundry, call: &Call, args: Args) -> Result<Generic, FoundryError> {
    let record = Record::begin(foundry, call, Place::Day("tokens.build"))?;
    let kit = foundry.kit()?;
    let brand = brand(&kit, Some(&args.brand))?;
    let theme = theme(&kit, &args.theme)?;
    let themes = kit.themes_of(brand, theme);
    let (set, others) = themes.split_first().expect("the theme was just found");
    let defects = set.1.defects();
    if let Some(first) = defects.first() {
        let hint = format!("{} defects in all; see them with `mainstay foundry kit check`", defects.len());
        return Err(FoundryError::refused(first.to_string(), hint));
    }
    let others: Vec<(&str, &TokenSet)> = others.iter().map(|(theme, set)| (*theme, set.as_ref())).collect();
    let files = emit::files(&set.1, brand, theme, &others);
    let verb = if args.apply { "Wrote" } else { "Would write" };
    let preview = Preview {
        summary: Some(format!(
            "{verb} {} files with {} tokens for brand {brand}, theme {theme}.",
            files.len(),
            set.1.len()
        )),
        notes: files
            .iter()
            .map(|file| format!("{}: {}, {} bytes", file.name, file.purpose, file.text.len()))
            .collect(),
        ..Preview::default()
    };
    let files = files.into_iter().map(|file| File::new(file.name, file.purpose, file.text)).collect();
    Ok(Generic::new(record.finish(&args, args.apply, files)?, preview))
}
