//! From a database to an index that answers, and the check that it is whole.

use std::path::Path;

use mainstay_index::Index;
use rusqlite::{Connection, OpenFlags};

use super::{SqliteError, schema};

/// Reads the parts that ranking needs; the connection is closed again, so that no writer waits for searches.
pub fn load(repo: &Path, path: &Path) -> Result<Index, SqliteError> {
    let database = schema::open(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    let (generation, segments) = parts(&database).map_err(SqliteError::of(path))?;
    let damaged = |reason: String| SqliteError::Damaged { path: path.to_owned(), reason };
    let generation = generation.ok_or_else(|| damaged("the table of files is missing".into()))?;
    let folder = path.parent().unwrap_or(Path::new("."));
    Index::unpack(repo, folder, generation, segments).map_err(|error| match error.wants_rebuild() {
        true => damaged(error.to_string()),
        false => error.into(),
    })
}

type Part = (String, Vec<u8>);

fn parts(database: &Connection) -> rusqlite::Result<(Option<Vec<u8>>, Vec<Part>)> {
    // One statement sees one state, whoever writes meanwhile.
    let mut rows = database.prepare("SELECT name, bytes FROM parts")?;
    let rows = rows.query_map([], |row| Ok((row.get::<_, String>(0)?, row.get::<_, Vec<u8>>(1)?)))?;
    let (mut generation, mut segments) = (None, Vec::new());
    for row in rows {
        match row? {
            (name, bytes) if name == "generation" => generation = Some(bytes),
            segment => segments.push(segment),
        }
    }
    Ok((generation, segments))
}

/// Reads every page and every part, and checks that the tables agree with each other.
pub fn verify(repo: &Path, path: &Path) -> Result<(), SqliteError> {
    let database = schema::open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let wrong = SqliteError::of(path);
    let damaged = |reason: String| SqliteError::Damaged { path: path.to_owned(), reason };
    let said: String =
        database.query_row("PRAGMA integrity_check(1)", [], |row| row.get(0)).map_err(&wrong)?;
    if said != "ok" {
        return Err(damaged(said));
    }
    // FTS5 checks itself by a statement that is not allowed on a file that cannot be written.
    if !database.is_readonly("main").map_err(&wrong)? {
        database
            .execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('integrity-check')", [])
            .map_err(|error| damaged(error.to_string()))?;
    }
    let lost: i64 = database
        .query_row(
            "SELECT (SELECT count(*) FROM files WHERE content NOT IN (SELECT id FROM contents)) \
             + (SELECT count(*) FROM chunks WHERE content NOT IN (SELECT id FROM contents)) \
             + (SELECT count(*) FROM contents WHERE id NOT IN (SELECT content FROM files)) \
             + abs((SELECT count(*) FROM chunks) - (SELECT count(*) FROM chunks_fts_docsize))",
            [],
            |row| row.get(0),
        )
        .map_err(&wrong)?;
    if lost != 0 {
        return Err(damaged(format!("{lost} rows belong to nothing")));
    }
    let index = load(repo, path)?;
    index.verify().map_err(|error| damaged(error.to_string()))?;
    let files: i64 =
        database.query_row("SELECT count(*) FROM files", [], |row| row.get(0)).map_err(&wrong)?;
    match index.status().files == files.cast_unsigned() {
        true => Ok(()),
        false => Err(damaged("the table of files differs from the one that ranks".into())),
    }
}
