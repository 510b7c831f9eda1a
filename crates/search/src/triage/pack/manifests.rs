//! Manifests and lock files that name a package.

use std::collections::BTreeSet;
use std::path::Path;

use mainstay_contract::Call;
use regex::Regex;
use schemars::JsonSchema;
use serde::Serialize;

use super::super::record::Package;
use super::{shown, text_of};
use crate::SearchError;

/// Lock files of large projects are large.
const MAX_MANIFEST_BYTES: u64 = 32 << 20;
const MAX_MANIFESTS: usize = 100;
const MAX_LINES_PER_FILE: usize = 6;

/// A line that names the package.
#[derive(Debug, Clone, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Dependency {
    /// The file, relative to the repository.
    pub file: String,
    /// The line, counted from 1.
    pub line: u32,
    /// Its text.
    pub text: String,
    /// `manifest` says what is wanted, `lock` what is used.
    pub kind: &'static str,
    /// The version or range that stands there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub version: Option<String>,
}

const MANIFESTS: &[&str] = &[
    "package.json",
    "Cargo.toml",
    "pyproject.toml",
    "setup.py",
    "setup.cfg",
    "requirements.txt",
    "Pipfile",
    "go.mod",
    "pom.xml",
    "build.gradle",
    "build.gradle.kts",
    "libs.versions.toml",
    "Gemfile",
    "composer.json",
    "packages.config",
    "Directory.Packages.props",
    "mix.exs",
    "pubspec.yaml",
    "Package.swift",
    "environment.yml",
    "deno.json",
    "build.sbt",
    "Dockerfile",
];
const LOCKS: &[&str] = &[
    "package-lock.json",
    "npm-shrinkwrap.json",
    "yarn.lock",
    "pnpm-lock.yaml",
    "bun.lock",
    "Cargo.lock",
    "poetry.lock",
    "uv.lock",
    "pdm.lock",
    "Pipfile.lock",
    "go.sum",
    "gradle.lockfile",
    "Gemfile.lock",
    "composer.lock",
    "packages.lock.json",
    "mix.lock",
    "pubspec.lock",
    "Package.resolved",
    "deno.lock",
];

fn kind_of(path: &str) -> Option<&'static str> {
    let name = path.rsplit('/').next().unwrap_or(path);
    let is_requirements = name.starts_with("requirements") && name.ends_with(".txt")
        || path.contains("requirements/") && name.ends_with(".txt");
    if LOCKS.contains(&name) {
        Some("lock")
    } else if MANIFESTS.contains(&name)
        || is_requirements
        || name.ends_with(".csproj")
        || name.ends_with(".gemspec")
    {
        Some("manifest")
    } else {
        None
    }
}

/// Finds the lines that name a package, the file of the finding first.
pub fn find(
    call: &Call,
    repo: &Path,
    paths: &[String],
    package: &Package,
) -> Result<Vec<Dependency>, SearchError> {
    let Some(pattern) = pattern(package) else { return Ok(Vec::new()) };
    let mut found = Vec::new();
    for (file, kind) in candidates(repo, paths, package.manifest_path.as_deref()) {
        call.cancel().check()?;
        let Some(text) = text_of(repo, &file, MAX_MANIFEST_BYTES) else { continue };
        if !pattern.is_match(&text) {
            continue;
        }
        let lines: Vec<&str> = text.lines().collect();
        let named = (0..lines.len()).filter(|at| pattern.is_match(lines[*at])).take(MAX_LINES_PER_FILE);
        found.extend(named.map(|at| Dependency {
            file: file.clone(),
            line: at as u32 + 1,
            text: shown(lines[at]),
            kind,
            version: version(&pattern, &lines, at),
        }));
    }
    Ok(found)
}

/// Manifests and lock files: of the finding, of the index, and the lock files beside them, which may be ignored or
/// too large to be indexed.
fn candidates(repo: &Path, paths: &[String], named: Option<&str>) -> Vec<(String, &'static str)> {
    let folder = |path: &str| path.rsplit_once('/').map_or(String::new(), |(folder, _)| format!("{folder}/"));
    let named = named.map(|path| path.trim_start_matches("./")).filter(|path| !is_odd(path));
    let mut folders = BTreeSet::from([String::new()]);
    folders.extend(named.map(folder));
    let mut files: Vec<&str> =
        paths.iter().map(String::as_str).filter(|path| kind_of(path).is_some()).collect();
    files.sort_by_key(|path| (path.matches('/').count(), *path));
    files.truncate(MAX_MANIFESTS);
    folders.extend(files.iter().map(|path| folder(path)));
    let mut all: Vec<String> = named.into_iter().chain(files).map(str::to_owned).collect();
    for folder in folders {
        let names = LOCKS.iter().chain(MANIFESTS).map(|name| format!("{folder}{name}"));
        all.extend(names.filter(|path| repo.join(path).is_file()));
    }
    let mut seen = BTreeSet::new();
    let fresh = all.into_iter().filter(|path| seen.insert(path.clone()));
    fresh.map(|path| (kind_of(&path).unwrap_or("manifest"), path)).map(|(kind, path)| (path, kind)).collect()
}

/// Paths of a report are hostile: only plain names below the repository are looked at.
fn is_odd(path: &str) -> bool {
    Path::new(path).components().any(|part| !matches!(part, std::path::Component::Normal(_)))
}

/// The package's name where it is not part of a longer one.
fn pattern(package: &Package) -> Option<Regex> {
    // A Maven coordinate stands in two elements; the artifact is the one that tells.
    let name = package.name.rsplit(':').next().unwrap_or(&package.name);
    if name.is_empty() {
        return None;
    }
    let name = match package.ecosystem.as_deref() {
        // Names on PyPI are the same in any case and with any of these signs.
        Some("pypi") => {
            let parts: Vec<String> = name.split(['-', '_', '.']).map(regex::escape).collect();
            format!("(?i:{})", parts.join("[-_.]"))
        }
        _ => regex::escape(name),
    };
    Regex::new(&format!(r"(?m)(?:^|[^\w.@/-]|node_modules/)({name})(?:$|[^\w.-]|\.\W)")).ok()
}

/// The version on the line of the name, or on one of the next three.
fn version(pattern: &Regex, lines: &[&str], at: usize) -> Option<String> {
    let after = pattern.captures(lines[at])?.get(1)?.end();
    let number = Regex::new(r#"[\^~<>=v]{0,3} ?\d+\.\d[\w.+-]*"#).ok()?;
    if let Some(found) = number.find(&lines[at][after..]) {
        return Some(found.as_str().trim().to_owned());
    }
    let named = Regex::new(r#"(?i)version"?\s*(?:[:=>]|\s)\s*"?([\^~<>=v]{0,3} ?\d[\w.+-]*)"#).ok()?;
    lines.iter().skip(at + 1).take(3).find_map(|line| {
        // The next package's version is not ours.
        let found = named.captures(line)?;
        Some(found[1].to_owned())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(name: &str, ecosystem: &str, text: &str, expected: &[(u32, Option<&str>)]) {
        let package = Package { name: name.into(), ecosystem: Some(ecosystem.into()), ..Package::default() };
        let pattern = pattern(&package).unwrap();
        let lines: Vec<&str> = text.lines().collect();
        let found: Vec<(u32, Option<String>)> = (0..lines.len())
            .filter(|at| pattern.is_match(lines[*at]))
            .map(|at| (at as u32 + 1, version(&pattern, &lines, at)))
            .collect();
        let found: Vec<(u32, Option<&str>)> = found.iter().map(|(line, v)| (*line, v.as_deref())).collect();
        assert_eq!(found, expected, "{name}");
    }

    #[test]
    fn names_are_whole_and_versions_are_their_own() {
        check(
            "lodash",
            "npm",
            "\"lodash\": \"^4.17.15\",\n\"lodash-es\": \"1.0.0\"\n\"@types/lodash\": \"1.0.0\"\n\"lodash.merge\": \"4.6.2\"",
            &[(1, Some("^4.17.15"))],
        );
        check(
            "lodash",
            "npm",
            "\"node_modules/lodash\": {\n  \"version\": \"4.17.15\",",
            &[(1, Some("4.17.15"))],
        );
        check(
            "time",
            "cargo",
            "[[package]]\nname = \"time\"\nversion = \"0.1.43\"\n",
            &[(2, Some("0.1.43"))],
        );
        check("PyYAML", "pypi", "pyyaml==5.3.1\nruamel-yaml>=1.0", &[(1, Some("==5.3.1"))]);
        check(
            "org.apache:log4j-core",
            "maven",
            "<artifactId>log4j-core</artifactId>\n<version>2.14.1</version>",
            &[(1, Some("2.14.1"))],
        );
        check(
            "golang.org/x/text",
            "go",
            "\tgolang.org/x/text v0.3.5 // indirect\n\tgolang.org/x/texture v1.0.0",
            &[(1, Some("v0.3.5"))],
        );
    }
}
