//! One client of `/mcp`: every request of the protocol, answered from the surface.

use std::borrow::Cow;
use std::collections::BTreeSet;
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use axum::http::request::Parts;
use mainstay_contract::{Body, Caller, CancelToken, ErrorCode, Fault, InputAnswers, TaskSupport};
use mainstay_runtime::{Door, Outcome, Registry, Request};
use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::task_manager::TaskManager;
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Map, Value, json};
use tokio::sync::broadcast::Receiver;

use super::convert::{self, complete, input_required, method_not_found, typed};
use super::link::{Link, Wire};
use super::news;
use super::state::{NoKey, States};
use super::tasks;
use crate::changes::Change;
use crate::encode;
use crate::identity::Transport;
use crate::listing::listed_tools;
use crate::pending::Pending;
use crate::rpc::RpcError;
use crate::surface::Surface;

/// Where a call finds what the client can do.
const CLIENT_CAPABILITIES: &str = "io.modelcontextprotocol/clientCapabilities";

/// Methods whose parameters rmcp reads; what it could not read ends up as a custom request.
const KNOWN_METHODS: [&str; 10] = [
    "server/discover",
    "tools/list",
    "tools/call",
    "prompts/list",
    "prompts/get",
    "resources/list",
    "resources/templates/list",
    "resources/read",
    "subscriptions/listen",
    "completion/complete",
];

/// The same, for methods that ended with the sessions.
const SESSION_METHODS: [&str; 5] =
    ["initialize", "ping", "resources/subscribe", "resources/unsubscribe", "logging/setLevel"];

/// What all clients share.
pub struct Shared {
    pub(super) surface: Surface,
    states: States,
    pub(super) tasks: TaskManager,
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
        Ok(Shared { surface, states, tasks, listing: Mutex::default() })
    }

    fn tools(&self) -> Result<Arc<Vec<Tool>>, ErrorData> {
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

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What one session of the older era asked for.
#[derive(Default)]
struct Session {
    log_level: Option<String>,
    watched: BTreeSet<String>,
}

/// The server as one client sees it.
pub struct Handler {
    shared: Arc<Shared>,
    session: Arc<Mutex<Session>>,
    /// Changes since a subscription was accepted, which is before the client hears of it.
    news: Mutex<Option<Receiver<Change>>>,
}

impl Handler {
    pub fn new(shared: Arc<Shared>) -> Handler {
        Handler { shared, session: Arc::default(), news: Mutex::default() }
    }

    fn surface(&self) -> &Surface {
        &self.shared.surface
    }

    fn is_modern(context: &RequestContext<RoleServer>) -> bool {
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

    /// Adds to a request what is known about the client.
    fn with_client(request: Request, context: &RequestContext<RoleServer>) -> Request {
        let caller =
            context.extensions.get::<Parts>().and_then(|parts| parts.extensions.get::<Caller>().cloned());
        let mut caller = caller.unwrap_or_default();
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
    async fn run(&self, request: Request, context: &RequestContext<RoleServer>) -> Outcome {
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
        let mut call = Pending::start(&self.surface().runtime, request);
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
    fn wants_task(&self, call: &Request, context: &RequestContext<RoleServer>) -> Result<bool, ErrorData> {
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
    fn answers(
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

    fn ask(
        &self,
        context: &str,
        requests: Map<String, Value>,
        state: Option<String>,
    ) -> Result<InputRequiredResult, ErrorData> {
        input_required(requests, state.map(|state| self.shared.states.seal(context, &state)))
    }

    fn first_page(request: Option<PaginatedRequestParams>) -> Result<(), ErrorData> {
        match request.and_then(|request| request.cursor) {
            None => Ok(()),
            Some(_) => Err(convert::error(RpcError::protocol(
                RpcError::INVALID_PARAMS,
                "the cursor is not known: the whole list is one page",
            ))),
        }
    }

    fn no_resource(uri: &str) -> ErrorData {
        let fault = Fault::new(ErrorCode::NotFound, "resource not found");
        let mut error = convert::error(RpcError::from_fault(&fault).with("uri", uri));
        // rmcp turns it into the code of the revision the client speaks.
        error.code = rmcp::model::ErrorCode::RESOURCE_NOT_FOUND;
        error
    }
}

impl ServerHandler for Handler {
    fn get_info(&self) -> ServerConfig {
        let surface = self.surface();
        let (identity, fixtures) = (&surface.identity, surface.fixtures.is_some());
        let list = |changed: bool| json!({ "listChanged": changed });
        let mut capabilities = json!({
            "tools": list(identity.list_changed || fixtures),
            "prompts": list(fixtures),
            "resources": list(fixtures),
            "completions": {},
            "experimental": { "pairofcleats": identity.experimental(Transport::Sdk) },
        });
        if surface.runtime.registry().registered().any(|def| def.tasks != TaskSupport::Never) {
            capabilities["extensions"] = json!({ TASKS_EXTENSION_ID: {} });
        }
        if fixtures {
            capabilities["resources"]["subscribe"] = true.into();
            capabilities["logging"] = json!({});
        }
        let info = json!({
            "protocolVersion": mainstay_contract::PROTOCOL_VERSION,
            "capabilities": capabilities,
            "serverInfo": identity.server_info(),
            "instructions": identity.instructions,
        });
        serde_json::from_value(info).expect("our own description has the protocol's shape")
    }

    fn supported_protocol_versions(&self) -> Cow<'static, [ProtocolVersion]> {
        Cow::Borrowed(&[ProtocolVersion::V_2025_11_25, ProtocolVersion::V_2026_07_28])
    }

    async fn on_initialized(&self, context: NotificationContext<RoleServer>) {
        let surface = self.surface();
        if surface.identity.list_changed || surface.fixtures.is_some() {
            let session = Arc::clone(&self.session);
            let watches = move |uri: &str| lock(&session).watched.contains(uri);
            tokio::spawn(news::tell(surface.changes.subscribe(), context.peer, watches));
        }
    }

    async fn list_tools(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Self::first_page(request)?;
        Ok(ListToolsResult::with_all_items(self.shared.tools()?.to_vec()))
    }

    fn get_tool(&self, name: &str) -> Option<Tool> {
        self.shared.tools().ok()?.iter().find(|tool| tool.name == name).cloned()
    }

    async fn call_tool(
        &self,
        request: CallToolRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<CallToolResponse, ErrorData> {
        let name = request.name.into_owned();
        let args = request.arguments.map_or(Value::Null, Value::Object);
        let input = self.answers(&name, request.input_responses, request.request_state)?;
        let call = Request { door: Door::Listed, input, ..Request::new(name.as_str(), args) };
        if self.wants_task(&call, &context)? {
            return tasks::start(&self.shared, Self::with_client(call, &context));
        }
        let outcome = self.run(call, &context).await;
        match outcome.result {
            Ok(Body::Input { requests, state }) if Self::is_modern(&context) => {
                Ok(self.ask(&name, requests, state)?.into())
            }
            _ => {
                let result = encode::mcp(outcome, &name, self.surface().unknown).map_err(convert::error)?;
                let result: Value = serde_json::from_str(&result).unwrap_or_default();
                Ok(complete::<CallToolResult>(result)?.into())
            }
        }
    }

    async fn list_prompts(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListPromptsResult, ErrorData> {
        Self::first_page(request)?;
        let prompts = self.surface().fixtures.as_ref().map(|fixtures| fixtures.prompts()).unwrap_or_default();
        Ok(ListPromptsResult::with_all_items(typed(prompts.into())?))
    }

    async fn get_prompt(
        &self,
        request: GetPromptRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetPromptResponse, ErrorData> {
        let input = self.answers(&request.name, request.input_responses, request.request_state)?;
        let args = request.arguments.unwrap_or_default();
        let found = self
            .surface()
            .fixtures
            .as_ref()
            .and_then(|fixtures| fixtures.prompt(&request.name, &args, &input));
        match found {
            Some(Body::Input { requests, state }) => Ok(self.ask(&request.name, requests, state)?.into()),
            Some(Body::Json(raw)) => {
                Ok(complete::<GetPromptResult>(serde_json::from_str(raw.get()).unwrap_or_default())?.into())
            }
            _ => {
                let fault = Fault::new(ErrorCode::NotFound, "prompt not found");
                Err(convert::error(RpcError::from_fault(&fault).with("name", request.name)))
            }
        }
    }

    async fn list_resources(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourcesResult, ErrorData> {
        Self::first_page(request)?;
        let found = self.surface().fixtures.as_ref().map(|fixtures| fixtures.resources()).unwrap_or_default();
        Ok(ListResourcesResult::with_all_items(typed(found.into())?))
    }

    async fn list_resource_templates(
        &self,
        request: Option<PaginatedRequestParams>,
        _: RequestContext<RoleServer>,
    ) -> Result<ListResourceTemplatesResult, ErrorData> {
        Self::first_page(request)?;
        let found = self.surface().fixtures.as_ref().map(|fixtures| fixtures.templates()).unwrap_or_default();
        Ok(ListResourceTemplatesResult::with_all_items(typed(found.into())?))
    }

    async fn read_resource(
        &self,
        request: ReadResourceRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<ReadResourceResponse, ErrorData> {
        let found = self.surface().fixtures.as_ref().and_then(|fixtures| fixtures.resource(&request.uri));
        match found {
            Some(contents) => Ok(complete::<ReadResourceResult>(json!({ "contents": [contents] }))?.into()),
            None => Err(Self::no_resource(&request.uri)),
        }
    }

    fn accepted_subscription_filter(&self, requested: &SubscriptionFilter) -> Option<SubscriptionFilter> {
        let surface = self.surface();
        let offered = surface.identity.list_changed || surface.fixtures.is_some();
        *lock(&self.news) = offered.then(|| surface.changes.subscribe());
        offered.then(|| requested.clone())
    }

    async fn listen(&self, subscription: SubscriptionContext) -> Result<(), ErrorData> {
        let changes = lock(&self.news).take().unwrap_or_else(|| self.surface().changes.subscribe());
        news::listen(changes, subscription).await;
        Ok(())
    }

    async fn subscribe(
        &self,
        request: SubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if self.surface().fixtures.is_none() {
            return Err(method_not_found("resources/subscribe"));
        }
        lock(&self.session).watched.insert(request.uri);
        Ok(())
    }

    async fn unsubscribe(
        &self,
        request: UnsubscribeRequestParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if self.surface().fixtures.is_none() {
            return Err(method_not_found("resources/unsubscribe"));
        }
        lock(&self.session).watched.remove(&request.uri);
        Ok(())
    }

    #[expect(deprecated, reason = "sessions of the older era have it")]
    async fn set_level(
        &self,
        request: SetLevelRequestParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        if self.surface().fixtures.is_none() || Self::is_modern(&context) {
            return Err(method_not_found("logging/setLevel"));
        }
        let level =
            serde_json::to_value(request.level).ok().and_then(|level| level.as_str().map(str::to_owned));
        lock(&self.session).log_level = level;
        Ok(())
    }

    async fn get_task(
        &self,
        request: GetTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        self.shared.tasks.get_task(&request.task_id).map(GetTaskResult::new).map_err(tasks::unknown)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shared.tasks.update_task(&request.task_id, request.input_responses).map_err(tasks::unknown)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        _: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        self.shared.tasks.cancel_task(&request.task_id).map_err(tasks::unknown)
    }

    /// Direct methods of the contract, and requests whose parameters could not be read.
    async fn on_custom_request(
        &self,
        request: CustomRequest,
        context: RequestContext<RoleServer>,
    ) -> Result<CustomResult, ErrorData> {
        let method = request.method;
        let known = KNOWN_METHODS.contains(&method.as_str())
            || (SESSION_METHODS.contains(&method.as_str()) && !Self::is_modern(&context));
        if known {
            let error =
                RpcError::protocol(RpcError::INVALID_PARAMS, format!("the params of {method} are not valid"));
            return Err(convert::error(error.with("method", method)));
        }
        let registry = self.surface().runtime.registry();
        if registry.get(&method).is_none_or(|def| def.id != method) {
            return Err(method_not_found(&method));
        }
        let mut args = request.params.unwrap_or(Value::Null);
        if let Some(fields) = args.as_object_mut() {
            fields.remove("_meta");
        }
        let outcome = self.run(Request::new(method.as_str(), args), &context).await;
        let result = encode::direct(outcome, &method).map_err(convert::error)?;
        Ok(CustomResult::new(serde_json::from_str(&result).unwrap_or_default()))
    }
}
