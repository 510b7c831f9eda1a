//! Which requests a server elsewhere has not answered yet.

use std::sync::{Arc, Mutex, MutexGuard, PoisonError};

use serde::Deserialize;
use serde_json::Value;
use serde_json::value::RawValue;

use super::message::{Id, Message, decode};
use crate::identity::Transport;

/// Longer requests are answered as lost instead of being made again.
const MAX_REPEATED_BYTES: usize = 64 << 10;

/// A request without an answer.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum What {
    /// A question that changes nothing, whole: it is asked again.
    Question { id: Id, message: Vec<u8> },
    /// `tools/call`, which may have had an effect; the message unless it is long.
    Call { id: Id, tool: String, stateless: bool, message: Option<Vec<u8>> },
    /// A direct method.
    Direct { id: Id, method: String },
    /// The foundry's line protocol; the id as written.
    Line { id: Option<String>, tool: String },
}

impl What {
    fn id(&self) -> Option<&Id> {
        match self {
            What::Question { id, .. } | What::Call { id, .. } | What::Direct { id, .. } => Some(id),
            What::Line { .. } => None,
        }
    }
}

/// Names a request that was sent.
pub type Ticket = u64;

#[derive(Default)]
struct State {
    owed: Vec<(Ticket, What)>,
    next: Ticket,
    introduction: Option<Vec<u8>>,
    leaving: bool,
}

/// The requests under way; shared by both directions of a relay.
#[derive(Clone)]
pub struct Debts {
    state: Arc<Mutex<State>>,
    transport: Transport,
}

#[derive(Deserialize)]
struct Named {
    name: String,
    #[serde(default, rename = "_meta")]
    meta: serde_json::Map<String, Value>,
}

#[derive(Deserialize)]
struct Answer<'a> {
    #[serde(borrow, default)]
    id: Option<&'a RawValue>,
    #[serde(default)]
    method: Option<serde::de::IgnoredAny>,
    #[serde(default)]
    jsonrpc: Option<serde::de::IgnoredAny>,
}

impl Debts {
    pub fn new(transport: Transport) -> Debts {
        Debts { state: Arc::default(), transport }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Notes what a message asks for; only a request gets a ticket.
    pub fn sent(&self, bytes: &[u8]) -> Option<Ticket> {
        let mut state = self.lock();
        let what = match decode(bytes) {
            Ok(Message::Request { id, method, params }) => match &*method {
                "initialize" => {
                    state.introduction = Some(bytes.to_vec());
                    What::Question { id, message: bytes.to_vec() }
                }
                "ping" | "tools/list" | "server/discover" | "shutdown"
                    if bytes.len() <= MAX_REPEATED_BYTES =>
                {
                    What::Question { id, message: bytes.to_vec() }
                }
                "exit" => {
                    state.leaving = true;
                    return None;
                }
                "tools/call" => {
                    let named = params.and_then(|raw| serde_json::from_str::<Named>(raw.get()).ok());
                    let stateless = named.as_ref().is_some_and(|named| {
                        super::handshake::is_stateless(Some(&named.meta)).is_ok_and(|stateless| stateless)
                    });
                    let tool = named.map_or_else(String::new, |named| named.name);
                    let message = (bytes.len() <= MAX_REPEATED_BYTES).then(|| bytes.to_vec());
                    What::Call { id, tool, stateless, message }
                }
                method => What::Direct { id, method: method.to_owned() },
            },
            Ok(Message::Line { id, tool, .. }) => {
                What::Line { id: id.map(|id| id.get().to_owned()), tool: tool.into_owned() }
            }
            Ok(Message::Notification { method, params }) => {
                match &*method {
                    "exit" => state.leaving = true,
                    // Over MCP a request that was taken back gets no answer.
                    "notifications/cancelled" if self.transport == Transport::Sdk => {
                        let params = params.and_then(|raw| serde_json::from_str::<Value>(raw.get()).ok());
                        let key = params.as_ref().and_then(|params| Id::key_of(params.get("requestId")?));
                        state
                            .owed
                            .retain(|(_, what)| key.is_none() || what.id().map(Id::key) != key.as_deref());
                    }
                    _ => {}
                }
                return None;
            }
            Ok(Message::Blank | Message::Response) | Err(_) => return None,
        };
        state.next += 1;
        let ticket = state.next;
        state.owed.push((ticket, what));
        Some(ticket)
    }

    /// Notes what a message from the server answers.
    pub fn answered(&self, bytes: &[u8]) {
        let Ok(answer) = serde_json::from_slice::<Answer<'_>>(bytes) else { return };
        if answer.method.is_some() {
            return;
        }
        let mut state = self.lock();
        let raw = answer.id.map(RawValue::get);
        let is_line = answer.jsonrpc.is_none();
        let answered = state.owed.iter().position(|(_, what)| match what {
            What::Line { id, .. } => is_line && id.as_deref() == raw,
            what => !is_line && what.id().map(Id::raw) == raw,
        });
        if let Some(answered) = answered {
            state.owed.remove(answered);
        }
    }

    /// A message did not go out: whether it is to be sent elsewhere. A request that was settled is not.
    pub fn take_back(&self, ticket: Option<Ticket>) -> bool {
        let Some(ticket) = ticket else { return true };
        let mut state = self.lock();
        let found = state.owed.iter().position(|(known, _)| *known == ticket);
        found.map(|found| state.owed.remove(found)).is_some()
    }

    /// Hands over what is to be done by somebody else: the message the client introduced itself with, and the
    /// requests without an answer.
    pub fn settle(&self) -> (Option<Vec<u8>>, Vec<What>) {
        let mut state = self.lock();
        let owed = std::mem::take(&mut state.owed).into_iter().map(|(_, what)| what).collect();
        (state.introduction.take(), owed)
    }

    /// The client is about to leave, so that an end of the connection is no accident.
    pub fn leave(&self) {
        self.lock().leaving = true;
    }

    pub fn is_leaving(&self) -> bool {
        self.lock().leaving
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn left(transport: Transport, sent: &[&str], answered: &[&str]) -> Vec<What> {
        let debts = Debts::new(transport);
        for message in sent {
            let _ = debts.sent(message.as_bytes());
        }
        answered.iter().for_each(|message| debts.answered(message.as_bytes()));
        debts.settle().1
    }

    const CALL: &str = r#"{"jsonrpc":"2.0","id":"7","method":"tools/call","params":{"name":"search"}}"#;
    const PING: &str = r#"{"jsonrpc":"2.0","id":7,"method":"ping"}"#;
    const LINE: &str = r#"{"id":7,"tool":"catalog.list","input":{}}"#;

    #[test]
    fn an_answer_settles_the_request_with_its_id_and_protocol() {
        let all = [CALL, PING, LINE];
        assert_eq!(left(Transport::Sdk, &all, &[]).len(), 3);
        for (answer, rest) in [
            (r#"{"jsonrpc":"2.0","id":"7","result":{}}"#, [PING, LINE]),
            (r#"{"jsonrpc":"2.0","id":7,"error":{}}"#, [CALL, LINE]),
            (r#"{"id":7,"result":{}}"#, [CALL, PING]),
        ] {
            assert_eq!(left(Transport::Sdk, &all, &[answer]), left(Transport::Sdk, &rest, &[]), "{answer}");
        }
        let news = r#"{"jsonrpc":"2.0","method":"notifications/progress","params":{}}"#;
        assert_eq!(left(Transport::Sdk, &all, &[news]).len(), 3);
    }

    #[test]
    fn a_request_taken_back_over_mcp_is_owed_no_answer() {
        let cancel = r#"{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":7}}"#;
        assert_eq!(left(Transport::Sdk, &[CALL, cancel], &[]), []);
        assert_eq!(left(Transport::Legacy, &[CALL, cancel], &[]).len(), 1);
    }

    #[test]
    fn a_request_that_did_not_go_out_is_sent_elsewhere_unless_it_was_settled() {
        let debts = Debts::new(Transport::Sdk);
        let ticket = debts.sent(CALL.as_bytes());
        assert!(debts.take_back(ticket));
        let ticket = debts.sent(CALL.as_bytes());
        assert_eq!(debts.settle().1.len(), 1);
        assert!(!debts.take_back(ticket));
        assert!(debts.take_back(debts.sent(b"")));
    }
}
