//! Variable-length numbers and strings; reading never trusts what it reads.

use crate::error::Damaged;

pub(crate) fn put(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

pub(crate) fn put_str(out: &mut Vec<u8>, text: &str) {
    put(out, text.len() as u64);
    out.extend_from_slice(text.as_bytes());
}

/// Reads forward through bytes.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Reader<'b> {
    bytes: &'b [u8],
}

impl<'b> Reader<'b> {
    pub fn new(bytes: &'b [u8]) -> Reader<'b> {
        Reader { bytes }
    }

    pub fn is_empty(&self) -> bool {
        self.bytes.is_empty()
    }

    #[inline]
    pub fn number(&mut self) -> Result<u64, Damaged> {
        let mut value = 0u64;
        for (at, byte) in self.bytes.iter().enumerate().take(10) {
            value |= u64::from(byte & 0x7F) << (7 * at as u32).min(63);
            if byte & 0x80 == 0 {
                self.bytes = &self.bytes[at + 1..];
                return Ok(value);
            }
        }
        Err(Damaged("a number does not end"))
    }

    #[inline]
    pub fn number32(&mut self) -> Result<u32, Damaged> {
        u32::try_from(self.number()?).map_err(|_| Damaged("a number is too large"))
    }

    pub fn take(&mut self, count: usize) -> Result<&'b [u8], Damaged> {
        if count > self.bytes.len() {
            return Err(Damaged("a record ends early"));
        }
        let (head, tail) = self.bytes.split_at(count);
        self.bytes = tail;
        Ok(head)
    }

    pub fn byte(&mut self) -> Result<u8, Damaged> {
        self.take(1).map(|bytes| bytes[0])
    }

    pub fn string(&mut self) -> Result<&'b str, Damaged> {
        let length = self.number()?;
        let bytes = self.take(usize::try_from(length).map_err(|_| Damaged("a string is too long"))?)?;
        std::str::from_utf8(bytes).map_err(|_| Damaged("a string is not UTF-8"))
    }
}

/// The `index`-th little-endian number of four bytes.
#[inline]
pub(crate) fn u32_at(bytes: &[u8], index: usize) -> Result<u32, Damaged> {
    let slice = bytes.get(index * 4..index * 4 + 4).ok_or(Damaged("a column ends early"))?;
    Ok(u32::from_le_bytes([slice[0], slice[1], slice[2], slice[3]]))
}
