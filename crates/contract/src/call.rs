//! What a tool is given for one call, and what it may ask of the server around it.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use jiff::Timestamp;
use serde_json::{Map, Value};

use crate::{Body, CancelToken, Changes, FaultResult, Gate, Grant, Narrowing, Role, ToolDef, Toolset};

/// Who calls, as established by the surface: never by the message alone.
#[derive(Debug, Clone, Default)]
pub struct Caller {
    /// A name for logs and audit: the client, the token's name or the user.
    pub name: Option<String>,
    pub role: Option<Role>,
    /// Repositories this caller may name; `None` means any.
    pub roots: Option<Arc<[PathBuf]>>,
    /// What the request itself leaves out of the tools; `None` leaves out nothing.
    pub narrowed: Option<Arc<Narrowing>>,
    /// What the caller's token lets him do; `None` where nobody asks for one, or it lets him do everything.
    pub grant: Option<Arc<Grant>>,
}

impl Caller {
    /// Whether a tool is shown to this caller.
    pub fn sees(&self, def: &ToolDef) -> bool {
        self.narrowed.as_ref().is_none_or(|narrowed| narrowed.leaves_out(def).is_none())
            && self.grant.as_ref().is_none_or(|grant| grant.lacks(def).is_none())
    }

    /// Whether the caller may see what the server tells its operator.
    pub fn is_admin(&self) -> bool {
        self.grant.as_ref().is_none_or(|grant| grant.is_admin())
    }
}

/// Where a line of progress came from.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub enum Stream {
    #[default]
    Info,
    Stdout,
    Stderr,
    Debug,
}

impl Stream {
    pub fn name(self) -> &'static str {
        match self {
            Stream::Info => "info",
            Stream::Stdout => "stdout",
            Stream::Stderr => "stderr",
            Stream::Debug => "debug",
        }
    }
}

/// One step of a long call.
#[derive(Debug, Clone, Default)]
pub struct Progress {
    pub phase: String,
    pub message: String,
    pub stream: Stream,
    pub done: Option<u64>,
    pub total: Option<u64>,
}

/// Receives progress; the runtime throttles before it reaches a client.
pub trait ProgressSink: Send + Sync {
    fn report(&self, progress: Progress);
}

/// A sink for calls nobody watches.
pub struct Silent;

impl ProgressSink for Silent {
    fn report(&self, _: Progress) {}
}

/// A way back to the client, for the surfaces that have one.
pub trait ClientLink: Send + Sync {
    /// Sends a request to the client and waits for its answer.
    fn request(&self, method: &str, params: Value) -> FaultResult<Value>;
    /// Sends a notification to the client.
    fn notify(&self, method: &str, params: Value);
}

/// Counters of one tool.
#[derive(Debug, Clone, Default)]
pub struct ToolUse {
    pub id: String,
    pub count: u64,
    pub errors: u64,
    pub total_micros: u64,
    pub max_micros: u64,
}

/// What a tool may ask of the server it runs in.
pub trait Host: Send + Sync {
    /// The tools the caller can see, in registry order.
    fn tools(&self, caller: &Caller) -> Vec<Arc<ToolDef>>;
    /// Hands the call over to another tool: the body returned, passed on unchanged, makes the
    /// server go on as if that tool had been called.
    fn invoke(&self, call: &Call, tool: &str, args: Value) -> FaultResult<Body>;
    /// Counters since start, by tool id.
    fn usage(&self) -> Vec<ToolUse>;
    /// Whether a gate is open.
    fn is_open(&self, gate: Gate) -> bool;
    /// The active toolsets.
    fn toolsets(&self) -> Vec<Toolset>;
    fn now(&self) -> Timestamp;
}

/// Facts a tool adds to the envelope's `_meta`.
#[derive(Debug, Clone, Default)]
pub struct Notes {
    pub repo: Option<String>,
    pub warnings: Vec<Value>,
}

/// The fields a runtime fills to start a call.
pub struct CallParts {
    pub tool: Arc<ToolDef>,
    pub caller: Caller,
    pub request_id: Option<String>,
    pub cancel: CancelToken,
    pub progress: Arc<dyn ProgressSink>,
    pub host: Arc<dyn Host>,
    pub client: Option<Arc<dyn ClientLink>>,
    /// Call metadata sent beside the arguments (`_meta` over MCP).
    pub meta: Map<String, Value>,
    /// What the client answered to an earlier [`crate::Body::Input`].
    pub input: InputAnswers,
    /// What the call may change.
    pub changes: Changes,
}

/// Answers to the questions of a [`crate::Body::Input`], and the state that went with them.
#[derive(Debug, Clone, Default)]
pub struct InputAnswers {
    pub responses: Map<String, Value>,
    /// Checked by the surface: a state that was changed on the way never reaches a tool.
    pub state: Option<String>,
}

/// One running call.
pub struct Call {
    parts: CallParts,
    notes: Mutex<Notes>,
}

impl Call {
    pub fn new(parts: CallParts) -> Call {
        Call { parts, notes: Mutex::default() }
    }

    pub fn tool(&self) -> &ToolDef {
        &self.parts.tool
    }

    pub fn caller(&self) -> &Caller {
        &self.parts.caller
    }

    pub fn request_id(&self) -> Option<&str> {
        self.parts.request_id.as_deref()
    }

    pub fn cancel(&self) -> &CancelToken {
        &self.parts.cancel
    }

    pub fn host(&self) -> &Arc<dyn Host> {
        &self.parts.host
    }

    pub fn client(&self) -> Option<&Arc<dyn ClientLink>> {
        self.parts.client.as_ref()
    }

    pub fn meta(&self) -> &Map<String, Value> {
        &self.parts.meta
    }

    /// The client's answers, when the call repeats one that asked for input.
    pub fn input(&self) -> &InputAnswers {
        &self.parts.input
    }

    /// What the call may change; whoever writes asks first.
    pub fn changes(&self) -> &Changes {
        &self.parts.changes
    }

    /// The time; a plan and its application share one.
    pub fn now(&self) -> Timestamp {
        self.parts.changes.at().unwrap_or_else(|| self.parts.host.now())
    }

    /// Reports a step; cheap to call often.
    pub fn progress(&self, phase: &str, message: impl Into<String>) {
        self.report(Progress { phase: phase.to_owned(), message: message.into(), ..Progress::default() });
    }

    pub fn report(&self, progress: Progress) {
        self.parts.progress.report(progress);
    }

    pub fn progress_sink(&self) -> &Arc<dyn ProgressSink> {
        &self.parts.progress
    }

    /// Adds a structured warning to the answer: `{code, message, …}`.
    pub fn warn(&self, code: &str, message: impl Into<String>) {
        self.warn_with(serde_json::json!({ "code": code, "message": message.into() }));
    }

    pub fn warn_with(&self, warning: Value) {
        self.notes().warnings.push(warning);
    }

    /// Names the repository the answer is about.
    pub fn about_repo(&self, repo: impl Into<String>) {
        self.notes().repo = Some(repo.into());
    }

    pub fn take_notes(&self) -> Notes {
        std::mem::take(&mut self.notes())
    }

    fn notes(&self) -> MutexGuard<'_, Notes> {
        self.notes.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// A call that is not part of a server, for tests of one tool.
    pub fn detached(tool: Arc<ToolDef>) -> Call {
        Call::new(CallParts {
            tool,
            caller: Caller::default(),
            request_id: None,
            cancel: CancelToken::new(),
            progress: Arc::new(Silent),
            host: Arc::new(NoHost),
            client: None,
            meta: Map::new(),
            input: InputAnswers::default(),
            changes: Changes::default(),
        })
    }
}

/// The host of a detached call: no other tools, every gate open.
pub struct NoHost;

impl Host for NoHost {
    fn tools(&self, _: &Caller) -> Vec<Arc<ToolDef>> {
        Vec::new()
    }

    fn invoke(&self, _: &Call, tool: &str, _: Value) -> FaultResult<Body> {
        Err(crate::Fault::new(crate::ErrorCode::UnknownTool, format!("unknown tool: {tool}")))
    }

    fn usage(&self) -> Vec<ToolUse> {
        Vec::new()
    }

    fn is_open(&self, _: Gate) -> bool {
        true
    }

    fn toolsets(&self) -> Vec<Toolset> {
        Vec::new()
    }

    fn now(&self) -> Timestamp {
        Timestamp::now()
    }
}
