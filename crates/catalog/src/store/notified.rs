//! File events where the system has no queue to read directly: a watcher thread collects them.
//!
//! They arrive a moment late, which is why the directory check runs beside them.

use std::path::{Path, PathBuf};
use std::sync::{Arc, Mutex, PoisonError};

use notify::{RecommendedWatcher, RecursiveMode, Watcher};

use super::Layout;
use super::watch::{Drained, sort_event};

pub(crate) struct Events {
    watcher: RecommendedWatcher,
    pending: Arc<Mutex<Vec<Result<PathBuf, ()>>>>,
    usage: PathBuf,
}

impl Events {
    /// A thread delivers, when it gets to run.
    #[cfg_attr(target_os = "linux", expect(dead_code, reason = "Linux reads its own queue"))]
    pub const IMMEDIATE: bool = false;

    pub fn start(layout: &Layout) -> notify::Result<Events> {
        let pending: Arc<Mutex<Vec<Result<PathBuf, ()>>>> = Arc::default();
        let sink = Arc::clone(&pending);
        let mut watcher = notify::recommended_watcher(move |event: notify::Result<notify::Event>| {
            let mut sink = sink.lock().unwrap_or_else(PoisonError::into_inner);
            match event {
                Ok(event) if event.need_rescan() => sink.push(Err(())),
                Ok(event) if event.kind.is_access() => {}
                Ok(event) => sink.extend(event.paths.into_iter().map(Ok)),
                Err(_) => sink.push(Err(())),
            }
        })?;
        watcher.watch(layout.dir(), RecursiveMode::NonRecursive)?;
        let mut events = Events { watcher, pending, usage: layout.usage() };
        events.watch_usage(layout);
        Ok(events)
    }

    pub fn watch_usage(&mut self, layout: &Layout) {
        // Absent until the first write; the appearance of the state directory brings us here again.
        let _ = self.watcher.watch(&layout.usage(), RecursiveMode::NonRecursive);
    }

    pub fn drain(&mut self, own_journal: Option<&str>) -> Drained {
        let mut drained = Drained::default();
        let pending = std::mem::take(&mut *self.pending.lock().unwrap_or_else(PoisonError::into_inner));
        for event in pending {
            let Ok(path) = event else {
                drained.lost = true;
                continue;
            };
            let name = path.file_name().map(|name| name.to_string_lossy());
            let name = name.as_deref();
            match (name, path.parent()) {
                (name, Some(parent)) if same_tail(parent, &self.usage) => {
                    drained.usage |= name != own_journal
                }
                (Some(name), _) => sort_event(&mut drained, name),
                (None, _) => drained.lost = true,
            }
        }
        drained
    }
}

/// Events may name a directory by another spelling of its path, so the last two parts decide.
fn same_tail(left: &Path, right: &Path) -> bool {
    let tail = |path: &Path| path.iter().rev().take(2).map(ToOwned::to_owned).collect::<Vec<_>>();
    tail(left) == tail(right)
}

#[cfg(test)]
mod tests {
    use std::time::{Duration, Instant};

    use super::*;

    #[test]
    fn a_new_file_is_reported_by_name() {
        let dir = tempfile::tempdir().unwrap();
        let mut events = Events::start(&Layout::new(dir.path())).unwrap();
        std::fs::write(dir.path().join("a.json"), "{}").unwrap();
        let end = Instant::now() + Duration::from_secs(20);
        let mut files = std::collections::BTreeSet::new();
        while files.is_empty() && Instant::now() < end {
            files.extend(events.drain(None).files);
            std::thread::yield_now();
        }
        assert!(files.contains("a.json"), "{files:?}");
    }
}
