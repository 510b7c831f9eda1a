//! `symbol_references`, `repo_map` and `impact` on a small shop.

use serde_json::{Value, json};

use crate::site::Site;

fn shop() -> Site {
    Site::indexed(&[
        ("shop/__init__.py", ""),
        (
            "shop/pay.py",
            "class Card:\n    def charge(self, amount):\n        return amount\n\n\ndef charge_all(cards):\n    for card in cards:\n        card.charge(1)\n",
        ),
        (
            "shop/cart.py",
            "from shop.pay import charge_all\n\n\ndef order(cards):\n    charge_all(cards)\n    charge_all([])\n\n\ndef main():\n    order([])\n    print(requests.get('x'))\n",
        ),
        ("shop/mail.py", "def send(text):\n    return text\n"),
        (
            "tests/test_cart.py",
            "from shop.cart import order\n\n\ndef test_order():\n    assert order([]) is None\n",
        ),
        (".github/CODEOWNERS", "/shop/ @shop-team\n"),
    ])
}

fn names(rows: &Value) -> Vec<String> {
    let name = |row: &Value| {
        format!("{}:{} {}", row["file"].as_str().unwrap(), row["line"], row["name"].as_str().unwrap())
    };
    rows.as_array().unwrap().iter().map(name).collect()
}

#[test]
fn references_name_callers_callees_and_how_sure_they_are() {
    let site = shop();
    let found = site.call("symbol_references", json!({ "symbol": "charge_all" })).unwrap();
    assert_eq!(found["definitions"][0]["file"], "shop/pay.py");
    assert_eq!(found["definitions"][0]["signature"], "def charge_all(cards):");
    assert_eq!(names(&found["callers"]), ["shop/cart.py:5 order"]);
    assert_eq!(found["callers"][0]["lines"], json!([5, 6]));
    assert_eq!(found["callers"][0]["text"], "charge_all(cards)");
    assert_eq!(found["callers"][0]["certainty"], "resolved");
    assert_eq!(names(&found["references"]), ["shop/cart.py:1 "]);
    assert_eq!(names(&found["callees"]), ["shop/pay.py:2 Card.charge"]);
    assert_eq!(found["callees"][0]["certainty"], "by-name", "nothing says what a card is");
    for symbol in ["Card.charge", "shop/pay.py:charge", "shop/pay.py:3"] {
        let found = site.call("symbol_references", json!({ "symbol": symbol })).unwrap();
        assert_eq!(names(&found["callers"]), ["shop/pay.py:8 charge_all"], "{symbol}");
    }
    let certain = json!({ "symbol": "Card.charge", "certainty": "resolved", "relation": "callers" });
    assert_eq!(site.call("symbol_references", certain).unwrap()["total"]["callers"], 0);
}

#[test]
fn what_is_defined_elsewhere_is_found_by_name_and_a_slip_is_answered_with_what_is_near() {
    let site = shop();
    let found = site.call("symbol_references", json!({ "symbol": "requests.get" })).unwrap();
    assert_eq!(names(&found["callers"]), ["shop/cart.py:11 main"]);
    assert_eq!(found["callers"][0]["certainty"], "by-name");
    let found = site.call("symbol_references", json!({ "symbol": "charge_al" })).unwrap();
    assert!(found["notes"][0].as_str().unwrap().contains("charge_all"), "{found}");
}

#[test]
fn pages_of_references_join_to_the_whole() {
    let mut files: Vec<(String, String)> = vec![("core.py".into(), "def core():\n    return 1\n".into())];
    files.extend((0..7).map(|at| {
        (format!("m{at}.py"), format!("from core import core\n\n\ndef use_{at}():\n    return core()\n"))
    }));
    let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), text.as_str())).collect();
    let site = Site::indexed(&files);
    let mut all = Vec::new();
    let mut args = json!({ "symbol": "core", "relation": "callers", "limit": 3 });
    loop {
        let found = site.call("symbol_references", args.clone()).unwrap();
        assert_eq!(found["total"]["callers"], 7);
        all.extend(names(&found["callers"]));
        let Some(cursor) = found["cursor"].as_str() else { break };
        args["cursor"] = cursor.into();
    }
    all.sort();
    assert_eq!(all.len(), 7);
    all.dedup();
    assert_eq!(all.len(), 7);
    let other = json!({ "symbol": "use_1", "cursor": args["cursor"] });
    let fault = site.call("symbol_references", other).unwrap_err();
    assert_eq!(fault.code.name(), "INVALID_REQUEST");
}

#[test]
fn a_map_fits_its_tokens_and_follows_its_focus() {
    let site = shop();
    let map = |args: Value| site.call("repo_map", args).unwrap();
    let whole = map(json!({}));
    let text = whole["map"].as_str().unwrap();
    assert!(text.contains("shop/pay.py\n     1 class Card:\n     2   def charge(self, amount):\n"), "{text}");
    assert!(!text.contains("test_order"), "{text}");
    assert_eq!(whole["omitted"]["symbols"], 0);
    assert!(map(json!({ "tests": true }))["map"].as_str().unwrap().contains("test_order"));
    let small = map(json!({ "tokens": 50 }));
    assert!(
        small["tokens"].as_u64().unwrap() <= 50 && small["shown"]["symbols"].as_u64().unwrap() > 0,
        "{small}"
    );
    assert!(small["omitted"]["symbols"].as_u64().unwrap() > 0, "{small}");
    let focused = map(json!({ "tokens": 50, "focus": ["shop/mail.py"] }));
    assert!(focused["map"].as_str().unwrap().starts_with("shop/mail.py\n"), "{focused}");
    assert_eq!(map(json!({ "paths": ["shop/mail.py"] }))["shown"]["files"], 1);
    assert!(map(json!({ "focus": ["nowhere"] }))["notes"][0].as_str().unwrap().contains("nowhere"));
}

#[test]
fn a_diff_reaches_callers_and_tests_and_names_owners() {
    let site = shop();
    let diff = "--- a/shop/pay.py\n+++ b/shop/pay.py\n@@ -6,1 +6,1 @@\n-def charge_all(cards, x):\n+def charge_all(cards):\n";
    let found = site.call("impact", json!({ "diff": diff, "depth": 1 })).unwrap();
    assert_eq!(found["files"], json!([{ "file": "shop/pay.py", "added": 1, "deleted": 1 }]));
    assert_eq!(found["touched"][0]["name"], "charge_all");
    assert!(names(&found["callers"]).contains(&"shop/cart.py:5 order".to_owned()), "{found}");
    assert_eq!(found["total"]["tests"], 0);
    let found = site.call("impact", json!({ "diff": diff })).unwrap();
    assert!(names(&found["callers"]).contains(&"shop/cart.py:10 main".to_owned()), "{found}");
    assert!(names(&found["tests"]).contains(&"tests/test_cart.py:5 test_order".to_owned()), "{found}");
    assert_eq!(
        found["tests"].as_array().unwrap().iter().find(|row| row["name"] == "test_order").unwrap()["via"],
        "order"
    );
    assert_eq!(found["owners"]["codeowners"][0]["owners"], json!(["@shop-team"]));
    let fault = site.call("impact", json!({ "diff": diff, "range": "HEAD" })).unwrap_err();
    assert_eq!(fault.code.name(), "INVALID_REQUEST");
    let fault = site.call("impact", json!({})).unwrap_err();
    assert_eq!(fault.code.name(), "CAPABILITY_MISSING", "there is no git here");
}

#[test]
fn hits_say_what_their_names_mean() {
    let site = shop();
    let found =
        site.call("search", json!({ "query": "order", "calls": "charge_all", "output": "full" })).unwrap();
    let hit = &found["search"]["code"][0];
    assert_eq!(hit["resolved"]["calls"], json!([{ "name": "charge_all", "file": "shop/pay.py", "line": 6 }]));
    assert_eq!(hit["resolved"]["import"], json!([{ "import": "shop.pay", "files": ["shop/pay.py"] }]));
    assert_eq!(
        site.places(json!({ "query": "charge_all", "import": "shop/pay.py" })),
        ["shop/cart.py:4", "shop/cart.py:1"]
    );
}
