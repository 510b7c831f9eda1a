//! One walk over a syntax tree, noting every definition and fact the rules find.

use super::rules::{Emit, Rule, Rules, Step};
use super::{Fact, Place};
use crate::chunk::{Def, Kind};
use std::ops::Range;
use tree_sitter::{Node, Tree};

/// A fact in a text.
#[derive(Clone, Debug)]
pub(crate) struct Mark {
    pub fact: Fact,
    pub value: MarkValue,
    /// Where it stands.
    pub at: u32,
    /// The node around it that the rule is about: an assignment with its right side, a call with its arguments.
    pub extent: Range<u32>,
    pub owner: Owner,
}

#[derive(Clone, Debug)]
pub(crate) enum MarkValue {
    Text(Range<u32>),
    /// Text up to the first bracket or blank.
    Head(Range<u32>),
    Constant(&'static str),
    Made(Box<str>),
}

/// Whose fact it is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Owner {
    /// The definition with this number.
    Def(u32),
    /// Whoever owns the text at its place.
    Text,
    /// A function without a name inside a definition: only its body counts.
    Nobody,
}

/// Deeper than this nothing is looked at: hostile nesting must not cost without end.
const MAX_DEPTH: usize = 2_000;

/// The kind of nodes that hold what fits no rule of the grammar.
const ERROR: u16 = u16::MAX;

/// Definitions lie near the root; deeper ones are part of what they stand in.
const MAX_DEFINITION_DEPTH: usize = 9;

/// What is looked for in a tree.
#[derive(Clone, Copy)]
pub(crate) struct Wanted<'r> {
    pub definitions: &'r Rules,
    pub facts: Option<&'r Rules>,
}

/// Notes every definition and every fact of a tree, in the order of the text.
///
/// `define` is told of a definition and answers with the function that is its code, where that is another node.
pub(crate) fn collect<'t>(
    tree: &'t Tree,
    text: &str,
    wanted: Wanted<'_>,
    define: &mut dyn FnMut(Node<'t>, &Rule, Kind) -> Option<Node<'t>>,
) -> Vec<Mark> {
    let mut walk = Walk {
        text,
        wanted,
        define,
        path: Vec::with_capacity(64),
        code: Vec::new(),
        open: Vec::new(),
        following: Vec::new(),
        marks: Vec::with_capacity(if wanted.facts.is_some() { text.len() / 24 } else { 0 }),
        has_error: tree.root_node().has_error(),
    };
    // Without facts to find there is nothing to see deep down.
    let depth = if wanted.facts.is_some() { MAX_DEPTH } else { MAX_DEFINITION_DEPTH + 4 };
    let mut cursor = tree.walk();
    'tree: loop {
        let node = cursor.node();
        let kind = node.kind_id();
        let asks =
            wanted.definitions.asks_field(kind) || wanted.facts.is_some_and(|facts| facts.asks_field(kind));
        let field = if asks { cursor.field_id().map_or(0, |field| field.get()) } else { 0 };
        walk.enter(Step { node, kind, field });
        if walk.path.len() < depth && cursor.goto_first_child() {
            continue;
        }
        loop {
            walk.leave();
            if cursor.goto_next_sibling() {
                break;
            }
            if !cursor.goto_parent() {
                break 'tree;
            }
        }
    }
    walk.marks
}

struct Walk<'t, 'r> {
    text: &'r str,
    wanted: Wanted<'r>,
    define: &'r mut dyn FnMut(Node<'t>, &Rule, Kind) -> Option<Node<'t>>,
    path: Vec<Step<'t>>,
    /// Functions that are the code of a definition around them.
    code: Vec<usize>,
    /// Depth of the functions around, and whether they are definitions.
    open: Vec<(usize, bool)>,
    /// Depth of a parent, and the fact of what follows in it.
    following: Vec<(usize, Fact, MarkValue)>,
    marks: Vec<Mark>,
    has_error: bool,
}

impl<'t> Walk<'t, '_> {
    fn enter(&mut self, step: Step<'t>) {
        self.path.push(step);
        let depth = self.path.len();
        self.definition(step, depth);
        // What is missing may stand below a node that only wraps it, and is then as empty as that node.
        let is_mistake =
            |node: Node<'_>| node.is_missing() || node.start_byte() == node.end_byte() && node.has_error();
        if self.has_error && (step.kind == ERROR || is_mistake(step.node)) {
            self.mark(Fact::Lint, MarkValue::Constant("syntax-error"), step.node, 0);
        }
        let Some(rule) = self.wanted.facts.and_then(|facts| facts.find(&self.path, self.text)) else {
            return;
        };
        let emits = rule.emits.len();
        for at in 0..emits {
            let emit = rule.emits[at];
            let node = step.node;
            let range = node.start_byte() as u32..node.end_byte() as u32;
            let (fact, value) = match emit {
                Emit::Skip | Emit::Define(_) => continue,
                Emit::Scope => {
                    if self.open.last().is_none_or(|(open, _)| *open != depth) {
                        self.open.push((depth, false));
                    }
                    continue;
                }
                Emit::Text(fact) => (fact, MarkValue::Text(range)),
                Emit::Head(fact) => (fact, MarkValue::Head(range)),
                Emit::Constant(fact, word) => (fact, MarkValue::Constant(word)),
                Emit::Pair(fact) => {
                    let side = |role| {
                        let text = &self.text[rule.role(role, node, self.text)?.byte_range()];
                        Some(text.trim().trim_matches(['"', '\'']))
                    };
                    let (Some(new), Some(old)) = (side("_new"), side("_old")) else { continue };
                    if new == old {
                        continue;
                    }
                    (fact, MarkValue::Made(format!("{new}={old}").into()))
                }
                Emit::Following(fact, word) => {
                    self.following.retain(|(at, known, _)| (*at, *known) != (depth - 1, fact));
                    let value = word.map_or(MarkValue::Text(range), MarkValue::Constant);
                    self.following.push((depth - 1, fact, value));
                    continue;
                }
            };
            let height = if matches!(emit, Emit::Head(_)) { 0 } else { rule.height() };
            self.mark(fact, value, node, height);
        }
    }

    fn definition(&mut self, step: Step<'t>, depth: usize) {
        if let Some(at) = self.code.iter().position(|node| *node == step.node.id()) {
            self.code.swap_remove(at);
            self.open.push((depth, true));
        }
        let Some(rule) = self.wanted.definitions.find(&self.path, self.text) else { return };
        if depth - 1 > MAX_DEFINITION_DEPTH + rule.height() {
            return;
        }
        if let Some(Emit::Define(kind)) = rule.emits.first().copied() {
            let code = (self.define)(step.node, rule, kind);
            self.code.extend(code.map(|node| node.id()));
            self.open.push((depth, true));
            self.take_following(step.node, depth);
        }
    }

    fn mark(&mut self, fact: Fact, value: MarkValue, node: Node<'t>, height: usize) {
        let nobody = fact.place() == Place::Head && matches!(self.open.last(), Some((_, false)));
        let around = self.path.get(self.path.len().saturating_sub(1 + height)).map_or(node, |step| step.node);
        self.marks.push(Mark {
            fact,
            value,
            at: node.start_byte() as u32,
            extent: around.start_byte() as u32..around.end_byte() as u32,
            owner: if nobody { Owner::Nobody } else { Owner::Text },
        });
    }

    /// A definition takes what was said before it in its parent, or in the parent of that.
    fn take_following(&mut self, node: Node<'t>, depth: usize) {
        let said = self.following.iter().rev().find(|(at, ..)| *at + 1 == depth || *at + 2 == depth);
        if let Some((_, fact, value)) = said.cloned() {
            self.mark(fact, value, node, 0);
        }
    }

    fn leave(&mut self) {
        let depth = self.path.len();
        while self.open.last().is_some_and(|(open, _)| *open == depth) {
            self.open.pop();
        }
        if !self.following.is_empty() {
            self.following.retain(|(at, ..)| *at < depth);
        }
        self.path.pop();
    }
}

/// Gives every mark to the innermost definition around it.
pub(crate) fn own(marks: &mut [Mark], defs: &[Def]) {
    let mut order: Vec<u32> = (0..defs.len() as u32).collect();
    let span = |def: u32| &defs[def as usize].span;
    order.sort_by_key(|def| (span(*def).start, usize::MAX - span(*def).end));
    marks.sort_by_key(|mark| mark.at);
    let mut next = 0;
    let mut open: Vec<u32> = Vec::new();
    for mark in marks {
        let at = mark.at as usize;
        while next < order.len() && span(order[next]).start <= at {
            open.push(order[next]);
            next += 1;
        }
        while open.last().is_some_and(|def| span(*def).end <= at) {
            open.pop();
        }
        // One that ended earlier may hide below one that starts later only where spans overlap.
        if mark.owner == Owner::Text
            && let Some(def) = open.iter().rev().find(|def| span(**def).end > at)
        {
            mark.owner = Owner::Def(*def);
        }
    }
}

impl Mark {
    /// A mark of an embedded text, as one of its host.
    pub fn moved_by(self, offset: u32, first_def: u32) -> Mark {
        let shift = |range: Range<u32>| range.start + offset..range.end + offset;
        let value = match self.value {
            MarkValue::Text(range) => MarkValue::Text(shift(range)),
            MarkValue::Head(range) => MarkValue::Head(shift(range)),
            other => other,
        };
        let owner = match self.owner {
            Owner::Def(def) => Owner::Def(def + first_def),
            other => other,
        };
        Mark { value, owner, at: self.at + offset, extent: shift(self.extent), ..self }
    }
}
