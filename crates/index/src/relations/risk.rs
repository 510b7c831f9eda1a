//! Risks that one definition alone does not show: values that cross calls, and what the rules of a user say.
//!
//! Worked out over the open index for one set of rules, when a filter or a hit asks for the first time. Only definitions
//! on a way from a source to a sink are read again, up to `MAX_DEPTH` calls and `MAX_WORK` definitions.

use super::nodes::NONE;
use super::resolve::Resolver;
use super::{Certainty, Reference, Relations, Texts};
use crate::chunk::Lines;
use crate::error::Damaged;
use crate::facts::risk::{Callees, Flow, RiskRules, Role, Step, Summary, analyse, summarise};
use crate::facts::{Fact, Mark};
use crate::hash::FastMap;
use std::cell::{Cell, RefCell};
use std::ops::Range;
use std::rc::Rc;

/// Calls a value is followed through.
pub(crate) const MAX_DEPTH: u8 = 4;
/// Definitions that are read again for one set of rules.
const MAX_WORK: usize = 20_000;
const MAX_FLOWS: usize = 5_000;

/// What rules find beyond the facts that are stored.
#[derive(Debug, Default)]
pub(crate) struct RiskLayer {
    pub flows: Vec<CrossFlow>,
    /// Nodes that the rules of the user are about, sorted: what is stored of their risks does not hold.
    pub replaced: Vec<u32>,
    /// What does instead.
    pub facts: Vec<(u32, Fact, String)>,
    pub own_flows: FastMap<u32, Vec<Flow>>,
    /// Not everything was followed.
    pub is_partial: bool,
}

/// A value from outside that reaches a sink through calls.
#[derive(Clone, Debug)]
pub(crate) struct CrossFlow {
    pub flow: Flow,
    /// The definitions it passes, first the one with the source, last the one with the sink.
    pub nodes: Vec<u32>,
}

impl RiskLayer {
    pub fn of(relations: &Relations, rules: RiskRules) -> Result<RiskLayer, Damaged> {
        let analysis = Analysis::new(relations, rules)?;
        let mut out = RiskLayer::default();
        for node in analysis.candidates() {
            let Some(summary) = analysis.summary(node, MAX_DEPTH) else { continue };
            for flow in &summary.flows {
                let mut nodes: Vec<u32> = flow.path.iter().filter_map(|step| step.node()).collect();
                nodes.dedup();
                let crosses = nodes.iter().any(|other| *other != nodes[0]);
                let is_known = |known: &CrossFlow| {
                    known.flow.sink == flow.sink
                        && known.flow.path.first() == flow.path.first()
                        && known.flow.path.last() == flow.path.last()
                };
                if crosses && out.flows.len() < MAX_FLOWS && !out.flows.iter().any(is_known) {
                    out.flows.push(CrossFlow { flow: flow.clone(), nodes });
                }
            }
        }
        out.is_partial = analysis.work.get() >= MAX_WORK;
        if rules.has_own() {
            analysis.replace(&mut out);
        }
        Ok(out)
    }

    /// The nodes of which a fact about risks holds `wanted`, in any case.
    pub fn having(&self, fact: Fact, wanted: &str) -> Vec<u32> {
        let wanted = wanted.to_lowercase();
        let holds = |value: &str| value.to_lowercase().contains(&wanted);
        let own = self.facts.iter().filter(|(_, known, value)| *known == fact && holds(value));
        let mut out: Vec<u32> = own.map(|(node, ..)| *node).collect();
        for CrossFlow { flow, nodes } in &self.flows {
            match fact {
                Fact::RiskFlow if holds(&format!("{}->{}", flow.source, flow.sink)) => out.extend(nodes),
                Fact::RiskCategory if holds(flow.category) || flow.ids.iter().any(|id| holds(id)) => {
                    out.extend(nodes);
                }
                Fact::RiskSource if holds(flow.source) => out.extend(nodes.first()),
                Fact::RiskSink if holds(flow.sink) => out.extend(nodes.last()),
                _ => {}
            }
        }
        out
    }
}

impl Step {
    pub fn node(self) -> Option<u32> {
        match self {
            Step::There { node, .. } => Some(node),
            Step::Here(_) => None,
        }
    }
}

/// By node and by how many calls are left.
type Summaries = FastMap<(u32, u8), Option<Rc<Summary>>>;

struct Analysis<'r> {
    relations: &'r Relations,
    rules: RiskRules,
    texts: RefCell<Texts>,
    known: RefCell<Summaries>,
    /// Definitions that are being worked on: recursion ends there.
    open: RefCell<Vec<u32>>,
    work: Cell<usize>,
    /// Calls to the nearest source and sink; `u8::MAX` where there is none.
    to_source: Vec<u8>,
    to_sink: Vec<u8>,
    to_sanitizer: Vec<u8>,
    /// Nodes that name a rule of the user.
    own: Vec<u32>,
}

impl<'r> Analysis<'r> {
    fn new(relations: &'r Relations, rules: RiskRules) -> Result<Analysis<'r>, Damaged> {
        let (mut sources, mut sinks, mut own) = (Vec::new(), Vec::new(), Vec::new());
        let mut sanitizers = Vec::new();
        let nodes = &relations.nodes;
        for fact in [Fact::Call, Fact::Read, Fact::Mutate] {
            nodes.each_fact(
                &relations.view,
                fact,
                |value| rules.names(fact, value).then(|| value.to_owned()),
                |value, node| {
                    let lang = nodes.get(node).lang;
                    if let Some(book) = rules.book(lang) {
                        if book.has(fact, value, Role::Source) {
                            sources.push(node);
                        }
                        if book.has(fact, value, Role::Sink) {
                            sinks.push(node);
                        }
                        if book.has(fact, value, Role::Sanitizer) {
                            sanitizers.push(node);
                        }
                    }
                    if rules.own(lang).is_some_and(|book| book.has_any(fact, value)) {
                        own.push(node);
                    }
                },
            )?;
        }
        own.retain(|node| !nodes.get(*node).is_part);
        own.sort_unstable();
        own.dedup();
        Ok(Analysis {
            to_source: distances(relations, &sources),
            to_sink: distances(relations, &sinks),
            to_sanitizer: distances(relations, &sanitizers),
            relations,
            rules,
            texts: RefCell::default(),
            known: RefCell::default(),
            open: RefCell::default(),
            work: Cell::new(0),
            own,
        })
    }

    /// Definitions a value from outside may cross calls in.
    fn candidates(&self) -> Vec<u32> {
        let near = |list: &[u8], node: u32| list[node as usize] <= MAX_DEPTH;
        let calls = |node: u32| {
            self.relations.edges.from(node).iter().any(|edge| {
                edge.reference == Reference::Call
                    && edge.certainty == Certainty::Resolved
                    && (near(&self.to_sink, edge.to) || near(&self.to_source, edge.to))
            })
        };
        let all = 0..self.relations.nodes.all.len() as u32;
        all.filter(|node| near(&self.to_source, *node) && near(&self.to_sink, *node) && calls(*node))
            .filter(|node| !self.relations.nodes.get(*node).is_part)
            .collect()
    }

    fn summary(&self, node: u32, depth: u8) -> Option<Rc<Summary>> {
        if depth == 0 || self.work.get() >= MAX_WORK || self.open.borrow().contains(&node) {
            return None;
        }
        if let Some(known) = self.known.borrow().get(&(node, depth)) {
            return known.clone();
        }
        self.work.set(self.work.get() + 1);
        self.open.borrow_mut().push(node);
        let summary = self.work_on(node, depth).map(Rc::new);
        self.open.borrow_mut().pop();
        self.known.borrow_mut().insert((node, depth), summary.clone());
        summary
    }

    fn work_on(&self, node: u32, depth: u8) -> Option<Summary> {
        let (text, marks) = self.marks(node)?;
        let book = self.rules.book(self.relations.nodes.get(node).lang)?;
        let own: Vec<&Mark> = marks
            .iter()
            .filter(|mark| matches!(mark.fact, Fact::Call | Fact::Read | Fact::Write | Fact::Mutate))
            .collect();
        let span = self.relations.span(node)?;
        let callees = Below { analysis: self, node, depth };
        let returned = returned(&text, span);
        Some(summarise(&text, book, &own, self.params(node, &text, &marks), &returned, node, &callees))
    }

    /// The text of a node's file, and the marks that are its own.
    fn marks(&self, node: u32) -> Option<(Rc<str>, Vec<Mark>)> {
        let span = self.relations.span(node)?;
        let file = self.relations.nodes.file(node);
        let inner: Vec<Range<u32>> = self
            .relations
            .nodes
            .of_file(file)
            .filter(|other| self.relations.nodes.get(*other).parent == node)
            .filter_map(|other| self.relations.span(other))
            .collect();
        let mut texts = self.texts.borrow_mut();
        let (text, marks) = texts.of(self.relations, file)?;
        let is_own =
            |mark: &&Mark| span.contains(&mark.at) && !inner.iter().any(|inner| inner.contains(&mark.at));
        let mut own: Vec<Mark> = marks.iter().filter(is_own).cloned().collect();
        own.sort_by_key(|mark| mark.at);
        Some((Rc::from(text.as_str()), own))
    }

    /// Names of parameters in their order, without what the definition is a method of.
    fn params(&self, node: u32, text: &str, marks: &[Mark]) -> Vec<String> {
        let this = self.relations.nodes.get(node);
        if !this.kind.is_callable() {
            return Vec::new();
        }
        let name = self.relations.nodes.names.text(this.name);
        let start = self.relations.span(node).map_or(0, |span| span.start as usize);
        let head = text.get(start..).unwrap_or_default();
        // `func (s *Shop) order(name string)`: what stands before the name is no argument.
        let named = start + head.find(&format!("{name}(")).unwrap_or(0);
        let params = marks.iter().filter(|mark| mark.fact == Fact::Param && mark.at as usize >= named);
        let names = params.map(|mark| mark.written(text).trim_start_matches(['*', '&', '.', '$', '@', ':']));
        names
            .map(|name| name.trim_end_matches([':', '?', '!']).trim().to_owned())
            .filter(|name| !super::resolve::OWN.contains(&name.as_str()))
            .collect()
    }

    /// Works out again what the rules of the user are about.
    fn replace(&self, out: &mut RiskLayer) {
        for node in &self.own {
            let Some((text, marks)) = self.marks(*node) else { continue };
            let Some(book) = self.rules.book(self.relations.nodes.get(*node).lang) else { continue };
            out.replaced.push(*node);
            let marks: Vec<&Mark> = marks.iter().collect();
            let Some(risks) = analyse(&text, book, &marks) else { continue };
            let mut say = |fact: Fact, words: &mut dyn Iterator<Item = &'static str>| {
                out.facts.extend(words.map(|word| (*node, fact, word.to_owned())));
            };
            say(Fact::RiskTag, &mut risks.tags.iter().copied());
            say(Fact::RiskCategory, &mut risks.categories.iter().copied());
            say(Fact::RiskSource, &mut risks.sources.iter().copied());
            say(Fact::RiskSink, &mut risks.sinks.iter().copied());
            for flow in &risks.flows {
                out.facts.push((*node, Fact::RiskFlow, format!("{}->{}", flow.source, flow.sink)));
            }
            if !risks.flows.is_empty() {
                out.own_flows.insert(*node, risks.flows);
            }
        }
        out.facts.sort();
        out.facts.dedup();
    }
}

/// What a definition calls, as far down as is left.
struct Below<'a, 'r> {
    analysis: &'a Analysis<'r>,
    node: u32,
    depth: u8,
}

impl Callees for Below<'_, '_> {
    fn summary(&self, written: &str) -> Option<Rc<Summary>> {
        let relations = self.analysis.relations;
        let resolver = Resolver { nodes: &relations.nodes, tables: &relations.tables };
        let (found, certainty) = resolver.meaning(self.node, written)?;
        let callee = *found.first().filter(|_| certainty == Certainty::Resolved)?;
        let left = self.depth - 1;
        let near = |list: &[u8]| list[callee as usize] < left;
        let lists = [&self.analysis.to_sink, &self.analysis.to_source, &self.analysis.to_sanitizer];
        let matters = lists.iter().any(|list| near(list));
        (relations.nodes.get(callee).kind.is_callable() && matters)
            .then(|| self.analysis.summary(callee, left))?
    }
}

/// Calls from each node to the nearest of `ends`, up to the depth that is followed.
fn distances(relations: &Relations, ends: &[u32]) -> Vec<u8> {
    let mut out = vec![u8::MAX; relations.nodes.all.len()];
    let mut now: Vec<u32> = ends.to_vec();
    for node in ends {
        out[*node as usize] = 0;
    }
    for depth in 1..=MAX_DEPTH {
        let mut next = Vec::new();
        for node in now {
            for edge in relations.edges.to(node) {
                let is_new = out[edge.from as usize] == u8::MAX;
                if is_new && edge.reference == Reference::Call && edge.certainty == Certainty::Resolved {
                    out[edge.from as usize] = depth;
                    next.push(edge.from);
                }
            }
        }
        now = next;
    }
    out
}

/// The texts of what a definition returns: behind `return`, or its last line where that word does not stand in it.
fn returned(text: &str, span: Range<u32>) -> Vec<Range<u32>> {
    let Some(body) = text.get(span.start as usize..span.end as usize) else { return Vec::new() };
    let is_word = |at: usize| {
        let before = body[..at].chars().next_back();
        let after = body[at + 6..].chars().next();
        let is_part =
            |letter: Option<char>| letter.is_some_and(|letter| letter.is_alphanumeric() || letter == '_');
        !is_part(before) && !is_part(after)
    };
    let starts: Vec<usize> =
        body.match_indices("return").map(|(at, _)| at).filter(|at| is_word(*at)).collect();
    let range =
        |start: usize| span.start + start as u32..span.start + (start + statement(&body[start..])) as u32;
    if !starts.is_empty() {
        return starts.into_iter().map(range).collect();
    }
    let mut end = 0;
    let mut last = None;
    for line in body.split_inclusive('\n') {
        let written = line.trim();
        if written.len() > 3 && !written.starts_with(['}', ')', ']']) && !written.ends_with(';') {
            last = Some((end + (line.len() - line.trim_start().len()), end + line.len()));
        }
        end += line.len();
    }
    last.filter(|(start, _)| *start > 0)
        .map(|(start, end)| span.start + start as u32..span.start + end as u32)
        .into_iter()
        .collect()
}

/// How long the statement at the start of a text is: to its semicolon, or to the end of a line outside of brackets.
fn statement(text: &str) -> usize {
    let mut depth = 0i32;
    for (at, byte) in text.bytes().enumerate().take(4_000) {
        match byte {
            b'(' | b'[' | b'{' => depth += 1,
            b')' | b']' | b'}' => depth -= 1,
            b';' | b'\n' if depth <= 0 => return at,
            _ => {}
        }
        if depth < 0 {
            return at;
        }
    }
    text.len().min(4_000)
}

impl Relations {
    /// Where a node lies in its text.
    pub(crate) fn span(&self, node: u32) -> Option<Range<u32>> {
        if node == NONE {
            return None;
        }
        let (file, at) = self.nodes.place(node);
        let segment = &self.view.parts[self.view.part_of(file)].segment;
        segment.details(self.view.file(file).blob).ok()?.get(at).map(|detail| detail.span.clone())
    }

    /// A step of a flow as people read it: file, line and the text of the line.
    pub(crate) fn place_of(&self, texts: &mut Texts, node: u32, at: u32) -> (String, u32, String) {
        let file = self.nodes.file(node);
        let path = self.view.file(file).path.to_string();
        let Some((text, _)) = texts.of(self, file) else {
            return (path, self.nodes.get(node).lines.0, String::new());
        };
        let line = Lines::of(text).line(at as usize);
        let whole = text.lines().nth(line as usize - 1).unwrap_or_default().trim();
        (path, line, whole[..whole.floor_char_boundary(160.min(whole.len()))].to_owned())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn results_stand_behind_return_or_last() {
        let check = |text: &str, expected: &[&str]| {
            let found = returned(text, 0..text.len() as u32);
            let found: Vec<&str> =
                found.iter().map(|range| text[range.start as usize..range.end as usize].trim()).collect();
            assert_eq!(found, expected, "{text}");
        };
        check(
            "def f(a):\n    if a:\n        return g(a,\n  b)\n    return a\n",
            &["return g(a,\n  b)", "return a"],
        );
        check("fn f(a: u8) -> u8 {\n    let returned = a;\n    returned\n}\n", &["returned"]);
        check("void f() {\n    g();\n}\n", &[]);
    }
}
