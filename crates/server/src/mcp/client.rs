//! One client of `/mcp`: what it shares with the others, what it asked for, how its calls run.

use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::request::Parts;
use mainstay_contract::{Caller, CancelToken, ErrorCode, Fault, InputAnswers, TaskSupport};
use mainstay_runtime::{Outcome, Registry, Request};
use rmcp::model::{
    InputRequiredResult, InputResponses, PaginatedRequestParams, ProtocolVersion, TASKS_EXTENSION_ID, Tool,
};
use rmcp::service::RequestContext;
use rmcp::task_manager::TaskManager;
use rmcp::{ErrorData, RoleServer};
use serde_json::{Map, Value, json};
use tokio::sync::broadcast::Receiver;

use super::convert::{self, input_required, typed};
use super::link::{Link, Wire};
use super::owners::Owners;
use super::state::{NoKey, States};
use crate::changes::Change;
use crate::listing::listed_tools;
use crate::pending::Pending;
use crate::rpc::RpcError;
use crate::surface::Surface;

/// Where a call finds what the client can do.
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// What all clients share.
pub struct Shared {
    pub(super) surface: Surface,
    states: States,
    pub(super) tasks: TaskManager,
    pub(super) owners: Owners,
    listing: Mutex<Option<Listing>>,
}

/// The tools as listed, and the registry they were listed from.
struct Listing {
    registry: Arc<Registry>,
    tools: Arc<Vec<Tool>>,
}

impl Shared {
    pub fn new(surface: Surface) -> Result<Shared, NoKey> {
        let (states, tasks) = (States::new()?, TaskManager::new());
        Ok(Shared { surface, states, tasks, owners: Owners::default(), listing: Mutex::default() })
    }

    pub(super) fn tools(&self) -> Result<Arc<Vec<Tool>>, ErrorData> {
        let registry = self.surface.runtime.registry();
        let mut listing = lock(&self.listing);
        if let Some(made) = listing.as_ref().filter(|made| Arc::ptr_eq(&made.registry, &registry)) {
            return Ok(Arc::clone(&made.tools));
        }
        let tools: Arc<Vec<Tool>> = Arc::new(typed(listed_tools(&registry, self.surface.naming).into())?);
        *listing = Some(Listing { registry, tools: Arc::clone(&tools) });
        Ok(tools)
    }
}

pub(super) fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What one session of the older era asked for.
#[derive(Default)]
pub(super) struct Session {
    pub(super) log_level: Option<String>,
    pub(super) watched: BTreeSet<String>,
}

/// The server as one client sees it.
pub struct Handler {
    pub(super) shared: Arc<Shared>,
    pub(super) session: Arc<Mutex<Session>>,
    /// Changes since a subscription was accepted, which is before the client hears of it.
    pub(super) news: Mutex<Option<Receiver<Change>>>,
}

impl Handler {
    pub fn new(shared: Arc<Shared>) -> Handler {
        Handler { shared, session: Arc::default(), news: Mutex::default() }
    }

    pub(super) fn surface(&self) -> &Surface {
        &self.shared.surface
    }

    pub(super) fn is_modern(context: &RequestContext<RoleServer>) -> bool {
        context.protocol_version().is_some_and(|version| version >= ProtocolVersion::V_2026_07_28)
    }

    /// Which log messages this request wants: asked for per request now, per session before.
    fn log_level(&self, context: &RequestContext<RoleServer>) -> Option<String> {
        if !Self::is_modern(context) {
            return Some(lock(&self.session).log_level.clone().unwrap_or_else(|| "debug".into()));
        }
        let level = context.meta.log_level()?;
        serde_json::to_value(level).ok()?.as_str().map(str::to_owned)
    }

    /// Who sent the HTTP request.
    pub(super) fn caller(context: &RequestContext<RoleServer>) -> Option<Caller> {
        context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Caller>().cloned())
    }

    /// Adds to a request what is known about the client.
    pub(super) fn with_client(request: Request, context: &RequestContext<RoleServer>) -> Request {
        let mut caller = Self::caller(context).unwrap_or_default();
        caller.name = caller.name.or_else(|| context.client_info().map(|client| client.name));
        let mut meta: Map<String, Value> = (**context.meta).clone();
        if let Some(capabilities) = context.client_capabilities()
            && let Ok(capabilities) = serde_json::to_value(capabilities)
        {
            meta.insert(CLIENT_CAPABILITIES.into(), capabilities);
        }
        Request { caller, meta, request_id: Some(context.id.to_string()), ..request }
    }

    /// Takes a call through the runtime, with progress, questions and cancellation.
    pub(super) async fn run(&self, request: Request, context: &RequestContext<RoleServer>) -> Outcome {
        let cancel = CancelToken::new();
        let (link, mut outgoing) = Link::new(cancel.clone(), self.log_level(context));
        let wire = Wire {
            peer: context.peer.clone(),
            request: context.id.clone(),
            progress: context.meta.get_progress_token(),
        };
        let mut request = Request { cancel, ..Self::with_client(request, context) };
        if wire.progress.is_some() {
            request = request.on_step(link.steps());
        }
        request.client = Some(Arc::new(link));
        let mut call = Pending::start(self.surface(), request);
        let mut told = false;
        let outcome = loop {
            tokio::select! {
                biased;
                Some(message) = outgoing.recv() => wire.deliver(message).await,
                () = context.ct.cancelled(), if !told => {
                    told = true;
                    call.cancel();
                }
                outcome = &mut call => break outcome,
            }
        };
        if !told {
            while let Ok(message) = outgoing.try_recv() {
                wire.deliver(message).await;
            }
        }
        outcome
    }

    /// Whether the call goes on as a task; refuses a client that cannot follow one it would need.
    pub(super) fn wants_task(
        &self,
        call: &Request,
        context: &RequestContext<RoleServer>,
    ) -> Result<bool, ErrorData> {
        let support =
            self.surface().runtime.registry().get(&call.tool).map(|def| def.tasks).unwrap_or_default();
        let can = context.client_capabilities().is_some_and(|can| can.supports_tasks());
        match support {
            TaskSupport::Never => Ok(false),
            TaskSupport::Optional => Ok(can),
            TaskSupport::AfterInput if call.input.responses.is_empty() => Ok(false),
            TaskSupport::Required | TaskSupport::AfterInput if can => Ok(true),
            TaskSupport::Required | TaskSupport::AfterInput => {
                let fault = Fault::new(
                    ErrorCode::CapabilityMissing,
                    "the tool runs as a task, which the client cannot follow",
                );
                let required = json!({ "extensions": { TASKS_EXTENSION_ID: {} } });
                let mut error = RpcError::from_fault(&fault).with("requiredCapabilities", required);
                error.code = RpcError::MISSING_CAPABILITY;
                Err(convert::error(error))
            }
        }
    }

    /// The answers that came with a repeated request; a state that is not ours is refused.
    pub(super) fn answers(
        &self,
        context: &str,
        responses: Option<InputResponses>,
        state: Option<String>,
    ) -> Result<InputAnswers, ErrorData> {
        let state = match state {
            Some(sealed) => Some(self.shared.states.open(context, &sealed).map_err(convert::error)?),
            None => None,
        };
        Ok(InputAnswers { responses: responses.unwrap_or_default().into_iter().collect(), state })
    }

    pub(super) fn ask(
        &self,
        context: &str,
        requests: Map<String, Value>,
        state: Option<String>,
    ) -> Result<InputRequiredResult, ErrorData> {
        input_required(requests, state.map(|state| self.shared.states.seal(context, &state)))
    }

    pub(super) fn first_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
        match request.and_then(|request| request.cursor) {
            None => Ok(()),
            Some(_) => Err(convert::error(RpcError::protocol(
                RpcError::INVALID_PARAMS,
                "the cursor is not known: the whole list is one page",
            ))),
        }
    }

    pub(super) fn no_resource(uri: &str) -> ErrorData {
        let fault = Fault::new(ErrorCode::NotFound, "resource not found");
        let mut error = convert::error(RpcError::from_fault(&fault).with("uri", uri));
        // rmcp turns it into the code of the revision the client speaks.
        error.code = rmcp::model::ErrorCode::RESOURCE_NOT_FOUND;
        error
    }
}
