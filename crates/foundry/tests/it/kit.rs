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
