//! Findings, decisions and packs over the life of a repository.

use std::sync::Arc;

use mainstay_contract::{Caller, ErrorCode};
use serde_json::{Value, json};

use crate::site::Site;

const JUNE: &str = "2030-06-01T00:00:00Z";

fn finding(site: &Site) -> String {
    let args = json!({
        "source": "manual",
        "input": { "vulnId": "X-1", "cve": "CVE-2030-0001", "title": "Templates run code", "severity": "high",
            "packageName": "lodash", "ecosystem": "npm", "manifestPath": "package.json", "functions": ["template"] },
        "meta": { "service": "shop", "team": "core", "tier": 1 },
    });
    site.call_at(JUNE, "triage_ingest", args).unwrap()["recordIds"][0].as_str().unwrap().to_owned()
}

fn records(site: &Site, now: &str, args: Value) -> Vec<Value> {
    let mut args = args;
    args["mode"] = json!("records");
    site.call_at(now, "search", args).unwrap()["search"]["records"].as_array().unwrap().clone()
}

#[test]
fn a_changed_finding_keeps_its_id_and_its_first_date() {
    let site = Site::new(&[]);
    let ingest = |now: &str, severity: &str| {
        let input = json!({"id": "A", "title": "A hole", "severity": severity});
        site.call_at(now, "triage_ingest", json!({"source": "generic", "input": input})).unwrap()
    };
    let first = ingest("2030-01-01T00:00:00Z", "low");
    assert_eq!(first["records"][0]["change"], "new");
    assert_eq!(ingest("2030-01-02T00:00:00Z", "low")["records"][0]["change"], "unchanged");
    let changed = ingest("2030-01-03T00:00:00Z", "high");
    assert_eq!(
        (&changed["records"][0]["change"], &changed["recordIds"]),
        (&json!("changed"), &first["recordIds"])
    );
    let hit = &records(&site, JUNE, json!({"query": "*", "output": "full"}))[0];
    assert_eq!(hit["record"]["createdAt"], "2030-01-01T00:00:00.000Z");
    assert_eq!(hit["record"]["updatedAt"], "2030-01-03T00:00:00.000Z");
}

#[test]
fn the_newest_decision_counts_until_it_expires() {
    let site = Site::new(&[]);
    let id = finding(&site);
    let decide = |now: &str, args: Value| {
        let mut args = args;
        args["finding"] = json!(id);
        site.call_at(now, "triage_decision", args)
    };
    let status = |now: &str| {
        records(&site, now, json!({"query": "lodash", "meta": "recordType=finding"}))[0]["record"]["status"]
            .clone()
    };
    assert_eq!(status(JUNE), "open");
    let accepted =
        decide(JUNE, json!({"status": "accept", "justification": "behind a wall", "expires": "2030-06-10"}))
            .unwrap();
    assert_eq!(
        (&accepted["current"]["status"], &accepted["current"]["expiresAt"]),
        (&json!("accept"), &json!("2030-06-11T00:00:00.000Z"))
    );
    assert_eq!(status("2030-06-10T23:59:59Z"), "accept");
    assert_eq!(status("2030-06-11T00:00:00Z"), "open", "nobody renewed it");
    let again =
        decide(JUNE, json!({"status": "accept", "justification": "behind a wall", "expires": "2030-06-10"}))
            .unwrap();
    assert_eq!(
        (&again["recordId"], &again["unchanged"]),
        (&accepted["recordId"], &json!(true)),
        "a call repeated adds nothing"
    );
    let fixed = decide("2030-06-12T00:00:00Z", json!({"status": "fix", "reviewer": "ann"})).unwrap();
    assert_eq!(fixed["supersedes"], accepted["recordId"]);
    assert_eq!(
        fixed["history"]
            .as_array()
            .unwrap()
            .iter()
            .map(|one| one["state"].as_str().unwrap())
            .collect::<Vec<_>>(),
        ["active", "superseded"]
    );
    assert_eq!(status("2031-01-01T00:00:00Z"), "fix");
}

#[test]
fn a_decision_says_why_and_until_when() {
    let site = Site::new(&[]);
    let id = finding(&site);
    for (args, field) in [
        (json!({"status": "accept"}), "justification"),
        (json!({"status": "false_positive", "justification": "  "}), "justification"),
        (json!({"status": "fix", "expires": "soon"}), "expires"),
        (json!({"status": "fix", "expires": "2030-05-30"}), "expires"),
    ] {
        let mut args = args;
        args["finding"] = json!(id);
        let fault = site.call_at(JUNE, "triage_decision", args.clone()).unwrap_err();
        assert_eq!(
            (fault.code, &fault.details["field"]),
            (ErrorCode::InvalidRequest, &json!(field)),
            "{args}"
        );
    }
    let fault = site.call("triage_decision", json!({"finding": "nobody", "status": "fix"})).unwrap_err();
    assert_eq!(fault.code, ErrorCode::NotFound);
    let first = site.call("triage_decision", json!({"finding": id, "status": "fix"})).unwrap();
    let fault =
        site.call("triage_decision", json!({"finding": first["recordId"], "status": "fix"})).unwrap_err();
    assert_eq!(fault.code, ErrorCode::InvalidRequest, "a decision is no finding");
    let defer = |supersedes: &Value| {
        site.call(
            "triage_decision",
            json!({"finding": id, "status": "defer", "justification": "later", "supersedes": supersedes}),
        )
    };
    assert!(defer(&first["recordId"]).is_ok());
    let fault = defer(&first["recordId"]).unwrap_err();
    assert_eq!(fault.code, ErrorCode::InvalidRequest, "somebody else decided meanwhile");
    assert!(fault.details.contains_key("current"));
}

#[test]
fn a_decided_finding_that_changes_is_named() {
    let site = Site::new(&[]);
    let ingest = |title: &str| {
        site.call("triage_ingest", json!({"source": "manual", "input": {"id": "A", "title": title}})).unwrap()
    };
    let id = ingest("one")["recordIds"][0].clone();
    site.call(
        "triage_decision",
        json!({"finding": id, "status": "not_affected", "justification": "not used"}),
    )
    .unwrap();
    assert!(ingest("one").get("decisionsToReview").is_none());
    assert_eq!(ingest("two")["decisionsToReview"], json!([id]));
}

#[test]
fn records_are_searched_like_code_and_filtered_by_field() {
    let site = Site::indexed(&[("a.rs", "fn templates() {}\n")]);
    let id = finding(&site);
    let other = json!({"source": "manual", "input": [{"id": "Y-2", "title": "Slow expressions", "severity": "low", "packageName": "marked"}]});
    site.call("triage_ingest", other).unwrap();
    let ids = |args: Value| -> Vec<String> {
        records(&site, JUNE, args).iter().map(|hit| hit["name"].as_str().unwrap().to_owned()).collect()
    };
    assert_eq!(ids(json!({"query": "CVE-2030-0001"})), ["X-1"]);
    assert_eq!(ids(json!({"query": "\"Slow expressions\""})), ["Y-2"]);
    assert_eq!(ids(json!({"query": "/lod.sh/"})), ["X-1"]);
    assert_eq!(ids(json!({"query": "*"})), ["X-1", "Y-2"], "worst first");
    assert_eq!(ids(json!({"query": "*", "meta": "severity=low"})), ["Y-2"]);
    assert_eq!(ids(json!({"query": "*", "meta": ["team=core", "packageName=lodash"]})), ["X-1"]);
    assert_eq!(ids(json!({"query": "*", "metaJson": {"service": "shop", "tier": 1}})), ["X-1"]);
    assert_eq!(ids(json!({"query": "*", "metaJson": "{\"status\": \"fix\"}"})), [""; 0]);
    assert_eq!(ids(json!({"query": "*", "lang": "rust"})), [""; 0], "records have no language");
    let first =
        site.call("search", json!({"query": "*", "mode": "records", "top": 1})).unwrap()["search"].clone();
    assert_eq!(
        (&first["total"]["records"], first["records"][0]["id"].as_str()),
        (&json!(2), Some(id.as_str()))
    );
    let next = site
        .call("search", json!({"query": "*", "mode": "records", "top": 1, "cursor": first["cursor"]}))
        .unwrap();
    assert_eq!(next["search"]["records"][0]["name"], "Y-2");
    assert!(next["search"].get("cursor").is_none());

    let all = site.call("search", json!({"query": "templates", "mode": "all"})).unwrap()["search"].clone();
    assert_eq!((all["code"].as_array().unwrap().len(), all["records"].as_array().unwrap().len()), (1, 1));
    let both = site.call("search", json!({"query": "templates", "mode": "both"})).unwrap()["search"].clone();
    assert_eq!((both["code"].as_array().unwrap().len(), both["records"].as_array().unwrap().len()), (1, 0));
    let code =
        site.call("search", json!({"query": "templates", "mode": "code", "meta": "team=core"})).unwrap();
    assert_eq!((&code["search"]["code"], &code["search"]["total"]["code"]), (&json!([]), &json!(0)));
    let meta = site.call("search", json!({"query": "templates", "meta": "team=core"})).unwrap();
    assert_eq!(meta["search"]["records"].as_array().unwrap().len(), 1, "only records have fields");
    for args in [
        json!({"query": "x", "meta": "=a"}),
        json!({"query": "x", "metaJson": "{"}),
        json!({"query": "*", "mode": "records", "cursor": "1-x"}),
    ] {
        assert_eq!(site.call("search", args.clone()).unwrap_err().code, ErrorCode::InvalidRequest, "{args}");
    }
}

#[test]
fn records_need_no_index_and_no_clean_up_takes_them() {
    let mut site = Site::new(&[]);
    assert_eq!(records(&site, JUNE, json!({"query": "anything"})), Vec::<Value>::new());
    finding(&site);
    site.call("clean_artifacts", json!({"all": true})).unwrap();
    site.call("cache_gc", json!({"maxBytes": 0})).unwrap();
    site.restart();
    assert_eq!(records(&site, JUNE, json!({"query": "lodash"})).len(), 1);
    for folder in ["records", "index"] {
        let report = site.call("report_artifacts", json!({})).unwrap();
        std::fs::remove_dir_all(
            std::path::Path::new(report["records"]["path"].as_str().unwrap()).join(folder),
        )
        .unwrap();
        site.restart();
        assert_eq!(records(&site, JUNE, json!({"query": "lodash"})).len(), 1, "{folder} is made again");
    }
}

#[test]
fn a_damaged_ledger_is_reported_and_never_written_over() {
    let mut site = Site::new(&[]);
    finding(&site);
    let report = site.call("triage_ingest", json!({"source": "manual", "input": []})).unwrap();
    let ledger = std::path::Path::new(report["recordsDir"].as_str().unwrap()).join("ledger.json");
    std::fs::write(&ledger, "{\"format\": \"mainstay-triage\", \"version\": 99").unwrap();
    site.restart();
    for (tool, args) in [
        ("triage_ingest", json!({"source": "manual", "input": {"id": "B"}})),
        ("search", json!({"query": "x", "mode": "records"})),
    ] {
        let fault = site.call(tool, args).unwrap_err();
        assert_eq!(fault.code, ErrorCode::Internal, "{tool}");
        assert!(fault.hint.is_some());
    }
    assert!(std::fs::read_to_string(&ledger).unwrap().ends_with("99"));
}

#[test]
fn a_caller_with_roots_reads_only_below_them() {
    let site = Site::new(&[("ok.json", "[]")]);
    std::fs::write(site.outside().join("secret.json"), "[{\"id\": \"S\"}]").unwrap();
    std::os::unix::fs::symlink(site.outside().join("secret.json"), site.repo().join("link.json")).unwrap();
    let ingest = |path: &str| {
        let caller = Caller { roots: Some(Arc::from([site.repo()])), ..Caller::default() };
        site.call_as(caller, "triage_ingest", json!({"source": "generic", "inputPath": path}))
    };
    assert!(ingest("ok.json").is_ok());
    for path in ["../secret.json", "link.json", "../none.json"] {
        assert_eq!(ingest(path).unwrap_err().code, ErrorCode::Forbidden, "{path}");
    }
}

const SHOP: &[(&str, &str)] = &[
    (
        "package.json",
        "{\n  \"dependencies\": {\n    \"lodash\": \"^4.17.15\",\n    \"lodash-es\": \"1.0.0\"\n  }\n}\n",
    ),
    (
        "package-lock.json",
        "{\n  \"packages\": {\n    \"node_modules/lodash\": {\n      \"version\": \"4.17.15\"\n    }\n  }\n}\n",
    ),
    (
        "src/render.js",
        "import _ from 'lodash';\n\nexport function renderPage(data) {\n  const page = _.template(data.text);\n  return page(data);\n}\n\nexport function other() {\n  return _.merge({}, {});\n}\n",
    ),
    (
        "src/server.js",
        "import { renderPage } from './render';\n\nexport function handleRequest(req) {\n  return renderPage(req.body);\n}\n",
    ),
    (
        "test/render.test.js",
        "import { renderPage } from '../src/render';\n\ntest('page', () => {\n  renderPage({});\n});\n",
    ),
    ("CODEOWNERS", "* @everyone\n/src/ @shop-team\n"),
];

#[test]
fn a_pack_holds_what_the_code_says() {
    let site = Site::indexed(SHOP);
    let id = finding(&site);
    site.call_at(
        JUNE,
        "triage_decision",
        json!({"finding": id, "status": "defer", "justification": "next sprint", "expires": "2030-07-01"}),
    )
    .unwrap();
    let report = site.call_at(JUNE, "triage_context_pack", json!({"recordId": id})).unwrap();
    let evidence = &report["pack"]["repoEvidence"];
    let places = |list: &Value| -> Vec<String> {
        list.as_array()
            .unwrap()
            .iter()
            .map(|one| format!("{}:{}", one["file"].as_str().unwrap(), one["line"]))
            .collect()
    };
    assert_eq!(places(&evidence["dependencies"]), ["package.json:3", "package-lock.json:3"]);
    assert_eq!(
        (&evidence["dependencies"][0]["version"], &evidence["dependencies"][1]["version"]),
        (&json!("^4.17.15"), &json!("4.17.15"))
    );
    assert_eq!(places(&evidence["imports"]), ["src/render.js:1"]);
    assert_eq!(places(&evidence["callSites"]), ["src/render.js:4", "src/render.js:9"]);
    let site_of_call = &evidence["callSites"][0];
    assert_eq!((&site_of_call["symbol"], &site_of_call["vulnerable"]), (&json!("renderPage"), &json!(true)));
    assert_eq!(
        site_of_call["reachedFrom"],
        json!([{"file": "src/server.js", "line": 4, "symbol": "handleRequest"}])
    );
    assert_eq!(places(&evidence["tests"]), ["test/render.test.js:4"]);
    assert_eq!(report["pack"]["owners"]["codeowners"][0]["owners"], json!(["@shop-team"]));
    assert_eq!((&report["pack"]["current"]["status"], &report["historyCount"]), (&json!("defer"), &json!(1)));
}

#[test]
fn a_pack_fits_its_budget_and_says_what_is_missing() {
    let site = Site::new(SHOP);
    for at in 0..60 {
        site.write(&format!("src/more/page{at}.js"), format!("const lodash = require('lodash');\nfunction page{at}() {{\n  return lodash.template('x');\n}}\n").as_bytes());
    }
    site.call("build_index", json!({})).unwrap();
    let id = finding(&site);
    let pack = |bytes: usize| {
        site.call("triage_context_pack", json!({"recordId": id, "maxBytes": bytes})).unwrap()["pack"].clone()
    };
    let (small, large) = (pack(4_096), pack(100_000));
    assert!(small.to_string().len() <= 4_096, "{}", small.to_string().len());
    assert_eq!(small["finding"], large["finding"]);
    assert!(small["budget"]["omitted"]["callSites"].as_u64().unwrap() > 0);
    assert!(large["budget"].get("omitted").is_none());
    assert!(large["repoEvidence"]["callSites"].as_array().unwrap().len() > 40);
}

#[test]
fn a_finding_in_the_code_is_shown_with_what_reaches_it() {
    let site = Site::indexed(SHOP);
    let input =
        json!({"id": "R1", "title": "Text reaches a template", "file": "src/render.js", "startLine": 4});
    let id = site.call("triage_ingest", json!({"source": "manual", "input": input})).unwrap()["recordIds"][0]
        .clone();
    let place =
        site.call("triage_context_pack", json!({"recordId": id})).unwrap()["pack"]["repoEvidence"]["place"]
            .clone();
    assert_eq!((&place["symbol"], &place["startLine"]), (&json!("renderPage"), &json!(1)));
    assert_eq!(place["reachedFrom"][0]["symbol"], "handleRequest");
    for file in ["../secret", "/etc/passwd", "none.js"] {
        let input = json!({"id": file.replace('/', "_"), "title": "odd", "file": file});
        let id =
            site.call("triage_ingest", json!({"source": "manual", "input": input})).unwrap()["recordIds"][0]
                .clone();
        let pack = site.call("triage_context_pack", json!({"recordId": id})).unwrap();
        assert!(pack["warnings"][0].as_str().unwrap().contains("not in the repository"), "{file}");
    }
}

#[test]
fn a_pack_without_an_index_says_so_and_may_be_written() {
    let site = Site::new(SHOP);
    let id = finding(&site);
    let report = site.call("triage_context_pack", json!({"recordId": id, "outPath": "pack.json"})).unwrap();
    assert!(report["warnings"][0].as_str().unwrap().contains("build_index"));
    assert_eq!(report["pack"]["repoEvidence"]["dependencies"][0]["file"], "package.json");
    let written: Value =
        serde_json::from_slice(&std::fs::read(site.repo().join("pack.json")).unwrap()).unwrap();
    assert_eq!(written, report["pack"]);
    for (path, code) in [
        ("../pack.json", ErrorCode::Forbidden),
        (".git/pack.json", ErrorCode::Forbidden),
        ("package.txt", ErrorCode::InvalidRequest),
        ("none/pack.json", ErrorCode::NotFound),
    ] {
        let fault = site.call("triage_context_pack", json!({"recordId": id, "outPath": path})).unwrap_err();
        assert_eq!(fault.code, code, "{path}");
    }
    assert_eq!(
        site.call("triage_context_pack", json!({"recordId": "none"})).unwrap_err().code,
        ErrorCode::NotFound
    );
}
