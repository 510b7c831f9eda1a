//! What a call sends to its client before it is answered.

use std::sync::mpsc::{SyncSender, sync_channel};

use mainstay_contract::{CancelToken, ClientLink, ErrorCode, Fault, FaultResult, ToolDef};
use mainstay_runtime::Step;
use rmcp::RoleServer;
use rmcp::model::{
    CustomNotification, CustomRequest, ProgressNotificationParam, ProgressToken, RequestId,
    ServerNotification, ServerRequest,
};
use rmcp::service::{OriginatingRequestId, Peer};
use serde_json::Value;
use tokio::sync::mpsc;

/// Messages of one call that wait to be sent; more are dropped, answers and questions never are.
const WAITING: usize = 64;

/// Severities of log messages, mildest first.
const LEVELS: [&str; 8] = ["debug", "info", "notice", "warning", "error", "critical", "alert", "emergency"];

/// A message on its way to the client.
pub enum Outgoing {
    Step { value: f64, total: Option<f64>, message: String },
    Notify { method: String, params: Value },
    Ask { method: String, params: Value, answer: SyncSender<FaultResult<Value>> },
}

/// The tool's side of the line.
pub struct Link {
    send: mpsc::Sender<Outgoing>,
    cancel: CancelToken,
    /// The mildest log message the client wants; `None` wants no log.
    log_level: Option<String>,
}

impl Link {
    pub fn new(cancel: CancelToken, log_level: Option<String>) -> (Link, mpsc::Receiver<Outgoing>) {
        let (send, receive) = mpsc::channel(WAITING);
        (Link { send, cancel, log_level }, receive)
    }

    /// A sink for steps of progress.
    pub fn steps(&self) -> impl Fn(&ToolDef, Step) + Send + Sync + 'static {
        let send = self.send.clone();
        move |def, step| {
            let message = format!("[{}][phase={}] {}", def.id, step.progress.phase, step.progress.message);
            let _ = send.try_send(Outgoing::Step { value: step.value, total: step.total, message });
        }
    }

    fn wants(&self, params: &Value) -> bool {
        let rank = |name: &str| LEVELS.iter().position(|level| *level == name).unwrap_or(0);
        let level = params.get("level").and_then(Value::as_str).unwrap_or("info");
        self.log_level.as_deref().is_some_and(|wanted| rank(level) >= rank(wanted))
    }
}

impl ClientLink for Link {
    fn request(&self, method: &str, params: Value) -> FaultResult<Value> {
        let (answer, receive) = sync_channel(2);
        let stopped = answer.clone();
        let _guard = self.cancel.on_cancel(move || {
            let _ = stopped.try_send(Err(Fault::new(ErrorCode::Cancelled, "the call was cancelled")));
        });
        let ask = Outgoing::Ask { method: method.to_owned(), params, answer };
        let gone = || Fault::new(ErrorCode::CapabilityMissing, "the client cannot be asked any more");
        self.send.try_send(ask).map_err(|_| gone())?;
        receive.recv().map_err(|_| gone())?
    }

    fn notify(&self, method: &str, params: Value) {
        if method != "notifications/message" || self.wants(&params) {
            let _ = self.send.try_send(Outgoing::Notify { method: method.to_owned(), params });
        }
    }
}

/// The client's side of the line.
pub struct Wire {
    pub peer: Peer<RoleServer>,
    pub request: RequestId,
    pub progress: Option<ProgressToken>,
}

impl Wire {
    /// Sends one message; returns once it is on its way, so that the answer cannot overtake it.
    pub async fn deliver(&self, message: Outgoing) {
        let sent = match message {
            Outgoing::Step { value, total, message } => match &self.progress {
                Some(token) => {
                    let mut step = ProgressNotificationParam::new(token.clone(), value).with_message(message);
                    step.total = total;
                    self.peer.notify_progress(step).await
                }
                None => Ok(()),
            },
            Outgoing::Notify { method, params } => {
                let notification = CustomNotification::new(method, Some(params));
                self.peer.send_notification(ServerNotification::CustomNotification(notification)).await
            }
            Outgoing::Ask { method, params, answer } => {
                let mut request = CustomRequest::new(method, Some(params));
                request.extensions.insert(OriginatingRequestId(self.request.clone()));
                // The call may be cancelled while the client thinks, so nobody waits here.
                tokio::spawn(ask(self.peer.clone(), request, answer));
                Ok(())
            }
        };
        if let Err(error) = sent {
            tracing::debug!(%error, "a message did not reach the client");
        }
    }
}

async fn ask(peer: Peer<RoleServer>, request: CustomRequest, answer: SyncSender<FaultResult<Value>>) {
    let result = match peer.send_request(ServerRequest::CustomRequest(request)).await {
        Ok(result) => serde_json::to_value(result).map_err(|error| Fault::internal(&error)),
        Err(error) => {
            Err(Fault::new(ErrorCode::CapabilityMissing, format!("the client did not answer: {error}")))
        }
    };
    let _ = answer.try_send(result);
}
