//! The tables, and what marks a file as ours.

use std::path::Path;
use std::time::Duration;

use mainstay_contract::{Call, CancelGuard};
use rusqlite::{Connection, OpenFlags};

use super::SqliteError;

/// Raise it when tables change; older files are built anew.
pub const FORMAT: i64 = 1;
/// `application_id` of the file: "Mnst".
pub const APPLICATION: i64 = 0x4d6e_7374;
/// How long another writer is waited for.
const PATIENCE: Duration = Duration::from_secs(5);

pub const TABLES: &str = r#"
CREATE TABLE meta (key TEXT PRIMARY KEY, value) WITHOUT ROWID;
CREATE TABLE parts (name TEXT PRIMARY KEY, bytes BLOB NOT NULL);
CREATE TABLE contents (
    id INTEGER PRIMARY KEY,
    segment TEXT NOT NULL,
    blob INTEGER NOT NULL,
    hash TEXT NOT NULL,
    lang TEXT NOT NULL,
    is_structural INTEGER NOT NULL,
    bytes INTEGER NOT NULL,
    UNIQUE (segment, blob)
);
CREATE TABLE files (
    path TEXT PRIMARY KEY,
    content INTEGER NOT NULL REFERENCES contents (id),
    ext TEXT NOT NULL,
    size INTEGER NOT NULL,
    modified INTEGER NOT NULL,
    traits TEXT NOT NULL
);
CREATE INDEX files_content ON files (content);
CREATE TABLE chunks (
    id INTEGER PRIMARY KEY,
    content INTEGER NOT NULL REFERENCES contents (id),
    kind TEXT NOT NULL,
    lang TEXT NOT NULL,
    name TEXT NOT NULL,
    scope TEXT NOT NULL,
    start INTEGER NOT NULL,
    end INTEGER NOT NULL,
    start_line INTEGER NOT NULL,
    end_line INTEGER NOT NULL,
    signature TEXT NOT NULL,
    doc TEXT NOT NULL,
    is_test INTEGER NOT NULL,
    is_part INTEGER NOT NULL,
    words INTEGER NOT NULL
);
CREATE INDEX chunks_content ON chunks (content);
CREATE INDEX chunks_name ON chunks (name) WHERE name <> '';
CREATE TABLE facts (
    fact TEXT NOT NULL,
    value TEXT NOT NULL,
    chunk INTEGER NOT NULL REFERENCES chunks (id),
    PRIMARY KEY (fact, value, chunk)
) WITHOUT ROWID;
CREATE INDEX facts_chunk ON facts (chunk);
CREATE VIRTUAL TABLE chunks_fts USING fts5 (
    name, text, terms,
    content = '', contentless_delete = 1, tokenize = 'unicode61 remove_diacritics 0'
);
CREATE TABLE vectors (chunk INTEGER PRIMARY KEY REFERENCES chunks (id), vector BLOB NOT NULL);
CREATE VIEW places AS
    SELECT chunks.id AS chunk, files.path, chunks.start_line, chunks.end_line, chunks.kind, chunks.lang,
           chunks.name, chunks.scope, chunks.signature
    FROM chunks JOIN files ON files.content = chunks.content;
"#;

/// Opens an existing database and checks that it is one of ours and of this format.
pub fn open(path: &Path, flags: OpenFlags) -> Result<Connection, SqliteError> {
    if !path.is_file() {
        return Err(SqliteError::Missing);
    }
    let wrong = SqliteError::of(path);
    let flags = flags | OpenFlags::SQLITE_OPEN_NO_MUTEX;
    let database = Connection::open_with_flags(path, flags).map_err(&wrong)?;
    database.busy_timeout(PATIENCE).map_err(&wrong)?;
    // The file may come from elsewhere: nothing in it may reach beyond it.
    database.pragma_update(None, "trusted_schema", false).map_err(&wrong)?;
    database.pragma_update(None, "cell_size_check", true).map_err(&wrong)?;
    let number = |name: &str| database.pragma_query_value(None, name, |row| row.get::<_, i64>(0));
    if number("application_id").map_err(&wrong)? != APPLICATION {
        return Err(SqliteError::Foreign { path: path.to_owned() });
    }
    let found = number("user_version").map_err(&wrong)?;
    if found != FORMAT {
        return Err(SqliteError::Version { path: path.to_owned(), found, supported: FORMAT });
    }
    Ok(database)
}

/// Ends what a connection is doing when the call is cancelled.
pub fn interruptible(call: &Call, database: &Connection) -> CancelGuard {
    let handle = database.get_interrupt_handle();
    call.cancel().on_cancel(move || handle.interrupt())
}

/// Makes an empty database in a file that nobody else knows yet.
pub fn create(path: &Path) -> Result<Connection, SqliteError> {
    let wrong = SqliteError::of(path);
    let database = Connection::open(path).map_err(&wrong)?;
    // The file gets its name only when it is whole and synced.
    database.pragma_update(None, "journal_mode", "OFF").map_err(&wrong)?;
    database.pragma_update(None, "synchronous", "OFF").map_err(&wrong)?;
    database.pragma_update(None, "application_id", APPLICATION).map_err(&wrong)?;
    database.pragma_update(None, "user_version", FORMAT).map_err(&wrong)?;
    database.execute_batch(TABLES).map_err(&wrong)?;
    Ok(database)
}
