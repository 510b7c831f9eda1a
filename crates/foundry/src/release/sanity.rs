//! Whether a package holds what its manifest points to.

use std::collections::BTreeMap;

use serde_json::Value;

use super::packages::{Kind, Package};

/// Everything the manifest promises that is not in the archive.
pub fn problems(package: &Package, files: &BTreeMap<String, String>) -> Vec<String> {
    match package.kind {
        Kind::Npm => npm(&package.manifest, files),
        Kind::Cargo => cargo(&package.manifest, files),
    }
}

fn npm(manifest: &Value, files: &BTreeMap<String, String>) -> Vec<String> {
    let mut found = Vec::new();
    let has = |path: &str| files.contains_key(path.trim_start_matches("./"));
    if let Some(main) = manifest.get("main").and_then(Value::as_str) {
        // Node tries these when the path itself is no file.
        let plain = main.trim_end_matches('/');
        let tried =
            [main.to_owned(), format!("{plain}.js"), format!("{plain}.json"), format!("{plain}/index.js")];
        if !tried.iter().any(|path| has(path)) {
            found.push(format!("main points to {main}, which is not packed"));
        }
    }
    for key in ["module", "types", "typings", "style"] {
        if let Some(path) = manifest.get(key).and_then(Value::as_str).filter(|path| !has(path)) {
            found.push(format!("{key} points to {path}, which is not packed"));
        }
    }
    match manifest.get("bin") {
        Some(Value::String(path)) if !has(path) => {
            found.push(format!("bin points to {path}, which is not packed"))
        }
        Some(Value::Object(bins)) => {
            for (name, path) in bins {
                if let Some(path) = path.as_str().filter(|path| !has(path)) {
                    found.push(format!("bin {name} points to {path}, which is not packed"));
                }
            }
        }
        _ => {}
    }
    let mut has_types = ["types", "typings"].iter().any(|key| manifest.get(*key).is_some());
    if let Some(exports) = manifest.get("exports") {
        targets(exports, "", &mut |place, target| {
            has_types |= is_declaration(target);
            let is_there = match target.split_once('*') {
                Some((start, end)) => {
                    let start = start.trim_start_matches("./");
                    files.keys().any(|path| path.starts_with(start) && path.ends_with(end))
                }
                None => has(target),
            };
            if !target.starts_with("./") {
                found.push(format!("exports{place} is {target:?} and must begin with ./"));
            } else if !is_there {
                found.push(format!("exports{place} points to {target}, which is not packed"));
            }
        });
    }
    if !has_types && let Some(path) = files.keys().find(|path| is_declaration(path)) {
        found.push(format!("{path} is packed, and neither types nor exports points to a declaration"));
    }
    found
}

fn is_declaration(path: &str) -> bool {
    [".d.ts", ".d.mts", ".d.cts"].iter().any(|end| path.ends_with(end))
}

/// Visits every path of `exports` with the place it stands at.
fn targets(value: &Value, place: &str, visit: &mut dyn FnMut(&str, &str)) {
    match value {
        Value::String(target) => visit(place, target),
        Value::Array(choices) => choices.iter().for_each(|choice| targets(choice, place, visit)),
        Value::Object(object) => {
            for (key, value) in object {
                targets(value, &format!("{place}[{key:?}]"), visit);
            }
        }
        // null closes a path on purpose.
        _ => {}
    }
}

fn cargo(manifest: &Value, files: &BTreeMap<String, String>) -> Vec<String> {
    let mut found = Vec::new();
    let mut target = |what: &str, path: &str| {
        if !files.contains_key(path.trim_start_matches("./")) {
            found.push(format!("{what} points to {path}, which is not packed"));
        }
    };
    if let Some(path) = manifest["lib"]["path"].as_str() {
        target("[lib]", path);
    }
    for bin in manifest["bin"].as_array().into_iter().flatten() {
        if let Some(path) = bin["path"].as_str() {
            target(&format!("[[bin]] {}", bin["name"].as_str().unwrap_or_default()), path);
        }
    }
    for key in ["readme", "license-file"] {
        if let Some(path) = manifest["package"][key].as_str().filter(|path| !path.starts_with("..")) {
            target(key, path);
        }
    }
    let has_target = manifest.get("lib").is_some()
        || manifest.get("bin").is_some()
        || files
            .keys()
            .any(|path| path == "src/lib.rs" || path == "src/main.rs" || path.starts_with("src/bin/"));
    if !has_target {
        found.push("there is neither a library nor a binary in it".into());
    }
    found
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    fn check(manifest: Value, files: &[&str], want: &[&str]) {
        let files = files.iter().map(|path| ((*path).to_owned(), String::new())).collect();
        assert_eq!(npm(&manifest, &files), want);
    }

    #[test]
    fn every_path_of_the_manifest_must_be_packed() {
        check(
            json!({ "main": "dist", "types": "./dist/index.d.ts", "bin": { "x": "bin/x.js" }, "exports": {
                ".": { "types": "./dist/index.d.ts", "import": "./dist/index.mjs", "require": "./dist/index.js" },
                "./themes/*": "./themes/*.css", "./internal/*": null, "./bad": "dist/x.js" } }),
            &["dist/index.js", "dist/index.d.ts", "themes/dark.css", "package.json"],
            &[
                "bin x points to bin/x.js, which is not packed",
                "exports[\".\"][\"import\"] points to ./dist/index.mjs, which is not packed",
                "exports[\"./bad\"] is \"dist/x.js\" and must begin with ./",
            ],
        );
        check(
            json!({ "main": "index.js" }),
            &["index.js", "index.d.ts"],
            &["index.d.ts is packed, and neither types nor exports points to a declaration"],
        );
        check(json!({ "bin": "cli.js", "exports": "./index.js" }), &["index.js", "cli.js"], &[]);
    }

    #[test]
    fn a_crate_has_something_to_build() {
        let files = |paths: &[&str]| paths.iter().map(|path| ((*path).to_owned(), String::new())).collect();
        let manifest = json!({ "package": { "readme": "README.md" }, "lib": { "path": "src/core.rs" } });
        assert_eq!(
            cargo(&manifest, &files(&["src/core.rs"])),
            ["readme points to README.md, which is not packed"]
        );
        assert_eq!(cargo(&json!({ "package": {} }), &files(&["x"])).len(), 1);
    }
}
