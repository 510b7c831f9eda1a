//! What a filter costs: the same query plain and with each filter on facts, one after the other.

use mainstay_index::{Fact, FactFilter, Filters, Index, Mode, Options, Query, Want};
use std::path::Path;

pub fn run(tree: &Path, store: &Path, queries: &[String], usage: fn() -> (f64, f64)) {
    let index = Index::open(tree, store).expect("the index opens");
    let part = |fact, text: &str| Want::Part(fact, text.to_owned());
    let wants: Vec<(&'static str, Option<Want>)> = vec![
        ("plain", None),
        ("param", Some(Want::Exact(Fact::Param, "self".into()))),
        ("calls", Some(Want::Calls("get".into()))),
        ("uses", Some(Want::Uses("request".into()))),
        ("reads", Some(part(Fact::Read, "request"))),
        ("writes", Some(part(Fact::Write, "name"))),
        ("mutates", Some(part(Fact::Mutate, "self."))),
        ("throws", Some(part(Fact::Throw, "Error"))),
        ("decorator", Some(part(Fact::Decorator, "property"))),
        ("returnType", Some(part(Fact::ReturnType, "str"))),
        ("inferredType", Some(part(Fact::Type, "int"))),
        ("visibility", Some(part(Fact::Visibility, "public"))),
        ("import", Some(Want::Exact(Fact::Import, "os".into()))),
        ("returns", Some(Want::Flag(Fact::Returns, true))),
        ("branchesMin", Some(Want::AtLeast(Fact::Branch, 3))),
        ("lint", Some(Want::Lint(false, Default::default()))),
        ("signature", Some(Want::Signature("def get".into()))),
    ];
    for text in queries {
        let query = Query::parse(text).expect("the query parses");
        println!("{text}");
        let mut plain = 0.0;
        for (name, want) in &wants {
            let facts = want.iter().map(|want| FactFilter { name, want: want.clone() }).collect();
            let options = Options { mode: Mode::Code, filters: Filters { facts, ..Filters::default() }, ..Options::default() };
            let answer = index.search(&query, &options).expect("the search answers");
            let (before, rounds) = (usage().0, 200);
            for _ in 0..rounds {
                let _ = index.search(&query, &options);
            }
            let cpu_ms = (usage().0 - before) * 1e3 / f64::from(rounds);
            if want.is_none() {
                plain = cpu_ms;
            }
            println!("  {name:<13} {:>6} hits {cpu_ms:>7.2} CPU-ms {:>6.2} of plain", answer.total, cpu_ms / plain);
        }
    }
}
