//! What a run leaves: figures as JSON, and a page with before, after and the difference.

use std::fmt::Write;

use serde_json::{Value, json};

use super::{Key, Outcome, Verdict};
use crate::json::pretty;
use crate::picture::Picture;
use crate::record::File;
use crate::render::escape;
use crate::report;

/// Moves the edge between the two pictures; without scripts both halves still show.
pub const SCRIPT: &str = "\
for (const range of document.querySelectorAll('.slider input')) {\n\
  const stack = range.closest('.slider').querySelector('.stack');\n\
  const move = () => stack.style.setProperty('--at', range.value + '%');\n\
  range.addEventListener('input', move);\n\
  move();\n\
}\n";

/// The figures of a run.
pub fn summary(outcome: &Outcome) -> Value {
    let list = |wanted: fn(&Verdict) -> bool| -> Vec<Value> {
        let found = outcome.verdicts.iter().filter(|(_, verdict)| wanted(verdict));
        found
            .map(|(key, verdict)| {
                let mut entry = json!({ "brand": key.brand, "theme": key.theme, "id": key.id });
                if let Verdict::Changed { difference, .. } = verdict {
                    entry["pixels"] = difference.pixels.into();
                    entry["ratio"] = ((difference.ratio * 1e6).round() / 1e6).into();
                }
                entry
            })
            .collect()
    };
    let changed = list(|verdict| matches!(verdict, Verdict::Changed { .. }));
    json!({
        "specimens": outcome.count(|verdict| !matches!(verdict, Verdict::Removed { .. })),
        "diffs": changed.len(),
        "changed": changed,
        "added": list(|verdict| matches!(verdict, Verdict::Added { .. })),
        "removed": list(|verdict| matches!(verdict, Verdict::Removed { .. })),
        "comparedWith": outcome.compared_with,
        "browser": outcome.current.browser,
        "notes": outcome.notes,
    })
}

/// The report and the pictures it shows.
pub fn files(outcome: &Outcome) -> Vec<File> {
    let mut files = vec![File::new("vrt-summary.json", "Figures of the run", pretty(&summary(outcome)))];
    let mut body = figures(outcome);
    for note in &outcome.notes {
        let _ = writeln!(body, "<p>{} {}</p>", report::tag("warn", "Note"), escape(note));
    }
    body.push_str(&changes(outcome, &mut files));
    if outcome.is_clean() {
        body.push_str(match outcome.compared_with {
            Some(_) => "<p>Every specimen looks as it did.</p>\n",
            None => "<p>This run made the pictures that later runs are compared with.</p>\n",
        });
    }
    let lead = match &outcome.compared_with {
        Some(place) => format!("Compared with {place}. {}.", outcome.current.browser),
        None => format!("First run. {}.", outcome.current.browser),
    };
    files.push(File::new(
        "report.html",
        "The comparison, to look at",
        report::page("Visual regression", &lead, &body, SCRIPT),
    ));
    files
}

/// What differs, as sections of a page; their pictures are added to `files`.
pub fn changes(outcome: &Outcome, files: &mut Vec<File>) -> String {
    let mut body = String::new();
    for (key, verdict) in &outcome.verdicts {
        let name = key.file_name();
        let mut picture = |state: &'static str, purpose, bytes: Vec<u8>| {
            let file = format!("diffs/{name}-{state}.png");
            files.push(File::new(file.clone(), purpose, bytes));
            file
        };
        match verdict {
            Verdict::Same => {}
            Verdict::Changed { before, after, difference } => {
                let share = format!("{} pixels, {:.2} %", difference.pixels, difference.ratio * 100.0);
                let size = |picture: &Picture| format!("{} × {}", picture.width, picture.height);
                let moved = match (size(before), size(after)) {
                    (old, new) if old == new => String::new(),
                    (old, new) => format!(", {old} became {new}"),
                };
                let old = picture("before", "The specimen before", before.png());
                let new = picture("after", "The specimen now", after.png());
                let marked = picture("diff", "What differs, in red", difference.picture.png());
                let shown = comparison(&key.id, &old, &new, &marked);
                section(&mut body, key, &report::tag("bad", "Changed"), &format!("{share}{moved}"), &shown);
            }
            Verdict::Added { after } => {
                let new = picture("after", "The specimen now", after.png());
                let shown = format!("<figure><img src=\"{new}\" alt=\"{} now\"></figure>\n", escape(&key.id));
                section(&mut body, key, &report::tag("warn", "New"), "no picture to compare with", &shown);
            }
            Verdict::Removed { before } => {
                let old = picture("before", "The specimen before", before.png());
                let shown =
                    format!("<figure><img src=\"{old}\" alt=\"{} before\"></figure>\n", escape(&key.id));
                let detail = "the kit does not have it any more";
                section(&mut body, key, &report::tag("warn", "Gone"), detail, &shown);
            }
        }
    }
    body
}

fn figures(outcome: &Outcome) -> String {
    let count = |wanted: fn(&Verdict) -> bool| outcome.count(wanted).to_string();
    report::figures(&[
        ("Specimens", count(|verdict| !matches!(verdict, Verdict::Removed { .. }))),
        ("Changed", count(|verdict| matches!(verdict, Verdict::Changed { .. }))),
        ("New", count(|verdict| matches!(verdict, Verdict::Added { .. }))),
        ("Gone", count(|verdict| matches!(verdict, Verdict::Removed { .. }))),
    ])
}

fn section(body: &mut String, key: &Key, tag: &str, detail: &str, shown: &str) {
    let _ = write!(
        body,
        "<section class=\"panel\">\n<div class=\"head\"><h2 style=\"margin:0\">{}</h2> {tag} <span class=\"quiet\">brand {}, theme {}: {}</span></div>\n{shown}</section>\n",
        escape(&key.id),
        escape(&key.brand),
        escape(&key.theme),
        escape(detail),
    );
}

fn comparison(id: &str, before: &str, after: &str, marked: &str) -> String {
    let id = escape(id);
    format!(
        "<div class=\"comparison\">\n<div class=\"slider\">\n<div class=\"stack\"><img src=\"{before}\" alt=\"{id} before\"><img class=\"after\" src=\"{after}\" alt=\"{id} now\"></div>\n\
         <label>Before and now <input type=\"range\" min=\"0\" max=\"100\" value=\"50\" aria-label=\"Edge between before and now of {id}\"></label>\n</div>\n\
         <figure><img src=\"{marked}\" alt=\"What differs in {id}\"><figcaption>What differs</figcaption></figure>\n</div>\n"
    )
}
