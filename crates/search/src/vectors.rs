//! The table of word vectors that `ann` searches with: a `vectors.bin` among the models.
//!
//! None is part of the program: on real questions it did not rank better than without (`bench/vectors`). One that
//! `download_models` brought, or that was put there by hand, is used when asked for, and its vectors are kept by builds.

use std::fs;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};
use std::time::SystemTime;

use mainstay_contract::{ErrorCode, Fault};
use mainstay_index::VectorTable;

use crate::SearchError;
use crate::download::{Kind, kind_dir};

const FILE: &str = "vectors.bin";

/// The table that was read last, for as long as its file stays the same.
struct Read {
    path: PathBuf,
    stamp: (u64, Option<SystemTime>),
    table: VectorTable,
}

pub struct Vectors {
    models: PathBuf,
    last: Mutex<Option<Read>>,
}

impl Vectors {
    pub fn new(cache_dir: &Path) -> Vectors {
        Vectors { models: kind_dir(cache_dir, Kind::Models), last: Mutex::default() }
    }

    /// The installed table; with several, the first by the model's name.
    pub fn table(&self) -> Result<Option<VectorTable>, SearchError> {
        let Some(path) = find(&self.models) else {
            return Ok(None);
        };
        let stamp = fs::metadata(&path).map_or((0, None), |file| (file.len(), file.modified().ok()));
        let mut last = self.last.lock().unwrap_or_else(PoisonError::into_inner);
        if let Some(read) = last.as_ref().filter(|read| read.path == path && read.stamp == stamp) {
            return Ok(Some(read.table.clone()));
        }
        let table = VectorTable::open(&path).map_err(|error| {
            Fault::new(ErrorCode::CapabilityMissing, error)
                .hint("install the model again with download_models")
        })?;
        *last = Some(Read { path, stamp, table: table.clone() });
        Ok(Some(table))
    }

    /// The installed table, or why there is none.
    pub fn needed(&self) -> Result<VectorTable, SearchError> {
        Ok(self.table()?.ok_or_else(|| {
            Fault::new(ErrorCode::CapabilityMissing, "search by meaning needs a table of word vectors")
                .hint("install a model that has a vectors.bin with download_models")
        })?)
    }
}

/// Models lie in folders of their own, some below the name of their owner.
fn find(models: &Path) -> Option<PathBuf> {
    let folders = |folder: &Path| {
        let mut found: Vec<PathBuf> =
            fs::read_dir(folder).into_iter().flatten().flatten().map(|entry| entry.path()).collect();
        found.retain(|path| path.is_dir());
        found.sort();
        found
    };
    let below = folders(models).into_iter().flat_map(|model| [vec![model.clone()], folders(&model)].concat());
    below.map(|model| model.join(FILE)).find(|file| file.is_file())
}
