//! Damaged patches and token files: applied, resolved or refused, never a panic.

use mainstay_foundry::patch::{self, Patch};
use mainstay_foundry::tokens::{Layer, TokenSet};
use mainstay_fuzz::{Target, run};
use serde_json::{Value, json};

const WORDS: &[&str] = &[
    "[",
    "]",
    "{",
    "}",
    ",",
    "\"",
    "\"op\":",
    "\"add\"",
    "\"move\"",
    "\"path\":",
    "\"from\":",
    "/",
    "/-",
    "~0",
    "~1",
    "~2",
    "/99999999999999999999",
    "\"$value\":",
    "\"$type\":",
    "\"$extends\":",
    "\"$ref\":",
    "\"{a.b}\"",
    "{a",
    "#",
    "\"color\"",
    "null",
    "1e400",
];

#[test]
fn any_patch_is_applied_or_refused() {
    let document = json!({
        "version": "1", "screens": [{ "id": "a", "component": "Card", "props": { "x": [1, 2, { "~/": 3 }] }, "children": [{ "id": "b", "component": "Text" }] }],
    });
    let target = Target {
        name: "patch",
        corpus: &[
            br#"[{"op":"add","path":"/screens/0/props/y","value":{"a":[1]}},{"op":"move","from":"/screens/0/props/x","path":"/z"}]"#,
            br#"[{"op":"copy","from":"/screens/0","path":"/screens/-"},{"op":"test","path":"/version","value":"1"},{"op":"remove","path":"/screens/0/props/x/2/~0~1"}]"#,
            br#"{"nodeId":"b","props":{"label":"New"}}"#,
            br#"[{"op":"replace","path":"","value":null}]"#,
        ],
        words: WORDS,
    };
    run(&target, |input| {
        let before = document.clone();
        if let Ok(patch) = serde_json::from_slice::<Patch>(input) {
            let _ = patch::apply(&document, &patch);
        }
        if let Ok(Value::Array(operations)) = serde_json::from_slice(input) {
            let mut changed = document.clone();
            for operation in &operations {
                let _ = patch::apply_one(&mut changed, operation);
            }
        }
        assert_eq!(document, before, "the base never changes");
    });
}

#[test]
fn any_token_file_is_resolved_or_reported() {
    let target = Target {
        name: "tokens",
        corpus: &[
            br##"{"color":{"$type":"color","base":{"$value":"#0a84ff"},"link":{"$value":"{color.base}"},"hover":{"$value":{"colorSpace":"oklch","components":[0.6,0.1,250],"alpha":0.5}}}}"##,
            br#"{"space":{"$type":"dimension","s":{"$value":{"value":4,"unit":"px"}},"m":{"$value":"{space.s}"}},"card":{"$extends":"{space}","l":{"$value":"1.5rem"}}}"#,
            br##"{"shadow":{"$type":"shadow","card":{"$value":[{"color":"#00000033","offsetX":"0px","offsetY":"2px","blur":"4px","spread":"0px"}]}},"font":{"$type":"typography","body":{"$value":{"fontFamily":["Inter","sans"],"fontSize":"16px","lineHeight":1.5}}}}"##,
        ],
        words: WORDS,
    };
    run(&target, |input| {
        let Ok(document) = serde_json::from_slice::<Value>(input) else { return };
        let set = TokenSet::from_documents([(Layer::Reference, &document)]);
        for token in set.iter() {
            let _ = set.resolve(&token.path);
        }
        set.defects();
        mainstay_foundry::tokens::emit::files(&set, "A", "light", &[]);
    });
}
