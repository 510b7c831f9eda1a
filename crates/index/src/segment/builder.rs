//! Collects the work on many files and lays it out as one segment file.

use super::analyse::{Key, Tier, Work};
use super::postings::{Gaps, List, Posting};
use super::{Segment, dictionary, id};
use crate::disk::Writer;
use crate::disk::codec::{put, put_str};
use crate::error::Damaged;
use crate::facts::ChunkFacts;
use crate::hash::FastMap;
use crate::lang::LangId;
use crate::token::fold_name;
use crate::trigram::BUCKET_BITS;

#[derive(Default)]
pub(crate) struct Builder {
    ids: FastMap<Box<str>, u32>,
    lists: Vec<List>,
    buckets: Vec<Gaps>,
    langs: Vec<LangId>,
    blobs: Vec<u8>,
    details: Vec<u8>,
    kinds: Vec<u8>,
    flags: Vec<u8>,
    chunk_langs: Vec<u8>,
    lengths: Vec<u8>,
    names: Vec<u8>,
    counts: Vec<u8>,
    /// Lists of chunks by fact and value.
    fact_ids: FastMap<Box<[u8]>, u32>,
    facts: Vec<List>,
    source_bytes: u64,
}

impl Builder {
    pub fn blob_count(&self) -> u32 {
        (self.blobs.len() / super::BLOB_BYTES) as u32
    }

    pub fn source_bytes(&self) -> u64 {
        self.source_bytes
    }

    /// Adds the work on one file and returns its number in this segment.
    pub fn add(&mut self, work: &Work) -> u32 {
        let blob = self.blob_count();
        let first_chunk = self.kinds.len() as u32;
        self.blob(work.key, first_chunk, work.text_bytes, work.traits);
        let mut before = (0, 1);
        for (at, chunk) in work.chunks.iter().enumerate() {
            let lang = self.lang(chunk.lang);
            let flags = if chunk.is_test { super::IS_TEST } else { 0 }
                | if chunk.is_part { super::IS_PART } else { 0 }
                | if work.prose[at] { super::HAS_PROSE } else { 0 }
                | work.facts.flags.get(at).copied().unwrap_or_default();
            let name = if chunk.is_part || !chunk.kind.is_definition() {
                0
            } else {
                super::name_hash(&fold_name(&chunk.name))
            };
            self.columns(chunk.kind as u8, flags, lang, work.lengths[at], name);
            self.counts.extend_from_slice(&work.facts.counts.get(at).copied().unwrap_or_default());
            let out = &mut self.details;
            put(out, u64::from(chunk.span.start - before.0));
            put(out, u64::from(chunk.span.end - chunk.span.start));
            put(out, u64::from(chunk.lines.0 - before.1));
            put(out, u64::from(chunk.lines.1 - chunk.lines.0));
            put(out, chunk.parent.map_or(0, |parent| at as u64 - u64::from(parent)));
            for range in [&chunk.signature, &chunk.doc] {
                put(out, u64::from(range.end - range.start));
                if !range.is_empty() {
                    put(out, u64::from(range.start - chunk.span.start));
                }
            }
            put_str(out, &chunk.name);
            before = (chunk.span.start, chunk.lines.0);
        }
        for hits in work.hits.chunk_by(|left, right| left.term == right.term) {
            let list = self.list(&work.terms[hits[0].term as usize]);
            for hit in hits {
                self.lists[list as usize]
                    .push(Posting { chunk: first_chunk + hit.chunk, counts: hit.counts });
            }
        }
        self.add_facts(&work.facts, first_chunk);
        for bucket in &work.buckets {
            self.bucket(*bucket, blob);
        }
        blob
    }

    fn add_facts(&mut self, facts: &ChunkFacts, first_chunk: u32) {
        let mut key = Vec::new();
        for hits in facts.hits.chunk_by(|left, right| left.0 == right.0) {
            let (fact, value) = &facts.values[hits[0].0 as usize];
            super::fact_key(*fact, value, &mut key);
            let list = self.fact_list(&key);
            for (_, chunk) in hits {
                self.facts[list as usize].push(Posting::bare(first_chunk + chunk));
            }
        }
    }

    fn fact_list(&mut self, key: &[u8]) -> u32 {
        if let Some(id) = self.fact_ids.get(key) {
            return *id;
        }
        let id = self.facts.len() as u32;
        self.facts.push(List::default());
        self.fact_ids.insert(key.into(), id);
        id
    }

    /// Takes over the blobs of another segment that `keep` names; returns their new numbers.
    pub fn absorb(
        &mut self,
        segment: &Segment,
        keep: impl Fn(u32) -> bool,
    ) -> Result<Vec<Option<u32>>, Damaged> {
        let mut chunk_place = vec![u32::MAX; segment.chunk_count() as usize];
        let mut blob_place = vec![None; segment.blob_count() as usize];
        for blob in (0..segment.blob_count()).filter(|blob| keep(*blob)) {
            let head = segment.blob(blob)?;
            let Some(lang) = head.lang else { continue };
            blob_place[blob as usize] = Some(self.blob_count());
            let key = Key { hash: head.hash, lang, tier: head.tier };
            self.blob(key, self.kinds.len() as u32, head.text_bytes, head.traits);
            self.details.extend_from_slice(segment.detail_bytes(blob)?);
            for chunk in head.chunks.clone() {
                chunk_place[chunk as usize] = self.kinds.len() as u32;
                let lang = self.lang(segment.chunk_lang(chunk)?);
                let at = chunk as usize;
                self.columns(
                    segment.kinds()?[at],
                    segment.flags()?[at],
                    lang,
                    segment.length(chunk)?,
                    segment.name(chunk)?,
                );
                self.counts.extend_from_slice(segment.counts(chunk)?);
            }
        }
        segment.dictionary()?.for_each(|term, postings| {
            let term = std::str::from_utf8(term).map_err(|_| Damaged("a term is not UTF-8"))?;
            let mut list = None;
            for posting in postings {
                let posting = posting?;
                let chunk =
                    *chunk_place.get(posting.chunk as usize).ok_or(Damaged("a posting names no chunk"))?;
                if chunk != u32::MAX {
                    let list = *list.get_or_insert_with(|| self.list(term));
                    self.lists[list as usize].push(Posting { chunk, ..posting });
                }
            }
            Ok(())
        })?;
        segment.facts()?.for_each(|key, postings| {
            let mut list = None;
            for posting in postings {
                let posting = posting?;
                let chunk =
                    *chunk_place.get(posting.chunk as usize).ok_or(Damaged("a fact names no chunk"))?;
                if chunk != u32::MAX {
                    let list = *list.get_or_insert_with(|| self.fact_list(key));
                    self.facts[list as usize].push(Posting::bare(chunk));
                }
            }
            Ok(())
        })?;
        for bucket in 0..1 << BUCKET_BITS {
            for blob in segment.bucket(bucket)? {
                if let Some(place) = blob_place.get(blob as usize).copied().flatten() {
                    self.bucket(bucket, place);
                }
            }
        }
        Ok(blob_place)
    }

    fn blob(&mut self, key: Key, first_chunk: u32, text_bytes: u32, traits: u8) {
        let lang = self.lang(key.lang);
        self.blobs.extend_from_slice(&key.hash.to_le_bytes());
        for number in [first_chunk, self.details.len() as u32, text_bytes] {
            self.blobs.extend_from_slice(&number.to_le_bytes());
        }
        self.blobs.extend_from_slice(&[lang, traits, u8::from(key.tier == Tier::Structural), 0]);
        self.source_bytes += u64::from(text_bytes);
    }

    fn columns(&mut self, kind: u8, flags: u8, lang: u8, length: u16, name: u32) {
        self.kinds.push(kind);
        self.flags.push(flags);
        self.chunk_langs.push(lang);
        self.lengths.extend_from_slice(&length.to_le_bytes());
        self.names.extend_from_slice(&name.to_le_bytes());
    }

    fn lang(&mut self, lang: LangId) -> u8 {
        let known = self.langs.iter().position(|known| *known == lang);
        known.unwrap_or_else(|| {
            self.langs.push(lang);
            self.langs.len() - 1
        }) as u8
    }

    fn list(&mut self, term: &str) -> u32 {
        if let Some(id) = self.ids.get(term) {
            return *id;
        }
        let id = self.lists.len() as u32;
        self.lists.push(List::default());
        self.ids.insert(term.into(), id);
        id
    }

    fn bucket(&mut self, bucket: u32, blob: u32) {
        if self.buckets.is_empty() {
            self.buckets.resize_with(1 << BUCKET_BITS, Gaps::default);
        }
        self.buckets[bucket as usize].push(blob);
    }

    /// Lays everything out.
    pub fn finish(self) -> Vec<u8> {
        let mut writer = Writer::new(super::FILE_KIND);
        let mut terms: Vec<(Box<str>, u32)> = self.ids.into_iter().collect();
        terms.sort_unstable();
        let lists = terms.iter().map(|(term, id)| {
            let list = &self.lists[*id as usize];
            (term.as_bytes(), &list.bytes[..], list.count)
        });
        let encoded = dictionary::encode(lists);
        drop((terms, self.lists));
        writer.section(id::TERM_BLOCKS, encoded.blocks);
        writer.section(id::TERMS, encoded.terms);
        writer.section(id::LISTS, encoded.lists);
        let mut facts: Vec<(Box<[u8]>, u32)> = self.fact_ids.into_iter().collect();
        facts.sort_unstable();
        let encoded = dictionary::encode(facts.iter().map(|(key, id)| {
            let list = &self.facts[*id as usize];
            (&key[..], &list.bytes[..], list.count)
        }));
        drop((facts, self.facts));
        writer.section(id::FACT_BLOCKS, encoded.blocks);
        writer.section(id::FACT_KEYS, encoded.terms);
        writer.section(id::FACT_LISTS, encoded.lists);
        writer.section(id::COUNTS, self.counts);
        let (offsets, grams) = grams(self.buckets);
        writer.section(id::GRAM_OFFSETS, offsets);
        writer.section(id::GRAMS, grams);
        let mut langs = Vec::new();
        self.langs.iter().for_each(|lang| put_str(&mut langs, lang.get().id));
        writer.section(id::LANGS, langs);
        writer.section(id::BLOBS, self.blobs);
        writer.section(id::DETAILS, self.details);
        writer.section(id::KINDS, self.kinds);
        writer.section(id::FLAGS, self.flags);
        writer.section(id::CHUNK_LANGS, self.chunk_langs);
        writer.section(id::LENGTHS, self.lengths);
        writer.section(id::NAMES, self.names);
        writer.section(id::FINGERPRINT, super::fingerprint().to_vec());
        writer.finish()
    }
}

/// Buckets one after the other, each with its length; an offset for every sixteenth.
fn grams(buckets: Vec<Gaps>) -> (Vec<u8>, Vec<u8>) {
    let (mut offsets, mut grams) = (Vec::new(), Vec::new());
    for (at, bucket) in buckets.into_iter().enumerate() {
        if at % super::GRAM_STRIDE == 0 {
            offsets.extend_from_slice(&(grams.len() as u32).to_le_bytes());
        }
        put(&mut grams, bucket.bytes.len() as u64);
        grams.extend_from_slice(&bucket.bytes);
    }
    (offsets, grams)
}
