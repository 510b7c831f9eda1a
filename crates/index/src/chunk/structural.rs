//! Definitions and facts by tree-sitter: matches a language's `chunks.scm` and `facts.scm` in one walk over the tree.
//!
//! What is common to all languages lives here: documentation is the run of comments just above, attributes belong to
//! what they stand on, a signature ends where the body starts.

use super::{Def, Parsed, inner};
use crate::facts::{self, Wanted};
use crate::lang::{LangId, Language, Syntax, syntax};
use std::cell::RefCell;
use std::ops::{ControlFlow, Range};
use tree_sitter::{Node, ParseOptions, Parser, Tree};

thread_local! {
    static PARSER: RefCell<Parser> = RefCell::new(Parser::new());
}

/// Larger texts are cut by layout: a tree costs about 30 times its text in memory.
pub(crate) const MAX_PARSE_BYTES: usize = 2 << 20;

/// A parse calls back once per hundred steps and needs about one step per byte. One that takes twenty times as many is
/// stopped; counting calls rather than time keeps the answer the same on a slow machine.
const BYTES_PER_CALL: usize = 5;
const CALLS_AT_LEAST: usize = 500;

const SIGNATURE_BYTES: usize = 400;

pub(super) fn definitions(text: &str, lang: LangId) -> Parsed {
    let Some(syntax) = syntax(lang).filter(|_| text.len() <= MAX_PARSE_BYTES) else {
        return Parsed::default();
    };
    PARSER.with_borrow_mut(|parser| match parse(parser, syntax, text) {
        Some(tree) => {
            let mut found = collect(syntax, lang.get(), &tree, text);
            inner::add(parser, syntax, lang, &tree, text, &mut found);
            found
        }
        None => Parsed::default(),
    })
}

/// Parses a text and throws the tree away: what an index is measured against.
pub(super) fn parse_only(text: &str, lang: LangId) -> bool {
    let Some(syntax) = syntax(lang).filter(|_| text.len() <= MAX_PARSE_BYTES) else {
        return false;
    };
    PARSER.with_borrow_mut(|parser| parse(parser, syntax, text).is_some())
}

pub(super) fn parse(parser: &mut Parser, syntax: &Syntax, text: &str) -> Option<Tree> {
    parser.set_language(&syntax.language).ok()?;
    let budget = CALLS_AT_LEAST + text.len() / BYTES_PER_CALL;
    let mut calls = 0;
    let mut on_progress = |_: &tree_sitter::ParseState| {
        calls += 1;
        if calls > budget { ControlFlow::Break(()) } else { ControlFlow::Continue(()) }
    };
    let options = ParseOptions::new().progress_callback(&mut on_progress);
    let bytes = text.as_bytes();
    let tree =
        parser.parse_with_options(&mut |at, _| bytes.get(at..).unwrap_or_default(), None, Some(options));
    if tree.is_none() {
        parser.reset();
    }
    tree
}

pub(super) fn collect(syntax: &Syntax, language: &Language, tree: &Tree, text: &str) -> Parsed {
    let mut found: Vec<(usize, Def)> = Vec::new();
    let wanted = Wanted { definitions: &syntax.definitions, facts: syntax.facts.as_ref() };
    let mut marks = facts::collect(tree, text, wanted, &mut |node, rule, kind| {
        let role = |role| rule.role(role, node, text);
        let code = role("code");
        let mut def = define(language, text, node, code, role("doc").map(|doc| doc.byte_range()));
        def.kind = Some(kind);
        def.name = role("name").map(|name| plain(&text[name.byte_range()])).unwrap_or_default();
        found.push((rule.number(), def));
        code
    });
    // Earlier patterns are more precise: of several definitions of one span the first wins.
    found.sort_by_key(|(rule, def)| (*rule, def.span.start));
    let defs: Vec<Def> = found.into_iter().map(|(_, def)| def).collect();
    facts::own(&mut marks, &defs);
    Parsed { defs, marks }
}

/// A name without quotes and line breaks, of bounded length.
fn plain(name: &str) -> String {
    let name = name.trim().trim_matches(['"', '\'', '`']);
    let name: String = name.split_whitespace().collect::<Vec<_>>().join(" ");
    name.chars().take(120).collect()
}

fn define(
    language: &Language,
    text: &str,
    node: Node<'_>,
    code: Option<Node<'_>>,
    doc: Option<Range<usize>>,
) -> Def {
    let mut outer = node;
    while let Some(parent) = outer.parent().filter(|parent| language.wrappers.contains(&parent.kind())) {
        outer = parent;
    }
    let (start, above) = extend_up(language, text, outer);
    // `export` and `template` lines read as part of the signature; decorators above it do not.
    let head = &text[outer.start_byte()..node.start_byte()];
    let from = if head.contains('\n') { node.start_byte() } else { outer.start_byte() };
    let signature = from..signature_end(text, node, code).max(from);
    let is_test = language.tests.iter().any(|mark| text[start..signature.end].contains(mark));
    let doc = doc.or(above).unwrap_or(0..0);
    Def { span: start..outer.end_byte(), signature, doc, is_test, ..Def::default() }
}

/// Where the comments and attributes above a definition start, and the range of the comments among them.
fn extend_up<'tree>(language: &Language, text: &str, node: Node<'tree>) -> (usize, Option<Range<usize>>) {
    let mut start = node.start_byte();
    let mut doc: Option<Range<usize>> = None;
    // The first statement of a body may have its comment in front of the body (Ruby) or of a wrapping node (SQL).
    let first_of = |node: Node<'tree>| {
        node.parent().filter(|parent| parent.start_byte() == node.start_byte() && parent.parent().is_some())
    };
    let mut sibling = node.prev_sibling();
    let mut top = node;
    while let Some(parent) = first_of(top).filter(|_| sibling.is_none()) {
        (top, sibling) = (parent, parent.prev_sibling());
    }
    while let Some(above) = sibling {
        let is_comment = language.comments.contains(&above.kind());
        if !is_comment && !language.attributes.contains(&above.kind()) {
            break;
        }
        let gap = &text[above.end_byte().min(start)..start];
        let starts_line =
            text[..above.start_byte()].rsplit('\n').next().is_none_or(|before| before.trim().is_empty());
        if gap.bytes().filter(|byte| *byte == b'\n').count() > 1 || !gap.trim().is_empty() || !starts_line {
            break;
        }
        start = above.start_byte();
        if is_comment {
            doc = Some(start..doc.map_or(above.end_byte(), |doc| doc.end));
        }
        sibling = above.prev_sibling();
    }
    (start, doc)
}

fn signature_end(text: &str, node: Node<'_>, code: Option<Node<'_>>) -> usize {
    let body = code.and_then(body_of).or_else(|| body_of(node));
    let limit = text.floor_char_boundary(node.end_byte().min(node.start_byte() + SIGNATURE_BYTES));
    match body {
        Some(body) if body <= limit => body,
        _ => {
            let head = &text[node.start_byte()..limit];
            node.start_byte() + head.find(['\n', '{']).unwrap_or(head.len())
        }
    }
}

fn body_of(node: Node<'_>) -> Option<usize> {
    if let Some(body) = node.child_by_field_name("body") {
        return Some(body.start_byte());
    }
    let mut walk = node.walk();
    let body = node.children(&mut walk).find(|child| {
        let kind = child.kind();
        kind.ends_with("body")
            || kind.ends_with("block")
            || matches!(kind, "declaration_list" | "field_declaration_list" | "compound_statement")
    });
    body.map(|body| body.start_byte())
}
