//! Noticing changes other processes make, without looking at every file.
//!
//! File events say which files changed. About once a second the directory itself is looked at, in case it was
//! replaced; where events are not available, its time stamp and the listing stand in for them.

use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::time::{Duration, Instant};

use super::Layout;
use super::atomic::signature_of;
use crate::index::Signature;

#[cfg(target_os = "linux")]
use super::inotify::Events;
#[cfg(not(target_os = "linux"))]
use super::notified::Events;

/// How often the directory is looked at beside the events.
const CHECK_EVERY: Duration = Duration::from_secs(1);

/// What may have changed since the last look.
#[derive(Debug, Default, PartialEq, Eq)]
pub(crate) struct Changes {
    pub files: BTreeSet<String>,
    /// Events were lost or there are none: compare the whole directory.
    pub everything: bool,
    pub usage: bool,
}

/// What a source of events reports.
#[derive(Debug, Default)]
pub(crate) struct Drained {
    pub files: BTreeSet<String>,
    pub usage: bool,
    /// Events were dropped, or the watched directory is gone.
    pub lost: bool,
    /// The state directory appeared, so the usage journals can be watched now.
    pub state_appeared: bool,
}

pub(crate) struct Watch {
    events: Option<Events>,
    seen: Option<Signature>,
    checked: Instant,
}

impl Watch {
    /// Starts watching; call before reading the directory, so that nothing falls in between.
    pub fn start(layout: &Layout) -> Watch {
        Watch { events: Events::start(layout).ok(), seen: look(layout.dir()), checked: Instant::now() }
    }

    /// Collects what happened since the last call.
    pub fn changes(&mut self, layout: &Layout, own_journal: Option<&str>) -> Changes {
        let mut changes = Changes::default();
        let due = self.checked.elapsed() >= CHECK_EVERY;
        match &mut self.events {
            Some(events) => {
                let drained = events.drain(own_journal);
                changes.files = drained.files;
                changes.usage = drained.usage;
                if drained.state_appeared {
                    events.watch_usage(layout);
                    changes.usage = true;
                }
                let mut replaced = false;
                if due || !Events::IMMEDIATE {
                    let now = look(layout.dir());
                    replaced = now.map(|now| now.inode) != self.seen.map(|seen| seen.inode);
                    changes.everything = !Events::IMMEDIATE && now != self.seen;
                    self.seen = now;
                    self.checked = Instant::now();
                }
                if drained.lost || replaced {
                    *self = Watch::start(layout);
                    changes.everything = true;
                    changes.usage = true;
                }
            }
            None => {
                let now = look(layout.dir());
                if due || now != self.seen {
                    *self = Watch::start(layout);
                    changes.everything = true;
                    changes.usage = true;
                }
            }
        }
        changes
    }
}

fn look(dir: &Path) -> Option<Signature> {
    fs::metadata(dir).ok().map(|metadata| signature_of(&metadata))
}

/// Sorts one event into what was drained.
pub(crate) fn sort_event(drained: &mut Drained, name: &str) {
    if super::entry_name(name) {
        drained.files.insert(name.to_owned());
    } else if name == super::STATE {
        drained.state_appeared = true;
    }
}
