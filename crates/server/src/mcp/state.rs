//! The state a tool sends along with its questions: sealed, so that it comes back as it went out.

use std::time::Duration;

use rmcp::model::{RequestStateCodec, RequestStateError, SealOptions};

use crate::rpc::RpcError;

/// How long a client may take to answer.
const TTL: Duration = Duration::from_secs(60 * 60);

/// Seals and opens states with a key of this process.
pub struct States(RequestStateCodec);

/// No key could be made.
#[derive(Debug)]
pub struct NoKey;

impl States {
    pub fn new() -> Result<States, NoKey> {
        let mut key = [0; 32];
        getrandom::fill(&mut key).map_err(|_| NoKey)?;
        RequestStateCodec::try_new(key).map(States).map_err(|_| NoKey)
    }

    /// `context` is what the state belongs to, such as the name of the tool.
    pub fn seal(&self, context: &str, state: &str) -> String {
        let options = SealOptions::new().associated_data(context.as_bytes()).ttl(TTL);
        self.0.seal_with(state.as_bytes(), &options)
    }

    pub fn open(&self, context: &str, sealed: &str) -> Result<String, RpcError> {
        let refuse = |error: &RequestStateError| {
            RpcError::protocol(RpcError::INVALID_PARAMS, format!("requestState is not ours: {error}"))
        };
        let bytes = self.0.open_with(sealed, context.as_bytes()).map_err(|error| refuse(&error))?;
        String::from_utf8(bytes).map_err(|_| refuse(&RequestStateError::MalformedFormat))
    }
}
