//! `download_models`: bring a model into the cache.

use std::sync::Arc;

use mainstay_contract::{Call, Effect, Policy, Tool, ToolDef, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::downloads::{Downloads, download, how, pairs, pin};
use super::words::OneOrMany;
use crate::download::{DownloadError, Item, Kind, Shape, Source, Sources, choose_dir, kind_dir, safe_name};
use crate::{Search, SearchError};

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("download_models", Toolset::Search)
        .title("Download models")
        .summary("Download a model, check its hash and install it; one that is there and whole is not fetched again")
        .effect(Effect::Network)
        .planned_as_far("what a server sends is known only when it has come")
        .policy(Policy::batch())
        .example("Download a model the operator's sources list", json!({ "model": "org/name" }))
        .handler(move |call: &Call, args: Args| run(call, &search, &args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Repository that relative paths start from; the server's own when absent.
    repo_path: Option<String>,
    /// Name of the model; all listed ones when absent.
    #[schemars(length(min = 1, max = 120))]
    model: Option<String>,
    /// Folder to keep models in; the cache when absent.
    cache_dir: Option<String>,
    /// Addresses of its files or of an archive of them, in place of the listed ones; `file=address` names a file.
    url: Option<OneOrMany>,
    /// SHA-256 of what the addresses hold: one hash, or `file=hash` for each.
    sha256: Option<OneOrMany>,
    /// Ask the server whether there is something newer.
    update: Option<bool>,
    /// Download again even when it is there.
    force: Option<bool>,
}

#[derive(Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
struct Report {
    /// The models asked for.
    model: String,
    #[serde(flatten)]
    downloads: Downloads,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Report, SearchError> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    let cache = &search.config.cache_dir;
    let dir = match &args.cache_dir {
        Some(named) => choose_dir(call, &repo, cache, named)?,
        None => kind_dir(cache, Kind::Models),
    };
    let mut items = Vec::new();
    for (name, sources) in sources(search, args)? {
        let below = dir.join(safe_name(&name)?);
        items.push(Item {
            kind: Kind::Models,
            name,
            sources,
            dir: dir.clone(),
            shape: Shape::Folder { below },
        });
    }
    let names: Vec<&str> = items.iter().map(|item| item.name.as_str()).collect();
    let model = names.join(", ");
    Ok(Report { model, downloads: download(call, search, &items, how(args.update, args.force))? })
}

fn sources(search: &Search, args: &Args) -> Result<Vec<(String, Vec<Source>)>, SearchError> {
    let urls = pairs("url", args.url.as_ref())?;
    if !urls.is_empty() {
        let name = args.model.clone();
        let name =
            name.ok_or_else(|| mainstay_contract::Fault::invalid("url needs the name of the model"))?;
        let mut named: Vec<(String, Source)> = urls
            .into_iter()
            .map(|(file, url)| (file.clone().unwrap_or_default(), Source { url, sha256: None, file }))
            .collect();
        pin(&mut named, pairs("sha256", args.sha256.as_ref())?)?;
        return Ok(vec![(name, named.into_iter().map(|(_, source)| source).collect())]);
    }
    let mut listed = Sources::read(&search.config.network)?.models;
    listed.retain(|name, sources| {
        !sources.is_empty() && args.model.as_ref().is_none_or(|wanted| wanted == name)
    });
    if listed.is_empty() {
        return Err(DownloadError::NoSource {
            name: args.model.as_ref().map_or("any model".into(), |name| format!("the model {name}")),
            hint: "give its address as url with sha256, or list it in the file --download-sources names; \
                   search needs no model"
                .into(),
        }
        .into());
    }
    let mut listed: Vec<(String, Vec<Source>)> = listed.into_iter().collect();
    let hashes = pairs("sha256", args.sha256.as_ref())?;
    if !hashes.is_empty() {
        let [(_, sources)] = listed.as_mut_slice() else {
            return Err(mainstay_contract::Fault::invalid("sha256 needs the name of the model").into());
        };
        let named = sources.drain(..).map(|source| (source.file.clone().unwrap_or_default(), source));
        let mut named: Vec<(String, Source)> = named.collect();
        pin(&mut named, hashes)?;
        sources.extend(named.into_iter().map(|(_, source)| source));
    }
    Ok(listed)
}
