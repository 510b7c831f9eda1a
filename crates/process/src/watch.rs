//! Noticing that the process that started us is gone.

use std::io;
use std::time::Duration;

use rustix::process::{Pid, getppid};

/// How often the parent is looked up where the kernel cannot tell us.
const LOOK_EVERY: Duration = Duration::from_secs(1);

/// Calls `on_gone` from a thread of its own when our parent process ends, however it ends.
///
/// A server on standard input sees the end of it when its client dies, unless something else keeps the pipe open; this
/// does not depend on pipes. Call it early: a parent that died before is not missed. Without a parent that we can see
/// (the first process of a container) there is nothing to watch.
pub fn watch_parent(on_gone: impl FnOnce() + Send + 'static) -> io::Result<()> {
    let Some(parent) = getppid() else {
        return Ok(());
    };
    let watch = move || {
        wait_for_end(parent);
        on_gone();
    };
    std::thread::Builder::new().name("parent-watch".to_owned()).spawn(watch).map(drop)
}

fn wait_for_end(parent: Pid) {
    #[cfg(target_os = "linux")]
    if let Ok(descriptor) = rustix::process::pidfd_open(parent, rustix::process::PidfdFlags::empty()) {
        use rustix::event::{PollFd, PollFlags, poll};
        // Another parent by now: the number was looked up too late.
        while getppid() == Some(parent) {
            if poll(&mut [PollFd::new(&descriptor, PollFlags::IN)], None).is_ok() {
                return;
            }
        }
        return;
    }
    while getppid() == Some(parent) {
        std::thread::sleep(LOOK_EVERY);
    }
}
