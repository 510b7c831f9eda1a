//! Definitions as others see them, and what is linked to them.

use super::edges::Edge;
use super::nodes::{NONE, split};
use super::{Certainty, Reference, Relations};
use crate::chunk::Kind;
use crate::facts::Fact;
use std::collections::{BTreeMap, VecDeque};

/// A definition in one view of an index; means nothing in another.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct SymbolId(pub(crate) u32);

/// A definition.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Symbol {
    pub id: SymbolId,
    pub path: String,
    /// With the names it is nested in, separated by dots; empty for code outside of definitions.
    pub name: String,
    pub kind: Kind,
    pub lang: &'static str,
    pub lines: (u32, u32),
    pub is_test: bool,
}

/// A reference between two definitions, seen from one of them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Link {
    pub other: SymbolId,
    pub reference: Reference,
    pub certainty: Certainty,
}

/// A definition that others lead to.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Reached {
    pub id: SymbolId,
    /// Steps from where it began.
    pub depth: u32,
    /// The definition before it on the way.
    pub via: SymbolId,
    /// The least certain step on the way.
    pub certainty: Certainty,
}

impl Relations {
    pub fn symbol(&self, id: SymbolId) -> Symbol {
        let node = self.nodes.get(id.0);
        Symbol {
            id,
            path: self.view.file(self.nodes.file(id.0)).path.to_string(),
            name: self.full_name(id.0),
            kind: node.kind,
            lang: node.lang.get().id,
            lines: node.lines,
            is_test: node.is_test,
        }
    }

    pub(crate) fn full_name(&self, node: u32) -> String {
        let mut names = Vec::new();
        let mut at = node;
        while at != NONE {
            let this = self.nodes.get(at);
            if this.name != 0 && this.kind.is_definition() {
                names.push(self.nodes.names.text(this.name));
                // `Place::reserve` outside of its type.
                let parent_is_owner = this.parent != NONE && {
                    let parent = self.nodes.get(this.parent);
                    parent.name == this.owner || parent.kind.is_callable()
                };
                if this.owner != 0 && !parent_is_owner {
                    names.push(self.nodes.names.text(this.owner));
                }
            }
            at = this.parent;
        }
        names.reverse();
        names.join(".")
    }

    /// The definitions of a name: `close`, `File.close`, `src/file.rs:close`, a path with a line, or a part of a path
    /// before the name.
    pub fn find(&self, wanted: &str) -> Vec<SymbolId> {
        let wanted = wanted.trim();
        let (place, name) = match wanted.rsplit_once(':') {
            Some((place, name)) if !place.ends_with(':') && place.contains(['/', '.']) => (Some(place), name),
            _ => (None, wanted),
        };
        if let (Some(path), Ok(line)) = (place, name.parse::<u32>()) {
            return self.at(path, line).into_iter().collect();
        }
        let (before, last) = split(name);
        let Some(id) = self.nodes.names.id(last) else { return Vec::new() };
        let owner = split(before).1;
        let fits = |node: &u32| {
            let this = self.nodes.get(*node);
            let path = || &self.view.file(self.nodes.file(*node)).path;
            (owner.is_empty()
                || self.nodes.names.text(this.owner) == owner
                || is_end(&self.full_name(*node), name))
                && place.is_none_or(|place| path().ends_with(place) || path().contains(place))
        };
        self.tables.named(id).filter(fits).map(SymbolId).collect()
    }

    /// The innermost chunk at a line.
    pub fn at(&self, path: &str, line: u32) -> Option<SymbolId> {
        let file = self.paths.file(path)?;
        let holds = |node: &u32| {
            let lines = self.nodes.get(*node).lines;
            lines.0 <= line && line <= lines.1 && !self.nodes.get(*node).is_part
        };
        let size = |node: &u32| {
            let lines = self.nodes.get(*node).lines;
            (lines.1 - lines.0, !self.nodes.get(*node).kind.is_definition())
        };
        self.nodes.of_file(file).filter(holds).min_by_key(size).map(SymbolId)
    }

    /// The innermost definitions that share a line with a range; the code around them where there are none.
    pub fn touching(&self, path: &str, first: u32, last: u32) -> Vec<SymbolId> {
        let Some(file) = self.paths.file(path) else { return Vec::new() };
        let shares = |node: &u32| {
            let this = self.nodes.get(*node);
            this.lines.0 <= last && first <= this.lines.1 && !this.is_part
        };
        let found: Vec<u32> = self.nodes.of_file(file).filter(shares).collect();
        // What is touched through something nested in it alone is not touched itself.
        let own = |node: &&u32| {
            let lines = self.nodes.get(**node).lines;
            let inner: Vec<(u32, u32)> = found
                .iter()
                .filter(|other| self.nodes.get(**other).parent == **node)
                .map(|other| self.nodes.get(*other).lines)
                .collect();
            (first.max(lines.0)..=last.min(lines.1))
                .any(|line| !inner.iter().any(|(from, to)| (*from..=*to).contains(&line)))
        };
        let is_definition = |node: &&u32| self.nodes.get(**node).is_target();
        let mut out: Vec<u32> = found.iter().filter(own).filter(is_definition).copied().collect();
        if out.is_empty() {
            out = found.iter().filter(own).copied().collect();
        }
        out.into_iter().map(SymbolId).collect()
    }

    /// Every file.
    pub fn files(&self) -> Vec<&str> {
        let live = (0..self.view.file_count() as u32).filter(|file| self.view.is_live(*file));
        live.map(|file| self.paths.path(file)).collect()
    }

    /// Differs where the files do.
    pub fn mark(&self) -> u64 {
        self.view.mark()
    }

    /// The name itself of a symbol as it is asked for.
    pub fn own_name<'n>(&self, wanted: &'n str) -> &'n str {
        split(wanted.trim()).1
    }

    /// Who calls or mentions a name, whatever it means.
    pub fn naming(&self, wanted: &str) -> Vec<(SymbolId, Reference)> {
        let wanted = wanted.trim();
        let mut out: Vec<(SymbolId, Reference)> = Vec::new();
        for (fact, reference) in
            [(Fact::Call, Reference::Call), (Fact::Use, Reference::Use), (Fact::Extends, Reference::Base)]
        {
            let same = |value: &str| (value == wanted).then_some(());
            // A damaged list has nothing to say here; whoever reads the index for certain is told.
            let _ = self.nodes.each_fact(&self.view, fact, same, |(), node| {
                if !self.nodes.get(node).is_part {
                    out.push((SymbolId(node), reference));
                }
            });
        }
        out.sort();
        out.dedup_by_key(|(id, _)| *id);
        out
    }

    /// Every definition of a file, in its order.
    pub fn of_file(&self, path: &str) -> Vec<SymbolId> {
        let Some(file) = self.paths.file(path) else { return Vec::new() };
        let is_shown = |node: &u32| self.nodes.get(*node).is_target();
        self.nodes.of_file(file).filter(is_shown).map(SymbolId).collect()
    }

    /// The definitions near a name, for whoever mistyped it.
    pub fn similar(&self, wanted: &str, limit: usize) -> Vec<String> {
        let wanted = split(wanted.trim()).1.to_lowercase();
        let mut found: Vec<&str> = self
            .nodes
            .all
            .iter()
            .filter(|node| node.is_target())
            .map(|node| self.nodes.names.text(node.name))
            .filter(|name| {
                let lower = name.to_lowercase();
                lower == wanted
                    || wanted.len() > 2
                        && (lower.contains(&wanted) || lower.len() > 3 && wanted.contains(&lower))
            })
            .collect();
        found.sort_by_key(|name| (name.len().abs_diff(wanted.len()), *name));
        found.dedup();
        found.into_iter().take(limit).map(str::to_owned).collect()
    }

    /// What a definition and what is nested in it refer to.
    pub fn references_from(&self, id: SymbolId) -> Vec<Link> {
        let mut out = Vec::new();
        for node in self.with_inner(id.0) {
            let edges = self.edges.from(node).iter();
            out.extend(edges.map(|edge| (SymbolId(edge.to), edge)).map(|(other, edge)| link(other, edge)));
        }
        tidy(out)
    }

    /// What refers to a definition.
    pub fn references_to(&self, id: SymbolId) -> Vec<Link> {
        tidy(self.edges.to(id.0).iter().map(|edge| link(SymbolId(edge.from), edge)).collect())
    }

    /// Everything that calls or uses one of these, directly or through others, up to `depth` steps.
    pub fn callers(&self, ids: &[SymbolId], depth: u32, limit: usize) -> (Vec<Reached>, bool) {
        let mut seen: BTreeMap<u32, Reached> = BTreeMap::new();
        let mut queue: VecDeque<(u32, u32, Certainty)> =
            ids.iter().map(|id| (id.0, 0, Certainty::Resolved)).collect();
        let mut order = Vec::new();
        while let Some((node, steps, certainty)) = queue.pop_front() {
            if steps >= depth {
                continue;
            }
            // Whoever uses a type may depend on each of its members; whoever calls a member does so for certain.
            for edge in self.edges.to(node) {
                // A line that only imports something does nothing with it.
                let is_import = edge.reference == Reference::Use && self.nodes.get(edge.from).name == 0;
                if is_import || ids.contains(&SymbolId(edge.from)) || seen.contains_key(&edge.from) {
                    continue;
                }
                if seen.len() >= limit {
                    return (order, true);
                }
                let certainty = certainty.max(edge.certainty);
                let reached =
                    Reached { id: SymbolId(edge.from), depth: steps + 1, via: SymbolId(node), certainty };
                seen.insert(edge.from, reached);
                order.push(reached);
                queue.push_back((edge.from, steps + 1, certainty));
            }
        }
        (order, false)
    }

    fn with_inner(&self, node: u32) -> Vec<u32> {
        let mut out = vec![node];
        let file = self.nodes.of_file(self.nodes.file(node));
        for inner in node + 1..file.end {
            let this = self.nodes.get(inner);
            if this.parent != NONE && out.contains(&this.parent) {
                out.push(inner);
            } else if this.parent == NONE && !this.is_part {
                break;
            }
        }
        out
    }
}

/// Whether a full name ends so, at a dot.
fn is_end(full: &str, wanted: &str) -> bool {
    let wanted = wanted.replace("::", ".").replace(['#', '\\'], ".");
    full.strip_suffix(wanted.as_str()).is_some_and(|before| before.is_empty() || before.ends_with('.'))
}

fn link(other: SymbolId, edge: &Edge) -> Link {
    Link { other, reference: edge.reference, certainty: edge.certainty }
}

fn tidy(mut links: Vec<Link>) -> Vec<Link> {
    links.sort_by_key(|link| (link.other, link.certainty, link.reference));
    links.dedup_by_key(|link| link.other);
    links.sort_by_key(|link| (link.certainty, link.other));
    links
}
