//! Headers with which a request leaves out tools; they never add one that the operator does not allow.

use std::sync::Arc;

use axum::http::HeaderMap;
use mainstay_contract::{NarrowedBy, Narrowing, Toolset};

pub const TOOLSETS: &str = "x-mcp-toolsets";
pub const TOOLS: &str = "x-mcp-tools";
pub const EXCLUDE_TOOLS: &str = "x-mcp-exclude-tools";
pub const READ_ONLY: &str = "x-mcp-readonly";

/// The header behind a part of a narrowing.
pub fn header_of(part: NarrowedBy) -> String {
    let name = match part {
        NarrowedBy::Toolsets => TOOLSETS,
        NarrowedBy::Tools => TOOLS,
        NarrowedBy::Exclude => EXCLUDE_TOOLS,
        NarrowedBy::ReadOnly => READ_ONLY,
    };
    name.to_owned()
}

/// What the headers leave out; `None` where no header asks for anything.
pub fn narrowing(headers: &HeaderMap) -> Option<Arc<Narrowing>> {
    let words = |name: &str| -> Option<Vec<String>> {
        headers.contains_key(name).then(|| {
            // What is no text names no tool, so that a header nobody can read leaves out everything.
            let values = headers.get_all(name).into_iter().filter_map(|value| value.to_str().ok());
            let words = values.flat_map(|value| value.split(','));
            words.map(|word| word.trim().to_owned()).filter(|word| !word.is_empty()).collect()
        })
    };
    let is_off = |word: &String| ["false", "0", "no", "off"].contains(&word.to_ascii_lowercase().as_str());
    let narrowing = Narrowing {
        toolsets: words(TOOLSETS).map(|names| names.iter().filter_map(|name| Toolset::parse(name)).collect()),
        tools: words(TOOLS),
        exclude: words(EXCLUDE_TOOLS).unwrap_or_default(),
        read_only: words(READ_ONLY).is_some_and(|words| !words.iter().all(is_off) || words.is_empty()),
    };
    (narrowing != Narrowing::default()).then(|| Arc::new(narrowing))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn headers_only_take_away() {
        let check = |headers: &[(&'static str, &'static str)], expected: Option<Narrowing>| {
            let headers = headers.iter().map(|(name, value)| (name.parse().unwrap(), value.parse().unwrap()));
            assert_eq!(narrowing(&headers.collect()).as_deref(), expected.as_ref());
        };
        check(&[], None);
        check(&[(READ_ONLY, "false")], None);
        check(&[(READ_ONLY, "true")], Some(Narrowing { read_only: true, ..Narrowing::default() }));
        let toolsets = Some(vec![Toolset::Search]);
        check(&[(TOOLSETS, "search, nope")], Some(Narrowing { toolsets, ..Narrowing::default() }));
        check(&[(TOOLSETS, "nope")], Some(Narrowing { toolsets: Some(vec![]), ..Narrowing::default() }));
        let exclude = vec!["a".to_owned(), "b".to_owned()];
        check(&[(EXCLUDE_TOOLS, "a,b")], Some(Narrowing { exclude, ..Narrowing::default() }));
    }
}
