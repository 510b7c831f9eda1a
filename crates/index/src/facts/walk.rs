//! One walk over a syntax tree, noting every fact the rules find.

use super::rules::{Emit, Rules, Step};
use super::{Fact, Place};
use crate::chunk::Def;
use crate::hash::FastMap;
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

/// The nodes of a tree that are definitions, by the node's id: of the definition itself, and of the function assigned
/// to a name.
#[derive(Debug, Default)]
pub(crate) struct Scopes {
    pub by_node: FastMap<usize, u32>,
    pub kinds: Vec<u16>,
}

impl Scopes {
    pub fn add(&mut self, node: Node<'_>, def: u32) {
        self.by_node.insert(node.id(), def);
        if !self.kinds.contains(&node.kind_id()) {
            self.kinds.push(node.kind_id());
        }
    }
}

/// Deeper than this nothing is looked at: hostile nesting must not cost without end.
const MAX_DEPTH: usize = 2_000;

/// Notes every fact of a tree, in the order of the text.
pub(crate) fn collect(tree: &Tree, text: &str, rules: &Rules, scopes: &Scopes, defs: &[Def]) -> Vec<Mark> {
    let mut walk = Walk {
        text,
        rules,
        scopes,
        path: Vec::with_capacity(64),
        open: Vec::new(),
        following: Vec::new(),
        marks: Vec::with_capacity(text.len() / 24),
    };
    let mut cursor = tree.walk();
    'tree: loop {
        let node = cursor.node();
        let field = cursor.field_id().map_or(0, |field| field.get());
        walk.enter(Step { node, kind: node.kind_id(), field });
        if walk.path.len() < MAX_DEPTH && cursor.goto_first_child() {
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
    let mut marks = walk.marks;
    own(&mut marks, defs);
    marks
}

struct Walk<'t, 'r> {
    text: &'r str,
    rules: &'r Rules,
    scopes: &'r Scopes,
    path: Vec<Step<'t>>,
    /// Depth and definition of the functions around; `None` for those without a name.
    open: Vec<(usize, Option<u32>)>,
    /// Depth of a parent, and the fact of what follows in it.
    following: Vec<(usize, Fact, MarkValue)>,
    marks: Vec<Mark>,
}

impl<'t> Walk<'t, '_> {
    fn enter(&mut self, step: Step<'t>) {
        self.path.push(step);
        let depth = self.path.len();
        if self.scopes.kinds.contains(&step.kind)
            && let Some(def) = self.scopes.by_node.get(&step.node.id()).copied()
        {
            self.open.push((depth, Some(def)));
            self.take_following(step.node, depth);
        }
        let Some(rule) = self.rules.find(&self.path, self.text) else { return };
        let emits = rule.emits.len();
        for at in 0..emits {
            let emit = rule.emits[at];
            let node = step.node;
            let range = node.start_byte() as u32..node.end_byte() as u32;
            let (fact, value) = match emit {
                Emit::Skip => continue,
                Emit::Scope => {
                    if self.open.last().is_none_or(|(open, _)| *open != depth) {
                        self.open.push((depth, None));
                    }
                    continue;
                }
                Emit::Text(fact) => (fact, MarkValue::Text(range)),
                Emit::Head(fact) => (fact, MarkValue::Head(range)),
                Emit::Constant(fact, word) => (fact, MarkValue::Constant(word)),
                Emit::Pair(fact) => {
                    let side = |role| {
                        rule.role(role, node, self.text).map(|text| text.trim().trim_matches(['"', '\'']))
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
            self.mark(fact, value, node);
        }
    }

    fn mark(&mut self, fact: Fact, value: MarkValue, node: Node<'t>) {
        let nobody = fact.place() == Place::Head && matches!(self.open.last(), Some((_, None)));
        let around = match self.path.len() {
            0 | 1 => node,
            length => self.path[length - 2].node,
        };
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
            self.mark(fact, value, node);
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
fn own(marks: &mut [Mark], defs: &[Def]) {
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
