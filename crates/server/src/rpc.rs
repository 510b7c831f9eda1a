//! JSON-RPC errors, each with a string code in `data.code`.

use mainstay_contract::{ErrorCode, Fault};
use serde_json::{Map, Value, json};

/// A JSON-RPC error object.
#[derive(Debug, Clone)]
pub struct RpcError {
    pub code: i32,
    pub message: String,
    pub data: Value,
}

impl RpcError {
    pub const PARSE: i32 = -32700;
    pub const INVALID_REQUEST: i32 = -32600;
    pub const METHOD_NOT_FOUND: i32 = -32601;
    pub const INVALID_PARAMS: i32 = -32602;
    pub const MISSING_CAPABILITY: i32 = -32021;
    pub const INTERNAL: i32 = -32603;
    pub const UNSUPPORTED_VERSION: i32 = -32022;

    /// An error of the protocol itself.
    pub fn protocol(code: i32, message: impl Into<String>) -> RpcError {
        let data = json!({ "code": ErrorCode::InvalidRequest.name() });
        RpcError { code, message: message.into(), data }
    }

    pub fn method_not_found(method: &str, near: &[&str]) -> RpcError {
        let shown: String = method.chars().take(80).collect();
        let mut error = RpcError::protocol(RpcError::METHOD_NOT_FOUND, format!("method not found: {shown}"));
        if !near.is_empty() {
            error.message.push_str(&format!(" (did you mean {}?)", near.join(", ")));
            error = error.with("hint", json!({ "nearest": near }));
        }
        error.with("method", shown)
    }

    /// The protocol error for a fault, with its details.
    pub fn from_fault(fault: &Fault) -> RpcError {
        let mut data = Map::new();
        data.insert("code".into(), fault.code.shared().name().into());
        data.insert("message".into(), fault.message.as_str().into());
        if let Some(details) = fault.to_error().get("details") {
            data.insert("details".into(), details.clone());
        }
        RpcError {
            code: fault.code.shared().row().rpc,
            message: fault.message.clone(),
            data: Value::Object(data),
        }
    }

    pub fn with(mut self, key: &str, value: impl Into<Value>) -> RpcError {
        if let Some(data) = self.data.as_object_mut() {
            data.insert(key.to_owned(), value.into());
        }
        self
    }

    pub fn to_value(&self) -> Value {
        json!({ "code": self.code, "message": self.message, "data": self.data })
    }
}
