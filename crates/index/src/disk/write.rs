//! Writing a file so that it is there whole or not at all.

use crate::error::IndexError;
use std::fs::File;
use std::io::Write as _;
use std::path::Path;

/// Writes `bytes` as `folder/name`: temporary file, fsync, rename, fsync of the folder.
pub(crate) fn whole(folder: &Path, name: &str, bytes: &[u8]) -> Result<(), IndexError> {
    let target = folder.join(name);
    let mut file =
        tempfile::Builder::new().prefix(".writing-").tempfile_in(folder).map_err(IndexError::io(folder))?;
    file.write_all(bytes).map_err(IndexError::io(&target))?;
    file.as_file().sync_all().map_err(IndexError::io(&target))?;
    file.persist(&target).map_err(|error| IndexError::io(&target)(error.error))?;
    sync_folder(folder)
}

fn sync_folder(folder: &Path) -> Result<(), IndexError> {
    // Directories cannot be opened for syncing everywhere; where they can, the rename is made durable.
    if cfg!(unix) {
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(IndexError::io(folder))?;
    }
    Ok(())
}
