//! The way out: messages from many threads, written whole and in order.

use std::io::Write;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};

use super::frame::Framing;

/// The reader stops taking requests while this much waits to be written.
const HIGH_WATER_BYTES: usize = 8 << 20;

#[derive(Default)]
struct State {
    waiting: Vec<u8>,
    closed: bool,
}

struct Shared {
    state: Mutex<State>,
    changed: Condvar,
    /// Held while writing, so that two writers never mix.
    output: Mutex<Box<dyn Write + Send>>,
    framing: Framing,
    on_closed: Box<dyn Fn() + Send + Sync>,
}

/// Where answers and notifications go.
#[derive(Clone)]
pub struct Outbox(Arc<Shared>);

impl Outbox {
    /// Starts the writer thread. `on_closed` is called when nobody reads any more.
    pub fn start(
        output: Box<dyn Write + Send>,
        framing: Framing,
        on_closed: impl Fn() + Send + Sync + 'static,
    ) -> std::io::Result<Outbox> {
        let outbox = Outbox(Arc::new(Shared {
            state: Mutex::default(),
            changed: Condvar::new(),
            output: Mutex::new(output),
            framing,
            on_closed: Box::new(on_closed),
        }));
        let writer = outbox.clone();
        std::thread::Builder::new().name("writer".into()).spawn(move || writer.write_forever())?;
        Ok(outbox)
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.0.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Queues a message and wakes the writer.
    pub fn send(&self, message: &str) {
        self.queue(message);
        self.0.changed.notify_all();
    }

    /// Queues a message that the caller will flush.
    pub fn queue(&self, message: &str) {
        let mut state = self.lock();
        if state.closed {
            return;
        }
        if self.0.framing == Framing::ContentLength {
            state.waiting.extend_from_slice(format!("Content-Length: {}\r\n\r\n", message.len()).as_bytes());
        }
        state.waiting.extend_from_slice(message.as_bytes());
        if self.0.framing == Framing::Lines {
            state.waiting.push(b'\n');
        }
    }

    /// Whether so much waits that it should be written before more is made.
    pub fn is_full(&self) -> bool {
        self.lock().waiting.len() > HIGH_WATER_BYTES
    }

    /// Writes what waits, on this thread.
    pub fn flush(&self) {
        let mut output = self.0.output.lock().unwrap_or_else(PoisonError::into_inner);
        loop {
            let bytes = std::mem::take(&mut self.lock().waiting);
            if bytes.is_empty() {
                return;
            }
            if output.write_all(&bytes).and_then(|()| output.flush()).is_err() {
                let mut state = self.lock();
                let first = !state.closed;
                *state = State { waiting: Vec::new(), closed: true };
                drop(state);
                if first {
                    (self.0.on_closed)();
                }
                return;
            }
        }
    }

    fn write_forever(&self) {
        loop {
            let mut state = self.lock();
            while state.waiting.is_empty() && !state.closed {
                state = self.0.changed.wait(state).unwrap_or_else(PoisonError::into_inner);
            }
            if state.closed {
                return;
            }
            drop(state);
            self.flush();
        }
    }

    /// Writes what waits and lets the writer thread end.
    pub fn close(&self) {
        self.flush();
        self.lock().closed = true;
        self.0.changed.notify_all();
    }
}
