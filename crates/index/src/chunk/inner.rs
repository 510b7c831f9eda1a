//! Definitions inside macro calls (`bitflags! { … }`): to the grammar they are loose tokens, so the text is parsed again.

use super::structural::{collect, parse};
use super::{Def, Parsed};
use crate::facts::Fact;
use crate::lang::{Inner, LangId, Syntax};
use std::ops::Range;
use tree_sitter::{Node, Parser, Tree};

/// Calls nested deeper than this stay what they are: items are near the top.
const MAX_DEPTH: usize = 8;

/// Adds what stands in the calls at item level of a tree.
pub(super) fn add(
    parser: &mut Parser,
    syntax: &Syntax,
    lang: LangId,
    tree: &Tree,
    text: &str,
    out: &mut Parsed,
) {
    let Some(inner) = &lang.get().inner else { return };
    let mut bodies = Vec::new();
    find(inner, tree.root_node(), 0, &mut bodies);
    for body in bodies {
        let Some((tree, part)) =
            text.get(body.clone()).and_then(|part| parse(parser, syntax, part).map(|tree| (tree, part)))
        else {
            continue;
        };
        let found = collect(syntax, lang.get(), &tree, part);
        let first = out.defs.len() as u32;
        let (offset, lang) = (body.start, lang);
        out.defs.extend(found.defs.into_iter().map(|def: Def| def.moved_by(offset, lang)));
        // What a macro takes need not be proper syntax.
        let marks = found.marks.into_iter().filter(|mark| mark.fact != Fact::Lint);
        out.marks.extend(marks.map(|mark| mark.moved_by(offset as u32, first)));
    }
}

/// The texts between the brackets of calls that seem to hold definitions.
fn find(inner: &Inner, node: Node<'_>, depth: usize, out: &mut Vec<Range<usize>>) {
    let mut cursor = node.walk();
    for child in node.named_children(&mut cursor) {
        if child.kind() == inner.call {
            let mut cursor = child.walk();
            let body = child.named_children(&mut cursor).find(|part| part.kind() == inner.body);
            out.extend(body.filter(|body| holds_definitions(inner, *body)).map(|body| {
                let range = body.byte_range();
                range.start + 1..range.end.saturating_sub(1).max(range.start + 1)
            }));
        } else if depth < MAX_DEPTH && inner.through.contains(&child.kind()) {
            find(inner, child, depth + 1, out);
        }
    }
}

/// A word such as `struct` with a name behind it, here or in brackets within.
fn holds_definitions(inner: &Inner, body: Node<'_>) -> bool {
    let mut cursor = body.walk();
    let mut after_word = false;
    for child in body.children(&mut cursor) {
        if after_word && child.is_named() && child.kind() != inner.body {
            return true;
        }
        after_word = inner.words.contains(&child.kind());
        if child.kind() == inner.body && holds_definitions(inner, child) {
            return true;
        }
    }
    false
}
