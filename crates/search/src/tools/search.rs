//! `search`: find code and documents by words, names, literals and questions.

use std::collections::BTreeSet;
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;

use mainstay_contract::{Call, Policy, Tool, ToolDef, Toolset};
use mainstay_index::{Answer, Fact, FactFilter, Filters, Index, Mode, Options, Query, Unknown, Want};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::{Value, json};

use super::words::OneOrMany;
use crate::answer::{Detail, Found, HitJson, Payload, SnippetLines, Totals, bundles, hits};
use crate::backend::{Backend, choose};
use crate::history::{MAX_FILES, Wanted};
use crate::lint::Lint;
use crate::triage::find::Wanted as WantedRecords;
use crate::triage::meta::{self, Test};
use crate::workspace::{Workspace, merge};
use crate::{Search, SearchError};

/// Hits of each mode when the caller names no number.
const DEFAULT_TOP: usize = 5;

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
    /// Workspace file; every repository it names is searched and the hits are merged, best first.
    #[schemars(length(min = 1, max = 4096))]
    workspace_path: Option<String>,
    /// What to search: code, documents, the documentation inside of code with PDF and DOCX (extracted-prose), records, or all; prose has extracted-prose with it, both and nothing mean all but records.
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
    /// Module the file imports, exactly as written.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    import: Option<String>,
    /// Function that is called, or that calls something; exactly, with or without what stands before the last dot.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    calls: Option<String>,
    /// Name that is called, read or mentioned as a type, exactly.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    uses: Option<String>,
    /// Part of the signature, in its case.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    signature: Option<String>,
    /// Parameter, exactly.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    param: Option<String>,
    /// Part of a decorator, attribute or annotation.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    decorator: Option<String>,
    /// Part of a type of a parameter, field or variable, written or told by its value.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    inferred_type: Option<String>,
    /// Part of the declared return type.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    return_type: Option<String>,
    /// Part of what is thrown.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    throws: Option<String>,
    /// Part of a name or member that is read.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    reads: Option<String>,
    /// Part of a name that is assigned.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    writes: Option<String>,
    /// Part of a member or element that is changed: obj.field, list[0].
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    mutates: Option<String>,
    /// Part of new=old for an assignment that only gives a second name.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    alias: Option<String>,
    /// Part of what is awaited.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    awaits: Option<String>,
    /// Part of the visibility: public, private, protected, internal or package.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    visibility: Option<String>,
    /// Part of a base class, interface or trait.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    extends: Option<String>,
    /// Asynchronous functions; false for all others.
    #[serde(rename = "async")]
    is_async: Option<bool>,
    /// Generators; false for all other functions.
    generator: Option<bool>,
    /// Functions that return a value; false for those that do not.
    returns: Option<bool>,
    /// Part of a risk tag: http-input, command-exec, sql, deserialization and the like; riskTag wins over it.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    risk: Option<String>,
    /// Part of a risk tag.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    risk_tag: Option<String>,
    /// Part of the name of a source of values from outside.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    risk_source: Option<String>,
    /// Part of the name of a call that must not be given such values.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    risk_sink: Option<String>,
    /// Part of a category of damage, or its CWE or OWASP number.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    risk_category: Option<String>,
    /// Part of source->sink, for a value from outside that reaches a sink.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    risk_flow: Option<String>,
    /// Chunks with mistakes of syntax or findings of a linter's report; false for those without.
    lint: Option<bool>,
    /// Part of the name or address of who changed the file last; several separated by commas.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    author: Option<String>,
    /// Part of the name or address of who wrote a line of the chunk; several separated by commas.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"\S"))]
    chunk_author: Option<String>,
    /// Least number of lines added and deleted in the history of the file.
    churn_min: Option<u64>,
    /// Day or moment after which the file was changed, such as 2026-01-31.
    #[schemars(length(min = 1, max = 60))]
    modified_after: Option<String>,
    /// Days within which the file was changed.
    #[schemars(range(min = 0, max = 100_000))]
    modified_since: Option<f64>,
    /// Least number of branches.
    #[schemars(range(min = 0, max = 255))]
    branches_min: Option<u32>,
    /// Least number of loops.
    #[schemars(range(min = 0, max = 255))]
    loops_min: Option<u32>,
    /// Least number of breaks.
    #[schemars(range(min = 0, max = 255))]
    breaks_min: Option<u32>,
    /// Least number of continues.
    #[schemars(range(min = 0, max = 255))]
    continues_min: Option<u32>,
    /// Fields records must have: key, key=value, a list of them, or an object; only records are found then.
    #[serde(default)]
    #[schemars(schema_with = "meta_schema")]
    meta: Option<Value>,
    /// The same as an object, a list of objects, or their JSON text.
    #[serde(default)]
    #[schemars(schema_with = "meta_schema")]
    meta_json: Option<Value>,
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

fn meta_schema(_: &mut schemars::SchemaGenerator) -> schemars::Schema {
    schemars::json_schema!({ "anyOf": [{ "type": "string" }, { "type": "array" }, { "type": "object" }] })
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
enum Output {
    Compact,
    Full,
    Json,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Found, SearchError> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    if let Some(path) = &args.workspace_path {
        let workspace = Workspace::load(call, &repo, Some(path))?;
        if args.cursor.is_some() {
            return Err(mainstay_contract::Fault::invalid("a workspace has no cursor; raise top").into());
        }
        let top = args.top.unwrap_or(DEFAULT_TOP);
        let found = merge(call, &workspace, top, |repo| one(call, search, repo, args))?;
        return Ok(Found { repo: workspace.path.display().to_string(), search: found });
    }
    let payload = one(call, search, &repo, args)?;
    Ok(Found { repo: repo.display().to_string(), search: payload })
}

/// The answer of one repository.
fn one(call: &Call, search: &Search, repo: &Path, args: &Args) -> Result<Payload, SearchError> {
    let began = Instant::now();
    let tests = meta::tests(args.meta.as_ref(), args.meta_json.as_ref())?;
    let (mut modes, with_records) = modes(args.mode, !tests.is_empty());
    if args.mode == Some(ModeArg::Prose) && args.cursor.is_some() {
        // The pages of prose go on; what is extracted has pages in a mode of its own.
        modes.truncate(1);
    }
    let vectors = if args.ann == Some(true) { Some(search.vectors.needed()?) } else { None };
    if args.cursor.is_some() && modes.len() + usize::from(with_records) > 1 {
        return Err(mainstay_contract::Fault::invalid(
            "a cursor needs a mode of its own: code, prose, extracted-prose or records",
        )
        .into());
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
    let mut opened = std::time::Duration::ZERO;
    let mut why = "records have an index of their own".to_owned();
    if !modes.is_empty() {
        let query = Query::parse(&args.query)?;
        call.progress("open", "opening the index");
        let chosen = choose(search, repo, args.backend.unwrap_or_default())?;
        let index = chosen.index;
        (payload.backend, why) = (chosen.name, chosen.why);
        opened = began.elapsed();
        let files = by_history(call, search, repo, args)?;
        let lint = match search.lint.are_given() && (args.lint.is_some() || detail == Detail::Full) {
            true => search.lint.of(call, repo),
            false => Lint::default(),
        };
        for mode in &modes {
            call.cancel().check()?;
            call.progress("search", "running the search");
            let mut options = options(args, *mode, lines);
            options.filters.files.clone_from(&files);
            options.filters.facts.retain(|filter| filter.name != "lint");
            options.filters.facts.extend(by_lint(args, &lint));
            options.vectors.clone_from(&vectors);
            options.facts = detail == Detail::Full && (options.explain || !options.filters.facts.is_empty());
            let of_risk = options.filters.facts.iter().any(|filter| filter.name.starts_with("risk"));
            if of_risk || options.facts {
                options.rules = crate::rules::load(&search.config)?;
            }
            by_lines(call, search, repo, args, &index, &query, &mut options)?;
            let answer = index.search(&query, &options)?;
            if mode == &modes[0] {
                warn(call, &answer);
            }
            let alone = modes.len() == 1 && !with_records;
            // Beside other modes, comments that hold only some of the words are noise.
            if *mode == Mode::Extracted && !alone && answer.relaxed {
                continue;
            }
            let leads = alone || *mode == Mode::Prose && args.mode == Some(ModeArg::Prose);
            let mut encoded = hits(&answer, detail, lines);
            for hit in &mut encoded {
                hit.lint = lint.within(&hit.file, (hit.start_line, hit.end_line));
            }
            take(&mut payload, *mode, &answer, encoded, leads);
        }
        let Totals { code, prose, extracted_prose, .. } = payload.total;
        if code + prose + extracted_prose == 0 && args.cursor.is_none() {
            let filters = options(args, Mode::All, lines).filters;
            payload.notes.extend(crate::suggest::nearest_query(&index, &args.query, &filters));
        }
    }
    if !tests.is_empty() && !with_records {
        payload.notes.push("meta and metaJson hold for records only, which this mode leaves out".into());
        (payload.code, payload.prose, payload.extracted_prose, payload.total) = Default::default();
    }
    if with_records {
        search_records(call, search, repo, args, &tests, (detail, lines), modes.is_empty(), &mut payload)?;
    }
    if detail == Detail::Full {
        payload.bundles = Some(bundles(&payload.modes()));
    }
    if args.stats == Some(true) {
        let micros = |duration: std::time::Duration| duration.as_micros() as f64 / 1000.0;
        payload.stats = Some(json!({
            "elapsedMs": micros(began.elapsed()),
            "openMs": micros(opened),
            "backendPolicy": why,
            "annActive": vectors.is_some(),
        }));
    }
    Ok(payload)
}

/// The modes of the index, and whether records are searched too.
fn modes(mode: Option<ModeArg>, by_meta: bool) -> (Vec<Mode>, bool) {
    let all = || vec![Mode::Code, Mode::Prose, Mode::Extracted];
    match mode {
        // Only records have what these filters ask for.
        None | Some(ModeArg::All) if by_meta => (Vec::new(), true),
        None | Some(ModeArg::Both) => (all(), false),
        Some(ModeArg::All) => (all(), true),
        Some(ModeArg::Code) => (vec![Mode::Code], false),
        Some(ModeArg::Prose) => (vec![Mode::Prose, Mode::Extracted], false),
        Some(ModeArg::ExtractedProse) => (vec![Mode::Extracted], false),
        Some(ModeArg::Records) => (Vec::new(), true),
    }
}

#[allow(clippy::too_many_arguments)]
fn search_records(
    call: &Call,
    search: &Search,
    repo: &Path,
    args: &Args,
    tests: &[Test],
    shape: (Detail, SnippetLines),
    alone: bool,
    payload: &mut Payload,
) -> Result<(), SearchError> {
    let asked = options(args, Mode::All, shape.1);
    let case = asked.filters.case_tokens;
    let of_code = Filters { case_file: false, case_tokens: false, ..asked.filters };
    if of_code != Filters::default() {
        payload.notes.push("filters on files and code leave out every record".into());
        return Ok(());
    }
    let wanted = WantedRecords {
        query: &args.query,
        tests,
        limit: asked.limit,
        cursor: args.cursor.as_deref(),
        context: asked.context,
        case,
        explain: asked.explain,
    };
    let cursor = crate::records::add(call, search, repo, &wanted, shape, payload)?;
    if alone {
        payload.cursor = cursor;
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
            // What linters reported joins later.
            facts: facts(args).into_iter().chain(by_lint(args, &Lint::default())).collect(),
            // Chosen later; until then no file is.
            files: asks_history(args).then(Default::default),
            lines: args.chunk_author.as_ref().map(|_| Default::default()),
        },
        context: args.context.unwrap_or(if lines == SnippetLines::One { 0 } else { 2 }),
        explain: args.explain == Some(true),
        facts: false,
        ..Options::default()
    }
}

fn asks_history(args: &Args) -> bool {
    args.author.is_some()
        || args.churn_min.is_some()
        || args.modified_after.is_some()
        || args.modified_since.is_some()
}

/// The files whose history is as asked for; all where nothing is asked.
fn by_history(
    call: &Call,
    search: &Search,
    repo: &Path,
    args: &Args,
) -> Result<Option<BTreeSet<String>>, SearchError> {
    if !asks_history(args) {
        return Ok(None);
    }
    let (after, since) = (args.modified_after.as_deref(), args.modified_since);
    let wanted = Wanted::new(args.author.as_deref(), args.churn_min, after, since, call.now())?;
    let store = search.engine.index_dir(repo);
    let files = search.histories.files(call, &search.git, repo, &store, &wanted)?;
    Ok(Some(files.into_iter().collect()))
}

/// Finds out who wrote the lines of the files that would answer.
fn by_lines(
    call: &Call,
    search: &Search,
    repo: &Path,
    args: &Args,
    index: &Index,
    query: &Query,
    options: &mut Options,
) -> Result<(), SearchError> {
    let Some(author) = &args.chunk_author else { return Ok(()) };
    options.filters.lines = None;
    let files = index.files(query, options, MAX_FILES + 1)?;
    if files.len() > MAX_FILES {
        call.warn(
            "BLAME_INCOMPLETE",
            format!("only the best {MAX_FILES} files were asked for the authors of their lines"),
        );
    }
    let store = search.engine.index_dir(repo);
    let lines = search.histories.lines_of(call, &search.git, repo, &store, &files, author)?;
    options.filters.lines = Some(lines);
    Ok(())
}

/// The filter that looks at what linters reported, beside mistakes of syntax.
fn by_lint(args: &Args, lint: &Lint) -> Option<FactFilter> {
    let wanted = args.lint?;
    Some(FactFilter { name: "lint", want: Want::Lint(wanted, lint.reported()) })
}

/// The filters on facts, with the matching rules of the contract.
fn facts(args: &Args) -> Vec<FactFilter> {
    let mut out = Vec::new();
    let mut add =
        |name: &'static str, want: Option<Want>| out.extend(want.map(|want| FactFilter { name, want }));
    let text = |value: &Option<String>| value.as_deref().map(|value| value.trim().to_owned());
    let exact = |fact, value| text(value).map(|value| Want::Exact(fact, value));
    let part = |fact, value| text(value).map(|value| Want::Part(fact, value));
    let flag = |fact, value: Option<bool>| value.map(|value| Want::Flag(fact, value));
    let least = |fact, value: Option<u32>| value.map(|value| Want::AtLeast(fact, value));
    add("import", exact(Fact::Import, &args.import));
    add("calls", text(&args.calls).map(Want::Calls));
    add("uses", text(&args.uses).map(Want::Uses));
    add("signature", text(&args.signature).map(Want::Signature));
    add("param", exact(Fact::Param, &args.param));
    add("decorator", part(Fact::Decorator, &args.decorator));
    add("inferredType", part(Fact::Type, &args.inferred_type));
    add("returnType", part(Fact::ReturnType, &args.return_type));
    add("throws", part(Fact::Throw, &args.throws));
    add("reads", part(Fact::Read, &args.reads));
    add("writes", part(Fact::Write, &args.writes));
    add("mutates", part(Fact::Mutate, &args.mutates));
    add("alias", part(Fact::Alias, &args.alias));
    add("awaits", part(Fact::Await, &args.awaits));
    add("visibility", part(Fact::Visibility, &args.visibility));
    add("extends", part(Fact::Extends, &args.extends));
    match &args.risk_tag {
        Some(_) => add("riskTag", part(Fact::RiskTag, &args.risk_tag)),
        None => add("risk", part(Fact::RiskTag, &args.risk)),
    }
    add("riskSource", part(Fact::RiskSource, &args.risk_source));
    add("riskSink", part(Fact::RiskSink, &args.risk_sink));
    add("riskCategory", part(Fact::RiskCategory, &args.risk_category));
    add("riskFlow", part(Fact::RiskFlow, &args.risk_flow));
    add("async", flag(Fact::Async, args.is_async));
    add("generator", flag(Fact::Generator, args.generator));
    add("returns", flag(Fact::Returns, args.returns));
    add("branchesMin", least(Fact::Branch, args.branches_min));
    add("loopsMin", least(Fact::Loop, args.loops_min));
    add("breaksMin", least(Fact::Break, args.breaks_min));
    add("continuesMin", least(Fact::Continue, args.continues_min));
    out
}

/// Says which filters cannot hold in which languages.
fn warn(call: &Call, answer: &Answer) {
    for Unknown { filter, languages } in &answer.unknown {
        let list = languages.join(", ");
        call.warn_with(json!({
            "code": "FILTER_NOT_KNOWN",
            "message": format!("{filter} is not known in {list}; chunks of these languages are left out"),
            "filter": filter,
            "languages": languages,
        }));
    }
}

fn take(payload: &mut Payload, mode: Mode, answer: &Answer, encoded: Vec<HitJson>, single: bool) {
    let Totals { code, prose, extracted_prose, .. } = &mut payload.total;
    match mode {
        Mode::Extracted => (payload.extracted_prose, *extracted_prose) = (encoded, answer.total),
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
    payload.relaxed |= answer.relaxed;
    payload.freshness = (&answer.freshness).into();
}
