//! Transcripts of the command line: what is printed where, and the exit code.

use crate::site::Site;

fn check<'a>(site: &Site, args: impl IntoIterator<Item = &'a str>, transcript: &str) {
    assert_eq!(site.run(args).transcript(), transcript);
}

#[test]
fn an_unknown_tool_is_answered_with_the_nearest_one() {
    check(
        &Site::new(),
        ["call", "index_statu"],
        "exit: 2\n--- stderr\nerror: unknown tool: index_statu\nhint: did you mean index_status?\n",
    );
}

#[test]
fn arguments_that_are_no_object_are_refused_before_any_call() {
    let site = Site::new();
    for (args, reason) in [
        ("{", "EOF while parsing an object at line 1 column 1"),
        ("[]", "invalid type: sequence, expected a map at line 1 column 0"),
    ] {
        let transcript = format!(
            "exit: 2\n--- stderr\nerror: --args is not a JSON object: {reason}\nhint: try --args '{{\"query\": \"…\"}}'\n"
        );
        check(&site, ["call", "index_status", "--args", args], &transcript);
    }
}

#[test]
fn an_unknown_argument_is_named() {
    check(
        &Site::new(),
        ["call", "index_status", "--args", r#"{"surprise":1}"#],
        "exit: 2\n--- stderr\nerror: invalid arguments: arguments must NOT have additional properties: 'surprise'\n\
         hint: `mainstay tools show index_status` lists the arguments\n",
    );
    check(
        &Site::new(),
        ["call", "index_status", "--repo-pth", "x"],
        "exit: 2\n--- stderr\nerror: invalid arguments: arguments must NOT have additional properties: 'repo-pth'\n\
         hint: did you mean repoPath?\n",
    );
}

#[test]
fn a_request_that_cannot_be_met_says_the_next_step() {
    check(
        &Site::new(),
        ["call", "index_status", "--", "--repo-path", "no/such"],
        "exit: 3\n--- stderr\nerror: cannot open the repository no/such: No such file or directory (os error 2)\n\
         hint: pass the path of an existing directory as repoPath\n",
    );
}

#[test]
fn a_call_past_its_time_limit_ends_with_status_4() {
    check(
        &Site::new(),
        [
            "call",
            "test_slow",
            "--args",
            r#"{"millis":60000}"#,
            "--conformance-fixtures",
            "--tool-timeout-ms",
            "100",
        ],
        "exit: 4\n--- stderr\nerror: the tool ran longer than 100 ms and was stopped\nhint: raise the limit or narrow the request\n",
    );
}

#[test]
fn a_bad_setting_names_where_it_was_made() {
    let hint = "hint: `mainstay config show --origin` lists every setting\n";
    let site = Site::new();
    check(
        &site,
        ["tools", "list", "--queue-max", "x"],
        &format!(
            "exit: 2\n--- stderr\nerror: the flag --queue-max: queue-max must be a whole number, not x\n{hint}"
        ),
    );
    let ran = site.ran(site.mainstay(["tools", "list"]).env("MCP_ROLE", "king"));
    assert_eq!(
        ran.transcript(),
        format!(
            "exit: 2\n--- stderr\nerror: the variable MCP_ROLE: role must be one of designer, maintainer, not king\n{hint}"
        )
    );
    check(
        &site,
        ["tools", "list", "--toolsets", "serch"],
        "exit: 2\n--- stderr\nerror: unknown toolset serch (from the flag --toolsets)\n\
         hint: the toolsets are search, programs, catalog, foundry\n",
    );
    for (text, error) in [
        (
            "read-only = true\nqueue-mx = 3\n",
            "[REPO]/mainstay.toml:2: unknown key queue-mx; did you mean queue-max?",
        ),
        ("\n\nqueue-max = \"x\"\n", "[REPO]/mainstay.toml:3: queue-max must be a whole number"),
    ] {
        site.write("mainstay.toml", text);
        check(&site, ["tools", "list"], &format!("exit: 2\n--- stderr\nerror: {error}\n{hint}"));
    }
    site.write("mainstay.toml", "read-only = maybe\n");
    let broken = site.run(["tools", "list"]);
    assert_eq!(broken.exit, 2);
    assert!(broken.stderr.starts_with("error: [REPO]/mainstay.toml:1: "), "{}", broken.stderr);
}

#[test]
fn a_wrong_command_line_ends_with_status_2_and_prints_nothing_on_stdout() {
    let site = Site::new();
    for args in [&["nope"][..], &["tools"], &["call"], &["call", "index_status", "stray"], &[]] {
        let ran = site.run(args.iter().copied());
        assert_eq!((ran.exit, ran.stdout.as_str()), (2, ""), "{args:?}");
        assert!(ran.stderr.contains("Usage"), "{args:?}: {}", ran.stderr);
    }
    let help = site.run(["--help"]);
    assert_eq!((help.exit, help.stderr.as_str()), (0, ""));
}

#[test]
fn explain_names_what_decided() {
    let site = Site::new();
    let check = |args: &[&str], said: &str| {
        let ran = site.run(["tools", "explain", "index_status"].iter().chain(args).copied());
        assert_eq!((ran.exit, ran.stdout), (0, format!("index_status is {said}\n")));
    };
    check(&[], "listed: the toolset search is active (the default)");
    check(&["--toolsets", "programs"], "absent: the toolset search is not active (the flag --toolsets)");
    site.write("mainstay.toml", "read-only = true\nexclude-tools = [\"index_status\"]\n");
    check(&[], "absent: the tool is excluded by name ([REPO]/mainstay.toml:2)");
    let by_variable = site.ran(
        site.mainstay(["tools", "explain", "index_status", "--exclude-tools", "x"])
            .env("MAINSTAY_TOOLS", "config_status"),
    );
    assert_eq!(
        by_variable.stdout,
        "index_status is absent: the tool is not among the tools selected by name (the variable MAINSTAY_TOOLS)\n"
    );
    let refused = site.run(["call", "index_status"]);
    assert_eq!(
        refused.transcript(),
        "exit: 2\n--- stderr\nerror: unknown tool: index_status\n\
         hint: the tool is excluded by name (decided by [REPO]/mainstay.toml:2)\n"
    );
}

#[test]
fn a_budget_that_is_exceeded_fails() {
    let site = Site::new();
    let within = site.run(["tools", "cost", "--budget", "1000000", "--json"]);
    let total = within.json()["result"]["total"].as_u64().unwrap();
    assert_eq!((within.exit, within.json()["result"]["withinBudget"].as_bool()), (0, Some(true)));
    let over = site.run(["tools", "cost", "--budget", "10"]);
    assert_eq!(over.exit, 1);
    assert_eq!(over.stderr, format!("all tools: {total} tokens are more than the budget of 10\n"));
}

#[test]
fn json_is_one_envelope_for_results_and_failures() {
    let site = Site::new();
    for (args, exit, ok) in [
        (&["tools", "list", "--json"][..], 0, true),
        (&["config", "show", "--json"], 0, true),
        (&["call", "index_status", "--json"], 0, true),
        (&["call", "nope", "--json"], 2, false),
        (&["tools", "show", "nope", "--json"], 2, false),
        (&["tools", "list", "--role", "king", "--json"], 2, false),
    ] {
        let ran = site.run(args.iter().copied());
        assert_eq!((ran.exit, ran.stderr.as_str()), (exit, ""), "{args:?}");
        let envelope = ran.json();
        assert_eq!(envelope["ok"], ok, "{args:?}: {envelope}");
        assert!(envelope["_meta"]["schemaVersion"].is_string(), "{envelope}");
        assert_eq!(ran.stdout.lines().count(), 1, "{args:?}");
    }
}

#[test]
fn secrets_are_never_shown() {
    let ran = Site::new().run(["config", "show", "--origin", "--token", "hush-hush", "--json"]);
    assert_eq!(ran.json()["result"]["token"]["value"], "***");
    assert!(!ran.stdout.contains("hush-hush"));
}

#[test]
fn plain_output_has_no_colour_unless_asked_for() {
    let site = Site::new();
    let colour = |args: &[&str]| site.run(args.iter().copied()).stdout.contains('\u{1b}');
    assert!(!colour(&["tools", "explain", "index_status"]));
    assert!(colour(&["tools", "explain", "index_status", "--color", "always"]));
}
