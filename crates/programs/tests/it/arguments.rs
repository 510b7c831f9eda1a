//! From arguments to words: order, coercion, defaults, policy, option injection.

use serde_json::{Value, json};

use crate::site::Site;

fn every_kind() -> Value {
    json!([
        { "name": "all", "description": "d", "command": "argv sub", "args": [
            { "name": "verbose", "type": "boolean", "flag": "-v" },
            { "name": "first", "positional": true },
            { "name": "count", "type": "integer", "flag": "-n" },
            { "name": "format", "enum": ["json", "text"] },
            { "name": "my_auto" },
            { "name": "key", "flag": "key=" },
            { "name": "word", "flag": "word" },
            { "name": "tags", "type": "array", "flag": "--tag" },
            { "name": "sizes", "type": "array", "items": "integer", "separator": "," },
            { "name": "rest", "type": "array", "positional": true }
        ]},
        { "name": "defaults", "description": "d", "command": "argv", "args": [
            { "name": "limit", "type": "integer", "default": 10 },
            { "name": "on", "type": "boolean", "flag": "--on", "default": true },
            { "name": "pos", "positional": true, "default": "P" }
        ]},
        { "name": "fenced", "description": "d", "command": "argv", "end_of_options": true, "args": [
            { "name": "value", "positional": true }, { "name": "flag", "flag": "--flag" }
        ]},
        { "name": "dashes", "description": "d", "command": "argv", "args": [
            { "name": "value", "positional": true, "allow_dash": true },
            { "name": "order", "positional": true, "enum": ["-asc", "-desc"] }
        ]},
        { "name": "secret", "description": "d", "command": "argv", "args": [
            { "name": "token", "type": "integer", "secret": true, "default": 7 }
        ]}
    ])
}

fn check_words(tool: &str, args: Value, want: &[&str]) {
    let site = Site::new().fixture(every_kind());
    assert_eq!(site.words(tool, args.clone()), want, "{tool} {args}");
}

fn check_text(site: &Site, tool: &str, args: Value, want: &str) {
    let answer = site.call(tool, args.clone());
    assert_eq!((answer.text.as_str(), answer.is_error), (want, true), "{tool} {args}");
}

#[test]
fn words_stand_in_the_contracts_order() {
    check_words("all", json!({}), &["sub"]);
    let args = json!({ "key": "a b", "word": "w", "my_auto": "", "count": "007", "rest": ["x", "y"], "verbose": "true",
        "first": "A", "tags": ["1", "2"], "sizes": [3, "4"], "unknown": [] });
    let want = [
        "sub",
        "A",
        "x",
        "y",
        "-v",
        "-n",
        "7",
        "--my-auto",
        "",
        "key=a b",
        "word",
        "w",
        "--tag",
        "1",
        "--tag",
        "2",
        "--sizes",
        "3,4",
    ];
    check_words("all", args, &want);
    check_words("all", json!({ "verbose": false, "first": null, "tags": [] }), &["sub"]);
}

#[test]
fn defaults_are_applied_everywhere() {
    check_words("defaults", json!({}), &["P", "--limit", "10", "--on"]);
    check_words("defaults", json!({ "on": false, "limit": 3, "pos": "" }), &["", "--limit", "3"]);
    let original = Site::new().fixture(every_kind()).climax();
    assert_eq!(original.words("defaults", json!({})), ["--limit", "10", "--on"]);
}

#[test]
fn failures_are_listed_required_first_then_as_given() {
    let site = Site::new().fixture(json!([{ "name": "t", "description": "d", "command": "argv", "args": [
        { "name": "alpha", "required": true }, { "name": "beta", "required": true },
        { "name": "gamma", "type": "integer" }, { "name": "format", "enum": ["json", "text", "csv"] } ]}]));
    check_text(
        &site,
        "t",
        json!({ "format": "xml", "gamma": "x", "beta": null }),
        "Argument validation failed:\n  - Missing required argument 'alpha'\n  - Missing required argument 'beta'\n  \
         - Argument 'format' must be one of: json, text, csv\n  - Argument 'gamma': cannot convert 'x' to integer",
    );
}

#[test]
fn a_value_never_becomes_an_option() {
    let site = Site::new().fixture(every_kind());
    for value in ["--upload-pack=x", "-", "--"] {
        let refused = site.call("all", json!({ "first": value }));
        assert!(refused.is_error && refused.text.contains("Argument 'first'"), "{}", refused.text);
        let refused = site.call("all", json!({ "word": value }));
        assert!(refused.is_error && refused.text.contains("Argument 'word'"), "{}", refused.text);
        let refused = site.call("all", json!({ "rest": ["a", value] }));
        assert!(refused.is_error, "{}", refused.text);
        check_words("fenced", json!({ "value": value, "flag": "f" }), &["--flag", "f", "--", value]);
        check_words("dashes", json!({ "value": value, "order": "-desc" }), &[value, "-desc"]);
        check_words(
            "all",
            json!({ "my_auto": value, "key": value }),
            &["sub", "--my-auto", value, &format!("key={value}")],
        );
    }
    check_words("fenced", json!({ "value": "plain", "flag": "f" }), &["plain", "--flag", "f"]);
}

#[test]
fn options_can_stand_before_positionals() {
    let args = json!([{ "name": "image", "positional": true }, { "name": "detach", "type": "boolean" }]);
    let tool = |name: &str| json!({ "name": name, "description": "d", "command": "argv", "args": args });
    let mut plain = tool("plain");
    plain["options_first"] = json!(false);
    let site = Site::new().config(
        "o.yaml",
        json!({ "command": crate::site::FIXTURE, "options_first": true, "tools": [tool("run"), plain] }),
    );
    assert_eq!(site.words("run", json!({ "image": "i", "detach": true })), ["--detach", "i"]);
    assert_eq!(site.words("plain", json!({ "image": "i", "detach": true })), ["i", "--detach"]);
}

#[test]
fn secrets_are_not_repeated() {
    let site = Site::new().fixture(every_kind()).policy(
        json!({ "default": "enabled", "tools": { "secret": { "args": { "token": { "max": 100 } } } } }),
    );
    for args in [json!({ "token": "hunter2" }), json!({ "token": 31337 })] {
        let answer = site.call("secret", args);
        assert!(answer.is_error && answer.text.contains("***"), "{}", answer.text);
        assert!(!answer.text.contains("hunter2") && !answer.text.contains("31337"), "{}", answer.text);
    }
    let described = site.call("climax_search", json!({ "query": "secret" })).json();
    assert_eq!(
        described["results"][0]["input_schema"]["properties"]["token"],
        json!({ "type": "integer", "writeOnly": true })
    );
}

#[test]
fn policy_is_checked_after_defaults_and_in_file_order() {
    let site = Site::new().fixture(every_kind()).policy(json!({ "tools": {
        "defaults": { "args": { "pos": { "pattern": "[a-z]+" }, "limit": { "max": 5, "min": 1 } } },
        "a*": { "args": { "count": { "max": 100 }, "my_auto": { "enum": ["x", "y"] } } },
        "all": { "concurrency": 2, "args": { "count": { "min": 1 }, "my_auto": { "pattern": "^x$" } } },
    }}));
    check_text(
        &site,
        "defaults",
        json!({}),
        "Policy validation failed:\n  - Argument 'pos': value 'P' does not match pattern '[a-z]+'\n  \
         - Argument 'limit': value 10 exceeds maximum 5.0",
    );
    assert_eq!(
        site.words("defaults", json!({ "pos": "abc", "limit": "5", "on": 0 })),
        ["abc", "--limit", "5"]
    );
    check_text(
        &site,
        "all",
        json!({ "count": 500 }),
        "Policy validation failed:\n  - Argument 'count': value 500 exceeds maximum 100.0",
    );
    check_text(
        &site,
        "all",
        json!({ "count": 0 }),
        "Policy validation failed:\n  - Argument 'count': value 0 is below minimum 1.0",
    );
    check_text(
        &site,
        "all",
        json!({ "my_auto": "x\n" }),
        "Policy validation failed:\n  - Argument 'my_auto' must be one of: x, y\n  - Argument 'my_auto': value 'x\n' does not match pattern '^x$'",
    );
    let hidden = site.call("climax_call", json!({ "tool_name": "fenced" }));
    assert!(hidden.is_error && hidden.text.starts_with("Unknown tool: fenced"), "{}", hidden.text);
}

#[test]
fn a_bound_on_text_that_is_no_number_refuses() {
    let site = Site::new()
        .fixture(json!([{ "name": "t", "description": "d", "command": "argv", "args": [{ "name": "a" }] }]))
        .policy(json!({ "tools": { "t": { "args": { "a": { "max": 5 } } } } }));
    for value in ["nan", "inf", "many"] {
        check_text(
            &site,
            "t",
            json!({ "a": value }),
            &format!("Policy validation failed:\n  - Argument 'a': value '{value}' is not a number"),
        );
    }
    assert_eq!(site.words("t", json!({ "a": "4.5" })), ["--a", "4.5"]);
}

#[test]
fn one_denied_tool_is_gone() {
    let site = Site::new()
        .fixture(every_kind())
        .policy(json!({ "default": "enabled", "tools": { "sec*": { "deny": true }, "all": { "description": "ours" } } }));
    let found = site.call("climax_search", json!({ "query": "", "limit": 50 })).json();
    let names: Vec<&str> =
        found["results"].as_array().unwrap().iter().map(|hit| hit["tool_name"].as_str().unwrap()).collect();
    assert_eq!(names, ["all", "defaults", "fenced", "dashes"]);
    assert_eq!(found["results"][0]["description"], "ours");
}

#[test]
fn global_arguments_come_last_and_are_not_the_callers() {
    let arg = |name: &str, default: Value| json!({ "name": name, "default": default });
    let site = Site::new()
        .config("g.yaml", json!({ "command": "$PROBE_CMD argv", "global_args": [
            arg("region", json!("eu")), arg("vault", json!("$PROBE_VAULT")), arg("unset", json!("$PROBE_UNSET")),
            arg("empty", json!("")), arg("price", json!("5$")),
            { "name": "loud", "type": "boolean", "default": true }, { "name": "level", "type": "integer", "default": "$PROBE_LEVEL" } ],
            "tools": [{ "name": "t", "description": "d", "args": [{ "name": "q" }] }] }))
        .var("PROBE_CMD", format!("{} ", crate::site::FIXTURE))
        .var("PROBE_VAULT", "v 9")
        .var("PROBE_LEVEL", "3");
    assert_eq!(
        site.words("t", json!({ "q": "1", "region": "evil", "unset": "evil" })),
        ["--q", "1", "--region", "eu", "--vault", "v 9", "--price", "5$", "--loud", "--level", "3"]
    );
}

#[test]
fn arguments_may_come_as_null_or_text() {
    let site = Site::new().fixture(every_kind());
    for args in [json!(null), json!(""), json!("{\"count\": 1}"), json!({ "count": 1 })] {
        let answer = site.call("climax_call", json!({ "tool_name": "all", "args": args }));
        assert!(!answer.is_error, "{args}: {}", answer.text);
    }
    let answer = site.call("climax_call", json!({ "tool_name": "all", "args": [1] }));
    assert_eq!(
        answer.text,
        "Argument validation failed:\n  - Argument 'args': cannot convert '[1]' to object"
    );
    let answer = site.call("climax_call", json!({ "args": {} }));
    assert_eq!(answer.text, "Argument validation failed:\n  - Missing required argument 'tool_name'");
}
