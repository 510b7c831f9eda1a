//! `Runtime`: the one path of every call.

mod admit;
mod perform;
mod queue;
mod run;
mod wrap;

use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError, RwLock, Weak};
use std::time::{Duration, Instant};

use jiff::Timestamp;
use mainstay_contract::{
    Caller, Fault, FaultResult, Lane, Meta, NarrowedBy, ProgressSink, Silent, StopReason, Tool,
};
use serde_json::Value;

use crate::access::{Access, Origin};
use crate::active::{Active, Done};
use crate::budget::TokenCounter;
use crate::explain::{Explanation, Standing, explain_here, explain_to};
use crate::journal::{Asked, Ending, Journal, Refused};
use crate::limits::Usage;
use crate::metrics::Metrics;
use crate::plan::{self, Intent, PlanStore};
use crate::pool::Pool;
use crate::recent::Asker;
use crate::registry::{Door, Registry, RegistryError};
use crate::request::{Outcome, Request};
use crate::timer::Timer;

pub use queue::CallHandle;

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

    /// Tells the journals of a request that was refused before it became a call.
    pub fn note_refused(&self, refused: &Refused<'_>) {
        let journals = self.0.journals.read().unwrap_or_else(PoisonError::into_inner);
        journals.iter().for_each(|journal| journal.refused(refused));
    }

    /// Counts the tokens of every answer from now on, for the charts and the audit log.
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
            intent: Intent::of(&request.meta).unwrap_or(Intent::Direct),
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
                let asker = carried.asker();
                let outcome = self.wrap(tool, carried.request_id, started, Err(failure), Default::default());
                done(self.finish(outcome, asker, started));
                return finished;
            }
        };
        if admitted.entry.tool.def.policy.lane == Lane::Inline {
            let progress: Arc<dyn ProgressSink> = Arc::new(Silent);
            let outcome = self.run(admitted, &carried, request.cancel, progress, started, None);
            done(self.finish(outcome, carried.asker(), started));
            return finished;
        }
        self.enqueue(admitted, carried, request.cancel, request.steps, done)
    }
}
