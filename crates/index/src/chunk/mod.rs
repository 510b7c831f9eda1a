//! Cutting a text into chunks: the pieces that are indexed, ranked and shown.
//!
//! A chunker for the file's language finds *definitions* (`Def`): by grammar, by heading, by key. `assemble` nests
//! them, gives every byte to exactly one chunk (the innermost), turns what is left over into blocks cut by layout and
//! splits what is too long. So no text is counted twice and none is lost.

mod assemble;
mod config;
mod css;
mod inner;
mod kind;
mod layout;
mod lines;
mod markdown;
mod markup;
mod pages;
mod prose;
mod structural;

pub use kind::Kind;
pub(crate) use lines::Lines;
pub(crate) use prose::is_worth_reading;

use crate::facts::Mark;
use crate::lang::{Chunker, LangId};
use std::ops::Range;

/// One chunk of a text. Spans are byte offsets into the decoded text.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Chunk {
    pub kind: Kind,
    pub lang: LangId,
    pub span: Range<u32>,
    /// First and last line, counted from 1.
    pub lines: (u32, u32),
    /// Empty for blocks.
    pub name: String,
    /// The chunk this one is nested in.
    pub parent: Option<u32>,
    pub signature: Range<u32>,
    pub doc: Range<u32>,
    pub is_test: bool,
    /// A continuation of the chunk before it, which was too long.
    pub is_part: bool,
    /// Number of the definition it was made of; parts share it.
    pub(crate) def: Option<u32>,
}

/// A stretch of text and the chunk it belongs to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct Piece {
    pub start: u32,
    pub end: u32,
    pub chunk: u32,
}

/// A text cut into chunks, in order of their start.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Cut {
    pub chunks: Vec<Chunk>,
    /// Tiles the text where it is not blank, in order.
    pub pieces: Vec<Piece>,
}

/// What a chunker found; `assemble` makes chunks of them.
#[derive(Clone, Debug, Default)]
pub(crate) struct Def {
    pub span: Range<usize>,
    pub kind: Option<Kind>,
    pub lang: Option<LangId>,
    pub name: String,
    pub signature: Range<usize>,
    pub doc: Range<usize>,
    pub is_test: bool,
    /// Position among the definitions of the text, by which facts refer to it.
    pub number: u32,
}

/// How much work a cut may do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Depth {
    /// Layout only: the lexical tier, and files where a grammar would be wasted (minified, too large).
    Lexical,
    Structural,
}

/// Cuts `text` into chunks.
pub(crate) fn cut(text: &str, lang: LangId, depth: Depth) -> (Cut, Vec<Mark>) {
    let Parsed { mut defs, marks } = match depth {
        Depth::Lexical => Parsed::default(),
        Depth::Structural => definitions(text, lang, 0),
    };
    for (number, def) in defs.iter_mut().enumerate() {
        def.number = number as u32;
    }
    (assemble::assemble(text, lang, defs), marks)
}

/// What a chunker found in a text: definitions, and facts about them.
#[derive(Debug, Default)]
pub(crate) struct Parsed {
    pub defs: Vec<Def>,
    pub marks: Vec<Mark>,
}

impl From<Vec<Def>> for Parsed {
    fn from(defs: Vec<Def>) -> Parsed {
        Parsed { defs, marks: Vec::new() }
    }
}

/// Parses a text without cutting it, for measuring. False where the language has no grammar.
#[doc(hidden)]
pub fn parse_only(path: &str, text: &str) -> bool {
    structural::parse_only(text, crate::lang::detect(path, text))
}

/// Embedded languages nest (Markdown in HTML in Markdown); past this depth they stay part of their host.
const MAX_EMBEDDING: usize = 2;

fn definitions(text: &str, lang: LangId, level: usize) -> Parsed {
    match lang.get().chunker {
        Chunker::Grammar => structural::definitions(text, lang),
        Chunker::Layout => Parsed::default(),
        Chunker::Markdown => embed(text, markdown::sections(text), level),
        Chunker::Markup => embed(text, markup::elements(text), level),
        Chunker::Pages => embed(text, pages::pages(text), level),
        Chunker::Json => config::json(text).into(),
        Chunker::Yaml => config::yaml(text).into(),
        Chunker::Toml => config::toml(text).into(),
        Chunker::Css => css::rules(text).into(),
    }
}

/// Definitions of a host text, and the ranges in it that are another language.
#[derive(Debug, Default)]
pub(crate) struct Host {
    pub defs: Vec<Def>,
    pub embedded: Vec<(Range<usize>, LangId)>,
}

fn embed(text: &str, host: Host, level: usize) -> Parsed {
    let Host { mut defs, embedded } = host;
    let mut marks = Vec::new();
    for (range, lang) in embedded {
        let Some(inner) = text.get(range.clone()).filter(|inner| !inner.trim().is_empty()) else {
            continue;
        };
        let range =
            range.start + (inner.len() - inner.trim_start().len())..range.start + inner.trim_end().len();
        let inner = &text[range.clone()];
        let found =
            if level < MAX_EMBEDDING { definitions(inner, lang, level + 1) } else { Parsed::default() };
        // The block around what was found keeps the embedded language for imports and loose statements.
        defs.push(Def { span: range.clone(), kind: Some(Kind::Block), lang: Some(lang), ..Def::default() });
        let first = defs.len() as u32;
        defs.extend(found.defs.into_iter().map(|def| def.moved_by(range.start, lang)));
        marks.extend(found.marks.into_iter().map(|mark| mark.moved_by(range.start as u32, first)));
    }
    Parsed { defs, marks }
}

impl Def {
    fn moved_by(self, offset: usize, lang: LangId) -> Def {
        let shift = |range: Range<usize>| range.start + offset..range.end + offset;
        Def {
            span: shift(self.span),
            signature: shift(self.signature),
            doc: shift(self.doc),
            lang: self.lang.or(Some(lang)),
            ..self
        }
    }
}
