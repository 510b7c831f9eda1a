//! `instructions/importFiles`: instructions from the files other tools keep them in.

use std::path::PathBuf;
use std::sync::Arc;

use mainstay_contract::{Call, ErrorCode, Fault, Gate, Policy, Tool};
use schemars::JsonSchema;
use serde::Deserialize;
use serde_json::json;

use super::{author, define};
use crate::catalog::Catalog;
use crate::change::ImportMode;
use crate::error::CatalogError;
use crate::exchange::{FileImport, Intent};

pub fn tool(catalog: Arc<Catalog>) -> Tool {
    define("instructions/importFiles")
        .title("Import instruction files")
        .summary(
            "Turn AGENTS.md, CLAUDE.md, Cursor rules and Copilot instructions into draft entries; a preview unless apply is set",
        )
        .writes()
        .planned()
        .policy(Policy::batch())
        .example("What a project holds", json!({"path": "."}))
        .handler(move |call, args| run(&catalog, call, args))
}

#[derive(Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
struct Args {
    /// Project directory or a single file.
    path: PathBuf,
    /// Write the entries; otherwise they are only shown.
    apply: Option<bool>,
    /// What happens to entries that exist: `skip` (the default) or `overwrite`.
    mode: Option<ImportMode>,
}

fn run(catalog: &Catalog, call: &Call, args: Args) -> Result<FileImport, Fault> {
    let path = catalog.config.work_dir.join(&args.path);
    if let Some(roots) = &call.caller().roots {
        let inside = path.canonicalize().is_ok_and(|path| roots.iter().any(|root| path.starts_with(root)));
        if !inside {
            return Err(Fault::new(
                ErrorCode::Forbidden,
                "the path is outside the roots this caller may use",
            ));
        }
    }
    // A preview is a read; only writing needs the gate.
    if args.apply == Some(true) && !call.host().is_open(Gate::Mutation) {
        return Err(CatalogError::MutationDisabled.into());
    }
    let intent = match args.apply {
        Some(true) => Intent::Apply(args.mode.unwrap_or_default()),
        _ => Intent::Preview,
    };
    catalog.import_files(&path, intent, &author(call)).map_err(Into::into)
}
