//! Code search engine.

#![cfg_attr(test, allow(clippy::unwrap_used))]

pub mod chunk;
pub mod lang;

/// Cuts one text into its chunks, without an index: what a file consists of.
pub fn outline(path: &str, text: &str) -> Vec<chunk::Chunk> {
    chunk::cut(text, lang::detect(path, text), chunk::Depth::Structural).chunks
}
