//! Filters: bitmaps over chunks and files, made before anything is scored.
//!
//! A filter is a function from a column to the chunks it admits. Facts about code (calls, types, risk …) join here as
//! further columns of a segment and further fields of `Filters`; ranking never hears of them.

use super::facts::{FactFilter, Want};
use super::signature::Signature;
use super::source::Source;
use super::{Options, Trouble, compile_regex};
use crate::bits::Bits;
use crate::chunk::Kind;
use crate::error::{Damaged, IndexError};
use crate::lang::{Class, LangId};
use crate::segment::{HAS_PROSE, Segment};
use crate::view::{Part, View};
use std::collections::{BTreeMap, BTreeSet};

/// Which classes of content take part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Mode {
    /// Programs and data.
    Code,
    /// Documents.
    Prose,
    /// Documentation inside of code, and documents that are no text.
    Extracted,
    #[default]
    All,
}

/// What hits must be. Values in one list are alternatives; different lists must all hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Filters {
    /// Kinds of chunks: `function`, or in the style of syntax trees `FunctionDeclaration`.
    pub types: Vec<String>,
    /// Ids or aliases of languages.
    pub langs: Vec<String>,
    /// Parts of a path, `/expressions/`, or globs with `*`.
    pub paths: Vec<String>,
    /// Extensions, with or without the dot.
    pub exts: Vec<String>,
    /// The branch that was checked out when the index was built.
    pub branch: Option<String>,
    /// Paths match in their case.
    pub case_file: bool,
    /// Words and literals match in their case.
    pub case_tokens: bool,
    /// What must be known of a chunk.
    pub facts: Vec<FactFilter>,
    /// The only files that may answer, where something outside the index chose them.
    pub files: Option<BTreeSet<String>>,
    /// The only lines that may answer, by file: a chunk has to share one with them.
    pub lines: Option<BTreeMap<String, Vec<(u32, u32)>>>,
}

/// What passed the filters.
pub(crate) struct Admitted<'v> {
    /// Per part, over its chunks; `None` where all pass.
    pub chunks: Vec<Option<Bits>>,
    /// Over the files of the view; `None` where all pass.
    pub files: Option<Bits>,
    /// What signatures must hold, which only the text of candidates can tell.
    signatures: Vec<Signature<'v>>,
}

impl Admitted<'_> {
    /// Whether the text of a chunk that passed everything else passes too.
    pub fn by_text(&self, part: usize, chunk: u32) -> Result<bool, Damaged> {
        for signature in &self.signatures {
            if !signature.holds(part, chunk)? {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

pub(super) fn admit<'v>(
    view: &'v View,
    source: &'v Source<'v>,
    options: &Options,
) -> Result<Admitted<'v>, Trouble> {
    let filters = &options.filters;
    let kinds = names("type", &filters.types, Kind::by_name)?;
    let langs = names("lang", &filters.langs, LangId::by_name)?;
    let mut chunks = view
        .parts
        .iter()
        .map(|part| chunk_bits(&part.segment, &kinds, &langs, options.mode))
        .collect::<Result<Vec<_>, Damaged>>()?;
    let mut signatures = Vec::new();
    for filter in &filters.facts {
        if let Want::Signature(text) = &filter.want {
            signatures.push(Signature::new(view, source, text)?);
            continue;
        }
        for (out, bits) in chunks.iter_mut().zip(filter.bits(view, source, options.rules)?) {
            match out {
                Some(out) => out.keep_only(&bits),
                None => *out = Some(bits),
            }
        }
    }
    if let Some(lines) = &filters.lines {
        for (part, out) in view.parts.iter().zip(&mut chunks) {
            let bits = line_bits(view, part, lines)?;
            match out {
                Some(out) => out.keep_only(&bits),
                None => *out = Some(bits),
            }
        }
    }
    Ok(Admitted { chunks, files: file_bits(view, filters)?, signatures })
}

fn names<T>(
    field: &'static str,
    values: &[String],
    by_name: impl Fn(&str) -> Option<T>,
) -> Result<Vec<T>, IndexError> {
    let known = |value: &String| {
        by_name(value.trim())
            .ok_or_else(|| IndexError::BadFilter { field, reason: format!("{value:?} is not known") })
    };
    values.iter().map(known).collect()
}

fn chunk_bits(
    segment: &Segment,
    kinds: &[Kind],
    langs: &[LangId],
    mode: Mode,
) -> Result<Option<Bits>, Damaged> {
    let mut out: Option<Bits> = None;
    let mut add = |bits: Bits| match &mut out {
        Some(out) => out.keep_only(&bits),
        None => out = Some(bits),
    };
    if !kinds.is_empty() {
        let mut table = [false; 256];
        kinds.iter().for_each(|kind| table[*kind as usize] = true);
        add(Bits::of_column(segment.kinds()?, &table));
    }
    if !langs.is_empty() || mode != Mode::All {
        let mut table = [false; 256];
        for (slot, lang) in table.iter_mut().zip(segment.langs()) {
            let lang = lang.unwrap_or_else(LangId::text);
            let in_mode = match mode {
                Mode::All => true,
                Mode::Prose => lang.get().class == Class::Prose,
                Mode::Code => !matches!(lang.get().class, Class::Prose | Class::Document),
                Mode::Extracted => matches!(lang.get().class, Class::Code | Class::Document),
            };
            *slot = in_mode && (langs.is_empty() || langs.contains(&lang));
        }
        add(Bits::of_column(segment.chunk_langs()?, &table));
    }
    if mode == Mode::Extracted {
        let (columns, documents) = (segment.columns()?, documents(segment));
        let mut bits = Bits::none(columns.flags.len());
        for (at, flags) in columns.flags.iter().enumerate() {
            if flags & HAS_PROSE != 0 || documents[columns.langs[at] as usize] {
                bits.insert(at as u32);
            }
        }
        add(bits);
    }
    Ok(out)
}

/// By position among a segment's languages, whether all of a chunk's text was read out of a document.
pub(super) fn documents(segment: &Segment) -> [bool; 256] {
    let mut table = [false; 256];
    for (slot, lang) in table.iter_mut().zip(segment.langs()) {
        *slot = lang.is_some_and(|lang| lang.get().class == Class::Document);
    }
    table
}

/// The chunks that share a line with those allowed for a file of their content.
fn line_bits(view: &View, part: &Part, lines: &BTreeMap<String, Vec<(u32, u32)>>) -> Result<Bits, Damaged> {
    let segment = &part.segment;
    let mut bits = Bits::none(segment.chunk_count() as usize);
    for blob in 0..segment.blob_count() {
        let files = part.files_of(blob).iter();
        let allowed: Vec<&(u32, u32)> =
            files.filter_map(|file| lines.get(&*view.file(*file).path)).flatten().collect();
        if allowed.is_empty() {
            continue;
        }
        let first = segment.blob(blob)?.chunks.start;
        for (at, detail) in segment.details(blob)?.iter().enumerate() {
            if allowed.iter().any(|(from, to)| *from <= detail.lines.1 && detail.lines.0 <= *to) {
                bits.insert(first + at as u32);
            }
        }
    }
    Ok(bits)
}

fn file_bits(view: &View, filters: &Filters) -> Result<Option<Bits>, IndexError> {
    let branch = filters.branch.as_deref();
    let revision = view.opened.tables.generation.revision.as_ref();
    let other_branch =
        branch.is_some_and(|branch| revision.and_then(|revision| revision.branch.as_deref()) != Some(branch));
    if other_branch {
        return Ok(Some(Bits::none(view.file_count())));
    }
    let free = filters.files.is_none() && filters.lines.is_none();
    if free && filters.paths.is_empty() && filters.exts.is_empty() {
        return Ok(None);
    }
    let paths: Vec<PathTest> = filters
        .paths
        .iter()
        .map(|value| PathTest::new(value, filters.case_file))
        .collect::<Result<_, _>>()?;
    let exts: Vec<String> = filters
        .exts
        .iter()
        .map(|ext| ext.trim().trim_start_matches(['*', '.']).to_ascii_lowercase())
        .collect();
    let mut bits = Bits::none(view.file_count());
    for file in 0..view.file_count() as u32 {
        let path = &view.file(file).path;
        let by_path = paths.is_empty() || paths.iter().any(|test| test.holds(path));
        let chosen = filters.files.as_ref().is_none_or(|files| files.contains(&**path))
            && filters.lines.as_ref().is_none_or(|lines| lines.contains_key(&**path));
        if chosen && by_path && (exts.is_empty() || exts.iter().any(|ext| has_extension(path, ext))) {
            bits.insert(file);
        }
    }
    Ok(Some(bits))
}

pub(super) fn has_extension(path: &str, ext: &str) -> bool {
    let name = path.rsplit('/').next().unwrap_or(path);
    name.len() > ext.len()
        && name.to_ascii_lowercase().strip_suffix(ext).is_some_and(|rest| rest.ends_with('.'))
}

/// One value of a path filter.
pub(crate) enum PathTest {
    Part(String),
    ExactPart(String),
    Pattern(regex::Regex),
}

impl PathTest {
    pub fn new(value: &str, case: bool) -> Result<PathTest, IndexError> {
        let bad = |error: String| IndexError::BadFilter {
            field: "path",
            reason: error.lines().last().unwrap_or_default().to_owned(),
        };
        let pattern = value
            .strip_prefix('/')
            .and_then(|rest| rest.rsplit_once('/'))
            .filter(|(_, flags)| flags.chars().all(|flag| "imsxu".contains(flag)));
        if let Some((source, flags)) = pattern.filter(|(source, _)| !source.is_empty()) {
            let source = if flags.is_empty() { source.to_owned() } else { format!("(?{flags}){source}") };
            return compile_regex(&source, !case)
                .map(PathTest::Pattern)
                .map_err(|error| bad(error.to_string()));
        }
        let value = value.trim().trim_start_matches("./");
        if value.contains('*') {
            let glob = globset::GlobBuilder::new(value)
                .case_insensitive(!case)
                .literal_separator(true)
                .build()
                .map_err(|error| bad(error.to_string()))?;
            // A glob without a folder fits at any depth, as in ignore files.
            let anchored = if value.contains('/') {
                glob.regex().to_owned()
            } else {
                glob.regex().replacen('^', "(?:^|/)", 1)
            };
            return regex::Regex::new(&anchored.replace("(?-u)", ""))
                .map(PathTest::Pattern)
                .map_err(|error| bad(error.to_string()));
        }
        Ok(if case { PathTest::ExactPart(value.to_owned()) } else { PathTest::Part(value.to_lowercase()) })
    }

    pub fn holds(&self, path: &str) -> bool {
        match self {
            PathTest::Part(part) => path.to_lowercase().contains(part),
            PathTest::ExactPart(part) => path.contains(part),
            PathTest::Pattern(pattern) => pattern.is_match(path),
        }
    }
}
