//! Case-blind substring search that keeps no second copy of the texts.
//!
//! Each entry has a small filter of the three-byte sequences of its lower-cased texts. A search asks the filter first
//! and reads the few texts that may match, so that most of the catalog's text is never touched.

use memchr::{memchr2_iter, memmem};

use crate::text::lower;

/// Most bits of one filter; a longer text is read whenever it is asked for.
const MAX_BITS: usize = 1 << 16;

/// The three-byte sequences of some texts, with false positives.
#[derive(Debug, Clone)]
pub struct Filter(Box<[u64]>);

impl Filter {
    pub fn of(texts: [&str; 2]) -> Filter {
        let len = texts[0].len() + texts[1].len();
        let bits = len.next_power_of_two().clamp(256, MAX_BITS);
        let mut words = vec![0u64; bits / 64].into_boxed_slice();
        let mut fill = |bytes: &[u8]| {
            for part in bytes.windows(3) {
                let bit = place(
                    [
                        part[0].to_ascii_lowercase(),
                        part[1].to_ascii_lowercase(),
                        part[2].to_ascii_lowercase(),
                    ],
                    bits,
                );
                words[bit / 64] |= 1 << (bit % 64);
            }
        };
        for text in texts {
            match text.is_ascii() {
                true => fill(text.as_bytes()),
                false => fill(lower(text).as_bytes()),
            }
        }
        Filter(words)
    }
}

fn place(part: [u8; 3], bits: usize) -> usize {
    let key = u32::from_le_bytes([part[0], part[1], part[2], 0]);
    // Multiplying by the golden ratio spreads neighbours; the high bits are the mixed ones.
    (key.wrapping_mul(0x9E37_79B1) >> 16) as usize & (bits - 1)
}

/// A text to look for.
pub struct Needle {
    folded: String,
    /// Position of the byte least likely to occur by chance, and its two cases.
    anchor: Option<(usize, u8, u8)>,
}

impl Needle {
    pub fn new(text: &str) -> Needle {
        let folded = lower(text);
        let anchor = folded.bytes().enumerate().min_by_key(|(_, byte)| commonness(*byte));
        let anchor = anchor.map(|(at, byte)| (at, byte, byte.to_ascii_uppercase()));
        Needle { folded, anchor }
    }

    /// Whether the filter rules every text of its entry out.
    pub fn is_ruled_out(&self, filter: &Filter) -> bool {
        let bits = filter.0.len() * 64;
        let missing = |part: &[u8]| {
            let bit = place([part[0], part[1], part[2]], bits);
            filter.0[bit / 64] & (1 << (bit % 64)) == 0
        };
        self.folded.as_bytes().windows(3).any(missing)
    }

    pub fn is_in(&self, text: &str) -> bool {
        let Some((at, low, high)) = self.anchor else { return true };
        if !text.is_ascii() {
            return memmem::find(lower(text).as_bytes(), self.folded.as_bytes()).is_some();
        }
        let (text, folded) = (text.as_bytes(), self.folded.as_bytes());
        memchr2_iter(low, high, text).any(|found| {
            let window = found.checked_sub(at).and_then(|start| text.get(start..start + folded.len()));
            window.is_some_and(|window| window.eq_ignore_ascii_case(folded))
        })
    }
}

/// A rough order of bytes in prose and code, rare first.
fn commonness(byte: u8) -> u8 {
    match byte {
        b' ' | b'e' | b't' | b'a' | b'o' | b'i' | b'n' | b's' | b'r' => 4,
        b'h' | b'l' | b'd' | b'c' | b'u' | b'm' | b'p' | b'\n' => 3,
        b'f' | b'g' | b'y' | b'w' | b'b' | b'v' | b'.' | b',' | b'-' => 2,
        b'k' | b'x' | b'0'..=b'9' => 1,
        _ => 0,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn filter_and_search_agree_with_the_plain_way() {
        let texts = [
            "",
            "a",
            "Deploy the Release",
            "Straße ÄÖÜ ΑΣ",
            "xxDEPLOYxx",
            "İstanbul",
            "\u{212A}elvin",
            "aab aaab",
        ];
        let needles = [
            "", "a", "de", "deploy", "DEPLOY", "straSSe", "straße", "äöü", "ας", "i̇st", "kelvin", "aaab",
            "release!", "ß",
        ];
        for text in texts {
            for needle in needles {
                let plain = lower(text).contains(&lower(needle));
                let made = Needle::new(needle);
                assert_eq!(made.is_in(text), plain, "{needle} in {text}");
                let filter = Filter::of(["title", text]);
                assert!(!(plain && made.is_ruled_out(&filter)), "{needle} is in {text}, the filter says no");
            }
        }
    }

    #[test]
    fn the_filter_rules_most_texts_out() {
        let body: String = (0..100).map(|n| format!("word{n} goes there ")).collect();
        let filter = Filter::of(["Some title", &body]);
        let out = ["zebra crossing", "kubernetes", "quarterly", "xylophone"]
            .iter()
            .filter(|text| Needle::new(text).is_ruled_out(&filter));
        assert_eq!(out.count(), 4);
    }
}
