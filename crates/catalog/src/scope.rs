//! Which entries apply to a user, a workspace or a team.

use std::sync::Arc;

use schemars::JsonSchema;
use serde::{Deserialize, Serialize};

use crate::entry::{Audience, Entry};
use crate::index::{Index, Record};
use crate::text::lower;

/// Whose entries are asked for.
#[derive(Debug, Clone, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Scope {
    /// User whose own entries come first.
    pub user_id: Option<String>,
    /// Workspace whose entries come next.
    pub workspace_id: Option<String>,
    /// Teams whose entries come after that.
    pub team_ids: Option<Vec<String>>,
}

/// The level that answered.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, JsonSchema)]
#[serde(rename_all = "lowercase")]
pub enum Level {
    User,
    Workspace,
    Team,
    All,
}

/// Returns the entries visible to `scope`.
///
/// The first level with any entry wins; levels are never mixed. The last level holds every entry for all, also those
/// that belong to a user or workspace.
pub fn resolve<'a>(index: &'a Index, scope: &Scope) -> (Level, Vec<&'a Arc<Record>>) {
    if let Some(user) = filled(&scope.user_id) {
        let found = select(index, |entry| same(&entry.user_id, &user));
        if !found.is_empty() {
            return (Level::User, found);
        }
    }
    if let Some(workspace) = filled(&scope.workspace_id) {
        let found = select(index, |entry| same(&entry.workspace_id, &workspace));
        if !found.is_empty() {
            return (Level::Workspace, found);
        }
    }
    let teams: Vec<String> = scope.team_ids.iter().flatten().map(|team| lower(team)).collect();
    if !teams.is_empty() {
        let found = select(index, |entry| entry.team_ids.iter().any(|team| teams.contains(&lower(team))));
        if !found.is_empty() {
            return (Level::Team, found);
        }
    }
    (Level::All, select(index, |entry| entry.audience == Audience::All))
}

fn select(index: &Index, test: impl Fn(&Entry) -> bool) -> Vec<&Arc<Record>> {
    index.records().iter().filter(|record| test(&record.entry)).collect()
}

fn filled(id: &Option<String>) -> Option<String> {
    id.as_deref().filter(|id| !id.is_empty()).map(lower)
}

fn same(field: &Option<String>, wanted: &str) -> bool {
    field.as_deref().is_some_and(|field| lower(field) == wanted)
}
