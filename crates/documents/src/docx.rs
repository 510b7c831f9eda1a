//! DOCX: the paragraphs of the main text and its notes, headings marked as in Markdown.

use std::io::{Cursor, Read};

use quick_xml::Reader;
use quick_xml::events::{BytesStart, Event};
use zip::ZipArchive;

use crate::Failure;

/// The parts of the archive that hold text, in the order of reading.
const PARTS: &[&str] = &["word/document.xml", "word/footnotes.xml", "word/endnotes.xml", "word/comments.xml"];
/// What all parts together may unpack to.
const MAX_XML_BYTES: u64 = 64 << 20;
const MAX_ENTRIES: usize = 10_000;
/// How Office stores what only a password opens.
const COMPOUND_FILE: &[u8] = &[0xD0, 0xCF, 0x11, 0xE0];

pub fn text(bytes: &[u8]) -> Result<String, Failure> {
    if bytes.starts_with(COMPOUND_FILE) {
        return Err(Failure::Encrypted);
    }
    let mut archive = ZipArchive::new(Cursor::new(bytes)).map_err(|_| Failure::Failed)?;
    if archive.len() > MAX_ENTRIES {
        return Err(Failure::Oversized);
    }
    let mut left = MAX_XML_BYTES;
    let mut out = String::new();
    let mut is_document = false;
    for part in PARTS {
        let entry = match archive.by_name(part) {
            Ok(entry) => entry,
            Err(zip::result::ZipError::FileNotFound) => continue,
            Err(_) => return Err(Failure::Failed),
        };
        if entry.encrypted() {
            return Err(Failure::Encrypted);
        }
        // The size an archive states is not believed; what comes out is counted.
        let mut xml = Vec::new();
        entry.take(left + 1).read_to_end(&mut xml).map_err(|_| Failure::Failed)?;
        left = left.checked_sub(xml.len() as u64).ok_or(Failure::Oversized)?;
        paragraphs(&String::from_utf8_lossy(&xml), &mut out)?;
        is_document = true;
    }
    if is_document { Ok(out) } else { Err(Failure::Failed) }
}

/// Appends the text of one part. Entities are the five of XML and numbers; others cannot be defined here.
fn paragraphs(xml: &str, out: &mut String) -> Result<(), Failure> {
    let mut reader = Reader::from_str(xml);
    let mut paragraph = String::new();
    let (mut heading, mut in_text) = (0, false);
    loop {
        match reader.read_event().map_err(|_| Failure::Failed)? {
            Event::Eof => return Ok(()),
            Event::Start(tag) if tag.local_name().as_ref() == "t" => in_text = true,
            Event::End(tag) if tag.local_name().as_ref() == "t" => in_text = false,
            Event::Start(tag) | Event::Empty(tag) => match tag.local_name().as_ref() {
                "tab" => paragraph.push('\t'),
                "br" | "cr" => paragraph.push('\n'),
                "pStyle" => heading = level(&tag),
                _ => {}
            },
            Event::Text(text) if in_text => {
                paragraph.push_str(&text);
            }
            Event::GeneralRef(name) if in_text => paragraph.extend(entity(&name)),
            Event::End(tag) if tag.local_name().as_ref() == "p" => {
                if !paragraph.trim().is_empty() {
                    if heading > 0 {
                        out.push_str(&format!("{} ", "#".repeat(heading)));
                    }
                    out.push_str(paragraph.trim_end());
                    out.push_str("\n\n");
                }
                paragraph.clear();
                heading = 0;
            }
            _ => {}
        }
    }
}

/// How deep a style stands in the outline; 0 for ordinary text.
fn level(tag: &BytesStart<'_>) -> usize {
    let value = tag.attributes().flatten().find(|attribute| attribute.key.local_name().as_ref() == "val");
    let style = value.map(|attribute| attribute.value.to_lowercase());
    let style = style.unwrap_or_default();
    match style.strip_prefix("heading") {
        Some(number) => number.trim().parse().unwrap_or(1).clamp(1, 6),
        None => usize::from(style == "title"),
    }
}

fn entity(name: &str) -> Option<char> {
    match name {
        "amp" => Some('&'),
        "lt" => Some('<'),
        "gt" => Some('>'),
        "quot" => Some('"'),
        "apos" => Some('\''),
        _ => {
            let number = name.strip_prefix('#')?;
            let code = match number.strip_prefix('x') {
                Some(hex) => u32::from_str_radix(hex, 16).ok()?,
                None => number.parse().ok()?,
            };
            char::from_u32(code)
        }
    }
}
