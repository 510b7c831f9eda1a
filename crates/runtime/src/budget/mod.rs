//! The answer budget: any answer, cut to a number of tokens, with a cursor for the rest.
//!
//! Cutting keeps the shape: every member stays, lists become shorter and long texts end early, so a page satisfies the
//! schema of the whole answer. The pages of an answer, joined, are exactly the answer.

mod body;
mod detail;
mod page;

use mainstay_contract::{Fault, Meta, Page, ToolDef, success};
use serde_json::{Map, Value};

pub(crate) use body::{whole, with_page};
pub use detail::Detail;
pub use page::{Cut, join};

/// Counts the tokens of a text as a model would.
pub type TokenCounter = fn(&str) -> usize;

/// Names of the call metadata.
pub const MAX_TOKENS: &str = "mainstay/maxTokens";
pub const DETAIL: &str = "mainstay/detail";
pub const CURSOR: &str = "mainstay/cursor";

/// What a caller asks for beside the arguments.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Budget {
    pub max_tokens: Option<usize>,
    pub detail: Detail,
    pub cursor: Option<Cut>,
}

impl Budget {
    /// Reads the metadata of a call; `None` when it asks for nothing.
    pub fn of(meta: &Map<String, Value>) -> Result<Option<Budget>, Fault> {
        let max_tokens = match meta.get(MAX_TOKENS) {
            None => None,
            Some(value) => Some(value.as_u64().filter(|tokens| *tokens > 0).ok_or_else(|| {
                Fault::invalid(format!("{MAX_TOKENS} must be a whole number from 1"))
                    .detail("value", value.clone())
            })? as usize),
        };
        let detail = match meta.get(DETAIL) {
            None => Detail::Full,
            Some(value) => value.as_str().and_then(Detail::parse).ok_or_else(|| {
                Fault::invalid(format!("{DETAIL} must be ids, brief or full")).detail("value", value.clone())
            })?,
        };
        let cursor = match meta.get(CURSOR) {
            None => None,
            Some(value) => Some(value.as_str().and_then(Cut::parse).ok_or_else(|| {
                Fault::invalid(format!("{CURSOR} must be a cursor of an earlier answer"))
                    .detail("value", value.clone())
            })?),
        };
        let asks = max_tokens.is_some() || detail != Detail::Full || cursor.is_some();
        Ok(asks.then_some(Budget { max_tokens, detail, cursor }))
    }

    /// Cuts an answer; the page says what is left.
    pub fn apply(
        &self,
        tool: &ToolDef,
        answer: Value,
        meta: &Meta,
        tokens: TokenCounter,
    ) -> Result<(Value, Page), Fault> {
        let answer = self.detail.apply(answer, tool.output.as_deref());
        let fits = |page: &Value, limit: usize| {
            let text = success(&page.to_string(), meta);
            tokens(&text) <= limit
        };
        let start = self.cursor.clone().unwrap_or_default();
        if !start.is_in(&answer) {
            return Err(Fault::invalid("the answer has changed since the cursor was given")
                .hint("call again without the cursor"));
        }
        let limit = self.max_tokens.unwrap_or(usize::MAX);
        // The cursor itself takes room too.
        let room = limit.saturating_sub(page::CURSOR_TOKENS);
        let (value, next) = page::fill(&answer, &start, |page| fits(page, room));
        let used = tokens(&success(&value.to_string(), meta));
        Ok((value, Page { tokens: used, cursor: next.map(|cut| cut.to_string()), over: used > limit }))
    }
}

#[cfg(test)]
mod tests {
    use mainstay_contract::Toolset;
    use serde_json::json;

    use super::*;

    fn words(text: &str) -> usize {
        text.split(|c: char| !c.is_alphanumeric()).filter(|word| !word.is_empty()).count()
    }

    fn pages(answer: &Value, max_tokens: usize) -> Vec<Value> {
        let tool = ToolDef::new("t", Toolset::Search);
        let meta = Meta::at(jiff::Timestamp::UNIX_EPOCH);
        let mut asked = Map::new();
        asked.insert(MAX_TOKENS.into(), max_tokens.into());
        let mut pages = Vec::new();
        let mut whole: Option<(Value, Cut)> = None;
        loop {
            let budget = Budget::of(&asked).unwrap().unwrap();
            let (page, left) = budget.apply(&tool, answer.clone(), &meta, words).unwrap();
            assert!(left.over || left.tokens <= max_tokens, "{left:?}");
            whole = Some(match whole {
                None => (page.clone(), Cut::default()),
                Some((before, cut)) => (join(before, page.clone(), &cut), Cut::default()),
            });
            pages.push(page);
            assert!(pages.len() < 2_000, "no end");
            match left.cursor {
                None => break,
                Some(cursor) => {
                    if let Some((_, cut)) = &mut whole {
                        *cut = Cut::parse(&cursor).unwrap();
                    }
                    asked.insert(CURSOR.into(), cursor.into());
                }
            }
        }
        assert_eq!(whole.unwrap().0, *answer);
        pages
    }

    fn sample() -> Value {
        let long = |seed: usize| (0..300).map(|n| format!("w{seed}x{n}")).collect::<Vec<_>>().join(" ");
        json!({
            "total": 7, "note": "short", "empty": [], "nothing": null,
            "text": long(1),
            "hits": (0..7).map(|n| json!({"id": n, "lines": [n, n + 1], "body": long(n), "tags": ["a", "b"]})).collect::<Vec<_>>(),
            "nested": {"deep": {"list": (0..40).collect::<Vec<_>>()}}, "last": "é".repeat(500),
        })
    }

    #[test]
    fn pages_of_any_size_join_to_the_answer() {
        let answer = sample();
        for max_tokens in [60, 75, 100, 150, 333, 1_000, 2_000] {
            let count = pages(&answer, max_tokens).len();
            assert!(count > 1, "{max_tokens}");
        }
        assert_eq!(pages(&answer, 100_000).len(), 1);
    }

    #[test]
    fn a_budget_nothing_fits_in_still_moves_on() {
        assert!(pages(&json!({"list": [1, 2, 3], "text": "x".repeat(1_000)}), 1).len() >= 3);
    }

    #[test]
    fn bare_texts_lists_and_scalars_are_answers_too() {
        for answer in [
            json!("word ".repeat(400)),
            json!((0..300).collect::<Vec<_>>()),
            json!(5),
            json!(null),
            json!({}),
        ] {
            pages(&answer, 80);
        }
    }

    #[test]
    fn a_cursor_of_another_answer_is_refused() {
        let budget =
            Budget { max_tokens: Some(10), detail: Detail::Full, cursor: Cut::parse("1:[\"hits\",[3,9]]") };
        assert!(budget.cursor.is_some());
        let tool = ToolDef::new("t", Toolset::Search);
        let meta = Meta::at(jiff::Timestamp::UNIX_EPOCH);
        let fault = budget.apply(&tool, json!({"hits": [1, 2, 3, 4]}), &meta, words).unwrap_err();
        assert!(fault.message.contains("has changed"));
        for bad in ["", "1:", "1:{}", "2:[]", "1:[[1,2,3]]", "1:[-1]"] {
            assert_eq!(Cut::parse(bad), None, "{bad}");
        }
    }

    #[test]
    fn metadata_is_checked() {
        for (key, value) in
            [(MAX_TOKENS, json!(0)), (MAX_TOKENS, json!("9")), (DETAIL, json!("x")), (CURSOR, json!(1))]
        {
            let mut meta = Map::new();
            meta.insert(key.into(), value);
            assert!(Budget::of(&meta).is_err(), "{key}");
        }
        assert_eq!(Budget::of(&Map::new()).unwrap(), None);
    }
}
