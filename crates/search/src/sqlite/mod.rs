//! The index of a repository as one SQLite file: portable, open to SQL, and ranking like the native index.
//!
//! | table | holds |
//! |---|---|
//! | `meta` | format, generation, commit |
//! | `parts` | what ranking reads: postings, trigrams, the table of files, byte for byte the native ones |
//! | `files`, `contents`, `chunks` | what filters ask about, one column each |
//! | `facts` | what is known of chunks by structure: parameters, calls, imports and the like |
//! | `chunks_fts` | FTS5 over the name, the text and the index terms of every chunk |
//! | `vectors` | a vector for each chunk, where the index has any |
//!
//! A search loads `parts` and runs the native code over them, so that both backends give the same answers. The other
//! tables are for whoever opens the file with something else.

mod compact;
mod error;
mod load;
mod schema;
mod shelf;
mod write;

use std::path::{Path, PathBuf};

pub use compact::{compact, weigh};
pub use error::SqliteError;
pub use load::verify;
pub use shelf::Shelf;
pub use write::write;

/// The database in the folder of a repository's index.
pub fn default_path(index_dir: &Path) -> PathBuf {
    index_dir.join("index.sqlite")
}

/// A database to write: its file, and the folder where writers find each other's locks.
#[derive(Debug, Clone, Copy)]
pub struct Target<'a> {
    pub path: &'a Path,
    pub cache_dir: &'a Path,
}
