//! The lines references stand on, read from the files of the few that are shown.

use super::nodes::split;
use super::resolve::Resolver;
use super::{Relations, SymbolId};
use crate::chunk::{Depth, Lines, cut};
use crate::facts::{Fact, Mark};
use crate::hash::FastMap;
use crate::lang::LangId;
use crate::search::Source;

/// A line that refers to something.
#[derive(Clone, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub line: u32,
    pub text: String,
}

const MAX_LINE_BYTES: usize = 160;
/// Lines of one chunk that refer to one definition.
const MAX_PLACES: usize = 20;

/// Files that were worked on again for one answer.
#[derive(Default)]
pub struct Texts {
    files: FastMap<u32, Option<(String, Vec<Mark>)>>,
}

impl Relations {
    /// The lines of `from` that name `to`.
    pub fn lines(&self, texts: &mut Texts, from: SymbolId, to: SymbolId) -> Vec<Place> {
        let name = self.name(to);
        let resolver = Resolver { nodes: &self.nodes, tables: &self.tables };
        let sure =
            |written: &str| resolver.meaning(from.0, written).is_some_and(|(found, _)| found.contains(&to.0));
        let found = self.lines_where(texts, from, name, &sure);
        if found.is_empty() { self.lines_naming(texts, from, name) } else { found }
    }

    /// The own name of a definition.
    pub fn name(&self, id: SymbolId) -> &str {
        self.nodes.names.text(self.nodes.get(id.0).name)
    }

    /// The lines of `from` that call, mention or read `name`.
    pub fn lines_naming(&self, texts: &mut Texts, from: SymbolId, name: &str) -> Vec<Place> {
        self.lines_where(texts, from, name, &|_| true)
    }

    fn lines_where(
        &self,
        texts: &mut Texts,
        from: SymbolId,
        name: &str,
        wanted_so: &dyn Fn(&str) -> bool,
    ) -> Vec<Place> {
        let file = self.nodes.file(from.0);
        let Some((text, marks)) = texts.of(self, file) else { return Vec::new() };
        let (first, last) = self.nodes.get(from.0).lines;
        let lines = Lines::of(text);
        let wanted = [Fact::Call, Fact::Use, Fact::Read, Fact::Extends, Fact::Type];
        let fits = |mark: &&Mark| {
            wanted.contains(&mark.fact) && {
                let written = mark.written(text);
                split(written).1 == name && wanted_so(written)
                    || !matches!(mark.fact, Fact::Read | Fact::Call)
                        && written.split(|c: char| !c.is_alphanumeric() && c != '_').any(|word| word == name)
            }
        };
        let mut found: Vec<u32> =
            marks.iter().filter(fits).map(|mark| lines.line(mark.at as usize)).collect();
        found.retain(|line| (first..=last).contains(line));
        found.sort_unstable();
        found.dedup();
        let shown = |line: u32| {
            let whole = text.lines().nth(line as usize - 1).unwrap_or_default().trim();
            Place {
                line,
                text: whole[..whole.floor_char_boundary(MAX_LINE_BYTES.min(whole.len()))].to_owned(),
            }
        };
        found.into_iter().take(MAX_PLACES).map(shown).collect()
    }

    /// The first line of a definition as it is written, on one line.
    pub fn signature(&self, texts: &mut Texts, id: SymbolId) -> String {
        let (file, at) = self.nodes.place(id.0);
        let entry = self.view.file(file);
        let segment = &self.view.parts[self.view.part_of(file)].segment;
        let range = segment
            .details(entry.blob)
            .ok()
            .and_then(|details| details.get(at).map(|one| one.signature.clone()));
        let Some((text, _)) = texts.plain(self, file) else { return String::new() };
        let range = range.unwrap_or_default();
        let written = text.get(range.start as usize..range.end as usize).unwrap_or_default();
        let line = written.split_whitespace().collect::<Vec<_>>().join(" ");
        line[..line.floor_char_boundary(MAX_LINE_BYTES.min(line.len()))].to_owned()
    }
}

impl Texts {
    pub(super) fn of(&mut self, relations: &Relations, file: u32) -> Option<&(String, Vec<Mark>)> {
        let known = self.plain(relations, file).is_some_and(|(_, marks)| !marks.is_empty());
        if !known && let Some(Some((text, marks))) = self.files.get_mut(&file) {
            let view = &relations.view;
            let blob = view.parts[view.part_of(file)].segment.blob(view.file(file).blob).ok()?;
            *marks = cut(text, blob.lang.unwrap_or_else(LangId::text), Depth::Structural).1;
        }
        self.files.get(&file).and_then(Option::as_ref)
    }

    /// The text of a file, without its marks.
    fn plain(&mut self, relations: &Relations, file: u32) -> Option<&(String, Vec<Mark>)> {
        let view = &relations.view;
        let read = || {
            let source = Source::new(view, &relations.repo);
            source.text(view.part_of(file), file).map(|text| (text, Vec::new()))
        };
        self.files.entry(file).or_insert_with(read).as_ref()
    }
}
