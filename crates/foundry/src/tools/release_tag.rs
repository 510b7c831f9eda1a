//! `release.tag`: an annotated tag on the commit that is checked out.

use std::sync::Arc;

use mainstay_contract::{Call, Role, Target, Tool};
use schemars::JsonSchema;
use serde::{Deserialize, Serialize};
use serde_json::json;

use super::{define_on_demand, join, limits};
use crate::artifacts::iso_of;
use crate::json::pretty;
use crate::record::{File, Place, Record};
use crate::release::valid_tag;
use crate::repository::Repository;
use crate::{Foundry, FoundryError};

/// Longer messages are release notes and belong in a file.
const MAX_MESSAGE_BYTES: usize = 64 * 1024;

pub fn tool(foundry: &Arc<Foundry>) -> Tool {
    let def = define_on_demand("release.tag")
        .title("Tag a release")
        .summary("Create an annotated git tag vX.Y.Z-internal.YYYYMMDD on the current commit; a dry run unless apply is true")
        .writes()
        .planned()
        .policy(limits(60, 6, 1).roles(&[Role::Maintainer]).writes(&["${BASE}/${DATE}/**"]))
        .tags(&["release", "tag", "git"])
        .example(
            "Try a tag without creating it",
            json!({ "tag": "v0.2.0-internal.20260228", "message": "Sprint 52 release", "apply": false }),
        );
    join(foundry, def, run)
}

#[derive(Debug, Deserialize, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Args {
    /// Name of the tag: vX.Y.Z-internal.YYYYMMDD.
    tag: String,
    /// Message of the tag; its name when absent.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    message: Option<String>,
    /// Create the tag; otherwise only say whether it could be created.
    #[serde(default)]
    apply: bool,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Tagged {
    /// Paths of the files written, relative to the root.
    artifacts: Vec<String>,
    transcript_path: String,
    bundle_index_path: String,
    tag: String,
    /// Whether the tag was created.
    created: bool,
    #[serde(skip_serializing_if = "Vec::is_empty")]
    warnings: Vec<String>,
}

fn run(foundry: &Foundry, call: &Call, args: Args) -> Result<Tagged, FoundryError> {
    let record = Record::begin(foundry, call, Place::Run("release.tag"))?;
    valid_tag(&args.tag)?;
    let message = args.message.as_deref().map(str::trim).filter(|message| !message.is_empty());
    let message = message.unwrap_or(&args.tag);
    if message.len() > MAX_MESSAGE_BYTES || message.contains('\0') {
        return Err(FoundryError::arguments("the message is longer than 64 KiB or holds a NUL"));
    }
    let repository = Repository::new(foundry, call);
    repository.require()?;
    let mut warnings = Vec::new();
    if repository.has_tag(&args.tag)? {
        if args.apply {
            return Err(already(&args.tag));
        }
        warnings.push(format!("tag {} already exists", args.tag));
    }
    let head = repository.head()?;
    let Some(commit) = head.commit else {
        return Err(FoundryError::refused("there is no commit to tag", "commit something first"));
    };
    if head.changed_files > 0 {
        let files = if head.changed_files == 1 {
            "1 file has".into()
        } else {
            format!("{} files have", head.changed_files)
        };
        warnings.push(format!("{files} uncommitted changes, which are not in the tag"));
    }
    let mut files = Vec::new();
    if args.apply {
        let tag = || vec![Target::exact(format!("tag {}", args.tag), None, Some(commit.clone()))];
        if call.changes().propose(tag)? {
            create(&repository, &args.tag, message, &commit)?;
        }
        let document = json!({
            "tag": args.tag, "message": message, "commit": commit, "branch": head.branch, "created": true,
            "uncommittedFiles": head.changed_files, "createdAt": iso_of(record.started()), "warnings": warnings,
        });
        files.push(File::new("tag.json", "The tag that was created", pretty(&document)));
    }
    // A call that is stopped here has a tag and no record; the tag itself says who made it and when.
    let kept = record.finish(&args, args.apply, files)?;
    Ok(Tagged {
        artifacts: kept.artifacts.iter().map(|artifact| artifact.written.path.clone()).collect(),
        transcript_path: kept.transcript_path,
        bundle_index_path: kept.bundle_index_path,
        tag: args.tag,
        created: args.apply,
        warnings,
    })
}

fn already(tag: &str) -> FoundryError {
    FoundryError::refused(
        format!("tag {tag} already exists"),
        "choose another version or day; tags are never moved",
    )
}

fn create(repository: &Repository, tag: &str, message: &str, commit: &str) -> Result<(), FoundryError> {
    let message = format!("--message={message}");
    let ran = repository.run(["tag", "--annotate", "--cleanup=whitespace", &message, "--", tag, commit])?;
    if ran.is_success() {
        return Ok(());
    }
    if ran.stderr.contains("already exists") {
        return Err(already(tag));
    }
    if ran.stderr.contains("tell me who you are") || ran.stderr.contains("empty ident name") {
        return Err(FoundryError::refused(
            "git does not know who creates the tag",
            "set user.name and user.email with `git config`",
        ));
    }
    ran.success().map(|_| ())
}
