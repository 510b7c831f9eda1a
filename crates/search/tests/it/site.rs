//! A repository in a temporary directory and the tools over it.

use std::path::PathBuf;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use jiff::Timestamp;
use mainstay_contract::{
    Body, Call, CallParts, Caller, CancelToken, Fault, FaultResult, Gate, Host, NoHost, Notes, Progress,
    ProgressSink, Silent, StopReason, Tool, ToolDef, ToolUse, Toolset,
};
use mainstay_search::{Debounce, Network, SearchConfig, tools};
use serde_json::{Map, Value, json};

/// Cancels when nothing is left.
struct Countdown {
    left: AtomicUsize,
    cancel: CancelToken,
}

impl ProgressSink for Countdown {
    fn report(&self, _: Progress) {
        if self.left.fetch_update(Ordering::SeqCst, Ordering::SeqCst, |left| left.checked_sub(1)) == Ok(1) {
            self.cancel.cancel(StopReason::Cancelled);
        }
    }
}

pub struct Site {
    dir: tempfile::TempDir,
    network: Network,
    watch: Option<Debounce>,
    tools: Vec<Tool>,
}

impl Site {
    pub fn new(files: &[(&str, &str)]) -> Site {
        let dir = tempfile::tempdir().unwrap();
        let repo = dir.path().join("repo");
        std::fs::create_dir(&repo).unwrap();
        let mut site = Site { tools: Vec::new(), network: Network::default(), watch: None, dir };
        site.restart();
        for (path, text) in files {
            site.write(path, text.as_bytes());
        }
        site
    }

    /// Forgets everything but the files, as a new process would.
    pub fn restart(&mut self) {
        let (cache_dir, network) = (self.cache(), self.network.clone());
        self.tools = tools(SearchConfig {
            repo: self.repo(),
            cache_dir,
            settings: json!({}),
            network,
            watch: self.watch,
            ..SearchConfig::default()
        });
    }

    /// A site whose repository is indexed.
    pub fn indexed(files: &[(&str, &str)]) -> Site {
        let site = Site::new(files);
        site.call("build_index", json!({})).unwrap();
        site
    }

    pub fn repo(&self) -> PathBuf {
        self.dir.path().join("repo").canonicalize().unwrap()
    }

    pub fn cache(&self) -> PathBuf {
        self.dir.path().join("cache")
    }

    /// Starts again with another way to the network.
    pub fn with_network(mut self, network: Network) -> Site {
        self.network = network;
        self.restart();
        self
    }

    /// Starts again as a server that keeps its indexes fresh.
    pub fn watched(mut self, debounce: Debounce) -> Site {
        self.watch = Some(debounce);
        self.restart();
        self
    }

    pub fn outside(&self) -> PathBuf {
        self.dir.path().to_owned()
    }

    pub fn write(&self, path: &str, bytes: &[u8]) {
        let path = self.repo().join(path);
        std::fs::create_dir_all(path.parent().unwrap()).unwrap();
        std::fs::write(path, bytes).unwrap();
    }

    pub fn call(&self, tool: &str, args: Value) -> Result<Value, Fault> {
        self.call_as(Caller::default(), tool, args)
    }

    pub fn call_as(&self, caller: Caller, tool: &str, args: Value) -> Result<Value, Fault> {
        self.call_until(caller, &CancelToken::new(), tool, args)
    }

    /// A call that somebody may cancel.
    pub fn call_until(
        &self,
        caller: Caller,
        cancel: &CancelToken,
        tool: &str,
        args: Value,
    ) -> Result<Value, Fault> {
        self.noted(Around { caller, cancel: cancel.clone(), ..Around::default() }, tool, args).0
    }

    /// A call at a moment of the test's choice.
    pub fn call_at(&self, now: &str, tool: &str, args: Value) -> Result<Value, Fault> {
        let host = Arc::new(Clock(now.parse().unwrap()));
        self.noted(Around { host, ..Around::default() }, tool, args).0
    }

    /// The definition of a tool.
    pub fn definition(&self, tool: &str) -> &ToolDef {
        &self.tools.iter().find(|one| one.def.id == tool).unwrap().def
    }

    /// A call that is cancelled when it has reported so many steps.
    pub fn call_for_steps(&self, steps: usize, tool: &str, args: Value) -> Result<Value, Fault> {
        let cancel = CancelToken::new();
        let left = Countdown { left: AtomicUsize::new(steps), cancel: cancel.clone() };
        self.noted(Around { cancel, progress: Arc::new(left), ..Around::default() }, tool, args).0
    }

    /// The warnings of a call that succeeds.
    pub fn warnings(&self, tool: &str, args: Value) -> Vec<Value> {
        let (outcome, notes) = self.noted(Around::default(), tool, args);
        outcome.unwrap();
        notes.warnings
    }

    fn noted(&self, around: Around, tool: &str, args: Value) -> (Result<Value, Fault>, Notes) {
        let Around { caller, cancel, progress, host } = around;
        let tool = self.tools.iter().find(|one| one.def.id == tool).unwrap();
        let call = Call::new(CallParts {
            tool: Arc::clone(&tool.def),
            caller,
            request_id: None,
            cancel,
            progress,
            host,
            client: None,
            input: Default::default(),
            changes: Default::default(),
            meta: Map::new(),
        });
        let outcome = (tool.run)(&call, args).map(|body| match body {
            Body::Json(raw) => serde_json::from_str(raw.get()).unwrap(),
            other => panic!("{other:?}"),
        });
        (outcome, call.take_notes())
    }

    /// `file:line` of every hit in code, then in prose.
    pub fn places(&self, args: Value) -> Vec<String> {
        let found = self.call("search", args).unwrap();
        let hits =
            ["code", "prose"].iter().flat_map(|mode| found["search"][mode].as_array().unwrap().clone());
        hits.map(|hit| format!("{}:{}", hit["file"].as_str().unwrap(), hit["startLine"])).collect()
    }
}

/// What is around a call: who makes it, where, and how it ends.
struct Around {
    caller: Caller,
    cancel: CancelToken,
    progress: Arc<dyn ProgressSink>,
    host: Arc<dyn Host>,
}

impl Default for Around {
    fn default() -> Around {
        Around {
            caller: Caller::default(),
            cancel: CancelToken::new(),
            progress: Arc::new(Silent),
            host: Arc::new(NoHost),
        }
    }
}

/// A host where it is always the same moment.
struct Clock(Timestamp);

impl Host for Clock {
    fn tools(&self, caller: &Caller) -> Vec<Arc<ToolDef>> {
        NoHost.tools(caller)
    }

    fn invoke(&self, call: &Call, tool: &str, args: Value) -> FaultResult<Body> {
        NoHost.invoke(call, tool, args)
    }

    fn usage(&self) -> Vec<ToolUse> {
        NoHost.usage()
    }

    fn is_open(&self, gate: Gate) -> bool {
        NoHost.is_open(gate)
    }

    fn toolsets(&self) -> Vec<Toolset> {
        NoHost.toolsets()
    }

    fn now(&self) -> Timestamp {
        self.0
    }
}
