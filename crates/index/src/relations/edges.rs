//! Who refers to whom: calls, mentions and bases of every chunk, as edges between nodes.

use super::nodes::{NONE, Node, Nodes, split};
use super::resolve::{Certainty, Resolver, Tables};
use crate::chunk::Kind;
use crate::error::Damaged;
use crate::facts::Fact;
use crate::lang::Imports;
use crate::view::View;
use std::collections::HashSet;

/// What a reference is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub enum Reference {
    Call,
    /// Extends, implements or derives from it.
    Base,
    /// Names it as a type, imports it or hands it on.
    Use,
}

impl Reference {
    pub fn name(self) -> &'static str {
        match self {
            Reference::Call => "call",
            Reference::Base => "base",
            Reference::Use => "use",
        }
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub(crate) struct Edge {
    pub from: u32,
    pub to: u32,
    pub reference: Reference,
    pub certainty: Certainty,
}

/// Edges, found from both of their ends.
#[derive(Debug, Default)]
pub(crate) struct Edges {
    /// By where they start.
    out: Vec<Edge>,
    /// By where they lead.
    back: Vec<Edge>,
}

impl Edges {
    pub(super) fn of(view: &View, nodes: &Nodes, tables: &Tables) -> Result<Edges, Damaged> {
        let resolver = Resolver { nodes, tables };
        let mut all: Vec<Edge> = Vec::new();
        let second: HashSet<u32> = tables.aliases.keys().map(|(_, name)| *name).collect();
        let known = |value: &str| {
            let name = nodes.names.id(split(value).1);
            name.is_some_and(|name| tables.knows(name) || second.contains(&name))
        };
        let mut add = |from: u32, written: &str, reference: Reference, guess: bool| {
            let Some((found, certainty)) = resolver.meaning(from, written) else { return };
            if certainty == Certainty::Resolved || guess {
                let edge = |to| Edge { from, to, reference, certainty };
                // A type that is gone when a program runs cannot be called: `new Error()` is another one.
                let fits = |to: &u32| match reference {
                    Reference::Call => !is_erased(nodes.get(*to)),
                    _ => *to != from,
                };
                all.extend(found.into_iter().filter(fits).map(edge));
            }
        };
        // What is given to a definition hides what is defined elsewhere, also in what is nested in it.
        let mut given = HashSet::new();
        nodes.add_names(view, Fact::Param, &mut given)?;
        let is_given = |node: u32, name: u32| {
            let mut at = node;
            while at != NONE && !given.contains(&(at, name)) {
                at = nodes.get(at).parent;
            }
            at != NONE
        };
        // A call with something before its name is kept twice: whole, and as the name alone.
        let mut whole: HashSet<(u32, u32)> = HashSet::new();
        nodes.each_fact(
            view,
            Fact::Call,
            |value| (known(value) && !split(value).0.is_empty()).then(|| value.to_owned()),
            |value, node| {
                whole.extend(nodes.names.id(split(value).1).map(|name| (node, name)));
                add(node, value, Reference::Call, true);
            },
        )?;
        nodes.each_fact(
            view,
            Fact::Call,
            |value| (known(value) && split(value).0.is_empty()).then(|| value.to_owned()),
            |value, node| {
                let is_free = |name: u32| !whole.contains(&(node, name)) && !is_given(node, name);
                if nodes.names.id(value).is_some_and(is_free) {
                    add(node, value, Reference::Call, true);
                }
            },
        )?;
        let owned = |value: &str| known(value).then(|| value.to_owned());
        nodes.each_fact(
            view,
            Fact::Extends,
            |value| owned(base(value)),
            |value, node| add(node, value, Reference::Base, false),
        )?;
        nodes.each_fact(view, Fact::Use, owned, |value, node| add(node, value, Reference::Use, false))?;
        for fact in [Fact::Type, Fact::ReturnType] {
            let types = |value: &str| {
                let words = value.split(|letter: char| !letter.is_alphanumeric() && letter != '_');
                let is_type =
                    |word: &&str| nodes.names.id(word).is_some_and(|name| tables.is_type_name(name));
                let types: Vec<String> = words.filter(is_type).map(str::to_owned).collect();
                (!types.is_empty()).then_some(types)
            };
            nodes.each_fact(view, fact, types, |types, node| {
                types.iter().for_each(|name| add(node, name, Reference::Use, false));
            })?;
        }
        // A variable hides what is defined under its name.
        let mut local = given.clone();
        nodes.add_names(view, Fact::Write, &mut local)?;
        nodes.each_fact(
            view,
            Fact::Read,
            |value| (known(value) && split(value).0.is_empty()).then(|| value.to_owned()),
            |value, node| {
                if nodes.names.id(value).is_some_and(|name| !local.contains(&(node, name))) {
                    add(node, value, Reference::Use, false);
                }
            },
        )?;
        all.sort_unstable();
        // Of several references between two nodes the plainest is enough.
        all.dedup_by_key(|edge| (edge.from, edge.to));
        let mut back = all.clone();
        back.sort_unstable_by_key(|edge| (edge.to, edge.from));
        Ok(Edges { out: all, back })
    }

    pub fn from(&self, node: u32) -> &[Edge] {
        let start = self.out.partition_point(|edge| edge.from < node);
        let end = start + self.out[start..].partition_point(|edge| edge.from == node);
        &self.out[start..end]
    }

    pub fn to(&self, node: u32) -> &[Edge] {
        let start = self.back.partition_point(|edge| edge.to < node);
        let end = start + self.back[start..].partition_point(|edge| edge.to == node);
        &self.back[start..end]
    }

    pub fn all(&self) -> &[Edge] {
        &self.out
    }
}

fn is_erased(node: &Node) -> bool {
    node.lang.get().imports == Imports::Files && matches!(node.kind, Kind::Type | Kind::Interface)
}

/// The name in a base: `Base` of `pkg.Base<T>(x)`.
pub(super) fn base(value: &str) -> &str {
    let end = value.find(['<', '(', '[', '{', ' ']).unwrap_or(value.len());
    value[..end].trim()
}
