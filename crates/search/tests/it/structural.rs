//! Every filter on facts keeps the right chunk and drops its near decoys, in every language that has the concept.
//!
//! The texts are the fixtures of the language folders: `target` has every fact, `decoy` only mentions the same words in
//! comments, strings and functions without a name.

use std::collections::BTreeSet;
use std::path::Path;

use mainstay_contract::ErrorCode;
use serde_json::{Value, json};

use crate::filter_rows::{ALL, Row, fixture, imports, rows};
use crate::site::Site;

/// The fixture of every language, in a folder of its own.
fn site() -> Site {
    let site = Site::new(&[]);
    let languages = Path::new(env!("CARGO_MANIFEST_DIR")).join("../index/languages");
    for language in ALL {
        let (name, text) = fixture(&languages, language);
        site.write(&format!("{language}/{name}"), &text);
    }
    site.call("build_index", json!({})).unwrap();
    site
}

/// `LANGUAGE NAME` of every hit in code.
fn hits(site: &Site, args: &Value) -> BTreeSet<String> {
    let mut args = args.clone();
    args["query"] = args.get("query").cloned().unwrap_or(json!("target OR numbers OR book"));
    args["mode"] = json!("code");
    args["top"] = json!(500);
    let found = site.call("search", args).unwrap();
    let hits = found["search"]["code"].as_array().unwrap();
    let name = |hit: &Value| {
        let (language, _) = hit["file"].as_str().unwrap().split_once('/').unwrap();
        format!("{language} {}", hit["name"].as_str().unwrap_or_default())
    };
    hits.iter().map(name).collect()
}

#[test]
fn every_filter_keeps_the_target_and_drops_the_decoy() {
    let site = site();
    let plain = hits(&site, &json!({}));
    for language in ALL {
        for name in ["target", "decoy"] {
            assert!(
                plain.contains(&format!("{language} {name}")),
                "{language} {name} is found without filters"
            );
        }
    }
    let mut wrong = Vec::new();
    for Row { args, languages, keeps, drops } in rows() {
        let found = hits(&site, &args);
        for language in languages {
            if !found.contains(&format!("{language} {keeps}")) {
                wrong.push(format!("{args} loses {keeps} in {language}"));
            }
            if found.contains(&format!("{language} {drops}")) {
                wrong.push(format!("{args} keeps {drops} in {language}"));
            }
        }
    }
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    assert_eq!(hits(&site, &json!({})), plain, "a filtered query leaves the plain one as it was");
}

#[test]
fn filters_join_in_any_order_warm_and_cold() {
    let mut site = site();
    let pairs = [
        (json!({"async": true}), json!({"throws": "LedgerError"})),
        (json!({"branchesMin": 3}), json!({"param": "amount"})),
        (json!({"writes": "total"}), json!({"lang": "go, python, java"})),
        (json!({"calls": "settle"}), json!({"type": "function"})),
    ];
    for (left, right) in &pairs {
        let (left_hits, right_hits) = (hits(&site, left), hits(&site, right));
        let mut both = left.clone();
        both.as_object_mut().unwrap().extend(right.as_object().unwrap().clone());
        let joined = hits(&site, &both);
        assert_eq!(joined, left_hits.intersection(&right_hits).cloned().collect(), "{both}");
        assert!(!joined.is_empty(), "{both}");
        // The other order, by a process that has seen nothing.
        site.restart();
        assert_eq!(hits(&site, &both), joined, "{both} cold");
        assert_eq!((hits(&site, right), hits(&site, left)), (right_hits, left_hits), "after {both}");
    }
    for impossible in [
        json!({"async": true, "visibility": "no-such"}),
        json!({"async": true, "lang": "c"}),
        json!({"branchesMin": 200}),
        json!({"param": "amount", "type": "struct"}),
        json!({"param": "Amount"}),
    ] {
        assert!(hits(&site, &impossible).is_empty(), "{impossible}");
    }
}

#[test]
fn imports_are_a_fact_of_the_whole_file() {
    let site = site();
    for Row { args, languages, .. } in imports() {
        let (found, import, language) = (hits(&site, &args), &args["import"], languages[0]);
        assert!(found.contains(&format!("{language} target")), "{import}: {found:?}");
        let folders: BTreeSet<&str> = found.iter().filter_map(|hit| hit.split(' ').next()).collect();
        // Two languages may spell a module alike.
        assert!(folders.len() <= 2 && !folders.contains("scala"), "{import}: {found:?}");
    }
    assert!(hits(&site, &json!({"import": "ledger.CLIENT"})).is_empty(), "imports are exact");
}

#[test]
fn calls_match_either_side_and_signatures_match_in_their_case() {
    let site = site();
    let callers = hits(&site, &json!({"calls": "decoy", "query": "target"}));
    assert!(callers.contains("python decoy") && !callers.contains("python target"), "{callers:?}");
    let whole = hits(&site, &json!({"calls": "ledger.settle"}));
    assert!(whole.contains("python target") && !whole.contains("c target"), "{whole:?}");
    let found = hits(&site, &json!({"signature": "def target(self, amount: int"}));
    assert_eq!(found, ["python target".to_owned()].into());
    assert!(hits(&site, &json!({"signature": "DEF target"})).is_empty());
    let spaced = hits(&site, &json!({"signature": "async   def target"}));
    assert_eq!(spaced, ["python target".to_owned()].into());
}

#[test]
fn full_answers_say_what_is_known() {
    let site = site();
    let args = json!({"query": "target", "mode": "code", "lang": "python", "async": true, "output": "full"});
    let found = site.call("search", args).unwrap();
    let facts = &found["search"]["code"][0]["facts"];
    assert_eq!(
        (&facts["async"], &facts["throws"], &facts["branches"]),
        (&json!(true), &json!(["LedgerError"]), &json!(3))
    );
    let plain = site.call("search", json!({"query": "target", "mode": "code", "output": "full"})).unwrap();
    assert!(plain["search"]["code"][0].get("facts").is_none());
}

#[test]
fn a_filter_a_language_cannot_meet_is_said() {
    let site = site();
    let warned = |args: Value| {
        let mut args = args;
        args["query"] = json!("target");
        site.warnings("search", args)
    };
    assert_eq!(warned(json!({"async": true, "lang": "python"})), Vec::<Value>::new());
    let warnings = warned(json!({"async": true, "lang": "c, python"}));
    assert_eq!(warnings.len(), 1);
    assert_eq!(
        (&warnings[0]["code"], &warnings[0]["filter"], &warnings[0]["languages"]),
        (&json!("FILTER_NOT_KNOWN"), &json!("async"), &json!(["c"]))
    );
    let everywhere = warned(json!({"decorator": "audited"}));
    assert_eq!(everywhere[0]["languages"], json!(["bash", "elixir", "go", "lua", "ruby"]));
}

/// A value each filter on facts accepts.
fn any_value(filter: &str) -> Value {
    match filter {
        "async" | "generator" | "returns" | "lint" => json!(true),
        "branchesMin" | "loopsMin" | "breaksMin" | "continuesMin" => json!(1),
        _ => json!("anything"),
    }
}

#[test]
fn every_gap_of_the_table_is_said_and_nothing_else() {
    let site = site();
    let table: Vec<(&str, Vec<&str>)> =
        mainstay_search::fact_coverage().into_iter().filter(|(language, _)| ALL.contains(language)).collect();
    let all: BTreeSet<&str> = table.iter().flat_map(|(_, filters)| filters.iter().copied()).collect();
    assert_eq!((table.len(), all.len()), (ALL.len(), 28));
    for filter in all {
        let gaps: BTreeSet<&str> = table
            .iter()
            .filter(|(_, known)| !known.contains(&filter))
            .map(|(language, _)| *language)
            .collect();
        let said = |lang: &str| -> BTreeSet<String> {
            let args = json!({ "query": "target", filter: any_value(filter), "lang": lang });
            let warnings = site.warnings("search", args);
            let of_filter = warnings.iter().filter(|warning| warning["code"] == "FILTER_NOT_KNOWN");
            let mut languages = BTreeSet::new();
            for warning in of_filter {
                assert_eq!(warning["filter"], *filter);
                languages.extend(
                    warning["languages"]
                        .as_array()
                        .unwrap()
                        .iter()
                        .map(|one| one.as_str().unwrap().to_owned()),
                );
            }
            languages
        };
        let expected: BTreeSet<String> = gaps.iter().map(|one| (*one).to_owned()).collect();
        assert_eq!(said(&ALL.join(",")), expected, "{filter}");
        for language in ALL {
            let expected: BTreeSet<String> =
                gaps.get(language).map(|one| (*one).to_owned()).into_iter().collect();
            assert_eq!(said(language), expected, "{filter} in {language}");
        }
    }
}

#[test]
fn facts_follow_a_changed_file_and_an_incremental_build() {
    let site = Site::indexed(&[("a.py", "def one(x):\n    return x\n"), ("b.py", "def two(y):\n    pass\n")]);
    let found = |site: &Site| -> Vec<String> {
        let mut places = site.places(json!({"query": "def one two three", "param": "fresh"}));
        places.sort();
        places
    };
    assert!(found(&site).is_empty());
    site.write("c.py", b"def three(fresh):\n    return fresh\n");
    let end = std::time::Instant::now() + std::time::Duration::from_secs(10);
    while found(&site).is_empty() {
        assert!(std::time::Instant::now() < end, "the new file was never found");
        std::thread::yield_now();
    }
    site.call("build_index", json!({})).unwrap();
    assert_eq!(found(&site), ["c.py:1"]);
}

#[test]
fn wrong_values_are_refused() {
    let def = mainstay_search::search_definition();
    let properties = &def.input["properties"];
    for name in ["branchesMin", "loopsMin", "breaksMin", "continuesMin"] {
        assert_eq!(
            (&properties[name]["minimum"], &properties[name]["maximum"]),
            (&json!(0), &json!(255)),
            "{name}"
        );
    }
    let site = Site::indexed(&[("a.py", "def one(x):\n    return x\n")]);
    for args in
        [json!({"async": "yes"}), json!({"branchesMin": -1}), json!({"param": 3}), json!({"signature": " "})]
    {
        let mut args = args;
        args["query"] = json!("one");
        let fault = site.call("search", args.clone()).unwrap_err();
        assert_eq!(fault.code, ErrorCode::InvalidRequest, "{args}");
    }
}

#[test]
fn risks_filter_by_tag_source_sink_category_and_flow() {
    let python = "from flask import request\nimport os\n\n\ndef ping():\n    host = request.args['host']\n    os.system('ping ' + host)\n\n\ndef fixed():\n    # request.args os.system command-exec http-input\n    os.system('ping localhost')\n\n\ndef ours(command):\n    os.system(command)\n";
    let script = "function ping(req) {\n  exec(`ping ${req.query.host}`);\n}\n\nfunction match(pattern, text) {\n  // ping command-exec\n  return pattern.exec(text);\n}\n";
    let site = Site::indexed(&[
        ("python/web.py", python),
        ("javascript/web.js", script),
        ("rust/a.rs", "fn ping() { tokio::spawn(run()); }\n"),
    ]);
    for (args, expected) in [
        (json!({"riskFlow": "request->os.system"}), vec!["python ping"]),
        (json!({"riskFlow": "->"}), vec!["javascript ping", "python ping"]),
        (json!({"riskTag": "command-exec"}), vec!["javascript ping", "python ours", "python ping"]),
        (json!({"risk": "http-input"}), vec!["javascript ping", "python ping"]),
        (json!({"risk": "no-such", "riskTag": "http-input"}), vec!["javascript ping", "python ping"]),
        (json!({"riskSource": "request"}), vec!["python ping"]),
        (json!({"riskSink": "os.system"}), vec!["python ours", "python ping"]),
        (json!({"riskCategory": "CWE-78"}), vec!["javascript ping", "python ours", "python ping"]),
        (json!({"riskCategory": "sql"}), vec![]),
    ] {
        let mut args = args;
        args["query"] = json!("ping OR match OR system");
        let found: Vec<String> = hits(&site, &args).into_iter().collect();
        assert_eq!(found, expected, "{args}");
    }
    let args = json!({"query": "ping", "lang": "python", "riskFlow": "->", "output": "full", "mode": "code"});
    let flow = site.call("search", args).unwrap()["search"]["code"][0]["riskFlows"][0].clone();
    assert_eq!(
        (&flow["category"], &flow["ids"][0], &flow["path"][0]["line"], &flow["path"][1]["text"]),
        (&json!("command-injection"), &json!("CWE-78"), &json!(6), &json!("os.system('ping ' + host)"))
    );
    let warnings = site.warnings("search", json!({"query": "ping", "risk": "sql"}));
    assert_eq!(warnings[0]["languages"], json!(["rust"]));
}

#[test]
fn mistakes_of_syntax_are_lint() {
    let site = Site::indexed(&[(
        "go/a.go",
        "package a\n\nfunc good() int {\n\treturn 1\n}\n\nfunc bad() int {\n\treturn (1 +\n}\n",
    )]);
    let names = |wanted: bool| hits(&site, &json!({"query": "good OR bad", "lint": wanted}));
    assert_eq!(names(true), ["go bad".to_owned()].into());
    assert!(names(false).contains("go good") && !names(false).contains("go bad"));
}
