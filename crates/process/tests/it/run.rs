//! Ordinary runs: status, streams, caps, input, environment, and each way of not starting.

use std::ffi::OsStr;
use std::os::unix::ffi::OsStrExt;
use std::os::unix::fs::PermissionsExt;
use std::time::{Duration, Instant};

use mainstay_process::{
    Captured, Command, EndedBy, Exit, Output, SpawnError, Stdin, Strategy, Stream, strategy,
};

use crate::site::{PATIENCE, Site, Switch, env};

#[test]
fn status_and_both_streams_are_reported() {
    let site = Site::new();
    let finished = site.run(&site.script("echo out; echo err >&2; exit 3"));
    assert_eq!(finished.status, Exit::Code(3));
    assert_eq!((finished.stdout.text().as_str(), finished.stderr.text().as_str()), ("out\n", "err\n"));
    assert_eq!((finished.ended_by, finished.survivors_killed), (EndedBy::Natural, 0));
}

#[test]
fn death_by_signal_is_told_from_an_exit_code() {
    let site = Site::new();
    assert_eq!(site.run(&site.script("kill -9 $$")).status, Exit::Signal(9));
    assert_eq!(site.run(&site.script("exit 137")).status, Exit::Code(137));
}

#[test]
fn bytes_that_are_no_text_pass_through_arguments_and_output() {
    let site = Site::new();
    let odd = OsStr::from_bytes(b"\xff\xfe");
    let finished = site.run(&Command::new("printf", env()).args([OsStr::new("%s"), odd]));
    assert_eq!(finished.stdout.head, b"\xff\xfe");
    assert_eq!(finished.stdout.text(), "\u{fffd}\u{fffd}");
}

#[test]
fn the_environment_is_exactly_what_was_given_and_the_mark() {
    let site = Site::new();
    let mut env = env();
    env.insert("GREETING".into(), "hello there".into());
    let finished = site.run(&Command::new("env", env).call("one"));
    assert_eq!(finished.stdout.text(), "GREETING=hello there\nMAINSTAY_CALL=one\nPATH=/usr/bin:/bin\n");
}

#[test]
fn the_child_leads_its_group_in_the_given_directory() {
    let site = Site::new();
    let dir = site.dir.path().canonicalize().unwrap();
    let script = r#"pwd -P; [ "$(ps -o pgid= -p $$ | tr -d ' ')" = $$ ] && echo leader"#;
    let finished = site.run(&site.script(script).cwd(&dir));
    assert_eq!(finished.stdout.text(), format!("{}\nleader\n", dir.display()));
}

#[test]
fn input_arrives_whole_and_absent_input_is_at_its_end() {
    let site = Site::new();
    let bytes: Vec<u8> = (0..3_000_000_u32).map(|n| n.to_le_bytes()[0]).collect();
    let cat = Command::new("cat", env()).stdout(Output::capped(4_000_000));
    assert_eq!(site.run(&cat.clone().stdin(Stdin::Bytes(bytes.clone()))).stdout.into_bytes(), bytes);
    assert_eq!(site.run(&cat.clone().stdin(Stdin::Bytes(Vec::new()))).stdout, Captured::default());
    assert_eq!(site.run(&cat).stdout, Captured::default());
}

#[test]
fn a_child_that_never_reads_its_input_ends_normally_or_by_its_deadline() {
    let site = Site::new();
    let input = || Stdin::Bytes(vec![b'x'; 1024 * 1024]);
    assert_eq!(site.run(&site.script("exit 0").stdin(input())).status, Exit::Code(0));
    let sleeping = site.script("exec sleep 1000").stdin(input()).deadline(Duration::from_millis(200));
    assert_eq!(site.run(&sleeping).ended_by, EndedBy::Timeout);
}

#[test]
fn endless_output_is_capped_and_ended_by_the_deadline() {
    let site = Site::new();
    let file = tempfile::NamedTempFile::new().unwrap();
    let endless = Command::new("yes", env())
        .stdout(Output::capped(1000).copied_to(file.reopen().unwrap(), 5000))
        .deadline(Duration::from_millis(300));
    let mut streamed = 0;
    let count = &mut |_: Stream, bytes: &[u8]| streamed += bytes.len() as u64;
    let finished = site.launcher.run(&endless, &Switch::default(), count).unwrap();
    assert_eq!((finished.ended_by, finished.status), (EndedBy::Timeout, Exit::Signal(15)));
    assert_eq!((finished.stdout.head.len(), finished.stdout.tail.len()), (750, 250));
    assert_eq!(finished.stdout.total_bytes(), streamed);
    assert!(finished.stdout.dropped > 100_000 && finished.stdout.text().contains("bytes truncated"));
    assert_eq!(file.path().metadata().unwrap().len(), 5000);
}

#[test]
fn partial_output_survives_a_timeout() {
    let site = Site::new();
    let finished = site.run(&site.script("echo begun; exec sleep 1000").deadline(Duration::from_millis(500)));
    assert_eq!((finished.ended_by, finished.stdout.text().as_str()), (EndedBy::Timeout, "begun\n"));
    assert!(finished.duration >= Duration::from_millis(500));
}

#[test]
fn a_child_that_closes_its_output_is_still_waited_for() {
    let site = Site::new();
    let finished = site.run(&site.script("exec >&- 2>&-; sleep 0.2; exit 4"));
    assert_eq!(finished.status, Exit::Code(4));
    assert!(finished.duration >= Duration::from_millis(200));
}

#[test]
fn a_stop_given_beforehand_starts_nothing() {
    let site = Site::new();
    let switch = Switch::default();
    switch.stop();
    let result = site.launcher.run(&site.script("echo $$ >> $1"), &switch, &mut |_, _| ());
    assert!(matches!(result, Err(SpawnError::Stopped)));
    site.assert_tree_is_gone(0);
}

fn refusal(command: &Command) -> String {
    let site = Site::new();
    let began = Instant::now();
    let error = site.launcher.run(command, &Switch::default(), &mut |_, _| ()).unwrap_err();
    assert!(began.elapsed() < PATIENCE);
    error.to_string()
}

#[test]
fn each_way_of_not_starting_has_its_own_error() {
    let site = Site::new();
    let path = |name: &str| site.dir.path().join(name);
    std::fs::write(path("plain"), "#!/bin/sh\n").unwrap();
    for (name, text) in [("orphan", "#!/no/such/interpreter\n"), ("noise", "\u{1}\u{2}")] {
        std::fs::write(path(name), text).unwrap();
        std::fs::set_permissions(path(name), std::fs::Permissions::from_mode(0o755)).unwrap();
    }
    let show = |name: &str| path(name).display().to_string();
    let on_path = [("PATH".into(), site.dir.path().into())].into();
    let echo = || Command::new("echo", env());
    let cases = [
        (Command::new("no-such-program", env()), "program not found: no-such-program".to_owned()),
        (Command::new("", env()), "program not found: ".to_owned()),
        (Command::new(path("missing"), env()), format!("program not found: {}", show("missing"))),
        (Command::new(path("plain"), env()), format!("cannot execute {}: permission denied", show("plain"))),
        (Command::new("plain", on_path), "cannot execute plain: permission denied".to_owned()),
        (
            Command::new(path("orphan"), env()),
            format!("cannot execute {}: the interpreter it names does not exist", show("orphan")),
        ),
        (
            Command::new(path("noise"), env()),
            format!("cannot execute {}: it is not a program for this system", show("noise")),
        ),
        (echo().cwd(path("missing")), format!("working directory does not exist: {}", show("missing"))),
        (echo().cwd(path("plain")), format!("working directory is not a directory: {}", show("plain"))),
        (echo().args(["a", "b\0c"]), "argument 2 contains a NUL byte".to_owned()),
        (
            Command::new("echo", [("A".into(), "\0".into())].into()),
            "environment variable A contains a NUL byte".to_owned(),
        ),
        (
            Command::new("echo", [("A=B".into(), "".into())].into()),
            "\"A=B\" is not a name for an environment variable".to_owned(),
        ),
        (
            echo().args(["x".repeat(200_000)]),
            "the arguments and environment of echo are too long for this system".to_owned(),
        ),
    ];
    for (command, message) in cases {
        assert_eq!(refusal(&command), message);
    }
}

#[test]
fn a_refused_start_leaves_the_launcher_usable() {
    let site = Site::new();
    for _ in 0..3 {
        let refused = Command::new("/no/such/program", env());
        assert!(site.launcher.run(&refused, &Switch::default(), &mut |_, _| ()).is_err());
        assert!(site.run(&Command::new("true", env())).status.is_success());
    }
}

#[test]
fn linux_reaches_every_descendant() {
    assert_eq!(strategy(), Strategy::Subreaper);
}
