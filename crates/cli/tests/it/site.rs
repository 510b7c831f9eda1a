//! A directory of its own for each test, and commands that know nothing else of this machine.

use std::path::{Path, PathBuf};
use std::process::{Command, Output, Stdio};
use std::time::{Duration, Instant};

use serde_json::Value;

/// What a slow machine may need for something that takes milliseconds.
pub const PATIENCE: Duration = Duration::from_secs(30);

pub const MAINSTAY: &str = env!("CARGO_BIN_EXE_mainstay");

/// A home and a repository in a temporary directory; the repository is the working directory.
pub struct Site {
    root: tempfile::TempDir,
}

impl Site {
    pub fn new() -> Site {
        let root = tempfile::tempdir().unwrap();
        for dir in ["home", "repo"] {
            std::fs::create_dir(root.path().join(dir)).unwrap();
        }
        Site { root }
    }

    /// Puts a file into the repository.
    pub fn file(self, path: &str, text: &str) -> Site {
        self.write(path, text);
        self
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.repo().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, text).unwrap();
    }

    pub fn repo(&self) -> PathBuf {
        self.root.path().join("repo")
    }

    pub fn home(&self) -> PathBuf {
        self.root.path().join("home")
    }

    /// A copy of home and repository as they are.
    pub fn save(&self) -> tempfile::TempDir {
        let state = tempfile::tempdir().unwrap();
        copy(self.root.path(), state.path());
        state
    }

    /// Goes back to a copy; paths and times of files are the same again.
    pub fn restore(&self, state: &tempfile::TempDir) {
        for dir in ["home", "repo"] {
            std::fs::remove_dir_all(self.root.path().join(dir)).unwrap();
        }
        copy(state.path(), self.root.path());
    }

    /// `program` in the repository, with a path, a home and no other variable.
    pub fn program(&self, program: &str) -> Command {
        let mut command = Command::new(program);
        command
            .current_dir(self.repo())
            .env_clear()
            .env("PATH", "/usr/local/bin:/usr/bin:/bin")
            .env("HOME", self.home());
        command
    }

    pub fn mainstay<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Command {
        let mut command = self.program(MAINSTAY);
        command.args(args);
        command
    }

    pub fn run<'a>(&self, args: impl IntoIterator<Item = &'a str>) -> Ran {
        self.ran(&mut self.mainstay(args))
    }

    pub fn ran(&self, command: &mut Command) -> Ran {
        let Output { status, stdout, stderr } = command.stdin(Stdio::null()).output().unwrap();
        let text = |bytes: Vec<u8>| self.without_paths(&String::from_utf8(bytes).unwrap());
        Ran { exit: status.code().unwrap(), stdout: text(stdout), stderr: text(stderr) }
    }

    /// The definitions of every tool, as `contract snapshot` writes them.
    pub fn definitions(&self) -> Vec<Value> {
        let dir = self.root.path().join("contracts");
        let ran = self.run(["contract", "snapshot", dir.to_str().unwrap()]);
        assert_eq!(ran.exit, 0, "{}", ran.stderr);
        let mut tools = Vec::new();
        for toolset in ["search", "programs", "catalog", "foundry"] {
            let text = std::fs::read_to_string(dir.join(format!("{toolset}.json"))).unwrap();
            let snapshot: Value = serde_json::from_str(&text).unwrap();
            tools.extend(snapshot["tools"].as_array().unwrap().iter().cloned());
        }
        tools
    }

    fn without_paths(&self, text: &str) -> String {
        text.replace(self.repo().to_str().unwrap(), "[REPO]")
            .replace(self.root.path().to_str().unwrap(), "[SITE]")
    }
}

fn copy(from: &Path, to: &Path) {
    let dirs = ["home", "repo"].map(|dir| from.join(dir));
    assert!(Command::new("cp").arg("-a").args(dirs).arg(to).status().unwrap().success());
}

/// What a command did.
#[derive(Debug)]
pub struct Ran {
    pub exit: i32,
    pub stdout: String,
    pub stderr: String,
}

impl Ran {
    pub fn transcript(&self) -> String {
        let mut text = format!("exit: {}\n", self.exit);
        for (name, stream) in [("stdout", &self.stdout), ("stderr", &self.stderr)] {
            if !stream.is_empty() {
                text.push_str(&format!("--- {name}\n{stream}"));
            }
        }
        text
    }

    pub fn json(&self) -> Value {
        serde_json::from_str(&self.stdout).unwrap_or_else(|error| panic!("{error}: {self:?}"))
    }
}

/// The root of the repository these tests are part of.
pub fn workspace() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).ancestors().nth(2).unwrap().to_path_buf()
}

/// Waits for something that another process brings about.
pub fn wait_until(what: &str, mut is_so: impl FnMut() -> bool) {
    let patient_until = Instant::now() + PATIENCE;
    while !is_so() {
        assert!(Instant::now() < patient_until, "waited too long: {what}");
        std::thread::sleep(Duration::from_millis(5));
    }
}
