//! Values from outside that reach a sink, on labelled texts: `expect SOURCE->SINK` or `expect nothing` in each function.

use crate::site::{Site, ask_with};
use mainstay_index::{Fact, FactFilter, Filters, Options, Ranking, RiskRules, Want};
use std::collections::BTreeSet;
use std::path::Path;

/// What a function is labelled with, and what was found in it.
struct Case {
    place: String,
    expected: BTreeSet<String>,
    found: BTreeSet<String>,
}

fn cases() -> Vec<Case> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/risk");
    let mut paths: Vec<_> = std::fs::read_dir(folder).unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut out = Vec::new();
    for path in paths {
        let text = std::fs::read_to_string(&path).unwrap();
        let file = path.file_name().unwrap().to_str().unwrap();
        for (chunk, facts) in mainstay_index::facts(file, &text) {
            let body = &text[chunk.span.start as usize..chunk.span.end as usize];
            if !chunk.kind.is_callable() {
                continue;
            }
            let labels = body.lines().filter_map(|line| line.split_once("expect ")).map(|(_, label)| label);
            let labels: Vec<&str> = labels.map(|label| label.trim().trim_end_matches("*/").trim()).collect();
            assert!(!labels.is_empty(), "{file}: {} has no label", chunk.name);
            let expected =
                labels.into_iter().filter(|label| *label != "nothing").map(str::to_owned).collect();
            let found = facts.into_iter().filter(|(fact, _)| *fact == Fact::RiskFlow).map(|(_, flow)| flow);
            out.push(Case { place: format!("{file} {}", chunk.name), expected, found: found.collect() });
        }
    }
    out
}

#[test]
fn flows_are_found_and_nothing_else_is() {
    let cases = cases();
    assert!(cases.len() >= 80, "{} labelled functions", cases.len());
    let (mut hits, mut missed, mut wrong) = (0usize, Vec::new(), Vec::new());
    for Case { place, expected, found } in &cases {
        hits += expected.intersection(found).count();
        missed.extend(expected.difference(found).map(|flow| format!("{place} misses {flow}")));
        wrong.extend(found.difference(expected).map(|flow| format!("{place} invents {flow}")));
    }
    let of = |part: usize, rest: usize| part as f64 / (part + rest).max(1) as f64;
    let (precision, recall) = (of(hits, wrong.len()), of(hits, missed.len()));
    assert!(
        wrong.is_empty() && missed.is_empty(),
        "precision {precision:.2}, recall {recall:.2} of {hits} flows in {} functions\n{}\n{}",
        cases.len(),
        wrong.join("\n"),
        missed.join("\n")
    );
}

/// Every flow of the labelled repository, by function: those of one definition and those across calls.
#[test]
fn flows_are_followed_across_calls_and_files() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/risk_calls");
    let site = Site::new();
    copy(&folder, &site.repo());
    site.build();
    let index = site.open();
    let any = FactFilter { name: "riskFlow", want: Want::Part(Fact::RiskFlow, "->".into()) };
    let filters = Filters { facts: vec![any], ..Filters::default() };
    // All hits of a file, not only its best.
    let ranking = Ranking::Text;
    let options = Options { limit: 1_000, facts: true, filters, ranking, ..Options::default() };
    let answer = ask_with(&index, "/expect/", &options);
    let found = |path: &str, line: u32| -> BTreeSet<String> {
        let hits = answer.hits.iter().filter(|hit| hit.path == path && hit.lines.0 == line);
        let flows = hits.flat_map(|hit| &hit.facts).filter(|(fact, _)| *fact == Fact::RiskFlow);
        flows.map(|(_, flow)| flow.clone()).collect()
    };
    let relations = index.relations().unwrap();
    let (mut hits, mut functions, mut missed, mut wrong) = (0, 0, Vec::new(), Vec::new());
    for path in relations.files() {
        let text = std::fs::read_to_string(folder.join(path)).unwrap();
        for (chunk, _) in
            mainstay_index::facts(path, &text).iter().filter(|(chunk, _)| chunk.kind.is_callable())
        {
            let body = &text[chunk.span.start as usize..chunk.span.end as usize];
            let labels =
                body.lines().filter_map(|line| line.split_once("expect ")).map(|(_, label)| label.trim());
            let expected: BTreeSet<String> =
                labels.filter(|label| *label != "nothing").map(str::to_owned).collect();
            let found = found(path, chunk.lines.0);
            functions += 1;
            hits += expected.intersection(&found).count();
            missed.extend(
                expected.difference(&found).map(|flow| format!("{path} {} misses {flow}", chunk.name)),
            );
            wrong.extend(
                found.difference(&expected).map(|flow| format!("{path} {} invents {flow}", chunk.name)),
            );
        }
    }
    let of = |part: usize, rest: usize| part as f64 / (part + rest).max(1) as f64;
    let (precision, recall) = (of(hits, wrong.len()), of(hits, missed.len()));
    assert!(functions >= 45, "{functions} labelled functions");
    assert!(
        wrong.is_empty() && missed.is_empty(),
        "precision {precision:.2}, recall {recall:.2} of {hits} flows in {functions} functions\n{}\n{}",
        wrong.join("\n"),
        missed.join("\n")
    );
}

#[test]
fn a_path_across_calls_names_every_step() {
    let site = Site::new()
        .file("a.py", "from flask import request\nfrom b import run\n\n\ndef view():\n    name = request.args[\"x\"]\n    run(name)\n")
        .file("b.py", "import os\n\n\ndef run(command):\n    line = \"ls \" + command\n    os.system(line)\n");
    site.build();
    let want = Want::Part(Fact::RiskFlow, "request->os.system".into());
    let filters = Filters { facts: vec![FactFilter { name: "riskFlow", want }], ..Filters::default() };
    let answer = ask_with(&site.open(), "view", &Options { facts: true, filters, ..Options::default() });
    assert_eq!(answer.hits.len(), 1);
    let step = |step: &mainstay_index::RiskStep| {
        format!("{}:{} {}", step.file.as_deref().unwrap_or("here"), step.line, step.text)
    };
    let path: Vec<String> = answer.hits[0].flows[0].path.iter().map(step).collect();
    assert_eq!(
        path,
        [
            "here:6 name = request.args[\"x\"]",
            "here:7 run(name)",
            "b.py:5 line = \"ls \" + command",
            "b.py:6 os.system(line)"
        ]
    );
}

#[test]
fn rules_of_a_user_add_and_take_away() {
    let site = Site::new().file(
        "a.py",
        "from flask import request\nimport os\n\n\ndef launch_it():\n    launch(request.args[\"x\"])\n\n\ndef cleaned():\n    os.system(scrub(request.args[\"x\"]))\n",
    );
    site.build();
    let index = site.open();
    let find = |rules: RiskRules, fact: Fact, value: &str| {
        let filters = Filters {
            facts: vec![FactFilter { name: "riskFlow", want: Want::Part(fact, value.into()) }],
            ..Filters::default()
        };
        let options = Options { facts: true, filters, rules, ..Options::default() };
        let mut found: Vec<String> =
            ask_with(&index, "request", &options).hits.into_iter().map(|hit| hit.name).collect();
        found.sort();
        found
    };
    let own = RiskRules::with(
        "[[category]]\nname = \"launch\"\nids = [\"CWE-99\"]\nseverity = \"low\"\n\n\
         [[sink]]\nname = \"launch\"\nlanguages = [\"python\"]\ncalls = [\"launch\"]\ncategory = \"launch\"\n\n\
         [[sanitizer]]\nname = \"scrub\"\nlanguages = [\"python\"]\ncalls = [\"scrub\"]\n",
    )
    .unwrap();
    let built_in = RiskRules::default();
    assert_eq!(find(built_in, Fact::RiskFlow, "->"), ["cleaned"]);
    assert_eq!(find(own, Fact::RiskFlow, "->"), ["launch_it"]);
    assert_eq!(find(own, Fact::RiskCategory, "cwe-99"), ["launch_it"]);
    assert_eq!(find(built_in, Fact::RiskFlow, "->"), ["cleaned"], "the index did not change");
}

fn copy(from: &Path, to: &Path) {
    std::fs::create_dir_all(to).unwrap();
    for entry in std::fs::read_dir(from).unwrap().map(Result::unwrap) {
        match entry.path().is_dir() {
            true => copy(&entry.path(), &to.join(entry.file_name())),
            false => drop(std::fs::copy(entry.path(), to.join(entry.file_name())).unwrap()),
        }
    }
}
