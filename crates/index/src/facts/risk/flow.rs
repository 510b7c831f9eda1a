//! Follows values through one definition: what is read where, into which name it goes, which call gets it.
//!
//! Statements are taken in the order of the text; a name is as tainted as what was last assigned to it. That misses
//! what travels through fields of other objects or other functions, and says little that is not so.

use super::args::arguments;
use super::{Book, CATEGORIES, Role, Rule, last};
use crate::facts::Fact;
use crate::facts::walk::Mark;
use crate::hash::FastMap;
use std::collections::BTreeSet;
use std::ops::Range;

/// What is risky about a chunk.
#[derive(Clone, Debug, Default)]
pub(crate) struct Risks {
    pub tags: BTreeSet<&'static str>,
    pub categories: BTreeSet<&'static str>,
    pub sources: BTreeSet<&'static str>,
    pub sinks: BTreeSet<&'static str>,
    pub flows: Vec<Flow>,
}

/// A value from outside on its way to a sink.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Flow {
    pub source: &'static str,
    pub sink: &'static str,
    pub category: &'static str,
    pub severity: &'static str,
    pub ids: &'static [&'static str],
    /// Where it passes, as offsets into the text.
    pub path: Vec<u32>,
}

/// A definition with more than this is not one anybody reads.
const MAX_MARKS: usize = 20_000;
const MAX_FLOWS: usize = 50;
const MAX_STEPS: usize = 12;
/// An assignment longer than this is a loop or a block: only its first line counts.
const MAX_STATEMENT_BYTES: u32 = 1_200;

/// What a name holds.
#[derive(Clone, Debug)]
struct Taint {
    source: &'static str,
    path: Vec<u32>,
    /// Positions of categories it is safe for.
    clean: BTreeSet<usize>,
}

impl Taint {
    /// What a source brings; safe for the categories it does not matter for.
    fn of(rule: &'static Rule, at: u32) -> Taint {
        let matters = |number: &usize| rule.categories.is_empty() || rule.categories.contains(number);
        let clean = (0..CATEGORIES.len()).filter(|number| !matters(number)).collect();
        Taint { source: rule.name, path: vec![at], clean }
    }
}

struct Event<'t> {
    fact: Fact,
    at: u32,
    extent: Range<u32>,
    written: &'t str,
    /// Something stands before the name: `a(b).name`.
    has_receiver: bool,
}

/// Analyses the marks of one chunk, given in the order of the text. `None` where nothing is worth saying.
pub(crate) fn analyse(text: &str, book: &Book, marks: &[&Mark]) -> Option<Risks> {
    if marks.len() > MAX_MARKS || !marks.iter().any(|mark| book.names(mark, text)) {
        return None;
    }
    let events = marks.iter().map(|mark| Event {
        fact: mark.fact,
        at: mark.at,
        extent: mark.extent.clone(),
        written: mark.written(text),
        has_receiver: text[..mark.at as usize].ends_with(['.', '>', ':']),
    });
    let mut walk = Walk {
        text,
        book,
        events: events.collect(),
        tainted: FastMap::default(),
        risks: Risks::default(),
        sanitizes: false,
    };
    walk.run();
    if walk.sanitizes && !walk.risks.sources.is_empty() {
        walk.risks.tags.insert("sanitize");
    }
    Some(walk.risks).filter(|risks| !risks.tags.is_empty())
}

struct Walk<'t> {
    text: &'t str,
    book: &'t Book,
    events: Vec<Event<'t>>,
    tainted: FastMap<String, Taint>,
    risks: Risks,
    sanitizes: bool,
}

impl Walk<'_> {
    fn run(&mut self) {
        // An assignment takes effect where it ends: its right side is read before.
        let mut order: Vec<(u32, usize)> = (0..self.events.len()).map(|at| (self.moment(at), at)).collect();
        order.sort_unstable();
        let mut seen: BTreeSet<(u32, &'static str)> = BTreeSet::new();
        for (_, at) in order {
            match self.events[at].fact {
                Fact::Write | Fact::Mutate => self.assign(at),
                Fact::Call => self.call(at, &mut seen),
                Fact::Read => {
                    if let Some(rule) = self.book.of_read(self.events[at].written) {
                        self.note_source(rule);
                    }
                }
                _ => {}
            }
        }
    }

    fn moment(&self, at: usize) -> u32 {
        let event = &self.events[at];
        match event.fact {
            Fact::Write | Fact::Mutate => self.statement(event).end,
            _ => event.at,
        }
    }

    /// The part of a statement that counts for what is assigned in it.
    fn statement(&self, event: &Event<'_>) -> Range<u32> {
        let Range { start, end } = event.extent;
        if end - start <= MAX_STATEMENT_BYTES {
            return start..end;
        }
        let rest = self.text.get(event.at as usize..end as usize).unwrap_or_default();
        start..event.at + rest.find('\n').unwrap_or(rest.len()) as u32
    }

    fn note_source(&mut self, rule: &'static Rule) {
        self.risks.sources.insert(rule.name);
        self.risks.tags.extend(rule.tags);
    }

    fn assign(&mut self, at: usize) {
        let event = &self.events[at];
        let (name, place, range) =
            (event.written.trim_start_matches('$').to_owned(), event.at, self.statement(event));
        // `x += y` keeps what x was; a plain assignment replaces it.
        let found = self.taint_in(&range, Some(place), None);
        if event.fact == Fact::Mutate
            && let Some(rule) = self.book.of_write(&name)
        {
            self.hit(rule, place, found.clone());
        }
        match found {
            Some(mut taint) => {
                if taint.path.len() < MAX_STEPS && taint.path.last() != Some(&place) {
                    taint.path.push(place);
                }
                self.tainted.insert(name, taint);
            }
            None => {
                self.tainted.remove(&name);
            }
        }
    }

    fn call(&mut self, at: usize, seen: &mut BTreeSet<(u32, &'static str)>) {
        let event = &self.events[at];
        let (written, place, extent) = (event.written, event.at, event.extent.clone());
        let behind = event.has_receiver;
        if !self.book.knows_call(written) {
            return;
        }
        let after = place as usize + written.len();
        let rules: Vec<&'static Rule> = self.book.of_call(written, behind).collect();
        for rule in rules {
            match rule.role {
                Role::Source => self.note_source(rule),
                Role::Sanitizer => self.sanitizes = true,
                Role::Sink if seen.insert((extent.end, rule.name)) => self.sink(rule, place, after, &extent),
                Role::Sink => {}
            }
        }
        let fills: Vec<&'static Rule> = self.book.of_fill(written, behind).collect();
        for rule in fills {
            self.note_source(rule);
            for range in arguments(self.text, after, extent.end as usize) {
                let inside =
                    |event: &&Event<'_>| event.fact == Fact::Read && range.contains(&(event.at as usize));
                let names: Vec<String> =
                    self.events.iter().filter(inside).map(|event| event.written.to_owned()).collect();
                for name in names {
                    self.tainted.insert(name, Taint::of(rule, place));
                }
            }
        }
    }

    fn sink(&mut self, rule: &'static Rule, place: u32, after: usize, extent: &Range<u32>) {
        let whole = self.text.get(place as usize..extent.end as usize).unwrap_or_default();
        if !whole.contains(rule.when) || !rule.unless.is_empty() && whole.contains(rule.unless) {
            return;
        }
        let args = arguments(self.text, after, extent.end as usize);
        let chosen: Vec<Range<usize>> = match rule.arg {
            Some(at) => args.get(at).cloned().into_iter().collect(),
            None => args,
        };
        let is_inside = |event: &Event<'_>| chosen.iter().any(|range| range.contains(&(event.at as usize)));
        // A call with nothing but literals is harmless, whatever it is called.
        if !self.events.iter().any(|event| matches!(event.fact, Fact::Read | Fact::Call) && is_inside(event))
        {
            return;
        }
        let found = chosen.iter().find_map(|range| {
            self.taint_in(&(range.start as u32..range.end as u32), None, rule.categories.first().copied())
        });
        self.hit(rule, place, found);
    }

    fn hit(&mut self, rule: &'static Rule, place: u32, found: Option<Taint>) {
        let (Some(category), Some(number)) = (rule.category(), rule.categories.first()) else { return };
        // Printing something is no risk; printing what came from outside is.
        let found = found.filter(|taint| !taint.clean.contains(number));
        if found.is_none() && !category.alone {
            return;
        }
        self.risks.sinks.insert(rule.name);
        self.risks.tags.extend(category.tags);
        self.risks.categories.insert(category.name);
        self.risks.categories.extend(category.ids);
        let Some(taint) = found else { return };
        if self.risks.flows.len() < MAX_FLOWS {
            let mut path = taint.path;
            path.push(place);
            path.dedup();
            self.risks.flows.push(Flow {
                source: taint.source,
                sink: rule.name,
                category: category.name,
                severity: category.severity,
                ids: category.ids,
                path,
            });
        }
    }

    /// The first taint that is read in a range, with what sanitizers around it say. `but` is the place that is assigned,
    /// `for_category` lets a value pass that is only safe for others.
    fn taint_in(&self, range: &Range<u32>, but: Option<u32>, for_category: Option<usize>) -> Option<Taint> {
        let mut best: Option<Taint> = None;
        for event in self.events.iter().filter(|event| range.contains(&event.at) && Some(event.at) != but) {
            let Some(mut taint) = self.taint_of(event) else { continue };
            let calls =
                self.events.iter().filter(|outer| outer.fact == Fact::Call && range.contains(&outer.at));
            for outer in calls.filter(|outer| outer.extent.contains(&event.at)) {
                let rules = self.book.of_call(outer.written, outer.has_receiver);
                for rule in rules.filter(|rule| rule.role == Role::Sanitizer && outer.cleans(event, rule)) {
                    match rule.categories {
                        [] => taint.clean.extend(0..CATEGORIES.len()),
                        some => taint.clean.extend(some),
                    }
                }
            }
            let is_clean = match for_category {
                Some(category) => taint.clean.contains(&category),
                None => taint.clean.len() == CATEGORIES.len(),
            };
            if !is_clean {
                return Some(taint);
            }
            best = best.or(Some(taint));
        }
        best.filter(|taint| taint.clean.len() < CATEGORIES.len())
    }

    /// What an event brings: a source, or a name that is tainted.
    fn taint_of(&self, event: &Event<'_>) -> Option<Taint> {
        let fresh = |rule: &'static Rule| Taint::of(rule, event.at);
        match event.fact {
            Fact::Read => {
                if let Some(rule) = self.book.of_read(event.written) {
                    return Some(fresh(rule));
                }
                let plain = event.written.trim_start_matches('$');
                self.tainted.get(plain).or_else(|| self.tainted.get(stem(plain))).cloned()
            }
            Fact::Call => {
                let source = self
                    .book
                    .of_call(event.written, event.has_receiver)
                    .find(|rule| rule.role == Role::Source);
                if let Some(rule) = source {
                    return Some(fresh(rule));
                }
                // A method of a tainted value gives a tainted value: `name.trim()`.
                let receiver = event
                    .written
                    .rsplit_once(['.', '>'])
                    .map(|(before, _)| before.trim_end_matches('-').trim_start_matches('$'));
                receiver.and_then(|receiver| self.tainted.get(receiver)).cloned()
            }
            _ => None,
        }
    }
}

impl Event<'_> {
    /// Whether this call, which is a sanitizer, is given another event: as an argument, or as what it is a method of.
    fn cleans(&self, other: &Event<'_>, rule: &Rule) -> bool {
        let is_method = rule.calls.iter().any(|call| call.strip_prefix("*.") == Some(last(self.written)));
        is_method || other.at >= self.at + self.written.len() as u32
    }
}

/// `user` of `user.name`.
fn stem(written: &str) -> &str {
    written.split(['.', '[', '-']).next().unwrap_or(written)
}
