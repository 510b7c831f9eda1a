//! A catalog directory, the tools over it, and a small server around them.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use jiff::Timestamp;
use mainstay_catalog::{CatalogConfig, tools};
use mainstay_contract::{
    Body, Call, CallParts, Caller, CancelToken, ErrorCode, Fault, FaultResult, Gate, Host, Silent, Tool,
    ToolDef, ToolUse, Toolset,
};
use serde_json::{Map, Value, json};

/// The server around the tools: resolves, checks the gate, runs.
pub struct TestHost {
    tools: Vec<Tool>,
    pub mutation: AtomicBool,
}

impl TestHost {
    fn run(self: &Arc<Self>, id: &str, args: Value) -> FaultResult<Body> {
        let tool = self.tools.iter().find(|tool| tool.def.id == id);
        let tool = tool.unwrap_or_else(|| panic!("no tool {id}"));
        if tool.def.policy.gate.is_some_and(|gate| !self.is_open(gate)) {
            return Err(Fault::new(
                ErrorCode::Forbidden,
                "Mutation disabled. Set MCP_ENABLE_MUTATION=1 to enable.",
            ));
        }
        let call = Call::new(CallParts {
            tool: Arc::clone(&tool.def),
            caller: Caller { name: Some("tester".into()), ..Caller::default() },
            request_id: None,
            cancel: CancelToken::new(),
            progress: Arc::new(Silent),
            host: Arc::new(Shared(Arc::clone(self))),
            client: None,
            meta: Map::new(),
            input: Default::default(),
            changes: Default::default(),
        });
        (tool.run)(&call, args)
    }

    fn is_open(&self, _: Gate) -> bool {
        self.mutation.load(Ordering::SeqCst)
    }
}

struct Shared(Arc<TestHost>);

impl Host for Shared {
    fn tools(&self, _: &Caller) -> Vec<Arc<ToolDef>> {
        self.0.tools.iter().map(|tool| Arc::clone(&tool.def)).collect()
    }

    fn invoke(&self, _: &Call, tool: &str, args: Value) -> FaultResult<Body> {
        self.0.run(tool, args)
    }

    fn usage(&self) -> Vec<ToolUse> {
        let used = |id: &str, count, total_micros| ToolUse {
            id: id.into(),
            count,
            errors: 0,
            total_micros,
            max_micros: 3456,
        };
        vec![used("usage/track", 3, 10_000), used("instructions/get", 1, 1234), used("never", 0, 0)]
    }

    fn is_open(&self, gate: Gate) -> bool {
        self.0.is_open(gate)
    }

    fn toolsets(&self) -> Vec<Toolset> {
        vec![Toolset::Catalog]
    }

    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}

/// What an answer violates of its schema. Schemas are compiled once: they are the same for every server.
fn problems(id: &str, schema: &Value, result: &Value) -> Vec<String> {
    static COMPILED: Mutex<BTreeMap<String, Arc<jsonschema::Validator>>> = Mutex::new(BTreeMap::new());
    let validator = {
        let mut compiled = COMPILED.lock().unwrap();
        let validator = compiled
            .entry(id.to_owned())
            .or_insert_with(|| Arc::new(jsonschema::validator_for(schema).unwrap()));
        Arc::clone(validator)
    };
    validator.iter_errors(result).map(|error| error.to_string()).collect()
}

/// A server over a directory.
pub struct Server {
    pub host: Arc<TestHost>,
}

impl Server {
    pub fn open(config: CatalogConfig) -> Server {
        Server { host: Arc::new(TestHost { tools: tools(config), mutation: AtomicBool::new(true) }) }
    }

    pub fn read_only(config: CatalogConfig) -> Server {
        let server = Server::open(config);
        server.host.mutation.store(false, Ordering::SeqCst);
        server
    }

    pub fn tools(&self) -> &[Tool] {
        &self.host.tools
    }

    /// Calls a tool; every answer must be what the definition publishes.
    pub fn try_call(&self, id: &str, args: Value) -> FaultResult<Value> {
        let result = match self.host.run(id, args)? {
            Body::Json(raw) => serde_json::from_str(raw.get()).unwrap(),
            other => panic!("{id} did not answer JSON: {other:?}"),
        };
        let tool = self.host.tools.iter().find(|tool| tool.def.id == id).unwrap();
        if let Some(schema) = &tool.def.output {
            let problems = problems(id, schema, &result);
            assert!(problems.is_empty(), "{id}: {problems:?} in {result}");
        }
        Ok(result)
    }

    pub fn call(&self, id: &str, args: Value) -> Value {
        self.try_call(id, args.clone()).unwrap_or_else(|fault| panic!("{id} {args}: {fault:?}"))
    }

    /// Adds an entry with defaults and insists that it was created.
    pub fn add(&self, id: &str, body: &str) -> Value {
        let added = self.call("instructions/add", json!({"entry": {"id": id, "body": body}, "lax": true}));
        assert_eq!(added["created"], true, "{added}");
        added
    }

    pub fn get(&self, id: &str) -> Value {
        self.call("instructions/get", json!({ "id": id }))["item"].clone()
    }

    pub fn ids(&self) -> Vec<String> {
        let list = self.call("instructions/list", json!({}));
        list["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap().to_owned()).collect()
    }
}

/// A temporary catalog and a server over it.
pub struct Site {
    pub root: tempfile::TempDir,
    pub server: Server,
}

impl std::ops::Deref for Site {
    type Target = Server;

    fn deref(&self) -> &Server {
        &self.server
    }
}

impl Site {
    pub fn new() -> Site {
        let root = tempfile::tempdir().unwrap();
        std::fs::create_dir(root.path().join("instructions")).unwrap();
        Site { server: Server::open(config(root.path())), root }
    }

    pub fn dir(&self) -> PathBuf {
        self.root.path().join("instructions")
    }

    pub fn config(&self) -> CatalogConfig {
        config(self.root.path())
    }

    /// Another server on the same directory.
    pub fn second(&self) -> Server {
        Server::open(self.config())
    }

    pub fn write(&self, name: &str, text: impl AsRef<[u8]>) -> &Site {
        std::fs::write(self.dir().join(name), text).unwrap();
        self
    }

    pub fn raw(&self, name: &str) -> Value {
        serde_json::from_slice(&std::fs::read(self.dir().join(name)).unwrap()).unwrap()
    }

    /// Everything below the root, by path.
    pub fn files(&self) -> BTreeMap<PathBuf, Vec<u8>> {
        let mut files = BTreeMap::new();
        collect(self.root.path(), self.root.path(), &mut files);
        files
    }
}

fn config(root: &Path) -> CatalogConfig {
    CatalogConfig { features: vec!["usage".into()], ..CatalogConfig::new(root.join("instructions")) }
}

fn collect(root: &Path, dir: &Path, files: &mut BTreeMap<PathBuf, Vec<u8>>) {
    for item in std::fs::read_dir(dir).unwrap() {
        let item = item.unwrap();
        let path = item.path();
        match item.file_type().unwrap() {
            kind if kind.is_dir() => collect(root, &path, files),
            kind if kind.is_file() => {
                files.insert(path.strip_prefix(root).unwrap().to_owned(), std::fs::read(&path).unwrap());
            }
            _ => {}
        }
    }
}

/// A complete entry as a caller writes it.
pub fn entry(id: &str, body: &str) -> Value {
    json!({
        "id": id, "title": format!("Title of {id}"), "body": body, "priority": 50, "audience": "all",
        "requirement": "optional", "categories": ["topic"]
    })
}

/// The same with more or other fields.
pub fn entry_with(id: &str, more: Value) -> Value {
    let mut entry = entry(id, &format!("Body of {id}"));
    entry.as_object_mut().unwrap().extend(more.as_object().unwrap().clone());
    entry
}

pub fn ids_of(result: &Value) -> Vec<&str> {
    result["items"].as_array().unwrap().iter().map(|item| item["id"].as_str().unwrap()).collect()
}
