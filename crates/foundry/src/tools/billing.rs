//! What the two billing tools share: differences as notes, diffs and files.

use serde_json::{Value, json};

use super::output::{Change, ChangeKind, Diff, DiffStatus, DiffSummary, Hunk};
use crate::billing::{Difference, Object, Provider};
use crate::json::pretty;
use crate::record::File;

/// Notes of a preview; the diffs have the rest.
const NOTED: usize = 6;

/// One line per difference, and how many there are beyond the first ones.
pub fn notes<'d>(differences: impl Iterator<Item = (Object, &'d Difference)>) -> Vec<String> {
    let side = |value: &Option<String>| value.clone().unwrap_or_else(|| "absent".into());
    let mut notes: Vec<String> = differences
        .map(|(object, found)| {
            format!("{}.{}: {} -> {}", object.key(), found.path, side(&found.before), side(&found.after))
        })
        .collect();
    if notes.len() > NOTED {
        let more = notes.len() - (NOTED - 1);
        notes.truncate(NOTED - 1);
        notes.push(format!("{more} more fields differ"));
    }
    notes
}

pub fn diff(path: String, differences: &[Difference]) -> Diff {
    let hunks = differences
        .iter()
        .map(|found| {
            let line = |kind, value: &str| Change { kind, value: value.to_owned() };
            let mut changes = vec![line(ChangeKind::Context, &found.path)];
            changes.extend(found.before.iter().map(|value| line(ChangeKind::Remove, value)));
            changes.extend(found.after.iter().map(|value| line(ChangeKind::Add, value)));
            Hunk { header: format!("@@ {} @@", found.path), changes }
        })
        .collect();
    Diff {
        path,
        status: DiffStatus::Modified,
        summary: DiffSummary {
            additions: differences.iter().filter(|found| found.after.is_some()).count(),
            deletions: differences.iter().filter(|found| found.before.is_some()).count(),
        },
        hunks,
    }
}

/// The file of a comparison; `name` is its path below the folder of the run.
pub fn diff_file(
    name: String,
    object: Object,
    sides: (Provider, Provider),
    differences: &[Difference],
) -> File {
    let document: Value = json!({
        "object": object,
        "before": sides.0,
        "after": sides.1,
        "differences": differences,
    });
    File::new(name, "Fields that differ", pretty(&document))
}

/// The differences as rows of a Markdown table.
pub fn markdown_table(sides: (Provider, Provider), differences: &[Difference]) -> String {
    let cell = |value: &Option<String>| {
        value
            .as_deref()
            .map_or_else(|| "absent".to_owned(), |value| format!("`{}`", value.replace('|', "\\|")))
    };
    let mut text = format!("| field | {} | {} |\n| --- | --- | --- |\n", sides.0.name(), sides.1.name());
    for found in differences {
        text.push_str(&format!("| `{}` | {} | {} |\n", found.path, cell(&found.before), cell(&found.after)));
    }
    text
}
