//! `index.html` of a review: what changed first, then everything to look at.

use std::fmt::Write;

use super::{How, Review};
use crate::kit::Kit;
use crate::record::File;
use crate::report::{self, figures, page, swatch, table, tag, text};
use crate::scan;
use crate::vrt::{self, Verdict};

/// Rows a table shows; the data files have all.
const MAX_ROWS: usize = 500;

pub fn index(review: &Review, kit: &Kit, shown: &[(String, String)], files: &mut Vec<File>) -> String {
    let (summary, notes) = review.sentences();
    let mut body = String::new();
    body.push_str("<nav aria-label=\"Sections\"><ul>");
    for (id, name) in [
        ("tokens", "Tokens"),
        ("components", "Components"),
        ("pictures", "What looks different"),
        ("specimens", "Specimens"),
        ("accessibility", "Accessibility"),
        ("audit", "Audit"),
    ] {
        let _ = write!(body, "<li><a href=\"#{id}\">{name}</a></li>");
    }
    body.push_str("</ul></nav>\n");
    let different = match &review.pictures {
        Ok(outcome) if review.compared.is_ok() => {
            outcome.count(|verdict| !matches!(verdict, Verdict::Same)).to_string()
        }
        _ => "–".into(),
    };
    body.push_str(&figures(&[
        ("Tokens changed", review.tokens.len().to_string()),
        ("Components changed", review.components.len().to_string()),
        ("Look different", different),
        ("Contrast failures", review.scan.summary.failed.to_string()),
    ]));
    body.push_str("<ul>\n");
    for note in &notes {
        let _ = writeln!(body, "<li>{}</li>", text(note));
    }
    body.push_str("</ul>\n");
    tokens(review, &mut body);
    components(review, &mut body);
    pictures(review, files, &mut body);
    specimens(kit, shown, &mut body);
    let _ = write!(body, "<h2 id=\"accessibility\">Accessibility</h2>\n{}", scan::body(&review.scan));
    audit(review, &mut body);
    page(&format!("Review of {}", review.title), &summary, &body, vrt::SCRIPT)
}

fn nothing(review: &Review, what: &str) -> String {
    match &review.compared {
        Ok(revision) => format!("<p>No {what} differs from {}.</p>\n", text(revision)),
        Err(reason) => format!("<p>{} {}.</p>\n", tag("warn", "Not compared"), text(reason)),
    }
}

fn how(how: How) -> String {
    match how {
        How::Added => tag("good", "added"),
        How::Removed => tag("bad", "removed"),
        How::Changed => tag("warn", "changed"),
    }
}

fn tokens(review: &Review, body: &mut String) {
    body.push_str("<h2 id=\"tokens\">Tokens</h2>\n");
    if review.tokens.is_empty() {
        body.push_str(&nothing(review, "token"));
        return;
    }
    let value = |value: &Option<String>| value.as_deref().map_or("–".into(), swatch);
    let rows: Vec<Vec<String>> = review
        .tokens
        .iter()
        .flat_map(|change| {
            change.values.iter().map(|values| {
                vec![
                    format!("<code>{}</code>", text(&change.path)),
                    how(change.change),
                    value(&values.before),
                    value(&values.after),
                    text(&values.places.join(", ")),
                ]
            })
        })
        .take(MAX_ROWS)
        .collect();
    body.push_str(&table("Tokens that differ", &["Token", "", "Before", "Now", "Brand/theme"], &rows));
    if rows.len() == MAX_ROWS {
        body.push_str("<p class=\"quiet\">All are in tokens.diff.json.</p>\n");
    }
}

fn components(review: &Review, body: &mut String) {
    body.push_str("<h2 id=\"components\">Components</h2>\n");
    if review.components.is_empty() {
        body.push_str(&nothing(review, "component"));
        return;
    }
    let rows: Vec<Vec<String>> = review
        .components
        .iter()
        .take(MAX_ROWS)
        .map(|change| vec![text(&change.name), how(change.change), text(&change.details.join("; "))])
        .collect();
    body.push_str(&table("Components that differ", &["Component", "", "What"], &rows));
}

fn pictures(review: &Review, files: &mut Vec<File>, body: &mut String) {
    body.push_str("<h2 id=\"pictures\">What looks different</h2>\n");
    match &review.pictures {
        Err(missing) => {
            let _ = writeln!(
                body,
                "<p>{} No pictures: {}. {}</p>",
                tag("warn", missing.code),
                text(&missing.message),
                text(&missing.hint)
            );
        }
        Ok(outcome) if outcome.is_clean() => match &review.compared {
            Ok(_) => body.push_str("<p>Every specimen looks as it did.</p>\n"),
            Err(_) => body.push_str(&nothing(review, "specimen")),
        },
        Ok(outcome) => body.push_str(&vrt::changes(outcome, files)),
    }
}

fn specimens(kit: &Kit, shown: &[(String, String)], body: &mut String) {
    body.push_str("<h2 id=\"specimens\">Specimens</h2>\n<ul class=\"plain\">\n");
    for theme in &kit.manifest.themes {
        let theme = text(theme);
        let _ = writeln!(body, "<li><a href=\"specimens/{theme}.html\">All in theme {theme}</a></li>");
    }
    body.push_str("</ul>\n");
    if !shown.is_empty() {
        body.push_str("<details><summary>Pictures in the default theme</summary>\n<div class=\"gallery\">\n");
        for (id, file) in shown {
            let id = text(id);
            let _ = writeln!(
                body,
                "<figure><img loading=\"lazy\" src=\"{file}\" alt=\"{id}\"><figcaption>{id}</figcaption></figure>"
            );
        }
        body.push_str("</div>\n</details>\n");
    }
}

fn audit(review: &Review, body: &mut String) {
    body.push_str("<h2 id=\"audit\">Audit</h2>\n");
    let summary = &review.audit.summary;
    let _ = writeln!(body, "<p>{}</p>", text(&summary.sentence()));
    let rows: Vec<Vec<String>> = review
        .audit
        .findings
        .iter()
        .take(MAX_ROWS)
        .map(|finding| {
            vec![
                format!("<code>{}:{}</code>", text(&finding.path), finding.place.line),
                format!("<code>{}</code>", text(finding.rule)),
                text(&finding.message),
                format!("<code>{}</code>", text(&finding.snippet)),
            ]
        })
        .collect();
    if !rows.is_empty() {
        body.push_str(&report::table("Drift in the source", &["Place", "Rule", "What", "Line"], &rows));
    }
}
