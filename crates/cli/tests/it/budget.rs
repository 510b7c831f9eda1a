//! An answer budget, over every surface: any tool, any room, the pages join to the whole.

use mainstay_runtime::budget::{Cut, join};
use serde_json::{Value, json};

use crate::client::{Client, Framing};
use crate::http::HttpServer;
use crate::site::Site;

/// Follows the cursors and joins the pages of one call.
fn whole(mut page: impl FnMut(Option<&str>) -> (Value, Value)) -> (Value, usize) {
    let (mut whole, mut left) = page(None);
    let mut pages = 1;
    while let Some(cursor) = left["cursor"].as_str() {
        let (next, after) = page(Some(cursor));
        whole = join(whole, next, &Cut::parse(cursor).unwrap());
        left = after;
        pages += 1;
        assert!(pages < 500, "no end");
    }
    (whole, pages)
}

#[test]
fn pages_over_mcp_join_to_the_answer_and_fit() {
    let site = Site::new();
    let mut client = Client::start(site.mainstay(["mcp"]), Framing::Lines);
    client.initialize();
    for (tool, args) in [
        ("catalog_list", json!({})),
        ("structuredData_fetch", json!({"dataset": "components"})),
        ("instructions_list", json!({})),
        ("meta_tools", json!({})),
        ("design_compose", json!({"intent": "dashboard of subscriptions"})),
    ] {
        let mut call = |meta: Value| {
            let answer =
                client.request("tools/call", json!({"name": tool, "arguments": args, "_meta": meta}));
            let result = &answer["result"];
            assert_eq!(result["isError"], false, "{tool}: {answer}");
            let content = &result["structuredContent"];
            match content.get("ok") {
                Some(_) => (content["result"].clone(), content["_meta"]["page"].clone()),
                None => (content.clone(), result["_meta"]["mainstay/page"].clone()),
            }
        };
        let (full, none) = call(json!({}));
        assert_eq!(none, Value::Null);
        // A tool may be called only so often, so the pages are a part of the whole.
        let size = full.to_string().len() as u64 / 4;
        for max_tokens in [size / 8, size / 3].map(|tokens| tokens.max(400)) {
            let (joined, pages) = whole(|cursor| {
                let mut meta = json!({"mainstay/maxTokens": max_tokens});
                if let Some(cursor) = cursor {
                    meta["mainstay/cursor"] = cursor.into();
                }
                let (page, left) = call(meta);
                assert!(
                    left["over"] == true || left["tokens"].as_u64().unwrap() <= max_tokens,
                    "{tool}: {left}"
                );
                (page, left)
            });
            let same = |value: &Value| {
                let mut value = value.clone();
                strip_times(&mut value);
                value
            };
            assert_eq!(same(&joined), same(&full), "{tool} in {pages} pages");
        }
    }
    assert!(client.close().success());
}

/// Takes out what differs from run to run.
pub fn strip_times(value: &mut Value) {
    match value {
        Value::Object(object) => {
            object.retain(|key, value| {
                let instant = value.as_str().is_some_and(|text| text.parse::<jiff::Timestamp>().is_ok());
                !instant && !key.ends_with("Ms") && key != "uptime" && key != "composedAt"
            });
            object.values_mut().for_each(strip_times);
        }
        Value::Array(items) => items.iter_mut().for_each(strip_times),
        _ => {}
    }
}

#[test]
fn http_and_the_command_line_take_a_budget_too() {
    let site = Site::new();
    let server = HttpServer::start(&site, &[]);
    let full = server.post("/tools/catalog.list", &[], &json!({"pageSize": 20}))["result"].clone();
    let (joined, pages) = whole(|cursor| {
        let mut headers = vec![("mainstay-max-tokens", "900")];
        headers.extend(cursor.map(|cursor| ("mainstay-cursor", cursor)));
        let answer = server.post("/tools/catalog.list", &headers, &json!({"pageSize": 20}));
        (answer["result"].clone(), answer["_meta"]["page"].clone())
    });
    assert!(pages > 1 && joined == full, "{pages} pages");
    let bad = server.post("/tools/catalog.list", &[("mainstay-max-tokens", "few")], &json!({}));
    assert_eq!(bad["error"]["code"], "INVALID_REQUEST");
    server.stop();

    let ran =
        site.run(["call", "catalog.list", "--json", "--answer-tokens", "900", "--answer-detail", "ids"]);
    let answer = ran.json();
    assert!(answer["_meta"]["page"]["tokens"].as_u64().unwrap() <= 900, "{answer}");
    let ran = site.run(["call", "catalog.list", "--answer-tokens", "900"]);
    assert!(ran.stderr.contains("more: go on with --answer-cursor '1:["), "{}", ran.stderr);
}
