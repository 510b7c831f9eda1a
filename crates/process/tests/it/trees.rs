//! Nothing of a tree survives its call, and nothing of another call is touched.

use std::time::{Duration, Instant};

use mainstay_process::{Command, EndedBy, Exit, Launcher, SUPERVISE_WORD, SpawnError, list_strays};
use rustix::process::{Pid, Signal, kill_process};

use crate::site::{GRACE, PATIENCE, Site, Switch, TREE, env, is_alive, wait_until};

#[test]
fn nothing_survives_a_stop() {
    let site = Site::new();
    let finished = site.run_until_ready(&site.script(&format!("{TREE} wait; sleep 1000; :")));
    site.assert_tree_is_gone(5);
    assert_eq!((finished.ended_by, finished.status), (EndedBy::Stopped, Exit::Signal(15)));
    assert!(finished.survivors_killed >= 5, "{finished:?}");
}

#[test]
fn nothing_survives_a_timeout() {
    let site = Site::new();
    let finished =
        site.run(&site.script(&format!("{TREE} wait; sleep 1000")).deadline(Duration::from_secs(3)));
    site.assert_tree_is_gone(5);
    assert_eq!((finished.ended_by, finished.stdout.text().as_str()), (EndedBy::Timeout, "ready\n"));
}

#[test]
fn nothing_survives_an_orderly_exit() {
    let site = Site::new();
    let finished = site.run(&site.script(&format!("{TREE} exit 5")));
    site.assert_tree_is_gone(5);
    assert_eq!((finished.ended_by, finished.status), (EndedBy::Natural, Exit::Code(5)));
    assert!(finished.survivors_killed >= 5, "{finished:?}");
}

#[test]
fn a_deadline_during_the_grace_of_descendants_does_not_change_the_verdict() {
    let site = Site::new();
    let script = r#"setsid sh -c 'trap "" TERM; echo $$ >> "$1"; exec sleep 1000' sh "$1" &
        while [ ! -s "$1" ]; do sleep 0.01; done; exit 0"#;
    let deadline = Duration::from_secs(3);
    let finished = site.run(&site.script(script).deadline(deadline).grace(deadline));
    site.assert_tree_is_gone(1);
    assert_eq!((finished.ended_by, finished.status), (EndedBy::Natural, Exit::Code(0)));
    assert!(finished.duration > deadline);
}

#[test]
fn a_child_that_ignores_sigterm_is_killed_after_the_grace() {
    let site = Site::new();
    let began = Instant::now();
    let finished =
        site.run_until_ready(&site.script("trap '' TERM; echo ready; while :; do sleep 1000; done"));
    assert_eq!((finished.ended_by, finished.status), (EndedBy::Stopped, Exit::Signal(9)));
    assert!(began.elapsed() >= GRACE);
    site.assert_tree_is_gone(0);
}

#[test]
fn a_child_that_obeys_sigterm_may_say_goodbye_and_ends_the_grace() {
    let site = Site::new();
    let script = "trap 'echo bye; exit 6' TERM; echo ready; while :; do sleep 0.01; done";
    let finished = site.run_until_ready(&site.script(script).grace(PATIENCE));
    assert_eq!((finished.ended_by, finished.status), (EndedBy::Stopped, Exit::Code(6)));
    assert_eq!(finished.stdout.text(), "ready\nbye\n");
    assert!(finished.duration < PATIENCE);
}

#[test]
fn a_daemon_that_keeps_the_pipe_open_does_not_hold_the_answer() {
    let site = Site::new();
    let finished = site.run(&site.script("(setsid sleep 1000 &); echo done"));
    assert_eq!(finished.stdout.text(), "done\n");
    assert!(finished.duration < PATIENCE);
}

#[test]
fn a_daemon_that_is_a_new_process_all_the_time_is_caught() {
    let site = Site::new();
    let script = r#"
        echo 'trap "" TERM; setsid sh "$1" "$1" & exit' > "$1.sh"
        sh "$1.sh" "$1.sh" &
        echo ready; sleep 1000; :
    "#;
    let finished = site.run_until_ready(&site.script(script));
    assert!(finished.survivors_killed >= 1, "{finished:?}");
    site.assert_tree_is_gone(0);
}

#[test]
fn ending_one_call_leaves_the_other_and_its_daemon_alone() {
    let (one, other) = (Site::new(), Site::new());
    let daemon = r#"(env -i setsid sh -c 'trap "" TERM; echo $$ >> "$1"; exec sleep 1000' sh "$1" &)
        while [ ! -s "$1" ]; do sleep 0.01; done; echo ready; sleep 1000; :"#;
    // One launcher for both, so that they differ in nothing but the call.
    let launcher = &one.launcher;
    let switch = Switch::default();
    let command = other.script(daemon);
    std::thread::scope(|scope| {
        let running = scope.spawn(|| launcher.run(&command, &switch, &mut |_, _| ()).unwrap());
        wait_until("the other daemon", || {
            std::fs::read_to_string(other.pids_file()).unwrap().ends_with('\n')
        });
        one.run_until_ready(&one.script(daemon));
        one.assert_tree_is_gone(1);
        let pid = std::fs::read_to_string(other.pids_file()).unwrap().trim().parse().unwrap();
        assert!(is_alive(pid));
        switch.stop();
        assert_eq!(running.join().unwrap().ended_by, EndedBy::Stopped);
        assert!(!is_alive(pid));
    });
}

#[test]
fn strays_are_listed_while_they_live_with_their_supervision() {
    let site = Site::new();
    let switch = Switch::default();
    let command = site.script("exec sleep 1000");
    std::thread::scope(|scope| {
        let running = scope.spawn(|| site.launcher.run(&command, &switch, &mut |_, _| ()).unwrap());
        let strays = || list_strays(Some(&site.call()));
        wait_until("the child", || strays().first().is_some_and(|stray| stray.name == "sleep"));
        assert!(strays()[0].is_supervised);
        assert_eq!(strays()[0].call, site.call());
        switch.stop();
        running.join().unwrap();
        assert_eq!(strays(), []);
    });
}

#[test]
fn a_child_that_kills_its_supervisor_does_not_outlive_the_call() {
    let site = Site::new();
    let command = site.script("setsid sleep 1000 & kill -9 $PPID; sleep 1000; :");
    match site.launcher.run(&command, &Switch::default(), &mut |_, _| ()) {
        Ok(finished) => assert_eq!(finished.status, Exit::Lost),
        // The child was faster than the report of its start.
        Err(error) => assert!(matches!(error, SpawnError::Supervisor { .. }), "{error}"),
    }
    site.assert_tree_is_gone(0);
    assert!(site.run(&Command::new("true", env())).status.is_success());
}

#[test]
fn a_supervisor_that_is_none_is_reported_as_such() {
    for program in ["/bin/true", "/no/such/program"] {
        let launcher = Launcher::new(program, [SUPERVISE_WORD]);
        let result = launcher.run(&Command::new("true", env()), &Switch::default(), &mut |_, _| ());
        assert!(matches!(result, Err(SpawnError::Supervisor { .. })), "{result:?}");
    }
}

#[test]
fn an_idle_supervisor_that_was_killed_is_replaced() {
    let site = Site::new();
    let parent = site.run(&site.script("echo $PPID")).stdout.text();
    let pid = parent.trim().parse().unwrap();
    kill_process(Pid::from_raw(pid).unwrap(), Signal::TERM).unwrap();
    wait_until("the supervisor to end", || !is_alive(pid.cast_unsigned()));
    let next = site.run(&site.script("echo $PPID")).stdout.text();
    assert!(next.ends_with('\n') && next != parent);
    assert_eq!(site.run(&site.script("echo $PPID")).stdout.text(), next, "a living one is used again");
}

#[test]
fn many_concurrent_calls_share_the_launcher() {
    let site = Site::new();
    std::thread::scope(|scope| {
        for n in 0..16 {
            let site = &site;
            scope.spawn(move || {
                for _ in 0..5 {
                    let finished = site.run(&Command::new("echo", env()).args([n.to_string()]));
                    assert_eq!(finished.stdout.text(), format!("{n}\n"));
                }
            });
        }
    });
}
