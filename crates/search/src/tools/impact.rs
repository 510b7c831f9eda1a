//! `impact`: what a change touches, who depends on it, which tests reach it and who answers for it.

use std::sync::Arc;

use mainstay_contract::{Call, Fault, Policy, Tool, ToolDef, Toolset};
use mainstay_index::relations::{Certainty, Reached, Relations, SymbolId, Texts};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::relations::changes::{self, ChangedFile, MAX_DIFF_BYTES};
use crate::relations::page::Page;
use crate::relations::{SymbolJson, certainty};
use crate::triage::pack::owners::{self, Owners};
use crate::{Search, SearchError};

const DEFAULT_DEPTH: u32 = 3;
const DEFAULT_LIMIT: usize = 50;
/// Definitions that are followed up from; more say only that everything is touched.
const MAX_TOUCHED: usize = 2_000;
/// Definitions that are reached before the search for more ends.
const MAX_REACHED: usize = 20_000;
const MAX_TESTS: usize = 500;

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("impact", Toolset::Search)
        .title("Impact of a change")
        .summary(
            "Say what a change touches: the definitions in it, who calls them directly or through others, which tests \
             reach them and who owns the files; for a diff, a range of commits or the working tree",
        )
        .reads()
        .policy(Policy::interactive())
        .tags(&["diff", "review", "callers", "tests", "owners"])
        .example(
            "What a diff touches",
            json!({ "diff": "--- a/README.md\n+++ b/README.md\n@@ -1 +1 @@\n-old\n+new\n", "depth": 2 }),
        )
        .handler(move |call: &Call, args: Args| run(call, &search, &args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Repository root; the server's own when absent.
    repo_path: Option<String>,
    /// Text of a unified diff whose new side is what is checked out.
    #[schemars(length(min = 1, max = 8_388_608))]
    diff: Option<String>,
    /// Commits, as git diff takes them: main...HEAD, HEAD~3, or one commit; the working tree when absent.
    #[schemars(length(min = 1, max = 400), regex(pattern = r"^[^-\s]\S*$"))]
    range: Option<String>,
    /// Steps from caller to caller, 3 when absent.
    #[schemars(range(min = 1, max = 10))]
    depth: Option<u32>,
    /// Only callers that are certain.
    resolved: Option<bool>,
    /// Callers in one answer, 50 when absent.
    #[schemars(range(min = 1, max = 500))]
    limit: Option<usize>,
    /// Where the last answer ended.
    cursor: Option<String>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Impact {
    /// Repository that was looked at.
    repo: String,
    /// What was compared: a diff, a range of commits or the working tree.
    of: String,
    /// The files of the change.
    files: Vec<ChangedFile>,
    /// The definitions the change touches.
    touched: Vec<SymbolJson>,
    /// Who depends on them, nearest first.
    callers: Vec<Caller>,
    /// Tests that reach them, nearest first.
    tests: Vec<Caller>,
    /// Who answers for the files.
    owners: Owners,
    /// How many of each there are, beyond those shown.
    total: Totals,
    /// Where the next answer starts; absent at the end.
    #[serde(skip_serializing_if = "Option::is_none")]
    cursor: Option<String>,
    /// What the reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Totals {
    /// Files of the change.
    files: usize,
    /// Definitions it touches.
    touched: usize,
    /// Definitions that depend on them.
    callers: usize,
    /// Tests among these.
    tests: usize,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Caller {
    /// Its name; empty for code outside of definitions.
    name: String,
    /// What it is.
    kind: &'static str,
    /// Path relative to the repository.
    file: String,
    /// The line that leads on, or where it starts.
    line: u32,
    /// Steps from the change.
    depth: u32,
    /// What it calls on the way to the change.
    via: String,
    /// resolved, or by-name where a step may mean another definition.
    certainty: &'static str,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Impact, SearchError> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    call.progress("diff", "reading the change");
    let (of, files) = match (&args.diff, &args.range) {
        (Some(_), Some(_)) => return Err(Fault::invalid("pass diff or range, not both").into()),
        (Some(diff), None) if diff.len() > MAX_DIFF_BYTES => {
            return Err(Fault::invalid("the diff is larger than 8 MiB").into());
        }
        (Some(diff), None) => ("diff".to_owned(), changes::parse(diff)),
        (None, Some(range)) => (range.clone(), changes::from_git(call, search, &repo, Some(range))?),
        (None, None) => ("working tree".to_owned(), changes::from_git(call, search, &repo, None)?),
    };
    call.progress("open", "opening the index");
    let index = search.engine.index(&repo)?;
    call.progress("relate", "following names across files");
    let relations = index.relations()?;
    let mut notes = Vec::new();
    let mut touched = touched(&relations, &files);
    if touched.len() > MAX_TOUCHED {
        notes.push(format!("{} definitions are touched; only {MAX_TOUCHED} are followed", touched.len()));
        touched.truncate(MAX_TOUCHED);
    }
    let (mut reached, cut) = relations.callers(&touched, args.depth.unwrap_or(DEFAULT_DEPTH), MAX_REACHED);
    if cut {
        notes.push(format!("more than {MAX_REACHED} definitions depend on the change; the rest is left out"));
    }
    if args.resolved == Some(true) {
        reached.retain(|one| one.certainty == Certainty::Resolved);
    }
    reached.sort_by_key(|one| (one.depth, one.certainty, one.id));
    let (tests, callers): (Vec<Reached>, Vec<Reached>) =
        reached.into_iter().partition(|one| relations.symbol(one.id).is_test);
    let about = format!(
        "{of} {:?} {:?} {} {}",
        args.depth,
        args.resolved,
        files.iter().map(|file| format!("{} {:?}", file.file, file.lines)).collect::<Vec<_>>().join(","),
        relations.mark()
    );
    let page = Page::new(&about, args.cursor.as_deref(), args.limit.unwrap_or(DEFAULT_LIMIT))?;
    let mut texts = Texts::default();
    let mut shown_callers = Vec::new();
    for one in page.of(&callers) {
        call.cancel().check()?;
        shown_callers.push(caller(&relations, &mut texts, one));
    }
    let limit = args.limit.unwrap_or(DEFAULT_LIMIT);
    let paths: Vec<String> = files.iter().map(|file| file.file.clone()).collect();
    let mut warnings = Vec::new();
    let owners = owners::find(call, search, &repo, &paths, &mut warnings)?;
    notes.extend(warnings);
    if files.is_empty() {
        notes.push("the change touches no file".to_owned());
    }
    Ok(Impact {
        repo: repo.display().to_string(),
        of,
        total: Totals {
            files: files.len(),
            touched: touched.len(),
            callers: callers.len(),
            tests: tests.len(),
        },
        touched: touched.iter().take(limit).map(|id| SymbolJson::of(&relations, &mut texts, *id)).collect(),
        callers: shown_callers,
        tests: tests
            .iter()
            .take(limit.min(MAX_TESTS))
            .map(|one| caller(&relations, &mut texts, one))
            .collect(),
        owners,
        cursor: page.next(callers.len()),
        files: files.into_iter().take(limit).collect(),
        notes,
    })
}

/// The definitions whose lines a change touches, each with what it is nested in left out.
fn touched(relations: &Relations, files: &[ChangedFile]) -> Vec<SymbolId> {
    let mut out: Vec<SymbolId> = Vec::new();
    for file in files {
        for (first, last) in &file.lines {
            out.extend(relations.touching(&file.file, *first, *last));
        }
    }
    out.sort_unstable();
    out.dedup();
    out
}

fn caller(relations: &Relations, texts: &mut Texts, one: &Reached) -> Caller {
    let symbol = relations.symbol(one.id);
    let places = relations.lines(texts, one.id, one.via);
    let via = relations.symbol(one.via);
    Caller {
        kind: symbol.kind.name(),
        line: places.first().map_or(symbol.lines.0, |place| place.line),
        name: symbol.name,
        file: symbol.path,
        depth: one.depth,
        via: if via.name.is_empty() { via.path } else { via.name },
        certainty: certainty(one.certainty),
    }
}
