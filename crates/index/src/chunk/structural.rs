//! Definitions by tree-sitter: runs a language's `chunks.scm` over the syntax tree.
//!
//! What is common to all languages lives here: documentation is the run of comments just above, attributes belong to
//! what they stand on, a signature ends where the body starts.

use super::{Def, Parsed};
use crate::facts::{self, Scopes};
use crate::lang::{LangId, Language, Role, Syntax, syntax};
use std::cell::RefCell;
use std::collections::HashSet;
use std::ops::{ControlFlow, Range};
use tree_sitter::{Node, ParseOptions, Parser, QueryCursor, StreamingIterator as _, Tree};

thread_local! {
    static PARSER: RefCell<(Parser, QueryCursor)> = RefCell::new((Parser::new(), QueryCursor::new()));
}

/// Larger texts are cut by layout: a tree costs about 30 times its text in memory.
pub(crate) const MAX_PARSE_BYTES: usize = 2 << 20;

/// A parse calls back once per hundred steps. An honest one needs far fewer calls than this per byte, a grammar that
/// loops is stopped; counting calls rather than time keeps the answer the same on a slow machine.
const CALLS_PER_BYTE: usize = 1;
const CALLS_AT_LEAST: usize = 20_000;

/// Definitions lie near the root. Not looking for them inside expressions saves half of the time a query takes.
const MAX_DEFINITION_DEPTH: u32 = 9;

const SIGNATURE_BYTES: usize = 400;

pub(super) fn definitions(text: &str, lang: LangId) -> Parsed {
    let Some(syntax) = syntax(lang).filter(|_| text.len() <= MAX_PARSE_BYTES) else {
        return Parsed::default();
    };
    PARSER.with_borrow_mut(|(parser, cursor)| match parse(parser, syntax, text) {
        Some(tree) => {
            let (defs, scopes) = collect(cursor, syntax, lang.get(), &tree, text);
            let marks = match &syntax.rules {
                Some(rules) => facts::collect(&tree, text, rules, &scopes, &defs),
                None => Vec::new(),
            };
            Parsed { defs, marks }
        }
        None => Parsed::default(),
    })
}

/// Parses a text and throws the tree away: what an index is measured against.
pub(super) fn parse_only(text: &str, lang: LangId) -> bool {
    let Some(syntax) = syntax(lang).filter(|_| text.len() <= MAX_PARSE_BYTES) else {
        return false;
    };
    PARSER.with_borrow_mut(|(parser, _)| parse(parser, syntax, text).is_some())
}

fn parse(parser: &mut Parser, syntax: &Syntax, text: &str) -> Option<Tree> {
    parser.set_language(&syntax.language).ok()?;
    let budget = CALLS_AT_LEAST + text.len() * CALLS_PER_BYTE;
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

fn collect(
    cursor: &mut QueryCursor,
    syntax: &Syntax,
    language: &Language,
    tree: &Tree,
    text: &str,
) -> (Vec<Def>, Scopes) {
    // Patterns that stay open across a whole file would cost time and memory without end.
    cursor.set_match_limit(4_096);
    cursor.set_max_start_depth(Some(MAX_DEFINITION_DEPTH));
    let mut found: Vec<(Node<'_>, Option<Node<'_>>, usize, Def)> = Vec::new();
    let mut matches = cursor.matches(&syntax.query, tree.root_node(), text.as_bytes());
    while let Some(hit) = matches.next() {
        let (mut node, mut kind, mut name, mut doc, mut code) = (None, None, None, None, None);
        for capture in hit.captures() {
            match syntax.roles[capture.index as usize] {
                Role::Definition(found) => (node, kind) = (Some(capture.node), Some(found)),
                Role::Name => name = name.or(Some(capture.node)),
                Role::Doc => doc = doc.or(Some(capture.node.byte_range())),
                Role::Code => code = code.or(Some(capture.node)),
                Role::Helper => {}
            }
        }
        let Some(node) = node else { continue };
        let mut def = define(language, text, node, code, doc);
        def.kind = kind;
        def.name = name.map(|name| plain(&text[name.byte_range()])).unwrap_or_default();
        found.push((node, code, hit.pattern_index, def));
    }
    // Earlier patterns are more precise: of several that name one node the first wins.
    found.sort_by_key(|(.., pattern, def)| (*pattern, def.span.start));
    let mut taken = HashSet::new();
    let mut scopes = Scopes::default();
    let mut defs = Vec::with_capacity(found.len());
    for (node, code, _, def) in found {
        if taken.insert(node.id()) {
            let number = defs.len() as u32;
            scopes.add(node, number);
            code.into_iter().for_each(|code| scopes.add(code, number));
            defs.push(def);
        }
    }
    (defs, scopes)
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
