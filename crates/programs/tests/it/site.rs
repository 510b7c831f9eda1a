//! A temporary directory with configurations, and a runtime over them.

use std::path::{Path, PathBuf};
use std::sync::Arc;

use mainstay_contract::Body;
use mainstay_process::{Launcher, SUPERVISE_WORD};
use mainstay_programs::{Detail, Dialect, Programs, ProgramsConfig, ProgramsError, Vars};
use mainstay_runtime::{Access, Form, Limits, Origin, Outcome, Request, Runtime, Sourced};
use serde_json::{Value, json};

/// The program that reports what reached it.
pub const FIXTURE: &str = env!("CARGO_BIN_EXE_programs-fixture");

pub struct Site {
    pub dir: tempfile::TempDir,
    pub given: ProgramsConfig,
    /// In the environment of every program of this site.
    pub mark: String,
}

/// An answer, taken apart.
#[derive(Debug)]
pub struct Answer {
    pub text: String,
    pub is_error: bool,
    pub structured: Value,
}

impl Answer {
    pub fn json(&self) -> Value {
        serde_json::from_str(&self.text).unwrap_or_else(|error| panic!("{error}: {}", self.text))
    }
}

impl Site {
    pub fn new() -> Site {
        let dir = tempfile::tempdir().unwrap();
        let mark = format!("mark-{}", dir.path().file_name().unwrap().to_string_lossy());
        let mut vars: Vars = std::env::vars_os().collect();
        vars.insert("PROBE_SECRET".into(), "do-not-pass".into());
        vars.insert("SITE_MARK".into(), mark.clone().into());
        let launcher = Arc::new(Launcher::new(FIXTURE, [SUPERVISE_WORD]));
        let mut given = ProgramsConfig::new(launcher, vars);
        given.helper = Some(FIXTURE.into());
        Site { dir, given, mark }
    }

    pub fn path(&self, name: &str) -> PathBuf {
        self.dir.path().join(name)
    }

    pub fn write(&self, name: &str, text: &str) -> PathBuf {
        std::fs::write(self.path(name), text).unwrap();
        self.path(name)
    }

    /// Adds a configuration; `SITE_MARK` reaches its programs.
    pub fn config(mut self, name: &str, mut config: Value) -> Site {
        if config.get("env_allow").is_none() {
            config["env_allow"] = json!(["SITE_MARK"]);
        }
        let path = self.write(name, &config.to_string());
        self.given.configs.push(path.display().to_string());
        self
    }

    /// Adds the fixture as a program with these tools.
    pub fn fixture(self, tools: Value) -> Site {
        let name = format!("fixture{}.yaml", self.given.configs.len());
        self.config(&name, json!({ "name": "fixture", "command": FIXTURE, "tools": tools }))
    }

    /// Adds `sh` as a program: one tool per script.
    pub fn scripts(self, scripts: &[(&str, &str, f64)]) -> Site {
        let tools: Vec<Value> = scripts
            .iter()
            .map(|(name, script, timeout)| {
                json!({ "name": name, "description": "d", "command": ["-c", script], "timeout": timeout })
            })
            .collect();
        self.config("sh.yaml", json!({ "name": "sh", "command": "sh", "tools": tools }))
    }

    pub fn policy(mut self, policy: Value) -> Site {
        self.given.policy = Some(self.write("policy.yaml", &policy.to_string()));
        self
    }

    pub fn climax(mut self) -> Site {
        self.given.dialect = Dialect::Climax;
        self
    }

    pub fn brief(mut self) -> Site {
        self.given.detail = Detail::Brief;
        self
    }

    pub fn var(mut self, name: &str, value: impl AsRef<Path>) -> Site {
        self.given.vars.insert(name.into(), value.as_ref().as_os_str().to_owned());
        self
    }

    pub fn load(&self) -> Result<Programs, ProgramsError> {
        Programs::load(&self.given)
    }

    pub fn load_error(&self) -> String {
        match self.load() {
            Ok(_) => panic!("the files should not load"),
            Err(error) => error.to_string(),
        }
    }

    pub fn serve(&self) -> Runtime {
        let access = Access { form: Sourced::new(Form::Discovery, Origin::Default), ..Access::default() };
        Runtime::new(self.load().unwrap().tools, access, Limits::default()).unwrap()
    }

    pub fn call(&self, tool: &str, args: Value) -> Answer {
        answer(self.serve().call(Request::new(tool, args)))
    }

    /// Calls the fixture's `argv` tool and returns the words it was given.
    pub fn words(&self, tool: &str, args: Value) -> Vec<String> {
        let answer = self.call(tool, args);
        serde_json::from_str(&answer.text).unwrap_or_else(|_| panic!("no words: {answer:?}"))
    }

    /// Calls a tool and returns its text.
    pub fn words_text(&self, tool: &str, args: Value) -> String {
        self.call(tool, args).text
    }

    /// Fails when a process of this site is alive.
    pub fn assert_no_survivor(&self) {
        let needle = self.mark.as_bytes();
        for entry in std::fs::read_dir("/proc").unwrap().flatten() {
            let pid = entry.file_name();
            let Some(pid) = pid.to_str().filter(|name| name.bytes().all(|b| b.is_ascii_digit())) else {
                continue;
            };
            let environ = std::fs::read(entry.path().join("environ")).unwrap_or_default();
            let is_ours = environ.windows(needle.len()).any(|window| window == needle);
            let name = std::fs::read_to_string(entry.path().join("cmdline")).unwrap_or_default();
            assert!(!is_ours, "process {pid} survived: {}", name.replace('\0', " "));
        }
    }
}

pub fn answer(outcome: Outcome) -> Answer {
    match outcome.result {
        Ok(Body::Text { text, is_error }) => Answer { text, is_error, structured: Value::Null },
        Ok(Body::Json(raw)) => {
            Answer { text: raw.get().to_owned(), is_error: false, structured: Value::Null }
        }
        Ok(Body::Content { blocks, structured, is_error }) => Answer {
            text: blocks[0]["text"].as_str().unwrap().to_owned(),
            is_error,
            structured: structured.unwrap_or_default(),
        },
        Ok(other) => panic!("unexpected body: {other:?}"),
        Err(failure) => {
            let text = format!("{}: {}", failure.fault.code, failure.fault.message);
            Answer { text, is_error: true, structured: Value::Null }
        }
    }
}
