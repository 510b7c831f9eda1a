//! Writing a file so that a crash leaves the old or the new one, never a torn one.

use std::fs::{File, OpenOptions};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::Path;

use crate::index::Signature;

/// Suffix of files that are not in place yet.
pub(crate) const TEMPORARY: &str = ".tmp";

/// Replaces `dir/name`. The content is on disk before it is in place; call [`sync_dir`] to make the place durable.
pub(crate) fn replace(dir: &Path, name: &str, bytes: &[u8]) -> io::Result<Signature> {
    let prefix = format!(".{name}.");
    let mut builder = tempfile::Builder::new();
    builder.prefix(&prefix).suffix(TEMPORARY).rand_bytes(12);
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        // As for any new file: the umask decides.
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(dir)?;
    file.write_all(bytes)?;
    file.as_file().sync_all()?;
    let signature = signature_of(&file.as_file().metadata()?);
    file.persist(dir.join(name)).map_err(|error| error.error)?;
    Ok(signature)
}

/// Makes renames and removals in a directory durable.
pub(crate) fn sync_dir(dir: &Path) -> io::Result<()> {
    #[cfg(unix)]
    File::open(dir)?.sync_all()?;
    #[cfg(not(unix))]
    let _ = dir;
    Ok(())
}

/// Appends one line to a file. A line that a crash cut short is closed first, so that it spoils only itself.
pub(crate) fn append(path: &Path, line: &[u8], durable: bool) -> io::Result<()> {
    let mut file = OpenOptions::new().create(true).append(true).read(true).open(path)?;
    let mut bytes = Vec::with_capacity(line.len() + 2);
    if !ends_with_newline(&mut file)? {
        bytes.push(b'\n');
    }
    bytes.extend_from_slice(line);
    bytes.push(b'\n');
    file.write_all(&bytes)?;
    if durable {
        file.sync_data()?;
    }
    Ok(())
}

fn ends_with_newline(file: &mut File) -> io::Result<bool> {
    if file.metadata()?.len() == 0 {
        return Ok(true);
    }
    let mut last = [0];
    file.seek(SeekFrom::End(-1))?;
    file.read_exact(&mut last)?;
    Ok(last == *b"\n")
}

pub(crate) fn signature_of(metadata: &std::fs::Metadata) -> Signature {
    let modified_ns = metadata
        .modified()
        .ok()
        .and_then(|time| time.duration_since(std::time::UNIX_EPOCH).ok())
        .map_or(0, |age| age.as_nanos() as i128);
    #[cfg(unix)]
    let inode = std::os::unix::fs::MetadataExt::ino(metadata);
    #[cfg(not(unix))]
    let inode = 0;
    Signature { modified_ns, len: metadata.len(), inode }
}
