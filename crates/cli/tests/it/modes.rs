//! The modes of `search`: prose, what is extracted from code and documents, records, and their sums.

use std::io::Write as _;

use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

use crate::site::Site;

/// A PDF with these lines on its pages; `trailer` goes into the trailer.
fn pdf(pages: &[&[&str]], trailer: &str) -> Vec<u8> {
    let show = |lines: &[&str]| {
        let shown: Vec<String> = lines.iter().map(|line| format!("({line}) Tj T*\n")).collect();
        format!("BT /F1 12 Tf 72 720 Td 14 TL\n{}ET", shown.concat())
    };
    let kids: Vec<String> = (0..pages.len()).map(|at| format!("{} 0 R", 4 + 2 * at)).collect();
    let mut objects = vec![
        "<< /Type /Catalog /Pages 2 0 R >>".to_owned(),
        format!("<< /Type /Pages /Kids [{}] /Count {} >>", kids.join(" "), pages.len()),
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica /Encoding /WinAnsiEncoding >>".to_owned(),
    ];
    for (at, lines) in pages.iter().enumerate() {
        let content = show(lines);
        objects.push(format!(
            "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >> \
             /Contents {} 0 R >>",
            5 + 2 * at
        ));
        objects.push(format!("<< /Length {} >>\nstream\n{content}\nendstream", content.len()));
    }
    let mut out = "%PDF-1.4\n".to_owned();
    let mut table = String::new();
    for (at, object) in objects.iter().enumerate() {
        table.push_str(&format!("{:010} 00000 n \n", out.len()));
        out.push_str(&format!("{} 0 obj\n{object}\nendobj\n", at + 1));
    }
    let size = objects.len() + 1;
    let start = out.len();
    out.push_str(&format!(
        "xref\n0 {size}\n0000000000 65535 f \n{table}trailer\n<< /Size {size} /Root 1 0 R {trailer} >>\n\
         startxref\n{start}\n%%EOF\n"
    ));
    out.into_bytes()
}

/// A DOCX whose main part is this XML.
fn docx(xml: &[u8]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    let options = SimpleFileOptions::default();
    archive.start_file("[Content_Types].xml", options).unwrap();
    archive.write_all(b"<Types/>").unwrap();
    archive.start_file("word/document.xml", options).unwrap();
    archive.write_all(xml).unwrap();
    archive.finish().unwrap().into_inner()
}

fn paragraphs(list: &[(&str, &str)]) -> Vec<u8> {
    let one = |(style, text): &(&str, &str)| {
        format!("<w:p><w:pPr><w:pStyle w:val=\"{style}\"/></w:pPr><w:r><w:t>{text}</w:t></w:r></w:p>")
    };
    let body: String = list.iter().map(one).collect();
    format!("<?xml version=\"1.0\"?><w:document xmlns:w=\"w\"><w:body>{body}</w:body></w:document>")
        .into_bytes()
}

fn put(site: &Site, path: &str, bytes: &[u8]) {
    site.write(path, "");
    std::fs::write(site.repo().join(path), bytes).unwrap();
}

fn site() -> Site {
    let site = Site::new()
        .file("src/lib.rs", "//! Keeps the lantern inventory of the whole museum.\n\nuse std::io;\n\n/// Counts every lantern that the visitors left behind.\npub fn count() -> usize {\n    // lantern inside of the body of a function\n    0\n}\n\n/// lantern\npub fn short() {}\n\n// SPDX-License-Identifier: lantern and many other words\npub fn licensed() {}\n")
        .file("app.py", "def light(lantern):\n    \"\"\"Lights one lantern and says who asked for it.\"\"\"\n    return lantern\n")
        .file("notes.md", "# Lantern notes\n\nA lantern in Markdown.\n")
        .file("guide.rst", "Guide\n=====\n\nA lantern in reStructuredText.\n")
        .file("book.adoc", "= Book\n\nA lantern in AsciiDoc.\n")
        .file("plain.txt", "A lantern in a text.\n")
        .file("page.html", "<html><body><p>A lantern in HTML.</p></body></html>\n")
        .file("data.json", "{\"lantern\": 1}\n");
    put(
        &site,
        "report.pdf",
        &pdf(&[&["Cover of the report"], &["A lantern in a PDF,", "on its second page."]], ""),
    );
    let word = [("Heading1", "Storage &amp; care"), ("Normal", "A lantern in a DOCX file.")];
    put(&site, "letter.docx", &docx(&paragraphs(&word)));
    site
}

/// The payload of a search.
fn search(site: &Site, flags: &[&str]) -> Value {
    let ran = site.run(["search", "--json", "-n", "20"].into_iter().chain(flags.iter().copied()));
    let answer = ran.json();
    assert_eq!(answer["ok"], true, "{flags:?}: {answer}");
    answer["result"]["search"].clone()
}

fn files(found: &Value, mode: &str) -> Vec<String> {
    let mut files: Vec<String> =
        found[mode].as_array().unwrap().iter().map(|hit| hit["file"].as_str().unwrap().to_owned()).collect();
    files.sort();
    files.dedup();
    files
}

const CODE: &[&str] = &["app.py", "data.json", "src/lib.rs"];
const PROSE: &[&str] = &["book.adoc", "guide.rst", "notes.md", "page.html", "plain.txt"];
const EXTRACTED: &[&str] = &["app.py", "letter.docx", "report.pdf", "src/lib.rs"];

#[test]
fn each_mode_searches_what_it_is_about() {
    let site = site();
    let none: &[&str] = &[];
    for (flags, code, prose, extracted) in [
        (&["lantern"][..], CODE, PROSE, EXTRACTED),
        (&["lantern", "--mode", "both"], CODE, PROSE, EXTRACTED),
        (&["lantern", "--mode", "all"], CODE, PROSE, EXTRACTED),
        (&["lantern", "--mode", "code"], CODE, none, none),
        (&["lantern", "--mode", "prose"], none, PROSE, EXTRACTED),
        (&["lantern", "--mode", "extracted-prose"], none, none, EXTRACTED),
        (&["lantern", "--mode", "records"], none, none, none),
        (&["lantern", "--mode", "extracted-prose", "--lang", "rust"], none, none, &["src/lib.rs"]),
        (&["lantern", "--mode", "extracted-prose", "--ext", "pdf"], none, none, &["report.pdf"]),
        (&["\"lantern in a DOCX\"", "--mode", "extracted-prose"], none, none, &["letter.docx"]),
        (&["\"lantern inside\"", "--mode", "extracted-prose"], none, none, none),
        (&["/lantern.* who asked/", "--mode", "extracted-prose"], none, none, &["app.py"]),
    ] {
        let found = search(&site, flags);
        let seen = (files(&found, "code"), files(&found, "prose"), files(&found, "extractedProse"));
        assert_eq!(
            (&seen.0[..], &seen.1[..], &seen.2[..]),
            (as_text(code), as_text(prose), as_text(extracted)),
            "{flags:?}"
        );
        assert_eq!(
            found["total"]["extractedProse"],
            found["extractedProse"].as_array().unwrap().len(),
            "{flags:?}"
        );
    }
}

fn as_text(list: &'static [&'static str]) -> &'static [String] {
    list.iter().map(|one| (*one).to_owned()).collect::<Vec<_>>().leak()
}

#[test]
fn comments_are_shown_by_themselves_and_documents_by_page() {
    let site = site();
    let found = search(&site, &["lantern", "--mode", "extracted-prose"]);
    let hits = found["extractedProse"].as_array().unwrap();
    let mut seen: Vec<(String, String, u64, u64)> = hits
        .iter()
        .map(|hit| {
            let text = |key: &str| hit[key].as_str().unwrap_or_default().to_owned();
            (text("file"), text("name"), hit["startLine"].as_u64().unwrap(), hit["endLine"].as_u64().unwrap())
        })
        .collect();
    seen.sort();
    let seen: Vec<(&str, &str, u64, u64)> =
        seen.iter().map(|(file, name, from, to)| (file.as_str(), name.as_str(), *from, *to)).collect();
    assert_eq!(
        seen,
        [
            ("app.py", "light", 2, 2),
            ("letter.docx", "Storage & care", 1, 4),
            ("report.pdf", "page 2", 2, 3),
            ("src/lib.rs", "", 1, 1),
            ("src/lib.rs", "count", 5, 5),
        ]
    );
    let page = hits.iter().find(|hit| hit["file"] == "report.pdf").unwrap();
    assert_eq!(page["snippet"]["text"], "A lantern in a PDF,");
    // A document that is new or changed is read before the next build.
    put(&site, "late.docx", &docx(&paragraphs(&[("Normal", "Another lantern came late.")])));
    put(&site, "report.pdf", &pdf(&[&["Nothing that shines is in this one."]], ""));
    let found = search(&site, &["lantern", "--mode", "extracted-prose"]);
    assert_eq!(files(&found, "extractedProse"), ["app.py", "late.docx", "letter.docx", "src/lib.rs"]);
}

#[test]
fn documents_that_cannot_be_read_are_counted_and_harm_nothing() {
    let site = site();
    let whole = pdf(&[&["A lantern that is cut off."]], "");
    put(&site, "bad/cut.pdf", &whole[..whole.len() / 2]);
    put(&site, "bad/junk.pdf", &[b"%PDF-1.7\n", &[0xFFu8, 0x00, 0x5B].repeat(5_000)[..]].concat());
    let deep = format!("{}{}", "[".repeat(100_000), "]".repeat(100_000));
    put(&site, "bad/deep.pdf", &pdf(&[&[&format!("lantern) Tj {deep} TJ (lantern")]], ""));
    let lock = format!(
        "/Encrypt << /Filter /Standard /V 2 /R 3 /Length 128 /P -4 /O <{}> /U <{}> >> /ID [<01><02>]",
        "41".repeat(32),
        "42".repeat(32)
    );
    put(&site, "bad/locked.pdf", &pdf(&[&["A secret lantern."]], &lock));
    put(&site, "bad/scan.pdf", &pdf(&[&[]], ""));
    put(&site, "bad/locked.docx", &[&[0xD0u8, 0xCF, 0x11, 0xE0][..], &[0; 600]].concat());
    put(&site, "bad/not-word.docx", b"PK\x03\x04 and then nothing that is an archive");
    put(&site, "bad/broken.docx", &docx(b"<w:document><w:p><w:t>lantern</w:p>"));
    let bomb = [&b"<w:document><w:p><w:t>"[..], &vec![b'a'; 80 << 20], b"</w:t></w:p></w:document>"].concat();
    put(&site, "bad/bomb.docx", &docx(&bomb));
    let entities = "<!DOCTYPE x [<!ENTITY a \"lantern\"><!ENTITY b \"&a;&a;&a;\">]><w:document><w:p><w:t>&b;</w:t></w:p></w:document>";
    put(&site, "bad/entities.docx", &docx(entities.as_bytes()));
    for _ in 0..2 {
        let built = site.run(["index", "build", "--json"]).json();
        assert_eq!(built["ok"], true, "{built}");
        let skipped = &built["result"]["skipped"];
        assert_eq!(
            skipped,
            &json!({
                "oversized": 1, "unsupported_encrypted": 2, "unsupported_scanned": 2, "extract_failed": 5,
            }),
            "{built}"
        );
    }
    let found = search(&site, &["lantern", "--mode", "extracted-prose"]);
    assert_eq!(files(&found, "extractedProse"), EXTRACTED);
    // One that takes too long is given up, once: the next build knows.
    let lines = vec!["lantern"; 300_000];
    put(&site, "bad/slow.pdf", &pdf(&[&lines], ""));
    for flags in [&["--document-timeout-ms", "200"][..], &[]] {
        let built = site.run(["index", "build", "--json"].into_iter().chain(flags.iter().copied())).json();
        assert_eq!(built["result"]["skipped"]["extract_timeout"], 1, "{built}");
    }
    // Without the setting they are what they were: binary files.
    let plain = Site::new().file("a.py", "x = 1\n");
    put(&plain, "report.pdf", &pdf(&[&["A lantern in a PDF."]], ""));
    let built = plain.run(["index", "build", "--json", "--documents=false"]).json();
    assert_eq!(built["result"]["files"], 2, "{built}");
    assert!(files(&search(&plain, &["lantern", "--documents=false"]), "extractedProse").is_empty());
}
