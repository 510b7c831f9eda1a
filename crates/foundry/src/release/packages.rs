//! Which packages a project has: `packages/*`, and the folders the configuration lists.

use std::fs;
use std::path::{Component, Path};

use serde_json::Value;

use crate::FoundryError;

/// Manifests larger than this are no manifests.
const MAX_MANIFEST_BYTES: u64 = 1024 * 1024;
/// More packages than this are not looked at.
const MAX_PACKAGES: usize = 500;

/// Who packs it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    Npm,
    Cargo,
}

impl Kind {
    pub fn manifest(self) -> &'static str {
        match self {
            Kind::Npm => "package.json",
            Kind::Cargo => "Cargo.toml",
        }
    }

    pub fn name(self) -> &'static str {
        match self {
            Kind::Npm => "npm",
            Kind::Cargo => "cargo",
        }
    }
}

/// One package of the project.
#[derive(Debug, Clone, PartialEq)]
pub struct Package {
    pub name: String,
    /// As the manifest or the workspace around it says; empty when neither does.
    pub version: String,
    /// Relative to the root, with `/`; `.` is the root itself.
    pub folder: String,
    pub kind: Kind,
    /// The manifest, with the tables of TOML as objects.
    pub manifest: Value,
}

/// The packages of a project by name, and folders that look like packages and are not.
pub fn packages(root: &Path, listed: &[String]) -> Result<(Vec<Package>, Vec<String>), FoundryError> {
    let mut folders: Vec<String> = Vec::new();
    for folder in listed {
        let folder = folder.trim_end_matches('/');
        let plain = Path::new(folder)
            .components()
            .all(|part| matches!(part, Component::Normal(_) | Component::CurDir));
        if !plain || folder.is_empty() || !root.join(folder).is_dir() {
            return Err(FoundryError::refused(
                format!("the configuration lists {folder:?}, which is no folder of the project"),
                "correct release-packages; folders are relative to the root of the project",
            ));
        }
        folders.push(folder.to_owned());
    }
    let mut found: Vec<String> = fs::read_dir(root.join("packages"))
        .into_iter()
        .flatten()
        .filter_map(|entry| {
            let entry = entry.ok()?;
            // A link could lead to a folder of somebody else.
            let is_folder = entry.file_type().is_ok_and(|kind| kind.is_dir());
            is_folder.then(|| Some(format!("packages/{}", entry.file_name().to_str()?)))?
        })
        .take(MAX_PACKAGES)
        .collect();
    found.sort();
    folders.extend(found);
    let mut packages: Vec<Package> = Vec::new();
    let mut warnings = Vec::new();
    for folder in folders {
        for kind in [Kind::Npm, Kind::Cargo] {
            if packages.iter().any(|known| known.folder == folder && known.kind == kind) {
                continue;
            }
            match read(root, &folder, kind) {
                Ok(Some(package)) => packages.push(package),
                Ok(None) => {}
                Err(reason) => {
                    warnings.push(format!("{folder}/{} was passed over: {reason}", kind.manifest()))
                }
            }
        }
    }
    packages.sort_by(|a, b| (&a.name, &a.folder).cmp(&(&b.name, &b.folder)));
    Ok((packages, warnings))
}

fn read(root: &Path, folder: &str, kind: Kind) -> Result<Option<Package>, String> {
    let path = root.join(folder).join(kind.manifest());
    let Ok(data) = fs::symlink_metadata(&path) else { return Ok(None) };
    if !data.is_file() || data.len() > MAX_MANIFEST_BYTES {
        return Err("it is no ordinary file of less than 1 MiB".into());
    }
    let text = fs::read_to_string(&path).map_err(|error| error.to_string())?;
    let manifest: Value = match kind {
        Kind::Npm => serde_json::from_str(&text).map_err(|error| error.to_string())?,
        Kind::Cargo => toml::from_str(&text).map_err(|error| error.message().to_owned())?,
    };
    let table = match kind {
        Kind::Npm => &manifest,
        Kind::Cargo if manifest.get("package").is_none() => return Ok(None),
        Kind::Cargo => &manifest["package"],
    };
    let text_of = |key: &str| table.get(key).and_then(Value::as_str).map(str::to_owned);
    let Some(name) = text_of("name").filter(|name| !name.is_empty()) else {
        return Err("it has no name".into());
    };
    Ok(Some(Package {
        name,
        version: text_of("version").or_else(|| inherited_version(root)).unwrap_or_default(),
        folder: folder.to_owned(),
        kind,
        manifest,
    }))
}

/// The version members of the workspace at the root share.
fn inherited_version(root: &Path) -> Option<String> {
    let text = fs::read_to_string(root.join("Cargo.toml")).ok()?;
    let manifest: Value = toml::from_str(&text).ok()?;
    manifest["workspace"]["package"]["version"].as_str().map(str::to_owned)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn folders_of_both_kinds_are_found_and_broken_ones_named() {
        let root = tempfile::tempdir().unwrap();
        let write = |path: &str, text: &str| {
            let path = root.path().join(path);
            fs::create_dir_all(path.parent().unwrap()).unwrap();
            fs::write(path, text).unwrap();
        };
        write("packages/b/package.json", r#"{"name": "@x/b", "version": "1.0.0"}"#);
        write("packages/a/Cargo.toml", "[package]\nname = \"a\"\nversion.workspace = true\n");
        write("packages/broken/package.json", "{");
        write("packages/empty/readme.md", "");
        write("tools/c/package.json", r#"{"name": "c", "version": "2.0.0"}"#);
        let (found, warnings) = packages(root.path(), &["tools/c".into(), "packages/b".into()]).unwrap();
        let shown: Vec<(&str, &str, &str)> =
            found.iter().map(|p| (p.name.as_str(), p.version.as_str(), p.folder.as_str())).collect();
        assert_eq!(
            shown,
            [("@x/b", "1.0.0", "packages/b"), ("a", "", "packages/a"), ("c", "2.0.0", "tools/c")]
        );
        assert_eq!(warnings.len(), 1);
        for wrong in ["../x", "/etc", "nowhere", ""] {
            assert!(packages(root.path(), &[wrong.into()]).is_err(), "{wrong:?}");
        }
    }
}
