//! `initialize` and `server/discover`, in the SDK's own types.

use mainstay_contract::{PROTOCOL_VERSION, TOOLING_VERSION};
use rmcp::model::{
    CacheScope, DiscoverResult, Implementation, InitializeResult, ProtocolVersion, ServerCapabilities,
};
use serde_json::Value;

use crate::identity::{Identity, Transport};
use crate::rpc::RpcError;

const VERSION_KEY: &str = "io.modelcontextprotocol/protocolVersion";

/// The revision served without a handshake.
pub const STATELESS_VERSION: &str = "2026-07-28";

/// The result of `initialize`, whatever version was asked for.
pub fn initialize(identity: &Identity, transport: Transport) -> String {
    let result = InitializeResult::new(capabilities(identity, transport))
        .with_protocol_version(ProtocolVersion::V_2025_11_25)
        .with_server_info(implementation(identity))
        .with_instructions(identity.instructions.clone());
    json(&result)
}

/// The result of `server/discover`.
pub fn discover(identity: &Identity, transport: Transport) -> String {
    let versions = vec![ProtocolVersion::V_2026_07_28, ProtocolVersion::V_2025_11_25];
    let mut result = DiscoverResult::new(versions, capabilities(identity, transport))
        .with_ttl_ms(0)
        .with_cache_scope(CacheScope::Private);
    result.instructions = Some(identity.instructions.clone());
    json(&result.with_server_info(implementation(identity)))
}

/// Whether a request is of the stateless revision; an unknown version is an error.
pub fn is_stateless(meta: Option<&serde_json::Map<String, Value>>) -> Result<bool, RpcError> {
    match meta.and_then(|meta| meta.get(VERSION_KEY)) {
        None => Ok(false),
        Some(Value::String(version)) if version == STATELESS_VERSION => Ok(true),
        Some(Value::String(version)) if version == PROTOCOL_VERSION => Ok(false),
        Some(other) => Err(RpcError::protocol(RpcError::UNSUPPORTED_VERSION, "unsupported protocol version")
            .with("supported", vec![STATELESS_VERSION, PROTOCOL_VERSION])
            .with("requested", other.clone())),
    }
}

/// Adds what every result of the stateless revision carries.
pub fn stateless_result(result: &str, identity: &Identity, cacheable: bool) -> String {
    let mut text = String::with_capacity(result.len() + 160);
    text.push_str(r#"{"resultType":"complete","#);
    if cacheable {
        text.push_str(r#""ttlMs":0,"cacheScope":"private","#);
    }
    let info = json(&implementation(identity));
    text.push_str(&format!(r#""_meta":{{"io.modelcontextprotocol/serverInfo":{info}}}"#));
    match result.strip_prefix('{').filter(|rest| *rest != "}") {
        Some(rest) => {
            text.push(',');
            text.push_str(rest);
        }
        None => text.push('}'),
    }
    text
}

fn capabilities(identity: &Identity, transport: Transport) -> ServerCapabilities {
    let mut capabilities = ServerCapabilities::builder().enable_tools().build();
    if let Some(tools) = &mut capabilities.tools {
        tools.list_changed = Some(identity.list_changed);
    }
    if let Value::Object(block) = identity.experimental(transport) {
        capabilities.experimental = Some([("pairofcleats".to_owned(), block)].into());
    }
    capabilities
}

fn implementation(identity: &Identity) -> Implementation {
    Implementation::new(identity.name.clone(), TOOLING_VERSION).with_title(identity.title.clone())
}

fn json(value: &impl serde::Serialize) -> String {
    serde_json::to_string(value).expect("protocol types are plain data")
}
