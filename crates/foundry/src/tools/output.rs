//! Result types several tools share.

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::{Map, Value};

use crate::record::Kept;
use crate::transcript::Artifact;

/// What a writing tool made.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Generic {
    /// Paths of the files written, relative to the root.
    pub artifacts: Vec<String>,
    pub transcript_path: String,
    pub bundle_index_path: String,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub diagnostics_path: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub artifacts_detail: Vec<ArtifactDetail>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub preview: Option<Preview>,
    /// Whether what was looked at is as it should be: `ok`, or `invalid` when something was found.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub status: Option<Status>,
    /// What was found, for programs.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub structured_data: Option<Map<String, Value>>,
}

#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Status {
    Ok,
    Invalid,
}

impl Generic {
    pub fn new(kept: Kept, preview: Preview) -> Generic {
        Generic {
            diagnostics_path: kept.path_of("diagnostics.json"),
            artifacts: kept.artifacts.iter().map(|artifact| artifact.written.path.clone()).collect(),
            artifacts_detail: kept.artifacts.iter().map(Into::into).collect(),
            transcript_path: kept.transcript_path,
            bundle_index_path: kept.bundle_index_path,
            preview: Some(preview),
            status: None,
            structured_data: None,
        }
    }

    /// Adds the verdict of a check, and its figures as an object.
    pub fn with_figures(mut self, is_ok: bool, figures: Value) -> Generic {
        self.status = Some(if is_ok { Status::Ok } else { Status::Invalid });
        self.structured_data = match figures {
            Value::Object(figures) => Some(figures),
            _ => None,
        };
        self
    }
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct ArtifactDetail {
    pub path: String,
    pub name: String,
    pub purpose: String,
    pub sha256: String,
    pub size_bytes: usize,
}

impl From<&Artifact> for ArtifactDetail {
    fn from(artifact: &Artifact) -> ArtifactDetail {
        ArtifactDetail {
            path: artifact.written.path.clone(),
            name: artifact.name.clone(),
            purpose: artifact.purpose.clone(),
            sha256: artifact.written.sha256.clone(),
            size_bytes: artifact.written.size,
        }
    }
}

#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Preview {
    /// One sentence.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub summary: Option<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub notes: Vec<String>,
    /// Examples of what changed, as data addresses.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub specimens: Vec<String>,
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub diffs: Vec<Diff>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields)]
pub struct Diff {
    pub path: String,
    pub status: DiffStatus,
    pub summary: DiffSummary,
    pub hunks: Vec<Hunk>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum DiffStatus {
    Modified,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct DiffSummary {
    pub additions: usize,
    pub deletions: usize,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Hunk {
    pub header: String,
    pub changes: Vec<Change>,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(deny_unknown_fields)]
pub struct Change {
    #[serde(rename = "type")]
    pub kind: ChangeKind,
    pub value: String,
}

#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum ChangeKind {
    Context,
    Add,
    Remove,
}
