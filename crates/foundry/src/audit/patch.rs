//! The exact fixes of a file as a patch that `git apply` takes.

use similar::TextDiff;

use super::finding::{Edit, Finding};

/// A patch nobody could review is not written on.
const MAX_PATCH_BYTES: usize = 4 * 1024 * 1024;

/// Adds the exact fixes of one file to a patch.
pub fn append(patch: &mut String, path: &str, text: &str, findings: &[Finding]) {
    let is_plain = !path.contains(['"', '\\', '\n', '\t', ' ']);
    if patch.len() > MAX_PATCH_BYTES || !is_plain {
        return;
    }
    let exact = findings.iter().filter_map(|finding| finding.fix.as_ref()).filter(|fix| fix.exact);
    let mut edits: Vec<&Edit> = exact.flat_map(|fix| &fix.edits).collect();
    edits.sort_by_key(|edit| (edit.range.start, edit.range.end));
    let mut fixed = String::with_capacity(text.len());
    let mut done = 0;
    for edit in edits {
        // Two findings about one place would write it twice.
        let Some(kept) = text.get(done..edit.range.start) else { continue };
        fixed.push_str(kept);
        fixed.push_str(&edit.replacement);
        done = edit.range.end;
    }
    if done == 0 {
        return;
    }
    fixed.push_str(text.get(done..).unwrap_or_default());
    let diff = TextDiff::from_lines(text, fixed.as_str());
    let (before, after) = (format!("a/{path}"), format!("b/{path}"));
    patch.push_str(&diff.unified_diff().context_radius(3).header(&before, &after).to_string());
}
