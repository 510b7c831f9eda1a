//! Making a database smaller: rows in order, no empty pages, one list per word.

use std::path::{Path, PathBuf};

use mainstay_contract::Call;
use rusqlite::{Connection, OpenFlags};

use super::write::{lock, put_in_place, temporary};
use super::{SqliteError, Target, schema};

/// Sizes before and after.
#[derive(Debug, Clone)]
pub struct Compacted {
    pub before_bytes: u64,
    pub after_bytes: u64,
    pub backup: Option<PathBuf>,
}

/// Size of a database, and how much of it is empty pages.
pub fn weigh(path: &Path) -> Result<(u64, u64), SqliteError> {
    let database = schema::open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let number = |name: &str| -> Result<u64, SqliteError> {
        let value = database.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
        Ok(value.map_err(SqliteError::of(path))?.cast_unsigned())
    };
    let page = number("page_size")?;
    Ok((number("page_count")? * page, number("freelist_count")? * page))
}

/// Writes the database anew and puts it in the place of the old one; an error leaves the old one as it is.
pub fn compact(call: &Call, target: Target<'_>, keep_backup: bool) -> Result<Compacted, SqliteError> {
    let path = target.path;
    let _lock = lock(target)?;
    let (before_bytes, _) = weigh(path)?;
    let folder = path.parent().unwrap_or(Path::new("."));
    let wrong = SqliteError::of(path);
    let file = temporary(folder)?;
    // VACUUM INTO wants a name without a file.
    std::fs::remove_file(&file).map_err(SqliteError::io(&file))?;
    call.progress("compact", "copying rows in order");
    let copied = copy(call, path, &file);
    // Whatever an interrupted statement says, the reason is the cancel.
    call.cancel().check()?;
    copied?;
    call.progress("compact", "merging the lists of words");
    let optimised = optimise(call, &file);
    call.cancel().check()?;
    optimised.map_err(&wrong)?;
    let backup = keep_backup.then(|| backup_path(path));
    if let Some(backup) = &backup {
        std::fs::copy(path, backup).map_err(SqliteError::io(backup))?;
    }
    put_in_place(file, path)?;
    let after_bytes = std::fs::metadata(path).map(|meta| meta.len()).unwrap_or_default();
    Ok(Compacted { before_bytes, after_bytes, backup })
}

fn copy(call: &Call, from: &Path, to: &Path) -> Result<(), SqliteError> {
    let database = schema::open(from, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let _stop = schema::interruptible(call, &database);
    database.execute("VACUUM INTO ?", [to.to_string_lossy()]).map_err(SqliteError::of(from))?;
    Ok(())
}

fn optimise(call: &Call, path: &Path) -> rusqlite::Result<()> {
    let database = Connection::open(path)?;
    let _stop = schema::interruptible(call, &database);
    database.pragma_update(None, "journal_mode", "OFF")?;
    database.pragma_update(None, "synchronous", "OFF")?;
    database.execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('optimize')", [])?;
    database.execute("VACUUM", [])?;
    database.pragma_update(None, "journal_mode", "DELETE")?;
    Ok(())
}

fn backup_path(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(".bak");
    name.into()
}
