//! What goes into a call and what comes out.

use std::sync::Arc;

use mainstay_contract::{
    Body, Caller, CancelToken, ClientLink, Fault, InputAnswers, Meta, Progress, ToolDef,
};
use serde_json::{Map, Value};

use crate::registry::Door;
use crate::validate::Violation;

/// A step of progress, ready to be sent: strictly increasing, at most four a second.
#[derive(Debug, Clone)]
pub struct Step {
    pub value: f64,
    pub total: Option<f64>,
    pub progress: Progress,
}

/// Receives the steps of one call.
pub(crate) type StepSink = Box<dyn Fn(&ToolDef, Step) + Send + Sync>;

/// One call, as a surface decodes it.
pub struct Request {
    pub tool: String,
    pub args: Value,
    pub caller: Caller,
    /// The surface the call came through, for the log.
    pub surface: &'static str,
    pub door: Door,
    pub request_id: Option<String>,
    pub cancel: CancelToken,
    pub steps: Option<StepSink>,
    pub client: Option<Arc<dyn ClientLink>>,
    pub meta: Map<String, Value>,
    pub input: InputAnswers,
}

impl Request {
    pub fn new(tool: impl Into<String>, args: Value) -> Request {
        Request {
            tool: tool.into(),
            args,
            caller: Caller::default(),
            surface: "library",
            door: Door::Registered,
            request_id: None,
            cancel: CancelToken::new(),
            steps: None,
            client: None,
            meta: Map::new(),
            input: InputAnswers::default(),
        }
    }

    /// Sends progress to `sink`, already throttled.
    pub fn on_step(mut self, sink: impl Fn(&ToolDef, Step) + Send + Sync + 'static) -> Request {
        self.steps = Some(Box::new(sink));
        self
    }
}

/// Reads a value of call metadata from the text of a header or a flag.
pub fn meta_value(key: &str, text: &str) -> Value {
    match key {
        crate::budget::MAX_TOKENS => text.parse::<u64>().map_or_else(|_| text.into(), Value::from),
        crate::plan::PLAN => text.parse::<bool>().map_or_else(|_| text.into(), Value::from),
        _ => text.into(),
    }
}

/// Where a call failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Stage {
    Resolve,
    Validate,
    Authorise,
    Queue,
    Run,
}

/// A failed call.
#[derive(Debug)]
pub struct Failure {
    pub stage: Stage,
    pub fault: Fault,
    /// Filled when the arguments did not match the schema.
    pub violations: Vec<Violation>,
}

impl Failure {
    pub(crate) fn new(stage: Stage, fault: Fault) -> Failure {
        Failure { stage, fault, violations: Vec::new() }
    }
}

/// The answer to one call; a surface only encodes it.
#[derive(Debug)]
pub struct Outcome {
    /// Absent when no such tool exists.
    pub tool: Option<Arc<ToolDef>>,
    pub meta: Meta,
    pub result: Result<Body, Failure>,
    pub size: Size,
}

/// How large an answer is, as it goes to its caller.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Size {
    pub bytes: u64,
    /// Absent unless answers are counted; of a very long one the start stands for the rest.
    pub tokens: Option<u64>,
}
