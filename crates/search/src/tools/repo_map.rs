//! `repo_map`: the most central definitions of a repository, in as many tokens as the caller has to spare.

use std::sync::Arc;

use mainstay_contract::{Call, Policy, Tool, ToolDef, Toolset};
use mainstay_index::relations::{Relations, SymbolId};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use crate::relations::outline::{Outline, fit};
use crate::{Search, SearchError};

const DEFAULT_TOKENS: usize = 2_000;

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("repo_map", Toolset::Search)
        .title("Repository map")
        .summary(
            "Outline a repository by its most central definitions, as files with signatures and line numbers, within a \
             number of tokens; with a focus, by what matters for it",
        )
        .reads()
        .policy(Policy::interactive())
        .tags(&["overview", "outline", "structure"])
        .example("An outline of the whole repository", json!({ "tokens": 500 }))
        .handler(move |call: &Call, args: Args| run(call, &search, &args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Repository root; the server's own when absent.
    repo_path: Option<String>,
    /// Tokens the outline may take, 2000 when absent.
    #[schemars(range(min = 50, max = 100_000))]
    tokens: Option<usize>,
    /// Files, folders or symbols that matter now; what they refer to and who refers to them ranks higher.
    #[schemars(length(max = 100), inner(length(min = 1, max = 1000)))]
    focus: Option<Vec<String>>,
    /// Only files below these folders.
    #[schemars(length(max = 100), inner(length(min = 1, max = 1000)))]
    paths: Option<Vec<String>>,
    /// Show tests too.
    tests: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Map {
    /// Repository that was outlined.
    repo: String,
    /// Files, best first, each with line numbers and signatures of its most central definitions.
    map: String,
    /// Tokens of the outline.
    tokens: usize,
    /// Tokens it might have taken.
    budget: usize,
    /// What is in it.
    shown: Counts,
    /// What is not.
    omitted: Counts,
    /// What the reader should know.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    notes: Vec<String>,
}

#[derive(Serialize, JsonSchema)]
struct Counts {
    /// Files.
    files: usize,
    /// Definitions.
    symbols: usize,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Map, SearchError> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    call.progress("open", "opening the index");
    let index = search.engine.index(&repo)?;
    call.progress("relate", "following names across files");
    let relations = index.relations()?;
    let mut notes = Vec::new();
    let focus = focus(&relations, args.focus.as_deref().unwrap_or_default(), &mut notes);
    let mut ranked = relations.ranked(&focus);
    let below = args.paths.as_deref().unwrap_or_default();
    let inside =
        |path: &str| below.is_empty() || below.iter().any(|folder| is_below(path, folder.trim_matches('/')));
    let wanted = |id: SymbolId| {
        let symbol = relations.symbol(id);
        inside(&symbol.path) && (args.tests == Some(true) || !symbol.is_test)
    };
    ranked.retain(|(id, _)| wanted(*id));
    call.cancel().check()?;
    let budget = args.tokens.unwrap_or(DEFAULT_TOKENS);
    let count = |text: &str| search.config.tokens(text);
    let Outline { text, tokens, files, symbols } = fit(&relations, &ranked, budget, &count);
    let mut all: Vec<String> = ranked.iter().map(|(id, _)| relations.symbol(*id).path).collect();
    all.sort_unstable();
    all.dedup();
    Ok(Map {
        repo: repo.display().to_string(),
        map: text,
        tokens,
        budget,
        shown: Counts { files, symbols },
        omitted: Counts { files: all.len() - files, symbols: ranked.len() - symbols },
        notes,
    })
}

fn is_below(path: &str, folder: &str) -> bool {
    path.strip_prefix(folder)
        .is_some_and(|rest| folder.is_empty() || rest.is_empty() || rest.starts_with('/'))
}

/// The definitions that files, folders and symbols stand for.
fn focus(relations: &Relations, wanted: &[String], notes: &mut Vec<String>) -> Vec<SymbolId> {
    let mut out = Vec::new();
    for one in wanted {
        let folder = one.trim().trim_start_matches("./").trim_end_matches('/');
        let in_folder = || -> Vec<SymbolId> {
            let files = relations.files();
            let below = files.into_iter().filter(|path| is_below(path, folder));
            below.flat_map(|path| relations.of_file(path)).collect()
        };
        let found =
            Some(in_folder()).filter(|found| !found.is_empty()).unwrap_or_else(|| relations.find(one));
        if found.is_empty() {
            notes.push(format!("nothing in the index is called {one}"));
        }
        out.extend(found);
    }
    out
}
