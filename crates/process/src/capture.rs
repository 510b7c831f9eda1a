//! Keeping the head and the tail of a stream within a fixed amount of memory.

use std::collections::VecDeque;
use std::io::Write;

use crate::command::{Copy, Output};

/// What was kept of one stream.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Captured {
    pub head: Vec<u8>,
    /// What follows the head, after the dropped bytes if there are any.
    pub tail: Vec<u8>,
    /// Bytes between head and tail that were not kept.
    pub dropped: u64,
}

impl Captured {
    /// Tells whether something is missing between head and tail.
    pub fn is_truncated(&self) -> bool {
        self.dropped > 0
    }

    /// Returns how many bytes the child wrote.
    pub fn total_bytes(&self) -> u64 {
        (self.head.len() + self.tail.len()) as u64 + self.dropped
    }

    /// Returns the bytes kept, without a mark where some are missing.
    pub fn into_bytes(self) -> Vec<u8> {
        let mut bytes = self.head;
        bytes.extend_from_slice(&self.tail);
        bytes
    }

    /// Returns the stream as text: invalid UTF-8 replaced, a line of its own where bytes are missing.
    pub fn text(&self) -> String {
        if !self.is_truncated() {
            let whole = [self.head.as_slice(), &self.tail].concat();
            return String::from_utf8_lossy(&whole).into_owned();
        }
        let head = without_cut_end(&self.head);
        let tail = without_cut_start(&self.tail);
        let dropped = self.total_bytes() - (head.len() + tail.len()) as u64;
        format!(
            "{}\n[… {dropped} bytes truncated …]\n{}",
            String::from_utf8_lossy(head),
            String::from_utf8_lossy(tail)
        )
    }
}

/// Drops the beginning of a character whose rest was cut off.
fn without_cut_end(bytes: &[u8]) -> &[u8] {
    let continuation = bytes.iter().rev().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    let Some(lead_at) = bytes.len().checked_sub(continuation + 1) else {
        return bytes;
    };
    let length = match bytes[lead_at] {
        0xC0..=0xDF => 2,
        0xE0..=0xEF => 3,
        0xF0..=0xF7 => 4,
        _ => 1,
    };
    if continuation + 1 < length { &bytes[..lead_at] } else { bytes }
}

/// Drops the end of a character whose beginning was cut off.
fn without_cut_start(bytes: &[u8]) -> &[u8] {
    let cut = bytes.iter().take(3).take_while(|byte| **byte & 0xC0 == 0x80).count();
    &bytes[cut..]
}

/// A stream being captured.
pub(crate) struct Capture {
    head: Vec<u8>,
    head_bytes: usize,
    tail: VecDeque<u8>,
    tail_bytes: usize,
    dropped: u64,
    copy: Option<Copy>,
}

impl Capture {
    pub(crate) fn new(rule: &Output) -> Capture {
        Capture {
            head: Vec::new(),
            head_bytes: rule.head_bytes,
            tail: VecDeque::new(),
            tail_bytes: rule.tail_bytes,
            dropped: 0,
            copy: rule.copy.clone(),
        }
    }

    pub(crate) fn push(&mut self, chunk: &[u8]) {
        self.write_copy(chunk);
        let room = self.head_bytes - self.head.len();
        let (to_head, rest) = chunk.split_at(room.min(chunk.len()));
        self.head.extend_from_slice(to_head);
        let excess = (self.tail.len() + rest.len()).saturating_sub(self.tail_bytes);
        let from_tail = excess.min(self.tail.len());
        self.tail.drain(..from_tail);
        self.tail.extend(&rest[excess - from_tail..]);
        self.dropped += excess as u64;
    }

    /// A copy that cannot be written is given up with a warning: the run itself is not at fault.
    fn write_copy(&mut self, chunk: &[u8]) {
        let Some(copy) = &mut self.copy else { return };
        let fitting = chunk.len().min(usize::try_from(copy.limit_bytes).unwrap_or(usize::MAX));
        copy.limit_bytes -= fitting as u64;
        if let Err(error) = (&*copy.file).write_all(&chunk[..fitting]) {
            tracing::warn!(%error, "could not copy the output of a program to its file");
            self.copy = None;
        }
    }

    pub(crate) fn finish(self) -> Captured {
        Captured { head: self.head, tail: self.tail.into(), dropped: self.dropped }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capture(head_bytes: usize, tail_bytes: usize, chunks: &[&str]) -> Captured {
        let mut capture = Capture::new(&Output { head_bytes, tail_bytes, copy: None });
        for chunk in chunks {
            capture.push(chunk.as_bytes());
        }
        capture.finish()
    }

    #[test]
    fn a_short_stream_is_kept_whole() {
        let captured = capture(4, 4, &["ab", "cdef", "gh"]);
        assert_eq!((captured.dropped, captured.text().as_str()), (0, "abcdefgh"));
    }

    #[test]
    fn a_long_stream_keeps_head_and_tail_however_it_was_cut() {
        for chunks in [&["abcdefghij"][..], &["abc", "defg", "hij"], &["a", "b", "cdefghi", "j"]] {
            let captured = capture(3, 2, chunks);
            assert_eq!(captured, Captured { head: b"abc".to_vec(), tail: b"ij".to_vec(), dropped: 5 });
            assert_eq!(captured.total_bytes(), 10);
            assert_eq!(captured.text(), "abc\n[… 5 bytes truncated …]\nij");
        }
    }

    #[test]
    fn a_character_cut_by_the_cap_is_dropped_not_mangled() {
        let captured = capture(4, 4, &["aéé....éé€"]);
        assert_eq!(captured.text(), "aé\n[… 10 bytes truncated …]\n€");
        let captured = capture(4, 0, &["€éé"]);
        assert_eq!(captured.text(), "€\n[… 4 bytes truncated …]\n");
    }

    #[test]
    fn invalid_bytes_become_replacement_characters() {
        let captured = Captured { head: b"a\xffb".to_vec(), ..Captured::default() };
        assert_eq!(captured.text(), "a\u{fffd}b");
    }

    #[test]
    fn the_copy_stops_at_its_limit() {
        let file = tempfile::NamedTempFile::new().unwrap();
        let rule = Output::capped(2).copied_to(file.reopen().unwrap(), 5);
        let mut capture = Capture::new(&rule);
        capture.push(b"abc");
        capture.push(b"defg");
        assert_eq!(std::fs::read(file.path()).unwrap(), b"abcde");
    }
}
