//! What the runtime and the policy hold the tools on demand to: roles, one call at a time, an end for every program.

use std::fs;
use std::path::Path;
use std::sync::{Arc, mpsc};
use std::time::{Duration, Instant};

use mainstay_contract::{Call, Caller, Role, StopReason};
use mainstay_runtime::{Access, Limits, OnDemand, Origin, Outcome, Request, Runtime, Sourced};
use serde_json::{Value, json};

use crate::scratch::Project;

const OURS: [&str; 6] = [
    "purity.audit",
    "diag.snapshot",
    "billing.reviewKit",
    "billing.switchFixtures",
    "release.verify",
    "release.tag",
];

fn serving(project: &Project) -> Runtime {
    let access =
        Access { on_demand: Sourced::new(OnDemand::All, Origin::flag("--toolset")), ..Access::default() };
    Runtime::new(project.site.tools.clone(), access, Limits::default()).unwrap()
}

fn request(tool: &str, args: Value, role: Role) -> Request {
    let mut request = Request::new(tool, args);
    request.caller = Caller { role: Some(role), ..Caller::default() };
    request
}

fn code(outcome: &Outcome) -> &'static str {
    match &outcome.result {
        Ok(_) => "ok",
        Err(failure) => failure.fault.code.line().name(),
    }
}

#[test]
fn the_tools_are_there_only_on_demand_and_keep_the_limits_of_the_contract() {
    let project = Project::new();
    let table = [
        ("purity.audit", 120, 12, false),
        ("diag.snapshot", 120, 12, false),
        ("billing.reviewKit", 120, 20, false),
        ("billing.switchFixtures", 90, 20, false),
        ("release.verify", 180, 6, true),
        ("release.tag", 60, 6, true),
    ];
    let plain = Runtime::new(project.site.tools.clone(), Access::default(), Limits::default()).unwrap();
    for (id, timeout, rate, maintainers) in table {
        let policy = &project.site.tool(id).def.policy;
        assert_eq!(policy.timeout, Duration::from_secs(timeout), "{id}");
        assert_eq!((policy.rate_per_minute, policy.concurrency), (Some(rate), Some(1)), "{id}");
        assert_eq!(policy.writes, ["${BASE}/${DATE}/**"], "{id}");
        let roles: &[Role] =
            if maintainers { &[Role::Maintainer] } else { &[Role::Designer, Role::Maintainer] };
        assert_eq!(policy.roles, roles, "{id}");
        assert_eq!(code(&plain.call(request(id, json!({}), Role::Maintainer))), "UNKNOWN_TOOL", "{id}");
    }
}

#[test]
fn releases_are_for_maintainers() {
    let project = Project::new();
    let runtime = serving(&project);
    let tag = json!({ "tag": "v0.2.0-internal.20260228", "apply": true });
    for (tool, args) in [("release.tag", tag.clone()), ("release.verify", json!({}))] {
        assert_eq!(code(&runtime.call(request(tool, args, Role::Designer))), "POLICY_DENIED", "{tool}");
    }
    assert_eq!(project.git(&["tag", "--list"]), "");
    assert_eq!(code(&runtime.call(request("release.tag", tag, Role::Maintainer))), "ok");
}

/// Lets every npm of a project wait until it is told to go on, and say that it has begun.
fn slow_package(project: &Project) {
    project.write(
        "packages/slow/package.json",
        &format!(
            r#"{{ "name": "slow", "version": "1.0.0", "scripts": {{ "prepack": "node -e \"const fs = require('fs'); fs.writeFileSync('{begun}', ''); setInterval(() => fs.existsSync('{go}') && process.exit(0), 20)\"" }} }}"#,
            begun = project.home.path().join("begun").display(),
            go = project.home.path().join("go").display(),
        ),
    );
}

fn wait_for(path: &Path) {
    let until = Instant::now() + Duration::from_secs(120);
    while !path.exists() {
        assert!(Instant::now() < until, "{} never came", path.display());
        std::thread::sleep(Duration::from_millis(20));
    }
}

/// Processes whose command line names a path.
fn processes(naming: &Path) -> Vec<String> {
    let wanted = naming.to_str().unwrap();
    fs::read_dir("/proc")
        .unwrap()
        .filter_map(|entry| fs::read(entry.ok()?.path().join("cmdline")).ok())
        .map(|line| String::from_utf8_lossy(&line).replace('\0', " "))
        .filter(|line| line.contains(wanted))
        .collect()
}

#[test]
fn one_call_at_a_time_whoever_asks() {
    let project = Project::new();
    slow_package(&project);
    let runtime = serving(&project);
    let (sender, receiver) = mpsc::channel();
    runtime.submit(request("release.verify", json!({}), Role::Maintainer), move |outcome| {
        sender.send(code(&outcome)).unwrap();
    });
    wait_for(&project.home.path().join("begun"));
    for surface in ["stdio", "http", "line"] {
        let mut second = request("release.verify", json!({}), Role::Maintainer);
        second.surface = surface;
        let outcome = runtime.call(second);
        assert_eq!(code(&outcome), "CONCURRENCY", "{surface}");
        let Err(failure) = outcome.result else { unreachable!() };
        assert!(failure.fault.details.contains_key("retryAfterMs"), "{:?}", failure.fault.details);
    }
    // Another tool has its own turn.
    assert_eq!(code(&runtime.call(request("diag.snapshot", json!({}), Role::Designer))), "ok");
    fs::write(project.home.path().join("go"), "").unwrap();
    assert_eq!(receiver.recv().unwrap(), "ok");
}

#[test]
fn a_cancelled_or_late_call_leaves_no_process_and_no_folder() {
    let project = Project::new();
    slow_package(&project);
    let runtime = serving(&project);
    let (sender, receiver) = mpsc::channel();
    let asked = request("release.verify", json!({ "apply": true }), Role::Maintainer);
    let cancel = asked.cancel.clone();
    runtime.submit(asked, move |outcome| sender.send(code(&outcome)).unwrap());
    wait_for(&project.home.path().join("begun"));
    assert!(!processes(project.home.path()).is_empty());
    cancel.cancel(StopReason::Cancelled);
    assert_eq!(receiver.recv().unwrap(), "BAD_REQUEST");
    nothing_is_left(&project);

    let late = Project::with(|config| {
        config.policy = Some(
            r#"{"rules":[{"tool":"*","allow":["maintainer"],"writes":["${BASE}/${DATE}/**"],"timeoutMs":4000}]}"#.into(),
        );
    });
    slow_package(&late);
    let outcome = serving(&late).call(request("release.verify", json!({ "apply": true }), Role::Maintainer));
    assert_eq!(code(&outcome), "TIMEOUT");
    nothing_is_left(&late);
}

/// The runtime answers at once; what was started may take its grace to end.
fn nothing_is_left(project: &Project) {
    let until = Instant::now() + Duration::from_secs(30);
    loop {
        let left = processes(project.home.path());
        let scratch: Vec<_> = fs::read_dir(project.home.path())
            .unwrap()
            .map(|entry| entry.unwrap().file_name())
            .filter(|name| name != "begun")
            .collect();
        if left.is_empty() && scratch.is_empty() {
            break;
        }
        assert!(Instant::now() < until, "{left:?} {scratch:?}");
        std::thread::sleep(Duration::from_millis(50));
    }
    let written: Vec<String> =
        project.files().into_iter().filter(|path| path.contains("release.verify")).collect();
    assert!(written.is_empty(), "{written:?}");
}

#[test]
fn every_tool_ends_when_it_is_cancelled_before_it_begins() {
    let project = Project::new();
    project.write("packages/a/package.json", r#"{ "name": "a", "version": "1.0.0" }"#);
    for (id, args) in OURS.into_iter().zip([
        json!({ "apply": true }),
        json!({ "apply": true }),
        json!({ "object": "Plan", "apply": true }),
        json!({ "provider": "chargebee", "apply": true }),
        json!({ "apply": true }),
        json!({ "tag": "v0.2.0-internal.20260228", "apply": true }),
    ]) {
        let tool = project.site.tool(id);
        let call = Call::detached(Arc::clone(&tool.def));
        call.cancel().cancel(StopReason::Cancelled);
        let fault = (tool.run)(&call, args).expect_err(id);
        assert_eq!(fault.code.name(), "CANCELLED", "{id}");
    }
    assert!(!project.path().join("artifacts").exists());
    assert_eq!(project.git(&["tag", "--list"]), "");
}
