//! The built-in kit keeps its promises.

use mainstay_foundry::kit::{self, LazyKit, Source};

#[test]
fn the_built_in_kit_has_no_problem() {
    let check = kit::check(Source::Embedded);
    assert_eq!(check.problems, []);
    assert!(check.component_count >= 90, "{} components", check.component_count);
}

#[test]
fn every_name_of_the_contract_exists() {
    let kit = LazyKit::new(Source::Embedded).get().unwrap();
    for name in
        ["Button", "Text", "Stack", "Card", "MetricCard", "StatSummary", "ArchiveEvent", "Table", "Tabs"]
    {
        assert!(kit.component(name).is_some(), "{name}");
    }
    for name in ["Clickable", "Themeable"] {
        assert!(kit.traits.iter().any(|known| known.name == name), "{name}");
    }
    let button = kit.component("Button").unwrap();
    assert!(button.categories.contains(&"core".to_owned()));
}

#[test]
fn palette_hex_values_agree_with_their_components() {
    let kit = LazyKit::new(Source::Embedded).get().unwrap();
    let tokens = kit.tokens("A", "light").unwrap();
    let mut colors = 0;
    for token in tokens.iter() {
        let Some(hex) = token.value.get("hex").and_then(|hex| hex.as_str()) else { continue };
        let computed = mainstay_foundry::color::parse(&token.value).unwrap().hex();
        assert_eq!(computed, hex, "{}", token.path);
        colors += 1;
    }
    assert!(colors > 80, "{colors} colours");
}

fn kit_folder() -> std::path::PathBuf {
    std::path::Path::new(env!("CARGO_MANIFEST_DIR")).join("kit")
}

fn copy(from: &std::path::Path, to: &std::path::Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.path().is_dir() {
            copy(&entry.path(), &target)
        } else {
            std::fs::copy(entry.path(), target).unwrap();
        }
    }
}

/// Checks a copy of the kit after one file was changed.
fn check_changed(file: &str, from: &str, to: &str) -> Vec<String> {
    let folder = tempfile::tempdir().unwrap();
    copy(&kit_folder(), folder.path());
    let path = folder.path().join(file);
    let text = std::fs::read_to_string(&path).unwrap();
    assert!(text.contains(from), "{file} has no {from}");
    std::fs::write(&path, text.replacen(from, to, 1)).unwrap();
    let check = kit::check(Source::Directory(folder.path().to_owned()));
    check
        .problems
        .iter()
        .map(|problem| format!("{} {}: {}", problem.code, problem.at, problem.message))
        .collect()
}

#[test]
fn the_published_schema_is_current_and_the_kit_fits_it() {
    let path = kit_folder().join("schema.json");
    let current = mainstay_foundry::json::pretty(&kit::schema());
    if std::env::var_os("UPDATE_GOLDEN").is_some() {
        std::fs::write(&path, &current).unwrap();
    }
    assert_eq!(std::fs::read_to_string(&path).unwrap_or_default(), current, "refresh with UPDATE_GOLDEN=1");
    let schema: serde_json::Value = serde_json::from_str(&current).unwrap();
    for file in [
        "kit.json",
        "archetypes.json",
        "traits.json",
        "objects.json",
        "domains.json",
        "patterns.json",
        "components/primitive.json",
    ] {
        let key = if file.starts_with("components/") { "components/*.json" } else { file };
        let document =
            serde_json::from_str(&std::fs::read_to_string(kit_folder().join(file)).unwrap()).unwrap();
        let errors: Vec<String> = jsonschema::validator_for(&schema["files"][key])
            .unwrap()
            .iter_errors(&document)
            .map(|e| e.to_string())
            .collect();
        assert_eq!(errors, Vec::<String>::new(), "{file}");
    }
}

#[test]
fn a_kit_in_a_directory_works_like_the_built_in_one() {
    let site = crate::harness::Site::with(|config| config.kit = Some(kit_folder()));
    let built_in = crate::harness::Site::new();
    let args = serde_json::json!({ "intent": "list of subscriptions" });
    assert_eq!(site.call("design.compose", args.clone()), built_in.call("design.compose", args));
    let broken = crate::harness::Site::with(|config| config.kit = Some("/nowhere/at/all".into()));
    let fault = broken.fault("catalog.list", serde_json::json!({}));
    assert!(fault.hint.unwrap().contains("kit check"));
}

#[test]
fn a_check_names_what_is_wrong_with_a_kit() {
    let check = |file, from, to, expected: &str| {
        let problems = check_changed(file, from, to);
        assert!(
            problems.iter().any(|problem| problem.contains(expected)),
            "{expected} is not in {problems:#?}"
        );
    };
    check(
        "tokens/system.json",
        "{theme.surface.canvas}",
        "{theme.surface.canvass}",
        "sys.surface.canvas refers to theme.surface.canvass",
    );
    check("tokens/system.json", "{theme.surface.raised}", "{cmp.card.bg}", "aliases form a cycle");
    check(
        "tokens/theme.light.json",
        "{ref.color.neutral.600}",
        "{ref.color.neutral.300}",
        "CONTRAST brand A, theme light: muted-text",
    );
    check(
        "components/primitive.json",
        "\"archetype\": \"button\"",
        "\"archetype\": \"knob\"",
        "unknown archetype knob",
    );
    check("components/primitive.json", "\"Clickable\"", "\"Clickabel\"", "UNKNOWN_TRAIT Button");
    check("archetypes.json", "\"el\": \"button\"", "\"el\": \"script\"", "element script is not allowed");
    check("kit.json", "\"version\"", "\"verzion\"", "KIT_INVALID");
    check("kit.json", "components/behavioral.json", "../secret.json", "leaves the kit");
}
