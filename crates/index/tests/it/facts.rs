//! Every language with a `facts.scm` has a text that shows what is known of it: exactly what is written down beside it.
//!
//! `UPDATE_GOLDEN=1 cargo test -p mainstay-index --test it facts` rewrites the lists; read the difference.

use crate::fixtures::{self, LANGUAGES};
use mainstay_index::Fact;
use std::fmt::Write as _;
use std::path::{Path, PathBuf};
use std::{env, fs};

fn fixture(language: &str) -> PathBuf {
    fixtures::fixture(&Path::new(env!("CARGO_MANIFEST_DIR")).join("languages"), language)
}

fn listing(path: &Path) -> String {
    let text = fs::read_to_string(path).unwrap();
    let mut out = String::new();
    for (chunk, facts) in mainstay_index::facts(path.to_str().unwrap(), &text) {
        write!(out, "{}-{} {}", chunk.lines.0, chunk.lines.1, chunk.kind.name()).unwrap();
        if !chunk.name.is_empty() {
            write!(out, " {}", chunk.name).unwrap();
        }
        let mut last = None;
        for (fact, value) in facts {
            if last != Some(fact) {
                write!(out, "\n  {}:", fact.name()).unwrap();
            }
            let comma = if last == Some(fact) { "," } else { "" };
            let value = if value.is_empty() { "yes" } else { &value };
            write!(out, "{comma} {value}").unwrap();
            last = Some(fact);
        }
        out.push('\n');
    }
    out
}

#[test]
fn every_fixture_yields_its_facts() {
    let mut wrong = Vec::new();
    for language in LANGUAGES {
        let fixture = fixture(language);
        let golden = fixture.with_extension("golden");
        let found = listing(&fixture);
        if env::var_os("UPDATE_GOLDEN").is_some() {
            fs::write(&golden, &found).unwrap();
        }
        if fs::read_to_string(&golden).unwrap_or_default() != found {
            wrong.push(format!("== {language}\n{found}"));
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
}

#[test]
fn every_language_that_knows_a_fact_shows_it_in_its_fixture() {
    let mut unseen = Vec::new();
    for (language, facts) in mainstay_index::fact_coverage() {
        if !LANGUAGES.contains(&language) {
            continue;
        }
        let text = fs::read_to_string(fixture(language)).unwrap();
        let path = fixture(language);
        let chunks = mainstay_index::facts(path.to_str().unwrap(), &text);
        let seen = |fact: &Fact| chunks.iter().any(|(_, known)| known.iter().any(|(known, _)| known == fact));
        // Risks and mistakes have texts of their own.
        let of_patterns = |fact: &&Fact| !fact.name().starts_with("risk") && **fact != Fact::Lint;
        let facts: Vec<&Fact> = facts.iter().filter(of_patterns).collect();
        unseen.extend(
            facts.iter().filter(|fact| !seen(fact)).map(|fact| format!("{language}: {}", fact.name())),
        );
    }
    assert!(unseen.is_empty(), "{unseen:?}");
}

#[test]
fn the_languages_of_the_contract_know_facts() {
    let known: Vec<&str> =
        mainstay_index::fact_coverage().into_iter().map(|(language, _)| language).collect();
    let missing: Vec<&&str> = LANGUAGES.iter().filter(|language| !known.contains(*language)).collect();
    assert!(missing.is_empty(), "{missing:?}");
}
