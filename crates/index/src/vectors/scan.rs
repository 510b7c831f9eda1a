//! The exact scan: sign bits of every vector, then the values of the nearest.

use super::chunks::{ChunkVectors, parts, sign_bits};
use crate::error::Damaged;

/// So many times the wanted number are compared by value after the look at their signs.
const MARGIN: usize = 8;

/// The chunks nearest to a direction with their cosine, best first; equal ones by number.
pub(crate) fn nearest(
    vectors: &ChunkVectors,
    direction: &[f32],
    wanted: usize,
    admits: impl Fn(u32) -> bool,
) -> Result<Vec<(u32, f32)>, Damaged> {
    if direction.len() != vectors.dimensions || vectors.count == 0 {
        return Ok(Vec::new());
    }
    let signs = sign_bits(direction);
    let chunks = vectors.chunks()?;
    let mut near: Vec<(u32, u32)> = Vec::with_capacity(vectors.count);
    for (at, (own, chunk)) in
        vectors.signs()?.chunks_exact(signs.len()).zip(chunks.chunks_exact(4)).enumerate()
    {
        let chunk = u32::from_le_bytes([chunk[0], chunk[1], chunk[2], chunk[3]]);
        if admits(chunk) {
            near.push((distance(own, &signs), at as u32));
        }
    }
    let kept = wanted.saturating_mul(MARGIN);
    if near.len() > kept {
        near.select_nth_unstable(kept);
        near.truncate(kept);
    }
    let mut found = Vec::with_capacity(near.len());
    for (_, at) in near {
        let cosine = cosine(vectors.values(at as usize)?, direction);
        found.push((vectors.chunk(at as usize)?, cosine));
    }
    found.sort_unstable_by(|left, right| right.1.total_cmp(&left.1).then(left.0.cmp(&right.0)));
    found.truncate(wanted);
    Ok(found)
}

fn distance(left: &[u8], right: &[u8]) -> u32 {
    let word = |bytes: &[u8]| u64::from_le_bytes(bytes.try_into().unwrap_or_default());
    let (left_words, right_words) = (left.chunks_exact(8), right.chunks_exact(8));
    let rest = left_words.remainder().iter().zip(right_words.remainder());
    let rest: u32 = rest.map(|(left, right)| (left ^ right).count_ones()).sum();
    left_words.zip(right_words).map(|(left, right)| (word(left) ^ word(right)).count_ones()).sum::<u32>()
        + rest
}

/// The cosine of a stored vector, whose length quantising changed, and a direction of length one.
fn cosine(values: &[u8], direction: &[f32]) -> f32 {
    let (mut dot, mut square) = (0.0f32, 0.0f32);
    for (byte, wanted) in values.iter().zip(direction.chunks_exact(2)) {
        let [first, second] = parts(*byte);
        dot += first * wanted[0] + second * wanted[1];
        square += first * first + second * second;
    }
    if square > 0.0 { dot / square.sqrt() } else { 0.0 }
}
