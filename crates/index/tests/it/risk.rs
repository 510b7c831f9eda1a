//! Values from outside that reach a sink, on labelled texts: `expect SOURCE->SINK` or `expect nothing` in each function.

use mainstay_index::Fact;
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
