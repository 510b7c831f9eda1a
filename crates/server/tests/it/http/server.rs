//! A running server with tools that show what happens to a call.

use std::net::SocketAddr;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::sync::{Arc, Mutex};
use std::thread::JoinHandle;
use std::time::Duration;

use mainstay_contract::{Body, CancelToken, ErrorCode, Fault, Policy, StopReason, Tool, ToolDef, Toolset};
use mainstay_runtime::{Access, Limits, Runtime};
use mainstay_server::{Changes, Fixtures, HttpConfig, HttpError, Identity, Surface, serve_http};
use serde_json::{Value, json};

use super::client::{Answer, Connection};

pub const SOON: Duration = Duration::from_secs(20);
pub const JSON: (&str, &str) = ("Content-Type", "application/json");

pub struct Server {
    pub address: SocketAddr,
    pub runtime: Runtime,
    pub stop: CancelToken,
    /// `started` and `stopped` of the tool `wait`.
    pub steps: Receiver<&'static str>,
    thread: Option<JoinHandle<Result<(), HttpError>>>,
}

fn object(properties: Value, required: &[&str]) -> Value {
    json!({ "type": "object", "properties": properties, "required": required, "additionalProperties": false })
}

/// A tool of a toolset, described.
fn def(id: &str, toolset: Toolset) -> ToolDef {
    ToolDef::new(id, toolset).title(id).summary("A tool for tests")
}

fn tools(steps: Sender<&'static str>) -> Vec<Tool> {
    let text = || json!({ "type": "string" });
    let steps = Mutex::new(steps);
    let echo = object(json!({ "message": { "type": "string", "maxLength": 100 } }), &["message"]);
    let wait = def("wait", Toolset::Search).raw_handler(move |call, _| {
        let tell = |step| steps.lock().unwrap().send(step).unwrap_or_default();
        call.progress("wait", "waiting");
        tell("started");
        call.cancel().wait_timeout(SOON);
        tell("stopped");
        call.cancel().check()?;
        Body::json(&json!({}))
    });
    let nap = def("nap", Toolset::Search).input(object(json!({ "n": { "type": "integer" } }), &["n"]));
    let status = def("index_status", Toolset::Search).input(object(json!({ "repoPath": text() }), &[]));
    let search_args = json!({ "query": text(), "repoPath": text(), "top": { "type": "integer" } });
    let search = def("search", Toolset::Search).input(object(search_args, &["query"]));
    vec![
        def("echo", Toolset::Search)
            .title("Echo")
            .summary("Repeat the message")
            .input(echo.clone())
            .output(echo)
            .example("Say hello", json!({ "message": "hello" }))
            .policy(Policy::instant())
            .raw_handler(|_, args| Body::json(&args)),
        def("things/list", Toolset::Catalog).raw_handler(|_, _| Body::json(&json!({ "id": "things/list" }))),
        def("things/keep", Toolset::Catalog)
            .writes()
            .raw_handler(|_, _| Body::json(&json!({ "id": "things/keep" }))),
        def("things.make", Toolset::Foundry).raw_handler(|_, _| Body::json(&json!({ "id": "things.make" }))),
        def("fail", Toolset::Search).input(object(json!({ "code": text() }), &["code"])).raw_handler(
            |_, args| {
                let row = ErrorCode::TABLE.iter().find(|row| args["code"] == row.name).unwrap();
                Err(Fault::new(row.code, "as asked"))
            },
        ),
        wait,
        nap.raw_handler(|call, args| {
            call.cancel().wait_timeout(Duration::from_millis(2));
            Body::json(&args)
        }),
        status.raw_handler(|_, args| Body::json(&json!({ "indexed": false, "asked": args["repoPath"] }))),
        search.raw_handler(|call, args| {
            call.progress("open", "opening the index");
            if args["query"] == "nothing" {
                return Err(Fault::new(ErrorCode::NoIndex, "no index"));
            }
            Body::json(&json!({ "repo": "r", "search": { "hits": [], "query": args["query"] } }))
        }),
    ]
}

impl Server {
    pub fn start() -> Server {
        Server::with(HttpConfig::default(), Limits::default())
    }

    pub fn with(config: HttpConfig, limits: Limits) -> Server {
        Server::build(config, limits, false)
    }

    pub fn build(config: HttpConfig, limits: Limits, fixtures: bool) -> Server {
        let (send, steps) = channel();
        let changes = Changes::default();
        let fixtures = fixtures.then(|| Fixtures::new(changes.clone()));
        let mut tools = tools(send);
        tools.extend(fixtures.iter().flat_map(|fixtures| fixtures.tools()));
        let runtime = Runtime::new(tools, Access::default(), limits).unwrap();
        let mut surface = Surface::new(runtime.clone(), Identity::default());
        surface.changes = changes;
        surface.fixtures = fixtures.map(Arc::new);
        let stop = CancelToken::new();
        let (bound, address) = channel();
        let config = HttpConfig { port: 0, ..config };
        let token = stop.clone();
        let thread =
            std::thread::spawn(move || serve_http(config, surface, token, |at| bound.send(at).unwrap()));
        let address = address.recv_timeout(SOON).unwrap();
        Server { address, runtime, stop, steps, thread: Some(thread) }
    }

    pub fn connect(&self) -> Connection {
        Connection::open(self.address)
    }

    pub fn request(&self, method: &str, path: &str, headers: &[(&str, &str)], body: Option<&[u8]>) -> Answer {
        let mut connection = self.connect();
        connection.send(method, path, headers, body);
        connection.receive()
    }

    pub fn get(&self, path: &str) -> Answer {
        self.request("GET", path, &[], None)
    }

    pub fn post(&self, path: &str, body: &Value) -> Answer {
        self.request("POST", path, &[JSON], Some(body.to_string().as_bytes()))
    }

    pub fn step(&self) -> &'static str {
        self.steps.recv_timeout(SOON).unwrap()
    }

    /// Stops the server and waits for it.
    pub fn finish(&mut self) {
        self.stop.cancel(StopReason::Shutdown);
        if let Some(thread) = self.thread.take() {
            thread.join().unwrap().unwrap();
        }
    }
}

impl Drop for Server {
    fn drop(&mut self) {
        self.finish();
    }
}
