//! One client on stdio: which message leads to which call, and how it is answered.

use std::sync::{Arc, Mutex, PoisonError};

use mainstay_contract::{Caller, ErrorCode, Role, TOOLING_VERSION, Toolset, timestamp};
use mainstay_runtime::{Door, Outcome, Registry, Request, Runtime, Stage, Step, nearest};
use serde::Deserialize;
use serde_json::value::RawValue;
use serde_json::{Map, Value, json};

use super::calls::Calls;
use super::handshake;
use super::message::{Id, Message, Unreadable};
use super::outbox::Outbox;
use super::{End, Stopper};
use crate::encode::{self, UnknownTool};
use crate::identity::{Identity, Transport};
use crate::listing::{Naming, listed_tools};
use crate::rpc::RpcError;
use crate::surface::{EXPLAIN, explain};

/// Methods of MCP that no tool may shadow.
const MCP_METHODS: &[&str] =
    &["initialize", "ping", "server/discover", "tools/list", "tools/call", EXPLAIN, "shutdown", "exit"];

/// What a session is told about its place.
#[derive(Clone)]
pub struct SessionConfig {
    pub identity: Identity,
    pub transport: Transport,
    pub naming: Naming,
}

pub struct Session {
    pub(super) runtime: Runtime,
    pub(super) config: Arc<SessionConfig>,
    pub(super) outbox: Outbox,
    calls: Calls,
    stopper: Stopper,
    pub(super) client: Option<String>,
    pub(super) unknown: UnknownTool,
    /// The only active toolset, when there is just one: the server then stands in for that seed's server.
    only: Option<Toolset>,
    pub(super) seen_rpc: bool,
    /// The serialised listing and the registry it was made from.
    listing: Mutex<Option<(Arc<Registry>, Arc<str>)>>,
}

#[derive(Deserialize)]
struct CallParams {
    name: String,
    #[serde(default)]
    arguments: Value,
    #[serde(default, rename = "_meta")]
    meta: Map<String, Value>,
}

#[derive(Deserialize, Default)]
struct AnyParams {
    #[serde(default, rename = "_meta")]
    meta: Option<Map<String, Value>>,
    #[serde(default)]
    cursor: Option<Value>,
}

impl Session {
    pub fn new(runtime: Runtime, config: Arc<SessionConfig>, outbox: Outbox, stopper: Stopper) -> Session {
        let only = match runtime.access().toolsets.value.as_slice() {
            [only] => Some(*only),
            _ => None,
        };
        Session {
            runtime,
            config,
            outbox,
            calls: Calls::default(),
            stopper,
            client: None,
            unknown: if only == Some(Toolset::Programs) {
                UnknownTool::Text
            } else {
                UnknownTool::ProtocolError
            },
            only,
            seen_rpc: false,
            listing: Mutex::default(),
        }
    }

    /// Acts on one message; answers made here are queued, the reader flushes them.
    pub fn handle(&mut self, message: Result<Message<'_>, Unreadable>) {
        match message {
            Ok(Message::Blank | Message::Response) => {}
            Ok(Message::Notification { method, params }) => self.notified(&method, params),
            Ok(Message::Request { id, method, params }) => {
                self.seen_rpc = true;
                self.request(&id, &method, params);
            }
            Ok(Message::Line { id, tool, input, role }) => self.line(id, &tool, input, role),
            Err(unreadable) => self.unreadable(&unreadable),
        }
    }

    /// Answers a message that was skipped for its size.
    pub fn oversized(&self) {
        self.outbox.queue(&oversized());
    }

    fn unreadable(&self, unreadable: &Unreadable) {
        // A foundry client that has never spoken JSON-RPC would not understand a JSON-RPC error.
        if self.only == Some(Toolset::Foundry) && !self.seen_rpc {
            let error = encode::line_error("BAD_REQUEST", &unreadable.error.message, None, incident());
            self.outbox.queue(&format!(r#"{{"error":{error}}}"#));
            return;
        }
        let id = unreadable.id.as_ref().map_or("null", Id::raw);
        self.outbox.queue(&error_message(id, &unreadable.error));
    }

    fn notified(&mut self, method: &str, params: Option<&RawValue>) {
        let field = match method {
            "notifications/cancelled" => "requestId",
            "$/cancelRequest" if self.config.transport == Transport::Legacy => "id",
            "exit" => return self.stopper.stop(End::Exit),
            _ => return,
        };
        let params: Value = params.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        let key = params.get(field).or_else(|| params.get("requestId")).and_then(Id::key_of);
        if let Some(key) = key {
            self.calls.cancel(&key);
        }
    }

    fn explain(&self, id: &Id, params: Option<&RawValue>) {
        let params: Value = params.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        match explain(&self.runtime, &params, &Caller::default()) {
            Ok(explained) => self.reply(id, &explained.to_string()),
            Err(fault) => self.refuse(id, &RpcError::from_fault(&fault)),
        }
    }

    fn request(&mut self, id: &Id, method: &str, params: Option<&RawValue>) {
        match method {
            "tools/call" => self.call_tool(id, params),
            "ping" => self.reply(id, "{}"),
            EXPLAIN => self.explain(id, params),
            "initialize" => self.initialize(id, params),
            "shutdown" => self.reply(id, r#"{"shuttingDown":true}"#),
            "exit" => {
                self.reply(id, r#"{"exiting":true}"#);
                self.stopper.stop(End::Exit);
            }
            "tools/list" | "server/discover" => match self.listing_method(method, params) {
                Ok(result) => self.reply(id, &result),
                Err(error) => self.refuse(id, &error),
            },
            _ if self.runtime.registry().get(method).is_some() => self.call_direct(id, method, params),
            _ => {
                let registry = self.runtime.registry();
                let ids = registry.registered().map(|def| def.id.as_str());
                let near = nearest(method, ids.chain(MCP_METHODS.iter().copied()), 3);
                self.refuse(id, &RpcError::method_not_found(method, &near));
            }
        }
    }

    fn initialize(&mut self, id: &Id, params: Option<&RawValue>) {
        self.introduced(params);
        self.reply(id, &handshake::initialize(&self.config.identity, self.config.transport));
        if self.only == Some(Toolset::Catalog) {
            let ready = json!({ "jsonrpc": "2.0", "method": "server/ready", "params": { "version": TOOLING_VERSION } });
            self.outbox.queue(&ready.to_string());
        }
    }

    /// Remembers who the client says it is.
    pub(super) fn introduced(&mut self, params: Option<&RawValue>) {
        let params: Value = params.and_then(|raw| serde_json::from_str(raw.get()).ok()).unwrap_or_default();
        self.client = params["clientInfo"]["name"].as_str().map(|name| name.chars().take(80).collect());
    }

    fn listing_method(&self, method: &str, params: Option<&RawValue>) -> Result<String, RpcError> {
        let params: AnyParams = parse(params)?;
        if method == "server/discover" {
            return Ok(handshake::discover(&self.config.identity, self.config.transport));
        }
        let stateless = handshake::is_stateless(params.meta.as_ref())?;
        if params.cursor.is_some_and(|cursor| !cursor.is_null()) {
            return Err(RpcError::protocol(
                RpcError::INVALID_PARAMS,
                "unknown cursor: the list has one page",
            ));
        }
        let listing = self.listing();
        Ok(match stateless {
            true => handshake::stateless_result(&listing, &self.config.identity, true),
            false => listing.to_string(),
        })
    }

    /// The serialised `tools/list` result, made once per registry.
    fn listing(&self) -> Arc<str> {
        let registry = self.runtime.registry();
        let mut cached = self.listing.lock().unwrap_or_else(PoisonError::into_inner);
        match &*cached {
            Some((made_from, text)) if Arc::ptr_eq(made_from, &registry) => Arc::clone(text),
            _ => {
                let tools = listed_tools(&registry, self.config.naming);
                let text: Arc<str> = json!({ "tools": tools }).to_string().into();
                *cached = Some((registry, Arc::clone(&text)));
                text
            }
        }
    }

    fn caller(&self) -> Caller {
        Caller { name: self.client.clone(), ..Caller::default() }
    }

    fn call_tool(&mut self, id: &Id, params: Option<&RawValue>) {
        let (params, stateless) = match call_params(params) {
            Ok(parsed) => parsed,
            Err(error) => return self.refuse(id, &error),
        };
        let CallParams { name, arguments, meta } = params;
        let token = meta.get("progressToken").filter(|token| token.is_string() || token.is_number()).cloned();
        let mut request = Request {
            door: Door::Listed,
            surface: "mcp",
            caller: self.caller(),
            request_id: Some(id.key().to_owned()),
            meta,
            ..Request::new(name.clone(), arguments)
        };
        let sent_to = self.outbox.clone();
        match self.config.transport {
            Transport::Legacy => {
                let (id, tool) = (id.raw().to_owned(), name.clone());
                request = request.on_step(move |_, step| sent_to.send(&legacy_progress(&id, &tool, &step)));
            }
            Transport::Sdk => {
                if let Some(token) = token {
                    let tool = name.clone();
                    request = request.on_step(move |_, step| sent_to.send(&progress(&token, &tool, &step)));
                }
            }
        }
        let (config, unknown) = (Arc::clone(&self.config), self.unknown);
        self.submit(id, request, move |id, outcome| {
            if config.transport == Transport::Legacy {
                return Some(result_message(id, &encode::legacy(outcome)));
            }
            if was_cancelled(&outcome) {
                return None;
            }
            Some(match encode::mcp(outcome, &name, unknown) {
                Ok(result) if stateless => {
                    result_message(id, &handshake::stateless_result(&result, &config.identity, false))
                }
                Ok(result) => result_message(id, &result),
                Err(error) => error_message(id, &error),
            })
        });
    }

    fn call_direct(&mut self, id: &Id, method: &str, params: Option<&RawValue>) {
        let args: Value = match parse(params) {
            Ok(args) => args,
            Err(error) => return self.refuse(id, &error.with("method", method)),
        };
        let request = Request {
            surface: "json-rpc",
            caller: self.caller(),
            request_id: Some(id.key().to_owned()),
            ..Request::new(method, args)
        };
        let method = method.to_owned();
        self.submit(id, request, move |id, outcome| {
            if was_cancelled(&outcome) {
                return None;
            }
            Some(match encode::direct(outcome, &method) {
                Ok(result) => result_message(id, &result),
                Err(error) => error_message(id, &error),
            })
        });
    }

    /// Submits a call whose answer goes to the outbox under `id`.
    fn submit(
        &self,
        id: &Id,
        request: Request,
        encode: impl FnOnce(&str, Outcome) -> Option<String> + Send + 'static,
    ) {
        let key = id.key().to_owned();
        if self.calls.contains(&key) {
            let error = RpcError::protocol(RpcError::INVALID_REQUEST, "a request with this id is under way");
            return self.refuse(id, &error);
        }
        let (outbox, calls) = (self.outbox.clone(), self.calls.clone());
        let (raw, done_key) = (id.raw().to_owned(), key.clone());
        let reader = std::thread::current().id();
        let handle = self.runtime.submit(request, move |outcome| {
            calls.remove(&done_key);
            let Some(message) = encode(&raw, outcome) else { return };
            // On the reader's own thread the answer waits for the reader's flush.
            match std::thread::current().id() == reader {
                true => outbox.queue(&message),
                false => outbox.send(&message),
            }
        });
        self.calls.insert(key, handle);
    }

    fn line(&mut self, id: Option<&RawValue>, tool: &str, input: Option<&RawValue>, role: Option<&RawValue>) {
        let head = id.map(|id| format!(r#""id":{},"#, id.get())).unwrap_or_default();
        let outbox = self.outbox.clone();
        let configured = self.runtime.access().role.value;
        let asked = role.and_then(|raw| serde_json::from_str::<String>(raw.get()).ok());
        let mut caller = self.caller();
        if let Some(asked) = asked {
            // A message may lower the role it was given, never raise it.
            caller.role = Some(Role::parse(&asked).map_or(Role::Designer, |asked| asked.min(configured)));
        }
        // A missing input is not an empty one: null fails every object schema.
        let input = input.map_or(Ok(Value::Array(Vec::new())), |raw| serde_json::from_str(raw.get()));
        let Ok(input) = input else {
            let error = encode::line_error("BAD_REQUEST", "the input is nested too deeply", None, incident());
            return outbox.queue(&format!(r#"{{{head}"error":{error}}}"#));
        };
        let request = Request { caller, surface: "line", ..Request::new(tool, input) };
        self.runtime.submit(request, move |outcome| {
            let (key, value) = encode::line(outcome, incident);
            outbox.send(&format!(r#"{{{head}"{key}":{value}}}"#));
        });
    }

    fn reply(&self, id: &Id, result: &str) {
        self.outbox.queue(&result_message(id.raw(), result));
    }

    fn refuse(&self, id: &Id, error: &RpcError) {
        self.outbox.queue(&error_message(id.raw(), error));
    }
}

/// The answer to a message that was skipped for its size.
pub fn oversized() -> String {
    let error = RpcError::protocol(RpcError::INVALID_REQUEST, "the message is longer than 16 MiB");
    error_message("null", &error)
}

/// Whether the answer must not be sent: the client has taken its request back.
fn was_cancelled(outcome: &Outcome) -> bool {
    outcome
        .result
        .as_ref()
        .is_err_and(|failed| failed.stage == Stage::Run && failed.fault.code == ErrorCode::Cancelled)
}

fn parse<T: for<'de> Deserialize<'de> + Default>(params: Option<&RawValue>) -> Result<T, RpcError> {
    match params {
        None => Ok(T::default()),
        Some(raw) => serde_json::from_str(raw.get()).map_err(|error| {
            RpcError::protocol(RpcError::INVALID_PARAMS, format!("invalid params: {error}"))
        }),
    }
}

fn call_params(params: Option<&RawValue>) -> Result<(CallParams, bool), RpcError> {
    let invalid = |message: String| RpcError::protocol(RpcError::INVALID_PARAMS, message);
    let raw = params.ok_or_else(|| invalid("tools/call needs params with a name".into()))?;
    let parsed: CallParams = serde_json::from_str(raw.get())
        .map_err(|error| invalid(format!("invalid params of tools/call: {error}")))?;
    if parsed.name.is_empty() {
        return Err(invalid("the tool name is empty".into()));
    }
    if !(parsed.arguments.is_object() || parsed.arguments.is_null()) {
        return Err(invalid("arguments must be an object".into()));
    }
    let stateless = handshake::is_stateless(Some(&parsed.meta))?;
    Ok((parsed, stateless))
}

pub(super) fn result_message(id: &str, result: &str) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"result":{result}}}"#)
}

pub(super) fn error_message(id: &str, error: &RpcError) -> String {
    format!(r#"{{"jsonrpc":"2.0","id":{id},"error":{}}}"#, error.to_value())
}

fn progress(token: &Value, tool: &str, step: &Step) -> String {
    let mut params = Map::new();
    params.insert("progressToken".into(), token.clone());
    params.insert("progress".into(), number(step.value));
    if let Some(total) = step.total {
        params.insert("total".into(), number(total));
    }
    let phase = &step.progress.phase;
    let message = match phase.is_empty() {
        true => format!("[{tool}] {}", step.progress.message),
        false => format!("[{tool}][phase={phase}] {}", step.progress.message),
    };
    params.insert("message".into(), message.into());
    json!({ "jsonrpc": "2.0", "method": "notifications/progress", "params": params }).to_string()
}

fn legacy_progress(id: &str, tool: &str, step: &Step) -> String {
    let id: Value = serde_json::from_str(id).unwrap_or_default();
    let phase = match step.progress.phase.as_str() {
        "" => "progress",
        phase => phase,
    };
    json!({
        "jsonrpc": "2.0",
        "method": "notifications/progress",
        "params": {
            "id": id,
            "tool": tool,
            "message": step.progress.message,
            "stream": step.progress.stream.name(),
            "phase": phase,
            "ts": timestamp(jiff::Timestamp::now()),
        }
    })
    .to_string()
}

/// Whole numbers without a fraction.
fn number(value: f64) -> Value {
    match value.fract() == 0.0 && value.abs() < 9e15 {
        true => json!(value as i64),
        false => json!(value),
    }
}

/// Names one failure of the line protocol in answers and logs.
pub(super) fn incident() -> String {
    uuid::Uuid::now_v7().to_string()
}
