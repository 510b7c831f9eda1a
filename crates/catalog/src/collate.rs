//! The order of ids that both hashes depend on.
//!
//! Existing catalogs were hashed with JavaScript's `localeCompare`, which is collation order, not code points:
//! over the characters an id may hold that is `_` < `-` < digits < letters.

use std::cmp::Ordering;

/// Compares two ids in collation order.
pub fn compare(left: &str, right: &str) -> Ordering {
    left.bytes().map(rank).cmp(right.bytes().map(rank))
}

fn rank(byte: u8) -> u8 {
    match byte {
        b'_' => 0,
        b'-' => 1,
        // Digits already sort before letters.
        _ => byte,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn underscore_then_hyphen_then_digits_then_letters() {
        let mut ids = ["ab", "a1", "a-b", "a-9", "a-10", "a_b", "a"];
        ids.sort_by(|a, b| compare(a, b));
        assert_eq!(ids, ["a", "a_b", "a-10", "a-9", "a-b", "a1", "ab"]);
    }
}
