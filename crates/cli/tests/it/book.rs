//! The book holds together: every page is in its summary, every link leads somewhere, every example is one.

use std::collections::BTreeSet;
use std::path::{Path, PathBuf};

use crate::site::{Site, workspace};

fn docs() -> PathBuf {
    workspace().join("docs")
}

/// The targets of links and pictures in a page, without those in blocks of code.
fn links(page: &str) -> Vec<String> {
    let mut is_code = false;
    let mut links = Vec::new();
    for line in page.lines() {
        if line.starts_with("```") {
            is_code = !is_code;
        }
        let mut rest = if is_code { "" } else { line };
        while let Some((_, after)) = rest.split_once("](") {
            let (target, after) = after.split_once(')').unwrap_or((after, ""));
            links.push(target.to_owned());
            rest = after;
        }
    }
    links
}

/// The name mdBook and GitHub give a heading.
fn anchor(heading: &str) -> String {
    let kept = heading.chars().filter(|c| c.is_alphanumeric() || [' ', '-', '_'].contains(c));
    kept.collect::<String>().trim().to_lowercase().replace(' ', "-")
}

fn pages(dir: &Path) -> Vec<PathBuf> {
    let mut pages = Vec::new();
    for entry in std::fs::read_dir(dir).unwrap().map(Result::unwrap) {
        let path = entry.path();
        match path.is_dir() {
            true => pages.extend(self::pages(&path)),
            false if path.extension().is_some_and(|extension| extension == "md") => pages.push(path),
            false => {}
        }
    }
    pages
}

#[test]
fn every_page_is_in_the_summary_and_the_summary_names_no_other() {
    let summary = std::fs::read_to_string(docs().join("SUMMARY.md")).unwrap();
    let listed: BTreeSet<PathBuf> = links(&summary).iter().map(|link| docs().join(link)).collect();
    let mut there: BTreeSet<PathBuf> = pages(&docs()).into_iter().collect();
    there.remove(&docs().join("SUMMARY.md"));
    assert_eq!(listed, there, "run scripts/generate, or name the page in docs/SUMMARY.md");
}

#[test]
fn every_link_leads_somewhere() {
    let outside = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md"].map(|name| workspace().join(name));
    for page in pages(&docs()).into_iter().chain(outside) {
        let text = std::fs::read_to_string(&page).unwrap();
        for link in links(&text).iter().filter(|link| !link.contains("://")) {
            let (file, place) = link.split_once('#').unwrap_or((link, ""));
            let target = if file.is_empty() { page.clone() } else { page.parent().unwrap().join(file) };
            assert!(target.exists(), "{}: {link}", page.display());
            if !place.is_empty() {
                let text = std::fs::read_to_string(&target).unwrap();
                let headings = text.lines().filter(|line| line.starts_with('#'));
                let is_there =
                    headings.map(|line| anchor(line.trim_start_matches('#'))).any(|name| name == place);
                assert!(is_there, "{}: {link}", page.display());
            }
        }
    }
}

#[test]
fn the_examples_of_commands_are_commands() {
    let page = std::fs::read_to_string(docs().join("reference/commands.md")).unwrap();
    let site = Site::new();
    let mut checked = 0;
    for line in page.lines().filter_map(|line| line.strip_prefix("mainstay ")) {
        // A line that shows the shape of a command is no example.
        if line.contains(['[', '…']) || line.chars().any(char::is_uppercase) {
            continue;
        }
        for part in line.split("&& mainstay ") {
            let command = format!("'{}' {part} --help", crate::site::MAINSTAY);
            let ran = site.ran(site.program("sh").args(["-c", &command]));
            // `call` passes on what it does not know, and a tool has no help.
            if !part.starts_with("call ") {
                assert_eq!(ran.exit, 0, "{part}: {}", ran.transcript());
                checked += 1;
            }
        }
    }
    assert!(checked >= 15, "{checked}");
}
