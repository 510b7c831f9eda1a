//! The search payload: the seed's fields, with what they lacked.

use mainstay_index::{Answer, Fact, Freshness, Hit, Resolved, RiskFlow, RiskStep, Target};
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value, json};

/// How much of a hit is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Detail {
    Compact,
    Full,
}

/// How much of a snippet is shown.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SnippetLines {
    One,
    All,
}

/// What the `search` tool answers.
#[derive(Debug, Serialize, JsonSchema)]
pub struct Found {
    /// Repository that was searched.
    pub repo: String,
    /// The search payload.
    pub search: Payload,
}

/// Hits by mode and what they were found in.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Payload {
    /// Which backend answered.
    pub backend: &'static str,
    /// The query as it was asked.
    pub query: String,
    /// Hits in programs and data, best first.
    pub code: Vec<HitJson>,
    /// Hits in documents, best first.
    pub prose: Vec<HitJson>,
    /// Hits in the documentation inside of code, and in PDF and DOCX files, best first.
    pub extracted_prose: Vec<HitJson>,
    /// Hits in triage records, best first.
    pub records: Vec<HitJson>,
    /// How many hits there are in each mode, beyond those shown.
    pub total: Totals,
    /// Where the next answer starts, by mode; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub cursor: Option<String>,
    /// How the query was read and what could not be done.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// How fresh the index is.
    pub freshness: FreshnessJson,
    /// Hits grouped by file; only in full output.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub bundles: Option<Value>,
    /// Timings and sizes, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub stats: Option<Value>,
    /// The repositories of a workspace, each with how fresh its index is.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub repos: Vec<RepoAnswer>,
    /// Nothing held all the words, so hits hold some of them.
    #[serde(skip)]
    pub relaxed: bool,
}

impl Payload {
    /// The hits of every mode, in the order in which modes come first.
    pub fn modes(&self) -> [(&'static str, &[HitJson]); 4] {
        [
            ("code", &self.code),
            ("extractedProse", &self.extracted_prose),
            ("prose", &self.prose),
            ("records", &self.records),
        ]
    }
}

/// What one repository of a workspace contributed.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct RepoAnswer {
    /// Its name in the workspace.
    pub name: String,
    /// Its hits, beyond those shown.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub total: Option<Totals>,
    /// How fresh its index is.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub freshness: Option<FreshnessJson>,
    /// Why it was not searched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub problem: Option<String>,
}

#[derive(Debug, Default, Serialize, JsonSchema)]
pub struct Totals {
    /// Hits in code.
    pub code: u64,
    /// Hits in prose.
    pub prose: u64,
    /// Hits in documentation inside of code and in documents.
    #[serde(rename = "extractedProse")]
    pub extracted_prose: u64,
    /// Hits in records.
    pub records: u64,
}

/// One hit.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct HitJson {
    /// Stays the same while the file is edited elsewhere.
    pub id: String,
    /// Name of the repository in a workspace.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub repo: Option<String>,
    /// Path relative to the repository.
    pub file: String,
    /// First line, counted from 1.
    pub start_line: u32,
    /// Last line.
    pub end_line: u32,
    /// What kind of chunk it is.
    pub kind: &'static str,
    /// Name of what is defined; empty for blocks.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub name: String,
    /// Signature or first line.
    #[serde(skip_serializing_if = "String::is_empty")]
    pub headline: String,
    /// Larger is better; comparable within one answer.
    pub score: f32,
    /// The lines that matched.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub snippet: Option<SnippetJson>,
    /// First byte in the file's text.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub start: Option<u32>,
    /// Byte after the last.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub end: Option<u32>,
    /// Extension of the file, with its dot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub ext: Option<String>,
    /// Language of the chunk.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub lang: Option<&'static str>,
    /// Names it is nested in.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub scope: Option<String>,
    /// Documentation of what is defined.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub doc: Option<String>,
    /// How the score came about.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_type: Option<&'static str>,
    /// What kind of file it is: test, docs, generated and the like.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub traits: Vec<&'static str>,
    /// Every contribution to the score, on request.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub score_breakdown: Option<Value>,
    /// What is known of it, by filter; in full output of a query that filters by facts, or asks to explain.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub facts: Option<Value>,
    /// The record, for a hit in records: the main fields, in full output all of them.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub record: Option<Value>,
    /// What linters reported on its lines; beside the filter lint and in full output.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub lint: Vec<Value>,
    /// Values from outside that reach a call they must not, each with the lines it passes; beside facts.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub risk_flows: Vec<Value>,
    /// What its names mean: calls as definitions, imports as files, types told by calls; beside facts.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub resolved: Option<Value>,
}

/// Lines of a hit with the places that matched.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct SnippetJson {
    /// Line the text starts on.
    pub line: u32,
    /// The text.
    pub text: String,
    /// What matched, as pairs of byte offsets into the text.
    pub matches: Vec<[u32; 2]>,
}

/// How much of what was searched is as it is on disk.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct FreshnessJson {
    /// Number of the index's generation.
    pub generation: u64,
    /// Commit that was checked out when the index was built.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
    /// Files changed since; they were searched directly.
    #[serde(skip_serializing_if = "is_zero")]
    pub changed_files: u64,
    /// Files added since; they were searched directly.
    #[serde(skip_serializing_if = "is_zero")]
    pub added_files: u64,
    /// Files deleted since; they are left out.
    #[serde(skip_serializing_if = "is_zero")]
    pub deleted_files: u64,
    /// Changed files too many to search directly.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_searched_files: u64,
    /// Files found by words only, because their structure is not worked out yet.
    #[serde(skip_serializing_if = "is_zero")]
    pub not_structural_files: u64,
    /// Files that are not in the index: binary, oversized and the like.
    #[serde(skip_serializing_if = "is_zero")]
    pub skipped_files: u64,
}

fn is_zero(count: &u64) -> bool {
    *count == 0
}

impl FreshnessJson {
    /// Counts of several indexes together.
    pub fn add(&mut self, other: &FreshnessJson) {
        self.changed_files += other.changed_files;
        self.added_files += other.added_files;
        self.deleted_files += other.deleted_files;
        self.not_searched_files += other.not_searched_files;
        self.not_structural_files += other.not_structural_files;
        self.skipped_files += other.skipped_files;
    }
}

impl From<&Freshness> for FreshnessJson {
    fn from(freshness: &Freshness) -> FreshnessJson {
        FreshnessJson {
            generation: freshness.generation,
            revision: freshness.revision.as_ref().and_then(|revision| revision.commit.clone()),
            changed_files: freshness.modified_files,
            added_files: freshness.added_files,
            deleted_files: freshness.deleted_files,
            not_searched_files: freshness.not_searched_files,
            not_structural_files: freshness.lexical_files,
            skipped_files: freshness.skipped_files,
        }
    }
}

/// Encodes the hits of one mode.
pub fn hits(answer: &Answer, detail: Detail, lines: SnippetLines) -> Vec<HitJson> {
    answer.hits.iter().map(|hit| encode(hit, detail, lines)).collect()
}

/// Encodes one hit.
pub fn encode(hit: &Hit, detail: Detail, lines: SnippetLines) -> HitJson {
    let full = detail == Detail::Full;
    let ext = hit.path.rsplit_once('.').map(|(_, ext)| format!(".{ext}"));
    HitJson {
        id: hit.id.clone(),
        repo: None,
        file: hit.path.clone(),
        start_line: hit.lines.0,
        end_line: hit.lines.1,
        kind: hit.kind.name(),
        name: hit.name.clone(),
        headline: one_line(&hit.signature, if full { 400 } else { 64 }),
        score: (hit.score * 1000.0).round() / 1000.0,
        snippet: hit.snippet.as_ref().map(|snippet| match lines {
            SnippetLines::All => whole(snippet),
            SnippetLines::One => one_line_of(snippet),
        }),
        start: full.then_some(hit.span.start),
        end: full.then_some(hit.span.end),
        ext: ext.filter(|_| full),
        lang: full.then_some(hit.lang),
        scope: (full && !hit.scope.is_empty()).then(|| hit.scope.clone()),
        doc: (full && !hit.doc.is_empty()).then(|| hit.doc.clone()),
        score_type: full.then_some("bm25-fielded"),
        traits: hit.traits.clone(),
        score_breakdown: (!hit.explain.is_empty()).then(|| {
            let rows: Vec<Value> =
                hit.explain.iter().map(|row| json!({ "what": row.what, "value": row.value })).collect();
            json!({ "selected": { "type": "bm25-fielded", "score": hit.score }, "contributions": rows })
        }),
        facts: (!hit.facts.is_empty()).then(|| facts(&hit.facts)),
        record: None,
        lint: Vec::new(),
        risk_flows: hit.flows.iter().map(flow).collect(),
        resolved: (hit.resolved != Resolved::default()).then(|| resolved(&hit.resolved)),
    }
}

fn resolved(known: &Resolved) -> Value {
    let target = |target: &Target| json!({ "name": target.name, "file": target.path, "line": target.line });
    let import = |(import, files): &(String, Vec<String>)| json!({ "import": import, "files": files });
    let mut out = Map::new();
    if !known.calls.is_empty() {
        out.insert("calls".into(), known.calls.iter().map(target).collect());
    }
    if !known.imports.is_empty() {
        out.insert("import".into(), known.imports.iter().map(import).collect());
    }
    if !known.types.is_empty() {
        out.insert("inferredType".into(), json!(known.types));
    }
    Value::Object(out)
}

fn flow(flow: &RiskFlow) -> Value {
    let step = |step: &RiskStep| match &step.file {
        Some(file) => json!({ "file": file, "line": step.line, "text": step.text }),
        None => json!({ "line": step.line, "text": step.text }),
    };
    let path: Vec<Value> = flow.path.iter().map(step).collect();
    json!({
        "source": flow.source, "sink": flow.sink, "category": flow.category, "severity": flow.severity,
        "ids": flow.ids, "path": path,
    })
}

/// Facts under the names of the filters that look at them.
fn facts(known: &[(Fact, String)]) -> Value {
    let mut out = Map::new();
    for (fact, value) in known {
        let name = fact.argument().trim_end_matches("Min");
        let entry = match fact {
            Fact::Async | Fact::Generator | Fact::Returns => json!(true),
            Fact::Branch | Fact::Loop | Fact::Break | Fact::Continue => {
                json!(value.parse::<u32>().unwrap_or(0))
            }
            _ => {
                let list = out.entry(name).or_insert_with(|| json!([]));
                if let Some(list) = list.as_array_mut() {
                    list.push(json!(value));
                }
                continue;
            }
        };
        out.insert(name.to_owned(), entry);
    }
    Value::Object(out)
}

fn one_line(text: &str, limit: usize) -> String {
    let joined = text.split_whitespace().collect::<Vec<_>>().join(" ");
    match joined.char_indices().nth(limit) {
        Some((cut, _)) => format!("{}…", &joined[..cut]),
        None => joined,
    }
}

fn whole(snippet: &mainstay_index::Snippet) -> SnippetJson {
    SnippetJson {
        line: snippet.first_line,
        text: snippet.text.clone(),
        matches: snippet.matches.iter().map(|range| [range.start, range.end]).collect(),
    }
}

/// One line without its indentation, for an answer an agent can afford.
fn one_line_of(snippet: &mainstay_index::Snippet) -> SnippetJson {
    const MAX_BYTES: usize = 120;
    let line = snippet.text.lines().next().unwrap_or_default();
    let indent = line.len() - line.trim_start().len();
    let text = line.trim();
    let text = &text[..text.floor_char_boundary(MAX_BYTES)];
    let matches = snippet.matches.iter().filter_map(|range| {
        let from = (range.start as usize).checked_sub(indent)?;
        let to = (range.end as usize).checked_sub(indent)?.min(text.len());
        (from < to).then_some([from as u32, to as u32])
    });
    SnippetJson { line: snippet.first_line, matches: matches.collect(), text: text.to_owned() }
}

/// The hits of one file.
struct Group<'a> {
    repo: Option<&'a str>,
    file: &'a str,
    total: f32,
    top: f32,
    hits: Vec<Value>,
}

/// Hits grouped by file, best file first.
pub fn bundles(modes: &[(&'static str, &[HitJson])]) -> Value {
    let mut groups: Vec<Group> = Vec::new();
    for (mode, hits) in modes {
        for (index, hit) in hits.iter().enumerate() {
            let (repo, file) = (hit.repo.as_deref(), hit.file.as_str());
            let entry = json!({ "mode": mode, "index": index, "score": hit.score, "id": hit.id });
            match groups.iter_mut().find(|group| (group.repo, group.file) == (repo, file)) {
                Some(group) => {
                    group.total += hit.score;
                    group.top = group.top.max(hit.score);
                    group.hits.push(entry);
                }
                None => {
                    groups.push(Group { repo, file, total: hit.score, top: hit.score, hits: vec![entry] })
                }
            }
        }
    }
    groups.sort_by(|a, b| {
        let better = b.total.total_cmp(&a.total).then(b.top.total_cmp(&a.top));
        better.then((a.repo, a.file).cmp(&(b.repo, b.file)))
    });
    let group = |Group { repo, file, total, top, hits }: Group| {
        let mut group = json!({
            "file": file, "hitCount": hits.len(), "totalScore": total, "topScore": top, "hits": hits,
        });
        if let Some(repo) = repo {
            group["repo"] = repo.into();
        }
        group
    };
    let groups: Vec<Value> = groups.into_iter().map(group).collect();
    json!({ "schemaVersion": 1, "groups": groups })
}
