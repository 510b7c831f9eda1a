//! `release.verify`: every package packed twice and compared, and the changelog since the last release.

use std::sync::Arc;

use mainstay_contract::{Call, Role, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::{Value, json};

use super::{define_on_demand, join, limits};
use crate::artifacts::iso_of;
use crate::json::{near, pretty};
use crate::record::{File, Place, Record};
use crate::release::{self, Changelog, Package, Scratch};
use crate::repository::{MAX_COMMITS, Repository};
use crate::{Foundry, FoundryError};

/// Names of files in an answer, per package; the file of results has them all.
const SHOWN_FILES: usize = 200;

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let def = define_on_demand("release.verify")
        .title("Verify a release")
        .summary("Pack each npm and cargo package twice in separate copies of the project, compare the archives, check that exports, types and binaries are in them, and write the changelog since a tag")
        .writes()
        .planned_as_far("archives are packed by npm and cargo, and what is in them is known only then")
        .policy(limits(180, 6, 1).roles(&[Role::Maintainer]).writes(&["${BASE}/${DATE}/**"]))
        .tags(&["release", "packages", "reproducible", "npm", "cargo", "changelog"])
        .example("Verify a package and write the results", json!({ "packages": ["@oods/tokens"], "apply": true }));
    join(foundry, def, run)
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// Names of the packages to verify; all of packages/* and of the configuration when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    #[schemars(length(min = 1), extend("uniqueItems" = true))]
    packages: Option<Vec<String>>,
    /// Tag the changelog begins at; the last release when absent.
    #[serde(skip_serializing_if = "Option::is_none")]
    from_tag: Option<String>,
    /// Write results, changelog and diagnostics.
    #[serde(default)]
    apply: bool,
}

/// One package.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct PackageResult {
    name: String,
    version: String,
    /// Both archives have the same bytes and the same files.
    identical: bool,
    /// Of the first archive; empty when there is none.
    sha256: String,
    size_bytes: u64,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    files: Vec<String>,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Verified {
    /// Paths of the files written, relative to the root.
    artifacts: Vec<String>,
    transcript_path: String,
    bundle_index_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    diagnostics_path: Option<String>,
    results: Vec<PackageResult>,
    /// Where the changelog is; it is written only with apply.
    changelog_path: String,
    /// One sentence.
    summary: String,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

fn run(foundry: &Foundry, call: &Call, args: Args) -> Result<Verified, FoundryError> {
    let record = Record::begin(foundry, call, Place::Run("release.verify"))?;
    let (known, mut warnings) = release::packages(&foundry.config.root, &foundry.config.packages)?;
    let chosen = choose(&known, args.packages.as_deref())?;
    let changelog = changelog(foundry, call, args.from_tag.as_deref(), &mut warnings)?;
    let results = verify(foundry, call, &chosen)?;
    let summary = summary(&results);
    let files = match args.apply {
        true => files(&results, &changelog, &summary, &iso_of(record.started())),
        false => Vec::new(),
    };
    let kept = record.finish(&args, args.apply, files)?;
    Ok(Verified {
        changelog_path: format!("{}/CHANGELOG.md", kept.directory),
        diagnostics_path: kept.path_of("diagnostics.json"),
        artifacts: kept.artifacts.iter().map(|artifact| artifact.written.path.clone()).collect(),
        transcript_path: kept.transcript_path,
        bundle_index_path: kept.bundle_index_path,
        results: results.into_iter().map(shorten).collect(),
        summary,
        warnings,
    })
}

fn choose<'p>(known: &'p [Package], wanted: Option<&[String]>) -> Result<Vec<&'p Package>, FoundryError> {
    if known.is_empty() {
        return Err(FoundryError::refused(
            "the project has no packages",
            "put them below packages/, or list their folders in release-packages",
        ));
    }
    let Some(wanted) = wanted else { return Ok(known.iter().collect()) };
    let is_repeated = |at: usize| wanted[..at].contains(&wanted[at]);
    if wanted.is_empty() || (0..wanted.len()).any(is_repeated) {
        return Err(FoundryError::arguments("packages names each package once, and at least one"));
    }
    let mut chosen = Vec::new();
    for name in wanted {
        let mut same = known.iter().filter(|package| package.name == *name).peekable();
        if same.peek().is_none() {
            let names: Vec<&str> = known.iter().map(|package| package.name.as_str()).collect();
            let near = near(name, names.iter().copied(), 3);
            let hint = if near.is_empty() {
                format!("one of {}", names.join(", "))
            } else {
                format!("did you mean {}", near.join(", "))
            };
            return Err(FoundryError::Unknown {
                message: format!("no package is called {name:?}"),
                hint: Some(hint),
            });
        }
        chosen.extend(same);
    }
    Ok(chosen)
}

fn changelog(
    foundry: &Foundry,
    call: &Call,
    from: Option<&str>,
    warnings: &mut Vec<String>,
) -> Result<Changelog, FoundryError> {
    let repository = Repository::new(foundry, call);
    let none = || release::changelog(&[], None);
    if !repository.exists()? {
        if from.is_some() {
            repository.require()?;
        }
        warnings.push("the project is no git repository, so that the changelog is empty".into());
        return Ok(none());
    }
    if repository.head()?.commit.is_none() {
        warnings.push("the repository has no commit yet, so that the changelog is empty".into());
        return Ok(none());
    }
    let since = repository.start_of_changelog(from)?;
    let commits = repository.commits_since(since.as_deref())?;
    if commits.len() == MAX_COMMITS {
        warnings.push(format!("the changelog holds only the newest {MAX_COMMITS} commits"));
    }
    let changelog = release::changelog(&commits, since.as_deref());
    warnings.extend(changelog.warnings.iter().cloned());
    Ok(changelog)
}

fn verify(foundry: &Foundry, call: &Call, chosen: &[&Package]) -> Result<Vec<PackageResult>, FoundryError> {
    let scratch = Scratch::new(foundry.programs()?)?;
    let stop = || call.cancel().is_cancelled();
    let base = &foundry.rules.artifacts_base;
    // Paths of different lengths: an archive that holds the path of its folder does not pass by chance.
    let mut copies = Vec::new();
    for name in ["first", "the-second"] {
        copies.push((name, scratch.copy(name, &foundry.config.root, chosen, base, &stop)?));
    }
    let mut results = Vec::new();
    for (number, package) in chosen.iter().enumerate() {
        call.progress("pack", format!("{} ({} of {})", package.name, number + 1, chosen.len()));
        let mut packed = Vec::new();
        let mut failure = None;
        for (name, copy) in &copies {
            match release::pack(foundry, call, package, copy, &scratch.path(&format!("{name}-{number}"))) {
                Ok(one) => packed.push(one),
                Err(FoundryError::Program { program, reason, stderr }) => {
                    let said =
                        stderr.lines().map(str::trim).find(|line| line.to_lowercase().contains("error"));
                    failure = Some(format!("{program} {reason}: {}", said.unwrap_or("it does not say why")));
                    break;
                }
                Err(other) => return Err(other),
            }
        }
        results.push(match (packed.as_slice(), failure) {
            ([first, second], None) => {
                let unlike = release::unlike(first, second);
                let mut warnings: Vec<String> = first.note.iter().cloned().collect();
                let identical = unlike.is_empty();
                warnings.extend(unlike);
                warnings.extend(release::problems(package, &first.files));
                if package.version.is_empty() {
                    warnings.push("the manifest has no version".into());
                }
                PackageResult {
                    name: package.name.clone(),
                    version: package.version.clone(),
                    identical,
                    sha256: first.sha256.clone(),
                    size_bytes: first.size,
                    files: first.files.keys().cloned().collect(),
                    warnings,
                }
            }
            (_, failure) => PackageResult {
                name: package.name.clone(),
                version: package.version.clone(),
                identical: false,
                sha256: String::new(),
                size_bytes: 0,
                files: Vec::new(),
                warnings: failure.into_iter().collect(),
            },
        });
    }
    Ok(results)
}

fn summary(results: &[PackageResult]) -> String {
    let same = results.iter().filter(|result| result.identical).count();
    let warned = results.iter().filter(|result| !result.warnings.is_empty()).count();
    let total = match results.len() {
        1 => "1 package".to_owned(),
        many => format!("{many} packages"),
    };
    format!("{same} of {total} packed the same twice; {warned} with warnings.")
}

fn shorten(mut result: PackageResult) -> PackageResult {
    if result.files.len() > SHOWN_FILES {
        result.warnings.push(format!("{} files; the first {SHOWN_FILES} are listed", result.files.len()));
        result.files.truncate(SHOWN_FILES);
    }
    result
}

fn files(results: &[PackageResult], changelog: &Changelog, summary: &str, created: &str) -> Vec<File> {
    let packages: Vec<Value> = results
        .iter()
        .map(|result| {
            json!({
                "name": result.name, "version": result.version, "reproducible": result.identical,
                "sha256": result.sha256, "sizeBytes": result.size_bytes,
            })
        })
        .collect();
    let diagnostics = json!({
        "schemaVersion": "1.0", "createdAt": created, "tool": "release.verify", "summary": summary,
        "packages": packages, "release": { "changelog": "CHANGELOG.md" },
    });
    vec![
        File::new(
            "results.json",
            "What packing found",
            pretty(&json!({ "summary": summary, "results": results })),
        ),
        File::new("CHANGELOG.md", "Commits since the last release", changelog.markdown.clone()),
        File::new("diagnostics.json", "Figures of the run", pretty(&diagnostics)),
    ]
}
