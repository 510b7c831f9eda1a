//! `contract lock`, `check` and `diff` from end to end.

use serde_json::Value;

use crate::site::Site;

#[test]
fn a_lock_holds_until_the_tools_change() {
    let site = Site::new();
    let missing = site.run(["contract", "check"]);
    assert_eq!(
        missing.transcript(),
        "exit: 3\n--- stderr\nerror: no lock file at mainstay.lock.json\nhint: record one with `mainstay contract lock`\n"
    );
    assert_eq!(site.run(["contract", "lock"]).exit, 0);
    let same = site.run(["contract", "check"]);
    assert_eq!((same.exit, same.stdout.as_str()), (0, "No difference\n"));
    let fewer = site.run(["contract", "check", "--exclude-tools", "index_status", "--json"]);
    assert_eq!(fewer.exit, 1);
    let result = &fewer.json()["result"];
    assert_eq!(result["grade"], "major");
    assert_eq!(result["changes"][0]["what"], "the tool was removed");
}

#[test]
fn a_change_between_snapshots_is_graded_and_asks_for_its_bump() {
    let site = Site::new();
    for dir in ["old", "new"] {
        assert_eq!(site.run(["contract", "snapshot", dir]).exit, 0);
    }
    let diff = || site.run(["contract", "diff", "old", "new", "--json"]);
    let same = diff();
    assert_eq!((same.exit, &same.json()["result"]["grade"]), (0, &Value::Null));

    for toolset in ["search", "programs", "catalog", "foundry"] {
        let file = site.repo().join(format!("new/{toolset}.json"));
        let text = std::fs::read_to_string(&file).unwrap();
        let original: Value = serde_json::from_str(&text).unwrap();
        // A tool with an optional argument to play with.
        let has_optional = |tool: &Value| {
            let required = tool["inputSchema"]["required"].as_array().cloned().unwrap_or_default();
            let named = tool["inputSchema"]["properties"].as_object()?;
            named.keys().find(|name| !required.contains(&Value::from(name.as_str()))).cloned()
        };
        let tools = original["tools"].as_array().unwrap();
        let (at, name) =
            tools.iter().enumerate().find_map(|(at, tool)| Some((at, has_optional(tool)?))).unwrap();
        let check = |edit: &dyn Fn(&mut Value), grade: &str, missing: usize| {
            let mut snapshot = original.clone();
            edit(&mut snapshot["tools"][at]);
            std::fs::write(&file, snapshot.to_string()).unwrap();
            let ran = diff();
            assert_eq!(ran.exit, 1);
            let result = &ran.json()["result"];
            assert_eq!(result["grade"], grade, "{toolset}: {result}");
            assert_eq!(result["missingBumps"].as_array().unwrap().len(), missing, "{toolset}: {result}");
        };
        check(&|tool| tool["description"] = "Other words".into(), "patch", 1);
        let extra = |tool: &mut Value| {
            tool["inputSchema"]["properties"]["extra"] = serde_json::json!({ "type": "string" });
        };
        check(&extra, "minor", 1);
        let remove = |tool: &mut Value| {
            tool["inputSchema"]["properties"].as_object_mut().unwrap().remove(&name);
        };
        check(&remove, "major", 2);
        check(&|tool| tool["inputSchema"]["required"] = serde_json::json!([name]), "major", 2);
        let bumped = |tool: &mut Value| {
            remove(tool);
            tool["schemaVersion"] = 99.into();
        };
        check(&bumped, "major", 1);
        std::fs::write(&file, text).unwrap();
    }
}
