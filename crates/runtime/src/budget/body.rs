//! What of an answer can be cut, and the answer with a page in its place.

use mainstay_contract::{Body, FaultResult};
use serde_json::Value;

/// The part that pages are made of; `None` for answers that have no such part, such as pictures.
pub fn whole(body: &Body) -> Option<Value> {
    match body {
        Body::Json(raw) => Some(serde_json::from_str(raw.get()).unwrap_or_default()),
        Body::Text { text, .. } => Some(text.as_str().into()),
        Body::Content { structured: Some(structured), .. } => Some(structured.clone()),
        Body::Content { blocks, structured: None, .. } => match &blocks[..] {
            [block] if block["type"] == "text" => Some(block["text"].clone()),
            _ => None,
        },
        _ => None,
    }
}

/// The same answer with a page of [`whole`].
pub fn with_page(body: Body, page: Value) -> FaultResult<Body> {
    Ok(match body {
        Body::Text { is_error, .. } if page.is_string() => {
            Body::Text { text: page.as_str().unwrap_or_default().to_owned(), is_error }
        }
        Body::Content { blocks, structured: Some(structured), is_error } if structured == page => {
            Body::Content { blocks, structured: Some(structured), is_error }
        }
        Body::Content { structured, is_error, .. } => {
            let block = serde_json::json!({ "type": "text", "text": in_words(&page) });
            Body::Content { blocks: vec![block], structured: structured.map(|_| page), is_error }
        }
        _ => Body::json(&page)?,
    })
}

/// A page for whoever reads the text beside the data: its texts as they are, else all of it as JSON.
fn in_words(page: &Value) -> String {
    let texts: Vec<&str> = match page {
        Value::Object(fields) => {
            fields.values().filter_map(Value::as_str).filter(|text| !text.is_empty()).collect()
        }
        Value::String(text) => vec![text],
        _ => Vec::new(),
    };
    if texts.is_empty() { page.to_string() } else { texts.join("\n") }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn the_texts_of_a_page_stand_beside_its_data() {
        let facts = json!({ "exitCode": 0, "stdout": "one two three", "stderr": "" });
        let body = Body::Content {
            blocks: vec![json!({ "type": "text", "text": "one two three" })],
            structured: Some(facts.clone()),
            is_error: false,
        };
        assert_eq!(whole(&body), Some(facts));
        let page = json!({ "exitCode": 0, "stdout": "one", "stderr": "" });
        let Body::Content { blocks, structured, .. } = with_page(body, page.clone()).unwrap() else {
            panic!("another kind of answer");
        };
        assert_eq!((blocks[0]["text"].as_str(), structured), (Some("one"), Some(page)));
        let picture =
            Body::Content { blocks: vec![json!({ "type": "image" })], structured: None, is_error: false };
        assert_eq!(whole(&picture), None);
    }
}
