//! The process that owns a call is killed, or loses its parent: its trees end with it.

use std::io::{BufRead, BufReader};
use std::process::{Child, Command, Stdio};

use rustix::process::{Pid, Signal, kill_process, kill_process_group};

use crate::site::{FIXTURE, Site, TREE, wait_until};

/// Starts an owner, or a shell around one, and waits until its tree is complete.
fn start(site: &Site, mut command: Command) -> Child {
    use std::os::unix::process::CommandExt;
    let script = format!("{TREE} sleep 1000; :");
    let mut owner = command
        .args(["own", &site.call(), &script])
        .arg(site.pids_file())
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .process_group(0)
        .spawn()
        .unwrap();
    let mut line = String::new();
    BufReader::new(owner.stdout.as_mut().unwrap()).read_line(&mut line).unwrap();
    assert_eq!(line, "ready\n");
    assert!(site.alive().len() >= 5);
    owner
}

fn check_tree_ends(owner: impl Fn() -> Command, kill: impl Fn(Pid)) {
    let site = Site::new();
    let mut owner = start(&site, owner());
    kill(Pid::from_child(&owner));
    wait_until("the tree to end", || site.alive().is_empty());
    drop(owner.stdin.take());
    owner.wait().unwrap();
    site.assert_tree_is_gone(5);
}

#[test]
fn sigkill_of_the_owner_ends_the_tree() {
    check_tree_ends(|| Command::new(FIXTURE), |owner| kill_process(owner, Signal::KILL).unwrap());
}

#[test]
fn sigterm_of_the_owner_ends_the_tree() {
    check_tree_ends(|| Command::new(FIXTURE), |owner| kill_process(owner, Signal::TERM).unwrap());
}

#[test]
fn sigkill_of_the_group_of_the_owner_ends_the_tree() {
    check_tree_ends(|| Command::new(FIXTURE), |owner| kill_process_group(owner, Signal::KILL).unwrap());
}

/// A client that starts the owner and then waits for a line that never comes.
fn client(mode: &str) -> Command {
    let mut shell = Command::new("sh");
    shell
        .args(["-c", r#""$@" < /dev/null & read line"#, "sh", FIXTURE])
        .args((!mode.is_empty()).then_some(mode));
    shell
}

#[test]
fn sigkill_of_the_parent_of_the_owner_ends_the_tree() {
    check_tree_ends(|| client(""), |client| kill_process(client, Signal::KILL).unwrap());
}

#[test]
fn a_lost_parent_is_noticed_although_the_pipes_stay_open() {
    let mut client = client("watch").stdin(Stdio::piped()).stdout(Stdio::piped()).spawn().unwrap();
    let stdin = client.stdin.take();
    let mut lines = BufReader::new(client.stdout.take().unwrap()).lines();
    assert_eq!(lines.next().unwrap().unwrap(), "watching");
    client.kill().unwrap();
    client.wait().unwrap();
    assert_eq!(lines.next().unwrap().unwrap(), "gone");
    drop(stdin);
}
