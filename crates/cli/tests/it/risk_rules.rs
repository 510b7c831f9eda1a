//! Rules about risks that a user wrote: they hold on every surface, change without a build, and people see the way a
//! value takes.

use serde_json::{Value, json};

use crate::filters::surface::{Http, Mcp, Shell, Surface};
use crate::site::Site;

const RULES: &str = r#"
[[category]]
name = "bus-injection"
ids = ["CWE-74"]
severity = "medium"

[[sink]]
name = "bus.send"
languages = ["python"]
calls = ["bus.send"]
category = "bus-injection"
"#;

fn site() -> Site {
    Site::new()
        .file("bus.py", "def publish(text):\n    bus.send(text)\n")
        .file(
            "web.py",
            "from bus import publish\n\n\ndef announce():\n    text = request.args[\"text\"]\n    publish(text)\n\n\n\
             def announce_fixed():\n    publish(\"hello\")\n",
        )
        .file("risks.toml", RULES)
        .file("mainstay.toml", "risk-rules = \"risks.toml\"\n")
}

fn names(found: Result<Value, String>) -> Result<Vec<String>, String> {
    let found = found?;
    let hits = found["code"].as_array().unwrap().iter();
    let mut names: Vec<String> = hits.filter_map(|hit| hit["name"].as_str().map(str::to_owned)).collect();
    names.sort();
    Ok(names)
}

/// Both ends of the way; what sends a text of its own is on none.
fn both() -> Vec<String> {
    vec!["announce".to_owned(), "publish".to_owned()]
}

#[test]
fn rules_of_a_user_hold_over_mcp_http_and_the_shell() {
    let site = site();
    let args = json!({ "query": "announce OR publish", "mode": "code", "riskFlow": "request->bus.send" });
    let by_category =
        json!({ "query": "announce OR publish", "mode": "code", "riskCategory": "bus-injection" });
    let mut surfaces: [Box<dyn Surface + '_>; 3] =
        [Box::new(Shell(&site)), Box::new(Mcp::start(&site)), Box::new(Http::start(&site))];
    for surface in &mut surfaces {
        let name = surface.name();
        assert_eq!(names(surface.ask(&args)), Ok(both()), "{name}");
        assert_eq!(names(surface.ask(&by_category)), Ok(both()), "{name}");
    }
    // What is written there counts with the next call, also its mistakes.
    site.write("risks.toml", &RULES.replace("\"bus.send\"]", "\"queue.put\"]"));
    for surface in &mut surfaces {
        assert_eq!(names(surface.ask(&args)), Ok(Vec::new()), "{}", surface.name());
    }
    site.write("risks.toml", "[[sink]]\nname = \"x\"\n");
    for surface in &mut surfaces {
        assert_eq!(names(surface.ask(&args)), Err("INVALID_REQUEST".to_owned()), "{}", surface.name());
    }
}

#[test]
fn people_see_the_way_a_value_takes() {
    let site = site();
    let page = site.run(["search", "announce", "--risk-flow", "request->bus.send"]).stdout;
    let flow = "        medium request->bus.send bus-injection CWE-74\n          5  text = request.args[\"text\"]\n          \
                6  publish(text)\n          bus.py:2  bus.send(text)\n";
    assert!(page.contains(flow), "{page}");
    let page = site.run(["search", "announce", "--calls", "publish"]).stdout;
    assert!(page.contains("announce") && !page.contains("request->bus.send"), "{page}");
}
