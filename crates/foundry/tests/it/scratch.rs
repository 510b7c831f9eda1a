//! A project under git, and tools that may start git, npm and cargo in it.

use std::ffi::OsString;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::Arc;

use mainstay_foundry::{FoundryConfig, Programs};
use mainstay_process::{Launcher, SUPERVISE_WORD};

use crate::harness::Site;

/// The programs of this machine, and nobody's settings: home is an empty folder.
pub fn programs(home: &Path) -> Programs {
    let var = |name: &str| std::env::var_os(name);
    let real_home = PathBuf::from(var("HOME").unwrap());
    let cargo = var("CARGO_HOME").unwrap_or_else(|| real_home.join(".cargo").into());
    let rustup = var("RUSTUP_HOME").unwrap_or_else(|| real_home.join(".rustup").into());
    let env: [(&str, OsString); 9] = [
        ("PATH", var("PATH").unwrap()),
        ("HOME", home.into()),
        ("TMPDIR", home.into()),
        ("CARGO_HOME", cargo),
        ("RUSTUP_HOME", rustup),
        ("GIT_AUTHOR_NAME", "Ada".into()),
        ("GIT_AUTHOR_EMAIL", "ada@example.org".into()),
        ("GIT_COMMITTER_NAME", "Ada".into()),
        ("GIT_COMMITTER_EMAIL", "ada@example.org".into()),
    ];
    Programs {
        launcher: Arc::new(Launcher::new(env!("CARGO_BIN_EXE_foundry-fixture"), [SUPERVISE_WORD])),
        env: env.map(|(name, value)| (name.into(), value)).into(),
        browser: None,
        axe: None,
    }
}

/// A project with a repository, and a home beside it.
pub struct Project {
    pub site: Site,
    pub home: tempfile::TempDir,
}

impl Project {
    pub fn new() -> Project {
        Project::with(|_| {})
    }

    pub fn with(change: impl FnOnce(&mut FoundryConfig)) -> Project {
        let home = tempfile::tempdir().unwrap();
        let site = Site::with(|config| {
            config.programs = Some(programs(home.path()));
            change(config);
        });
        let project = Project { site, home };
        project.git(&["init", "--quiet", "--initial-branch=main"]);
        project.write("README.md", "# Example\n");
        project.commit("feat: begin");
        project
    }

    pub fn path(&self) -> &Path {
        self.site.path()
    }

    pub fn write(&self, path: &str, text: &str) {
        let path = self.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, text).unwrap();
    }

    /// Runs git and gives what it prints.
    pub fn git(&self, args: &[&str]) -> String {
        let env = programs(self.home.path()).env;
        let output =
            Command::new("git").args(args).current_dir(self.path()).env_clear().envs(env).output().unwrap();
        assert!(output.status.success(), "git {args:?}: {}", String::from_utf8_lossy(&output.stderr));
        String::from_utf8(output.stdout).unwrap().trim().to_owned()
    }

    pub fn commit(&self, message: &str) {
        self.git(&["add", "--all", "--", ".", ":(exclude)artifacts"]);
        self.git(&["commit", "--quiet", "--allow-empty", "--message", message]);
    }

    /// Every file of the project that git does not keep for itself, by its path.
    pub fn files(&self) -> Vec<String> {
        let mut found = Vec::new();
        let mut folders = vec![self.path().to_owned()];
        while let Some(folder) = folders.pop() {
            for entry in fs::read_dir(folder).unwrap() {
                let path = entry.unwrap().path();
                match path.is_dir() {
                    true if path.ends_with(".git") => {}
                    true => folders.push(path),
                    false => found.push(path.strip_prefix(self.path()).unwrap().to_str().unwrap().to_owned()),
                }
            }
        }
        found.sort();
        found
    }
}
