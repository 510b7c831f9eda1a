//! Calls that go on as tasks: the client polls, and answers the tool's questions on the way.

use std::sync::{Arc, OnceLock};
use std::time::Duration;

use mainstay_contract::{Body, Caller, ErrorCode, InputAnswers};
use mainstay_runtime::{Outcome, Request, Stage};
use rmcp::ErrorData;
use rmcp::model::{CallToolResponse, CallToolResult, CreateTaskResult, InputRequest};
use rmcp::task_manager::{TaskContext, TaskExit, TaskOptions};
use serde_json::{Map, Value, json};
use tokio::task::JoinSet;

use super::client::Shared;
use super::convert::{self, complete, typed};
use super::owners::Owner;
use crate::encode;
use crate::pending::Pending;

/// How long a finished task is kept for the client to fetch.
const KEPT: Duration = Duration::from_secs(5 * 60);
/// How often a client is asked to look.
const POLL: Duration = Duration::from_millis(500);
/// Tasks under way at once, beside the bound on running calls: one that waits for answers runs nothing.
const MAX_TASKS: usize = 256;

/// What is needed to call the tool again with answers.
struct Job {
    shared: Arc<Shared>,
    tool: String,
    args: Value,
    caller: Caller,
    meta: Map<String, Value>,
    request_id: Option<String>,
    /// Known once the task exists; a call may report before that.
    task: Arc<OnceLock<TaskContext>>,
}

/// Starts a call; one that is not over at once becomes a task.
pub fn start(shared: &Arc<Shared>, request: Request, owner: Owner) -> Result<CallToolResponse, ErrorData> {
    if shared.tasks.running_task_count() >= MAX_TASKS {
        let fault = mainstay_contract::Fault::new(ErrorCode::QueueOverloaded, "too many tasks are under way")
            .detail("queue", json!({ "max": MAX_TASKS, "size": MAX_TASKS }));
        return Err(convert::fault(&fault));
    }
    let job = Job {
        shared: Arc::clone(shared),
        tool: request.tool,
        args: request.args,
        caller: request.caller,
        meta: request.meta,
        request_id: request.request_id,
        task: Arc::default(),
    };
    let mut call = job.call(request.input);
    let early = call.ready();
    let refused = |outcome: &Outcome| outcome.result.as_ref().is_err_and(|failed| failed.stage != Stage::Run);
    let early = match early {
        Some(outcome) if refused(&outcome) => return job.result(outcome).map(Into::into),
        early => early,
    };
    let limit = shared.surface.runtime.registry().get(&job.tool).map(|def| def.policy.timeout);
    let limit = shared.surface.runtime.limits().timeout.or(limit).unwrap_or_default();
    let millis = |time: Duration| u64::try_from(time.as_millis()).unwrap_or(u64::MAX);
    let life = limit + KEPT;
    let options = TaskOptions::new().with_ttl_ms(millis(life)).with_poll_interval_ms(millis(POLL));
    let task = shared.tasks.spawn(options, |task| {
        let _ = job.task.set(task.clone());
        Box::pin(job.drive(call, early, task))
    });
    // A task may run for as long as it lives, and is kept as long again when it is over.
    shared.owners.add(&task.task_id, owner, life * 2 + POLL);
    Ok(CallToolResponse::Task(CreateTaskResult::new(task)))
}

impl Job {
    fn call(&self, input: InputAnswers) -> Pending {
        let request = Request {
            caller: self.caller.clone(),
            surface: super::handler::SURFACE,
            meta: self.meta.clone(),
            request_id: self.request_id.clone(),
            door: mainstay_runtime::Door::Listed,
            input,
            ..Request::new(self.tool.as_str(), self.args.clone())
        };
        let task = Arc::clone(&self.task);
        let request = request.on_step(move |_, step| {
            if let Some(task) = task.get() {
                task.set_status_message(step.progress.message);
            }
        });
        Pending::start(&self.shared.surface, request)
    }

    fn result(&self, outcome: Outcome) -> Result<CallToolResult, ErrorData> {
        let text = encode::mcp(outcome, &self.tool, self.shared.surface.unknown).map_err(convert::error)?;
        complete(serde_json::from_str(&text).unwrap_or_default())
    }

    /// Follows the call to its end, asking the client whatever the tool asks.
    async fn drive(
        self,
        mut call: Pending,
        mut early: Option<Outcome>,
        task: TaskContext,
    ) -> Result<CallToolResult, TaskExit> {
        let mut round = 0;
        loop {
            let outcome = match early.take() {
                Some(outcome) => outcome,
                None => tokio::select! {
                    outcome = &mut call => outcome,
                    () = task.cancelled() => {
                        call.cancel();
                        return Err(TaskExit::Cancelled);
                    }
                },
            };
            match outcome.result {
                Ok(Body::Input { requests, state }) => {
                    round += 1;
                    let responses = ask(&task, round, requests).await?;
                    call = self.call(InputAnswers { responses, state });
                }
                // A task fails when the server does; a tool that says no has still completed.
                Err(failed) if failed.fault.code.shared() == ErrorCode::Internal => {
                    return Err(TaskExit::Error(convert::fault(&failed.fault)));
                }
                _ => return self.result(outcome).map_err(TaskExit::Error),
            }
        }
    }
}

/// Puts all questions of a round to the client and waits for every answer.
async fn ask(
    task: &TaskContext,
    round: u32,
    requests: Map<String, Value>,
) -> Result<Map<String, Value>, TaskExit> {
    let mut open = JoinSet::new();
    for (key, request) in requests {
        let request: InputRequest = typed(request).map_err(TaskExit::Error)?;
        let task = task.clone();
        // A key may be used once in the life of a task.
        let asked = if round == 1 { key.clone() } else { format!("{key}-{round}") };
        open.spawn(async move { task.request_input(asked, request).await.map(|answer| (key, answer)) });
    }
    let mut answers = Map::new();
    while let Some(answer) = open.join_next().await {
        let (key, answer) = answer.map_err(|_| TaskExit::Cancelled)??;
        answers.insert(key, answer);
    }
    Ok(answers)
}

/// Lets only the owner of a task near it: to everybody else there is none.
pub fn check_owner(shared: &Shared, task: &str, owner: &Owner) -> Result<(), ErrorData> {
    match shared.owners.owns(task, owner) {
        true => Ok(()),
        false => Err(unknown(ErrorData::invalid_params(format!("unknown task: {task}"), None))),
    }
}

pub fn unknown(error: ErrorData) -> ErrorData {
    ErrorData { data: Some(json!({ "code": ErrorCode::NotFound.name() })), ..error }
}
