//! The query-aware ranker: what kind of hit it is, where it lies, what it is called, how much of the query it covers.
//!
//! Every influence is a factor on the text score, kept apart so that `explain` can show it. Sorting ends with path and
//! position, so equal scores have one order everywhere.

use super::plan::Plan;
use super::score::Candidate;
use super::weights;
use crate::chunk::Kind;
use crate::error::Damaged;
use crate::hash::FastMap;
use crate::lang::Class;
use crate::segment::{Columns, Detail, IS_PART, IS_TEST};
use crate::token;
use crate::traits;
use crate::view::View;

/// A candidate with everything that moved it.
#[derive(Clone, Debug)]
pub(crate) struct Ranked {
    pub candidate: Candidate,
    pub score: f32,
    pub factors: Factors,
}

#[derive(Clone, Copy, Debug)]
pub(crate) struct Factors {
    /// How much of the query's weight the chunk holds.
    pub coverage: f32,
    /// The chunk defines a name the query may mean.
    pub name: f32,
    /// Words of the query in the chunk's own name.
    pub name_words: f32,
    pub path: f32,
    /// Tests, docs, examples, generated, vendored and minified text, unless asked for.
    pub traits: f32,
    pub kind: f32,
    /// Other hits in the same file.
    pub company: f32,
    /// Later hits of a file make room for other files.
    pub room: f32,
}

/// So many of the best by the first factors are looked at closely; the rest follows in the order of those. Fixed, so
/// that a page does not depend on which pages are asked.
const POOL: usize = 400;

/// Past this many, candidates with the weakest text are ordered by text alone: no factor would bring them to the top.
const FACTORED: usize = 10_000;

pub(super) fn rank(
    view: &View,
    plan: &Plan,
    mut found: Vec<Candidate>,
    wanted: usize,
) -> Result<Vec<Ranked>, Damaged> {
    let total_weight: f32 = plan.words.iter().map(|word| word.weight).sum();
    let columns = view.parts.iter().map(|part| part.segment.columns()).collect::<Result<Vec<_>, _>>()?;
    let rest = if found.len() > FACTORED {
        found.select_nth_unstable_by(FACTORED, |left, right| by_text(view, left, right));
        found.split_off(FACTORED)
    } else {
        Vec::new()
    };
    let mut ranked = Vec::with_capacity(found.len());
    for candidate in found {
        let factors = first_factors(view, plan, &columns[candidate.part as usize], &candidate, total_weight)?;
        let score = text_score(&candidate) * factors.product();
        ranked.push(Ranked { candidate, score, factors });
    }
    let mut tail = if ranked.len() > POOL {
        ranked.select_nth_unstable_by(POOL, |left, right| order(view, left, right));
        ranked.split_off(POOL)
    } else {
        Vec::new()
    };
    look_closely(view, plan, &mut ranked)?;
    ranked.sort_unstable_by(|left, right| order(view, left, right));
    by_file(&mut ranked);
    ranked.sort_unstable_by(|left, right| order(view, left, right));
    if wanted > ranked.len() {
        tail.sort_unstable_by(|left, right| order(view, left, right));
        let last = ranked.last().map_or(f32::MAX, |last| last.score);
        ranked.extend(tail.into_iter().map(|item| Ranked { score: item.score.min(last), ..item }));
    }
    if wanted > ranked.len() {
        ranked.extend(by_text_alone(view, rest, ranked.last().map_or(f32::MAX, |last| last.score)));
    }
    Ok(ranked)
}

pub(super) fn by_text_alone(
    view: &View,
    mut rest: Vec<Candidate>,
    last: f32,
) -> impl Iterator<Item = Ranked> {
    rest.sort_unstable_by(|left, right| by_text(view, left, right));
    rest.into_iter().map(move |candidate| {
        let factors = Factors::NONE;
        Ranked { candidate, score: text_score(&candidate).min(last), factors }
    })
}

fn by_text(view: &View, left: &Candidate, right: &Candidate) -> std::cmp::Ordering {
    let path = |candidate: &Candidate| &view.file(candidate.file).path;
    right
        .bm25
        .total_cmp(&left.bm25)
        .then_with(|| path(left).cmp(path(right)))
        .then_with(|| left.chunk.cmp(&right.chunk))
}

/// A chunk in the answer for its absence of something still has an order.
pub(super) fn text_score(candidate: &Candidate) -> f32 {
    (candidate.bm25 + weights::FILE_SHARE * candidate.file_bm25 + candidate.vector).max(0.01)
}

fn order(view: &View, left: &Ranked, right: &Ranked) -> std::cmp::Ordering {
    let path = |ranked: &Ranked| &view.file(ranked.candidate.file).path;
    right
        .score
        .total_cmp(&left.score)
        .then_with(|| path(left).cmp(path(right)))
        .then_with(|| place(left).cmp(&place(right)))
}

/// Chunks of one file are numbered in the order of their start.
fn place(ranked: &Ranked) -> u32 {
    ranked.candidate.chunk
}

impl Factors {
    const NONE: Factors = Factors {
        coverage: 1.0,
        name: 1.0,
        name_words: 1.0,
        path: 1.0,
        traits: 1.0,
        kind: 1.0,
        company: 1.0,
        room: 1.0,
    };

    pub fn product(&self) -> f32 {
        self.coverage
            * self.name
            * self.name_words
            * self.path
            * self.traits
            * self.kind
            * self.company
            * self.room
    }
}

fn first_factors(
    view: &View,
    plan: &Plan,
    columns: &Columns<'_>,
    candidate: &Candidate,
    total_weight: f32,
) -> Result<Factors, Damaged> {
    let part = &view.parts[candidate.part as usize];
    let segment = &part.segment;
    let flags = columns.flags[candidate.chunk as usize];
    let hash = columns.name(candidate.chunk)?;
    let name = plan.names.iter().find(|wish| wish.hash == hash).map_or(1.0, |wish| wish.boost);
    let kind = columns.kind(candidate.chunk)?;
    // A mention in prose of a name that is defined elsewhere is not its definition.
    let name = if kind.is_definition() { name } else { 1.0 };
    let class = segment.lang(columns.langs[candidate.chunk as usize]).get().class;
    let path_trust = if class == Class::Data { weights::PATH_DATA } else { 1.0 };
    Ok(Factors {
        coverage: coverage(plan, candidate.mask, total_weight),
        name,
        name_words: 1.0,
        path: 1.0 + (path(plan, candidate.file, total_weight) - 1.0) * path_trust,
        traits: demotion(view, plan, candidate, flags),
        kind: kind_factor(kind, flags, class),
        company: 1.0,
        room: 1.0,
    })
}

fn coverage(plan: &Plan, mask: u64, total_weight: f32) -> f32 {
    if plan.words.len() < 2 || total_weight <= 0.0 {
        return 1.0;
    }
    let held: f32 = plan.words.iter().map(|word| word.weight * word.held(mask)).sum();
    weights::COVER + (1.0 - weights::COVER) * held / total_weight
}

fn path(plan: &Plan, file: u32, total_weight: f32) -> f32 {
    let Some(hit) = plan.paths.get(&file).filter(|_| total_weight > 0.0) else {
        return 1.0;
    };
    let share = |bits: u64, like: u64| {
        let of = |word: &super::plan::PlannedWord| {
            let held = if word.bits & bits != 0 {
                1.0
            } else if word.bits & like != 0 || word.related & bits != 0 {
                weights::PATH_LIKE
            } else {
                0.0
            };
            held * word.weight.max(0.1)
        };
        plan.words.iter().map(of).sum::<f32>() / total_weight.max(0.1)
    };
    let name = share(hit.name, hit.name_like).min(1.0);
    let folders = share(hit.folders & !hit.name, hit.folders_like & !hit.name_like).min(1.0);
    let mut factor = 1.0 + weights::PATH_NAME * name + weights::PATH_FOLDER * folders;
    if hit.name | hit.name_like != 0 && (hit.name | hit.name_like).count_ones() >= u32::from(hit.name_terms) {
        factor *= weights::PATH_WHOLE;
    }
    factor
}

fn demotion(view: &View, plan: &Plan, candidate: &Candidate, flags: u8) -> f32 {
    let entry = view.file(candidate.file);
    let mut present = entry.traits | view.parts[candidate.part as usize].blob_traits[entry.blob as usize];
    if flags & IS_TEST != 0 {
        present |= traits::TEST;
    }
    let mut factor = 1.0;
    for (bit, weight) in [
        (traits::TEST, weights::TEST),
        (traits::DOCS, weights::DOCS),
        (traits::EXAMPLE, weights::EXAMPLE),
        (traits::GENERATED, weights::GENERATED),
        (traits::VENDORED, weights::VENDORED),
        (traits::MINIFIED, weights::MINIFIED),
        (traits::DECLARATIONS, weights::DECLARATIONS),
    ] {
        if present & bit & !plan.asks != 0 {
            factor *= weight;
        }
    }
    factor
}

fn kind_factor(kind: Kind, flags: u8, class: Class) -> f32 {
    let mut factor = match class {
        Class::Code => 1.0,
        Class::Prose | Class::Document => weights::PROSE,
        Class::Data => weights::DATA,
    };
    factor *= match kind {
        Kind::Block => weights::BLOCK,
        Kind::Constant | Kind::Variable => weights::CONSTANT,
        Kind::Impl => weights::IMPL,
        Kind::Class | Kind::Struct | Kind::Trait | Kind::Interface => weights::TYPE,
        kind if kind.is_definition() => weights::DEFINITION,
        _ => 1.0,
    };
    if flags & IS_PART != 0 {
        factor *= weights::PART;
    }
    factor
}

/// What needs a chunk's own record: its exact name, and how much of it the query says.
fn look_closely(view: &View, plan: &Plan, ranked: &mut [Ranked]) -> Result<(), Damaged> {
    let mut known: FastMap<(u32, u32), Vec<Detail<'_>>> = FastMap::default();
    for item in ranked.iter_mut() {
        let part = &view.parts[item.candidate.part as usize];
        let blob = part.blob_of_chunk[item.candidate.chunk as usize];
        let details = match known.entry((item.candidate.part, blob)) {
            std::collections::hash_map::Entry::Occupied(entry) => entry.into_mut(),
            std::collections::hash_map::Entry::Vacant(entry) => entry.insert(part.segment.details(blob)?),
        };
        let at = item.candidate.chunk - part.segment.blob(blob)?.chunks.start;
        let detail = details.get(at as usize).ok_or(Damaged("a chunk has no record"))?;
        let last = detail.name.rsplit(['.', ':', '/']).next().unwrap_or(detail.name);
        if item.factors.name > 1.0
            && plan.names.iter().any(|wish| last == wish.text || detail.name == wish.text)
        {
            item.factors.name *= weights::SPELLING;
        }
        item.factors.name_words = name_words(plan, detail.name);
        item.score = text_score(&item.candidate) * item.factors.product();
    }
    Ok(())
}

fn name_words(plan: &Plan, name: &str) -> f32 {
    let (mut all, mut held) = (0u32, 0u32);
    token::words(name, |_, word| {
        for part in token::split(word) {
            let lower = part.to_lowercase();
            if lower.len() > 1 {
                all += 1;
                held +=
                    u32::from(plan.terms.iter().any(|term| {
                        term.weight > 0.0 && !term.is_related && term.text == token::stem(&lower)
                    }));
            }
        }
    });
    if all == 0 { 1.0 } else { 1.0 + weights::NAME_WORDS * held as f32 / all as f32 * (held as f32).min(2.0) }
}

/// Several good hits raise a file's best one; the later ones make room.
fn by_file(ranked: &mut [Ranked]) {
    let mut best: FastMap<u32, (usize, f32, u32)> = FastMap::default();
    for (at, item) in ranked.iter().enumerate() {
        let entry = best.entry(item.candidate.file).or_insert((at, 0.0, 0));
        if entry.0 != at {
            entry.1 += item.score;
        }
    }
    for (at, item) in ranked.iter_mut().enumerate() {
        let Some(entry) = best.get_mut(&item.candidate.file) else {
            continue;
        };
        if entry.0 == at {
            let others = entry.1 / item.score.max(f32::MIN_POSITIVE);
            item.factors.company = 1.0 + weights::COMPANY * (1.0 + others).ln().min(2.0);
        } else {
            entry.2 += 1;
            item.factors.room = weights::ROOM.powi(entry.2.min(8) as i32);
        }
        item.score = text_score(&item.candidate) * item.factors.product();
    }
}
