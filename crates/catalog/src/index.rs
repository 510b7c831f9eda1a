//! `Index`: every entry in memory, in hash order, with the files that did not become entries.
//!
//! An index knows nothing of directories: the store tells it what each file holds now.

use std::collections::BTreeMap;
use std::sync::{Arc, OnceLock};

use crate::collate;
use crate::complete::Completed;
use crate::entry::Entry;
use crate::governance::Governance;
use crate::hash::CatalogHash;
use crate::needle::{Filter, Needle};

/// A file as it was when it was read.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Signature {
    pub modified_ns: i128,
    pub len: u64,
    pub inode: u64,
}

/// An entry in the index.
#[derive(Debug, Clone)]
pub struct Record {
    pub entry: Arc<Entry>,
    /// Name of the file inside the directory; by rule `<id>.json`, but older catalogs hold others.
    pub file: Box<str>,
    /// `None` when the file was too young to tell a later change in the same instant apart.
    pub signature: Option<Signature>,
    /// SHA-256 of the body, where the entry records another.
    body_hash: Option<Box<str>>,
    pub hash_is_stale: bool,
    pub categories_are_untidy: bool,
    pub is_dated: bool,
    filter: Filter,
}

impl Record {
    pub fn new(done: Completed, file: &str, signature: Option<Signature>) -> Record {
        Record {
            filter: Filter::of([&done.entry.title, &done.entry.body]),
            body_hash: (done.body_hash != done.entry.source_hash).then(|| done.body_hash.into()),
            entry: Arc::new(done.entry),
            file: file.into(),
            signature,
            hash_is_stale: done.hash_is_stale,
            categories_are_untidy: done.categories_are_untidy,
            is_dated: done.is_dated,
        }
    }

    pub fn id(&self) -> &str {
        &self.entry.id
    }

    /// SHA-256 of the body as it is.
    pub fn body_hash(&self) -> &str {
        self.body_hash.as_deref().unwrap_or(&self.entry.source_hash)
    }

    /// Whether title or body holds a text.
    pub fn holds(&self, needle: &Needle) -> bool {
        self.may_hold(needle) && (needle.is_in(&self.entry.title) || needle.is_in(&self.entry.body))
    }

    /// Whether title or body may hold a text; a no is certain.
    pub fn may_hold(&self, needle: &Needle) -> bool {
        !needle.is_ruled_out(&self.filter)
    }

    fn owns_name(&self) -> bool {
        self.file.strip_suffix(".json") == Some(self.id())
    }
}

/// A file that is not served, and why.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Rejected {
    pub reason: String,
    /// The id it would have, when the only problem is that another file has it too.
    duplicate_of: Option<String>,
}

impl Rejected {
    pub fn new(reason: impl Into<String>) -> Rejected {
        Rejected { reason: reason.into(), duplicate_of: None }
    }
}

/// What one file holds.
pub type Loaded = Result<Record, Rejected>;

#[derive(Debug, Clone)]
pub struct Index {
    /// In collation order of the ids.
    records: Vec<Arc<Record>>,
    /// Files whose name is not the id, by name.
    odd_names: BTreeMap<Box<str>, Box<str>>,
    rejected: BTreeMap<String, Rejected>,
    hash: CatalogHash,
    /// Some record changed since the last seal.
    is_changed: bool,
    governance: OnceLock<Arc<Governance>>,
}

impl Default for Index {
    fn default() -> Index {
        Index {
            records: Vec::new(),
            odd_names: BTreeMap::new(),
            rejected: BTreeMap::new(),
            hash: CatalogHash::new(),
            is_changed: false,
            governance: OnceLock::new(),
        }
    }
}

impl Index {
    /// Builds an index from everything a directory holds.
    pub fn build(files: Vec<(String, Loaded)>) -> Index {
        let mut index = Index::default();
        let mut records = Vec::with_capacity(files.len());
        for (name, loaded) in files {
            match loaded {
                Ok(record) => records.push(Arc::new(record)),
                Err(rejected) => drop(index.rejected.insert(name, rejected)),
            }
        }
        records.sort_by(|a, b| {
            collate::compare(a.id(), b.id()).then(b.owns_name().cmp(&a.owns_name())).then(a.file.cmp(&b.file))
        });
        for record in records {
            match index.records.last() {
                Some(winner) if winner.id() == record.id() => {
                    let rejected = duplicate(&record, winner);
                    index.rejected.insert(record.file.to_string(), rejected);
                }
                _ => index.records.push(record),
            }
        }
        for record in index.records.iter().filter(|record| !record.owns_name()) {
            index.odd_names.insert(record.file.clone(), record.id().into());
        }
        for (at, record) in index.records.iter().enumerate() {
            index.hash.insert(at, record.id(), &record.entry.source_hash);
        }
        index.hash.finish();
        index
    }

    pub fn records(&self) -> &[Arc<Record>] {
        &self.records
    }

    pub fn rejected(&self) -> &BTreeMap<String, Rejected> {
        &self.rejected
    }

    pub fn len(&self) -> usize {
        self.records.len()
    }

    pub fn is_empty(&self) -> bool {
        self.records.is_empty()
    }

    pub fn hash(&self) -> &str {
        self.hash.hex()
    }

    pub fn get(&self, id: &str) -> Option<&Arc<Record>> {
        self.position(id).ok().map(|at| &self.records[at])
    }

    /// The records after `cursor`, in order.
    pub fn after(&self, cursor: Option<&str>) -> &[Arc<Record>] {
        match cursor.map(|id| self.position(id)) {
            None => &self.records,
            Some(Ok(at)) => &self.records[at + 1..],
            Some(Err(at)) => &self.records[at..],
        }
    }

    /// Every file the index knows, with the signature it had.
    pub fn files(&self) -> impl Iterator<Item = (&str, Option<Signature>)> {
        let records = self.records.iter().map(|record| (&*record.file, record.signature));
        records.chain(self.rejected.keys().map(|name| (name.as_str(), None)))
    }

    pub fn governance(&self) -> &Arc<Governance> {
        self.governance
            .get_or_init(|| Arc::new(Governance::of(self.records.iter().map(|record| &*record.entry))))
    }

    /// Takes in what a file holds now; `None` when it is gone. Returns the files to read again, because a file
    /// that was shadowed by this one may now be served.
    pub fn put(&mut self, file: &str, now: Option<Loaded>) -> Vec<String> {
        if let (Some(Ok(new)), Some(old)) = (&now, self.of_file(file))
            && *new.entry == *old.entry
            && (new.hash_is_stale, new.categories_are_untidy, new.is_dated)
                == (old.hash_is_stale, old.categories_are_untidy, old.is_dated)
        {
            let at = self.position(new.id()).expect("the record was just found by its file");
            Arc::make_mut(&mut self.records[at]).signature = new.signature;
            return Vec::new();
        }
        let freed = self.forget(file);
        let mut again = Vec::new();
        match now {
            None => {}
            Some(Err(rejected)) => drop(self.rejected.insert(file.to_owned(), rejected)),
            Some(Ok(record)) => self.insert(Arc::new(record)),
        }
        if let Some(id) = freed
            && self.get(&id).is_none()
        {
            let shadowed = |(name, rejected): (&String, &Rejected)| {
                (rejected.duplicate_of.as_deref() == Some(&id)).then(|| name.clone())
            };
            again.extend(self.rejected.iter().filter_map(shadowed));
        }
        again
    }

    /// Brings the hashes up to date after a row of changes.
    pub fn seal(&mut self) {
        if std::mem::take(&mut self.is_changed) {
            self.hash.finish();
            self.governance = OnceLock::new();
        }
    }

    /// The record that a file serves.
    pub fn of_file(&self, file: &str) -> Option<&Arc<Record>> {
        let id = match self.odd_names.get(file) {
            Some(id) => id,
            None => file.strip_suffix(".json")?,
        };
        self.get(id).filter(|record| &*record.file == file)
    }

    fn position(&self, id: &str) -> Result<usize, usize> {
        self.records.binary_search_by(|record| collate::compare(record.id(), id))
    }

    fn insert(&mut self, record: Arc<Record>) {
        match self.position(record.id()) {
            Ok(at) => {
                let loser = if record.owns_name() && !self.records[at].owns_name() {
                    self.odd_names.remove(&self.records[at].file);
                    self.hash.remove(at);
                    self.hash.insert(at, record.id(), &record.entry.source_hash);
                    self.is_changed = true;
                    std::mem::replace(&mut self.records[at], record)
                } else {
                    record
                };
                let rejected = duplicate(&loser, &self.records[at]);
                self.rejected.insert(loser.file.to_string(), rejected);
            }
            Err(at) => {
                if !record.owns_name() {
                    self.odd_names.insert(record.file.clone(), record.id().into());
                }
                self.hash.insert(at, record.id(), &record.entry.source_hash);
                self.is_changed = true;
                self.records.insert(at, record);
            }
        }
    }

    /// Drops whatever is known of a file; returns the id it served.
    fn forget(&mut self, file: &str) -> Option<String> {
        self.rejected.remove(file);
        let id = self.of_file(file)?.id().to_owned();
        let at = self.position(&id).ok()?;
        self.odd_names.remove(file);
        self.hash.remove(at);
        self.is_changed = true;
        self.records.remove(at);
        Some(id)
    }
}

fn duplicate(loser: &Record, winner: &Record) -> Rejected {
    Rejected {
        reason: format!("duplicate id {}: already in {}", loser.id(), winner.file),
        duplicate_of: Some(loser.id().to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use jiff::Timestamp;
    use serde_json::{Value, json};

    use super::*;
    use crate::config::Owners;
    use crate::draft::Draft;
    use crate::hash::sha256_hex;

    fn record(file: &str, id: &str, body: &str) -> Record {
        let value = json!({"id": id, "title": id, "body": body, "priority": 1, "audience": "all", "requirement": "optional"});
        let Value::Object(map) = value else { unreachable!() };
        let done =
            crate::complete::from_file(Draft::parse(map).unwrap(), Timestamp::UNIX_EPOCH, &Owners::default())
                .unwrap();
        Record::new(done, file, None)
    }

    fn put(index: &mut Index, file: &str, now: Option<Loaded>) -> Vec<String> {
        let again = index.put(file, now);
        index.seal();
        again
    }

    #[test]
    fn hash_covers_ids_in_collation_order() {
        let mut index = Index::default();
        for id in ["ab", "a-b", "a_b", "a1"] {
            put(&mut index, &format!("{id}.json"), Some(Ok(record(&format!("{id}.json"), id, "x"))));
        }
        let hash = sha256_hex("x");
        assert_eq!(index.hash(), sha256_hex(format!("a_b:{hash}|a-b:{hash}|a1:{hash}|ab:{hash}")));
        let built = Index::build(
            ["ab", "a1", "a_b", "a-b"]
                .map(|id| (format!("{id}.json"), Ok(record(&format!("{id}.json"), id, "x"))))
                .into(),
        );
        assert_eq!(built.hash(), index.hash());
    }

    #[test]
    fn the_file_named_like_the_id_wins_and_the_other_takes_over_when_it_goes() {
        let mut index = Index::default();
        put(&mut index, "z.json", Some(Ok(record("z.json", "a", "odd"))));
        assert_eq!(index.get("a").unwrap().entry.body, "odd");
        put(&mut index, "a.json", Some(Ok(record("a.json", "a", "own"))));
        assert_eq!(index.get("a").unwrap().entry.body, "own");
        assert_eq!(index.rejected()["z.json"].reason, "duplicate id a: already in a.json");
        assert_eq!(put(&mut index, "a.json", None), ["z.json"]);
        put(&mut index, "z.json", Some(Ok(record("z.json", "a", "odd"))));
        assert_eq!(index.get("a").unwrap().entry.body, "odd");
        assert!(index.rejected().is_empty());
    }

    #[test]
    fn a_file_may_turn_bad_and_good_again() {
        let mut index = Index::default();
        put(&mut index, "a.json", Some(Ok(record("a.json", "a", "x"))));
        put(&mut index, "a.json", Some(Err(Rejected::new("not JSON"))));
        assert!(index.is_empty() && index.rejected().len() == 1);
        put(&mut index, "a.json", Some(Ok(record("a.json", "a", "y"))));
        assert_eq!((index.len(), index.rejected().len()), (1, 0));
        assert_eq!(index.hash(), sha256_hex(format!("a:{}", sha256_hex("y"))));
    }
}
