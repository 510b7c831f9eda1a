//! Collects the work on many files and lays it out as one segment file.

use super::analyse::{Key, Tier, Work};
use super::collect::Lists;
use super::grams::Grams;
use super::key::Key16;
use super::postings::{Posting, Postings};
use super::{Segment, id};
use crate::disk::Writer;
use crate::disk::codec::{put, put_str};
use crate::error::Damaged;
use crate::facts::ChunkFacts;
use crate::lang::LangId;
use crate::token::fold_name;
use crate::trigram;

#[derive(Default)]
pub(crate) struct Builder {
    terms: Lists,
    grams: Grams,
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
    facts: Lists,
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
            let term = &work.terms[hits[0].term as usize];
            let list = self.terms.list(term.key, term.text.as_bytes());
            for hit in hits {
                list.push(Posting { chunk: first_chunk + hit.chunk, counts: hit.counts });
            }
        }
        self.add_facts(&work.facts, first_chunk);
        self.grams.add(&work.grams);
        blob
    }

    fn add_facts(&mut self, facts: &ChunkFacts, first_chunk: u32) {
        let mut key = Vec::new();
        for hits in facts.hits.chunk_by(|left, right| left.0 == right.0) {
            let (fact, value) = &facts.values[hits[0].0 as usize];
            super::fact_key(*fact, value, &mut key);
            let list = self.facts.list(Key16::of(&key), &key);
            for (_, chunk) in hits {
                list.push(Posting::bare(first_chunk + chunk));
            }
        }
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
        let mut moved = Vec::new();
        let mut take_over = |lists: &mut Lists, name: &[u8], postings: Postings<'_>| {
            moved.clear();
            for posting in postings {
                let posting = posting?;
                let chunk =
                    *chunk_place.get(posting.chunk as usize).ok_or(Damaged("a posting names no chunk"))?;
                if chunk != u32::MAX {
                    moved.push(Posting { chunk, ..posting });
                }
            }
            if !moved.is_empty() {
                let list = lists.list(Key16::of(name), name);
                moved.iter().for_each(|posting| list.push(*posting));
            }
            Ok(())
        };
        segment.dictionary()?.for_each(|term, postings| take_over(&mut self.terms, term, postings))?;
        segment.facts()?.for_each(|key, postings| take_over(&mut self.facts, key, postings))?;
        let mut grams: Vec<trigram::Gaps> = vec![trigram::Gaps::default(); blob_place.len()];
        segment.buckets()?.for_each(|bucket, blob| {
            grams.get_mut(blob as usize).ok_or(Damaged("a trigram names no blob"))?.push(bucket);
            Ok(())
        })?;
        for (grams, _) in grams.iter().zip(&blob_place).filter(|(_, place)| place.is_some()) {
            self.grams.add(&grams.gaps);
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

    /// Lays everything out.
    pub fn finish(self) -> Vec<u8> {
        let mut writer = Writer::new(super::FILE_KIND);
        let encoded = self.terms.encode();
        writer.section(id::TERM_BLOCKS, encoded.blocks);
        writer.section(id::TERMS, encoded.terms);
        writer.section(id::LISTS, encoded.lists);
        let encoded = self.facts.encode();
        writer.section(id::FACT_BLOCKS, encoded.blocks);
        writer.section(id::FACT_KEYS, encoded.terms);
        writer.section(id::FACT_LISTS, encoded.lists);
        writer.section(id::COUNTS, self.counts);
        let encoded = self.grams.encode();
        writer.section(id::GRAM_OFFSETS, encoded.offsets);
        writer.section(id::GRAM_KEYS, encoded.keys);
        writer.section(id::GRAMS, encoded.lists);
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
