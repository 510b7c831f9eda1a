//! Programs and values that misbehave. Nothing may survive its call.

use std::time::{Duration, Instant};

use mainstay_contract::StopReason;
use mainstay_runtime::Request;
use serde_json::json;

use crate::site::{Site, answer};

/// Long enough that only being ended explains a quick return.
const LONG: &str = "600";

fn echo() -> Site {
    Site::new().fixture(json!([
        { "name": "echo", "description": "d", "command": "argv", "args": [{ "name": "value", "positional": true }] },
        { "name": "cat", "description": "d", "command": "cat", "args": [{ "name": "text", "stdin": true }] },
        { "name": "cwd", "description": "d", "command": "cwd", "args": [{ "name": "dir", "cwd": true }] },
        { "name": "env", "description": "d", "command": "env" },
        { "name": "bytes", "description": "d", "command": "bytes", "output": { "max_bytes": 1000 },
          "args": [{ "name": "count", "type": "integer", "positional": true }] },
    ]))
}

#[test]
fn values_reach_the_program_as_one_untouched_word() {
    let site = echo();
    for value in [
        "; rm -rf /",
        "$(touch x)",
        "`x`",
        "a\nb\n",
        "'\"\\",
        "../../etc/passwd",
        "$HOME ~ *",
        "",
        "  ",
        "naïve 世界 🚀",
    ] {
        assert_eq!(site.words("echo", json!({ "value": value })), [value]);
        let answer = site.call("cat", json!({ "text": format!("x{value}x") }));
        assert_eq!(answer.text, format!("x{value}x"));
    }
}

#[test]
fn values_no_system_can_pass_are_refused_with_a_reason() {
    let site = echo();
    let answer = site.call("echo", json!({ "value": "a\0b" }));
    assert!(answer.is_error && answer.text.to_lowercase().contains("nul"), "{}", answer.text);
    let answer = site.call("echo", json!({ "value": "x".repeat(1 << 20) }));
    assert!(answer.is_error && answer.text.contains("too long"), "{}", answer.text);
    assert_eq!(site.call("cat", json!({ "text": "x".repeat(1 << 20) })).structured["exitCode"], 0);
}

#[test]
fn what_is_missing_is_named_honestly() {
    let site = echo().config(
        "m.yaml",
        json!({ "command": "no-such-program-here", "tools": [{ "name": "missing", "description": "d" }] }),
    );
    assert_eq!(
        site.call("missing", json!({})).text,
        "[stderr]\nCommand not found: no-such-program-here\n\n[exit code: -1]"
    );
    let file = site.write("file", "").display().to_string();
    let nowhere = site.path("nowhere").display().to_string();
    let text = |dir: &str| site.call("cwd", json!({ "dir": dir })).text;
    assert_eq!(
        text(&nowhere),
        format!("[stderr]\nWorking directory does not exist: {nowhere}\n\n[exit code: -1]")
    );
    assert_eq!(
        text(&file),
        format!("[stderr]\nWorking directory is not a directory: {file}\n\n[exit code: -1]")
    );
    let here = site.dir.path().canonicalize().unwrap().display().to_string();
    assert_eq!(text(&here), here);
}

#[test]
fn the_environment_is_a_small_safe_set() {
    let env = echo().call("env", json!({})).json();
    assert!(env.get("PATH").is_some() && env.get("SITE_MARK").is_some());
    assert!(env.get("PROBE_SECRET").is_none(), "{env}");
}

#[test]
fn long_output_keeps_head_and_tail_and_can_be_saved_whole() {
    let mut site = echo();
    let answer = site.call("bytes", json!({ "count": 50_000 }));
    assert!(
        answer.text.starts_with("startxxx") && answer.text.contains("xxend\n[truncated: 49003 bytes]"),
        "{}",
        answer.text
    );
    assert!(answer.text.len() < 1_200 && !answer.is_error);
    assert_eq!(answer.structured["stdoutTruncatedBytes"], 49_003);

    site.given.output_dir = Some(site.path("outputs"));
    let mut request = Request::new("bytes", json!({ "count": 50_000 }));
    request.meta.insert("saveOutput".into(), true.into());
    let text = answer_of(&site, request);
    let path = text.rsplit_once("whole text in ").unwrap().1.trim_end_matches(']');
    assert_eq!(std::fs::read(path).unwrap().len(), 50_003);
    let files = std::fs::read_dir(site.path("outputs")).unwrap().count();
    assert_eq!(files, 1, "the file of the short stream is gone");
}

fn answer_of(site: &Site, request: Request) -> String {
    answer(site.serve().call(request)).text
}

#[test]
fn every_way_to_outlive_a_timeout_fails() {
    let long = |script: &str| script.replace("LONG", LONG);
    let scripts = [
        ("plain", long("echo partial; sleep LONG")),
        ("forks", long("sleep LONG & sleep LONG & echo partial; wait")),
        ("detaches", long("setsid sh -c 'sleep LONG' >/dev/null 2>&1 & echo partial; sleep LONG")),
        ("deaf", long("trap '' TERM; echo partial; while :; do sleep 1; done")),
        ("closes", long("echo partial; exec >&- 2>&-; sleep LONG")),
        ("floods", long("echo partial; yes")),
    ];
    let scripts: Vec<(&str, &str, f64)> =
        scripts.iter().map(|(name, script)| (*name, script.as_str(), 1.5)).collect();
    let site = Site::new().scripts(&scripts);
    for (name, ..) in &scripts {
        let started = Instant::now();
        let answer = site.call(name, json!({}));
        assert!(answer.is_error && answer.structured["timedOut"] == true, "{name}: {answer:?}");
        assert!(answer.text.starts_with("partial"), "{name}: {}", &answer.text[..answer.text.len().min(80)]);
        assert!(answer.text.ends_with("[stderr]\nCommand timed out after 1.5s\n\n[exit code: -1]"), "{name}");
        assert!(started.elapsed() < Duration::from_secs(60), "{name}: {:?}", started.elapsed());
        site.assert_no_survivor();
    }
}

#[test]
fn what_a_finished_program_leaves_behind_is_ended() {
    let script = format!("setsid sleep {LONG} >/dev/null 2>&1 & echo done");
    let site = Site::new().scripts(&[
        ("leaves", &script, 30.0),
        ("dies", "kill -9 $$", 30.0),
        ("fails", "echo no >&2; exit 3", 30.0),
    ]);
    let started = Instant::now();
    assert_eq!(site.call("leaves", json!({})).text, "done");
    assert!(started.elapsed() < Duration::from_secs(60));
    site.assert_no_survivor();
    let died = site.call("dies", json!({}));
    assert_eq!((died.text.as_str(), &died.structured["signal"]), ("[exit code: -9]", &json!(9)));
    let failed = site.call("fails", json!({}));
    assert_eq!((failed.text.as_str(), failed.is_error), ("[stderr]\nno\n\n[exit code: 3]", true));
    assert_eq!(failed.structured["exitCode"], 3);
}

#[test]
fn cancelling_ends_the_tree_and_progress_came_before() {
    let site = Site::new().scripts(&[("slow", &format!("echo first line; sleep {LONG}"), 60.0)]);
    let runtime = site.serve();
    let (send, receive) = std::sync::mpsc::channel();
    let (done, finished) = std::sync::mpsc::channel();
    let request = Request::new("climax_call", json!({ "tool_name": "slow" })).on_step(move |_, step| {
        // The test may have what it wanted.
        let _ = send.send(step.progress.message);
    });
    let handle = runtime.submit(request, move |outcome| done.send(answer(outcome)).unwrap());
    assert_eq!(receive.recv_timeout(Duration::from_secs(20)).unwrap(), "first line");
    handle.cancel(StopReason::Cancelled);
    assert!(finished.recv_timeout(Duration::from_secs(5)).unwrap().text.starts_with("CANCELLED"));
    assert!(runtime.drain(Duration::from_secs(10)));
    site.assert_no_survivor();
}

#[test]
fn a_program_runs_as_often_as_its_limits_say() {
    let tools = json!([{ "name": "slow", "description": "d", "command": ["-c", format!("echo x; sleep {LONG}")] },
                       { "name": "quick", "description": "d", "command": ["-c", "echo hi"] }]);
    let site = Site::new().config(
        "one.yaml",
        json!({ "name": "one", "command": "sh", "limits": { "concurrency": 1 }, "tools": tools }),
    );
    let runtime = site.serve();
    let (send, receive) = std::sync::mpsc::channel();
    let request = Request::new("slow", json!({})).on_step(move |_, _| send.send(()).unwrap_or_default());
    let handle = runtime.submit(request, |_| {});
    receive.recv_timeout(Duration::from_secs(20)).unwrap();
    let refused = answer(runtime.call(Request::new("quick", json!({}))));
    assert!(refused.text.starts_with("CONCURRENCY: one is already running 1 times"), "{}", refused.text);
    handle.cancel(StopReason::Cancelled);
    assert!(runtime.drain(Duration::from_secs(10)));
    assert_eq!(answer(runtime.call(Request::new("quick", json!({})))).text, "hi");
    site.assert_no_survivor();

    let rated = json!({ "name": "two", "command": "sh", "limits": { "rate_per_minute": 2 }, "tools": tools });
    let runtime = Site::new().config("two.yaml", rated).serve();
    let texts: Vec<String> =
        (0..3).map(|_| answer(runtime.call(Request::new("quick", json!({})))).text).collect();
    assert_eq!(&texts[..2], ["hi", "hi"]);
    assert!(texts[2].starts_with("RATE_LIMIT"), "{}", texts[2]);
}
