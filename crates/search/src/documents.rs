//! Reading PDF and DOCX files in a process of its own, which is ended when it takes too long.

use std::sync::Arc;
use std::time::Duration;

use mainstay_contract::CancelToken;
use mainstay_index::{DocumentReader, SkipReason, Unread};
use mainstay_process::{Command, EndedBy, Env, Exit, Launcher, Output, Stdin, Stream};

use crate::git::StopOn;

/// A reader that says more than this is not believed.
const MAX_TEXT_BYTES: usize = 16 << 20;

/// How documents are read: a program that takes a format and a document and gives back text.
#[derive(Clone)]
pub struct DocumentProgram {
    pub launcher: Arc<Launcher>,
    /// The program and the words before the format.
    pub command: Vec<std::ffi::OsString>,
    /// What reading one document may take.
    pub patience: Duration,
    /// Why it gives no text, by its exit code.
    pub failure: fn(i32) -> SkipReason,
}

impl std::fmt::Debug for DocumentProgram {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "DocumentProgram({:?})", self.command)
    }
}

impl DocumentProgram {
    /// A reader that stops when a call does.
    pub(crate) fn until(&self, cancel: &CancelToken) -> Arc<dyn DocumentReader> {
        Arc::new(Reader { program: self.clone(), cancel: cancel.clone() })
    }
}

struct Reader {
    program: DocumentProgram,
    cancel: CancelToken,
}

impl std::fmt::Debug for Reader {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.program.fmt(f)
    }
}

impl DocumentReader for Reader {
    fn read(&self, format: &str, bytes: Vec<u8>) -> Result<String, Unread> {
        let failed = Unread::Skipped(SkipReason::Failed);
        let Some((program, words)) = self.program.command.split_first() else { return Err(failed) };
        let command = Command::new(program, Env::new())
            .args(words)
            .args([format])
            .stdin(Stdin::Bytes(bytes))
            .stdout(Output::capped(0))
            .stderr(Output::capped(0))
            .grace(Duration::ZERO)
            .deadline(self.program.patience);
        let mut text = Vec::new();
        let mut take = |stream: Stream, piece: &[u8]| {
            if stream == Stream::Stdout && text.len() <= MAX_TEXT_BYTES {
                text.extend_from_slice(piece);
            }
        };
        let finished = match self.program.launcher.run(&command, &StopOn(&self.cancel), &mut take) {
            Ok(finished) => finished,
            Err(_) if self.cancel.is_cancelled() => return Err(Unread::Stopped),
            Err(error) => {
                tracing::warn!(%error, "the reader of documents could not be started");
                return Err(Unread::NotNow);
            }
        };
        if self.cancel.is_cancelled() {
            return Err(Unread::Stopped);
        }
        if finished.ended_by == EndedBy::Timeout {
            return Err(Unread::Skipped(SkipReason::Timeout));
        }
        match finished.status {
            Exit::Code(0) => {}
            Exit::Code(code) => return Err(Unread::Skipped((self.program.failure)(code))),
            Exit::Signal(_) => return Err(failed),
            Exit::Lost => return Err(Unread::NotNow),
        }
        if text.len() > MAX_TEXT_BYTES {
            return Err(Unread::Skipped(SkipReason::Oversized));
        }
        String::from_utf8(text).map_err(|_| failed)
    }
}
