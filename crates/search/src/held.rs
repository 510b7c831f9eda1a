//! Files that are what they were when they were looked at.

use std::fs::{File, Metadata};
use std::io;
use std::path::Path;

/// Opens the file at a path whose links are resolved. A link that was swapped in on the way is found out: what was
/// opened must be what lies there, and no link may lead there any more.
pub fn open_resolved(path: &Path) -> io::Result<File> {
    let changed = || io::Error::new(io::ErrorKind::NotFound, "the file changed while it was opened");
    // A pipe would keep us waiting.
    if !path.symlink_metadata()?.is_file() {
        return Err(changed());
    }
    let file = File::open(path)?;
    let (held, lies_there) = (file.metadata()?, path.symlink_metadata()?);
    match held.is_file() && is_same(&held, &lies_there) && path.canonicalize()? == path {
        true => Ok(file),
        false => Err(changed()),
    }
}

#[cfg(unix)]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    use std::os::unix::fs::MetadataExt;
    (one.dev(), one.ino()) == (other.dev(), other.ino())
}

#[cfg(not(unix))]
fn is_same(one: &Metadata, other: &Metadata) -> bool {
    other.is_file() && one.len() == other.len() && one.modified().ok() == other.modified().ok()
}
