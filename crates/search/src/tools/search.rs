//! `search`: find code and documents by words, names, literals and questions.

use std::sync::Arc;
use std::time::Instant;

use mainstay_contract::{Call, Policy, Tool, ToolDef, Toolset};
use mainstay_index::{Answer, Filters, Mode, Options, Query};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::words::OneOrMany;
use crate::answer::{Detail, Found, HitJson, Payload, SnippetLines, Totals, bundles, hits};
use crate::{Search, SearchError};

/// Hits of each mode when the caller names no number.
const DEFAULT_TOP: usize = 5;

/// Filters of the contract whose facts are not indexed yet: named in the schema, refused when used.
const RESERVED: &[(&str, &str)] = &[
    ("author", "last commit author of the file"),
    ("import", "imported module"),
    ("calls", "called or calling function"),
    ("uses", "used name"),
    ("signature", "part of the signature"),
    ("param", "parameter name"),
    ("decorator", "decorator, attribute or annotation"),
    ("inferredType", "inferred type"),
    ("returnType", "declared return type"),
    ("throws", "thrown error"),
    ("reads", "name read in the body"),
    ("writes", "name assigned in the body"),
    ("mutates", "member or element changed in the body"),
    ("alias", "assignment alias"),
    ("awaits", "awaited expression"),
    ("risk", "risk tag"),
    ("riskTag", "risk tag"),
    ("riskSource", "risk source"),
    ("riskSink", "risk sink"),
    ("riskCategory", "risk category"),
    ("riskFlow", "risk flow"),
    ("branchesMin", "least number of branches"),
    ("loopsMin", "least number of loops"),
    ("breaksMin", "least number of breaks"),
    ("continuesMin", "least number of continues"),
    ("churnMin", "least number of changed lines in history"),
    ("chunkAuthor", "author of the chunk's lines"),
    ("modifiedAfter", "date after which the file was changed"),
    ("modifiedSince", "days within which the file was changed"),
    ("visibility", "visibility"),
    ("extends", "base class or interface"),
    ("lint", "has lint findings"),
    ("async", "is asynchronous"),
    ("generator", "is a generator"),
    ("returns", "returns a value"),
    ("meta", "field of a record"),
    ("metaJson", "fields of a record as an object"),
];

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("search", Toolset::Search)
        .title("Search")
        .summary(
            "Find code and documents in a repository by words, names, \"exact text\", /regex/ or a plain question; \
             answers ranked chunks with file, lines and the line that matched",
        )
        .reads()
        .policy(Policy::interactive())
        .reserved(RESERVED)
        .example("Ask a question", json!({ "query": "how are two numbers added", "top": 3 }))
        .example("Find a definition by name", json!({ "query": "add", "mode": "code" }))
        .handler(move |call: &Call, args: Args| run(call, &search, &args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// What to find: words, "exact text", /regex/, sym:Name, AND OR NOT ( ), or a question.
    #[schemars(length(min = 1, max = 4096), regex(pattern = r"\S"))]
    query: String,
    /// Repository root; the server's own when absent.
    repo_path: Option<String>,
    /// What to search; code and prose when absent.
    mode: Option<ModeArg>,
    /// Which index answers; auto chooses.
    backend: Option<Backend>,
    /// compact shows one line a hit, full everything known about it, json is full.
    output: Option<Output>,
    /// Search by meaning too: true, false, or null for the default.
    #[serde(default)]
    #[schemars(schema_with = "nullable_bool")]
    ann: Option<bool>,
    /// Hits of each mode, 5 when absent.
    #[schemars(range(min = 1, max = 1000))]
    top: Option<usize>,
    /// Lines around each match.
    #[schemars(range(min = 0, max = 50))]
    context: Option<usize>,
    /// Kinds of chunks, such as function or class, separated by commas.
    #[serde(rename = "type")]
    kind: Option<String>,
    /// Languages, separated by commas.
    lang: Option<String>,
    /// Parts of paths, globs, or /regex/.
    path: Option<OneOrMany>,
    /// Parts of file paths, globs, or /regex/; joined with path.
    file: Option<OneOrMany>,
    /// File extensions.
    ext: Option<OneOrMany>,
    /// Match paths and words in their case.
    case: Option<bool>,
    /// Match paths in their case.
    case_file: Option<bool>,
    /// Match words in their case.
    case_tokens: Option<bool>,
    /// Branch that must have been checked out when the index was built.
    branch: Option<String>,
    /// Where the last answer ended; needs a single mode.
    cursor: Option<String>,
    /// Show every contribution to each score.
    explain: Option<bool>,
    /// Show timings and sizes.
    stats: Option<bool>,
}

fn nullable_bool(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "enum": [true, false, null] })
}

#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "kebab-case")]
#[schemars(inline)]
enum ModeArg {
    Code,
    Prose,
    ExtractedProse,
    Records,
    All,
    Both,
}

#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Backend {
    Auto,
    Native,
    Sqlite,
}

#[derive(Deserialize, JsonSchema, Clone, Copy, PartialEq, Eq)]
#[serde(rename_all = "lowercase")]
#[schemars(inline)]
enum Output {
    Compact,
    Full,
    Json,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Found, SearchError> {
    let began = Instant::now();
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    let modes = modes(args.mode)?;
    refuse_unsupported(args)?;
    let query = Query::parse(&args.query)?;
    call.progress("open", "opening the index");
    let index = search.engine.index(&repo)?;
    let opened = began.elapsed();
    if args.cursor.is_some() && modes.len() > 1 {
        return Err(
            mainstay_contract::Fault::invalid("a cursor needs a mode of its own: code or prose").into()
        );
    }
    let detail = match args.output {
        Some(Output::Full | Output::Json) => Detail::Full,
        _ => Detail::Compact,
    };
    let lines = match (detail, args.context) {
        (Detail::Compact, None) => SnippetLines::One,
        _ => SnippetLines::All,
    };
    let mut payload = Payload { backend: "native", query: args.query.clone(), ..Payload::default() };
    for mode in &modes {
        call.cancel().check()?;
        call.progress("search", "running the search");
        let answer = index.search(&query, &options(args, *mode, lines))?;
        take(&mut payload, *mode, &answer, hits(&answer, detail, lines), modes.len() == 1);
    }
    if detail == Detail::Full {
        payload.bundles = Some(bundles(&[("code", &payload.code), ("prose", &payload.prose)]));
    }
    if args.stats == Some(true) {
        let micros = |duration: std::time::Duration| duration.as_micros() as f64 / 1000.0;
        payload.stats = Some(json!({
            "elapsedMs": micros(began.elapsed()),
            "openMs": micros(opened),
            "backendPolicy": "the native index is the only one built",
            "annActive": false,
        }));
    }
    Ok(Found { repo: repo.display().to_string(), search: payload })
}

fn modes(mode: Option<ModeArg>) -> Result<Vec<Mode>, SearchError> {
    let unsupported = |what: &str| Err(SearchError::Unsupported { what: format!("the mode {what}") });
    match mode {
        None | Some(ModeArg::Both | ModeArg::All) => Ok(vec![Mode::Code, Mode::Prose]),
        Some(ModeArg::Code) => Ok(vec![Mode::Code]),
        Some(ModeArg::Prose) => Ok(vec![Mode::Prose]),
        Some(ModeArg::ExtractedProse) => unsupported("extracted-prose"),
        Some(ModeArg::Records) => unsupported("records"),
    }
}

fn refuse_unsupported(args: &Args) -> Result<(), SearchError> {
    if args.ann == Some(true) {
        return Err(SearchError::Unsupported { what: "search by vectors (ann: true)".into() });
    }
    if args.backend == Some(Backend::Sqlite) {
        return Err(SearchError::Unsupported { what: "the sqlite backend".into() });
    }
    Ok(())
}

fn options(args: &Args, mode: Mode, lines: SnippetLines) -> Options {
    let words = |text: &Option<String>| -> Vec<String> {
        let list = text.as_deref().unwrap_or_default().split([',', ' ']);
        list.map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
    };
    let many = |value: &Option<OneOrMany>| value.as_ref().map(OneOrMany::list).unwrap_or_default();
    let case = args.case == Some(true);
    Options {
        limit: args.top.unwrap_or(DEFAULT_TOP),
        cursor: args.cursor.clone(),
        mode,
        filters: Filters {
            types: words(&args.kind),
            langs: words(&args.lang),
            paths: [many(&args.path), many(&args.file)].concat(),
            exts: many(&args.ext),
            branch: args.branch.clone(),
            case_file: case || args.case_file == Some(true),
            case_tokens: case || args.case_tokens == Some(true),
        },
        context: args.context.unwrap_or(if lines == SnippetLines::One { 0 } else { 2 }),
        explain: args.explain == Some(true),
    }
}

fn take(payload: &mut Payload, mode: Mode, answer: &Answer, encoded: Vec<HitJson>, single: bool) {
    let Totals { code, prose } = &mut payload.total;
    match mode {
        Mode::Prose => (payload.prose, *prose) = (encoded, answer.total),
        Mode::Code | Mode::All => (payload.code, *code) = (encoded, answer.total),
    }
    for note in &answer.notes {
        if !payload.notes.contains(note) {
            payload.notes.push(note.clone());
        }
    }
    if single {
        payload.cursor.clone_from(&answer.cursor);
    }
    payload.freshness = (&answer.freshness).into();
}
