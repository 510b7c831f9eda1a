//! From bytes to text: UTF-8 as it is, UTF-16 and legacy encodings decoded, binaries refused.

use std::borrow::Cow;

/// Why a file has no text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Binary;

/// Decodes a file. Offsets in answers count bytes of the decoded text, which for UTF-8 are those of the file.
pub(crate) fn decode(bytes: &[u8]) -> Result<Cow<'_, str>, Binary> {
    if let Some((encoding, _)) = encoding_rs::Encoding::for_bom(bytes) {
        return Ok(encoding.decode_with_bom_removal(bytes).0);
    }
    let head = &bytes[..bytes.len().min(8 * 1024)];
    if memchr::memchr(0, head).is_some() {
        return utf16_without_mark(bytes, head).ok_or(Binary);
    }
    match std::str::from_utf8(bytes) {
        Ok(text) => Ok(Cow::Borrowed(text)),
        Err(_) if is_mostly_control(head) => Err(Binary),
        Err(_) => Ok(encoding_rs::WINDOWS_1252.decode_without_bom_handling(bytes).0),
    }
}

/// Decodes bytes that are no longer needed, without copying where they are UTF-8 already.
pub(crate) fn decode_owned(bytes: Vec<u8>) -> Result<String, Binary> {
    match decode(&bytes)? {
        Cow::Owned(text) => Ok(text),
        Cow::Borrowed(text) if text.len() < bytes.len() => Ok(text.to_owned()),
        Cow::Borrowed(_) => String::from_utf8(bytes).map_err(|_| Binary),
    }
}

/// UTF-16 of mostly Latin text has a zero in nearly every second byte, always on the same side.
fn utf16_without_mark<'b>(bytes: &'b [u8], head: &[u8]) -> Option<Cow<'b, str>> {
    let zeros = |offset: usize| head.iter().skip(offset).step_by(2).filter(|byte| **byte == 0).count();
    let half = head.len() / 2;
    let encoding = match (zeros(0), zeros(1)) {
        (0, odd) if odd * 10 > half * 9 => encoding_rs::UTF_16LE,
        (even, 0) if even * 10 > half * 9 => encoding_rs::UTF_16BE,
        _ => return None,
    };
    Some(encoding.decode_without_bom_handling(bytes).0)
}

fn is_mostly_control(head: &[u8]) -> bool {
    let control = head
        .iter()
        .filter(|byte| **byte < 32 && !matches!(byte, b'\n' | b'\r' | b'\t' | 0x0C | 0x1B))
        .count();
    control * 50 > head.len()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn common_encodings_read_as_text() {
        let utf16: Vec<u8> =
            [0xFF, 0xFE].into_iter().chain("fn größe".encode_utf16().flat_map(u16::to_le_bytes)).collect();
        assert_eq!(decode(&utf16).unwrap(), "fn größe");
        let bare: Vec<u8> = "plain text".encode_utf16().flat_map(u16::to_le_bytes).collect();
        assert_eq!(decode(&bare).unwrap(), "plain text");
        assert_eq!(decode(b"\xEF\xBB\xBFmarked").unwrap(), "marked");
        assert_eq!(decode(b"caf\xE9").unwrap(), "café");
        assert_eq!(decode(b"\x7FELF\x00\x01\x02\x00"), Err(Binary));
    }
}
