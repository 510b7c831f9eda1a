//! Grooming: tidy categories, merge duplicates, remove what is deprecated, repair hashes.
//!
//! This module decides; the catalog writes.

use std::collections::{BTreeMap, BTreeSet, HashMap};
use std::sync::Arc;

use jiff::Timestamp;
use mainstay_contract::timestamp;
use schemars::JsonSchema;
use serde::Deserialize;

use crate::complete::derive;
use crate::draft::normal_categories;
use crate::entry::{Entry, Requirement};
use crate::index::{Index, Record};

/// What grooming may do.
#[derive(Debug, Clone, Copy, Default, Deserialize, JsonSchema)]
#[serde(rename_all = "camelCase", deny_unknown_fields, default)]
pub struct Mode {
    /// Report what would change; write nothing.
    pub dry_run: bool,
    /// Merge entries with the same body into the oldest one.
    pub merge_duplicates: bool,
    /// Remove entries that name an existing successor.
    pub remove_deprecated: bool,
    /// Remove `scope:*` tokens from the categories on disk.
    pub purge_legacy_scopes: bool,
}

/// The decisions of one run.
#[derive(Debug, Default)]
pub struct Plan {
    pub scanned: usize,
    pub repaired_hashes: usize,
    pub normalized_categories: usize,
    pub deprecated_removed: usize,
    pub duplicates_merged: usize,
    pub purged_scopes: usize,
    /// Entries as they are to be written.
    pub rewrites: Vec<Entry>,
    /// Ids of the entries to take out.
    pub removals: BTreeSet<String>,
}

/// Decides what a run would do.
pub fn plan(index: &Index, mode: Mode, now: Timestamp) -> Plan {
    let mut plan = Plan { scanned: index.len(), ..Plan::default() };
    let mut changed: BTreeMap<&str, Entry> = BTreeMap::new();
    for record in index.records() {
        let mut entry = Entry::clone(&record.entry);
        let mut touched = false;
        if record.categories_are_untidy {
            plan.normalized_categories += 1;
            touched = true;
        }
        if mode.purge_legacy_scopes && !entry.legacy_scopes.is_empty() {
            plan.purged_scopes += entry.legacy_scopes.len();
            entry.legacy_scopes.clear();
            touched = true;
        }
        if record.hash_is_stale {
            plan.repaired_hashes += 1;
            entry.source_hash = record.body_hash().to_owned();
            touched = true;
        }
        if touched {
            changed.insert(record.id(), entry);
        }
    }
    if mode.merge_duplicates {
        merge(index, mode, now, &mut plan, &mut changed);
    }
    if mode.remove_deprecated {
        for record in index.records() {
            let target = record.entry.deprecated_by.as_deref();
            if target.is_some_and(|target| target != record.id() && index.get(target).is_some()) {
                plan.removals.insert(record.id().to_owned());
            }
        }
        plan.deprecated_removed = plan.removals.len();
    }
    let stays = |id: &str| !plan.removals.contains(id);
    plan.rewrites = changed.into_iter().filter(|(id, _)| stays(id)).map(|(_, entry)| entry).collect();
    plan
}

fn merge<'a>(
    index: &'a Index,
    mode: Mode,
    now: Timestamp,
    plan: &mut Plan,
    changed: &mut BTreeMap<&'a str, Entry>,
) {
    let mut groups: HashMap<&str, Vec<&'a Arc<Record>>> = HashMap::new();
    for record in index.records() {
        groups.entry(&record.entry.source_hash).or_default().push(record);
    }
    for mut group in groups.into_values().filter(|group| group.len() > 1) {
        group.sort_by(|a, b| age(a).cmp(&age(b)).then_with(|| a.id().cmp(b.id())));
        let (primary, others) = group.split_first().expect("a group has at least two members");
        let current = |changed: &BTreeMap<&str, Entry>, record: &Record| {
            changed.get(record.id()).cloned().unwrap_or_else(|| Entry::clone(&record.entry))
        };
        let mut kept = current(changed, primary);
        let before = kept.clone();
        for other in others {
            plan.duplicates_merged += 1;
            kept.priority = kept.priority.min(other.entry.priority);
            kept.categories.extend(other.entry.categories.iter().cloned());
            kept.categories = normal_categories(&kept.categories);
            if mode.remove_deprecated {
                plan.removals.insert(other.id().to_owned());
                continue;
            }
            let mut duplicate = current(changed, other);
            let successor = Some(primary.id().to_owned());
            if duplicate.deprecated_by != successor || duplicate.requirement != Requirement::Deprecated {
                duplicate.deprecated_by = successor;
                duplicate.requirement = Requirement::Deprecated;
                duplicate.updated_at = timestamp(now);
                derive(&mut duplicate).expect("a stored entry with a successor is valid");
                changed.insert(other.id(), duplicate);
            }
        }
        derive(&mut kept).expect("merging leaves title, body and requirement alone");
        if kept != before {
            kept.updated_at = timestamp(now);
            changed.insert(primary.id(), kept);
        }
    }
}

/// Sort key of a duplicate: the earliest created is the primary. A date the record does not state counts for nothing.
fn age(record: &Record) -> (bool, Timestamp) {
    let created = record.is_dated.then(|| record.entry.created_at.parse().ok()).flatten();
    (created.is_none(), created.unwrap_or(Timestamp::UNIX_EPOCH))
}
