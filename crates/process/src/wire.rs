//! What we and a supervisor say to each other over their socket.
//!
//! We send a request with the child's three descriptors, later perhaps one byte that asks for the end. The supervisor
//! answers with frames of fixed size. Both sides are the same executable, so there are no versions.

use std::ffi::{OsStr, OsString};
use std::io::{self, IoSlice, IoSliceMut, Read};
use std::mem::MaybeUninit;
use std::os::fd::{AsFd, BorrowedFd, OwnedFd};
use std::os::unix::ffi::{OsStrExt, OsStringExt};
use std::os::unix::net::UnixStream;
use std::time::Duration;

use rustix::cmsg_space;
use rustix::net::{
    RecvAncillaryBuffer, RecvAncillaryMessage, RecvFlags, SendAncillaryBuffer, SendAncillaryMessage,
    SendFlags, recvmsg, send, sendmsg,
};

/// Far above what any system accepts as arguments and environment.
const MAX_REQUEST_BYTES: usize = 64 * 1024 * 1024;

/// A socket whose other end is gone is an error to us, never a signal. Apple systems have no such flag; there it is the
/// runtime that ignores SIGPIPE.
#[cfg(not(target_vendor = "apple"))]
pub(crate) const NO_SIGNAL: SendFlags = SendFlags::NOSIGNAL;
#[cfg(target_vendor = "apple")]
pub(crate) const NO_SIGNAL: SendFlags = SendFlags::empty();

/// Keeps received descriptors from the child. Where that flag is missing, each is marked when it has arrived.
#[cfg(not(target_vendor = "apple"))]
const CLOSE_ON_EXEC: RecvFlags = RecvFlags::CMSG_CLOEXEC;
#[cfg(target_vendor = "apple")]
const CLOSE_ON_EXEC: RecvFlags = RecvFlags::empty();

/// The byte that asks a supervisor to end the call.
const END: u8 = b'E';

/// Standard input, output and error of a child.
pub(crate) type Descriptors<T> = [T; 3];

/// What a supervisor needs to start a child.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Request {
    /// A path: looking it up is done before.
    pub(crate) program: OsString,
    /// Beginning with the name by which the program is called.
    pub(crate) args: Vec<OsString>,
    pub(crate) env: Vec<(OsString, OsString)>,
    pub(crate) cwd: Option<OsString>,
    pub(crate) grace: Duration,
}

impl Request {
    fn encode(&self) -> Vec<u8> {
        let mut out = Vec::new();
        let grace_ms = u64::try_from(self.grace.as_millis()).unwrap_or(u64::MAX);
        out.extend_from_slice(&grace_ms.to_le_bytes());
        put(&mut out, &self.program);
        put(&mut out, self.cwd.as_deref().unwrap_or_default());
        put_count(&mut out, self.args.len());
        self.args.iter().for_each(|arg| put(&mut out, arg));
        put_count(&mut out, self.env.len());
        for (name, value) in &self.env {
            put(&mut out, name);
            put(&mut out, value);
        }
        out
    }

    fn decode(mut bytes: &[u8]) -> Option<Request> {
        let input = &mut bytes;
        let grace = Duration::from_millis(u64::from_le_bytes(*input.split_off(..8)?.first_chunk()?));
        let program = take(input)?;
        let cwd = Some(take(input)?).filter(|cwd| !cwd.is_empty());
        let args = (0..take_count(input)?).map(|_| take(input)).collect::<Option<_>>()?;
        let env =
            (0..take_count(input)?).map(|_| Some((take(input)?, take(input)?))).collect::<Option<_>>()?;
        input.is_empty().then_some(Request { program, args, env, cwd, grace })
    }
}

fn put_count(out: &mut Vec<u8>, count: usize) {
    let count = u32::try_from(count).unwrap_or(u32::MAX);
    out.extend_from_slice(&count.to_le_bytes());
}

fn put(out: &mut Vec<u8>, text: &OsStr) {
    put_count(out, text.len());
    out.extend_from_slice(text.as_bytes());
}

fn take_count(input: &mut &[u8]) -> Option<usize> {
    usize::try_from(u32::from_le_bytes(*input.split_off(..4)?.first_chunk()?)).ok()
}

fn take(input: &mut &[u8]) -> Option<OsString> {
    let length = take_count(input)?;
    Some(OsString::from_vec(input.split_off(..length)?.to_vec()))
}

/// What a supervisor reports, in the order in which it can happen.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Report {
    Started {
        pid: i32,
    },
    NotStarted {
        errno: i32,
    },
    /// The child is gone, but its descendants are still being ended.
    Exited,
    Done(Done),
}

/// How a call ended.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Done {
    pub(crate) code: Option<i32>,
    pub(crate) signal: Option<i32>,
    pub(crate) survivors: u32,
    /// A process that SIGKILL did not end.
    pub(crate) left: Option<i32>,
}

const FRAME_BYTES: usize = 16;

impl Report {
    fn encode(self) -> [u8; FRAME_BYTES] {
        let words = match self {
            Report::Started { pid } => [1, pid, 0, 0],
            Report::NotStarted { errno } => [2, errno, 0, 0],
            Report::Exited => [6, 0, 0, 0],
            Report::Done(done) => {
                let (kind, value) = match (done.code, done.signal) {
                    (Some(code), _) => (3, code),
                    (None, Some(signal)) => (4, signal),
                    (None, None) => (5, 0),
                };
                [kind, value, done.survivors.cast_signed(), done.left.unwrap_or(0)]
            }
        };
        let mut frame = [0; FRAME_BYTES];
        for (slot, word) in frame.chunks_exact_mut(4).zip(words) {
            slot.copy_from_slice(&word.to_le_bytes());
        }
        frame
    }

    fn decode(frame: [u8; FRAME_BYTES]) -> Option<Report> {
        let (words, _) = frame.as_chunks::<4>();
        let word = |at: usize| i32::from_le_bytes(words[at]);
        let done = Done {
            code: (word(0) == 3).then(|| word(1)),
            signal: (word(0) == 4).then(|| word(1)),
            survivors: word(2).cast_unsigned(),
            left: Some(word(3)).filter(|pid| *pid != 0),
        };
        match word(0) {
            1 => Some(Report::Started { pid: word(1) }),
            2 => Some(Report::NotStarted { errno: word(1) }),
            6 => Some(Report::Exited),
            3..=5 => Some(Report::Done(done)),
            _ => None,
        }
    }
}

fn malformed() -> io::Error {
    io::Error::new(io::ErrorKind::InvalidData, "malformed message on the supervisor socket")
}

/// Sends all bytes without ever raising SIGPIPE.
fn send_all(socket: &UnixStream, mut bytes: &[u8]) -> io::Result<()> {
    while !bytes.is_empty() {
        match send(socket, bytes, NO_SIGNAL) {
            Ok(sent) => bytes = &bytes[sent..],
            Err(rustix::io::Errno::INTR) => {}
            Err(error) => return Err(error.into()),
        }
    }
    Ok(())
}

/// Sends a request; the descriptors travel with its length.
pub(crate) fn send_request(
    socket: &UnixStream,
    request: &Request,
    descriptors: Descriptors<BorrowedFd<'_>>,
) -> io::Result<()> {
    let body = request.encode();
    if body.len() > MAX_REQUEST_BYTES {
        return Err(rustix::io::Errno::TOOBIG.into());
    }
    let mut head = Vec::new();
    put_count(&mut head, body.len());
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
    let mut ancillary = SendAncillaryBuffer::new(&mut space);
    ancillary.push(SendAncillaryMessage::ScmRights(&descriptors));
    let sent =
        rustix::io::retry_on_intr(|| sendmsg(socket, &[IoSlice::new(&head)], &mut ancillary, NO_SIGNAL))?;
    send_all(socket, &head[sent..])?;
    send_all(socket, &body)
}

/// Receives the next request; none when the other side is gone.
pub(crate) fn receive_request(
    mut socket: &UnixStream,
) -> io::Result<Option<(Request, Descriptors<OwnedFd>)>> {
    let mut space = [MaybeUninit::uninit(); cmsg_space!(ScmRights(3))];
    let mut ancillary = RecvAncillaryBuffer::new(&mut space);
    let mut head = [0; 4];
    let received = rustix::io::retry_on_intr(|| {
        recvmsg(socket.as_fd(), &mut [IoSliceMut::new(&mut head)], &mut ancillary, CLOSE_ON_EXEC)
    })?;
    if received.bytes == 0 {
        return Ok(None);
    }
    let mut descriptors = Vec::new();
    for message in ancillary.drain() {
        if let RecvAncillaryMessage::ScmRights(received) = message {
            descriptors.extend(received);
        }
    }
    #[cfg(target_vendor = "apple")]
    for descriptor in &descriptors {
        rustix::io::fcntl_setfd(descriptor, rustix::io::FdFlags::CLOEXEC)?;
    }
    socket.read_exact(&mut head[received.bytes..])?;
    let length = usize::try_from(u32::from_le_bytes(head)).unwrap_or(usize::MAX);
    if length > MAX_REQUEST_BYTES {
        return Err(malformed());
    }
    let mut body = vec![0; length];
    socket.read_exact(&mut body)?;
    let request = Request::decode(&body).ok_or_else(malformed)?;
    Ok(Some((request, descriptors.try_into().map_err(|_| malformed())?)))
}

/// Asks the supervisor to end the call.
pub(crate) fn send_end(socket: &UnixStream) -> io::Result<()> {
    send_all(socket, &[END])
}

/// Sends a report.
pub(crate) fn send_report(socket: &UnixStream, report: Report) -> io::Result<()> {
    send_all(socket, &report.encode())
}

/// Receives a report; fails when the supervisor is gone.
pub(crate) fn receive_report(mut socket: &UnixStream) -> io::Result<Report> {
    let mut frame = [0; FRAME_BYTES];
    socket.read_exact(&mut frame)?;
    Report::decode(frame).ok_or_else(malformed)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn request() -> Request {
        Request {
            program: "/bin/echo".into(),
            args: vec!["echo".into(), "".into(), OsString::from_vec(vec![0xff, b'\n'])],
            env: vec![("A".into(), "b=c".into()), ("EMPTY".into(), "".into())],
            cwd: None,
            grace: Duration::from_millis(2000),
        }
    }

    #[test]
    fn a_request_arrives_as_it_was_sent_with_its_descriptors() {
        let (ours, theirs) = UnixStream::pair().unwrap();
        let (reader, writer) = std::io::pipe().unwrap();
        send_request(&ours, &request(), [reader.as_fd(), writer.as_fd(), writer.as_fd()]).unwrap();
        drop((ours, reader, writer));
        let (received, [stdin, stdout, stderr]) = receive_request(&theirs).unwrap().unwrap();
        assert_eq!(received, request());
        drop(stderr);
        rustix::io::write(&stdout, b"x").unwrap();
        let mut byte = [0];
        assert_eq!(rustix::io::read(&stdin, &mut byte).unwrap(), 1);
        assert!(receive_request(&theirs).unwrap().is_none());
    }

    #[test]
    fn no_prefix_of_a_request_is_a_request() {
        let whole = request().encode();
        for length in 0..whole.len() {
            assert_eq!(Request::decode(&whole[..length]), None, "{length} bytes");
        }
    }

    #[test]
    fn reports_survive_the_trip() {
        let done = Done { survivors: 3, ..Done::default() };
        for report in [
            Report::Started { pid: 7 },
            Report::NotStarted { errno: 2 },
            Report::Exited,
            Report::Done(Done { code: Some(-1), ..done }),
            Report::Done(Done { signal: Some(9), left: Some(5), ..done }),
            Report::Done(done),
        ] {
            assert_eq!(Report::decode(report.encode()), Some(report));
        }
        assert_eq!(Report::decode([0; FRAME_BYTES]), None);
    }
}
