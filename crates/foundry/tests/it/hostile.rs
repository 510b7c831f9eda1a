//! Hostile names and values never become an element or attribute nobody asked for.

use std::cell::RefCell;

use html5ever::tendril::StrTendril;
use html5ever::tokenizer::{
    BufferQueue, Tag, TagKind, Token, TokenSink, TokenSinkResult, Tokenizer, TokenizerOpts,
};
use serde_json::{Value, json};

use crate::harness::Site;

#[derive(Default)]
struct Tags(RefCell<Vec<Tag>>);

impl TokenSink for Tags {
    type Handle = ();

    fn process_token(&self, token: Token, _: u64) -> TokenSinkResult<()> {
        if let Token::TagToken(tag) = token
            && tag.kind == TagKind::StartTag
        {
            self.0.borrow_mut().push(tag);
        }
        TokenSinkResult::Continue
    }
}

/// Start tags of a page, as a browser's tokenizer sees them.
pub fn tags(html: &str) -> Vec<Tag> {
    let input = BufferQueue::default();
    input.push_back(StrTendril::from(html));
    let tokenizer = Tokenizer::new(Tags::default(), TokenizerOpts::default());
    let _ = tokenizer.feed(&input);
    tokenizer.end();
    tokenizer.sink.0.into_inner()
}

/// Names and values that have broken renderers before.
const NASTY: [&str; 16] = [
    "x\"><script>alert(1)</script>",
    "'><img src=x onerror=alert(1)>",
    "</style><script>alert(1)</script>",
    "</title><svg onload=alert(1)>",
    "javascript:alert(1)",
    "JaVa\tScRiPt:alert(1)",
    "data:text/html,<script>alert(1)</script>",
    "onclick",
    "onmouseover=alert(1)",
    "a onfocus=alert(1) autofocus",
    "{{constructor.constructor('alert(1)')()}}",
    "${alert(1)}",
    "--><script>alert(1)</script><!--",
    "expression(alert(1))",
    "url(javascript:alert(1))",
    "\u{0}<script>\u{2028}",
];

const ALLOWED_ATTRIBUTES: [&str; 44] = [
    "id",
    "class",
    "style",
    "role",
    "title",
    "lang",
    "dir",
    "tabindex",
    "hidden",
    "href",
    "src",
    "alt",
    "type",
    "name",
    "value",
    "placeholder",
    "required",
    "disabled",
    "checked",
    "selected",
    "for",
    "rows",
    "scope",
    "datetime",
    "open",
    "min",
    "max",
    "step",
    "autocomplete",
    "inputmode",
    "readonly",
    "viewBox",
    "points",
    "width",
    "height",
    "loading",
    "charset",
    "content",
    "cx",
    "cy",
    "r",
    "rx",
    "opacity",
    "text-anchor",
];

fn check(html: &str, context: &str) {
    for tag in tags(html) {
        let name = tag.name.to_string();
        assert!(
            !["script", "iframe", "object", "embed", "link", "base", "foreignobject", "template"]
                .contains(&name.as_str()),
            "{name} from {context}\n{html}"
        );
        let mut attrs = tag.attrs.iter();
        for attr in attrs.by_ref() {
            let attribute = attr.name.local.to_string();
            let known = ALLOWED_ATTRIBUTES.iter().any(|known| known.eq_ignore_ascii_case(&attribute))
                || ["x", "y", "x1", "x2", "y1", "y2"].contains(&attribute.as_str())
                || attribute.starts_with("aria-")
                || attribute.starts_with("data-");
            assert!(known && !attribute.starts_with("on"), "attribute {attribute} from {context}\n{html}");
            let value = attr.value.to_string().to_lowercase();
            if attribute == "href" || attribute == "src" {
                assert!(
                    !value.trim_start().starts_with("javascript:") && !value.starts_with("data:text"),
                    "{value} from {context}"
                );
            }
            if attribute == "style" {
                assert!(!value.contains("url(") && !value.contains("expression("), "{value} from {context}");
            }
        }
    }
}

/// A tree that puts one text into every place a caller controls.
fn trees(component: &str, props: &[String], nasty: &str) -> Vec<Value> {
    let node = |extra: Value| {
        let mut node = json!({ "id": "n", "component": component });
        node.as_object_mut().unwrap().extend(extra.as_object().unwrap().clone());
        json!({ "version": "1", "screens": [{ "id": "s", "component": "Stack", "children": [node] }] })
    };
    let mut all_props = serde_json::Map::new();
    let entry = json!({ "label": nasty, "title": nasty, "value": nasty, "color": nasty, "href": nasty, "name": nasty, "type": nasty, "status": nasty, "at": nasty });
    for prop in props {
        all_props.insert(prop.clone(), nasty.into());
    }
    let mut lists = all_props.clone();
    for prop in props {
        lists.insert(prop.clone(), json!([nasty, entry, 3]));
    }
    vec![
        node(json!({ "props": all_props })),
        node(json!({ "props": lists })),
        node(
            json!({ "props": { nasty: nasty, "style": { nasty: nasty, "color": nasty }, "className": nasty, "data-x": nasty, "aria-label": nasty, "onClick": nasty } }),
        ),
        node(
            json!({ "style": { nasty: nasty, "background": nasty, "colorToken": nasty, "spacingToken": nasty }, "layout": { "type": "grid", "gapToken": nasty } }),
        ),
        node(
            json!({ "meta": { "label": nasty }, "bindings": { "onClick": nasty, nasty: nasty }, "children": [{ "id": nasty, "component": "Text", "props": { "content": nasty } }] }),
        ),
    ]
}

#[test]
fn rendered_html_holds_only_what_the_kit_asked_for() {
    let site = Site::new();
    let kit = mainstay_foundry::kit::LazyKit::new(Default::default()).get().unwrap();
    let mut seen = std::collections::BTreeSet::new();
    for component in &kit.components {
        // Components of one archetype are drawn by one template.
        if !seen.insert(component.archetype.name.clone()) {
            continue;
        }
        let props: Vec<String> = component.props.iter().map(|(name, _)| name.clone()).collect();
        for nasty in NASTY {
            for tree in trees(&component.name, &props, nasty) {
                let answer = site.quick_call("repl.render", json!({ "mode": "full", "schema": tree, "output": { "format": "fragments", "includeCss": false }, "options": { "includeTree": false } }));
                for fragment in answer["fragments"].as_object().unwrap().values() {
                    check(fragment["html"].as_str().unwrap(), &format!("{} with {nasty:?}", component.name));
                }
            }
        }
    }
}

#[test]
fn pages_hold_one_script_of_ours_at_most() {
    let site = Site::new();
    for nasty in NASTY {
        let tree = json!({ "version": nasty, "theme": nasty, "screens": [{ "id": nasty, "component": "Tabs", "meta": { "label": nasty },
            "props": { "tabs": [nasty], "label": nasty }, "children": [{ "id": "a", "component": "Text", "props": { "content": nasty } }] }] });
        let answer = site.call("repl.render", json!({ "mode": "full", "apply": true, "schema": tree }));
        let html = answer["html"].as_str().unwrap();
        let kit = mainstay_foundry::kit::LazyKit::new(Default::default()).get().unwrap();
        let ours = format!("<script>\n{}</script>", kit.behaviour);
        assert_eq!(html.matches("<script").count(), 1, "{html}");
        check(&html.replace(&ours, ""), nasty);
    }
}

#[test]
fn generated_code_holds_no_value_outside_a_literal() {
    let site = Site::new();
    for nasty in NASTY {
        let tree = json!({ "version": "1", "screens": [{ "id": nasty, "component": "Card", "props": { "title": nasty, nasty: nasty }, "style": { nasty: nasty },
            "bindings": { "onClick": nasty, "title": nasty }, "children": [{ "id": "b", "component": "Button", "props": { "label": nasty, "aria-label": nasty } }, { "id": "c", "component": nasty }] }] });
        for framework in ["react", "vue", "svelte", "lit"] {
            let answer = site.call("code.generate", json!({ "schema": tree, "framework": framework }));
            let code = answer["code"].as_str().unwrap();
            assert!(
                !code.contains("<script>alert") && !code.contains("<img") && !code.contains("<svg"),
                "{framework}: {code}"
            );
        }
    }
}

#[test]
fn preview_pages_show_code_as_text() {
    let kit = mainstay_foundry::kit::LazyKit::new(Default::default()).get().unwrap();
    for nasty in NASTY {
        let tree = json!({ "version": "1", "screens": [{ "id": "s", "component": "Card", "props": { "title": nasty }, "children": [{ "id": nasty, "component": nasty }] }] });
        let html = mainstay_foundry::preview::page(&kit, &tree).unwrap();
        assert_eq!(html.matches("<script").count(), 1, "{nasty}");
        let main = html.split("<main").nth(1).unwrap().split("<script>").next().unwrap();
        check(&format!("<main{main}"), nasty);
        for theme in ["light", "dark", "hc"] {
            assert!(html.contains(&format!("[data-brand=\"B\"][data-theme=\"{theme}\"]")));
        }
    }
}
