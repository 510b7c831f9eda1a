//! What the last generation knows of files that did not change.

use super::Run;
use crate::generation::FileEntry;
use crate::store::Opened;
use crate::walk::{Passed, SkipReason};
use std::collections::HashMap;

impl Run<'_> {
    /// Files whose size and time are those of the last generation keep their entry without being read.
    pub(super) fn take_over_unchanged(&mut self, last: &Opened) {
        let generation = &last.tables.generation;
        let place: HashMap<&str, u32> =
            self.segments.iter().enumerate().map(|(at, (name, _))| (name.as_str(), at as u32)).collect();
        let by_path: HashMap<&str, &FileEntry> =
            generation.files.iter().map(|file| (&*file.path, file)).collect();
        for (at, found) in self.found.iter().enumerate() {
            let Some(old) = by_path.get(found.path.as_str()) else {
                continue;
            };
            let Some(segment) = place.get(generation.segments[old.segment as usize].as_str()) else {
                continue;
            };
            if old.stamp == found.stamp {
                self.entries.insert(at, FileEntry { segment: *segment, ..(*old).clone() });
            }
        }
        // What is text may be seen differently by the program that wrote it.
        if generation.segments.iter().all(|segment| place.contains_key(segment.as_str())) {
            self.take_over_binaries(&generation.passed);
        }
    }

    /// A file that had no text and did not change has none now, unless somebody reads documents of its kind.
    fn take_over_binaries(&mut self, passed: &[Passed]) {
        let known: HashMap<&str, &Passed> = passed
            .iter()
            .filter(|file| file.reason == SkipReason::Binary && !self.documents.may_read(&file.path))
            .map(|file| (file.path.as_str(), file))
            .collect();
        if known.is_empty() {
            return;
        }
        for (at, found) in self.found.iter().enumerate() {
            if known.get(found.path.as_str()).is_some_and(|known| known.stamp == found.stamp) {
                self.passed.insert(found.path.clone(), (found.stamp, SkipReason::Binary));
                self.binaries.insert(at);
            }
        }
    }
}
