//! Cutting stdin into messages: lines, or `Content-Length` frames on the legacy transport.

use std::io::{self, Read};

use crate::identity::Transport;

/// The longest message accepted; a longer one is skipped without being kept in memory.
pub const MAX_MESSAGE_BYTES: usize = 16 << 20;
const CHUNK_BYTES: usize = 64 << 10;
const MAX_HEADER_BYTES: usize = 8 << 10;

/// How messages are told apart.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Framing {
    Lines,
    ContentLength,
}

impl Framing {
    pub fn of(transport: Transport) -> Framing {
        match transport {
            Transport::Sdk => Framing::Lines,
            Transport::Legacy => Framing::ContentLength,
        }
    }

    /// A message as it goes over the wire.
    pub fn framed(self, message: &[u8]) -> Vec<u8> {
        match self {
            Framing::Lines => [message, b"\n"].concat(),
            Framing::ContentLength => {
                [format!("Content-Length: {}\r\n\r\n", message.len()).as_bytes(), message].concat()
            }
        }
    }
}

/// One thing read from the client.
#[derive(Debug, PartialEq, Eq)]
pub enum Frame<'a> {
    Message(&'a [u8]),
    /// A message over the limit was skipped.
    Oversized,
    /// A legacy header that says no length.
    BadHeader,
}

/// Reads messages from a byte stream with one growing buffer.
pub struct Reader<R> {
    input: R,
    framing: Framing,
    buffer: Vec<u8>,
    /// Start of what has not been handed out.
    start: usize,
    /// How far the unfinished line has been searched for its end.
    searched: usize,
    /// Bytes of an oversized message still to be thrown away; `None` when there is none.
    skipping: Option<Skip>,
    max_bytes: usize,
    /// Whether a last line without its end is a message.
    takes_rest: bool,
}

enum Skip {
    ToNewline,
    Bytes(usize),
}

impl<R: Read> Reader<R> {
    pub fn new(input: R, framing: Framing) -> Reader<R> {
        Reader {
            input,
            framing,
            buffer: Vec::new(),
            start: 0,
            searched: 0,
            skipping: None,
            max_bytes: MAX_MESSAGE_BYTES,
            takes_rest: true,
        }
    }

    /// Reads what a server of ours sends: of any length, and never half a message.
    pub fn of_server(input: R, framing: Framing) -> Reader<R> {
        Reader { max_bytes: usize::MAX, takes_rest: false, ..Reader::new(input, framing) }
    }

    /// Returns the next message, or `None` at the end of input. `before_wait` runs whenever the
    /// reader is about to wait for the client.
    pub fn next(&mut self, before_wait: impl Fn()) -> io::Result<Option<Frame<'_>>> {
        loop {
            match self.cut() {
                Cut::Message(from, to) => return Ok(Some(Frame::Message(&self.buffer[from..to]))),
                Cut::Oversized => return Ok(Some(Frame::Oversized)),
                Cut::BadHeader => return Ok(Some(Frame::BadHeader)),
                Cut::NeedMore => {}
            }
            before_wait();
            if self.fill()? == 0 {
                return Ok(self.rest());
            }
        }
    }

    /// The last line may lack its newline.
    fn rest(&mut self) -> Option<Frame<'_>> {
        let from = std::mem::replace(&mut self.start, self.buffer.len());
        let is_line = self.framing == Framing::Lines && self.takes_rest;
        let unfinished = is_line && self.skipping.is_none() && from < self.buffer.len();
        unfinished.then(|| Frame::Message(&self.buffer[from..]))
    }

    fn fill(&mut self) -> io::Result<usize> {
        if self.start > 0 {
            self.buffer.drain(..self.start);
            self.searched -= self.start.min(self.searched);
            self.start = 0;
        }
        if self.buffer.capacity() > MAX_MESSAGE_BYTES / 4 && self.buffer.len() < CHUNK_BYTES {
            self.buffer.shrink_to(CHUNK_BYTES * 2);
        }
        let old = self.buffer.len();
        self.buffer.resize(old + CHUNK_BYTES, 0);
        let read = loop {
            match self.input.read(&mut self.buffer[old..]) {
                Err(error) if error.kind() == io::ErrorKind::Interrupted => {}
                other => break other,
            }
        };
        self.buffer.truncate(old + *read.as_ref().unwrap_or(&0));
        read
    }

    fn cut(&mut self) -> Cut {
        match self.framing {
            Framing::Lines => self.cut_line(),
            Framing::ContentLength => self.cut_frame(),
        }
    }

    fn cut_line(&mut self) -> Cut {
        let from = self.searched.max(self.start);
        let Some(found) = memchr::memchr(b'\n', &self.buffer[from..]) else {
            self.searched = self.buffer.len();
            if self.skipping.is_some() || self.buffer.len() - self.start > self.max_bytes {
                self.skipping = Some(Skip::ToNewline);
                self.start = self.buffer.len();
            }
            return Cut::NeedMore;
        };
        let (line_start, end) = (self.start, from + found);
        self.start = end + 1;
        self.searched = self.start;
        match self.skipping.take() {
            Some(_) => Cut::Oversized,
            None => Cut::Message(line_start, end),
        }
    }

    fn cut_frame(&mut self) -> Cut {
        let available = self.buffer.len() - self.start;
        if let Some(Skip::Bytes(left)) = self.skipping {
            let skipped = left.min(available);
            self.start += skipped;
            self.skipping = (left > skipped).then_some(Skip::Bytes(left - skipped));
            return if self.skipping.is_none() { Cut::Oversized } else { Cut::NeedMore };
        }
        let Some(header) = memchr::memmem::find(&self.buffer[self.start..], b"\r\n\r\n") else {
            if available > MAX_HEADER_BYTES {
                self.start = self.buffer.len();
                return Cut::BadHeader;
            }
            return Cut::NeedMore;
        };
        let body = self.start + header + 4;
        let Some(length) = content_length(&self.buffer[self.start..body]) else {
            self.start = body;
            return Cut::BadHeader;
        };
        if length > self.max_bytes {
            self.start = body;
            self.skipping = Some(Skip::Bytes(length));
            return self.cut_frame();
        }
        if self.buffer.len() < body + length {
            return Cut::NeedMore;
        }
        self.start = body + length;
        Cut::Message(body, body + length)
    }
}

enum Cut {
    Message(usize, usize),
    Oversized,
    BadHeader,
    NeedMore,
}

fn content_length(header: &[u8]) -> Option<usize> {
    let header = std::str::from_utf8(header).ok()?;
    header.split("\r\n").find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.trim().eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Hands out at most `step` bytes a read.
    struct Slow<'a>(&'a [u8], usize);

    impl Read for Slow<'_> {
        fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
            let count = self.0.len().min(self.1).min(buffer.len());
            buffer[..count].copy_from_slice(&self.0[..count]);
            self.0 = &self.0[count..];
            Ok(count)
        }
    }

    fn check(input: &[u8], framing: Framing, expected: &[&[u8]]) {
        for step in [1, 3, 1 << 20] {
            let mut reader = Reader::new(Slow(input, step), framing);
            for message in expected {
                assert_eq!(reader.next(|| ()).unwrap(), Some(Frame::Message(message)), "step {step}");
            }
            assert_eq!(reader.next(|| ()).unwrap(), None);
        }
    }

    #[test]
    fn lines_are_cut_whatever_the_reads() {
        check(b"one\ntwo\r\n\nlast", Framing::Lines, &[b"one", b"two\r", b"", b"last"]);
    }

    #[test]
    fn frames_are_cut_by_their_length_in_bytes() {
        let input = "Content-Length: 3\r\n\r\nabcX-Other: 1\r\ncontent-length:  2\r\n\r\n\u{e9}".as_bytes();
        check(input, Framing::ContentLength, &[b"abc", "\u{e9}".as_bytes()]);
    }

    #[test]
    fn an_endless_line_is_skipped_in_bounded_memory() {
        let mut input = vec![b'y'; MAX_MESSAGE_BYTES * 2];
        input.extend_from_slice(b"\nnext\n");
        let mut reader = Reader::new(Slow(&input, 1 << 20), Framing::Lines);
        assert_eq!(reader.next(|| ()).unwrap(), Some(Frame::Oversized));
        assert!(reader.buffer.capacity() < MAX_MESSAGE_BYTES * 3);
        assert_eq!(reader.next(|| ()).unwrap(), Some(Frame::Message(b"next")));
    }

    #[test]
    fn a_header_without_length_is_reported() {
        let mut reader =
            Reader::new(&b"Foo: 1\r\n\r\nContent-Length: 1\r\n\r\nx"[..], Framing::ContentLength);
        assert_eq!(reader.next(|| ()).unwrap(), Some(Frame::BadHeader));
        assert_eq!(reader.next(|| ()).unwrap(), Some(Frame::Message(b"x")));
    }
}
