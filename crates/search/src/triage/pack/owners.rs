//! Who answers for files: what CODEOWNERS says, and who changed them.

use std::path::Path;

use ignore::gitignore::{Gitignore, GitignoreBuilder};
use mainstay_contract::Call;
use schemars::JsonSchema;
use serde::Serialize;

use super::text_of;
use crate::Search;
use crate::SearchError;

const PLACES: &[&str] = &["CODEOWNERS", ".github/CODEOWNERS", ".gitlab/CODEOWNERS", "docs/CODEOWNERS"];
const MAX_OWNERS_BYTES: u64 = 3 << 20;
/// Files whose history is looked at; more make git walk longer than anybody waits.
const MAX_FILES: usize = 12;
const MAX_COMMITS: &str = "60";
const MAX_AUTHORS: usize = 5;

/// Who answers for the files of a pack.
#[derive(Debug, Default, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Owners {
    /// What CODEOWNERS says.
    pub codeowners: Vec<Owned>,
    /// Who made the newest commits to those files, most commits first.
    pub git: Vec<Author>,
}

/// Files with the owners one rule gives them.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Owned {
    /// The rule that decides.
    pub pattern: String,
    /// Its owners; empty when the rule takes ownership away.
    pub owners: Vec<String>,
    /// The files it decides about.
    pub files: Vec<String>,
}

/// Somebody who changed the files.
#[derive(Debug, Serialize, JsonSchema)]
#[serde(rename_all = "camelCase")]
pub struct Author {
    /// Name in the commits.
    pub name: String,
    /// Commits among the newest ones.
    pub commits: usize,
    /// The newest of them.
    pub last: String,
}

pub fn find(
    call: &Call,
    search: &Search,
    repo: &Path,
    files: &[String],
    warnings: &mut Vec<String>,
) -> Result<Owners, SearchError> {
    let mut owners = Owners::default();
    if let Some(text) = PLACES.iter().find_map(|place| text_of(repo, place, MAX_OWNERS_BYTES)) {
        owners.codeowners = codeowners(&text, files);
    }
    if files.is_empty() {
        return Ok(owners);
    }
    let mut words =
        vec!["log", "--no-merges", "--no-show-signature", "-n", MAX_COMMITS, "--format=%an%x1f%aI", "--"];
    words.extend(files.iter().take(MAX_FILES).map(String::as_str));
    match search.git.run(call, repo, &words)? {
        Ok(log) => owners.git = authors(&log),
        Err(reason) => warnings.push(format!("no owners from git: {reason}")),
    }
    Ok(owners)
}

fn authors(log: &str) -> Vec<Author> {
    let mut authors: Vec<Author> = Vec::new();
    for (name, date) in log.lines().filter_map(|line| line.split_once('\u{1f}')) {
        match authors.iter_mut().find(|author| author.name == name) {
            Some(author) => author.commits += 1,
            None => authors.push(Author { name: name.to_owned(), commits: 1, last: date.to_owned() }),
        }
    }
    authors.sort_by_key(|author| std::cmp::Reverse(author.commits));
    authors.truncate(MAX_AUTHORS);
    authors
}

/// The last rule that fits a file decides.
fn codeowners(text: &str, files: &[String]) -> Vec<Owned> {
    let rules: Vec<(String, Vec<String>, Gitignore)> = text.lines().filter_map(rule).collect();
    let mut owned: Vec<Owned> = Vec::new();
    for file in files {
        let fits = |rule: &Gitignore| rule.matched_path_or_any_parents(file, false).is_ignore();
        let Some((pattern, owners, _)) = rules.iter().rev().find(|(_, _, rule)| fits(rule)) else { continue };
        match owned.iter_mut().find(|known| known.pattern == *pattern) {
            Some(known) => known.files.push(file.clone()),
            None => owned.push(Owned {
                pattern: pattern.clone(),
                owners: owners.clone(),
                files: vec![file.clone()],
            }),
        }
    }
    owned
}

fn rule(line: &str) -> Option<(String, Vec<String>, Gitignore)> {
    let line = line.split(" #").next().unwrap_or(line).trim();
    // Sections of GitLab, comments, and negations, which CODEOWNERS does not have.
    if line.is_empty() || line.starts_with(['#', '[', '^', '!']) {
        return None;
    }
    let mut words = line.split_whitespace();
    let pattern = words.next()?;
    let mut builder = GitignoreBuilder::new("");
    builder.add_line(None, pattern).ok()?;
    Some((pattern.to_owned(), words.map(str::to_owned).collect(), builder.build().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_last_rule_that_fits_decides() {
        let text = "# all\n* @everyone\n/src/ @core # the heart\n*.md @writers\n/src/free\n[Section]\n";
        let files = ["a.rs", "src/x/y.rs", "src/read.md", "src/free/z.rs"].map(str::to_owned);
        let owned: Vec<(String, String)> = codeowners(text, &files)
            .into_iter()
            .map(|owned| (owned.files.join(","), owned.owners.join(",")))
            .collect();
        let expected = [
            ("a.rs", "@everyone"),
            ("src/x/y.rs", "@core"),
            ("src/read.md", "@writers"),
            ("src/free/z.rs", ""),
        ];
        assert_eq!(owned, expected.map(|(files, owners)| (files.to_owned(), owners.to_owned())));
    }

    #[test]
    fn authors_are_counted() {
        let authors = authors("Ann\u{1f}2026-02-01\nBob\u{1f}2026-01-31\nBob\u{1f}2026-01-01\n");
        assert_eq!(
            (authors[0].name.as_str(), authors[0].commits, authors[0].last.as_str()),
            ("Bob", 2, "2026-01-31")
        );
    }
}
