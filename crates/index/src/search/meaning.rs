//! Hits by meaning: the chunks whose vectors lie nearest to the query's words join those found by words.

use super::filter::Admitted;
use super::plan::{Plan, Step};
use super::rank::text_score;
use super::score::Candidate;
use super::{Trouble, weights};
use crate::hash::FastMap;
use crate::query::Query;
use crate::token;
use crate::vectors::{Table, nearest};
use crate::view::View;

/// So many chunks of each segment can gain from their vector.
const NEAREST: usize = 200;

pub(super) fn add(
    view: &View,
    plan: &Plan,
    query: &Query,
    table: &Table,
    admitted: &Admitted<'_>,
    found: &mut Vec<Candidate>,
) -> Result<(), Trouble> {
    let mut words: Vec<String> = Vec::new();
    for word in query.words() {
        token::words(&word.text, |_, part| token::parts(part, |stem| words.push(stem.to_owned())));
    }
    words.sort_unstable();
    words.dedup();
    let Some(direction) = table.direction(words.iter().map(String::as_str)) else {
        return Ok(());
    };
    let mut near: Vec<(u32, u32, f32)> = Vec::new();
    for (number, part) in view.parts.iter().enumerate() {
        let allowed = admitted.chunks[number].as_ref();
        let admits = |chunk| {
            part.live.contains(chunk)
                && allowed.is_none_or(|allowed| allowed.contains(chunk))
                && admitted.by_text(number, chunk).unwrap_or_default()
        };
        let vectors = part.segment.vectors(table)?;
        let chunks = nearest(&vectors, &direction, NEAREST, admits)?;
        near.extend(chunks.into_iter().map(|(chunk, cosine)| (number as u32, chunk, cosine)));
    }
    near.sort_unstable_by(|left, right| {
        right.2.total_cmp(&left.2).then((left.0, left.1).cmp(&(right.0, right.1)))
    });
    near.truncate(NEAREST);
    let (Some(best), Some(last)) = (near.first().map(|near| near.2), near.last().map(|near| near.2)) else {
        return Ok(());
    };
    // The nearest gains a share of what the best text is worth, the last nothing.
    let most = found.iter().map(text_score).fold(1.0, f32::max) * weights::VECTOR;
    let share = |cosine: f32| if best > last { (cosine - last) / (best - last) } else { 1.0 };
    let gains: FastMap<(u32, u32), f32> =
        near.iter().map(|(part, chunk, cosine)| ((*part, *chunk), most * share(*cosine))).collect();
    let mut known: FastMap<(u32, u32), ()> = FastMap::default();
    for candidate in found.iter_mut() {
        if let Some(gain) = gains.get(&(candidate.part, candidate.chunk)) {
            candidate.vector = *gain;
            known.insert((candidate.part, candidate.chunk), ());
        }
    }
    // Beside operators a hit has to hold what they ask.
    if !matches!(plan.root, Step::Question(_) | Step::Together(_) | Step::Word(_)) {
        return Ok(());
    }
    for (part, chunk, _) in near.iter().filter(|(part, chunk, _)| !known.contains_key(&(*part, *chunk))) {
        for file in view.parts[*part as usize].files_of_chunk(*chunk) {
            if admitted.files.as_ref().is_none_or(|files| files.contains(*file)) {
                found.push(Candidate {
                    part: *part,
                    chunk: *chunk,
                    file: *file,
                    mask: 0,
                    bm25: 0.0,
                    file_bm25: 0.0,
                    vector: gains[&(*part, *chunk)],
                });
            }
        }
    }
    Ok(())
}
