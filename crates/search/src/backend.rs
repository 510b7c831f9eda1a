//! Which index answers: the native one, or the SQLite file. Both rank alike.

use std::path::Path;
use std::sync::Arc;

use mainstay_index::Index;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::{Search, SearchError, sqlite};

/// What a caller asks for.
#[derive(Debug, Default, Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
pub enum Backend {
    #[default]
    Auto,
    Native,
    Sqlite,
}

/// The index that answers, and why it does.
pub struct Chosen {
    pub index: Arc<Index>,
    pub name: &'static str,
    pub why: String,
}

pub fn choose(search: &Search, repo: &Path, wanted: Backend) -> Result<Chosen, SearchError> {
    let native = |why: &str| -> Result<Chosen, SearchError> {
        Ok(Chosen { index: search.engine.index(repo)?, name: "native", why: why.into() })
    };
    let sqlite = |why: String| -> Result<Chosen, SearchError> {
        let path = sqlite::default_path(&search.engine.index_dir(repo));
        Ok(Chosen { index: search.shelf.index(repo, &path)?, name: "sqlite", why })
    };
    match wanted {
        Backend::Native => native("native was asked for"),
        Backend::Sqlite => sqlite("sqlite was asked for".into()),
        Backend::Auto => match native("auto: the native index is there, and is mapped instead of loaded") {
            Err(SearchError::Index(error)) if error.wants_rebuild() => {
                // Where neither can be used, the message is about the native one.
                let why = format!("auto: the native index cannot be used ({error})");
                sqlite(why).map_err(|_| SearchError::Index(error))
            }
            other => other,
        },
    }
}
