//! From definitions to chunks: nesting, ownership of text, leftover blocks, long chunks.

use super::{Chunk, Cut, Def, Kind, Lines, Piece, layout, prose};
use crate::lang::{Class, LangId};
use std::ops::Range;

/// A callable nested in a callable is its own chunk only from this many lines on.
const NESTED_CALLABLE_LINES: u32 = 12;
/// Text a chunk owns past this is continued in parts.
const PART_BYTES: usize = 5_000;
const PART_LINES: u32 = 120;

pub(super) fn assemble(text: &str, lang: LangId, mut defs: Vec<Def>) -> Cut {
    let lines = Lines::of(text);
    // Enclosing definitions first, so that one pass with a stack nests them.
    defs.sort_by_key(|def| (def.span.start, usize::MAX - def.span.end));
    let nested = nest(&lines, text.len(), defs);
    let mut cut = Cut::default();
    let mut stack: Vec<(usize, u32)> = Vec::new();
    let mut at = 0;
    for (def, parent_kind) in &nested {
        while let Some((end, chunk)) = stack.last().copied().filter(|(end, _)| *end <= def.span.start) {
            own(text, &mut cut, at..end, Some(chunk), lang, &lines);
            at = at.max(end);
            stack.pop();
        }
        let parent = stack.last().map(|(_, chunk)| *chunk);
        own(text, &mut cut, at..def.span.start, parent, lang, &lines);
        at = at.max(def.span.start);
        stack.push((def.span.end, cut.chunks.len() as u32));
        let inherited = parent.is_some_and(|parent| cut.chunks[parent as usize].is_test);
        cut.chunks.push(chunk(def, *parent_kind, parent, lang, &lines, inherited));
    }
    while let Some((end, chunk)) = stack.pop() {
        own(text, &mut cut, at..end, Some(chunk), lang, &lines);
        at = at.max(end);
    }
    own(text, &mut cut, at..text.len(), None, lang, &lines);
    document_file(text, lang, &mut cut);
    split_long(text, cut, &lines)
}

/// What a file says about itself at its top is the documentation of its first block.
fn document_file(text: &str, lang: LangId, cut: &mut Cut) {
    let Some(first) = cut.chunks.first_mut().filter(|first| first.kind == Kind::Block) else { return };
    if lang.get().class == Class::Code && first.lang == lang {
        let span = first.span.start as usize..first.span.end as usize;
        if let Some(doc) = prose::head_comment(text, span) {
            first.doc = doc.start as u32..doc.end as u32;
        }
    }
}

/// Drops and clamps definitions so that what remains nests properly, and notes the kind each one is nested in.
fn nest(lines: &Lines, end: usize, defs: Vec<Def>) -> Vec<(Def, Option<Kind>)> {
    let mut out: Vec<(Def, Option<Kind>)> = Vec::with_capacity(defs.len());
    let mut stack: Vec<(usize, Kind)> = Vec::new();
    let mut last: Option<Range<usize>> = None;
    for mut def in defs {
        let Some(kind) = def.kind else { continue };
        while stack.last().is_some_and(|(end, _)| *end <= def.span.start) {
            stack.pop();
        }
        let limit = stack.last().map_or(end, |(end, _)| *end);
        def.span.end = def.span.end.min(limit);
        // A block that holds exactly one definition keeps both; two definitions of one span do not.
        if def.span.is_empty()
            || (last.as_ref() == Some(&def.span)
                && kind != Kind::Block
                && stack.last().is_none_or(|(_, outer)| *outer != Kind::Block))
        {
            continue;
        }
        let parent = stack.last().map(|(_, kind)| *kind);
        if parent.is_some_and(Kind::is_callable) {
            let height = lines.line(def.span.end - 1) - lines.line(def.span.start) + 1;
            if !kind.is_callable() && !kind.has_members() || height < NESTED_CALLABLE_LINES {
                continue;
            }
        }
        stack.push((def.span.end, kind));
        last = Some(def.span.clone());
        out.push((def, parent));
    }
    out
}

fn chunk(
    def: &Def,
    parent_kind: Option<Kind>,
    parent: Option<u32>,
    lang: LangId,
    lines: &Lines,
    in_test: bool,
) -> Chunk {
    let kind = def.kind.unwrap_or(Kind::Block);
    let kind = if kind == Kind::Function && parent_kind.is_some_and(Kind::has_members) {
        Kind::Method
    } else {
        kind
    };
    let narrow = |range: &Range<usize>| {
        let inside = range.start >= def.span.start && range.end <= def.span.end && range.start < range.end;
        if inside { range.start as u32..range.end as u32 } else { 0..0 }
    };
    Chunk {
        kind,
        lang: def.lang.unwrap_or(lang),
        span: def.span.start as u32..def.span.end as u32,
        lines: (lines.line(def.span.start), lines.line(def.span.end - 1)),
        name: def.name.clone(),
        parent,
        signature: narrow(&def.signature),
        doc: narrow(&def.doc),
        is_test: def.is_test || in_test,
        is_part: false,
        def: Some(def.number),
    }
}

/// Gives `range` to `owner`, or to new blocks where nothing owns it.
fn own(text: &str, cut: &mut Cut, range: Range<usize>, owner: Option<u32>, lang: LangId, lines: &Lines) {
    if range.start >= range.end {
        return;
    }
    if let Some(chunk) = owner {
        if !text[range.clone()].trim().is_empty() {
            cut.pieces.push(Piece { start: range.start as u32, end: range.end as u32, chunk });
        }
        return;
    }
    for block in layout::blocks(text, range) {
        let body = &text[block.clone()];
        // Closing brackets and separators between definitions are nobody's news, except where text is prose.
        let is_prose = matches!(lang.get().class, Class::Prose | Class::Document);
        if !is_prose && !body.chars().any(char::is_alphanumeric) {
            continue;
        }
        let start = block.start + (body.len() - body.trim_start().len());
        let end = block.start + body.trim_end().len();
        let chunk = cut.chunks.len() as u32;
        cut.pieces.push(Piece { start: block.start as u32, end: block.end as u32, chunk });
        cut.chunks.push(Chunk {
            kind: Kind::Block,
            lang,
            span: start as u32..end as u32,
            lines: (lines.line(start), lines.line(end - 1)),
            name: String::new(),
            parent: None,
            signature: 0..0,
            doc: 0..0,
            is_test: false,
            is_part: false,
            def: None,
        });
    }
}

/// Continues chunks that own too much text in parts of their own.
fn split_long(text: &str, cut: Cut, lines: &Lines) -> Cut {
    let Cut { mut chunks, pieces } = cut;
    let mut owned = vec![(0usize, 0u32); chunks.len()];
    let mut out = Vec::with_capacity(pieces.len());
    // Where the text of a long chunk currently goes.
    let mut target: Vec<u32> = (0..chunks.len() as u32).collect();
    for piece in pieces {
        let whole = piece.chunk as usize;
        let mut start = piece.start as usize;
        for range in pieces_of(text, piece.start as usize..piece.end as usize, lines) {
            let (bytes, height) = &mut owned[whole];
            let add_lines = lines.line(range.end - 1) - lines.line(range.start) + 1;
            if *bytes > 0 && (*bytes + range.len() > PART_BYTES || *height + add_lines > PART_LINES) {
                if start < range.start {
                    out.push(Piece { start: start as u32, end: range.start as u32, chunk: target[whole] });
                }
                start = range.start;
                (*bytes, *height) = (0, 0);
                target[whole] = chunks.len() as u32;
                let model = &chunks[whole];
                let part = Chunk {
                    span: range.start as u32..range.end as u32,
                    lines: (lines.line(range.start), lines.line(range.end - 1)),
                    parent: model.parent,
                    signature: 0..0,
                    doc: 0..0,
                    is_part: true,
                    ..model.clone()
                };
                chunks.push(part);
            }
            let (bytes, height) = &mut owned[whole];
            *bytes += range.len();
            *height += add_lines;
            let current = target[whole] as usize;
            if current != whole {
                chunks[current].span.end = range.end as u32;
                chunks[current].lines.1 = lines.line(range.end - 1);
            }
        }
        out.push(Piece { start: start as u32, end: piece.end, chunk: target[whole] });
    }
    in_order(chunks, out)
}

/// Cuts a long piece at lines; short ones stay whole.
fn pieces_of(text: &str, range: Range<usize>, lines: &Lines) -> Vec<Range<usize>> {
    let height = lines.line(range.end - 1) - lines.line(range.start) + 1;
    if range.len() <= PART_BYTES && height <= PART_LINES {
        return vec![range];
    }
    layout::blocks(text, range)
}

/// Parts were appended; chunks are wanted in order of their start. Blocks that own no text are dropped.
fn in_order(chunks: Vec<Chunk>, mut pieces: Vec<Piece>) -> Cut {
    let mut owns = vec![false; chunks.len()];
    for piece in &pieces {
        owns[piece.chunk as usize] = true;
    }
    let kept = |at: &u32| owns[*at as usize] || chunks[*at as usize].kind != Kind::Block;
    let mut order: Vec<u32> = (0..chunks.len() as u32).filter(kept).collect();
    order.sort_by_key(|at| (chunks[*at as usize].span.start, u32::MAX - chunks[*at as usize].span.end, *at));
    let mut place = vec![u32::MAX; chunks.len()];
    for (new, old) in order.iter().enumerate() {
        place[*old as usize] = new as u32;
    }
    for piece in &mut pieces {
        piece.chunk = place[piece.chunk as usize];
    }
    // A dropped block hands its children to its own parent.
    let new_parent = |chunk: &Chunk| {
        let mut parent = chunk.parent;
        while let Some(old) = parent.filter(|old| place[*old as usize] == u32::MAX) {
            parent = chunks[old as usize].parent;
        }
        parent.map(|old| place[old as usize])
    };
    let chunks = order
        .iter()
        .map(|old| &chunks[*old as usize])
        .map(|chunk| Chunk { parent: new_parent(chunk), ..chunk.clone() })
        .collect();
    Cut { chunks, pieces }
}
