//! What relations add to filters and to hits: imports as files, calls as definitions, types by calls.

use super::Trouble;
use super::facts::Want;
use super::source::Source;
use crate::bits::Bits;
use crate::error::Damaged;
use crate::facts::{Fact, RiskRules};
use crate::relations::{Certainty, Reference, Relations, SymbolId, Texts};
use crate::view::View;

/// What names in a hit mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Resolved {
    /// What is called, and where it is defined.
    pub calls: Vec<Target>,
    /// What the file imports, and the files that means.
    pub imports: Vec<(String, Vec<String>)>,
    /// Types its names have because of what is called.
    pub types: Vec<String>,
}

/// A definition a call means.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Target {
    pub name: String,
    pub path: String,
    pub line: u32,
}

/// Calls of one hit that are shown.
const MAX_CALLS: usize = 40;

/// The chunks that fit a filter only because of what names mean; `None` where that changes nothing.
pub(super) fn admitted(want: &Want, view: &View, source: &Source<'_>) -> Result<Option<Vec<Bits>>, Trouble> {
    let wanted = match want {
        Want::Exact(Fact::Import, value) if is_file(view, value) => value,
        Want::Calls(value) if value.contains(['.', ':', '>', '#', '\\']) => value,
        Want::Part(Fact::Type, value) => value,
        _ => return Ok(None),
    };
    let Some(relations) = source.relations()? else { return Ok(None) };
    let nodes = match want {
        Want::Exact(..) => {
            let files = relations.importers(wanted);
            files.into_iter().flat_map(|file| relations.nodes.of_file(file)).collect()
        }
        Want::Calls(_) => calling(&relations, wanted),
        _ => relations.typed(wanted)?,
    };
    let mut out: Vec<Bits> =
        view.parts.iter().map(|part| Bits::none(part.segment.chunk_count() as usize)).collect();
    for node in nodes {
        let (file, at) = relations.nodes.place(node);
        let (part, entry) = (view.part_of(file), view.file(file));
        let chunks = view.parts[part].segment.blob(entry.blob)?.chunks;
        out[part].insert(chunks.start + at as u32);
    }
    Ok(Some(out))
}

/// Corrects the chunks of a filter on risks by what crosses calls and by what the rules of a user say.
pub(super) fn by_risk(
    want: &Want,
    view: &View,
    source: &Source<'_>,
    rules: RiskRules,
    bits: &mut [Bits],
) -> Result<(), Trouble> {
    let Want::Part(fact, wanted) = want else { return Ok(()) };
    // Tags are about one definition; only rules of a user change them.
    if !Fact::RISKS.contains(fact) || *fact == Fact::RiskTag && !rules.has_own() {
        return Ok(());
    }
    let Some(relations) = source.relations()? else { return Ok(()) };
    let layer = relations.risks(rules)?;
    let place = |node: u32| {
        let (file, at) = relations.nodes.place(node);
        let (part, entry) = (view.part_of(file), view.file(file));
        Ok((part, view.parts[part].segment.blob(entry.blob)?.chunks.start + at as u32))
    };
    for node in &layer.replaced {
        let (part, chunk) = place(*node).map_err(|damaged: Damaged| damaged)?;
        bits[part].remove(chunk);
    }
    for node in layer.having(*fact, wanted) {
        let (part, chunk) = place(node).map_err(|damaged: Damaged| damaged)?;
        bits[part].insert(chunk);
    }
    Ok(())
}

/// Who calls the definitions of that name for certain, and those of them that call something.
fn calling(relations: &Relations, wanted: &str) -> Vec<u32> {
    let mut out = Vec::new();
    for SymbolId(node) in relations.find(wanted) {
        let sure = |edge: &&crate::relations::Edge| {
            edge.reference == Reference::Call && edge.certainty == Certainty::Resolved
        };
        out.extend(relations.edges.to(node).iter().filter(sure).map(|edge| edge.from));
        if relations.edges.from(node).iter().any(|edge| edge.reference == Reference::Call) {
            out.push(node);
        }
    }
    out
}

fn is_file(view: &View, path: &str) -> bool {
    let files = &view.opened.tables.generation.files;
    files.binary_search_by(|entry| (*entry.path).cmp(path)).is_ok()
        || view.extra.iter().any(|entry| *entry.path == *path)
}

/// What the names of one chunk mean.
pub(super) fn of_chunk(relations: &Relations, texts: &mut Texts, file: u32, at: u32) -> Resolved {
    let node = relations.nodes.of_file(file).start + at;
    if !relations.nodes.of_file(file).contains(&node) {
        return Resolved::default();
    }
    let calls = relations.edges.from(node).iter();
    let calls =
        calls.filter(|edge| edge.reference == Reference::Call && edge.certainty == Certainty::Resolved);
    let target = |edge: &crate::relations::Edge| {
        let symbol = relations.symbol(SymbolId(edge.to));
        Target { name: symbol.name, path: symbol.path, line: symbol.lines.0 }
    };
    let path = &relations.view.file(file).path;
    let imports = relations.imports_of(path).into_iter();
    Resolved {
        calls: calls.take(MAX_CALLS).map(target).collect(),
        imports: imports
            .map(|(text, files)| (text.to_owned(), files.into_iter().map(str::to_owned).collect()))
            .collect(),
        types: relations.types_by_calls(texts, node),
    }
}
