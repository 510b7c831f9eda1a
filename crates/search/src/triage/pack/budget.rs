//! Fitting a pack into its budget: the longest list gives first, the finding itself last.

use super::Pack;

/// A list is not cut below this while another one is longer.
const LEAST: usize = 3;

/// Leaves out items, a quarter of the longest list at a time, until the pack fits.
pub fn fit(pack: &mut Pack) {
    loop {
        pack.budget.used_bytes = size(pack);
        if pack.budget.used_bytes <= pack.budget.max_bytes || !shorten(pack) {
            return;
        }
    }
}

fn size(value: &impl serde::Serialize) -> usize {
    serde_json::to_vec(value).map_or(0, |bytes| bytes.len())
}

/// Makes the pack smaller; false when nothing can be left out any more.
fn shorten(pack: &mut Pack) -> bool {
    let evidence = &mut pack.repo_evidence;
    let lists = [
        ("dependencies", size(&evidence.dependencies), evidence.dependencies.len()),
        ("imports", size(&evidence.imports), evidence.imports.len()),
        ("callSites", size(&evidence.call_sites), evidence.call_sites.len()),
        ("tests", size(&evidence.tests), evidence.tests.len()),
        ("related", size(&pack.related), pack.related.len()),
        ("history", size(&pack.history), pack.history.len().saturating_sub(1)),
        ("codeowners", size(&pack.owners.codeowners), pack.owners.codeowners.len()),
        ("references", size(&pack.finding.vuln.references), pack.finding.vuln.references.len()),
    ];
    let long = lists.iter().filter(|list| list.2 > LEAST).max_by_key(|list| list.1);
    if let Some((name, _, length)) =
        long.or_else(|| lists.iter().filter(|list| list.2 > 0).max_by_key(|list| list.1))
        && (*length > LEAST || pack.finding.vuln.description.is_empty())
    {
        let kept = length - length.div_ceil(4);
        match *name {
            "dependencies" => evidence.dependencies.truncate(kept),
            "imports" => evidence.imports.truncate(kept),
            "callSites" => evidence.call_sites.truncate(kept),
            "tests" => evidence.tests.truncate(kept),
            "related" => pack.related.truncate(kept),
            "history" => pack.history.truncate(kept + 1),
            "codeowners" => pack.owners.codeowners.truncate(kept),
            _ => pack.finding.vuln.references.truncate(kept),
        }
        *pack.budget.omitted.entry(name).or_default() += length - kept;
        return true;
    }
    let description = &mut pack.finding.vuln.description;
    if !description.is_empty() {
        let kept = description.chars().count() / 2;
        *pack.budget.omitted.entry("descriptionChars").or_default() += description.chars().count() - kept;
        *description = if kept < 40 { String::new() } else { super::super::record::cut(description, kept) };
        return true;
    }
    false
}
