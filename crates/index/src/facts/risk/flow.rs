//! Follows values through one definition: what is read where, into which name it goes, which call gets it.
//!
//! Statements are taken in the order of the text; a name is as tainted as what was last assigned to it. That misses
//! what travels through fields of other objects, and says little that is not so. What other definitions do with a value
//! is asked of `Callees`, where somebody knows; what this one does with its parameters is its `Summary`.

use super::args::arguments;
use super::{Book, Role, Rule, last};
use crate::facts::Fact;
use crate::facts::walk::Mark;
use crate::hash::FastMap;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

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
    /// Where it passes.
    pub path: Vec<Step>,
}

/// A place a value passes, as an offset into a text.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) enum Step {
    Here(u32),
    /// In another definition.
    There {
        node: u32,
        at: u32,
    },
}

/// What a definition does with what it is given.
#[derive(Clone, Debug, Default)]
pub(crate) struct Summary {
    /// Names of its parameters, without the one it is a method of.
    pub params: Vec<String>,
    /// Parameters that reach a sink.
    pub through: Vec<Through>,
    /// Values from outside it returns.
    pub returns: Vec<Taint>,
    /// Parameters it returns, as safe as they are then.
    passed: Vec<(u16, Taint)>,
    /// Values from outside that reach a sink in it, or in what it calls.
    pub flows: Vec<Flow>,
}

impl Summary {
    /// Makes a taint as safe as what comes back of it when it is given as a parameter.
    fn clean(&self, param: usize, taint: &mut Taint) {
        let mut passed = self.passed.iter().filter(|(at, _)| *at as usize == param).map(|(_, back)| back);
        let Some(first) = passed.next() else { return };
        let (mut all, mut some) = (first.is_all_clean, first.clean.clone());
        for back in passed {
            all &= back.is_all_clean;
            some.retain(|category| back.is_clean_for(category));
        }
        taint.is_all_clean |= all;
        taint.clean.extend(some);
    }
}

#[derive(Clone, Debug)]
pub(crate) struct Through {
    param: u16,
    rule: &'static Rule,
    path: Vec<Step>,
}

/// Knows what definitions do that are called.
pub(crate) trait Callees {
    /// The summary of what a call written so means.
    fn summary(&self, written: &str) -> Option<Rc<Summary>>;
}

/// A definition with more than this is not one anybody reads.
const MAX_MARKS: usize = 20_000;
const MAX_FLOWS: usize = 50;
const MAX_STEPS: usize = 12;
/// An assignment longer than this is a loop or a block: only its first line counts.
const MAX_STATEMENT_BYTES: u32 = 1_200;

/// Where a value comes from.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Origin {
    Outside(&'static str),
    Param(u16),
}

/// What a name holds.
#[derive(Clone, Debug)]
pub(crate) struct Taint {
    origin: Origin,
    path: Vec<Step>,
    /// Categories it is safe for.
    clean: BTreeSet<&'static str>,
    is_all_clean: bool,
    /// The only categories it matters for, where there are such.
    only: &'static [&'static str],
}

impl Taint {
    fn new(origin: Origin, path: Vec<Step>) -> Taint {
        Taint { origin, path, clean: BTreeSet::new(), is_all_clean: false, only: &[] }
    }

    fn of(rule: &'static Rule, at: u32) -> Taint {
        Taint { only: rule.categories, ..Taint::new(Origin::Outside(rule.name), vec![Step::Here(at)]) }
    }

    fn is_clean_for(&self, category: &str) -> bool {
        self.is_all_clean
            || self.clean.contains(category)
            || !self.only.is_empty() && !self.only.contains(&category)
    }

    fn step(&mut self, step: Step) {
        if self.path.len() < MAX_STEPS && self.path.last() != Some(&step) {
            self.path.push(step);
        }
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
    let mut walk = Walk::new(text, book, marks, None);
    walk.run();
    if walk.sanitizes && !walk.risks.sources.is_empty() {
        walk.risks.tags.insert("sanitize");
    }
    Some(walk.risks).filter(|risks| !risks.tags.is_empty())
}

/// What a definition does with its parameters and with what it calls. `returned` are the texts of its results, `node` is
/// how others refer to it.
pub(crate) fn summarise(
    text: &str,
    book: &Book,
    marks: &[&Mark],
    params: Vec<String>,
    returned: &[Range<u32>],
    node: u32,
    callees: &dyn Callees,
) -> Summary {
    if marks.len() > MAX_MARKS {
        return Summary::default();
    }
    let mut walk = Walk::new(text, book, marks, Some(callees));
    for (at, name) in (0u16..).zip(&params) {
        walk.tainted.insert(name.clone(), Taint::new(Origin::Param(at), Vec::new()));
    }
    walk.returned = returned.to_vec();
    walk.run();
    let away = |path: &mut Vec<Step>| {
        for step in path {
            if let Step::Here(at) = *step {
                *step = Step::There { node, at };
            }
        }
    };
    walk.through.iter_mut().for_each(|through| away(&mut through.path));
    walk.results.iter_mut().for_each(|taint| away(&mut taint.path));
    walk.risks.flows.iter_mut().for_each(|flow| away(&mut flow.path));
    Summary {
        params,
        through: walk.through,
        returns: walk.results,
        passed: walk.passed,
        flows: walk.risks.flows,
    }
}

struct Walk<'t> {
    text: &'t str,
    book: &'t Book,
    events: Vec<Event<'t>>,
    tainted: FastMap<String, Taint>,
    risks: Risks,
    sanitizes: bool,
    callees: Option<&'t dyn Callees>,
    /// What was asked of the callees, by what is written.
    asked: FastMap<&'t str, Option<Rc<Summary>>>,
    through: Vec<Through>,
    returned: Vec<Range<u32>>,
    results: Vec<Taint>,
    passed: Vec<(u16, Taint)>,
}

impl<'t> Walk<'t> {
    fn new(text: &'t str, book: &'t Book, marks: &[&'t Mark], callees: Option<&'t dyn Callees>) -> Walk<'t> {
        let events = marks.iter().map(|mark| Event {
            fact: mark.fact,
            at: mark.at,
            extent: mark.extent.clone(),
            written: mark.written(text),
            has_receiver: text[..mark.at as usize].ends_with(['.', '>', ':']),
        });
        let events: Vec<Event<'t>> = events.collect();
        let mut asked = FastMap::default();
        if let Some(callees) = callees {
            for event in events.iter().filter(|event| event.fact == Fact::Call) {
                asked.entry(event.written).or_insert_with(|| callees.summary(event.written));
            }
        }
        Walk {
            text,
            book,
            events,
            tainted: FastMap::default(),
            risks: Risks::default(),
            sanitizes: false,
            callees,
            asked,
            through: Vec::new(),
            returned: Vec::new(),
            results: Vec::new(),
            passed: Vec::new(),
        }
    }

    fn run(&mut self) {
        // An assignment takes effect where it ends: its right side is read before. So does a result.
        let mut order: Vec<(u32, usize)> = (0..self.events.len()).map(|at| (self.moment(at), at)).collect();
        let first = self.events.len();
        order.extend(self.returned.iter().enumerate().map(|(at, range)| (range.end, first + at)));
        order.sort_unstable();
        let mut seen: BTreeSet<(u32, &'static str)> = BTreeSet::new();
        for (_, at) in order {
            if at >= first {
                self.result(at - first);
                continue;
            }
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
        // What a loop gives its variable counts in its body.
        let is_loop = || {
            let whole = self.text.get(start as usize..end as usize).unwrap_or_default();
            ["for ", "for(", "foreach ", "foreach(", "async for "].iter().any(|word| whole.starts_with(word))
        };
        if end - start <= MAX_STATEMENT_BYTES && !is_loop() {
            return start..end;
        }
        let rest = self.text.get(event.at as usize..end as usize).unwrap_or_default();
        start..event.at + rest.find('\n').unwrap_or(rest.len()) as u32
    }

    fn note_source(&mut self, rule: &'static Rule) {
        self.risks.sources.insert(rule.name);
        self.risks.tags.extend(rule.tags);
    }

    fn result(&mut self, at: usize) {
        let range = self.returned[at].clone();
        let Some(taint) = self.any_taint_in(&range, None, None) else { return };
        if self.results.len() + self.passed.len() >= MAX_FLOWS {
            return;
        }
        match taint.origin {
            Origin::Param(param) => self.passed.push((param, taint)),
            Origin::Outside(_) if !taint.is_all_clean => self.results.push(taint),
            Origin::Outside(_) => {}
        }
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
            self.hit(rule, Step::Here(place), found.clone());
        }
        match found {
            Some(mut taint) => {
                taint.step(Step::Here(place));
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
        let after = place as usize + written.len();
        if self.callees.is_some() {
            self.hand_over(written, place, after, &extent);
        }
        if !self.book.knows_call(written) {
            return;
        }
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

    /// What a definition that is called does with what it is given.
    fn hand_over(&mut self, written: &str, place: u32, after: usize, extent: &Range<u32>) {
        let Some(Some(summary)) = self.asked.get(written).cloned() else { return };
        if summary.through.is_empty() {
            return;
        }
        let args = arguments(self.text, after, extent.end as usize);
        for through in &summary.through {
            let Some(category) = through.rule.category else { continue };
            let Some(range) = self.argument(&args, &summary.params, through.param as usize) else { continue };
            let range = range.start as u32..range.end as u32;
            let Some(mut taint) = self.taint_in(&range, None, Some(category.name)) else { continue };
            if taint.path.len() + through.path.len() >= 2 * MAX_STEPS {
                continue;
            }
            taint.step(Step::Here(place));
            let (end, between) = through.path.split_last().expect("a path ends in its sink");
            taint.path.extend(between);
            self.hit(through.rule, *end, Some(taint));
        }
    }

    /// The argument a parameter is given: by its name, or by its place.
    fn argument(&self, args: &[Range<usize>], params: &[String], at: usize) -> Option<Range<usize>> {
        let written = |range: &Range<usize>| self.text.get(range.clone()).unwrap_or_default().trim();
        let names = |text: &str, name: &str| {
            let rest = text.strip_prefix(name).map(str::trim_start);
            rest.is_some_and(|rest| {
                rest.starts_with('=') && !rest.starts_with("==")
                    || rest.starts_with(':') && !rest.starts_with("::")
            })
        };
        let name = params.get(at)?;
        let by_name = args.iter().find(|range| names(written(range), name));
        let by_place =
            || args.get(at).filter(|range| !params.iter().any(|other| names(written(range), other)));
        by_name.or_else(by_place).cloned()
    }

    fn sink(&mut self, rule: &'static Rule, place: u32, after: usize, extent: &Range<u32>) {
        let whole = self.text.get(place as usize..extent.end as usize).unwrap_or_default();
        let fits =
            rule.when.is_empty() || whole.to_ascii_lowercase().contains(&rule.when.to_ascii_lowercase());
        if !fits || !rule.unless.is_empty() && whole.contains(rule.unless) {
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
        let category = rule.category.map(|category| category.name);
        let found = chosen
            .iter()
            .find_map(|range| self.taint_in(&(range.start as u32..range.end as u32), None, category));
        self.hit(rule, Step::Here(place), found);
    }

    fn hit(&mut self, rule: &'static Rule, place: Step, found: Option<Taint>) {
        let Some(category) = rule.category else { return };
        // Printing something is no risk; printing what came from outside is.
        let found = found.filter(|taint| !taint.is_clean_for(category.name));
        let taint = match found {
            Some(Taint { origin: Origin::Param(param), path, .. }) => {
                let mut path = path;
                path.push(place);
                path.dedup();
                if self.through.len() < MAX_FLOWS {
                    self.through.push(Through { param, rule, path });
                }
                None
            }
            found => found,
        };
        if taint.is_none() && !category.alone {
            return;
        }
        self.risks.sinks.insert(rule.name);
        self.risks.tags.extend(category.tags);
        self.risks.categories.insert(category.name);
        self.risks.categories.extend(category.ids);
        let Some(Taint { origin: Origin::Outside(source), mut path, .. }) = taint else { return };
        if self.risks.flows.len() < MAX_FLOWS {
            path.push(place);
            path.dedup();
            self.risks.flows.push(Flow {
                source,
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
    fn taint_in(&self, range: &Range<u32>, but: Option<u32>, for_category: Option<&str>) -> Option<Taint> {
        self.any_taint_in(range, but, for_category).filter(|taint| !taint.is_all_clean)
    }

    /// As `taint_in`, with what is safe for everything.
    fn any_taint_in(
        &self,
        range: &Range<u32>,
        but: Option<u32>,
        for_category: Option<&str>,
    ) -> Option<Taint> {
        let (mut of_param, mut of_clean): (Option<Taint>, Option<Taint>) = (None, None);
        for event in self.events.iter().filter(|event| range.contains(&event.at) && Some(event.at) != but) {
            let Some(mut taint) = self.taint_of(event) else { continue };
            let calls =
                self.events.iter().filter(|outer| outer.fact == Fact::Call && range.contains(&outer.at));
            for outer in calls.filter(|outer| outer.extent.contains(&event.at)) {
                let rules = self.book.of_call(outer.written, outer.has_receiver);
                for rule in rules.filter(|rule| rule.role == Role::Sanitizer && outer.cleans(event, rule)) {
                    match rule.categories {
                        [] => taint.is_all_clean = true,
                        some => taint.clean.extend(some),
                    }
                }
                if let Some(Some(summary)) = self.asked.get(outer.written)
                    && event.at > outer.at
                {
                    let args = arguments(
                        self.text,
                        outer.at as usize + outer.written.len(),
                        outer.extent.end as usize,
                    );
                    let inside = |param: &usize| {
                        let given = self.argument(&args, &summary.params, *param);
                        given.is_some_and(|range| range.contains(&(event.at as usize)))
                    };
                    if let Some(param) = (0..summary.params.len()).find(inside) {
                        summary.clean(param, &mut taint);
                    }
                }
            }
            let is_clean = match for_category {
                Some(category) => taint.is_clean_for(category),
                None => taint.is_all_clean,
            };
            // A value from outside says more than a parameter.
            match taint.origin {
                _ if is_clean => of_clean = of_clean.or(Some(taint)),
                Origin::Outside(_) => return Some(taint),
                Origin::Param(_) => of_param = of_param.or(Some(taint)),
            }
        }
        of_param.or(of_clean)
    }

    /// What an event brings: a source, or a name that is tainted.
    fn taint_of(&self, event: &Event<'_>) -> Option<Taint> {
        match event.fact {
            Fact::Read => {
                if let Some(rule) = self.book.of_read(event.written) {
                    return Some(Taint::of(rule, event.at));
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
                    return Some(Taint::of(rule, event.at));
                }
                if let Some(Some(summary)) = self.asked.get(event.written)
                    && let Some(mut taint) = summary.returns.first().cloned()
                {
                    taint.step(Step::Here(event.at));
                    return Some(taint);
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
