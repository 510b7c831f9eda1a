//! What the writing tools leave on disk.

use std::fs;

use mainstay_contract::Fault;
use serde_json::{Value, json};

use crate::harness::Site;

fn read(site: &Site, path: &Value) -> Value {
    let path = path.as_str().unwrap();
    assert!(!path.starts_with('/'), "{path} is relative");
    serde_json::from_str(&fs::read_to_string(site.path().join(path)).unwrap()).unwrap()
}

#[test]
fn a_preview_leaves_only_its_records_and_apply_the_files_too() {
    let site = Site::new();
    let plan = site.call("tokens.build", json!({ "brand": "A", "theme": "dark", "apply": false }));
    assert_eq!(plan["artifacts"], json!([]));
    let transcript = read(&site, &plan["transcriptPath"]);
    assert_eq!((&transcript["command"], &transcript["user"]), (&json!("plan"), &json!("system")));
    assert_eq!(transcript["args"]["payload"], json!({ "brand": "A", "theme": "dark" }));

    let built = site.call("tokens.build", json!({ "brand": "B", "theme": "hc", "apply": true }));
    let names: Vec<&str> = built["artifacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|path| path.as_str().unwrap().rsplit('/').next().unwrap())
        .collect();
    assert_eq!(
        names,
        ["tokens.hc.json", "tokens.css", "tokens.ts", "tokens.tailwind.json", "tokens.tailwind.css"]
    );
    let bundle = read(&site, &built["bundleIndexPath"]);
    let listed: Vec<&str> =
        bundle["files"].as_array().unwrap().iter().map(|file| file["path"].as_str().unwrap()).collect();
    assert!(
        listed.contains(&"transcript.json")
            && listed.contains(&"tokens.css")
            && !listed.contains(&"bundle.json")
    );
    let first: Vec<Vec<u8>> = built["artifacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|path| fs::read(site.path().join(path.as_str().unwrap())).unwrap())
        .collect();
    let again = site.call("tokens.build", json!({ "brand": "B", "theme": "hc", "apply": true }));
    let second: Vec<Vec<u8>> = again["artifacts"]
        .as_array()
        .unwrap()
        .iter()
        .map(|path| fs::read(site.path().join(path.as_str().unwrap())).unwrap())
        .collect();
    assert_eq!(first, second, "byte-identical");
}

#[test]
fn secret_values_stay_out_of_transcripts() {
    let site = Site::with(|config| config.secrets = vec!["correct-horse-battery".into()]);
    let delta = json!({ "base": { "note": { "$value": "correct-horse-battery", "$type": "string" } } });
    let answer = site.call("brand.apply", json!({ "delta": delta }));
    let text = fs::read_to_string(site.path().join(answer["transcriptPath"].as_str().unwrap())).unwrap();
    assert!(!text.contains("correct-horse-battery"), "{text}");
    let transcript: Value = serde_json::from_str(&text).unwrap();
    assert_eq!(
        transcript["redactions"],
        json!([{ "field": "/delta/base/note/$value", "reason": "configured value" }])
    );
}

#[test]
fn a_delta_that_breaks_an_alias_is_refused_and_a_faint_colour_is_reported() {
    let site = Site::new();
    let broken =
        json!({ "delta": { "color": { "brand": { "accent": { "default": "{ref.color.indgo.600}" } } } } });
    let fault: Fault = site.fault("brand.apply", broken);
    assert!(
        fault.message.contains("color.brand.accent.default refers to ref.color.indgo.600"),
        "{}",
        fault.message
    );
    let faint = json!({ "apply": true, "delta": { "base": { "color": { "brand": { "accent": { "default": "#c7c9ff" } } } } } });
    let answer = site.call("brand.apply", faint);
    let notes = answer["preview"]["notes"].to_string();
    assert!(notes.contains("contrast in theme light"), "{notes}");
    assert_eq!(answer["artifacts"].as_array().unwrap().len(), 6);
    assert!(
        read(&site, &answer["diagnosticsPath"])["contrastFailures"]
            .as_array()
            .is_some_and(|list| !list.is_empty())
    );
}

#[test]
fn scoped_and_inherited_deltas_touch_the_right_documents() {
    let site = Site::new();
    let both = site.call("brand.apply", json!({ "delta": { "color": { "brand": { "focus": "#112233" } } } }));
    assert_eq!(
        both["preview"]["notes"]
            .as_array()
            .unwrap()
            .iter()
            .filter(|note| note.as_str().unwrap().ends_with("updated token"))
            .count(),
        3
    );
    let dark = site.call(
        "brand.apply",
        json!({ "delta": { "dark": { "color": { "brand": { "focus": "#ddeeff" } } } } }),
    );
    assert_eq!(dark["preview"]["notes"], json!(["dark: 1 updated token"]));
    let patch = json!({ "delta": [{ "op": "replace", "path": "/dark/color/brand/focus/$value", "value": "#ddeeff" }] });
    assert_eq!(site.call("brand.apply", patch)["preview"]["notes"], json!(["dark: 1 updated token"]));
    site.fault("brand.apply", json!({ "strategy": "alias", "delta": [] }));
    site.fault("brand.apply", json!({ "delta": [{ "op": "remove", "path": "/nope" }] }));
    site.fault("brand.apply", json!({ "brand": "Z", "delta": {} }));
}

#[test]
fn policy_files_narrow_what_may_be_written_and_called() {
    let site = Site::with(|config| {
        config.policy = Some(r#"{"artifactsBase":"out","rules":[{"tool":"tokens.build","allow":["designer"],"writes":["${BASE}/${DATE}/tokens.build/t*.json"],"timeoutMs":1}]}"#.into());
    });
    assert_eq!(site.tool("tokens.build").def.policy.timeout.as_millis(), 1);
    assert_eq!(site.fault("catalog.list", json!({})).code.line().name(), "POLICY_DENIED");
    let fault = site.fault("tokens.build", json!({ "apply": true }));
    assert_eq!(fault.code.line().name(), "POLICY_DENIED");
    let config = mainstay_foundry::FoundryConfig { policy: Some("{".into()), ..Default::default() };
    assert!(mainstay_foundry::tools(config).is_err());
}

#[test]
fn mappings_are_previewed_changed_and_removed_with_etags() {
    let site = Site::new();
    let create = |apply: bool| json!({ "externalSystem": "mui", "externalComponent": "Chip", "oodsTraits": ["Taggable"], "apply": apply });
    let preview = site.call("map.create", create(false));
    assert_eq!(preview["applied"], false);
    assert!(!site.path().join("artifacts/structured-data/component-mappings.json").exists());
    assert!(preview.get("transcriptPath").is_none() && fs::read_dir(site.path()).unwrap().next().is_none());
    let made = site.call("map.create", create(true));
    let transcript = read(&site, &made["transcriptPath"]);
    assert_eq!(
        transcript["artifacts"][0]["path"], "artifacts/structured-data/component-mappings.json",
        "{transcript}"
    );
    assert_eq!(read(&site, &made["bundleIndexPath"])["files"][0]["path"], "transcript.json");
    let stale = json!({ "externalSystem": "mui", "externalComponent": "Chip", "oodsTraits": ["Labelled"], "ifMatch": "0".repeat(64), "apply": true });
    site.fault("map.update", stale);
    let updated = site.call("map.update", json!({ "externalSystem": "MUI", "externalComponent": "chip", "oodsTraits": ["Labeled"], "ifMatch": made["etag"], "apply": true }));
    assert!(updated["warnings"][0].as_str().unwrap().contains("did you mean Labelled"));
    assert_ne!(updated["etag"], made["etag"]);
    assert_eq!(site.call("map.list", json!({}))["etag"], updated["etag"]);
    site.call("map.delete", json!({ "externalSystem": "mui", "externalComponent": "Chip", "apply": true }));
    assert_eq!(site.call("map.list", json!({}))["totalCount"], 0);
    site.fault("map.delete", json!({ "externalSystem": "mui", "externalComponent": "Chip", "apply": true }));
    for coercion in [
        json!({ "type": "enum-map" }),
        json!({ "type": "string-template", "template": "x" }),
        json!({ "type": "type-cast" }),
    ] {
        let args = json!({ "externalSystem": "a", "externalComponent": "b", "oodsTraits": ["Labelled"], "propMappings": [{ "externalProp": "x", "oodsProp": "y", "coercion": coercion }] });
        assert_eq!(site.fault("map.create", args).code.line().name(), "SCHEMA_INPUT");
    }
}

#[test]
fn concurrent_creations_all_arrive() {
    let site = Site::new();
    std::thread::scope(|scope| {
        for number in 0..8 {
            let site = &site;
            scope.spawn(move || {
                site.call("map.create", json!({ "externalSystem": "s", "externalComponent": format!("C{number}"), "oodsTraits": ["Labelled"], "apply": true }));
            });
        }
    });
    assert_eq!(site.call("map.list", json!({}))["totalCount"], 8);
}

#[test]
fn dated_documents_on_disk_are_versions() {
    let site = Site::new();
    let folder = site.path().join("artifacts/structured-data");
    fs::create_dir_all(&folder).unwrap();
    for date in ["2025-11-22", "2025-12-19"] {
        fs::write(
            folder.join(format!("oods-components-{date}.json")),
            r#"{"generatedAt":"x","components":[],"traits":[],"objects":[],"domains":[]}"#,
        )
        .unwrap();
    }
    let list = site.call("structuredData.fetch", json!({ "dataset": "components", "listVersions": true }));
    assert_eq!(list["availableVersions"], json!(["2025-11-22", "2025-12-19", "2026-02-24"]));
    let fetched =
        site.call("structuredData.fetch", json!({ "dataset": "components", "version": "2026-02-20" }));
    assert_eq!(
        (&fetched["resolvedVersion"], &fetched["schemaValidated"]),
        (&json!("2025-12-19"), &json!(false))
    );
    assert_eq!(fetched["validationErrors"], json!(["/patterns is missing"]));
    assert_eq!(
        site.fault("structuredData.fetch", json!({ "dataset": "components", "version": "2026/02/20" }))
            .code
            .line()
            .name(),
        "SCHEMA_INPUT"
    );
}
