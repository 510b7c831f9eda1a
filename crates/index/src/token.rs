//! Words of code and prose: identifiers are split, lower-cased and lightly stemmed.
//!
//! `parseQueryString` is indexed as `parsequerystring` and as its words `pars`, `quer`, `str…`; a query goes through
//! the same function, so both sides always agree. Case and exact spelling are the business of literal queries.

/// Longer words are data (base64, minified names), not words. They stay findable as literals.
const MAX_WORD_BYTES: usize = 64;

/// Calls `found` with every identifier-like run of `text` and its offset.
pub(crate) fn words<'t>(text: &'t str, mut found: impl FnMut(usize, &'t str)) {
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        if !WORD[bytes[at] as usize] {
            at += 1;
            continue;
        }
        let start = at;
        let mut plain = true;
        while at < bytes.len() && WORD[bytes[at] as usize] {
            plain &= bytes[at] < 0x80;
            at += 1;
        }
        if plain {
            found(start, &text[start..at]);
        } else {
            wide_words(start, &text[start..at], &mut found);
        }
    }
}

/// Letters, digits, `_`, and every byte of a non-ASCII character.
static WORD: [bool; 256] = {
    let mut table = [false; 256];
    let mut byte = 0;
    while byte < 256 {
        let b = byte as u8;
        table[byte] = b.is_ascii_alphanumeric() || b == b'_' || b >= 0x80;
        byte += 1;
    }
    table
};

/// Splits a run with non-ASCII characters at those that are not letters or digits (quotes, dashes, arrows).
fn wide_words<'t>(offset: usize, run: &'t str, found: &mut impl FnMut(usize, &'t str)) {
    let mut start = None;
    for (at, letter) in run.char_indices() {
        match (letter.is_alphanumeric() || letter == '_', start) {
            (true, None) => start = Some(at),
            (false, Some(from)) => {
                found(offset + from, &run[from..at]);
                start = None;
            }
            _ => {}
        }
    }
    if let Some(from) = start {
        found(offset + from, &run[from..]);
    }
}

/// Calls `term` with every index term of one word.
pub(crate) fn terms(word: &str, mut term: impl FnMut(&str)) {
    if word.len() > MAX_WORD_BYTES || looks_like_a_hash(word) {
        return;
    }
    if word.chars().any(is_cjk) {
        return bigrams(word, &mut term);
    }
    let mut whole = String::with_capacity(word.len());
    let mut parts = 0;
    for part in split(word) {
        let lower = part.to_lowercase();
        whole.push_str(&lower);
        if lower.len() > 1 {
            parts += 1;
            term(stem(&lower));
        }
    }
    if (parts > 1 || parts == 0 && !whole.is_empty()) && whole.len() <= MAX_WORD_BYTES {
        term(&whole);
    }
}

/// Calls `part` with the stems an identifier consists of, without the whole.
pub(crate) fn parts(word: &str, mut part: impl FnMut(&str)) {
    if word.len() > MAX_WORD_BYTES || looks_like_a_hash(word) {
        return;
    }
    for piece in split(word) {
        let lower = piece.to_lowercase();
        if lower.len() > 1 {
            part(stem(&lower));
        }
    }
}

/// The spelling-independent form of a name: `parse_query`, `parseQuery` and `Parser::parse_query` are equal.
pub(crate) fn fold_name(name: &str) -> String {
    let last = name.rsplit(['.', ':', '/', '#']).find(|part| !part.is_empty()).unwrap_or(name);
    last.chars().filter(|letter| letter.is_alphanumeric()).flat_map(char::to_lowercase).collect()
}

/// Long mixtures of digits and letters name nothing.
fn looks_like_a_hash(word: &str) -> bool {
    if word.len() < 16 {
        return false;
    }
    let turns = word
        .as_bytes()
        .windows(2)
        .filter(|pair| pair[0].is_ascii_digit() != pair[1].is_ascii_digit())
        .count();
    turns * 4 >= word.len()
}

fn is_cjk(letter: char) -> bool {
    matches!(letter as u32, 0x3040..=0x30FF | 0x3400..=0x9FFF | 0xAC00..=0xD7AF | 0xF900..=0xFAFF | 0x20000..=0x2FA1F)
}

fn bigrams(word: &str, term: &mut impl FnMut(&str)) {
    let ends: Vec<usize> = word.char_indices().map(|(at, _)| at).chain([word.len()]).collect();
    if ends.len() == 2 {
        return term(word);
    }
    for window in ends.windows(3) {
        term(&word[window[0]..window[2]]);
    }
}

/// The words of an identifier: at `_`, at camel humps, before the last capital of an acronym (`HTTPServer`).
pub(crate) fn split(word: &str) -> impl Iterator<Item = &str> {
    word.split('_').filter(|part| !part.is_empty()).flat_map(humps)
}

fn humps(part: &str) -> impl Iterator<Item = &str> {
    let mut rest = part;
    std::iter::from_fn(move || {
        if rest.is_empty() {
            return None;
        }
        let end = hump_end(rest);
        let (head, tail) = rest.split_at(end);
        rest = tail;
        Some(head)
    })
}

fn hump_end(rest: &str) -> usize {
    let mut letters = rest.char_indices().peekable();
    let mut before: Option<char> = None;
    while let Some((at, letter)) = letters.next() {
        if let Some(previous) = before
            && letter.is_uppercase()
        {
            let next_is_lower = letters.peek().is_some_and(|(_, next)| next.is_lowercase());
            if !previous.is_uppercase() || next_is_lower {
                return at;
            }
        }
        before = Some(letter);
    }
    rest.len()
}

/// Removes common English endings, so that `cancelled`, `cancels`, `cancellation` and `cancel` meet.
///
/// Deliberately small: a stem shorter than three letters is never made, and what is wrong is wrong on both sides.
pub(crate) fn stem(word: &str) -> &str {
    if word.len() < 4 || !word.is_ascii() {
        return word;
    }
    unvowel(unended(plural(word)))
}

/// `queries`, `query` and `queried` meet without their last vowel.
fn unvowel(word: &str) -> &str {
    let base = word.strip_suffix("ie").or_else(|| word.strip_suffix('y')).or_else(|| word.strip_suffix('i'));
    let consonant = |base: &&str| base.len() >= 3 && base.bytes().last().is_some_and(|last| !is_vowel(last));
    base.filter(consonant).unwrap_or(word)
}

fn unended(word: &str) -> &str {
    for ending in ["ations", "ation", "ators", "ator", "ating", "ated", "ates", "ate"] {
        if let Some(base) = word.strip_suffix(ending).filter(|base| base.len() >= 4) {
            return undouble(base);
        }
    }
    for (ending, least) in [
        ("ements", 4),
        ("ement", 4),
        ("er", 4),
        ("or", 4),
        ("ing", 3),
        ("ed", 3),
        ("ion", 4),
        ("able", 4),
        ("ly", 4),
    ] {
        let base = word.strip_suffix(ending).filter(|base| base.len() >= least && base.bytes().any(is_vowel));
        if let Some(base) = base {
            return undouble(base.strip_suffix('e').filter(|base| base.len() >= 4).unwrap_or(base));
        }
    }
    if word.ends_with("ie") {
        return word;
    }
    word.strip_suffix('e').filter(|base| base.len() >= 3).unwrap_or(word)
}

fn plural(word: &str) -> &str {
    if word.len() < 5 || word.ends_with("ss") || word.ends_with("us") || word.ends_with("is") {
        return word;
    }
    for (ending, keep) in [("ches", 2), ("shes", 2), ("sses", 2), ("xes", 1)] {
        if word.ends_with(ending) {
            return &word[..word.len() - ending.len() + keep];
        }
    }
    word.strip_suffix('s').unwrap_or(word)
}

fn is_vowel(byte: u8) -> bool {
    matches!(byte, b'a' | b'e' | b'i' | b'o' | b'u' | b'y')
}

fn undouble(base: &str) -> &str {
    let bytes = base.as_bytes();
    let doubled = bytes.len() > 4
        && bytes[bytes.len() - 1] == bytes[bytes.len() - 2]
        && !is_vowel(bytes[bytes.len() - 1]);
    // `process` and `access` keep their double s.
    if doubled && bytes[bytes.len() - 1] != b's' { &base[..base.len() - 1] } else { base }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn terms_of(word: &str) -> Vec<String> {
        let mut out = Vec::new();
        terms(word, |term| out.push(term.to_owned()));
        out
    }

    #[test]
    fn identifiers_are_split_and_kept_whole() {
        assert_eq!(
            terms_of("parseQueryString"),
            ["pars", "quer", "str", "parsequerystring"].map(|term| if term == "str" {
                stem("string").to_owned()
            } else {
                term.to_owned()
            })
        );
        assert_eq!(terms_of("HTTPServer"), [stem("http"), stem("server"), "httpserver"]);
        assert_eq!(terms_of("utf8"), ["utf8"]);
        assert_eq!(terms_of("x"), ["x"]);
        assert_eq!(terms_of("9f86d081884c7d659a2feaa0c55ad015"), Vec::<String>::new());
    }

    #[test]
    fn word_forms_meet() {
        for family in [
            &["cancel", "cancels", "cancelled", "cancelling", "cancellation"][..],
            &["parse", "parses", "parsed", "parsing", "parser", "parsers"],
            &["validate", "validates", "validation", "validator"],
            &["handle", "handles", "handler", "handling", "handled"],
            &["request", "requests", "requested"],
            &["manage", "manager", "management"],
            &["create", "created", "creation"],
            &["class", "classes"],
            &["add", "added", "adding"],
            &["type", "typed", "typing", "types"],
            &["call", "called", "calling", "calls"],
            &["query", "queries", "queried", "querying"],
            &["dependency", "dependencies"],
            &["copy", "copies", "copied"],
        ] {
            let stems: Vec<&str> = family.iter().map(|word| stem(word)).collect();
            assert!(stems.iter().all(|stem| *stem == stems[0]), "{family:?} {stems:?}");
        }
    }

    #[test]
    fn words_are_found_between_any_characters() {
        let mut out = Vec::new();
        words("a.b_c → größe“x”(d)", |at, word| out.push((at, word)));
        assert_eq!(out.iter().map(|(_, word)| *word).collect::<Vec<_>>(), ["a", "b_c", "größe", "x", "d"]);
    }

    #[test]
    fn names_fold_to_one_spelling() {
        assert_eq!(fold_name("Place::parse_query"), fold_name("parseQuery"));
    }
}
