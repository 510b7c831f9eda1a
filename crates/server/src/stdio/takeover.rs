//! Going on in place of a server that is gone.

use mainstay_contract::{Effect, ErrorCode, Fault};
use mainstay_runtime::{Failure, Outcome, Size, Stage};

use super::handshake;
use super::message::{Message, decode};
use super::owed::What;
use super::session::{Session, error_message, incident, result_message};
use crate::encode;
use crate::identity::Transport;
use crate::rpc::RpcError;

/// The failure of a call whose server ended: nobody knows how far it came.
fn lost() -> Fault {
    Fault::new(ErrorCode::Internal, "the shared server ended before it answered")
        .detail("retryable", true)
        .hint("call again; calls are now answered by a server of this client's own")
}

impl Session {
    /// Takes up what was known of the client, asks again what changes nothing and fails the other calls.
    ///
    /// A call that writes is not repeated: it may have had its effect.
    pub fn take_over(&mut self, introduction: Option<&[u8]>, owed: &[What]) {
        if let Some(Ok(Message::Request { params, .. })) = introduction.map(decode) {
            self.introduced(params);
            self.seen_rpc = true;
        }
        for what in owed {
            match what {
                What::Question { message, .. } => self.handle(decode(message)),
                What::Call { tool, message: Some(message), .. } if self.only_reads(tool) => {
                    self.handle(decode(message));
                }
                what => self.outbox.queue(&self.loss(what)),
            }
        }
        self.outbox.flush();
    }

    fn only_reads(&self, tool: &str) -> bool {
        self.runtime.registry().get(tool).is_some_and(|def| def.effect == Effect::Read)
    }

    fn loss(&self, what: &What) -> String {
        let outcome = |tool: &str| Outcome {
            tool: self.runtime.registry().get(tool),
            meta: self.runtime.meta(),
            result: Err(Failure { stage: Stage::Run, fault: lost(), violations: Vec::new() }),
            size: Size::default(),
        };
        let answer = |id: &str, encoded: Result<String, RpcError>| match encoded {
            Ok(result) => result_message(id, &result),
            Err(error) => error_message(id, &error),
        };
        match what {
            What::Question { id, .. } => error_message(id.raw(), &RpcError::from_fault(&lost())),
            What::Call { id, tool, .. } if self.config.transport == Transport::Legacy => {
                result_message(id.raw(), &encode::legacy(outcome(tool)))
            }
            What::Call { id, tool, stateless, .. } => {
                let encoded = encode::mcp(outcome(tool), tool, self.unknown).map(|result| match stateless {
                    true => handshake::stateless_result(&result, &self.config.identity, false),
                    false => result,
                });
                answer(id.raw(), encoded)
            }
            What::Direct { id, method } => answer(id.raw(), encode::direct(outcome(method), method)),
            What::Line { id, tool } => {
                let head = id.as_ref().map(|id| format!(r#""id":{id},"#)).unwrap_or_default();
                let (key, value) = encode::line(outcome(tool), incident);
                format!(r#"{{{head}"{key}":{value}}}"#)
            }
        }
    }
}
