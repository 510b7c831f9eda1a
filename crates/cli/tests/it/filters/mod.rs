//! Every argument of the contract's table has its effect, over MCP, HTTP and on the command line.
//!
//! A filter keeps the right chunk and drops its near decoys in every language that has the concept; cold and warm, before
//! and after the plain question, alone and joined with `lang` and `path`.

mod fixture;
pub mod surface;

use std::collections::BTreeSet;

use serde_json::{Value, json};

use crate::filter_rows::{ALL, Row, row, rows};
use crate::site::Site;
use fixture::{FUNCTIONS, RISKS, repository};
use surface::{Http, Mcp, Shell, Surface};

/// Whatever a row is about is found by this.
const QUERY: &str = "target OR numbers OR book OR ping OR list OR settled OR disputed OR good OR bad";

fn languages(of: &[(&'static str, &str, &str)]) -> Vec<&'static str> {
    of.iter().map(|(language, ..)| *language).collect()
}

/// The rows about risks: what is common to all the languages, then what their libraries are called.
fn risks() -> Vec<Row> {
    let named = |args: Value, language: &'static str, names| row(args, vec![language], names);
    let mut rows = Vec::new();
    for (argument, value) in [
        ("riskFlow", "->"),
        ("riskCategory", "CWE-78"),
        ("riskTag", "command-exec"),
        ("risk", "command-exec"),
    ] {
        for language in languages(RISKS) {
            let names = match language {
                "c" | "cpp" => ("list", "list_fixed"),
                "python" | "ruby" => ("ping", "ping_fixed"),
                "php" => ("ping", "pingQuoted"),
                _ => ("ping", "pingFixed"),
            };
            // A quoted value still reaches the shell; only the flow is gone.
            let names = match (argument, language) {
                ("riskFlow", _) => names,
                (_, "php") => (names.0, "greet"),
                _ => names,
            };
            rows.push(named(json!({ argument: value }), language, names));
        }
    }
    for (language, source, sink, names) in [
        ("c", "argv", "system", ("list", "list_fixed")),
        ("cpp", "argv", "system", ("list", "list_fixed")),
        ("go", "request", "exec.Command", ("ping", "pingFixed")),
        ("java", "request", "exec", ("ping", "pingFixed")),
        ("javascript", "req", "exec", ("ping", "pingFixed")),
        ("php", "superglobal", "exec", ("ping", "greetEscaped")),
        ("python", "request", "os.system", ("ping", "ping_fixed")),
        ("ruby", "params", "system", ("ping", "ping_fixed")),
        ("typescript", "req", "exec", ("ping", "pingFixed")),
    ] {
        rows.push(named(json!({ "riskSource": source, "riskSink": sink }), language, names));
        rows.push(named(json!({ "riskSource": source }), language, names));
        rows.push(named(json!({ "riskSink": sink }), language, names));
    }
    rows
}

/// The rows about files, history, mistakes and places.
fn surroundings() -> Vec<Row> {
    let history = || languages(FUNCTIONS);
    let mut rows = vec![
        row(json!({"author": "bob builder"}), history(), ("disputed", "target")),
        row(json!({"author": "nobody, ANN@example.org"}), ALL.to_vec(), ("target", "disputed")),
        row(json!({"chunkAuthor": "bob"}), history(), ("disputed", "settled")),
        row(json!({"churnMin": 30}), ALL.to_vec(), ("target", "disputed")),
        row(json!({"modifiedAfter": "2023-01-01"}), history(), ("disputed", "target")),
        row(json!({"modifiedSince": 30}), history(), ("disputed", "target")),
        row(json!({"lint": true}), history(), ("bad", "good")),
        row(json!({"lint": false}), history(), ("good", "bad")),
        row(json!({"branch": "main"}), ALL.to_vec(), ("target", "nothing")),
        row(json!({"type": "function"}), vec!["bash", "c", "lua"], ("target", "decoys")),
        row(
            json!({"type": "MethodDeclaration, trait"}),
            vec!["csharp", "go", "java", "php", "python", "ruby", "rust", "typescript"],
            ("target", "Book"),
        ),
        row(json!({"path": "history/accounts"}), history(), ("settled", "target")),
        row(json!({"path": ["/HISTORY/Acc/i", "**/nothing"]}), history(), ("settled", "target")),
        row(json!({"file": "**/history/Accounts.*"}), history(), ("settled", "target")),
        row(json!({"path": "history/accounts", "caseFile": true}), vec!["python"], ("nothing", "settled")),
        row(json!({"path": "history/Accounts", "caseFile": true}), history(), ("settled", "target")),
        row(json!({"path": "history/accounts", "case": true}), vec!["python"], ("nothing", "settled")),
        row(json!({"caseTokens": true, "query": "BOOK OR settled"}), history(), ("settled", "Book")),
        row(json!({"case": true, "query": "BOOK OR settled"}), history(), ("settled", "Book")),
    ];
    for (language, ext, _) in FUNCTIONS {
        rows.push(row(json!({ "ext": format!("*.{ext}") }), vec![language], ("settled", "nothing")));
        rows.push(row(json!({ "ext": [ext, "none"] }), vec![language], ("settled", "nothing")));
    }
    rows.extend(
        ALL.iter().map(|one| row(json!({ "lang": format!("{one}, css") }), vec![one], ("target", "nothing"))),
    );
    rows
}

fn with(args: &Value, more: &Value) -> Value {
    let mut out = args.clone();
    out.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    out
}

/// `LANGUAGE NAME` of every hit in code.
fn hits(surface: &mut dyn Surface, args: &Value) -> BTreeSet<String> {
    let asked = with(&json!({ "query": QUERY, "mode": "code", "top": 700 }), args);
    let found = surface.ask(&asked).unwrap_or_else(|code| panic!("{args} on {}: {code}", surface.name()));
    let name = |hit: &Value| {
        let language = hit["file"].as_str().unwrap().split('/').next().unwrap();
        format!("{language} {}", hit["name"].as_str().unwrap_or_default())
    };
    found["code"].as_array().unwrap().iter().map(name).collect()
}

/// What is wrong with the answers to one row.
fn judge(row: &Row, found: &BTreeSet<String>) -> Vec<String> {
    let Row { args, languages, keeps, drops } = row;
    let loses = |language: &&str| *keeps != "nothing" && !found.contains(&format!("{language} {keeps}"));
    let takes = |language: &&str| found.contains(&format!("{language} {drops}"));
    let lost = languages.iter().filter(|one| loses(one)).map(|one| format!("{args} loses {keeps} in {one}"));
    let taken = languages.iter().filter(|one| takes(one)).map(|one| format!("{args} keeps {drops} in {one}"));
    lost.chain(taken).collect()
}

fn table() -> Vec<Row> {
    rows().into_iter().chain(risks()).chain(surroundings()).collect()
}

/// Asks every row, alone and joined with a language and a folder; `plain_first` is the order within each row.
fn walk(surface: &mut dyn Surface, plain_first: bool, wrong: &mut Vec<String>) -> Vec<BTreeSet<String>> {
    let plain = plain_first.then(|| hits(surface, &json!({})));
    let mut table: Vec<(usize, Row)> = table().into_iter().enumerate().collect();
    if !plain_first {
        table.reverse();
    }
    let mut answers = vec![BTreeSet::new(); table.len()];
    for (at, row) in &table {
        let found = hits(surface, &row.args);
        wrong.extend(judge(row, &found).into_iter().map(|what| format!("{}: {what}", surface.name())));
        let own = row.args.as_object().unwrap();
        if !["lang", "path", "file"].iter().any(|key| own.contains_key(*key)) {
            let language = row.languages[0];
            let expected: BTreeSet<String> =
                found.iter().filter(|hit| hit.starts_with(&format!("{language} "))).cloned().collect();
            for more in [json!({ "lang": language }), json!({ "path": format!("/^{language}\\//") })] {
                let joined = hits(surface, &with(&row.args, &more));
                if joined != expected {
                    wrong.push(format!("{}: {} and {more}: {joined:?}", surface.name(), row.args));
                }
            }
        }
        answers[*at] = found;
    }
    let after = hits(surface, &json!({}));
    assert!(plain.is_none_or(|plain| plain == after), "filters left the plain question as it was");
    answers
}

#[test]
fn every_filter_has_its_effect_on_every_surface() {
    let site = repository();
    assert_eq!(site.run(["index", "build", "--json"]).exit, 0);
    let mut wrong = Vec::new();
    let warm = walk(&mut Mcp::start(&site), true, &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    let cold = walk(&mut Http::start(&site), false, &mut wrong);
    assert!(wrong.is_empty(), "{}", wrong.join("\n"));
    for (row, (warm, cold)) in table().iter().zip(warm.iter().zip(&cold)) {
        assert_eq!(warm, cold, "{}", row.args);
    }
    // A process for each question: as cold as it gets. One row for each argument is enough to see its flag work.
    let mut seen = BTreeSet::new();
    for (row, warm) in table().iter().zip(&warm) {
        let arguments: BTreeSet<String> = row.args.as_object().unwrap().keys().cloned().collect();
        if arguments.iter().any(|argument| !seen.contains(argument)) {
            assert_eq!(&hits(&mut Shell(&site), &row.args), warm, "{}", row.args);
            seen.extend(arguments);
        }
    }
}

/// The arguments of the contract that are not filters on code.
fn shapes(site: &Site, surface: &mut dyn Surface) {
    let mut ask = |args: Value| {
        let asked = with(&json!({ "query": "target" }), &args);
        surface.ask(&asked).unwrap_or_else(|code| panic!("{args} on {}: {code}", surface.name()))
    };
    let count = |found: &Value, mode: &str| found[mode].as_array().unwrap().len();
    assert_eq!(ask(json!({ "query": "sym:disputed", "lang": "go" }))["code"][0]["name"], "disputed");
    assert_eq!((count(&ask(json!({ "top": 2 })), "code"), count(&ask(json!({ "top": 7 })), "code")), (2, 7));
    let snippet = |found: Value| found["code"][0]["snippet"]["text"].as_str().unwrap().lines().count();
    assert_eq!(snippet(ask(json!({ "context": 0, "lang": "python" }))), 1);
    assert!(snippet(ask(json!({ "context": 2, "lang": "python" }))) > 2);
    assert!(ask(json!({ "output": "compact" }))["code"][0].get("lang").is_none());
    for output in ["full", "json"] {
        assert!(ask(json!({ "output": output }))["code"][0].get("lang").is_some(), "{output}");
    }
    assert_eq!(ask(json!({ "backend": "native" }))["backend"], "native");
    assert_eq!(ask(json!({ "backend": "sqlite" }))["backend"], "sqlite");
    assert_eq!(ask(json!({ "ann": false }))["code"], ask(json!({}))["code"]);
    let other = site.home().join("other");
    let found = ask(json!({ "repoPath": other.to_str().unwrap() }));
    assert_eq!(found["code"][0]["file"], "only.py");
    for (mode, code, prose, extracted, records) in [
        (None, true, true, true, false),
        (Some("code"), true, false, false, false),
        (Some("prose"), false, true, true, false),
        (Some("extracted-prose"), false, false, true, false),
        (Some("both"), true, true, true, false),
        (Some("all"), true, true, true, true),
        (Some("records"), false, false, false, true),
    ] {
        let query = json!({ "query": "target OR injection" });
        let found = ask(mode.map_or(query.clone(), |mode| with(&query, &json!({ "mode": mode }))));
        let seen = ["code", "prose", "extractedProse", "records"].map(|key| count(&found, key) > 0);
        assert_eq!(seen, [code, prose, extracted, records], "{mode:?}");
    }
    let packages = |found: Value| -> Vec<String> {
        let names = found["records"].as_array().unwrap().iter();
        names.map(|hit| hit["record"]["packageName"].as_str().unwrap().to_owned()).collect()
    };
    for args in [
        json!({ "meta": "package.name=lodash" }),
        json!({ "meta": ["package.name=lodash", "vuln.severity=high"] }),
        json!({ "metaJson": "{\"package\": {\"name\": \"lodash\"}}" }),
    ] {
        let asked = with(&args, &json!({ "query": "injection", "mode": "records" }));
        assert_eq!(packages(ask(asked)), ["lodash"], "{args}");
    }
    let none = json!({ "query": "injection", "mode": "records", "meta": ["package.name=lodash", "vuln.severity=low"] });
    assert!(packages(ask(none)).is_empty());
}

#[test]
fn every_other_argument_has_its_effect_on_every_surface() {
    let site = repository();
    let other = site.home().join("other");
    std::fs::create_dir_all(&other).unwrap();
    std::fs::write(other.join("only.py"), "def target():\n    return 1\n").unwrap();
    for (tool, args) in [
        ("build_index", json!({})),
        ("build_sqlite_index", json!({})),
        ("build_index", json!({ "repoPath": other.to_str().unwrap() })),
        ("triage_ingest", json!({ "source": "dependabot", "inputPath": "alerts.json" })),
    ] {
        let ran = site.run(["call", tool, "--json", "--args", &args.to_string()]);
        assert_eq!(ran.exit, 0, "{tool}: {}", ran.transcript());
    }
    shapes(&site, &mut Mcp::start(&site));
    shapes(&site, &mut Http::start(&site));
    shapes(&site, &mut Shell(&site));
}

#[test]
fn what_cannot_be_is_empty_and_what_is_wrong_is_refused() {
    let site = repository();
    assert_eq!(site.run(["index", "build", "--json"]).exit, 0);
    let (mut mcp, mut http, mut shell) = (Mcp::start(&site), Http::start(&site), Shell(&site));
    let mut surfaces: [&mut dyn Surface; 3] = [&mut mcp, &mut http, &mut shell];
    for surface in &mut surfaces {
        for impossible in [
            json!({ "async": true, "lang": "c" }),
            json!({ "param": "amount", "type": "struct" }),
            json!({ "path": "python/", "lang": "go" }),
            json!({ "ext": "py", "lang": "go" }),
            json!({ "author": "bob", "modifiedAfter": "2999-01-01" }),
            json!({ "branch": "no-such-branch" }),
            json!({ "branchesMin": 200, "loopsMin": 200 }),
            json!({ "generator": true, "async": true, "lang": "go" }),
        ] {
            assert!(hits(*surface, &impossible).is_empty(), "{impossible} on {}", surface.name());
        }
        for wrong in [
            json!({ "mode": "nonsense" }),
            json!({ "backend": "nonsense" }),
            json!({ "output": "nonsense" }),
            json!({ "ann": "maybe" }),
            json!({ "top": 0 }),
            json!({ "top": "many" }),
            json!({ "context": -1 }),
            json!({ "type": "no-such-kind" }),
            json!({ "lang": "no-such-language" }),
            json!({ "path": "/(/" }),
            json!({ "file": "/[/" }),
            json!({ "branchesMin": -1 }),
            json!({ "loopsMin": "two" }),
            json!({ "breaksMin": 1.5 }),
            json!({ "continuesMin": 1000 }),
            json!({ "churnMin": -1 }),
            json!({ "modifiedAfter": "yesterday" }),
            json!({ "modifiedSince": -1 }),
            json!({ "async": "yes" }),
            json!({ "generator": "yes" }),
            json!({ "returns": "yes" }),
            json!({ "lint": "yes" }),
            json!({ "case": "yes" }),
            json!({ "caseFile": "yes" }),
            json!({ "caseTokens": "yes" }),
            json!({ "metaJson": "{" }),
            json!({ "noSuchArgument": 1 }),
            json!({ "signature": " " }),
            json!({ "param": "" }),
        ] {
            let asked = with(&json!({ "query": "target" }), &wrong);
            let code = surface.ask(&asked).err();
            assert_eq!(code.as_deref(), Some("INVALID_REQUEST"), "{wrong} on {}", surface.name());
        }
    }
}
