//! Billing fixtures: compared, drawn, and switched.

use std::fs;

use serde_json::{Value, json};

use crate::harness::Site;

fn names(answer: &Value) -> Vec<&str> {
    let paths = answer["artifacts"].as_array().unwrap().iter().map(|path| path.as_str().unwrap());
    paths.map(|path| path.splitn(6, '/').last().unwrap()).collect()
}

fn text(site: &Site, answer: &Value, name: &str) -> String {
    let paths = answer["artifacts"].as_array().unwrap();
    let path = paths.iter().find(|path| path.as_str().unwrap().ends_with(name)).unwrap().as_str().unwrap();
    fs::read_to_string(site.path().join(path)).unwrap()
}

#[test]
fn a_review_kit_holds_records_pages_and_differences() {
    let site = Site::new();
    let args = json!({ "object": "Subscription", "fixtures": ["stripe", "chargebee"], "apply": true });
    let made = site.call("billing.reviewKit", args);
    assert_eq!(
        names(&made),
        [
            "specimens/stripe.subscription.json",
            "specimens/stripe.subscription.html",
            "specimens/chargebee.subscription.json",
            "specimens/chargebee.subscription.html",
            "diffs/stripe-vs-chargebee.subscription.json",
            "index.html",
            "summary.md",
            "index.json",
            "diagnostics.json",
        ]
    );
    assert_eq!(made["preview"]["summary"], "Subscription: 5 fields differ between stripe and chargebee.");
    let diff: Value =
        serde_json::from_str(&text(&site, &made, "diffs/stripe-vs-chargebee.subscription.json")).unwrap();
    let paths: Vec<&str> =
        diff["differences"].as_array().unwrap().iter().map(|one| one["path"].as_str().unwrap()).collect();
    assert_eq!(paths, ["collection", "customer", "id", "periodEnd", "plan"]);
    let page = text(&site, &made, "index.html");
    for shown in ["588.00 USD", "chargebee", "sub_9KpTeamAnnual", "AzqTeam12Xw", "prefers-color-scheme: dark"]
    {
        assert!(page.contains(shown), "{shown}");
    }
    assert!(!page.contains("http://") && !page.contains("https://") && !page.contains("oods-unknown\""));
    assert_eq!(made["diagnosticsPath"].as_str().unwrap().rsplit('/').next(), Some("diagnostics.json"));

    for object in ["Invoice", "Plan", "Usage"] {
        let plan = site.call("billing.reviewKit", json!({ "object": object }));
        assert_eq!(plan["artifacts"], json!([]));
        assert!(plan["preview"]["notes"].as_array().unwrap().len() <= 6);
        assert!(!plan["preview"]["diffs"][0]["hunks"].as_array().unwrap().is_empty());
    }
    let alone =
        site.call("billing.reviewKit", json!({ "object": "Plan", "fixtures": ["chargebee"], "apply": true }));
    assert_eq!(alone["preview"]["summary"], "Plan: one provider, nothing to compare.");
}

#[test]
fn wrong_arguments_of_the_billing_tools_are_refused() {
    let site = Site::new();
    for args in [
        json!({}),
        json!({ "object": "Refund" }),
        json!({ "object": "Plan", "fixtures": [] }),
        json!({ "object": "Plan", "fixtures": ["paypal"] }),
        json!({ "object": "Plan", "fixtures": ["stripe", "stripe"] }),
    ] {
        assert!(!site.accepts("billing.reviewKit", &args), "{args}");
        assert_eq!(site.fault("billing.reviewKit", args).code.line().name(), "SCHEMA_INPUT");
    }
    for args in [json!({}), json!({ "provider": "paypal" }), json!({ "provider": "stripe", "force": true })] {
        assert!(!site.accepts("billing.switchFixtures", &args), "{args}");
        assert_eq!(site.fault("billing.switchFixtures", args).code.line().name(), "SCHEMA_INPUT");
    }
    assert!(!site.path().join("artifacts").exists());
}

#[test]
fn a_switch_is_remembered_and_a_dry_run_changes_nothing() {
    let site = Site::new();
    let switch = |provider: &str, apply: bool| {
        site.call("billing.switchFixtures", json!({ "provider": provider, "apply": apply }))
    };
    let before = |answer: &Value| answer["structuredData"]["previousProvider"].as_str().unwrap().to_owned();
    assert_eq!(before(&switch("chargebee", false)), "stripe");
    assert_eq!(before(&switch("chargebee", false)), "stripe", "a dry run is not remembered");
    let made = switch("chargebee", true);
    assert_eq!(
        names(&made),
        [
            "switch-state.json",
            "diffs/stripe-to-chargebee.subscription.json",
            "diffs/stripe-to-chargebee.invoice.json",
            "switch-summary.md"
        ]
    );
    let state: Value = serde_json::from_str(&text(&site, &made, "switch-state.json")).unwrap();
    assert_eq!((&state["provider"], &state["previousProvider"]), (&json!("chargebee"), &json!("stripe")));
    let same = switch("chargebee", true);
    assert_eq!(same["preview"]["summary"], "chargebee is in use already; nothing changes.");
    let back = switch("stripe", true);
    assert_eq!(before(&back), "chargebee");
    assert!(back["preview"]["summary"].as_str().unwrap().starts_with("Switched from chargebee to stripe; "));

    // A state that cannot be read is named, not trusted.
    let day = back["transcriptPath"].as_str().unwrap().split('/').nth(2).unwrap().to_owned();
    let file = format!("artifacts/current-state/{day}/billing.switchFixtures/switch-state.json");
    fs::write(site.path().join(file), "{").unwrap();
    let odd = switch("chargebee", false);
    assert!(odd["preview"]["notes"].to_string().contains("not readable"), "{odd}");
}
