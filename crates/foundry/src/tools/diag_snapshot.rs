//! `diag.snapshot`: the state of repository, kit and packages in figures.

use std::collections::BTreeMap;
use std::path::Path;
use std::sync::Arc;

use ignore::WalkBuilder;
use mainstay_contract::{Call, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::output::{Generic, Preview};
use super::{define_on_demand, join, limits};
use crate::artifacts::{iso_of, stamp_of};
use crate::json::pretty;
use crate::kit::Kit;
use crate::record::{File, Place, Record};
use crate::release;
use crate::repository::Repository;
use crate::tokens::{Layer, contrast};
use crate::{Foundry, FoundryError};

/// More files than this are counted no further.
const MAX_FILES: u64 = 200_000;
/// Endings that are listed by themselves.
const LISTED_ENDINGS: usize = 15;

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let def = define_on_demand("diag.snapshot")
        .title("Snapshot of the project")
        .summary("Count components, tokens, contrast, files, stories and packages and name the commit; apply writes diagnostics.json")
        .writes()
        .planned()
        .policy(limits(120, 12, 1).writes(&["${BASE}/${DATE}/**"]))
        .tags(&["diagnostics", "inventory", "repository", "kit"])
        .example("Write the snapshot", json!({ "apply": true }));
    join(foundry, def, run)
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// Write the snapshot; otherwise only show it.
    #[serde(default)]
    apply: bool,
}

fn run(foundry: &Foundry, call: &Call, args: Args) -> Result<Generic, FoundryError> {
    let record = Record::begin(foundry, call, Place::Run("diag.snapshot"))?;
    let kit = foundry.kit()?;
    let mut notes = Vec::new();
    let git = git(foundry, call, &mut notes)?;
    let files = count_files(&foundry.config.root, &foundry.rules.artifacts_base, call)?;
    if files.total >= MAX_FILES {
        notes.push(format!("only the first {MAX_FILES} files are counted"));
    }
    let (packages, passed_over) = release::packages(&foundry.config.root, &foundry.config.packages)?;
    notes.extend(passed_over);
    let (passed, pairs) = contrast_of(&kit);
    let components = kit.components.len();
    let summary = format!(
        "{components} components, {} tokens, {passed} of {pairs} contrast pairs pass; {} files, {} packages.",
        token_count(&kit),
        files.total,
        packages.len()
    );
    let document = json!({
        "schemaVersion": "1.0",
        "createdAt": iso_of(record.started()),
        "runId": stamp_of(record.started()),
        "tool": "diag.snapshot",
        "summary": summary,
        "notes": notes,
        "git": git,
        "repository": { "files": files.total, "bytes": files.bytes, "byEnding": files.by_ending() },
        "inventory": { "components": components, "stories": files.stories },
        "kit": kit_figures(&kit),
        "contrast": { "pairs": pairs, "passed": passed },
        "packages": packages
            .iter()
            .map(|package| json!({ "name": package.name, "version": package.version, "folder": package.folder, "kind": package.kind.name() }))
            .collect::<Vec<_>>(),
    });
    let preview = Preview { summary: Some(summary), notes: notes.clone(), ..Preview::default() };
    let file = File::new("diagnostics.json", "Figures of the project", pretty(&document));
    let kept = record.finish(&args, args.apply, vec![file])?;
    Ok(Generic::new(kept, preview).with_figures(true, document))
}

/// What git says; a project without git, or a machine without it, is noted.
fn git(foundry: &Foundry, call: &Call, notes: &mut Vec<String>) -> Result<Value, FoundryError> {
    let repository = Repository::new(foundry, call);
    match repository.exists() {
        Ok(true) => {}
        Ok(false) => {
            notes.push("the project is no git repository".into());
            return Ok(Value::Null);
        }
        Err(FoundryError::Missing { message, .. }) => {
            notes.push(message);
            return Ok(Value::Null);
        }
        Err(other) => return Err(other),
    }
    let head = repository.head()?;
    let mut git = json!({
        "head": head.commit, "branch": head.branch, "dirty": head.changed_files > 0, "changedFiles": head.changed_files,
    });
    if git["head"].is_string() {
        let release = repository.last_release()?;
        git["commitsSinceRelease"] = json!(repository.commits_since(release.as_deref())?.len());
        git["lastRelease"] = json!(release);
    }
    Ok(git)
}

#[derive(Default)]
struct Files {
    total: u64,
    bytes: u64,
    stories: u64,
    endings: BTreeMap<String, u64>,
}

impl Files {
    /// The most frequent endings, by name.
    fn by_ending(&self) -> BTreeMap<&str, u64> {
        let mut endings: Vec<(&str, u64)> =
            self.endings.iter().map(|(end, count)| (end.as_str(), *count)).collect();
        endings.sort_by(|a, b| b.1.cmp(&a.1).then(a.0.cmp(b.0)));
        endings.into_iter().take(LISTED_ENDINGS).collect()
    }
}

/// Counts what git would track, artifacts of the foundry left out.
fn count_files(root: &Path, leave_out: &str, call: &Call) -> Result<Files, FoundryError> {
    let left_out = root.join(leave_out);
    let walk = WalkBuilder::new(root)
        .hidden(false)
        .require_git(false)
        .git_global(false)
        .filter_entry(move |entry| {
            !matches!(entry.file_name().to_str(), Some(".git" | "node_modules")) && entry.path() != left_out
        })
        .build();
    let mut files = Files::default();
    for entry in
        walk.filter_map(Result::ok).filter(|entry| entry.file_type().is_some_and(|kind| kind.is_file()))
    {
        crate::exec::check(call)?;
        files.total += 1;
        files.bytes += entry.metadata().map_or(0, |data| data.len());
        let name = entry.file_name().to_string_lossy();
        files.stories += u64::from(name.contains(".stories.") || name.contains(".story."));
        let ending = entry.path().extension().and_then(|end| end.to_str()).unwrap_or("none").to_lowercase();
        *files.endings.entry(ending).or_default() += 1;
        if files.total >= MAX_FILES {
            break;
        }
    }
    Ok(files)
}

fn token_count(kit: &Kit) -> usize {
    kit.tokens(kit.default_brand(), kit.theme(None)).map_or(0, |set| set.len())
}

/// Contrast pairs over every brand and theme: passed, and all.
fn contrast_of(kit: &Kit) -> (usize, usize) {
    let sets = kit
        .manifest
        .brands
        .iter()
        .flat_map(|brand| kit.manifest.themes.iter().filter_map(move |theme| kit.tokens(brand, theme)));
    let findings: Vec<contrast::Finding> =
        sets.flat_map(|set| contrast::evaluate(&set, &kit.rules, None)).collect();
    (findings.iter().filter(|finding| finding.passed).count(), findings.len())
}

fn kit_figures(kit: &Kit) -> Value {
    let mut layers = BTreeMap::new();
    if let Some(set) = kit.tokens(kit.default_brand(), kit.theme(None)) {
        for layer in Layer::ALL {
            layers.insert(layer.name(), set.iter().filter(|token| token.layer == layer).count());
        }
    }
    json!({
        "name": kit.manifest.name, "version": kit.manifest.version,
        "brands": kit.manifest.brands, "themes": kit.manifest.themes,
        "components": kit.components.len(),
        "deprecatedComponents": kit.components.iter().filter(|component| component.deprecated.is_some()).count(),
        "traits": kit.traits.len(), "objects": kit.objects.len(), "domains": kit.domains.len(),
        "patterns": kit.patterns.len(), "contrastRules": kit.rules.len(),
        "tokens": token_count(kit), "tokensByLayer": layers,
    })
}
