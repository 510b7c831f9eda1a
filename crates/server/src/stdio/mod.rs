//! MCP, direct methods and the line protocol on stdin and stdout.
//!
//! The loop is ours and not the SDK's, for what a client can see: unreadable lines are answered,
//! an early notification does no harm, ids compare as text, and no answer waits for a scheduler.
//! The shapes of the handshake are the SDK's types.

mod calls;
mod frame;
mod handshake;
mod message;
mod outbox;
#[cfg(unix)]
mod owed;
#[cfg(unix)]
mod relay;
mod session;
#[cfg(unix)]
mod takeover;

use std::io::{Read, Write};
use std::sync::Arc;
use std::sync::mpsc::{Receiver, Sender, channel};
use std::time::Duration;

use mainstay_runtime::Runtime;

#[cfg(unix)]
pub use relay::{Lost, Relayed, relay};
pub use session::SessionConfig;

use self::frame::{Frame, Framing, Reader};
use self::outbox::Outbox;
use self::session::Session;
use crate::rpc::RpcError;

/// Why a server ends.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum End {
    /// The client closed our input.
    InputClosed,
    /// Nobody reads our output.
    OutputClosed,
    /// The client asked for it.
    Exit,
    /// A signal, or the parent process is gone.
    Stopped,
    /// The process that served in our place is gone.
    Lost,
}

/// Ends the server from another thread.
#[derive(Clone)]
pub struct Stopper(Sender<End>);

/// Where a server hears that it should end.
pub struct Ends(Receiver<End>);

/// Made before the server, so that a signal that comes first is not missed.
pub fn stopper() -> (Stopper, Ends) {
    let (send, receive) = channel();
    (Stopper(send), Ends(receive))
}

impl Stopper {
    pub fn stop(&self, end: End) {
        // Fails only when the server has ended already.
        let _ = self.0.send(end);
    }
}

/// How long calls may finish after the client closed our input.
const FINISH: Duration = Duration::from_millis(1_500);
/// How long stopped calls may clean up.
const CLEAN_UP: Duration = Duration::from_millis(3_500);

/// A server on one pair of streams.
pub struct Stdio {
    runtime: Runtime,
    outbox: Outbox,
    ends: Ends,
}

impl Stdio {
    /// Starts reading and answering.
    pub fn start(
        runtime: Runtime,
        config: SessionConfig,
        (stopper, ends): (Stopper, Ends),
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
    ) -> std::io::Result<Stdio> {
        Stdio::begin(runtime, config, (stopper, ends), input, output, |_| ())
    }

    /// Goes on where a server elsewhere stopped; `output` is the client's.
    #[cfg(unix)]
    pub fn take_over(
        runtime: Runtime,
        config: SessionConfig,
        stops: (Stopper, Ends),
        lost: Lost,
        output: impl Write + Send + 'static,
    ) -> std::io::Result<Stdio> {
        let Lost { input, introduction, owed } = lost;
        Stdio::begin(runtime, config, stops, input, output, move |session| {
            session.take_over(introduction.as_deref(), &owed);
        })
    }

    fn begin(
        runtime: Runtime,
        config: SessionConfig,
        (stopper, ends): (Stopper, Ends),
        input: impl Read + Send + 'static,
        output: impl Write + Send + 'static,
        first: impl FnOnce(&mut Session) + Send + 'static,
    ) -> std::io::Result<Stdio> {
        let framing = Framing::of(config.transport);
        let closed = stopper.clone();
        let outbox = Outbox::start(Box::new(output), framing, move || closed.stop(End::OutputClosed))?;
        let mut session = Session::new(runtime.clone(), Arc::new(config), outbox.clone(), stopper.clone());
        let reader_outbox = outbox.clone();
        std::thread::Builder::new().name("reader".into()).spawn(move || {
            first(&mut session);
            read_all(Reader::new(input, framing), session, &reader_outbox);
            stopper.stop(End::InputClosed);
        })?;
        Ok(Stdio { runtime, outbox, ends })
    }

    /// A function that tells the client that the list of tools has changed.
    pub fn list_changed(&self) -> impl Fn() + Send + Sync + 'static {
        let outbox = self.outbox.clone();
        move || outbox.send(r#"{"jsonrpc":"2.0","method":"notifications/tools/list_changed"}"#)
    }

    /// Waits for the end, lets calls finish or stops them, and writes the last answers.
    pub fn wait(self) -> End {
        let end = self.ends.0.recv().unwrap_or(End::InputClosed);
        if end == End::InputClosed {
            self.runtime.drain(FINISH);
        }
        self.runtime.shutdown(CLEAN_UP);
        self.outbox.close();
        end
    }
}

fn read_all<R: Read>(mut reader: Reader<R>, mut session: Session, outbox: &Outbox) {
    loop {
        if outbox.is_full() {
            outbox.flush();
        }
        match reader.next(|| outbox.flush()) {
            Ok(Some(Frame::Message(bytes))) => session.handle(message::decode(bytes)),
            Ok(Some(Frame::Oversized)) => session.oversized(),
            Ok(Some(Frame::BadHeader)) => session.handle(Err(message::Unreadable {
                id: None,
                error: Box::new(RpcError::protocol(RpcError::PARSE, "the header has no Content-Length")),
            })),
            Ok(None) | Err(_) => break,
        }
    }
    outbox.flush();
}
