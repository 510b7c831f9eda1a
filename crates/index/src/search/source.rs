//! The text behind a hit, read from the repository and known to be what was indexed.

use crate::document::size_limit;
use crate::error::IndexError;
use crate::generation::FileEntry;
use crate::held::Root;
use crate::lang::{Class, LangId};
use crate::relations::Relations;
use crate::segment::content_hash;
use crate::text;
use crate::view::View;
use crate::walk::Stamp;
use std::io::Read as _;
use std::path::Path;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};

/// Works out what belongs together in the view that is searched, or finds it done.
pub(crate) type Relate<'v> = dyn Fn() -> Result<Arc<Relations>, IndexError> + Sync + 'v;

fn is_document(lang: &LangId) -> bool {
    lang.get().class == Class::Document
}

pub(crate) struct Source<'v> {
    view: &'v View,
    repo: &'v Path,
    root: OnceLock<Root>,
    relate: Option<&'v Relate<'v>>,
    /// Files that changed between the last look and this search.
    moved: AtomicU64,
}

impl<'v> Source<'v> {
    pub fn new(view: &'v View, repo: &'v Path) -> Source<'v> {
        Source { view, repo, root: OnceLock::new(), relate: None, moved: AtomicU64::new(0) }
    }

    /// As `new`, for those who may ask what belongs together.
    pub fn related(view: &'v View, repo: &'v Path, relate: &'v Relate<'v>) -> Source<'v> {
        Source { relate: Some(relate), ..Source::new(view, repo) }
    }

    pub fn relations(&self) -> Result<Option<Arc<Relations>>, IndexError> {
        self.relate.map(|relate| relate()).transpose()
    }

    /// The text of a file of the view; `None` if it is no longer the one that was indexed.
    pub fn text(&self, part: usize, file: u32) -> Option<String> {
        let entry = self.view.file(file);
        let blob = self.view.parts[part].segment.blob(entry.blob).ok();
        if let Some(lang) = blob.as_ref().and_then(|blob| blob.lang).filter(is_document) {
            return self.document(entry, lang, blob?.hash);
        }
        let bytes = self.read(&entry.path)?;
        let (bytes, stamp) = bytes;
        let segment = &self.view.parts[part].segment;
        let same = stamp == entry.stamp
            || segment.blob(entry.blob).is_ok_and(|blob| blob.hash == content_hash(&bytes));
        if !same {
            self.moved.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        text::decode_owned(bytes).ok()
    }

    /// The text of a document, without a look into the file while its stamp is that of the build.
    fn document(&self, entry: &FileEntry, lang: LangId, hash: u128) -> Option<String> {
        let documents = &self.view.opened.documents;
        if self.root().stamp(&entry.path).ok()? == entry.stamp
            && let Some(Ok(text)) = documents.known(hash)
        {
            return Some(text);
        }
        let (bytes, _) = self.read(&entry.path)?;
        if content_hash(&bytes) != hash {
            self.moved.fetch_add(1, Ordering::Relaxed);
            return None;
        }
        documents.text(lang, &bytes).ok()
    }

    fn root(&self) -> &Root {
        self.root.get_or_init(|| Root::new(self.repo))
    }

    fn read(&self, path: &str) -> Option<(Vec<u8>, Stamp)> {
        let (mut file, metadata) = self.root().open(path).ok()?;
        let stamp = Stamp::of(&metadata);
        let limit = size_limit(path, self.view.opened.tables.generation.max_file_bytes);
        let mut bytes = Vec::with_capacity(stamp.size.min(limit) as usize + 1);
        file.by_ref().take(limit + 1).read_to_end(&mut bytes).ok()?;
        Some((bytes, stamp))
    }

    pub fn notes(&self) -> Option<String> {
        let moved = self.moved.load(Ordering::Relaxed);
        (moved > 0).then(|| format!("{moved} files changed while searching and are shown without text"))
    }
}
