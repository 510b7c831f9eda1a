//! Files that are written whole or not at all.

use std::io::{Error, ErrorKind, Write};
use std::path::Path;

/// Writes a file: with the permissions it has, or as open as an editor would make a new one.
pub fn write(path: &Path, text: &str) -> std::io::Result<()> {
    write_like(path, text, path)
}

/// Writes a file with the permissions of another.
pub fn write_like(path: &Path, text: &str, like: &Path) -> std::io::Result<()> {
    let dir = folder(path);
    std::fs::create_dir_all(dir)?;
    let file = prepared(dir, text)?;
    if let Ok(metadata) = std::fs::metadata(like) {
        file.as_file().set_permissions(metadata.permissions())?;
    }
    file.persist(path)?;
    sync(dir)
}

/// Writes a file that only its owner can read.
pub fn write_private(path: &Path, text: &str) -> std::io::Result<()> {
    let dir = folder(path);
    std::fs::create_dir_all(dir)?;
    // Temporary files are private.
    let mut file = tempfile::NamedTempFile::new_in(dir)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    file.persist(path)?;
    sync(dir)
}

/// Writes a file that must not be there yet.
pub fn write_new(path: &Path, text: &str) -> std::io::Result<()> {
    let dir = folder(path);
    std::fs::create_dir_all(dir)?;
    prepared(dir, text)?.persist_noclobber(path).map_err(|error| match error.error.kind() {
        ErrorKind::AlreadyExists => Error::new(ErrorKind::AlreadyExists, "it exists already"),
        _ => error.error,
    })?;
    sync(dir)
}

fn folder(path: &Path) -> &Path {
    path.parent().filter(|dir| !dir.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

fn prepared(dir: &Path, text: &str) -> std::io::Result<tempfile::NamedTempFile> {
    let mut builder = tempfile::Builder::new();
    // Temporary files are private unless told otherwise; these become ordinary ones.
    #[cfg(unix)]
    {
        use std::os::unix::fs::PermissionsExt;
        builder.permissions(std::fs::Permissions::from_mode(0o666));
    }
    let mut file = builder.tempfile_in(dir)?;
    file.write_all(text.as_bytes())?;
    file.as_file().sync_all()?;
    Ok(file)
}

fn sync(dir: &Path) -> std::io::Result<()> {
    if cfg!(unix) { std::fs::File::open(dir)?.sync_all() } else { Ok(()) }
}
