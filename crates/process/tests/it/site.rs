//! A launcher, a directory, a stop, and ways to see what is alive.

use std::any::Any;
use std::path::PathBuf;
use std::sync::Mutex;
use std::time::{Duration, Instant};

use mainstay_process::{Command, Env, Finished, Launcher, SUPERVISE_WORD, Stop, Stream, list_strays};

/// What a slow machine may need for something that takes milliseconds.
pub const PATIENCE: Duration = Duration::from_secs(20);

/// A grace short enough for tests and long enough to tell SIGTERM from SIGKILL.
pub const GRACE: Duration = Duration::from_millis(300);

pub const FIXTURE: &str = env!("CARGO_BIN_EXE_process-fixture");

/// Starts five descendants in every way a program may leave its parent, notes their numbers in `$1` and says `ready`.
pub const TREE: &str = r#"
sleep 1000 & echo $! >> "$1"
sh -c 'sh -c "sh -c \"echo \\\$\\\$ >> $1; sleep 1000; :\"; :"; :' sh "$1" &
setsid sh -c 'echo $$ >> "$1"; exec sleep 1000' sh "$1" &
( setsid sh -c 'trap "" TERM; echo $$ >> "$1"; sleep 1000; :' sh "$1" & )
env -i setsid sh -c 'trap "" TERM; echo $$ >> "$1"; exec sleep 1000' sh "$1" &
while [ "$(wc -l < "$1")" -lt 5 ]; do sleep 0.01; done
echo ready
"#;

pub struct Site {
    pub launcher: Launcher,
    pub dir: tempfile::TempDir,
}

impl Site {
    pub fn new() -> Site {
        let dir = tempfile::tempdir().unwrap();
        std::fs::write(dir.path().join("pids"), "").unwrap();
        Site { launcher: Launcher::new(FIXTURE, [SUPERVISE_WORD]), dir }
    }

    pub fn pids_file(&self) -> PathBuf {
        self.dir.path().join("pids")
    }

    /// A shell script with the pid file as `$1`, marked with a call id of its own.
    pub fn script(&self, script: &str) -> Command {
        Command::new("sh", env())
            .args(["-c", script, "sh"])
            .args([self.pids_file()])
            .grace(GRACE)
            .call(self.call())
    }

    pub fn call(&self) -> String {
        format!("test-{}", self.dir.path().display())
    }

    pub fn run(&self, command: &Command) -> Finished {
        self.launcher.run(command, &Switch::default(), &mut |_, _| ()).unwrap()
    }

    /// Runs until the script says `ready`, then stops it.
    pub fn run_until_ready(&self, command: &Command) -> Finished {
        let switch = Switch::default();
        let mut seen = Vec::new();
        self.launcher
            .run(command, &switch, &mut |stream, bytes| {
                if stream == Stream::Stdout {
                    seen.extend_from_slice(bytes);
                }
                if seen.ends_with(b"ready\n") {
                    switch.stop();
                }
            })
            .unwrap()
    }

    /// The processes that noted themselves in the pid file and are still alive, and those with the call's mark.
    pub fn alive(&self) -> Vec<u32> {
        let noted = std::fs::read_to_string(self.pids_file()).unwrap();
        let mut alive: Vec<u32> =
            noted.lines().map(|line| line.parse().unwrap()).filter(|pid| is_alive(*pid)).collect();
        alive.extend(list_strays(Some(&self.call())).into_iter().map(|stray| stray.pid));
        alive
    }

    pub fn assert_tree_is_gone(&self, noted: usize) {
        assert_eq!(
            std::fs::read_to_string(self.pids_file()).unwrap().lines().count(),
            noted,
            "noted processes"
        );
        assert_eq!(self.alive(), [0; 0], "still alive");
    }
}

pub fn env() -> Env {
    [("PATH".into(), "/usr/bin:/bin".into())].into()
}

/// Not there and not a zombie that nobody collected.
pub fn is_alive(pid: u32) -> bool {
    let stat = std::fs::read_to_string(format!("/proc/{pid}/stat")).unwrap_or_default();
    stat.rsplit_once(')').is_some_and(|(_, rest)| !rest.trim_start().starts_with('Z'))
}

/// Waits for something that another process brings about.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let patient_until = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < patient_until, "waited too long: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}

type Wake = Box<dyn FnOnce() + Send>;

/// A stop for tests.
#[derive(Default)]
pub struct Switch {
    state: Mutex<(bool, Vec<Wake>)>,
}

impl Switch {
    pub fn stop(&self) {
        let mut state = self.state.lock().unwrap();
        state.0 = true;
        state.1.drain(..).for_each(|wake| wake());
    }
}

impl Stop for Switch {
    fn is_stopped(&self) -> bool {
        self.state.lock().unwrap().0
    }

    fn on_stop(&self, wake: Wake) -> Box<dyn Any> {
        let mut state = self.state.lock().unwrap();
        if state.0 {
            wake()
        } else {
            state.1.push(wake)
        }
        Box::new(())
    }
}
