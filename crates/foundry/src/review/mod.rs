//! A review kit: everything a designer needs to judge a change of the design kit, in one folder.

mod changes;
mod page;
mod revision;

use std::sync::Arc;

use mainstay_contract::Call;
use serde_json::{Value, json};

pub use changes::{ComponentChange, How, TokenChange};
pub use revision::Earlier;

use crate::browser::{Browser, FONTS};
use crate::json::pretty;
use crate::kit::Kit;
use crate::record::File;
use crate::sheet::{self, Arrangement};
use crate::vrt::{self, Baseline, Outcome, Reader, Scope, Verdict};
use crate::{Foundry, FoundryError, audit, scan, specimen};

/// What a review looks at.
pub struct Review {
    pub title: String,
    /// What the kit was compared with, or why it was not.
    pub compared: Result<String, String>,
    pub tokens: Vec<TokenChange>,
    pub components: Vec<ComponentChange>,
    /// Pictures, or why there are none.
    pub pictures: Result<Outcome, Missing>,
    pub scan: scan::Report,
    pub audit: audit::Report,
}

/// What could not be done, and the remedy.
pub struct Missing {
    pub code: &'static str,
    pub message: String,
    pub hint: String,
}

/// Gathers everything; `revision` is what the kit is compared with.
pub fn run(
    foundry: &Foundry,
    call: &Call,
    kit: &Arc<Kit>,
    revision: Option<&str>,
    with_pictures: bool,
) -> Result<Review, FoundryError> {
    call.progress("changes", "comparing the kit with its history");
    let earlier = revision::earlier(foundry, call, revision)?;
    let (before, compared) = match earlier {
        Earlier::Kit { kit, revision } => (Some(kit), Ok(revision)),
        Earlier::None(reason) => (None, Err(reason)),
    };
    let pictures = match with_pictures.then(|| pictures(foundry, call, kit, before.as_deref())) {
        Some(Ok(outcome)) => Ok(outcome),
        Some(Err(FoundryError::Missing { message, hint })) => {
            Err(Missing { code: "CAPABILITY_MISSING", message, hint })
        }
        Some(Err(error)) => return Err(error),
        None => {
            let message = "they were not asked for".into();
            Err(Missing { code: "LEFT_OUT", message, hint: "call again with pictures".into() })
        }
    };
    Ok(Review {
        title: format!("{} {}", kit.manifest.name, kit.manifest.version),
        compared,
        tokens: before.as_ref().map_or(Vec::new(), |before| changes::tokens(before, kit)),
        components: before.as_ref().map_or(Vec::new(), |before| changes::components(before, kit)),
        pictures,
        scan: scan::run(foundry, call, kit, None)?,
        audit: audit(foundry, call, kit)?,
    })
}

fn scope(kit: &Kit) -> Scope<'_> {
    Scope {
        brands: vec![kit.default_brand()],
        themes: kit.manifest.themes.iter().map(String::as_str).collect(),
        only: Vec::new(),
    }
}

/// Drift from the kit in the source of the project.
fn audit(foundry: &Foundry, call: &Call, kit: &Kit) -> Result<audit::Report, FoundryError> {
    call.progress("audit", "reading the source of the project");
    let root = &foundry.config.root;
    let mut leave_out = vec![foundry.rules.artifacts_base.clone()];
    // The kit is what the source is measured by.
    let inside = foundry.config.kit.as_deref().and_then(|kit| kit.strip_prefix(root).ok());
    leave_out.extend(inside.and_then(|kit| kit.to_str()).map(str::to_owned));
    let options = audit::Options { leave_out, ..Default::default() };
    audit::audit(kit, root, &options, &|| call.cancel().is_cancelled())
}

/// Pictures of every specimen in each theme, compared with those of the earlier kit.
fn pictures(
    foundry: &Foundry,
    call: &Call,
    kit: &Kit,
    before: Option<&Kit>,
) -> Result<Outcome, FoundryError> {
    let browser = Browser::find(foundry, call)?;
    let current = vrt::shoot(&browser, call, kit, &scope(kit))?;
    let earlier = before.map(|before| vrt::shoot(&browser, call, before, &scope(before))).transpose()?;
    let compared: Option<(String, &Baseline)> =
        earlier.as_ref().map(|earlier| ("the earlier kit".into(), earlier));
    vrt::judge(&browser, call, kit, &scope(kit), current, compared, 0.1)
}

impl Review {
    /// The review in a sentence and some lines.
    pub fn sentences(&self) -> (String, Vec<String>) {
        let count = |count: usize, one: &str| format!("{count} {one}{}", if count == 1 { "" } else { "s" });
        let summary = match &self.compared {
            Ok(revision) => format!(
                "{} and {} differ from {revision}.",
                count(self.tokens.len(), "token"),
                count(self.components.len(), "component"),
            ),
            Err(reason) => format!("Nothing to compare with: {reason}."),
        };
        let mut notes = Vec::new();
        notes.push(match &self.pictures {
            Ok(outcome) => {
                let different = outcome.count(|verdict| !matches!(verdict, Verdict::Same));
                let drawn = outcome.count(|verdict| !matches!(verdict, Verdict::Removed { .. }));
                match self.compared {
                    Ok(_) => format!("pictures: {different} of {drawn} look different"),
                    Err(_) => format!("pictures: {drawn}"),
                }
            }
            Err(missing) => format!("no pictures: {} ({}); {}", missing.message, missing.code, missing.hint),
        });
        let contrast = &self.scan.summary;
        notes.push(format!("contrast: {} of {} checks fail", contrast.failed, contrast.total_checks));
        notes.push(match &self.scan.browser.message {
            None => format!("axe-core: {} serious violations", self.scan.browser.serious()),
            Some(message) => {
                format!("axe-core did not run: {message} ({})", self.scan.browser.code.unwrap_or("FAILED"))
            }
        });
        notes.push(format!("audit: {}", self.audit.summary.sentence()));
        (summary, notes)
    }

    pub fn figures(&self) -> Value {
        json!({
            "comparedWith": self.compared.as_ref().ok(),
            "tokens": self.tokens.len(),
            "components": self.components.len(),
            "pictures": self.pictures.as_ref().ok().map(|outcome| json!({
                "specimens": outcome.count(|verdict| !matches!(verdict, Verdict::Removed { .. })),
                "different": outcome.count(|verdict| !matches!(verdict, Verdict::Same)),
            })),
            "accessibility": self.scan.figures(),
            "audit": self.audit.summary,
        })
    }

    /// Whether accessibility is sound; differences are what a review is for, and no failure.
    pub fn is_ok(&self) -> bool {
        self.scan.is_ok()
    }

    /// The folder: `index.html` and what it shows.
    pub fn files(&self, kit: &Kit) -> Result<Vec<File>, FoundryError> {
        let data = |name: &str, purpose, value: Value| File::new(name, purpose, pretty(&value));
        let mut files = vec![
            data("tokens.diff.json", "Every token that differs", json!(self.tokens)),
            data("components.diff.json", "Every component that differs", json!(self.components)),
            data("a11y-report.json", "Accessibility report", json!(self.scan)),
            data("audit.json", "Drift in the source", json!(self.audit)),
            File::new("summary.md", "The review in a few lines", self.markdown()),
        ];
        for (name, bytes) in FONTS {
            files.push(File::new(format!("specimens/{name}"), "Font of the specimens", bytes));
        }
        let brand = kit.default_brand();
        for theme in &kit.manifest.themes {
            let specimens = specimen::draw(kit, brand, theme, |_| true);
            files.push(File::new(
                format!("specimens/{theme}.html"),
                "Every specimen in one theme",
                sheet::page(kit, brand, theme, &specimens, Arrangement::Flow),
            ));
        }
        let mut shown = Vec::new();
        if let Ok(outcome) = &self.pictures {
            let theme = kit.theme(None);
            let mut sheets = Reader::new(&outcome.current);
            for key in outcome.current.keys().filter(|key| key.theme == theme) {
                let Some(place) = outcome.current.find(&key) else { continue };
                let name = format!("specimens/{}.png", key.file_name());
                files.push(File::new(
                    name.clone(),
                    "A specimen in the default theme",
                    sheets.cut(place)?.png(),
                ));
                shown.push((key.id, name));
            }
        }
        let index = page::index(self, kit, &shown, &mut files);
        files.push(File::new("index.html", "The review, to open first", index));
        Ok(files)
    }

    fn markdown(&self) -> String {
        let (summary, notes) = self.sentences();
        let mut text = format!("# Review of {}\n\n{summary}\n\n", self.title);
        notes.iter().for_each(|note| text.push_str(&format!("- {note}\n")));
        for (heading, names) in [
            ("Tokens", self.tokens.iter().map(|one| (&one.path, one.change)).collect::<Vec<_>>()),
            ("Components", self.components.iter().map(|one| (&one.name, one.change)).collect()),
        ] {
            if !names.is_empty() {
                text.push_str(&format!("\n## {heading}\n\n"));
                names.iter().for_each(|(name, how)| text.push_str(&format!("- `{name}` {}\n", how.word())));
            }
        }
        text
    }
}
