//! `Runtime`: the one path of every call.

mod perform;
mod wrap;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use mainstay_contract::{
    ArgCheck, Body, Caller, CancelToken, ErrorCode, Fault, FaultResult, Gate, Lane, Meta, NarrowedBy,
    ProgressSink, Silent, StopReason, Tool, ToolDef,
};
use serde_json::{Value, json};

use crate::access::{Access, Origin};
use crate::active::{Active, Done, Reporter};
use crate::budget::{Budget, TokenCounter};
use crate::explain::{Explanation, Standing, explain_here, explain_to, role_allowed};
use crate::journal::{Asked, Ending, Journal};
use crate::limits::{Place, Usage};
use crate::metrics::Metrics;
use crate::plan::{self, Intent, PlanStore};
use crate::pool::Pool;
use crate::reach::{check_grant, check_roots};
use crate::recent::Asker;
use crate::registry::{Door, Entry, Registry, RegistryError};
use crate::request::{Failure, Outcome, Request, Stage};
use crate::timer::Timer;

use perform::{Ran, Setting};
use wrap::micros;

/// How long a call that was told to stop may take to clean up before it is answered without it.
const STOP_GRACE: Duration = Duration::from_millis(3_000);

/// Bounds of the whole runtime.
#[derive(Debug, Clone)]
pub struct Limits {
    /// Calls accepted and not yet finished.
    pub queue_max: usize,
    /// Calls running at once.
    pub workers: usize,
    /// Replaces the timeout of every tool.
    pub timeout: Option<Duration>,
    /// What a budget of tokens is counted with.
    pub tokens: TokenCounter,
    /// How long a plan can be applied.
    pub plan_lifetime: Duration,
}

impl Default for Limits {
    fn default() -> Self {
        Limits {
            queue_max: 64,
            workers: 16,
            timeout: None,
            tokens: about_tokens,
            plan_lifetime: plan::LIFETIME,
        }
    }
}

/// Tokens by a rule of thumb, for servers that bring no tokenizer.
fn about_tokens(text: &str) -> usize {
    text.len().div_ceil(3)
}

pub(crate) struct Inner {
    registry: RwLock<Arc<Registry>>,
    pub(crate) access: Access,
    limits: Limits,
    pub(crate) metrics: Metrics,
    pub(crate) clock: fn() -> Timestamp,
    usage: Arc<Usage>,
    pool: Pool,
    timer: Timer,
    calls: Mutex<HashMap<u64, Arc<Active>>>,
    finished: Condvar,
    next: AtomicU64,
    journals: RwLock<Vec<Arc<dyn Journal>>>,
    counts_answers: AtomicBool,
    plans: RwLock<Arc<PlanStore>>,
    me: Weak<Inner>,
}

impl Drop for Inner {
    /// A process may outlive its runtimes, and a deadline that was withdrawn would keep the timer's thread waiting for it.
    fn drop(&mut self) {
        self.timer.clear();
    }
}

/// The tools of one server and everything that runs them.
#[derive(Clone)]
pub struct Runtime(Arc<Inner>);

/// A call under way.
pub struct CallHandle {
    active: Option<Arc<Active>>,
    inner: Arc<Inner>,
}

impl CallHandle {
    /// Stops the call; it is answered at once with `CANCELLED`.
    pub fn cancel(&self, reason: StopReason) {
        if let Some(active) = &self.active {
            active.token.cancel(reason);
            self.inner.answer_failure(active, Failure::new(Stage::Run, cancelled()));
        }
    }

    pub fn is_finished(&self) -> bool {
        self.active.as_ref().is_none_or(|active| active.is_answered())
    }
}

impl Runtime {
    pub fn new(tools: Vec<Tool>, access: Access, limits: Limits) -> Result<Runtime, RegistryError> {
        let registry = Registry::new(tools, &access)?;
        Ok(Runtime(Arc::new_cyclic(|me| Inner {
            registry: RwLock::new(Arc::new(registry)),
            access,
            pool: Pool::new(limits.workers),
            limits,
            metrics: Metrics::default(),
            clock: Timestamp::now,
            usage: Arc::default(),
            timer: Timer::default(),
            calls: Mutex::default(),
            finished: Condvar::new(),
            next: AtomicU64::new(0),
            journals: RwLock::default(),
            counts_answers: AtomicBool::new(false),
            plans: RwLock::default(),
            me: me.clone(),
        })))
    }

    /// Lets a journal hear of every call from now on.
    pub fn watch(&self, journal: Arc<dyn Journal>) {
        self.0.journals.write().unwrap_or_else(PoisonError::into_inner).push(journal);
    }

    /// Counts the tokens of every answer from now on, for the charts.
    pub fn count_answers(&self) {
        self.0.counts_answers.store(true, Ordering::Relaxed);
    }

    /// Keeps plans there from now on; in memory before.
    pub fn keep_plans(&self, store: PlanStore) {
        *self.0.plans.write().unwrap_or_else(PoisonError::into_inner) = Arc::new(store);
    }

    /// The present tools.
    pub fn registry(&self) -> Arc<Registry> {
        self.0.registry()
    }

    /// Replaces the tools; calls under way keep theirs.
    pub fn replace(&self, tools: Vec<Tool>) -> Result<(), RegistryError> {
        let registry = Arc::new(Registry::new(tools, &self.0.access)?);
        *self.0.registry.write().unwrap_or_else(PoisonError::into_inner) = registry;
        Ok(())
    }

    /// Why a tool is listed, hidden, refused or absent for a caller; `by_header` names what his request left out.
    pub fn explain(
        &self,
        name: &str,
        caller: &Caller,
        by_header: impl Fn(NarrowedBy) -> String,
    ) -> FaultResult<Explanation> {
        let registry = self.registry();
        let Some(explained) = registry.explain(name).cloned() else {
            return Err(registry
                .resolve(name, Door::Registered)
                .err()
                .unwrap_or_else(|| Fault::not_found(name)));
        };
        let Some(def) = registry.get(name) else { return Ok(explained) };
        let explained = explain_to(&def, explain_here(&def, explained), caller.grant.as_deref());
        Ok(match caller.narrowed.as_ref().and_then(|narrowed| narrowed.decides(&def)) {
            None => explained,
            Some((part, reason)) => Explanation {
                standing: Standing::Refused,
                reason: reason.to_owned(),
                origin: Origin::Header { name: by_header(part) },
                ..explained
            },
        })
    }

    pub fn access(&self) -> &Access {
        &self.0.access
    }

    pub fn metrics(&self) -> &Metrics {
        &self.0.metrics
    }

    pub fn limits(&self) -> &Limits {
        &self.0.limits
    }

    /// Calls accepted and not yet finished.
    pub fn in_flight(&self) -> usize {
        self.0.lock_calls().len()
    }

    /// The `_meta` of an answer that is not about a call.
    pub fn meta(&self) -> Meta {
        Meta::at((self.0.clock)())
    }

    /// Takes a call through its whole life; `done` is called exactly once.
    pub fn submit(&self, request: Request, done: impl FnOnce(Outcome) + Send + 'static) -> CallHandle {
        let done = self.0.noted(&request, Box::new(done));
        self.0.submit(request, done)
    }

    /// Submits and waits.
    pub fn call(&self, request: Request) -> Outcome {
        let (send, receive) = std::sync::mpsc::sync_channel(1);
        self.submit(request, move |outcome| {
            // The receiver below lives until it has the outcome.
            let _ = send.send(outcome);
        });
        receive.recv().expect("a call is answered exactly once")
    }

    /// Stops every call and waits for the work to end; returns whether it did.
    pub fn shutdown(&self, wait: Duration) -> bool {
        let calls: Vec<Arc<Active>> = self.0.lock_calls().values().cloned().collect();
        for active in &calls {
            CallHandle { active: Some(Arc::clone(active)), inner: Arc::clone(&self.0) }
                .cancel(StopReason::Shutdown);
        }
        self.drain(wait)
    }

    /// Waits until no call is under way.
    pub fn drain(&self, wait: Duration) -> bool {
        let end = Instant::now() + wait;
        let mut calls = self.0.lock_calls();
        while !calls.is_empty() {
            let left = end.saturating_duration_since(Instant::now());
            if left.is_zero() {
                return false;
            }
            calls = self.0.finished.wait_timeout(calls, left).unwrap_or_else(PoisonError::into_inner).0;
        }
        true
    }
}

/// A call that passed every check.
struct Admitted {
    entry: Arc<Entry>,
    args: Value,
    place: Place,
}

/// What a call carries besides tool and arguments.
struct Carried {
    caller: Caller,
    surface: &'static str,
    request_id: Option<String>,
    client: Option<Arc<dyn mainstay_contract::ClientLink>>,
    meta: serde_json::Map<String, Value>,
    input: mainstay_contract::InputAnswers,
}

impl Carried {
    fn asker(&self) -> Asker {
        Asker::new(self.surface, self.caller.name.as_deref())
    }
}

impl Inner {
    pub(crate) fn registry(&self) -> Arc<Registry> {
        Arc::clone(&self.registry.read().unwrap_or_else(PoisonError::into_inner))
    }

    fn lock_calls(&self) -> MutexGuard<'_, HashMap<u64, Arc<Active>>> {
        self.calls.lock().unwrap_or_else(PoisonError::into_inner)
    }

    fn arc(&self) -> Arc<Inner> {
        self.me.upgrade().expect("a method of Inner runs while an Arc of it exists")
    }

    /// Lets the journals hear of a call and of its end.
    fn noted(&self, request: &Request, done: Done) -> Done {
        let journals = self.journals.read().unwrap_or_else(PoisonError::into_inner);
        if journals.is_empty() {
            return done;
        }
        let entry = self.registry().resolve(&request.tool, request.door).ok();
        let asked = Asked {
            tool: &request.tool,
            def: entry.as_ref().map(|entry| &*entry.tool.def),
            args: &request.args,
            caller: &request.caller,
            surface: request.surface,
            at: (self.clock)(),
        };
        let endings: Vec<Ending> = journals.iter().map(|journal| journal.begin(&asked)).collect();
        Box::new(move |outcome| {
            endings.into_iter().for_each(|ending| ending(&outcome));
            done(outcome);
        })
    }

    fn submit(&self, request: Request, done: Done) -> CallHandle {
        let started = Instant::now();
        let finished = CallHandle { active: None, inner: self.arc() };
        let carried = Carried {
            caller: request.caller,
            surface: request.surface,
            request_id: request.request_id,
            client: request.client,
            meta: request.meta,
            input: request.input,
        };
        let admitted = match self.admit(&request.tool, request.args, request.door, &carried.caller) {
            Ok(admitted) => admitted,
            Err((tool, failure)) => {
                let asker = Some(carried.asker());
                done(self.wrap(tool, asker, carried.request_id, started, Err(failure), Default::default()));
                return finished;
            }
        };
        if admitted.entry.tool.def.policy.lane == Lane::Inline {
            let progress: Arc<dyn ProgressSink> = Arc::new(Silent);
            done(self.run(admitted, &carried, request.cancel, progress, started, None));
            return finished;
        }
        self.enqueue(admitted, carried, request.cancel, request.steps, done)
    }

    /// Resolve, validate, authorise.
    fn admit(
        &self,
        tool: &str,
        args: Value,
        door: Door,
        caller: &Caller,
    ) -> Result<Admitted, (Option<Arc<ToolDef>>, Failure)> {
        let resolved = self.registry().resolve(tool, door);
        let entry = resolved.map_err(|fault| (None, Failure::new(Stage::Resolve, fault)))?;
        let def = &entry.tool.def;
        // Whoever may not use a tool is not told what it wants.
        if let Err(fault) = check_grant(def, caller) {
            return Err((Some(Arc::clone(def)), Failure::new(Stage::Authorise, fault)));
        }
        let args = match args {
            Value::Null if def.args == ArgCheck::Schema => json!({}),
            args => args,
        };
        if def.args == ArgCheck::Schema
            && let Err((fault, violations)) = entry.validator().check(&args)
        {
            return Err((Some(Arc::clone(def)), Failure { stage: Stage::Validate, fault, violations }));
        }
        if let Err(fault) = self.authorise(def, &args, caller) {
            return Err((Some(Arc::clone(def)), Failure::new(Stage::Authorise, fault)));
        }
        match self.usage.enter(def, Instant::now()) {
            Ok(place) => Ok(Admitted { entry, args, place }),
            Err(fault) => Err((Some(Arc::clone(def)), Failure::new(Stage::Queue, fault))),
        }
    }

    fn authorise(&self, def: &ToolDef, args: &Value, caller: &Caller) -> FaultResult<()> {
        if let Some(reason) = caller.narrowed.as_ref().and_then(|narrowed| narrowed.leaves_out(def)) {
            return Err(Fault::new(ErrorCode::Forbidden, format!("{} is left out: {reason}", def.id))
                .detail("tool", def.id.as_str())
                .detail("rule", "the request"));
        }
        let role = caller.role.unwrap_or(self.access.role.value);
        if !role_allowed(def, role) {
            let allow: Vec<&str> = def.policy.roles.iter().map(|role| role.name()).collect();
            return Err(Fault::new(
                ErrorCode::PolicyDenied,
                format!("the role {} may not call {}", role.name(), def.id),
            )
            .detail("tool", def.id.as_str())
            .detail("role", role.name())
            .detail("allow", allow)
            .detail("rule", self.access.role.origin.to_string()));
        }
        match def.policy.gate {
            Some(Gate::Mutation) if !self.access.mutation.value => Err(Fault::new(
                ErrorCode::Forbidden,
                "Mutation disabled. Set MCP_ENABLE_MUTATION=1 to enable.",
            )
            .detail("method", def.id.as_str())
            .detail("reason", "mutation_disabled")
            .detail("rule", self.access.mutation.origin.to_string())),
            _ => check_roots(def, args, caller),
        }
    }

    fn enqueue(
        &self,
        admitted: Admitted,
        carried: Carried,
        token: CancelToken,
        steps: Option<crate::request::StepSink>,
        done: Done,
    ) -> CallHandle {
        let inner = self.arc();
        let def = Arc::clone(&admitted.entry.tool.def);
        let active =
            Arc::new(Active::new(Arc::clone(&def), carried.asker(), token, self.timer.clone(), steps, done));
        let key = self.next.fetch_add(1, Ordering::Relaxed);
        let handle = CallHandle { active: Some(Arc::clone(&active)), inner: Arc::clone(&inner) };
        {
            let mut calls = self.lock_calls();
            let (max, size) = (self.limits.queue_max, calls.len());
            if size >= max {
                drop(calls);
                let fault = Fault::new(
                    ErrorCode::QueueOverloaded,
                    format!("{size} calls are under way, {max} are allowed"),
                )
                .detail("queue", json!({ "max": max, "size": size }))
                .hint("retry later or reduce concurrency");
                self.answer_failure(&active, Failure::new(Stage::Queue, fault));
                return handle;
            }
            calls.insert(key, Arc::clone(&active));
        }
        self.arm(&active, &def);
        let worker = Arc::clone(&inner);
        let job_active = Arc::clone(&active);
        let submitted = self.pool.submit(move || {
            let active = job_active;
            if !active.token.is_cancelled() {
                let progress: Arc<dyn ProgressSink> = Arc::new(Reporter(Arc::clone(&active)));
                let outcome = worker.run(
                    admitted,
                    &carried,
                    active.token.clone(),
                    progress,
                    active.started,
                    Some(&active),
                );
                active.answer(|| outcome);
            } else {
                // Whoever cancels through the handle has the answer already; a token may come cancelled.
                worker.answer_failure(&active, Failure::new(Stage::Run, cancelled()));
            }
            worker.lock_calls().remove(&key);
            worker.finished.notify_all();
        });
        if let Err(error) = submitted {
            self.lock_calls().remove(&key);
            self.answer_failure(&active, Failure::new(Stage::Queue, Fault::internal(&error)));
        }
        handle
    }

    fn timeout_of(&self, def: &ToolDef) -> Duration {
        self.limits.timeout.unwrap_or(def.policy.timeout)
    }

    /// Sets the deadline: first the work is told to stop, then the call is answered without it.
    fn arm(&self, active: &Arc<Active>, def: &Arc<ToolDef>) {
        let timeout = self.timeout_of(def);
        let (weak, inner) = (Arc::downgrade(active), self.me.clone());
        active.set_deadline(timeout, move || {
            let Some(active) = weak.upgrade() else { return };
            active.token.cancel(StopReason::Timeout);
            let again = Arc::downgrade(&active);
            active.set_deadline(STOP_GRACE, move || {
                if let (Some(active), Some(inner)) = (again.upgrade(), inner.upgrade()) {
                    inner.answer_failure(&active, Failure::new(Stage::Run, timed_out(timeout)));
                }
            });
        });
    }

    /// Runs the work behind a panic fence, following a hand-over to another tool once.
    fn run(
        &self,
        admitted: Admitted,
        carried: &Carried,
        token: CancelToken,
        progress: Arc<dyn ProgressSink>,
        started: Instant,
        active: Option<&Arc<Active>>,
    ) -> Outcome {
        let mut admitted = admitted;
        let asked = Budget::of(&carried.meta).and_then(|budget| Ok((budget, Intent::of(&carried.meta)?)));
        let (budget, intent) = match asked {
            Ok(asked) => asked,
            Err(fault) => {
                let (tool, failure) =
                    (Arc::clone(&admitted.entry.tool.def), Failure::new(Stage::Validate, fault));
                let id = carried.request_id.clone();
                let asker = asker_of(carried, active);
                return self.wrap(Some(tool), asker, id, started, Err(failure), Default::default());
            }
        };
        loop {
            let def = Arc::clone(&admitted.entry.tool.def);
            let Admitted { entry, args, place } = admitted;
            let setting = Setting { tool: &entry.tool, carried, token: &token, progress: &progress };
            let Ran { result, plan, notes } = self.carry_out(&setting, args, &intent);
            drop(place);
            let result = match token.reason() {
                Some(StopReason::Timeout) => stopped_by_timeout(result, self.timeout_of(&def)),
                _ => result,
            };
            let id = carried.request_id.clone();
            match result {
                Ok(Body::Forward { tool, args }) => {
                    self.metrics.record_forward(&def.id, micros(started.elapsed()));
                    match self.admit(&tool, args, Door::Registered, &carried.caller) {
                        Ok(next) => {
                            if let Some(active) = active {
                                self.arm(active, &next.entry.tool.def);
                            }
                            admitted = next;
                        }
                        Err((tool, failure)) => {
                            let asker = asker_of(carried, active);
                            return self.wrap(tool, asker, id, started, Err(failure), notes);
                        }
                    }
                }
                result => {
                    let result = result.map_err(|fault| Failure::new(Stage::Run, fault));
                    let asker = asker_of(carried, active);
                    let mut outcome = self.wrap(Some(def), asker, id, started, result, notes);
                    outcome.meta.plan = plan;
                    return self.within_budget(outcome, budget.as_ref());
                }
            }
        }
    }

    fn answer_failure(&self, active: &Active, failure: Failure) {
        active.answer(|| {
            let (tool, asker) = (Arc::clone(&active.tool), active.asker.clone());
            self.wrap(Some(tool), Some(asker), None, active.started, Err(failure), Default::default())
        });
    }
}

/// Who asked; nobody when the call was answered while it still ran, because that answer is in the log.
fn asker_of(carried: &Carried, active: Option<&Arc<Active>>) -> Option<Asker> {
    match active {
        Some(active) => (!active.is_answered()).then(|| active.asker.clone()),
        None => Some(carried.asker()),
    }
}

fn cancelled() -> Fault {
    Fault::new(ErrorCode::Cancelled, "the call was cancelled")
}

fn timed_out(timeout: Duration) -> Fault {
    let timeout_ms = u64::try_from(timeout.as_millis()).unwrap_or(u64::MAX);
    Fault::new(ErrorCode::ToolTimeout, format!("the tool ran longer than {timeout_ms} ms and was stopped"))
        .detail("timeoutMs", timeout_ms)
        .hint("raise the limit or narrow the request")
}

/// Texts are kept, because a program's partial output is part of its answer.
fn stopped_by_timeout(result: FaultResult<Body>, timeout: Duration) -> FaultResult<Body> {
    match result {
        Ok(body @ (Body::Text { .. } | Body::Content { .. })) => Ok(body),
        _ => Err(timed_out(timeout)),
    }
}
