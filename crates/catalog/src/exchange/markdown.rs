//! A Markdown document cut into sections at its second-level headings.

use crate::entry::Requirement;
use crate::text::js_trim;

/// Longest id made from a heading; leaves room for a number.
const MAX_SLUG: usize = 80;

/// One section.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Section {
    pub title: String,
    pub body: String,
    /// The id and requirement that an exported document notes under the heading.
    noted_id: Option<String>,
    pub requirement: Option<Requirement>,
}

impl Section {
    pub fn id(&self, prefix: &str) -> String {
        match &self.noted_id {
            Some(id) => id.clone(),
            None => format!("{prefix}-{}", slug(&self.title)),
        }
    }
}

/// Cuts a document. Text before the first section becomes one too, titled by the document's heading or `label`.
pub(super) fn sections(text: &str, label: &str) -> Vec<Section> {
    let mut sections = Vec::new();
    let mut title = label.to_owned();
    let mut lines: Vec<&str> = Vec::new();
    let mut fence: Option<&str> = None;
    for line in text.lines() {
        let start = line.trim_start();
        let mark = ["```", "~~~"].into_iter().find(|mark| start.starts_with(mark));
        match (fence, mark) {
            (None, Some(mark)) => fence = Some(mark),
            (Some(open), Some(mark)) if open == mark => fence = None,
            _ => {}
        }
        if fence.is_none() && mark.is_none() {
            if let Some(heading) = line.strip_prefix("## ") {
                sections.extend(section(&title, &lines));
                title = heading.trim().trim_end_matches('#').trim().to_owned();
                lines.clear();
                continue;
            }
            if let Some(heading) = line.strip_prefix("# ")
                && sections.is_empty()
                && lines.iter().all(|line| line.trim().is_empty())
            {
                title = heading.trim().to_owned();
                continue;
            }
        }
        lines.push(line);
    }
    sections.extend(section(&title, &lines));
    sections
}

fn section(title: &str, lines: &[&str]) -> Option<Section> {
    let mut section =
        Section { title: title.to_owned(), body: String::new(), noted_id: None, requirement: None };
    let first = lines.iter().position(|line| !line.trim().is_empty())?;
    let mut rest = &lines[first..];
    let comment = rest[0].trim().strip_prefix("<!--").and_then(|text| text.strip_suffix("-->"));
    if let Some(comment) = comment {
        rest = &rest[1..];
        for (key, value) in comment.split(';').filter_map(|fact| fact.split_once(':')) {
            let value = value.trim();
            match key.trim() {
                "id" if crate::draft::check_id(value).is_ok() => section.noted_id = Some(value.to_owned()),
                "requirement" => section.requirement = Requirement::parse(value),
                _ => {}
            }
        }
    }
    section.body = js_trim(&rest.join("\n")).to_owned();
    (!section.body.is_empty()).then_some(section)
}

fn slug(title: &str) -> String {
    let mut slug = String::new();
    for c in title.chars().flat_map(char::to_lowercase) {
        match c {
            'a'..='z' | '0'..='9' => slug.push(c),
            _ if slug.ends_with('-') || slug.is_empty() => {}
            _ => slug.push('-'),
        }
        if slug.len() >= MAX_SLUG {
            break;
        }
    }
    match slug.trim_end_matches('-') {
        "" => "section".to_owned(),
        slug => slug.to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn cut(text: &str) -> Vec<(String, String)> {
        sections(text, "label").into_iter().map(|section| (section.id("x"), section.body)).collect()
    }

    #[test]
    fn sections_start_at_second_level_headings_outside_code() {
        let text = "# Project\n\nIntro.\n\n## Build & Test\nRun it.\n\n```sh\n## not a heading\n```\n### Deeper\nMore.\n## Empty\n\n## Ünïcode\nx";
        assert_eq!(
            cut(text),
            [
                ("x-project".to_owned(), "Intro.".to_owned()),
                (
                    "x-build-test".to_owned(),
                    "Run it.\n\n```sh\n## not a heading\n```\n### Deeper\nMore.".to_owned()
                ),
                ("x-n-code".to_owned(), "x".to_owned()),
            ]
        );
        assert_eq!(cut("just text"), [("x-label".to_owned(), "just text".to_owned())]);
        assert_eq!(cut("## !!!\ny"), [("x-section".to_owned(), "y".to_owned())]);
        assert!(cut("# Only a title\n").is_empty());
    }

    #[test]
    fn an_exported_section_keeps_its_id() {
        let text = "## T\n<!-- id: house-style; requirement: mandatory -->\n\nBody";
        assert_eq!(cut(text), [("house-style".to_owned(), "Body".to_owned())]);
        assert_eq!(sections(text, "")[0].requirement, Some(Requirement::Mandatory));
    }
}
