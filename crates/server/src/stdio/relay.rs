//! A client served by a process elsewhere: messages go there and back whole, and what that process owes is remembered.
//!
//! When the other process is gone, [`Lost`] holds all a server of our own needs to go on in its place: what the client
//! sends from now on, how it introduced itself, and the requests that were never answered.

use std::io::{self, BufWriter, PipeReader, PipeWriter, Read, Write};
use std::net::Shutdown;
use std::os::unix::net::UnixStream;
use std::sync::mpsc::{Receiver, channel};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::Duration;

use super::frame::{Frame, Framing, Reader};
use super::owed::{Debts, What};
use super::{End, Ends, Stopper, session};
use crate::identity::Transport;

/// How long the other process may take to say goodbye once our client has left; it gives its calls less.
const FAREWELL: Duration = Duration::from_secs(10);

const BAD_HEADER: &[u8] = b"-\r\n\r\n";

/// How a relayed session ended.
pub enum Relayed {
    Ended(End),
    /// The other process is gone, and the client is not.
    Lost(Lost),
}

/// What a server needs to take over.
pub struct Lost {
    /// What the client sends from now on.
    pub(super) input: PipeReader,
    /// The message the client introduced itself with.
    pub(super) introduction: Option<Vec<u8>>,
    /// Requests without an answer, oldest first.
    pub(super) owed: Vec<What>,
}

/// Whole messages for the client, from two threads.
type Output = Arc<Mutex<BufWriter<Box<dyn Write + Send>>>>;

/// Serves the client on `input` and `output` with the session at the other end of `far`.
pub fn relay(
    far: &UnixStream,
    transport: Transport,
    (stopper, ends): (&Stopper, &Ends),
    input: impl Read + Send + 'static,
    output: impl Write + Send + 'static,
) -> io::Result<Relayed> {
    let framing = Framing::of(transport);
    let debts = Debts::new(transport);
    let output: Output = Arc::new(Mutex::new(BufWriter::new(Box::new(output))));
    let (next, nexts) = channel();

    let up = Up { far: far.try_clone()?, framing, debts: debts.clone(), output: Arc::clone(&output), nexts };
    let left = stopper.clone();
    std::thread::Builder::new().name("relay-up".into()).spawn(move || {
        if up.run(Reader::new(input, framing)) == Place::Far {
            left.stop(End::InputClosed);
        }
    })?;

    let (down_debts, down_output, from_far) = (debts.clone(), Arc::clone(&output), far.try_clone()?);
    let told = stopper.clone();
    std::thread::Builder::new().name("relay-down".into()).spawn(move || {
        told.stop(down(from_far, framing, &down_debts, &down_output));
    })?;

    let end = ends.0.recv().unwrap_or(End::InputClosed);
    match end {
        End::InputClosed => {
            // The last answers are still to come; the other process closes when it has sent them.
            let _ = ends.0.recv_timeout(FAREWELL);
            Ok(Relayed::Ended(end))
        }
        End::Lost if debts.is_leaving() => Ok(Relayed::Ended(End::InputClosed)),
        End::Lost => {
            let (input, writer) = io::pipe()?;
            let (introduction, owed) = debts.settle();
            // The thread that reads the client is there as long as the client is.
            let _ = next.send(writer);
            Ok(Relayed::Lost(Lost { input, introduction, owed }))
        }
        end => {
            // Whatever runs for us over there stops when both directions are closed.
            let _ = far.shutdown(Shutdown::Both);
            Ok(Relayed::Ended(end))
        }
    }
}

/// From the client to the other process.
struct Up {
    far: UnixStream,
    framing: Framing,
    debts: Debts,
    output: Output,
    /// Where to write when the other process is gone.
    nexts: Receiver<PipeWriter>,
}

/// Where the messages of the client went at its end.
#[derive(PartialEq, Eq)]
enum Place {
    Far,
    Here,
}

impl Up {
    fn run<R: Read>(mut self, mut reader: Reader<R>) -> Place {
        loop {
            let sent = match reader.next(|| ()) {
                Ok(Some(Frame::Message(message))) => {
                    let ticket = self.debts.sent(message);
                    let bytes = self.framing.framed(message);
                    self.far.write_all(&bytes).map_err(|_| (ticket, bytes))
                }
                // A header as bad as the one that came.
                Ok(Some(Frame::BadHeader)) => {
                    self.far.write_all(BAD_HEADER).map_err(|_| (None, BAD_HEADER.to_vec()))
                }
                Ok(Some(Frame::Oversized)) => {
                    self.oversized();
                    Ok(())
                }
                Ok(None) | Err(_) => {
                    self.debts.leave();
                    let _ = self.far.shutdown(Shutdown::Write);
                    return Place::Far;
                }
            };
            // Nobody is there any more. What was not counted as lost is for whoever comes next.
            if let Err((ticket, bytes)) = sent {
                let Ok(mut here) = self.nexts.recv() else { return Place::Far };
                if !self.debts.take_back(ticket) || here.write_all(&bytes).is_ok() {
                    self.go_on(reader, here);
                }
                return Place::Here;
            }
        }
    }

    /// Passes on to a server in this process what the client sends from now on.
    fn go_on<R: Read>(&self, mut reader: Reader<R>, mut here: PipeWriter) {
        loop {
            let written = match reader.next(|| ()) {
                Ok(Some(Frame::Message(message))) => here.write_all(&self.framing.framed(message)),
                Ok(Some(Frame::BadHeader)) => here.write_all(BAD_HEADER),
                Ok(Some(Frame::Oversized)) => {
                    self.oversized();
                    Ok(())
                }
                Ok(None) | Err(_) => return,
            };
            if written.is_err() {
                return;
            }
        }
    }

    /// Answers a message that cannot be passed on, because it was never held whole.
    fn oversized(&self) {
        let mut output = self.output.lock().unwrap_or_else(PoisonError::into_inner);
        // That nobody reads the answer is noticed with the next one.
        let _ = output.write_all(&self.framing.framed(session::oversized().as_bytes()));
        let _ = output.flush();
    }
}

/// From the other process to the client, until either is gone.
fn down(far: UnixStream, framing: Framing, debts: &Debts, output: &Output) -> End {
    let lock = || output.lock().unwrap_or_else(PoisonError::into_inner);
    let flush = || {
        // An error shows at the next message.
        let _ = lock().flush();
    };
    let mut reader = Reader::of_server(far, framing);
    loop {
        match reader.next(flush) {
            Ok(Some(Frame::Message(message))) => {
                debts.answered(message);
                let mut output = lock();
                if output.write_all(&framing.framed(message)).is_err() {
                    return End::OutputClosed;
                }
            }
            Ok(Some(Frame::Oversized | Frame::BadHeader)) => {}
            Ok(None) | Err(_) => {
                return match lock().flush() {
                    Ok(()) => End::Lost,
                    Err(_) => End::OutputClosed,
                };
            }
        }
    }
}
