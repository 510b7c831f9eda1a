//! Between our JSON and rmcp's types.

use mainstay_contract::{ErrorCode, Fault};
use rmcp::ErrorData;
use rmcp::model::{ErrorCode as RpcCode, InputRequiredResult};
use serde::de::DeserializeOwned;
use serde_json::{Map, Value, json};

use crate::rpc::RpcError;

pub fn error(error: RpcError) -> ErrorData {
    ErrorData::new(RpcCode(error.code), error.message, Some(error.data))
}

pub fn fault(fault: &Fault) -> ErrorData {
    error(RpcError::from_fault(fault))
}

/// Reads a value we wrote ourselves as the protocol's type.
pub fn typed<T: DeserializeOwned>(value: Value) -> Result<T, ErrorData> {
    serde_json::from_value(value).map_err(|cause| {
        tracing::error!(%cause, "an answer does not have the shape the protocol wants");
        fault(&Fault::new(ErrorCode::Internal, "the answer does not have the shape the protocol wants"))
    })
}

/// A complete result of this revision says that it is one; rmcp removes the mark for older clients.
pub fn complete<T: DeserializeOwned>(mut result: Value) -> Result<T, ErrorData> {
    if let Some(fields) = result.as_object_mut() {
        fields.insert("resultType".into(), "complete".into());
    }
    typed(result)
}

pub fn input_required(
    requests: Map<String, Value>,
    state: Option<String>,
) -> Result<InputRequiredResult, ErrorData> {
    let mut result = json!({ "resultType": "input_required", "inputRequests": requests });
    if let Some(state) = state {
        result["requestState"] = state.into();
    }
    typed(result)
}

pub fn method_not_found(method: &str) -> ErrorData {
    error(RpcError::method_not_found(method, &[]))
}
