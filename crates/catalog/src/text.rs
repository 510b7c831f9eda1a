//! Text rules that existing catalogs were written with: those of JavaScript strings.

/// Removes outer white space as JavaScript's `trim` does.
///
/// Unlike Rust's `trim` it takes the byte order mark and leaves U+0085.
pub fn js_trim(text: &str) -> &str {
    text.trim_matches(|c: char| matches!(c, '\u{FEFF}') || (c.is_whitespace() && c != '\u{85}'))
}

/// Lower case of any script.
pub fn lower(text: &str) -> String {
    match text.is_ascii() {
        true => text.to_ascii_lowercase(),
        false => text.to_lowercase(),
    }
}

/// Length in UTF-16 units, which is what JavaScript counts.
pub fn utf16_len(text: &str) -> usize {
    text.chars().map(char::len_utf16).sum()
}

/// The first `units` UTF-16 units. Half a surrogate pair becomes U+FFFD, as it does when JavaScript hashes it.
fn utf16_prefix(text: &str, units: usize) -> String {
    let units: Vec<u16> = text.encode_utf16().take(units).collect();
    String::from_utf16_lossy(&units)
}

/// The one-line summary of a body: its first line, at most 160 units.
pub fn summary_of(body: &str) -> String {
    let line = js_trim(body).split('\n').next().unwrap_or_default();
    let line = line.strip_suffix('\r').unwrap_or(line);
    match utf16_len(line) > 160 {
        true => format!("{}...", utf16_prefix(line, 157)),
        false => line.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn trim_follows_javascript() {
        assert_eq!(js_trim("\u{FEFF}\t a \u{3000}\u{2028}\n"), "a");
        assert_eq!(js_trim("\u{85}a"), "\u{85}a");
    }

    #[test]
    fn summary_is_the_first_line_cut_at_160_units() {
        assert_eq!(summary_of("  one\r\ntwo"), "one");
        assert_eq!(summary_of(&"x".repeat(160)), "x".repeat(160));
        assert_eq!(summary_of(&"x".repeat(161)), format!("{}...", "x".repeat(157)));
        assert_eq!(summary_of(&"😀".repeat(100)), format!("{}\u{FFFD}...", "😀".repeat(78)));
    }
}
