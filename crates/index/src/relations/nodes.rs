//! Every chunk of every file as a numbered node, with its name and what it is a member of.

use super::paths::{folder, name, stem};
use crate::chunk::Kind;
use crate::error::Damaged;
use crate::facts::Fact;
use crate::hash::FastMap;
use crate::lang::{Imports, LangId};
use crate::segment::{IS_PART, IS_TEST};
use crate::traits;
use crate::view::View;
use std::collections::HashSet;

pub(crate) const NONE: u32 = u32::MAX;

/// A chunk of a file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Node {
    /// Its own name, without what it is a member of.
    pub name: u32,
    /// The name of the type or module around it; 0 where there is none.
    pub owner: u32,
    /// The node it is nested in.
    pub parent: u32,
    pub lines: (u32, u32),
    pub kind: Kind,
    pub lang: LangId,
    pub is_test: bool,
    /// A continuation of the node before it.
    pub is_part: bool,
}

impl Node {
    /// A function that needs something before its name.
    pub fn is_member(&self) -> bool {
        matches!(self.kind, Kind::Method | Kind::Constructor | Kind::Property)
    }

    pub fn is_type(&self) -> bool {
        self.kind.has_members() && self.kind != Kind::Impl || self.kind == Kind::Type
    }

    /// Defines a name calls and mentions can mean.
    pub fn is_target(&self) -> bool {
        self.name != 0 && !self.is_part && self.kind.is_definition() && self.kind != Kind::Impl
    }
}

/// Names by number; 0 is no name.
#[derive(Debug)]
pub(crate) struct Names {
    ids: FastMap<Box<str>, u32>,
    texts: Vec<Box<str>>,
}

impl Names {
    fn new() -> Names {
        Names { ids: FastMap::default(), texts: vec!["".into()] }
    }

    pub fn id(&self, name: &str) -> Option<u32> {
        self.ids.get(name).copied()
    }

    pub fn text(&self, id: u32) -> &str {
        &self.texts[id as usize]
    }

    fn add(&mut self, name: &str) -> u32 {
        if name.is_empty() {
            return 0;
        }
        if let Some(id) = self.ids.get(name) {
            return *id;
        }
        let id = self.texts.len() as u32;
        self.ids.insert(name.into(), id);
        self.texts.push(name.into());
        id
    }
}

#[derive(Debug)]
pub(crate) struct Nodes {
    pub all: Vec<Node>,
    pub names: Names,
    /// The nodes of a file: `starts[file]..starts[file + 1]`.
    starts: Vec<u32>,
    /// First chunk of a file's blob.
    first_chunk: Vec<u32>,
}

/// What stands between the names of a path of names.
pub(crate) const SEPARATORS: [char; 5] = ['.', ':', '>', '\\', '#'];

impl Nodes {
    pub fn of(view: &View) -> Result<Nodes, Damaged> {
        let mut out = Nodes {
            all: Vec::with_capacity(view.chunks as usize),
            names: Names::new(),
            starts: Vec::with_capacity(view.file_count() + 1),
            first_chunk: vec![0; view.file_count()],
        };
        for file in 0..view.file_count() as u32 {
            out.starts.push(out.all.len() as u32);
            if view.is_live(file) {
                out.add_file(view, file)?;
            }
        }
        out.starts.push(out.all.len() as u32);
        out.add_other_names(view)?;
        Ok(out)
    }

    /// Names of files and folders, which stand before names of definitions, and second names of both.
    fn add_other_names(&mut self, view: &View) -> Result<(), Damaged> {
        for file in (0..view.file_count() as u32).filter(|file| view.is_live(*file)) {
            let path = &view.file(file).path;
            self.names.add(stem(path));
            self.names.add(name(folder(path)));
        }
        for part in view.parts.iter() {
            part.segment.facts()?.for_each_with(&[Fact::Alias as u8], |key, _| {
                let pair = std::str::from_utf8(&key[1..]).ok().and_then(|value| value.split_once('='));
                if let Some((new, old)) = pair
                    && self.names.id(split(old).1).is_some()
                {
                    self.names.add(new);
                }
                Ok(())
            })?;
        }
        Ok(())
    }

    fn add_file(&mut self, view: &View, file: u32) -> Result<(), Damaged> {
        let entry = view.file(file);
        let segment = &view.parts[view.part_of(file)].segment;
        let blob = segment.blob(entry.blob)?;
        if blob
            .lang
            .is_none_or(|lang| lang.get().grammar.is_empty() && lang.get().imports == Imports::Unknown)
        {
            return Ok(());
        }
        let is_test = entry.traits & traits::TEST != 0;
        let (columns, base) = (segment.columns()?, self.all.len() as u32);
        self.first_chunk[file as usize] = blob.chunks.start;
        for (chunk, detail) in blob.chunks.clone().zip(segment.details(entry.blob)?) {
            let flags = columns.flags.get(chunk as usize).copied().unwrap_or_default();
            let (before, own) = split(detail.name);
            let parent = detail.parent.map_or(NONE, |parent| base + parent);
            let around = self.all.get(parent as usize).filter(|_| parent != NONE);
            let around =
                around.map_or(0, |around| if around.kind.is_callable() { around.owner } else { around.name });
            let owner = if before.is_empty() { around } else { self.names.add(split(before).1) };
            self.all.push(Node {
                name: self.names.add(own),
                owner,
                parent,
                lines: detail.lines,
                kind: columns.kind(chunk)?,
                lang: segment.chunk_lang(chunk)?,
                is_test: is_test || flags & IS_TEST != 0,
                is_part: flags & IS_PART != 0,
            });
        }
        Ok(())
    }

    pub fn of_file(&self, file: u32) -> std::ops::Range<u32> {
        match (self.starts.get(file as usize), self.starts.get(file as usize + 1)) {
            (Some(start), Some(end)) => *start..*end,
            _ => 0..0,
        }
    }

    pub fn file(&self, node: u32) -> u32 {
        self.starts.partition_point(|start| *start <= node).saturating_sub(1) as u32
    }

    /// The position of a node among the chunks of its file.
    pub fn place(&self, node: u32) -> (u32, usize) {
        let file = self.file(node);
        (file, (node - self.starts[file as usize]) as usize)
    }

    pub fn get(&self, node: u32) -> &Node {
        &self.all[node as usize]
    }

    /// The type around a node, or the node itself.
    pub fn type_around(&self, node: u32) -> Option<u32> {
        let mut at = node;
        while at != NONE {
            let this = self.get(at);
            if this.kind.has_members() {
                return Some(at);
            }
            at = this.parent;
        }
        None
    }

    /// Adds the names a fact gives to each definition, where something is defined under them.
    pub fn add_names(&self, view: &View, fact: Fact, names: &mut HashSet<(u32, u32)>) -> Result<(), Damaged> {
        self.each_fact(
            view,
            fact,
            |value| self.names.id(value),
            |name, node| {
                names.insert((node, *name));
            },
        )
    }

    /// Calls `each` with the nodes of every value of a fact that `want` wants.
    pub fn each_fact<T>(
        &self,
        view: &View,
        fact: Fact,
        mut want: impl FnMut(&str) -> Option<T>,
        mut each: impl FnMut(&T, u32),
    ) -> Result<(), Damaged> {
        for part in view.parts.iter() {
            part.segment.facts()?.for_each_with(&[fact as u8], |key, list| {
                let Some(value) = std::str::from_utf8(&key[1..]).ok().and_then(&mut want) else {
                    return Ok(());
                };
                for posting in list()? {
                    let chunk = posting?.chunk;
                    if chunk as usize >= part.blob_of_chunk.len() {
                        return Err(Damaged("a posting names no chunk"));
                    }
                    for file in part.files_of_chunk(chunk) {
                        let nodes = self.of_file(*file);
                        let node = nodes.start + chunk.wrapping_sub(self.first_chunk[*file as usize]);
                        if nodes.contains(&node) {
                            each(&value, node);
                        }
                    }
                }
                Ok(())
            })?;
        }
        Ok(())
    }
}

/// What stands before the last name, and the last name: `a.b` and `c` of `a.b.c`.
pub(crate) fn split(path: &str) -> (&str, &str) {
    match path.rfind(SEPARATORS) {
        Some(at) => (path[..at].trim_end_matches(SEPARATORS).trim_end_matches('-'), &path[at + 1..]),
        None => ("", path),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_of_names_end_in_a_name() {
        for (path, expected) in [
            ("a.b.c", ("a.b", "c")),
            ("std::mem::take", ("std::mem", "take")),
            ("$this->close", ("$this", "close")),
            ("obj:method", ("obj", "method")),
            ("plain", ("", "plain")),
        ] {
            assert_eq!(split(path), expected);
        }
    }
}
