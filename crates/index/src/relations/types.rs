//! Types told by what annotated functions return: `book = open_book()` is a `Book` where `open_book` says so.

use super::nodes::split;
use super::{Certainty, Reference, Relations, Texts};
use crate::error::Damaged;
use crate::facts::Fact;
use crate::hash::FastMap;
use std::sync::{Arc, Mutex, PoisonError};

/// Files that are read again to see which calls are assigned.
const MAX_FILES: usize = 500;

/// By file: chunk and the name that is called.
pub(super) type Assigned = Mutex<FastMap<u32, Arc<Vec<(u32, Box<str>)>>>>;

impl Relations {
    /// The chunks that give a name to the result of a function whose declared type holds `wanted`, in any case.
    pub(crate) fn typed(&self, wanted: &str) -> Result<Vec<u32>, Damaged> {
        let wanted = wanted.to_lowercase();
        let mut callees: Vec<u32> = Vec::new();
        let holds = |value: &str| value.to_lowercase().contains(&wanted).then_some(());
        self.nodes.each_fact(&self.view, Fact::ReturnType, holds, |(), node| callees.push(node))?;
        callees.sort_unstable();
        callees.dedup();
        let mut texts = Texts::default();
        let mut files: Vec<u32> = Vec::new();
        let mut out = Vec::new();
        for callee in callees {
            for edge in self.edges.to(callee) {
                if edge.reference != Reference::Call || edge.certainty != Certainty::Resolved {
                    continue;
                }
                let file = self.nodes.file(edge.from);
                if !files.contains(&file) {
                    if files.len() >= MAX_FILES {
                        continue;
                    }
                    files.push(file);
                }
                if self.assigns(&mut texts, edge.from, callee) {
                    out.push(edge.from);
                }
            }
        }
        out.sort_unstable();
        out.dedup();
        Ok(out)
    }

    /// The types a chunk's calls give its names.
    pub(crate) fn types_by_calls(&self, texts: &mut Texts, node: u32) -> Vec<String> {
        let mut out = Vec::new();
        let calls = self
            .edges
            .from(node)
            .iter()
            .filter(|edge| edge.reference == Reference::Call && edge.certainty == Certainty::Resolved);
        for edge in calls.filter(|edge| self.assigns(texts, node, edge.to)) {
            out.extend(self.values_of(edge.to, Fact::ReturnType));
        }
        out.sort();
        out.dedup();
        out
    }

    /// The values of a fact of one chunk, read from its file.
    fn values_of(&self, node: u32, fact: Fact) -> Vec<String> {
        let (file, at) = self.nodes.place(node);
        let source = crate::search::Source::new(&self.view, &self.repo);
        let Some(text) = source.text(self.view.part_of(file), file) else { return Vec::new() };
        let known = crate::facts(&self.view.file(file).path, &text);
        let facts = known.into_iter().nth(at).map(|(_, facts)| facts).unwrap_or_default();
        facts.into_iter().filter(|(known, _)| *known == fact).map(|(_, value)| value).collect()
    }

    fn assigns(&self, texts: &mut Texts, node: u32, callee: u32) -> bool {
        let name = self.nodes.names.text(self.nodes.get(callee).name);
        let assigned = self.assigned_in(texts, self.nodes.file(node));
        assigned.iter().any(|(at, called)| *at == node && **called == *name)
    }

    fn assigned_in(&self, texts: &mut Texts, file: u32) -> Arc<Vec<(u32, Box<str>)>> {
        let kept =
            |known: &Assigned| known.lock().unwrap_or_else(PoisonError::into_inner).get(&file).cloned();
        if let Some(known) = kept(&self.assigned) {
            return known;
        }
        let mut out = Vec::new();
        if let Some((text, marks)) = texts.of(self, file) {
            let lines = crate::chunk::Lines::of(text);
            for write in marks.iter().filter(|mark| matches!(mark.fact, Fact::Write | Fact::Mutate)) {
                let calls = marks
                    .iter()
                    .filter(|mark| mark.fact == Fact::Call && mark.extent.end <= write.extent.end);
                // The outermost call of the right side gives the value its type.
                let outer = calls
                    .filter(|call| call.extent.start > write.at && write.extent.contains(&call.extent.start))
                    .filter(|call| {
                        !text[call.extent.end as usize..write.extent.end as usize]
                            .trim_start()
                            .starts_with(['.', '-', ':'])
                    })
                    .max_by_key(|call| call.extent.len());
                let Some(call) = outer else { continue };
                let line = lines.line(call.at as usize);
                let inside = |node: &u32| {
                    let lines = self.nodes.get(*node).lines;
                    lines.0 <= line && line <= lines.1 && !self.nodes.get(*node).is_part
                };
                let innermost = self.nodes.of_file(file).filter(inside).min_by_key(|node| {
                    let lines = self.nodes.get(*node).lines;
                    lines.1 - lines.0
                });
                let name = split(call.written(text)).1;
                out.extend(innermost.map(|node| (node, Box::from(name))));
            }
        }
        let out = Arc::new(out);
        self.assigned.lock().unwrap_or_else(PoisonError::into_inner).insert(file, Arc::clone(&out));
        out
    }
}
