//! Every request of the protocol, answered from the surface.

use std::borrow::Cow;
use std::sync::Arc;

use mainstay_contract::{Body, ErrorCode, Fault, TaskSupport};
use mainstay_runtime::{Door, Request};
use rmcp::model::*;
use rmcp::service::{NotificationContext, RequestContext, SubscriptionContext};
use rmcp::{ErrorData, RoleServer, ServerHandler};
use serde_json::{Value, json};

use super::client::{Handler, lock};
use super::convert::{self, complete, method_not_found, typed};
use super::owners::Owner;
use super::{news, tasks};
use crate::encode;
use crate::identity::Transport;
use crate::rpc::RpcError;
use crate::surface::{EXPLAIN, explain};

/// The name of this surface in the log of calls.
pub(crate) const SURFACE: &str = "mcp-http";

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
        context: RequestContext<RoleServer>,
    ) -> Result<ListToolsResult, ErrorData> {
        Self::first_page(request)?;
        let tools = self.shared.tools()?;
        let caller =
            Self::caller(&context).filter(|caller| caller.narrowed.is_some() || caller.grant.is_some());
        let Some(caller) = caller else { return Ok(ListToolsResult::with_all_items(tools.to_vec())) };
        let registry = self.surface().runtime.registry();
        let is_wanted = |tool: &&Tool| registry.get(&tool.name).is_none_or(|def| caller.sees(&def));
        Ok(ListToolsResult::with_all_items(tools.iter().filter(is_wanted).cloned().collect()))
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
        let call =
            Request { door: Door::Listed, surface: SURFACE, input, ..Request::new(name.as_str(), args) };
        if self.wants_task(&call, &context)? {
            let call = Self::with_client(call, &context);
            return tasks::start(&self.shared, call, Owner::of(&context));
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
        context: RequestContext<RoleServer>,
    ) -> Result<GetTaskResult, ErrorData> {
        tasks::check_owner(&self.shared, &request.task_id, &Owner::of(&context))?;
        self.shared.tasks.get_task(&request.task_id).map(GetTaskResult::new).map_err(tasks::unknown)
    }

    async fn update_task(
        &self,
        request: UpdateTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::check_owner(&self.shared, &request.task_id, &Owner::of(&context))?;
        self.shared.tasks.update_task(&request.task_id, request.input_responses).map_err(tasks::unknown)
    }

    async fn cancel_task(
        &self,
        request: CancelTaskParams,
        context: RequestContext<RoleServer>,
    ) -> Result<(), ErrorData> {
        tasks::check_owner(&self.shared, &request.task_id, &Owner::of(&context))?;
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
        if method == EXPLAIN {
            let (params, caller) = (request.params.unwrap_or(Value::Null), Self::caller(&context));
            let explained = explain(&self.surface().runtime, &params, &caller.unwrap_or_default());
            return match explained {
                Ok(mut explained) => {
                    self.surface().places.conceal_value(&mut explained);
                    Ok(CustomResult::new(explained))
                }
                Err(fault) => Err(convert::error(RpcError::from_fault(&fault))),
            };
        }
        let registry = self.surface().runtime.registry();
        if registry.get(&method).is_none_or(|def| def.id != method) {
            return Err(method_not_found(&method));
        }
        let mut args = request.params.unwrap_or(Value::Null);
        if let Some(fields) = args.as_object_mut() {
            fields.remove("_meta");
        }
        let outcome =
            self.run(Request { surface: SURFACE, ..Request::new(method.as_str(), args) }, &context).await;
        let result = encode::direct(outcome, &method).map_err(convert::error)?;
        Ok(CustomResult::new(serde_json::from_str(&result).unwrap_or_default()))
    }
}
