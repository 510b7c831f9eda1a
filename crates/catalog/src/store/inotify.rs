//! File events on Linux, read straight from the kernel's queue.
//!
//! The kernel queues an event before the call that caused it returns, so a read that drains the queue sees every change
//! any process has acknowledged.

use std::mem::MaybeUninit;
use std::os::fd::OwnedFd;

use rustix::fs::inotify::{CreateFlags, ReadFlags, Reader, WatchFlags, add_watch, init};
use rustix::io;

use super::Layout;
use super::watch::{Drained, sort_event};

pub(crate) struct Events {
    queue: OwnedFd,
    entries: i32,
    usage: Option<i32>,
}

impl Events {
    /// A change is in the queue before its author can tell anybody.
    pub const IMMEDIATE: bool = true;

    pub fn start(layout: &Layout) -> io::Result<Events> {
        let queue = init(CreateFlags::CLOEXEC | CreateFlags::NONBLOCK)?;
        let flags = WatchFlags::CLOSE_WRITE
            | WatchFlags::CREATE
            | WatchFlags::MOVE
            | WatchFlags::DELETE
            | WatchFlags::DELETE_SELF
            | WatchFlags::MOVE_SELF
            | WatchFlags::ONLYDIR;
        let entries = add_watch(&queue, layout.dir(), flags)?;
        let mut events = Events { queue, entries, usage: None };
        events.watch_usage(layout);
        Ok(events)
    }

    pub fn watch_usage(&mut self, layout: &Layout) {
        let flags = WatchFlags::MODIFY
            | WatchFlags::CREATE
            | WatchFlags::MOVE
            | WatchFlags::DELETE
            | WatchFlags::ONLYDIR;
        self.usage = add_watch(&self.queue, layout.usage(), flags).ok();
    }

    /// Takes everything out of the queue. Events of the process's own journal are no news.
    pub fn drain(&mut self, own_journal: Option<&str>) -> Drained {
        let mut drained = Drained::default();
        let mut buffer = [MaybeUninit::uninit(); 8192];
        let mut reader = Reader::new(&self.queue, &mut buffer);
        loop {
            let event = match reader.next() {
                Ok(event) => event,
                Err(io::Errno::WOULDBLOCK) => return drained,
                Err(io::Errno::INTR) => continue,
                Err(_) => {
                    drained.lost = true;
                    return drained;
                }
            };
            let name = event.file_name().map(|name| name.to_string_lossy());
            let name = name.as_deref();
            let flags = event.events();
            if flags.contains(ReadFlags::QUEUE_OVERFLOW) {
                drained.lost = true;
            } else if event.wd() == self.entries {
                let gone =
                    ReadFlags::DELETE_SELF | ReadFlags::MOVE_SELF | ReadFlags::IGNORED | ReadFlags::UNMOUNT;
                drained.lost |= flags.intersects(gone);
                if let Some(name) = name {
                    sort_event(&mut drained, name);
                }
            } else if Some(event.wd()) == self.usage && name != own_journal {
                drained.usage = true;
            }
        }
    }
}
