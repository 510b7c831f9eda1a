//! Carrying out what grooming decided.

use schemars::JsonSchema;
use serde::Serialize;

use super::Author;
use crate::catalog::Catalog;
use crate::error::CatalogError;
use crate::groom::{Mode, Plan, plan};
use crate::store::Removal;

/// What became of a grooming run.
#[derive(Debug, Clone, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Groomed {
    /// Catalog hash before.
    pub previous_hash: String,
    /// Catalog hash afterwards.
    pub hash: String,
    /// Entries looked at.
    pub scanned: usize,
    /// Entries whose recorded hash was corrected.
    pub repaired_hashes: usize,
    /// Entries whose categories were put in order.
    pub normalized_categories: usize,
    /// Entries taken out.
    pub deprecated_removed: usize,
    /// Duplicates merged into their primary.
    pub duplicates_merged: usize,
    /// Usage records dropped with their entries.
    pub usage_pruned: usize,
    /// Files written.
    pub files_rewritten: usize,
    /// `scope:*` tokens taken off the disk.
    pub purged_scopes: usize,
    /// Nothing was written.
    pub dry_run: bool,
    /// Hints: what a dry run would do, what failed.
    pub notes: Vec<String>,
    /// The change in the history; `instructions/restore` takes it back.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub revision: Option<String>,
}

impl Groomed {
    fn of(plan: &Plan, mode: Mode, hash: &str) -> Groomed {
        Groomed {
            previous_hash: hash.to_owned(),
            hash: hash.to_owned(),
            scanned: plan.scanned,
            repaired_hashes: plan.repaired_hashes,
            normalized_categories: plan.normalized_categories,
            deprecated_removed: plan.deprecated_removed,
            duplicates_merged: plan.duplicates_merged,
            purged_scopes: plan.purged_scopes,
            dry_run: mode.dry_run,
            ..Groomed::default()
        }
    }
}

impl Catalog {
    /// Tidies the catalog; removed entries move to the archive unless `purge` is set.
    pub fn groom(&self, mode: Mode, purge: bool, author: &Author) -> Result<Groomed, CatalogError> {
        if mode.dry_run {
            let index = self.snapshot()?.index;
            let plan = plan(&index, mode, author.now);
            let mut result = Groomed::of(&plan, mode, index.hash());
            if plan.purged_scopes > 0 {
                result.notes.push(format!("would-purge:{}", plan.purged_scopes));
            }
            result.notes.push(format!("would-rewrite:{}", plan.rewrites.len()));
            result.notes.push(format!("would-remove:{}", plan.removals.len()));
            return Ok(result);
        }
        let mut session = self.session(author)?;
        let plan = plan(&session.index, mode, author.now);
        let mut result = Groomed::of(&plan, mode, session.index.hash());
        let mut writes = Vec::with_capacity(plan.rewrites.len());
        for entry in &plan.rewrites {
            match session.write(entry) {
                Ok(write) => writes.push(write),
                Err(problem) => result.notes.push(format!("write-failed:{}:{problem}", entry.id)),
            }
        }
        let removals: Vec<Removal> = plan.removals.iter().filter_map(|id| session.removal(id)).collect();
        if writes.is_empty() && removals.is_empty() {
            return Ok(result);
        }
        let attempted = writes.len();
        let outcome = session.commit("groom", writes, removals, purge)?;
        for (id, error) in &outcome.failed {
            let step = if plan.removals.contains(id) { "delete" } else { "write" };
            result.notes.push(format!("{step}-failed:{id}:{error}"));
        }
        result.notes.sort();
        let failed_writes = outcome.failed.keys().filter(|id| !plan.removals.contains(*id)).count();
        result.files_rewritten = attempted - failed_writes;
        let gone: Vec<String> =
            plan.removals.iter().filter(|id| !outcome.failed.contains_key(*id)).cloned().collect();
        result.deprecated_removed = gone.len();
        result.usage_pruned =
            self.with_state(|state| state.book.forget(&self.layout, session.lock(), &gone, author.now))??;
        result.hash = outcome.hash;
        result.revision = Some(outcome.revision);
        Ok(result)
    }
}
