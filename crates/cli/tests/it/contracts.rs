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

    let file = site.repo().join("new/search.json");
    let original: Value = serde_json::from_str(&std::fs::read_to_string(&file).unwrap()).unwrap();
    let check = |edit: &dyn Fn(&mut Value), grade: &str, missing: usize| {
        let mut snapshot = original.clone();
        edit(&mut snapshot);
        std::fs::write(&file, snapshot.to_string()).unwrap();
        let ran = diff();
        assert_eq!(ran.exit, 1);
        let result = &ran.json()["result"];
        assert_eq!(result["grade"], grade, "{result}");
        assert_eq!(result["missingBumps"].as_array().unwrap().len(), missing, "{result}");
    };
    check(&|snapshot| snapshot["tools"][0]["description"] = "Other words".into(), "patch", 1);
    check(
        &|snapshot| {
            snapshot["tools"][0]["inputSchema"]["properties"]["extra"] =
                serde_json::json!({ "type": "string" });
        },
        "minor",
        1,
    );
    let break_it = |snapshot: &mut Value| {
        snapshot["tools"][0]["inputSchema"]["required"] = serde_json::json!(["repoPath"]);
    };
    check(&break_it, "major", 2);
    check(
        &|snapshot| {
            break_it(snapshot);
            snapshot["tools"][0]["schemaVersion"] = 99.into();
        },
        "major",
        1,
    );
}
