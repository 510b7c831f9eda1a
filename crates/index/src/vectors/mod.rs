//! Search by meaning: a static table of word vectors, vectors of chunks beside the index, and an exact scan of them.
//!
//! ```text
//! table    one row of int8 per word of our own splitter, from a file
//! chunks   the sum of a chunk's words as sign bits and int4, in a file beside its segment
//! scan     sign bits of every chunk, then int4 of the nearest
//! ```
//!
//! A chunk's vector follows from its segment's postings and the table alone, so it is made when a build ends, made again
//! where the file is missing or damaged, and made on the fly for files that changed since.

mod chunks;
mod scan;
mod table;

pub(crate) use chunks::ChunkVectors;
pub(crate) use scan::nearest;
pub use table::Table;

/// What sidecar files are called: this, the segment's own name, the table's mark.
pub(crate) const PREFIX: &str = "vectors-";

/// Scales a sum of rows to length one; `None` for nothing.
fn normalised(mut sum: Vec<f32>) -> Option<Vec<f32>> {
    let length = sum.iter().map(|value| value * value).sum::<f32>().sqrt();
    if length <= 0.0 || !length.is_finite() {
        return None;
    }
    sum.iter_mut().for_each(|value| *value /= length);
    Some(sum)
}
