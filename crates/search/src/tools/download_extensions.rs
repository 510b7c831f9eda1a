//! `download_extensions`: bring a loadable SQLite extension into the cache.

use std::path::Path;
use std::sync::Arc;

use mainstay_contract::{Call, Effect, Policy, Tool, ToolDef, Toolset};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::downloads::{Downloads, download, how};
use crate::download::{DownloadError, Item, Kind, Shape, Source, Sources};
use crate::extension::{PLATFORMS, PROCESSORS, Target, choose};
use crate::{Search, SearchError};

pub fn tool(search: &Arc<Search>) -> Tool {
    let search = Arc::clone(search);
    ToolDef::new("download_extensions", Toolset::Search)
        .title("Download extensions")
        .summary(
            "Download a loadable SQLite extension for a platform, check its hash and install the library",
        )
        .effect(Effect::Network)
        .planned_as_far("what a server sends is known only when it has come")
        .policy(Policy::batch())
        .example(
            "Download the vector extension the operator's sources list",
            json!({ "provider": "sqlite-vec" }),
        )
        .handler(move |call: &Call, args: Args| run(call, &search, &args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Repository that relative paths start from; the server's own when absent.
    repo_path: Option<String>,
    /// Which extension; sqlite-vec when absent.
    #[schemars(length(min = 1, max = 120))]
    provider: Option<String>,
    /// Folder to keep extensions in; the cache when absent.
    dir: Option<String>,
    /// Exact path of the library.
    out: Option<String>,
    /// Operating system, such as linux, darwin or win32; this one when absent.
    #[schemars(extend("enum" = PLATFORMS))]
    platform: Option<String>,
    /// Processor, such as x64 or arm64; this one when absent.
    #[schemars(extend("enum" = PROCESSORS))]
    arch: Option<String>,
    /// Address of the library or of an archive that holds it, in place of the listed one.
    url: Option<String>,
    /// SHA-256 of what the address holds; needed for native code.
    sha256: Option<String>,
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
    /// Which extension.
    provider: String,
    /// For which platform and processor.
    target: String,
    /// The library.
    extension_path: String,
    #[serde(flatten)]
    downloads: Downloads,
}

fn run(call: &Call, search: &Search, args: &Args) -> Result<Report, SearchError> {
    let repo = crate::repo::resolve(call, &search.config, args.repo_path.as_deref())?;
    let provider = args.provider.as_deref().unwrap_or("sqlite-vec");
    let target = Target::named(args.platform.as_deref(), args.arch.as_deref())?;
    let (dir, path) =
        choose(call, search, &repo, provider, target, args.dir.as_deref(), args.out.as_deref())?;
    let source = source(search, args, provider, target, &path)?;
    let item = Item {
        kind: Kind::Extensions,
        name: format!("{provider}-{target}"),
        sources: vec![source],
        dir,
        shape: Shape::File { path: path.clone() },
    };
    let downloads = download(call, search, &[item], how(args.update, args.force))?;
    Ok(Report {
        repo_path: repo.display().to_string(),
        provider: provider.into(),
        target: target.to_string(),
        extension_path: path.display().to_string(),
        downloads,
    })
}

fn source(
    search: &Search,
    args: &Args,
    provider: &str,
    target: Target,
    path: &Path,
) -> Result<Source, SearchError> {
    let listed = match &args.url {
        Some(url) => Some(Source { url: url.clone(), sha256: None, file: None }),
        None => {
            let mut sources = Sources::read(&search.config.network)?.extensions;
            sources.get_mut(provider).and_then(|targets| targets.remove(&target.to_string()))
        }
    };
    let mut source = listed.ok_or_else(|| DownloadError::NoSource {
        name: format!("the extension {provider} for {target}"),
        hint: format!(
            "give its address as url with sha256, list it in the file --download-sources names, or put the library \
             at {}; search needs no extension",
            path.display()
        ),
    })?;
    if args.sha256.is_some() {
        source.sha256.clone_from(&args.sha256);
    }
    // Native code runs with all rights of the process that loads it.
    if source.sha256.is_none() {
        return Err(mainstay_contract::Fault::invalid("an extension is native code and needs a sha256")
            .hint("give the publisher's SHA-256 of the file behind the address")
            .into());
    }
    Ok(source)
}
