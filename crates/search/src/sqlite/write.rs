//! From an index to its database: whole under another name, or only what changed in one transaction.

use std::collections::{BTreeMap, BTreeSet, HashMap, HashSet};
use std::fs::{File, TryLockError};
use std::path::{Path, PathBuf};

use mainstay_contract::{Call, Progress};
use mainstay_index::{Pack, PackedContent, PackedFile, VectorTable};
use rusqlite::{Connection, OpenFlags, OptionalExtension as _, Transaction, TransactionBehavior, params};
use sha2::{Digest, Sha256};

use super::{SqliteError, Target, schema};

use crate::hex::hex;

/// Longer signatures and comments are cut: they are read where they stand.
const MAX_TEXT_BYTES: usize = 2_000;
const TEMPORARY: &str = ".sqlite-";

/// What a build did.
#[derive(Debug, Clone, Default)]
pub struct Written {
    pub files: u64,
    pub chunks: u64,
    pub vectors: u64,
    /// Contents that had to be written in this build.
    pub written_contents: u64,
    /// Contents that were there and are no longer.
    pub removed_contents: u64,
    pub bytes: u64,
    /// Whether an existing database was brought up to date, not replaced.
    pub is_update: bool,
}

/// Brings a database to the state of `pack`.
pub fn write(
    call: &Call,
    pack: &Pack,
    target: Target<'_>,
    update: bool,
    vectors: Option<&VectorTable>,
) -> Result<Written, SqliteError> {
    let path = target.path;
    let folder = path.parent().unwrap_or(Path::new("."));
    std::fs::create_dir_all(folder).map_err(SqliteError::io(folder))?;
    let _lock = lock(target)?;
    remove_leftovers(folder);
    if update {
        match update_in_place(call, pack, path, vectors) {
            Err(error) if error.wants_rebuild() => {}
            other => return other,
        }
    }
    match schema::open(path, OpenFlags::SQLITE_OPEN_READ_ONLY) {
        // Never write over something that is not ours.
        Err(foreign @ SqliteError::Foreign { .. }) => Err(foreign),
        _ => replace(call, pack, path, folder, vectors),
    }
}

/// One writer at a time, in this process and in others. The lock lies in the cache: a file written elsewhere stays alone.
pub fn lock(target: Target<'_>) -> Result<File, SqliteError> {
    let folder = target.cache_dir.join("locks");
    std::fs::create_dir_all(&folder).map_err(SqliteError::io(&folder))?;
    let real = target.path.canonicalize().unwrap_or_else(|_| target.path.to_owned());
    let digest = Sha256::digest(real.as_os_str().as_encoded_bytes());
    let name = hex(&digest[..8]);
    let path = folder.join(format!("sqlite-{name}"));
    let file = File::options().create(true).truncate(false).write(true).open(&path);
    let file = file.map_err(SqliteError::io(&path))?;
    match file.try_lock() {
        Ok(()) => Ok(file),
        Err(TryLockError::WouldBlock) => Err(SqliteError::Busy { path: target.path.to_owned() }),
        Err(TryLockError::Error(error)) => Err(SqliteError::io(&path)(error)),
    }
}

/// A name in the same folder that is removed unless it is kept.
pub fn temporary(folder: &Path) -> Result<tempfile::TempPath, SqliteError> {
    let file = tempfile::Builder::new().prefix(TEMPORARY).tempfile_in(folder);
    Ok(file.map_err(SqliteError::io(folder))?.into_temp_path())
}

/// Files of writers that were killed; whoever holds the lock is the only writer.
fn remove_leftovers(folder: &Path) {
    for entry in std::fs::read_dir(folder).into_iter().flatten().flatten() {
        if entry.file_name().to_string_lossy().starts_with(TEMPORARY) {
            let _ = std::fs::remove_file(entry.path());
        }
    }
}

/// Gives a finished file its name: what was there before is there until then.
pub fn put_in_place(temporary: tempfile::TempPath, path: &Path) -> Result<(), SqliteError> {
    let failed = SqliteError::io(path);
    File::open(&temporary).and_then(|file| file.sync_all()).map_err(&failed)?;
    temporary.persist(path).map_err(|error| failed(error.error))?;
    // A journal of the file before it must not be played back into this one.
    let _ = std::fs::remove_file(journal(path));
    if cfg!(unix) {
        let folder = path.parent().unwrap_or(Path::new("."));
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(&failed)?;
    }
    Ok(())
}

fn journal(path: &Path) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push("-journal");
    name.into()
}

fn replace(
    call: &Call,
    pack: &Pack,
    path: &Path,
    folder: &Path,
    vectors: Option<&VectorTable>,
) -> Result<Written, SqliteError> {
    let file = temporary(folder)?;
    let mut database = schema::create(&file)?;
    let mut written = fill(call, pack, &mut database, path, vectors)?;
    let wrong = SqliteError::of(path);
    database.execute("INSERT INTO chunks_fts (chunks_fts) VALUES ('optimize')", []).map_err(&wrong)?;
    database.close().map_err(|(_, error)| wrong(error))?;
    call.cancel().check()?;
    put_in_place(file, path)?;
    written.bytes = size(path);
    Ok(written)
}

fn update_in_place(
    call: &Call,
    pack: &Pack,
    path: &Path,
    vectors: Option<&VectorTable>,
) -> Result<Written, SqliteError> {
    let mut database = schema::open(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    let written = fill(call, pack, &mut database, path, vectors)?;
    database.close().map_err(|(_, error)| SqliteError::of(path)(error))?;
    Ok(Written { bytes: size(path), is_update: true, ..written })
}

fn size(path: &Path) -> u64 {
    std::fs::metadata(path).map(|meta| meta.len()).unwrap_or_default()
}

/// Makes the tables say what the pack says, touching only what differs.
fn fill(
    call: &Call,
    pack: &Pack,
    database: &mut Connection,
    path: &Path,
    vectors: Option<&VectorTable>,
) -> Result<Written, SqliteError> {
    let wrong = SqliteError::of(path);
    let transaction = database.transaction_with_behavior(TransactionBehavior::Immediate).map_err(&wrong)?;
    // A file may point to a content that is written after the one it pointed to is gone.
    transaction.pragma_update(None, "defer_foreign_keys", true).map_err(&wrong)?;
    let files: Vec<PackedFile> = pack.files().collect();
    let mut wanted: BTreeMap<&str, BTreeSet<u32>> = BTreeMap::new();
    for file in &files {
        wanted.entry(&file.segment).or_default().insert(file.blob);
    }
    let mut known = known_contents(&transaction).map_err(&wrong)?;
    let gone: HashSet<i64> = known
        .iter()
        .filter(|((segment, blob), _)| !wanted.get(segment.as_str()).is_some_and(|set| set.contains(blob)))
        .map(|(_, id)| *id)
        .collect();
    for id in &gone {
        call.cancel().check()?;
        remove_content(&transaction, *id).map_err(&wrong)?;
    }
    known.retain(|_, id| !gone.contains(id));
    let mut written = Written { removed_contents: gone.len() as u64, ..Written::default() };
    let total: usize = wanted.values().map(BTreeSet::len).sum();
    let had_vectors = keep_vectors_of(&transaction, vectors).map_err(&wrong)?;
    let mut without_vectors = wanted.clone();
    for (segment, mut blobs) in wanted {
        blobs.retain(|blob| !known.contains_key(&(segment.to_owned(), *blob)));
        if had_vectors {
            without_vectors.insert(segment, blobs.clone());
        }
        if blobs.is_empty() {
            continue;
        }
        pack.contents(segment, &blobs, |content| -> Result<(), SqliteError> {
            call.cancel().check()?;
            let id = add_content(&transaction, segment, &content).map_err(&wrong)?;
            known.insert((segment.to_owned(), content.blob), id);
            written.written_contents += 1;
            call.report(step(known.len(), total));
            Ok(())
        })?;
    }
    if let Some(table) = vectors {
        put_vectors(call, &transaction, pack, path, &without_vectors, &known, table)?;
    }
    put_files(&transaction, &files, &known).map_err(&wrong)?;
    put_parts(call, &transaction, pack, path)?;
    put_meta(&transaction, pack).map_err(&wrong)?;
    let count = |table: &str| {
        let sql = format!("SELECT count(*) FROM {table}");
        transaction.query_row(&sql, [], |row| row.get::<_, i64>(0)).map(i64::cast_unsigned)
    };
    written.files = count("files").map_err(&wrong)?;
    written.chunks = count("chunks").map_err(&wrong)?;
    written.vectors = count("vectors").map_err(&wrong)?;
    call.cancel().check()?;
    transaction.commit().map_err(&wrong)?;
    Ok(written)
}

fn step(done: usize, total: usize) -> Progress {
    Progress {
        phase: "sqlite".into(),
        message: format!("writing rows: {done} of {total} files"),
        done: Some(done as u64),
        total: Some(total as u64),
        ..Progress::default()
    }
}

type Contents = HashMap<(String, u32), i64>;

fn known_contents(database: &Transaction<'_>) -> rusqlite::Result<Contents> {
    let mut rows = database.prepare("SELECT segment, blob, id FROM contents")?;
    let rows = rows.query_map([], |row| Ok(((row.get(0)?, row.get(1)?), row.get(2)?)))?;
    rows.collect()
}

fn remove_content(database: &Transaction<'_>, id: i64) -> rusqlite::Result<()> {
    for sql in [
        "DELETE FROM chunks_fts WHERE rowid IN (SELECT id FROM chunks WHERE content = ?1)",
        "DELETE FROM facts WHERE chunk IN (SELECT id FROM chunks WHERE content = ?1)",
        "DELETE FROM vectors WHERE chunk IN (SELECT id FROM chunks WHERE content = ?1)",
        "DELETE FROM chunks WHERE content = ?1",
        "DELETE FROM contents WHERE id = ?1",
    ] {
        database.prepare_cached(sql)?.execute([id])?;
    }
    Ok(())
}

fn add_content(database: &Transaction<'_>, segment: &str, content: &PackedContent) -> rusqlite::Result<i64> {
    let mut insert = database.prepare_cached(
        "INSERT INTO contents (segment, blob, hash, lang, is_structural, bytes) VALUES (?, ?, ?, ?, ?, ?)",
    )?;
    let hash = format!("{:032x}", content.hash);
    let id = insert.insert(params![
        segment,
        content.blob,
        hash,
        content.lang,
        content.is_structural,
        content.text_bytes
    ])?;
    let mut chunk_row = database.prepare_cached(
        "INSERT INTO chunks (content, kind, lang, name, scope, start, end, start_line, end_line, signature, doc, \
         is_test, is_part, words) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)",
    )?;
    let mut terms_row =
        database.prepare_cached("INSERT INTO chunks_fts (rowid, name, text, terms) VALUES (?, ?, ?, ?)")?;
    let mut fact_row =
        database.prepare_cached("INSERT OR IGNORE INTO facts (fact, value, chunk) VALUES (?, ?, ?)")?;
    for chunk in &content.chunks {
        let row = chunk_row.insert(params![
            id,
            chunk.kind,
            chunk.lang,
            chunk.name,
            chunk.scope,
            chunk.span.start,
            chunk.span.end,
            chunk.lines.0,
            chunk.lines.1,
            short(&chunk.signature),
            short(&chunk.doc),
            chunk.is_test,
            chunk.is_part,
            chunk.words
        ])?;
        terms_row.execute(params![row, chunk.name, chunk.text, chunk.terms])?;
        for (fact, value) in &chunk.facts {
            fact_row.execute(params![fact, value, row])?;
        }
    }
    Ok(id)
}

fn short(text: &str) -> &str {
    let text = text.trim();
    &text[..text.floor_char_boundary(MAX_TEXT_BYTES)]
}

/// Removes vectors of another table; whether those that stay are of this one.
fn keep_vectors_of(database: &Transaction<'_>, table: Option<&VectorTable>) -> rusqlite::Result<bool> {
    let now = table.map(|table| format!("{:016x}", table.mark())).unwrap_or_default();
    let before: Option<String> = database
        .query_row("SELECT value FROM meta WHERE key = 'vectors'", [], |row| row.get(0))
        .optional()?;
    if before.as_deref() == Some(&now) {
        return Ok(true);
    }
    database.execute("DELETE FROM vectors", [])?;
    database.execute("INSERT OR REPLACE INTO meta (key, value) VALUES ('vectors', ?)", [now])?;
    Ok(false)
}

/// Adds the vectors of contents that have none yet.
fn put_vectors(
    call: &Call,
    database: &Transaction<'_>,
    pack: &Pack,
    path: &Path,
    contents: &BTreeMap<&str, BTreeSet<u32>>,
    known: &Contents,
    table: &VectorTable,
) -> Result<(), SqliteError> {
    let wrong = SqliteError::of(path);
    let mut rows_of =
        database.prepare_cached("SELECT id FROM chunks WHERE content = ? ORDER BY id").map_err(&wrong)?;
    let mut put = database
        .prepare_cached("INSERT OR REPLACE INTO vectors (chunk, vector) VALUES (?, ?)")
        .map_err(&wrong)?;
    for (segment, blobs) in contents.iter().filter(|(_, blobs)| !blobs.is_empty()) {
        let mut rows: HashMap<u32, Vec<i64>> = HashMap::new();
        for blob in blobs {
            call.cancel().check()?;
            let content = known.get(&((*segment).to_owned(), *blob)).copied().unwrap_or_default();
            let ids = rows_of.query_map([content], |row| row.get(0)).map_err(&wrong)?;
            rows.insert(*blob, ids.collect::<rusqlite::Result<_>>().map_err(&wrong)?);
        }
        pack.vectors(segment, blobs, table, |blob, chunk, vector| -> Result<(), SqliteError> {
            match rows.get(&blob).and_then(|rows| rows.get(chunk)) {
                Some(row) => put.execute(params![row, vector]).map(drop).map_err(&wrong),
                None => Ok(()),
            }
        })?;
    }
    Ok(())
}

fn put_files(database: &Transaction<'_>, files: &[PackedFile], contents: &Contents) -> rusqlite::Result<()> {
    let mut known: HashMap<String, (i64, i64, i64)> = {
        let mut rows = database.prepare("SELECT path, content, size, modified FROM files")?;
        let rows = rows.query_map([], |row| Ok((row.get(0)?, (row.get(1)?, row.get(2)?, row.get(3)?))))?;
        rows.collect::<rusqlite::Result<_>>()?
    };
    let mut put = database.prepare_cached(
        "INSERT OR REPLACE INTO files (path, content, ext, size, modified, traits) VALUES (?, ?, ?, ?, ?, ?)",
    )?;
    for file in files {
        let content = contents.get(&(file.segment.clone(), file.blob)).copied().unwrap_or_default();
        let now = (content, file.size.cast_signed(), file.modified);
        if known.remove(&file.path) == Some(now) {
            continue;
        }
        let name = file.path.rsplit('/').next().unwrap_or_default();
        let ext = name.rsplit_once('.').map(|(_, ext)| format!(".{ext}")).unwrap_or_default();
        put.execute(params![file.path, now.0, ext, now.1, now.2, file.traits.join(",")])?;
    }
    let mut delete = database.prepare_cached("DELETE FROM files WHERE path = ?")?;
    for path in known.keys() {
        delete.execute([path])?;
    }
    Ok(())
}

fn put_parts(call: &Call, database: &Transaction<'_>, pack: &Pack, path: &Path) -> Result<(), SqliteError> {
    let wrong = SqliteError::of(path);
    let known: BTreeSet<String> = {
        let mut rows = database.prepare("SELECT name FROM parts").map_err(&wrong)?;
        let rows = rows.query_map([], |row| row.get(0)).map_err(&wrong)?;
        rows.collect::<rusqlite::Result<_>>().map_err(&wrong)?
    };
    let sql = "INSERT OR REPLACE INTO parts (name, bytes) VALUES (?, ?)";
    for segment in pack.segments().iter().filter(|name| !known.contains(*name)) {
        call.cancel().check()?;
        database.execute(sql, params![segment, pack.segment(segment)?]).map_err(&wrong)?;
    }
    for old in known.iter().filter(|name| *name != "generation" && !pack.segments().contains(name)) {
        database.execute("DELETE FROM parts WHERE name = ?", [old]).map_err(&wrong)?;
    }
    database.execute(sql, params!["generation", pack.generation()]).map_err(&wrong)?;
    Ok(())
}

fn put_meta(database: &Transaction<'_>, pack: &Pack) -> rusqlite::Result<()> {
    let mut put = database.prepare_cached("INSERT OR REPLACE INTO meta (key, value) VALUES (?, ?)")?;
    let revision = pack.revision().cloned().unwrap_or_default();
    put.execute(params!["generation", pack.number().cast_signed()])?;
    put.execute(params!["built_at_ms", pack.built_at_ms().cast_signed()])?;
    put.execute(params!["commit", revision.commit])?;
    put.execute(params!["branch", revision.branch])?;
    put.execute(params!["made_by", concat!("mainstay ", env!("CARGO_PKG_VERSION"))])?;
    Ok(())
}
