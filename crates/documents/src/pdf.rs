//! PDF: the text of each page in reading order.

use pdf_extract::OutputError;

use crate::Failure;

/// Further pages are left out.
const MAX_PAGES: usize = 5_000;

pub fn text(bytes: &[u8]) -> Result<String, Failure> {
    let pages = pdf_extract::extract_text_from_mem_by_pages(bytes).map_err(|error| failure(&error))?;
    let pages: Vec<String> = pages.iter().take(MAX_PAGES).map(|page| tidy(page)).collect();
    // A locked document may look like one without text.
    let is_empty = pages.iter().all(|page| page.trim().is_empty());
    if is_empty && bytes.windows(8).any(|window| window == b"/Encrypt") {
        return Err(Failure::Encrypted);
    }
    Ok(pages.join("\u{c}"))
}

fn failure(error: &OutputError) -> Failure {
    let said = error.to_string().to_lowercase();
    let is_locked = ["encrypt", "decrypt", "password"].iter().any(|word| said.contains(word));
    if is_locked { Failure::Encrypted } else { Failure::Failed }
}

/// Lines without blanks at their end, and no more than one empty line in a row.
fn tidy(page: &str) -> String {
    let mut out = String::with_capacity(page.len());
    let mut empty = 0;
    for line in page.replace('\u{c}', "\n").lines().map(str::trim_end) {
        empty = if line.is_empty() { empty + 1 } else { 0 };
        if empty < 2 {
            out.push_str(line);
            out.push('\n');
        }
    }
    let tidy = out.trim_matches('\n');
    format!("{tidy}\n")
}
