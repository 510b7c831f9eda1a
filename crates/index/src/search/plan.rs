//! A query against a view: terms with their weights, atoms with their chunks, names and traits it asks for.

use super::atoms::{AtomSet, Matcher, resolve};
use super::source::Source;
use super::{Mode, Options, Trouble};
use super::{related, weights};
use crate::error::Damaged;
use crate::generation::path_terms;
use crate::hash::FastMap;
use crate::query::{Atom, Node, Query, Word};
use crate::segment::name_hash;
use crate::segment::postings::NAME;
use crate::token::fold_name;
use crate::traits;
use crate::view::View;
use std::sync::Arc;

/// A mask has one bit per term and one to spare; later terms of a longer query do not count.
pub(crate) const MAX_TERMS: usize = 63;

pub(crate) struct Plan {
    pub terms: Vec<Term>,
    pub words: Vec<PlannedWord>,
    pub root: Step,
    pub sets: Vec<AtomSet>,
    /// Literals and expressions, for showing where they match.
    pub matchers: Vec<Arc<Matcher>>,
    /// Names the query may mean, by hash, and how much a definition of that name gains.
    pub names: Vec<NameWish>,
    /// Traits the query asks for; hits with them are not demoted.
    pub asks: u8,
    pub paths: FastMap<u32, PathHit>,
    /// Of code only its documentation is searched.
    pub only_docs: bool,
}

pub(crate) struct Term {
    pub text: String,
    pub idf: f32,
    /// Parts of a name count less where the whole name occurs.
    pub weight: f32,
    /// Not in the query, but often used for a word of it.
    pub is_related: bool,
}

pub(crate) struct PlannedWord {
    /// For each name in the word: the bit of the whole, and the bits of its parts.
    names: Vec<(u64, u64)>,
    pub bits: u64,
    /// Terms that are often used for it.
    pub related: u64,
    pub weight: f32,
}

pub(crate) struct NameWish {
    pub hash: u32,
    pub text: String,
    pub boost: f32,
}

/// Which terms of the query occur in a file's name and in its folders.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct PathHit {
    pub name: u64,
    pub folders: u64,
    /// Terms that begin like one of the path, or the other way round.
    pub name_like: u64,
    pub folders_like: u64,
    /// How many distinct terms the file's stem consists of.
    pub name_terms: u8,
}

/// A chunk in a file, and the terms of both.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Place {
    pub mask: u64,
    pub file_mask: u64,
    pub part: usize,
    pub chunk: u32,
    pub file: u32,
}

/// The query tree over positions in the plan.
#[derive(Clone, Debug)]
pub(crate) enum Step {
    Word(usize),
    Question(Vec<Step>),
    Together(Vec<Step>),
    Set(usize),
    All(Vec<Step>),
    Any(Vec<Step>),
    Not(Box<Step>),
}

impl PlannedWord {
    pub fn holds(&self, mask: u64) -> bool {
        !self.names.is_empty()
            && self
                .names
                .iter()
                .all(|(whole, parts)| mask & whole != 0 || *parts != 0 && mask & parts == *parts)
    }
}

impl PlannedWord {
    /// How much of the word a chunk with these terms holds: all, or what a related word is worth.
    pub fn held(&self, mask: u64) -> f32 {
        if self.holds(mask) {
            1.0
        } else if mask & self.related != 0 {
            weights::RELATED
        } else {
            0.0
        }
    }
}

impl Plan {
    /// Whether a chunk holds what the query asks.
    pub fn holds(&self, step: &Step, place: &Place) -> bool {
        let all = |steps: &[Step]| steps.iter().all(|step| self.holds(step, place));
        let any = |steps: &[Step]| steps.iter().any(|step| self.holds(step, place));
        match step {
            Step::Word(word) => self.words[*word].holds(place.mask),
            // A word that only stands for one of the question's is enough.
            Step::Question(steps) => {
                any(steps) || self.words.iter().any(|word| place.mask & word.related != 0)
            }
            // The file holds all of them, and the chunk one.
            Step::Together(steps) => {
                let in_file = Place { mask: place.file_mask, ..*place };
                any(steps) && steps.iter().all(|step| self.holds(step, &in_file))
            }
            Step::Set(set) => match &self.sets[*set].files {
                Some(files) => files.contains(place.file),
                None => self.sets[*set].parts[place.part].contains(place.chunk),
            },
            Step::All(steps) => all(steps),
            Step::Any(steps) => any(steps),
            Step::Not(inner) => !self.holds(inner, place),
        }
    }

    /// Reads words side by side as a question; false if there are none.
    pub fn relax(&mut self) -> bool {
        fn relax(step: &mut Step) -> usize {
            match step {
                Step::Together(steps) => {
                    *step = Step::Question(std::mem::take(steps));
                    1
                }
                Step::All(steps) | Step::Any(steps) => steps.iter_mut().map(relax).sum(),
                _ => 0,
            }
        }
        relax(&mut self.root) > 0
    }

    pub fn is_question(&self) -> bool {
        matches!(self.root, Step::Question(_) | Step::Word(_))
    }
}

pub(super) fn plan(
    view: &View,
    source: &Source<'_>,
    query: &Query,
    options: &Options,
) -> Result<Plan, Trouble> {
    let case = options.filters.case_tokens;
    let mut plan = Plan {
        terms: Vec::new(),
        words: Vec::new(),
        root: Step::All(Vec::new()),
        sets: Vec::new(),
        matchers: Vec::new(),
        names: Vec::new(),
        asks: asks(&query.words()),
        paths: FastMap::default(),
        only_docs: options.mode == Mode::Extracted,
    };
    let mut planner = Planner { view, source, case, plan: &mut plan, compiled: Vec::new() };
    let root = planner.step(&query.root, true)?;
    for atom in query.atoms() {
        // The words of a literal rank the chunks that hold it.
        if let Atom::Literal(text) = atom {
            planner.word(&Word::new(text))?;
        }
        let matcher = planner.matcher(atom, case)?;
        planner.plan.matchers.extend(matcher);
    }
    plan.root = root;
    plan.names = wishes(query);
    plan.paths = paths(view, &plan)?;
    Ok(plan)
}

struct Planner<'p, 'v> {
    view: &'v View,
    source: &'p Source<'v>,
    case: bool,
    plan: &'p mut Plan,
    /// Matchers of the query's atoms, each with whether case counts: compiling one costs as much as a small search.
    compiled: Vec<(Atom, bool, Arc<Matcher>)>,
}

impl Planner<'_, '_> {
    fn step(&mut self, node: &Node, positive: bool) -> Result<Step, Trouble> {
        Ok(match node {
            Node::Word(word) => self.word_step(word)?,
            Node::Question(words) => {
                let steps = self.word_steps(words)?;
                self.relate(words)?;
                Step::Question(steps)
            }
            Node::Together(words) => Step::Together(self.word_steps(words)?),
            Node::Atom(atom) => self.set(atom, self.case)?,
            Node::All(nodes) => {
                Step::All(nodes.iter().map(|node| self.step(node, positive)).collect::<Result<_, _>>()?)
            }
            Node::Any(nodes) => {
                Step::Any(nodes.iter().map(|node| self.step(node, positive)).collect::<Result<_, _>>()?)
            }
            Node::Not(inner) => {
                let (terms, words) = (self.plan.terms.len(), self.plan.words.len());
                let step = self.step(inner, !positive)?;
                // What must not be there must not count either.
                if positive {
                    self.plan.terms[terms..].iter_mut().for_each(|term| term.weight = 0.0);
                    self.plan.words[words..].iter_mut().for_each(|word| word.weight = 0.0);
                }
                Step::Not(Box::new(step))
            }
        })
    }

    fn word_steps(&mut self, words: &[Word]) -> Result<Vec<Step>, Trouble> {
        words.iter().map(|word| self.word_step(word)).collect()
    }

    fn word_step(&mut self, word: &Word) -> Result<Step, Trouble> {
        let step = Step::Word(self.word(word)?);
        if !self.case {
            return Ok(step);
        }
        // Terms know no case: the word as written has to be there as well.
        let set = self.set(&Atom::Literal(word.text.clone()), true)?;
        Ok(Step::All(vec![step, set]))
    }

    fn set(&mut self, atom: &Atom, case: bool) -> Result<Step, Trouble> {
        let matcher = self.matcher(atom, case)?;
        let set = resolve(self.view, self.source, atom, case, self.plan.only_docs, matcher.as_deref())?;
        self.plan.sets.push(set);
        Ok(Step::Set(self.plan.sets.len() - 1))
    }

    fn matcher(&mut self, atom: &Atom, case: bool) -> Result<Option<Arc<Matcher>>, Trouble> {
        let is_it = |known: &&(Atom, bool, Arc<Matcher>)| known.0 == *atom && known.1 == case;
        if let Some((.., matcher)) = self.compiled.iter().find(is_it) {
            return Ok(Some(Arc::clone(matcher)));
        }
        let matcher = Matcher::new(atom, case)?.map(Arc::new);
        self.compiled.extend(matcher.iter().map(|matcher| (atom.clone(), case, Arc::clone(matcher))));
        Ok(matcher)
    }

    fn word(&mut self, word: &Word) -> Result<usize, Damaged> {
        let mut planned = PlannedWord { names: Vec::new(), bits: 0, related: 0, weight: 0.0 };
        for terms in &word.names {
            let mut bits = Vec::with_capacity(terms.len());
            for term in terms {
                bits.push(self.term(term)?);
            }
            let (whole, parts) = match bits.split_first() {
                Some((whole, [])) => (*whole, 0),
                Some((whole, parts)) => (*whole, parts.iter().fold(0, |all, bit| all | bit)),
                None => continue,
            };
            if parts != 0
                && self.plan.terms.iter().enumerate().any(|(at, term)| whole == 1 << at && term.idf > 0.0)
            {
                for (_, term) in self.plan.terms.iter_mut().enumerate().filter(|(at, _)| parts >> at & 1 == 1)
                {
                    term.weight = term.weight.min(0.5);
                }
            }
            planned.names.push((whole, parts));
            planned.bits |= whole | parts;
        }
        let idfs = self
            .plan
            .terms
            .iter()
            .enumerate()
            .filter(|(at, _)| planned.bits >> at & 1 == 1)
            .map(|(_, term)| term.idf);
        planned.weight = idfs.fold(0.0, f32::max);
        self.plan.words.push(planned);
        Ok(self.plan.words.len() - 1)
    }

    /// Weighs the words of a question, the last ones planned, and adds those that code uses for them.
    fn relate(&mut self, words: &[Word]) -> Result<(), Damaged> {
        let first = self.plan.words.len() - words.len();
        for (word, at) in words.iter().zip(first..) {
            let lower = word.text.to_lowercase();
            let lower = lower.trim_matches(|letter: char| !letter.is_alphanumeric());
            if related::is_weak(lower) {
                let bits = self.plan.words[at].bits;
                let terms = self.plan.terms.iter_mut().enumerate();
                terms
                    .filter(|(bit, _)| bits >> bit & 1 == 1)
                    .for_each(|(_, term)| term.weight *= weights::WEAK);
                self.plan.words[at].weight *= weights::WEAK;
            }
            for other in related::related(lower) {
                let known = self.plan.terms.len();
                let bit = self.term(crate::token::stem(other))?;
                // A word of the query itself keeps its own weight.
                if let Some(term) = self.plan.terms.get_mut(known) {
                    term.weight *= weights::RELATED;
                    term.is_related = true;
                    self.plan.words[at].related |= bit;
                }
            }
        }
        Ok(())
    }

    /// The bit of a term, 0 for those that do not fit.
    fn term(&mut self, text: &str) -> Result<u64, Damaged> {
        if let Some(at) = self.plan.terms.iter().position(|term| term.text == text) {
            return Ok(1 << at);
        }
        if self.plan.terms.len() == MAX_TERMS {
            return Ok(0);
        }
        let mut chunks = 0u64;
        for part in self.view.parts.iter() {
            let Some(postings) = part.segment.dictionary()?.find(text.as_bytes())? else {
                continue;
            };
            if part.all_live {
                chunks += u64::from(postings.count);
            } else {
                for posting in postings {
                    chunks += u64::from(part.live.contains(posting?.chunk));
                }
            }
        }
        let (all, with) = (self.view.chunks as f32, chunks as f32);
        let idf = (1.0 + (all - with + 0.5).max(0.0) / (with + 0.5)).ln();
        self.plan.terms.push(Term {
            text: text.to_owned(),
            idf,
            weight: if chunks == 0 { 0.0 } else { 1.0 },
            is_related: false,
        });
        Ok(1 << (self.plan.terms.len() - 1))
    }
}

/// Traits a query asks for by word.
fn asks(words: &[&Word]) -> u8 {
    let mut asked = 0;
    for word in words {
        let lower = word.text.to_ascii_lowercase();
        asked |= match lower.as_str() {
            "test" | "tests" | "testing" | "tested" | "spec" | "specs" | "mock" | "mocks" | "fixture"
            | "fixtures" => traits::TEST,
            "doc" | "docs" | "documentation" | "documented" | "readme" | "changelog" | "guide"
            | "tutorial" | "license" => traits::DOCS,
            "example" | "examples" | "sample" | "demo" | "benchmark" | "benchmarks" | "bench" => {
                traits::EXAMPLE
            }
            "generated" => traits::GENERATED,
            "vendor" | "vendored" => traits::VENDORED,
            _ => 0,
        };
        if lower.starts_with("test_") || lower.ends_with("_test") || word.text.ends_with("Test") {
            asked |= traits::TEST;
        }
    }
    asked
}

/// Names a definition could have to be what is meant.
fn wishes(query: &Query) -> Vec<NameWish> {
    let words = query.words();
    let mut out: Vec<NameWish> = Vec::new();
    let mut wish = |text: &str, boost: f32| {
        let hash = name_hash(&fold_name(text));
        if hash != 0 && !out.iter().any(|known| known.hash == hash) {
            out.push(NameWish { hash, text: text.trim_end_matches("()").to_owned(), boost });
        }
    };
    for atom in query.atoms() {
        if let Atom::Symbol(name) = atom {
            wish(name, weights::WISH_SYMBOL);
        }
    }
    for word in words.iter().filter(|word| word.is_name() || words.len() == 1) {
        wish(&word.text, weights::WISH_NAME);
    }
    for length in (2..=words.len().min(4)).rev() {
        for run in words.windows(length) {
            wish(&run.iter().map(|word| word.text.as_str()).collect::<Vec<_>>().concat(), weights::WISH_RUN);
        }
    }
    for word in words.iter().filter(|word| word.text.len() > 3) {
        wish(&word.text, weights::WISH_WORD);
    }
    out
}

/// A shorter beginning is shared by too many words.
const LIKE_BYTES: usize = 4;

/// Looks the query's terms up in paths.
fn paths(view: &View, plan: &Plan) -> Result<FastMap<u32, PathHit>, Damaged> {
    let mut out: FastMap<u32, PathHit> = FastMap::default();
    let dictionary = view.opened.tables.paths()?;
    for (at, term) in plan.terms.iter().enumerate() {
        for posting in dictionary.find(term.text.as_bytes())?.into_iter().flatten() {
            let posting = posting?;
            let hit = out.entry(posting.chunk).or_default();
            *(if posting.counts.heads & NAME != 0 { &mut hit.name } else { &mut hit.folders }) |= 1 << at;
        }
    }
    for (at, term) in plan.terms.iter().enumerate().filter(|(_, term)| !term.is_related) {
        for length in LIKE_BYTES..term.text.len() {
            if !term.text.is_char_boundary(length) {
                continue;
            }
            for posting in dictionary.find(&term.text.as_bytes()[..length])?.into_iter().flatten() {
                let posting = posting?;
                let hit = out.entry(posting.chunk).or_default();
                let name = posting.counts.heads & NAME != 0;
                *(if name { &mut hit.name_like } else { &mut hit.folders_like }) |= 1 << at;
            }
        }
    }
    let first = view.opened.tables.generation.files.len() as u32;
    if out.keys().any(|file| *file >= first) {
        return Err(Damaged("a path names no file"));
    }
    for (number, entry) in view.extra.iter().enumerate() {
        let mut hit = PathHit::default();
        path_terms(&entry.path, |found, field| {
            if let Some(at) = plan.terms.iter().position(|term| term.text == found) {
                *(if field == NAME { &mut hit.name } else { &mut hit.folders }) |= 1 << at;
            }
        });
        if hit.name | hit.folders != 0 {
            out.insert(first + number as u32, hit);
        }
    }
    for (file, hit) in out.iter_mut().filter(|(_, hit)| hit.name | hit.name_like != 0) {
        let path = &view.file(*file).path;
        let name = path.rsplit('/').next().unwrap_or(path);
        let stem = name.split('.').find(|part| !part.is_empty()).unwrap_or(name);
        hit.name_terms = crate::token::split(stem).count().clamp(1, 255) as u8;
    }
    Ok(out)
}
