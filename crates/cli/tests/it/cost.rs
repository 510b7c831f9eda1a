//! `tools cost`: what definitions cost, split, and a budget that fails.

use serde_json::Value;

use crate::site::{Site, workspace};

const NOTES: &str = "name: notes
description: Notes
command: env
tools:
- name: notes_keep
  description: Keep a note.
  command: touch
  args:
  - {name: file, positional: true, required: true, description: Its file}
";

fn cost(site: &Site, more: &[&str]) -> (i32, Value) {
    let words =
        ["tools", "cost", "--json", "--toolsets", "programs", "--classic", "--programs", "notes.yaml"];
    let ran = site.run(words.into_iter().chain(more.iter().copied()));
    (ran.exit, ran.json()["result"].clone())
}

fn row(result: &Value) -> &Value {
    result["tools"].as_array().unwrap().iter().find(|row| row["tool"] == "notes_keep").unwrap()
}

#[test]
fn a_sentence_more_costs_more_and_can_fail_the_budget() {
    let site = Site::new().file("notes.yaml", NOTES);
    let (exit, before) = cost(&site, &[]);
    assert_eq!(exit, 0);
    let number = |result: &Value, key: &str| row(result)[key].as_u64().unwrap();
    assert_eq!(number(&before, "total"), number(&before, "description") + number(&before, "schema"));
    let sum = &before["toolsets"]["programs"];
    assert_eq!(sum["total"].as_u64(), before["total"].as_u64());
    assert_eq!(
        sum["total"].as_u64().unwrap(),
        sum["description"].as_u64().unwrap() + sum["schema"].as_u64().unwrap()
    );
    for profile in
        ["default", "search", "programs", "catalog", "foundry", "discovery", "read-only", "everything"]
    {
        assert!(before["profiles"][profile]["total"].as_u64().unwrap() > 0, "{profile}");
    }

    site.write(
        "budget.toml",
        &format!("[tools]\nnotes_keep = {}\n[toolsets]\nprograms = 100000\n", number(&before, "total")),
    );
    assert_eq!(cost(&site, &["--budget-file", "budget.toml"]).0, 0);
    site.write(
        "notes.yaml",
        &NOTES.replace("Keep a note.", "Keep a note. The file is made when there is none."),
    );
    let (exit, after) = cost(&site, &["--budget-file", "budget.toml"]);
    assert_eq!((exit, &after["withinBudget"]), (1, &Value::Bool(false)));
    assert!(number(&after, "description") > number(&before, "description"));
    assert_eq!(number(&after, "schema"), number(&before, "schema"));
    assert_eq!(after["over"][0]["what"], "notes_keep");
    let said = site
        .run([
            "tools",
            "cost",
            "--toolsets",
            "programs",
            "--classic",
            "--programs",
            "notes.yaml",
            "--budget-file",
            "budget.toml",
        ])
        .stderr;
    assert!(said.contains("notes_keep: ") && said.contains("more than the budget of"), "{said}");

    site.write("budget.toml", "[tools]\nnotes_kept = 9\n");
    let (exit, wrong) = cost(&site, &["--budget-file", "budget.toml"]);
    assert_eq!(
        (exit, wrong["over"].as_array().unwrap().len()),
        (1, 1),
        "a name that nothing has is a mistake"
    );
    let (exit, total) = cost(&site, &["--budget", "1"]);
    assert_eq!((exit, &total["over"][0]["what"]), (1, &Value::from("all tools")));
}

#[test]
fn our_own_definitions_are_within_their_budget() {
    let file = workspace().join("ci/token-budget.toml");
    let ran = Site::new().run(["tools", "cost", "--budget-file", file.to_str().unwrap(), "--toolset", "all"]);
    assert_eq!(ran.exit, 0, "{}", ran.stderr);
}
