//! Composed trees are complete: valid, accessible, and about what was asked for.

use serde_json::{Value, json};

use crate::harness::Site;

pub const INTENTS: [(&str, &str); 8] = [
    ("dashboard of subscriptions with revenue chart", "dashboard"),
    ("registration form with name, email and password", "form"),
    ("subscription detail page", "detail"),
    ("list of subscriptions", "list"),
    ("invoice summary card", "card"),
    ("activity timeline of an organization", "timeline"),
    ("onboarding wizard for a new user", "wizard"),
    ("product inventory table with search", "list"),
];

#[test]
fn every_layout_is_filled_valid_and_accessible() {
    let site = Site::new();
    for (intent, layout) in INTENTS {
        let answer = site.call("design.compose", json!({ "intent": intent }));
        assert_eq!(answer["layout"], *layout, "{intent}");
        assert_eq!(answer["validation"], json!({ "status": "ok", "errors": [], "warnings": [] }), "{intent}");
        let checked = site
            .call("repl.validate", json!({ "mode": "full", "schema": answer["schema"], "checkA11y": true }));
        assert_eq!((&checked["status"], &checked["warnings"]), (&json!("ok"), &json!([])), "{intent}");
        let rendered =
            site.call("repl.render", json!({ "mode": "full", "schema": answer["schema"], "apply": true }));
        assert_eq!((&rendered["status"], &rendered["warnings"]), (&json!("ok"), &json!([])), "{intent}");
    }
}

#[test]
fn objects_of_the_kit_shape_the_fields() {
    let answer = Site::new().call("design.compose", json!({ "intent": "list of subscriptions" }));
    assert_eq!(answer["meta"]["object"], "Subscription");
    let text = answer["schema"].to_string();
    for label in ["Subscriptions", "Renews", "Plan", "past due"] {
        assert!(text.contains(label), "{label}: {text}");
    }
}

#[test]
fn preferences_and_overrides_are_followed() {
    let site = Site::new();
    let answer = site.call("design.compose", json!({ "intent": "user profile", "layout": "detail", "preferences": { "theme": "hc", "tabLabels": ["Me", "Mine"], "tabCount": 2, "componentOverrides": { "metadata": "OwnershipSummary", "nowhere": "Card", "header": "Zork" } } }));
    assert_eq!(answer["schema"]["theme"], "hc");
    assert!(answer["schema"].to_string().contains(r#""tabs":["Me","Mine"]"#));
    let metadata =
        answer["selections"].as_array().unwrap().iter().find(|slot| slot["slotName"] == "metadata").unwrap();
    assert_eq!(
        (&metadata["selectedComponent"], &metadata["candidates"][0]["confidence"]),
        (&json!("OwnershipSummary"), &json!(1.0))
    );
    let codes: Vec<&str> = answer["warnings"]
        .as_array()
        .unwrap()
        .iter()
        .map(|warning| warning["code"].as_str().unwrap())
        .collect();
    assert_eq!(codes, ["UNKNOWN_COMPONENT", "UNKNOWN_SLOT"]);
    assert_eq!(answer["validation"]["status"], "ok");
}

#[test]
fn a_vague_intent_is_answered_with_a_warning() {
    let answer = Site::new().call("design.compose", json!({ "intent": "something nice" }));
    assert_eq!(answer["warnings"][0]["code"], "LOW_LAYOUT_CONFIDENCE");
    assert_ne!(answer["schema"], Value::Null);
}
