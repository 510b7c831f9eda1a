//! Calls as a stream of server-sent events: `start`, `progress`…, `result` or `error`, `done`.

use std::collections::VecDeque;
use std::convert::Infallible;
use std::pin::Pin;
use std::sync::Arc;
use std::task::{Context, Poll};
use std::time::Duration;

use axum::http::header::{CACHE_CONTROL, HeaderName, HeaderValue};
use axum::response::IntoResponse;
use axum::response::sse::{Event, KeepAlive, Sse};
use futures_core::Stream;
use mainstay_contract::{Meta, success};
use mainstay_runtime::{Outcome, Request, Stage, Step};
use serde_json::{Value, json};
use tokio::sync::mpsc;

use super::app::App;
use super::reply::{self, Reply};
use crate::encode;
use crate::pending::Pending;

/// Steps waiting for a client that reads slowly; more are dropped, the answer never is.
const STEPS: usize = 32;
/// How often a silent stream says that it is alive.
const KEEP_ALIVE: Duration = Duration::from_secs(10);

/// Gives the outcome its final shape.
pub type Shape = Box<dyn FnOnce(Outcome) -> Outcome + Send>;

/// Starts the call and streams it; a call that is refused before it runs is a plain answer.
pub fn stream(app: &Arc<App>, request: Request, start: &Value, progress: bool, shape: Shape) -> Reply {
    let (send, steps) = mpsc::channel(STEPS);
    let request = match progress {
        true => request.on_step(move |_, step| drop(send.try_send(step))),
        false => request,
    };
    let mut call = Pending::start(&app.surface, request);
    let early = call.ready();
    if let Some(outcome) = &early
        && outcome.result.as_ref().is_err_and(|failed| failed.stage != Stage::Run)
    {
        return reply::outcome(outcome);
    }
    let mut events = Events {
        app: Arc::clone(app),
        call: Some(call),
        steps,
        shape: Some(shape),
        waiting: VecDeque::new(),
    };
    events.push("start", success(&start.to_string(), &events.app.surface.runtime.meta()));
    if let Some(outcome) = early {
        events.finish(outcome);
    }
    let keep_alive = KeepAlive::new().interval(KEEP_ALIVE).text("keep-alive");
    let mut reply = Sse::new(events).keep_alive(keep_alive).into_response();
    let headers = reply.headers_mut();
    headers.insert(CACHE_CONTROL, HeaderValue::from_static("no-cache, no-store"));
    headers.insert(HeaderName::from_static("x-accel-buffering"), HeaderValue::from_static("no"));
    reply
}

struct Events {
    app: Arc<App>,
    /// Gone once the answer is in `waiting`.
    call: Option<Pending>,
    steps: mpsc::Receiver<Step>,
    shape: Option<Shape>,
    waiting: VecDeque<Event>,
}

impl Events {
    fn push(&mut self, name: &str, data: String) {
        self.waiting.push_back(Event::default().event(name).data(data));
    }

    fn step(&mut self, step: &Step) {
        let result = json!({ "phase": step.progress.phase, "message": step.progress.message });
        self.push("progress", success(&result.to_string(), &self.meta()));
    }

    fn meta(&self) -> Meta {
        self.app.surface.runtime.meta()
    }

    fn finish(&mut self, outcome: Outcome) {
        self.call = None;
        while let Ok(step) = self.steps.try_recv() {
            self.step(&step);
        }
        let outcome = match self.shape.take() {
            Some(shape) => shape(outcome),
            None => outcome,
        };
        let name = if encode::http_status(&outcome) == 200 { "result" } else { "error" };
        self.push(name, encode::envelope(&outcome));
        self.push("done", success("{}", &self.meta()));
    }
}

impl Stream for Events {
    type Item = Result<Event, Infallible>;

    fn poll_next(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Option<Self::Item>> {
        loop {
            if let Some(event) = self.waiting.pop_front() {
                return Poll::Ready(Some(Ok(event)));
            }
            if let Poll::Ready(Some(step)) = self.steps.poll_recv(context) {
                self.step(&step);
                continue;
            }
            let Some(call) = &mut self.call else { return Poll::Ready(None) };
            match Pin::new(call).poll(context) {
                Poll::Ready(outcome) => self.finish(outcome),
                Poll::Pending => return Poll::Pending,
            }
        }
    }
}
