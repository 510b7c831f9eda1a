//! A changelog from conventional commits.

use crate::repository::Commit;

/// Types of commits with the heading they go under.
const GROUPS: [(&str, &str); 11] = [
    ("feat", "Features"),
    ("fix", "Fixes"),
    ("perf", "Performance"),
    ("refactor", "Refactors"),
    ("docs", "Documentation"),
    ("test", "Tests"),
    ("build", "Build System"),
    ("chore", "Chores"),
    ("ci", "CI"),
    ("style", "Other"),
    ("revert", "Other"),
];

/// The headings in the order of a changelog, after the breaking changes.
const ORDER: [&str; 10] = [
    "Features",
    "Fixes",
    "Performance",
    "Refactors",
    "Documentation",
    "Tests",
    "Build System",
    "Chores",
    "CI",
    "Other",
];

/// Commits that are named in a warning.
const NAMED: usize = 5;

/// A changelog and what was odd about the commits.
#[derive(Debug, PartialEq, Eq)]
pub struct Changelog {
    pub markdown: String,
    pub warnings: Vec<String>,
}

struct Entry<'a> {
    group: &'static str,
    is_breaking: bool,
    text: String,
    commit: &'a Commit,
}

/// Writes the changelog of some commits; `since` is the tag they follow.
pub fn changelog(commits: &[Commit], since: Option<&str>) -> Changelog {
    let mut odd: Vec<&str> = Vec::new();
    let entries: Vec<Entry> = commits
        .iter()
        .map(|commit| {
            entry(commit).unwrap_or_else(|| {
                odd.push(&commit.subject);
                Entry { group: "Other", is_breaking: false, text: plain(&commit.subject), commit }
            })
        })
        .collect();
    let count = match commits.len() {
        1 => "1 commit".to_owned(),
        many => format!("{many} commits"),
    };
    let mut markdown = match since {
        Some(tag) => format!("# Changelog\n\n{count} since {tag}.\n"),
        None => format!("# Changelog\n\n{count}; there is no earlier release.\n"),
    };
    let mut section = |title: &str, chosen: &dyn Fn(&Entry) -> bool| {
        let lines: Vec<String> = entries
            .iter()
            .filter(|entry| chosen(entry))
            .map(|entry| format!("- {} ({})\n", entry.text, entry.commit.hash.get(..7).unwrap_or_default()))
            .collect();
        if !lines.is_empty() {
            markdown.push_str(&format!("\n## {title}\n\n{}", lines.concat()));
        }
    };
    section("Breaking Changes", &|entry| entry.is_breaking);
    for title in ORDER {
        section(title, &|entry| !entry.is_breaking && entry.group == title);
    }
    let warnings = if odd.is_empty() {
        Vec::new()
    } else {
        let named: Vec<String> = odd.iter().take(NAMED).map(|subject| format!("{subject:?}")).collect();
        let more = if odd.len() > NAMED { format!(" and {} more", odd.len() - NAMED) } else { String::new() };
        vec![format!("{} of {count} have no conventional subject: {}{more}", odd.len(), named.join(", "))]
    };
    Changelog { markdown, warnings }
}

/// Reads `type(scope)!: subject`.
fn entry(commit: &Commit) -> Option<Entry<'_>> {
    let (head, subject) = commit.subject.split_once(": ")?;
    let (head, marked) = head.strip_suffix('!').map_or((head, false), |head| (head, true));
    let (kind, scope) = match head.split_once('(') {
        Some((kind, rest)) => (kind, Some(rest.strip_suffix(')')?)),
        None => (head, None),
    };
    let group = GROUPS.iter().find(|(name, _)| name.eq_ignore_ascii_case(kind))?.1;
    let noted = commit
        .body
        .lines()
        .any(|line| line.starts_with("BREAKING CHANGE: ") || line.starts_with("BREAKING-CHANGE: "));
    let text = match scope {
        Some(scope) => format!("**{}:** {}", plain(scope), plain(subject)),
        None => plain(subject),
    };
    Some(Entry { group, is_breaking: marked || noted, text, commit })
}

/// A subject that cannot open a tag or a link of its own.
fn plain(text: &str) -> String {
    text.replace('<', "&lt;").replace('[', "\\[")
}

#[cfg(test)]
mod tests {
    use super::*;

    fn commit(subject: &str, body: &str) -> Commit {
        Commit { hash: "0123456789".into(), subject: subject.into(), body: body.into() }
    }

    #[test]
    fn commits_are_grouped_with_breaking_ones_first() {
        let commits = [
            commit("fix(tokens): round once", ""),
            commit("feat!: drop node 18", ""),
            commit("feat: charts", ""),
            commit("chore: x", "text\nBREAKING CHANGE: y"),
            commit("Merge the <b>lot</b>", ""),
            commit("feature: y", ""),
        ];
        let found = changelog(&commits, Some("v1.0.0"));
        assert_eq!(
            found.markdown,
            "# Changelog\n\n6 commits since v1.0.0.\n\n## Breaking Changes\n\n- drop node 18 (0123456)\n- x (0123456)\n\
             \n## Features\n\n- charts (0123456)\n\n## Fixes\n\n- **tokens:** round once (0123456)\n\
             \n## Other\n\n- Merge the &lt;b>lot&lt;/b> (0123456)\n- feature: y (0123456)\n"
        );
        assert_eq!(
            found.warnings,
            ["2 of 6 commits have no conventional subject: \"Merge the <b>lot</b>\", \"feature: y\""]
        );
        assert!(changelog(&[], None).warnings.is_empty());
    }
}
