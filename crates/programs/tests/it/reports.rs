//! `validate` and `list` say what the original says.

use mainstay_programs::{Dialect, list, validate};
use serde_json::json;

use crate::site::Site;

#[test]
fn validate_counts_and_explains() {
    let site = Site::new()
        .fixture(json!([{ "name": "t", "description": "d" }]))
        .config("m.yaml", json!({ "name": "m", "command": "no-such-program-here", "tools": [] }));
    let check = |words: &[String]| validate(words, None, Dialect::Strict, &site.given.vars);
    let good = check(&site.given.configs);
    assert!(good.is_valid);
    assert_eq!(
        good.to_text(),
        "✓ fixture — 1 tool(s)\n✓ m — 0 tool(s)\n  ⚠ 'no-such-program-here' not found on PATH\n\nAll 2 config(s) valid\n"
    );
    let bad = site.write("bad.yaml", "command: x\n").display().to_string();
    let mixed = check(&[site.given.configs[0].clone(), bad.clone(), "no-such-name".into()]);
    assert!(!mixed.is_valid);
    assert_eq!(
        mixed.to_text(),
        format!(
            "✓ fixture — 1 tool(s)\n✗ {bad}\n    line 1: tools: Field required\n✗ no-such-name\n    \
        no configuration called no-such-name\n\n1 valid, 2 invalid\n"
        )
    );
}

#[test]
fn validate_checks_the_policy_against_the_configurations() {
    let site = Site::new()
        .fixture(json!([{ "name": "t", "description": "d" }]))
        .policy(json!({ "tools": { "t": {}, "ghost": {} } }));
    let check =
        |dialect| validate(&site.given.configs, site.given.policy.as_deref(), dialect, &site.given.vars);
    let lax = check(Dialect::Climax);
    assert!(
        lax.is_valid && lax.to_text().contains("✓ policy — 2 tool rule(s)\n  ⚠ line"),
        "{}",
        lax.to_text()
    );
    let strict = check(Dialect::Strict);
    assert!(
        !strict.is_valid && strict.to_text().ends_with("All 1 config(s) valid, the policy is not\n"),
        "{}",
        strict.to_text()
    );
}

#[test]
fn list_is_sorted_and_notes_arguments() {
    let site = Site::new()
        .config("c.yaml", json!({ "name": "srv", "command": "prog", "tools": [
            { "name": "zeta", "description": "d", "command": "z" },
            { "name": "alpha", "description": "d", "args": [
                { "name": "a", "required": true, "positional": true }, { "name": "n", "type": "integer", "default": 3 },
                { "name": "k", "secret": true, "default": "x" }, { "name": "f", "enum": ["j", "t"], "type": "array" }] }] }))
        .policy(json!({ "default": "enabled", "executor": { "type": "docker", "image": "i" },
            "tools": { "alpha": { "args": { "n": { "min": 1, "max": 9 }, "a": { "pattern": "x+" } } } } }));
    let programs = site.load().unwrap();
    let text = list(&programs.server_name, &programs.catalog).to_text();
    assert_eq!(
        text,
        "srv — 2 tool(s)\nexecutor: docker (i)\n\nalpha  prog    a (required, positional, pattern=x+), \
        n (default=3, min=1.0, max=9.0), k, f (repeatable, enum=j|t)\nzeta   prog z\n"
    );
}
