//! Archives that would do harm are refused before anything of them is in place.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use mainstay_contract::{ErrorCode, Fault};
use serde_json::{Value, json};
use zip::write::SimpleFileOptions;

use crate::origin::{Origin, Page, sha256};
use crate::site::Site;

/// Downloads an archive as a model and looks that a refused one left nothing behind.
fn install(archive: &[u8]) -> Result<Vec<String>, Fault> {
    let (site, origin) = (Site::new(&[]), Origin::start());
    origin.put("/model", Page::of(archive));
    let args = json!({ "model": "m", "url": origin.url("/model"), "sha256": sha256(archive) });
    let done: Result<Value, Fault> = site.call("download_models", args);
    if done.is_err() {
        let left = std::fs::read_dir(site.cache().join("models/m")).into_iter().flatten().count();
        assert_eq!(left, 0, "nothing is left of a refused archive");
        assert!(!site.outside().join("evil").exists() && !site.cache().join("evil").exists());
    }
    let files = done?["items"][0]["files"].as_array().unwrap().clone();
    Ok(files
        .iter()
        .map(|file| file["path"].as_str().unwrap().rsplit('/').next().unwrap().to_owned())
        .collect())
}

fn zip(entries: &[(&str, &[u8])]) -> Vec<u8> {
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    for (name, body) in entries {
        archive.start_file(*name, SimpleFileOptions::default()).unwrap();
        archive.write_all(body).unwrap();
    }
    archive.finish().unwrap().into_inner()
}

/// A tar with headers as they are given: the crate itself refuses to write bad names.
fn tar(entries: &[(&str, tar::EntryType, &str, &[u8])]) -> Vec<u8> {
    let mut archive = tar::Builder::new(GzEncoder::new(Vec::new(), Compression::fast()));
    for (name, kind, link, body) in entries {
        let mut header = tar::Header::new_ustar();
        header.as_mut_bytes()[..name.len()].copy_from_slice(name.as_bytes());
        header.as_mut_bytes()[157..157 + link.len()].copy_from_slice(link.as_bytes());
        header.set_entry_type(*kind);
        header.set_mode(0o644);
        header.set_size(body.len() as u64);
        header.set_cksum();
        archive.append(&header, *body).unwrap();
    }
    archive.into_inner().unwrap().finish().unwrap()
}

fn check_unsafe(archive: &[u8], entry: &str) {
    let fault = install(archive).unwrap_err();
    assert_eq!(fault.code, ErrorCode::ArchiveUnsafe, "{fault}");
    assert_eq!(fault.details["entry"], entry);
}

#[test]
fn plain_archives_are_unpacked() {
    let file = tar::EntryType::Regular;
    assert_eq!(
        install(&zip(&[("a/model.bin", b"1"), ("vocab.txt", b"2")])).unwrap(),
        ["model.bin", "vocab.txt"]
    );
    let archive = tar(&[("./a/", tar::EntryType::Directory, "", b""), ("./a/model.bin", file, "", b"1")]);
    assert_eq!(install(&archive).unwrap(), ["model.bin"]);
}

#[test]
fn names_that_leave_the_folder_are_refused() {
    let file = tar::EntryType::Regular;
    for name in ["../evil", "a/../../evil", "/tmp/evil", "..\\evil", "C:\\evil"] {
        check_unsafe(&zip(&[("good", b"1"), (name, b"2")]), name);
        check_unsafe(&tar(&[("good", file, "", b"1"), (name, file, "", b"2")]), name);
    }
}

#[test]
fn links_and_devices_are_refused() {
    for kind in [tar::EntryType::Symlink, tar::EntryType::Link, tar::EntryType::Fifo, tar::EntryType::Char] {
        check_unsafe(&tar(&[("model.bin", kind, "/etc/passwd", b"")]), "model.bin");
    }
    let mut archive = zip::ZipWriter::new(std::io::Cursor::new(Vec::new()));
    archive.add_symlink("model.bin", "/etc/passwd", SimpleFileOptions::default()).unwrap();
    check_unsafe(&archive.finish().unwrap().into_inner(), "model.bin");
}

#[test]
fn two_entries_of_one_name_are_refused() {
    let file = tar::EntryType::Regular;
    check_unsafe(&tar(&[("a.bin", file, "", b"1"), ("A.bin", file, "", b"2")]), "A.bin");
    check_unsafe(&zip(&[("a.bin", b"1"), ("A.BIN", b"2")]), "A.BIN");
}

#[test]
fn bombs_are_refused_by_ratio_and_by_count() {
    let zeros = vec![0; 8 << 20];
    for archive in [zip(&[("model.bin", &zeros)]), tar(&[("model.bin", tar::EntryType::Regular, "", &zeros)])]
    {
        let fault = install(&archive).unwrap_err();
        assert_eq!(fault.code, ErrorCode::ArchiveTooLarge, "{fault}");
    }
    let names: Vec<String> = (0..10_001).map(|number| format!("f{number}")).collect();
    let many: Vec<(&str, &[u8])> = names.iter().map(|name| (name.as_str(), b"x".as_slice())).collect();
    assert_eq!(install(&zip(&many)).unwrap_err().code, ErrorCode::ArchiveTooLarge);
}

#[test]
fn an_archive_that_breaks_off_is_refused() {
    let whole = zip(&[("model.bin", &[1; 1000])]);
    assert_eq!(install(&whole[..whole.len() / 2]).unwrap_err().code, ErrorCode::ArchiveUnsafe);
    let whole = tar(&[("model.bin", tar::EntryType::Regular, "", &[1; 100_000])]);
    assert_eq!(install(&whole[..whole.len() / 2]).unwrap_err().code, ErrorCode::ArchiveUnsafe);
}
