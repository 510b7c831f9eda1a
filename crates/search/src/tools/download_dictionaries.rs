//! `download_dictionaries`: bring word lists into the cache.

use std::sync::Arc;

use mainstay_contract::{Call, Effect, Fault, Policy, Tool, ToolDef, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::downloads::{Downloads, download, how, pairs, pin};
use super::words::OneOrMany;
use crate::download::{DownloadError, Item, Kind, Shape, Source, Sources, choose_dir, kind_dir, safe_name};
use crate::{Search, SearchError};

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("download_dictionaries", Toolset::Search)
        .title("Download dictionaries")
        .summary("Download word lists, check their hashes and install them; those that are there and whole are not fetched again")
        .effect(Effect::Network)
        .planned_as_far("what a server sends is known only when it has come")
        .policy(Policy::batch())
        .example("Download the English word list the operator's sources list", json!({ "lang": "en" }))
        .handler(move |call: &Call, args: Args| run(call, &search, &args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Repository that relative paths start from; the server's own when absent.
    repo_path: Option<String>,
    /// Languages, separated by commas; all listed ones when absent.
    lang: Option<String>,
    /// Word lists in place of the listed ones, as `name=address`.
    url: Option<OneOrMany>,
    /// SHA-256 of what the addresses hold: one hash, or `name=hash` for each.
    sha256: Option<OneOrMany>,
    /// Folder to keep word lists in; the cache when absent.
    dir: Option<String>,
    /// Ask the server whether there is something newer.
    update: Option<bool>,
    /// Download again even when it is there.
    force: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// Repository the call was about.
    repo_path: String,
    #[serde(flatten)]
    downloads: Downloads,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Report, SearchError> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    let cache = &search.config.cache_dir;
    let dir = match &args.dir {
        Some(named) => choose_dir(call, &repo, cache, named)?,
        None => kind_dir(cache, Kind::Dictionaries),
    };
    let mut chosen = sources(search, args)?;
    pin(&mut chosen, pairs("sha256", args.sha256.as_ref())?)?;
    let mut items = Vec::new();
    for (name, source) in chosen {
        let path = dir.join(format!("{}.txt", safe_name(&name)?));
        let shape = Shape::File { path };
        items.push(Item { kind: Kind::Dictionaries, name, sources: vec![source], dir: dir.clone(), shape });
    }
    let downloads = download(call, search, &items, how(args.update, args.force))?;
    Ok(Report { repo_path: repo.display().to_string(), downloads })
}

fn sources(search: &Search, args: &Args) -> Result<Vec<(String, Source)>, SearchError> {
    let langs: Vec<&str> = args.lang.as_deref().unwrap_or_default().split([',', ' ']).collect();
    let langs: Vec<&str> = langs.into_iter().map(str::trim).filter(|lang| !lang.is_empty()).collect();
    let mut chosen = Vec::new();
    for (name, url) in pairs("url", args.url.as_ref())? {
        let name = match (name, langs.as_slice()) {
            (Some(name), _) => name,
            (None, [only]) => (*only).to_owned(),
            (None, _) => return Err(Fault::invalid("url needs a name: name=address").into()),
        };
        chosen.push((name, Source { url, sha256: None, file: None }));
    }
    let listed = match args.url {
        Some(_) if langs.is_empty() => Default::default(),
        _ => Sources::read(&search.config.network)?.dictionaries,
    };
    if langs.is_empty() {
        chosen.extend(listed);
    } else {
        for lang in langs {
            if chosen.iter().any(|(name, _)| name == lang) {
                continue;
            }
            let source =
                listed.get(lang).cloned().ok_or_else(|| no_source(&format!("the dictionary {lang}")))?;
            chosen.push((lang.to_owned(), source));
        }
    }
    match chosen.is_empty() {
        true => Err(no_source("any dictionary").into()),
        false => Ok(chosen),
    }
}

fn no_source(name: &str) -> DownloadError {
    DownloadError::NoSource {
        name: name.into(),
        hint: "give its address as url (name=address) with sha256, or list it in the file --download-sources names; \
               search needs no dictionary"
            .into(),
    }
}
