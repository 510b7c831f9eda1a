//! The advisory lock under which every change runs.

use std::fs::{self, File, OpenOptions, TryLockError};
use std::time::{Duration, Instant};

use super::{Layout, sync_dir};
use crate::error::CatalogError;

/// How long a change waits for another process. Longer than any single change takes, shorter than a caller waits.
const PATIENCE: Duration = Duration::from_secs(20);

/// Holds the catalog against other writers until dropped.
pub(crate) struct WriteLock {
    _file: File,
}

impl WriteLock {
    /// Creates the directories a writer needs and takes the lock.
    pub fn take(layout: &Layout) -> Result<WriteLock, CatalogError> {
        let path = layout.lock();
        let file = open(layout)?;
        let end = Instant::now() + PATIENCE;
        let mut pause = Duration::from_micros(200);
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(WriteLock { _file: file }),
                Err(TryLockError::Error(source)) => return Err(CatalogError::io("lock", &path)(source)),
                Err(TryLockError::WouldBlock) if Instant::now() >= end => {
                    return Err(CatalogError::Locked { dir: layout.dir().to_owned() });
                }
                Err(TryLockError::WouldBlock) => {
                    std::thread::sleep(pause);
                    pause = (pause * 2).min(Duration::from_millis(10));
                }
            }
        }
    }

    /// Takes the lock if nobody holds it.
    pub fn try_take(layout: &Layout) -> Option<WriteLock> {
        let file = open(layout).ok()?;
        file.try_lock().ok()?;
        Some(WriteLock { _file: file })
    }
}

fn open(layout: &Layout) -> Result<File, CatalogError> {
    let path = layout.lock();
    let open = || OpenOptions::new().create(true).truncate(false).write(true).open(&path);
    match open() {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => {
            prepare(layout)?;
            open()
        }
        opened => opened,
    }
    .map_err(CatalogError::io("open", &path))
}

/// Creates the directories a writer needs.
pub(crate) fn prepare(layout: &Layout) -> Result<(), CatalogError> {
    for dir in [layout.archive(), layout.usage()] {
        fs::create_dir_all(&dir).map_err(CatalogError::io("create", &dir))?;
    }
    for dir in [layout.state().as_path(), layout.dir()] {
        sync_dir(dir).map_err(CatalogError::io("write", dir))?;
    }
    Ok(())
}
