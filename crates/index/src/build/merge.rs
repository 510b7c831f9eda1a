//! Merging segments after a build.

use super::{FILE_BYTES, Phase, Place, Progress, Run};
use crate::error::IndexError;
use crate::segment::Segment;
use std::collections::HashMap;
use std::sync::Arc;

/// More small segments than this are merged into one.
const SMALL_SEGMENTS: usize = 8;
const SMALL_BYTES: u64 = 16 << 20;

impl Run<'_> {
    /// Merges small and mostly dead segments, so that years of small changes do not slow down queries.
    pub(super) fn merge_small(&mut self) -> Result<(), IndexError> {
        let mut live: Vec<u64> = vec![0; self.segments.len()];
        // What files cost beside their text: a segment full of tiny ones is no small one.
        let mut beside: Vec<u64> = vec![0; self.segments.len()];
        let mut used: Vec<Vec<bool>> =
            self.segments.iter().map(|(_, segment)| vec![false; segment.blob_count() as usize]).collect();
        for entry in self.entries.values() {
            let seen = &mut used[entry.segment as usize][entry.blob as usize];
            if !*seen {
                *seen = true;
                live[entry.segment as usize] += entry.stamp.size;
                beside[entry.segment as usize] += FILE_BYTES;
            }
        }
        let total = |segment: &Segment| {
            (0..segment.blob_count())
                .filter_map(|blob| segment.blob(blob).ok())
                .map(|blob| u64::from(blob.text_bytes))
                .sum::<u64>()
        };
        let small: Vec<usize> =
            (0..live.len()).filter(|at| live[*at] > 0 && live[*at] + beside[*at] < SMALL_BYTES).collect();
        let dead: Vec<usize> = (0..live.len())
            .filter(|at| live[*at] > 0 && live[*at] * 2 < total(&self.segments[*at].1))
            .collect();
        let mut chosen: Vec<usize> = if small.len() > SMALL_SEGMENTS { small } else { Vec::new() };
        chosen.extend(dead);
        chosen.sort_unstable();
        chosen.dedup();
        if chosen.is_empty() {
            return Ok(());
        }
        (self.progress)(Progress {
            phase: Phase::Writing,
            files_done: 0,
            files_total: 0,
            bytes_done: 0,
            bytes_total: 0,
        });
        let mut moved: HashMap<Place, Place> = HashMap::new();
        for at in chosen {
            let segment = Arc::clone(&self.segments[at].1);
            let target = self.segments.len() as u32;
            let places = self.builder.absorb(&segment, |blob| used[at][blob as usize]);
            let places = places.map_err(|damaged| damaged.in_file(segment.path()))?;
            let places =
                places.into_iter().enumerate().filter_map(|(old, new)| new.map(|new| (old as u32, new)));
            moved.extend(places.map(|(old, new)| ((at as u32, old), (target, new))));
            if self.builder_is_full() {
                self.flush()?;
            }
        }
        self.flush()?;
        for entry in self.entries.values_mut() {
            if let Some((segment, blob)) = moved.get(&(entry.segment, entry.blob)) {
                (entry.segment, entry.blob) = (*segment, *blob);
            }
        }
        Ok(())
    }
}
