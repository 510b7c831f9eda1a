//! No room and no permission: the answer says so and nothing changes.

#![cfg(target_os = "linux")]
#![allow(clippy::print_stderr)]

use std::path::{Path, PathBuf};
use std::process::Command;

use mainstay_catalog::CatalogConfig;
use serde_json::json;

use crate::site::{Server, entry};

/// A small file system of its own; `None` where mounting is not permitted.
struct Mount {
    dir: tempfile::TempDir,
}

impl Mount {
    fn new(options: &str) -> Option<Mount> {
        let mount = Mount { dir: tempfile::tempdir().unwrap() };
        mount.mount(&["-t", "tmpfs", "-o", options, "tmpfs"]).then_some(mount)
    }

    fn mount(&self, args: &[&str]) -> bool {
        let done = Command::new("mount").args(args).arg(self.dir.path()).output();
        done.is_ok_and(|output| output.status.success())
    }

    fn path(&self) -> &Path {
        self.dir.path()
    }
}

impl Drop for Mount {
    fn drop(&mut self) {
        let _ = Command::new("umount").arg("-l").arg(self.dir.path()).output();
    }
}

fn entry_files(dir: &Path) -> Vec<(PathBuf, Vec<u8>)> {
    let mut files: Vec<_> = std::fs::read_dir(dir)
        .unwrap()
        .map(|item| item.unwrap().path())
        .filter(|path| path.is_file())
        .map(|path| (path.clone(), std::fs::read(path).unwrap()))
        .collect();
    files.sort();
    files
}

#[test]
fn a_full_disk_refuses_writes_and_keeps_every_entry() {
    let Some(mount) = Mount::new("size=256k") else {
        eprintln!("skipped: mounting a small tmpfs is not permitted here");
        return;
    };
    let dir = mount.path().join("instructions");
    let server = Server::open(CatalogConfig { features: vec!["usage".into()], ..CatalogConfig::new(&dir) });
    for n in 0..4 {
        server.add(&format!("e{n}"), "small");
    }
    std::fs::write(mount.path().join("ballast"), vec![0; 120 * 1024]).unwrap();
    let before = entry_files(&dir);
    let body = "x".repeat(200 * 1024);
    let added = server.call("instructions/add", json!({"entry": entry("big", &body)}));
    assert!(added["error"].as_str().unwrap().contains("No space left"), "{added}");
    let over = server.call("instructions/add", json!({"entry": entry("e0", &body), "overwrite": true}));
    assert!(over["error"].as_str().unwrap().contains("No space left"), "{over}");
    let imported =
        server.call("instructions/import", json!({"entries": [entry("big", &body), entry("tiny", "fits")]}));
    // When the blocks of the failed file are free again is up to the file system: the small entry
    // is stored or refused, and the answer says which.
    let errors = imported["errors"].as_array().unwrap();
    assert!(
        errors.iter().all(|one| one["error"].as_str().unwrap().starts_with("write-failed")),
        "{imported}"
    );
    assert_eq!(errors[0]["id"], "big");
    match errors.len() {
        1 => {
            assert_eq!((&imported["imported"], server.ids().len()), (&json!(1), 5), "{imported}");
            std::fs::remove_file(dir.join("tiny.json")).unwrap();
        }
        _ => assert_eq!((&imported["imported"], server.ids().len()), (&json!(0), 4), "{imported}"),
    }
    assert_eq!(entry_files(&dir), before, "no entry changed and no temporary file is left");
    // Not one block left: even the history line does not fit.
    let _ = std::fs::write(mount.path().join("ballast2"), vec![0; 256 * 1024]);
    let added = server.call("instructions/add", json!({"entry": entry("more", "x")}));
    assert!(added["error"].is_string() || added["created"] == true, "{added}");
    let again = Server::open(CatalogConfig::new(&dir));
    assert_eq!(again.call("health/check", json!({}))["catalog"]["skipped"], 0);
    assert_eq!(again.get("e0")["body"], "small");
    std::fs::remove_file(mount.path().join("ballast2")).unwrap();
    std::fs::remove_file(mount.path().join("ballast")).unwrap();
    server.add("after", "there is room again");
}

#[test]
fn a_read_only_directory_serves_and_refuses_writes() {
    let Some(mount) = Mount::new("size=1m") else {
        eprintln!("skipped: mounting a small tmpfs is not permitted here");
        return;
    };
    let dir = mount.path().join("instructions");
    Server::open(CatalogConfig::new(&dir)).add("a", "x");
    if !mount.mount(&["-o", "remount,ro"]) {
        eprintln!("skipped: mounting read-only is not permitted here");
        return;
    }
    let server = Server::open(CatalogConfig { features: vec!["usage".into()], ..CatalogConfig::new(&dir) });
    assert_eq!(server.ids(), ["a"]);
    for (tool, args) in [
        ("instructions/add", json!({"entry": entry("b", "x")})),
        ("instructions/import", json!({"entries": [entry("b", "x")]})),
        ("instructions/remove", json!({"ids": ["a"]})),
        ("usage/track", json!({"id": "a"})),
    ] {
        let message = match server.try_call(tool, args) {
            Ok(result) => result["error"].as_str().unwrap_or_else(|| panic!("{tool}: {result}")).to_owned(),
            Err(fault) => fault.message,
        };
        assert!(message.contains("Read-only file system"), "{tool}: {message}");
    }
    assert_eq!(server.ids(), ["a"]);
    assert_eq!(server.get("a").get("usageCount"), None, "a use that was not written does not count");
}
