//! A project in a temporary directory and the tools over it.

use std::path::Path;
use std::sync::Arc;

use mainstay_contract::{Body, Call, Fault, Tool};
use mainstay_foundry::{FoundryConfig, Programs};
use mainstay_process::{Launcher, SUPERVISE_WORD};
use serde_json::Value;
use tempfile::TempDir;

pub struct Site {
    pub root: TempDir,
    pub tools: Vec<Tool>,
    config: FoundryConfig,
}

impl Site {
    pub fn new() -> Site {
        Site::with(|_| {})
    }

    /// A project whose tools may start programs: git, a browser.
    pub fn with_programs() -> Site {
        Site::with(|config| {
            let launcher = Launcher::new(env!("CARGO_BIN_EXE_foundry-fixture"), [SUPERVISE_WORD]);
            config.programs = Some(Programs {
                launcher: Arc::new(launcher),
                env: [
                    ("PATH", "/usr/local/bin:/usr/bin:/bin".into()),
                    ("HOME", config.root.clone().into_os_string()),
                ]
                .map(|(name, value): (&str, std::ffi::OsString)| (name.into(), value))
                .into(),
                browser: None,
                axe: None,
            });
        })
    }

    pub fn with(change: impl FnOnce(&mut FoundryConfig)) -> Site {
        let root = tempfile::tempdir().unwrap();
        let mut config = FoundryConfig { root: root.path().to_owned(), ..FoundryConfig::default() };
        change(&mut config);
        Site { tools: mainstay_foundry::tools(config.clone()).unwrap(), root, config }
    }

    /// The same project under another configuration, as after a restart.
    pub fn change(&mut self, change: impl FnOnce(&mut FoundryConfig)) {
        change(&mut self.config);
        self.tools = mainstay_foundry::tools(self.config.clone()).unwrap();
    }

    pub fn path(&self) -> &Path {
        self.root.path()
    }

    pub fn tool(&self, id: &str) -> &Tool {
        self.tools.iter().find(|tool| tool.def.id == id).unwrap_or_else(|| panic!("no tool {id}"))
    }

    /// Calls a tool and checks the answer against its published schema.
    pub fn try_call(&self, id: &str, args: Value) -> Result<Value, Fault> {
        let tool = self.tool(id);
        let Body::Json(raw) = (tool.run)(&Call::detached(Arc::clone(&tool.def)), args)? else {
            panic!("{id} answers JSON")
        };
        let answer: Value = serde_json::from_str(raw.get()).unwrap();
        let validator = jsonschema::validator_for(tool.def.output.as_ref().unwrap()).unwrap();
        let errors: Vec<String> = validator
            .iter_errors(&answer)
            .map(|error| format!("{} at {}", error, error.instance_path()))
            .collect();
        assert!(errors.is_empty(), "{id}: {errors:#?}");
        Ok(answer)
    }

    /// Calls a tool without checking its schema, for tests with thousands of calls.
    pub fn quick_call(&self, id: &str, args: Value) -> Value {
        let tool = self.tool(id);
        match (tool.run)(&Call::detached(Arc::clone(&tool.def)), args) {
            Ok(Body::Json(raw)) => serde_json::from_str(raw.get()).unwrap(),
            other => panic!("{id}: {other:?}"),
        }
    }

    pub fn call(&self, id: &str, args: Value) -> Value {
        self.try_call(id, args).unwrap_or_else(|fault| panic!("{id}: {fault:?} {:?}", fault.hint))
    }

    pub fn fault(&self, id: &str, args: Value) -> Fault {
        match self.try_call(id, args) {
            Ok(answer) => panic!("{id} should fail, answered {answer}"),
            Err(fault) => fault,
        }
    }

    /// Whether arguments fit the published input schema.
    pub fn accepts(&self, id: &str, args: &Value) -> bool {
        jsonschema::is_valid(&self.tool(id).def.input, args)
    }
}
