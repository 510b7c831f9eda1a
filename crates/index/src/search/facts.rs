//! Filters on facts: lookups in a segment's lists, before anything is scored.

use super::filter::Filters;
use super::source::Source;
use super::{Trouble, resolved};
use crate::bits::Bits;
use crate::chunk::Kind;
use crate::error::Damaged;
use crate::facts::{COUNTS, Fact, RiskRules, count_slot, flag};
use crate::lang::{Class, LangId, facts_of};
use crate::segment::{Segment, fact_key, name_hash};
use crate::token::fold_name;
use crate::view::{Part, View};
use std::collections::BTreeMap;
use std::sync::Arc;

/// What must be known of a chunk.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct FactFilter {
    /// The argument it came from, as warnings name it.
    pub name: &'static str,
    pub want: Want,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Want {
    /// A value equal to this, in its case.
    Exact(Fact, String),
    /// A value that holds this, in any case.
    Part(Fact, String),
    /// Calls what is named so, or is named so and calls something.
    Calls(String),
    /// Calls, reads or names it in any other way.
    Uses(String),
    /// Is so, or is a function that is not.
    Flag(Fact, bool),
    AtLeast(Fact, u32),
    /// The signature holds this, in its case.
    Signature(String),
    /// A mistake is known or was reported, or none.
    Lint(bool, Reported),
}

/// Lines on which something outside the index has a finding, by file.
pub type Reported = Arc<BTreeMap<String, Vec<u32>>>;

/// A filter on a fact that is not known in some languages.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Unknown {
    pub filter: &'static str,
    pub languages: Vec<&'static str>,
}

impl FactFilter {
    /// The facts it looks at.
    fn facts(&self) -> &[Fact] {
        match &self.want {
            Want::Exact(fact, _) | Want::Part(fact, _) | Want::Flag(fact, _) | Want::AtLeast(fact, _) => {
                std::slice::from_ref(fact)
            }
            Want::Lint(_, reported) if reported.is_empty() => &[Fact::Lint],
            Want::Lint(..) => &[],
            Want::Calls(_) => &[Fact::Call],
            Want::Uses(_) => &[Fact::Use, Fact::Read, Fact::Call],
            Want::Signature(_) => &[],
        }
    }

    /// The chunks it admits, for each part.
    pub(super) fn bits(
        &self,
        view: &View,
        source: &Source<'_>,
        rules: RiskRules,
    ) -> Result<Vec<Bits>, Trouble> {
        let mut bits = view
            .parts
            .iter()
            .map(|part| self.part_bits(view, part))
            .collect::<Result<Vec<Bits>, Damaged>>()?;
        for (bits, more) in
            bits.iter_mut().zip(resolved::admitted(&self.want, view, source)?.into_iter().flatten())
        {
            more.iter().for_each(|chunk| bits.insert(chunk));
        }
        resolved::by_risk(&self.want, view, source, rules, &mut bits)?;
        Ok(bits)
    }

    fn part_bits(&self, view: &View, part: &Part) -> Result<Bits, Damaged> {
        let segment = &part.segment;
        let mut bits = Bits::none(segment.chunk_count() as usize);
        match &self.want {
            Want::Exact(fact, value) => exact(segment, *fact, value, &mut bits)?,
            Want::Part(fact, value) => segment.values(*fact)?.add_holding(segment, value, &mut bits)?,
            Want::Calls(value) => {
                exact(segment, Fact::Call, value, &mut bits)?;
                callers(part, value, &mut bits)?;
            }
            Want::Uses(value) => {
                for fact in self.facts() {
                    exact(segment, *fact, value, &mut bits)?;
                }
            }
            Want::Flag(fact, wanted) => {
                let bit = flag(*fact);
                let knows = knows(segment, *fact);
                let columns = segment.columns()?;
                for (at, flags) in columns.flags.iter().enumerate() {
                    let is_function = || columns.kind(at as u32).is_ok_and(Kind::is_callable);
                    let known = knows.get(columns.langs[at] as usize).copied().unwrap_or_default();
                    if known && (flags & bit != 0) == *wanted && (*wanted || is_function()) {
                        bits.insert(at as u32);
                    }
                }
            }
            Want::AtLeast(fact, least) => {
                let (slot, knows) = (count_slot(*fact), knows(segment, *fact));
                let langs = segment.chunk_langs()?;
                for (at, counts) in segment.all_counts()?.chunks_exact(COUNTS).enumerate() {
                    let known = knows.get(langs[at] as usize).copied().unwrap_or_default();
                    if known && u32::from(counts[slot]) >= (*least).min(255) {
                        bits.insert(at as u32);
                    }
                }
            }
            Want::Lint(wanted, lines) => {
                let mut known = Bits::none(segment.chunk_count() as usize);
                segment.values(Fact::Lint)?.add_holding(segment, "", &mut known)?;
                reported(view, part, lines, &mut known)?;
                let mut looked_at = [!lines.is_empty(); 256];
                for (slot, knows) in looked_at.iter_mut().zip(knows(segment, Fact::Lint)) {
                    // A linter may know languages we do not.
                    *slot |= knows;
                }
                bits = Bits::of_column(segment.chunk_langs()?, &looked_at);
                match wanted {
                    true => bits.keep_only(&known),
                    false => known.iter().for_each(|chunk| bits.remove(chunk)),
                }
            }
            Want::Signature(_) => {}
        }
        if self.facts() == [Fact::Import] {
            whole_files(part, &mut bits)?;
        }
        Ok(bits)
    }
}

/// For each language of a segment whether a fact is known there.
fn knows(segment: &Segment, fact: Fact) -> Vec<bool> {
    segment.langs().iter().map(|lang| lang.is_some_and(|lang| facts_of(lang).contains(&fact))).collect()
}

fn exact(segment: &Segment, fact: Fact, value: &str, bits: &mut Bits) -> Result<(), Damaged> {
    let mut key = Vec::new();
    fact_key(fact, value, &mut key);
    for posting in segment.facts()?.find(&key)?.into_iter().flatten() {
        bits.insert(posting?.chunk);
    }
    Ok(())
}

/// Chunks of that very name that call anything.
fn callers(part: &Part, value: &str, bits: &mut Bits) -> Result<(), Damaged> {
    let segment = &part.segment;
    let wanted = name_hash(&fold_name(value)).to_le_bytes();
    let names = segment.names()?.chunks_exact(4).enumerate();
    for chunk in names.filter(|(_, name)| *name == wanted).map(|(at, _)| at as u32) {
        if bits.contains(chunk) || !segment.calling()?.contains(chunk) {
            continue;
        }
        let blob = part.blob_of_chunk[chunk as usize];
        let at = chunk - segment.blob(blob)?.chunks.start;
        if segment.details(blob)?.get(at as usize).is_some_and(|detail| detail.name == value) {
            bits.insert(chunk);
        }
    }
    Ok(())
}

/// The innermost chunks of the lines on which something was reported.
fn reported(view: &View, part: &Part, lines: &Reported, bits: &mut Bits) -> Result<(), Damaged> {
    if lines.is_empty() {
        return Ok(());
    }
    let segment = &part.segment;
    for blob in 0..segment.blob_count() {
        let files = part.files_of(blob).iter();
        let own: Vec<u32> =
            files.filter_map(|file| lines.get(&*view.file(*file).path)).flatten().copied().collect();
        if own.is_empty() {
            continue;
        }
        let (first, details) = (segment.blob(blob)?.chunks.start, segment.details(blob)?);
        for line in own {
            let around =
                details.iter().enumerate().filter(|(_, one)| one.lines.0 <= line && line <= one.lines.1);
            // Of several that end alike the later one is nested deeper.
            let innermost = around.min_by_key(|(at, one)| (one.lines.1 - one.lines.0, usize::MAX - at));
            if let Some((at, _)) = innermost {
                bits.insert(first + at as u32);
            }
        }
    }
    Ok(())
}

/// What is said of one chunk of a file is said of all.
fn whole_files(part: &Part, bits: &mut Bits) -> Result<(), Damaged> {
    let blobs: Vec<u32> = bits.iter().map(|chunk| part.blob_of_chunk[chunk as usize]).collect();
    for blob in blobs {
        part.segment.blob(blob)?.chunks.for_each(|chunk| bits.insert(chunk));
    }
    Ok(())
}

/// Which filters cannot hold in which of the languages that are searched.
pub(super) fn unknown(view: &View, filters: &Filters, rules: RiskRules) -> Vec<Unknown> {
    if filters.facts.is_empty() {
        return Vec::new();
    }
    let mut langs: Vec<LangId> =
        filters.langs.iter().filter_map(|name| LangId::by_name(name.trim())).collect();
    if langs.is_empty() {
        let all = view.parts.iter().flat_map(|part| part.segment.langs());
        langs = all.flatten().copied().filter(|lang| lang.get().class == Class::Code).collect();
    }
    langs.sort_by_key(|lang| lang.get().id);
    langs.dedup();
    let lacking = |filter: &FactFilter| {
        let facts = filter.facts();
        let lacks = |lang: &&LangId| {
            let has_rules = |fact: &Fact| Fact::RISKS.contains(fact) && rules.book(**lang).is_some();
            !facts.is_empty() && facts.iter().all(|fact| !facts_of(**lang).contains(fact) && !has_rules(fact))
        };
        let languages: Vec<&'static str> = langs.iter().filter(lacks).map(|lang| lang.get().id).collect();
        Unknown { filter: filter.name, languages }
    };
    filters.facts.iter().map(lacking).filter(|unknown| !unknown.languages.is_empty()).collect()
}
