//! One call of the runtime, awaited; a client that goes away ends it.

use std::pin::Pin;
use std::task::{Context, Poll};

use mainstay_contract::StopReason;
use mainstay_runtime::{CallHandle, Outcome, Request};
use tokio::sync::oneshot;

use crate::surface::Surface;

/// A call under way. Dropping it stops the work.
pub struct Pending {
    handle: CallHandle,
    answer: oneshot::Receiver<Outcome>,
}

impl Pending {
    /// Starts a call; its answer and its steps show no path that clients have no business with.
    pub fn start(surface: &Surface, request: Request) -> Pending {
        let (send, answer) = oneshot::channel();
        let places = surface.places.clone();
        let handle = surface.runtime.submit(places.concealing(request), move |outcome| {
            // Nobody waits when the client has gone.
            let _ = send.send(places.concealed(outcome));
        });
        Pending { handle, answer }
    }

    /// Stops the work; the answer comes at once.
    pub fn cancel(&self) {
        self.handle.cancel(StopReason::Cancelled);
    }

    /// The answer, if there already is one.
    pub fn ready(&mut self) -> Option<Outcome> {
        self.answer.try_recv().ok()
    }
}

impl Future for Pending {
    type Output = Outcome;

    fn poll(mut self: Pin<&mut Self>, context: &mut Context<'_>) -> Poll<Outcome> {
        Pin::new(&mut self.answer)
            .poll(context)
            .map(|answer| answer.expect("a call is answered exactly once"))
    }
}

impl Drop for Pending {
    fn drop(&mut self) {
        if !self.handle.is_finished() {
            self.handle.cancel(StopReason::Disconnected);
        }
    }
}
