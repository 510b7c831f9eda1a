//! What manifests call the folders they lie in: npm packages, crates, modules of Go.

use super::aliases::Aliases;
use super::paths::{Paths, folder};
use crate::hash::FastMap;
use crate::held::Root;

use std::io::Read as _;
use std::path::Path;

const MAX_MANIFESTS: usize = 2_000;
const MAX_BYTES: u64 = 256 << 10;

#[derive(Debug, Default)]
pub(super) struct Manifests {
    /// Folder of an npm package by its name.
    pub packages: FastMap<String, String>,
    /// Folder of a crate by the name it is imported under.
    pub crates: FastMap<String, String>,
    /// Path of a module of Go and its folder, longest path first.
    pub modules: Vec<(String, String)>,
    /// What configurations of TypeScript call folders, innermost first.
    pub aliases: Vec<Aliases>,
}

impl Manifests {
    pub fn read(repo: &Path, paths: &Paths) -> Manifests {
        let mut out = Manifests::default();
        let root = Root::new(repo);
        for (name, take) in [
            ("package.json", Manifests::package as fn(&mut Manifests, &str, &str)),
            ("Cargo.toml", Manifests::krate),
            ("go.mod", Manifests::module),
            ("tsconfig.json", Manifests::alias),
            ("tsconfig.base.json", Manifests::alias),
            ("jsconfig.json", Manifests::alias),
        ] {
            for file in paths.named(name).iter().take(MAX_MANIFESTS) {
                let path = paths.path(*file);
                if let Some(text) = read(&root, path) {
                    take(&mut out, folder(path), &text);
                }
            }
        }
        out.aliases.sort_by_key(|aliases| std::cmp::Reverse(aliases.folder.len()));
        out.modules.sort_by_key(|(path, _)| std::cmp::Reverse(path.len()));
        out
    }

    fn package(&mut self, folder: &str, text: &str) {
        if let Some(name) = json_name(text) {
            self.packages.entry(name.to_owned()).or_insert_with(|| folder.to_owned());
        }
    }

    fn krate(&mut self, folder: &str, text: &str) {
        for section in ["[package]", "[lib]"] {
            let Some((_, rest)) = text.split_once(section) else { continue };
            let own = rest.lines().skip(1).take_while(|line| !line.trim_start().starts_with('['));
            let name = own.filter_map(|line| line.split_once('=')).find(|(key, _)| key.trim() == "name");
            if let Some((_, name)) = name {
                let name = name.trim().trim_matches(['"', '\'']).replace('-', "_");
                self.crates.entry(name).or_insert_with(|| folder.to_owned());
            }
        }
    }

    fn alias(&mut self, folder: &str, text: &str) {
        self.aliases.extend(Aliases::read(folder, text));
    }

    fn module(&mut self, folder: &str, text: &str) {
        if let Some(path) = text.lines().find_map(|line| line.trim().strip_prefix("module ")) {
            self.modules.push((path.trim().trim_matches('"').to_owned(), folder.to_owned()));
        }
    }
}

fn read(root: &Root, path: &str) -> Option<String> {
    let mut text = String::new();
    root.open(path).ok()?.0.take(MAX_BYTES).read_to_string(&mut text).ok()?;
    Some(text)
}

/// The value of `"name"` in the outermost object.
fn json_name(text: &str) -> Option<&str> {
    let bytes = text.as_bytes();
    let (mut depth, mut at) = (0usize, 0);
    while at < bytes.len() {
        match bytes[at] {
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            b'"' => {
                let end = at + 1 + bytes[at + 1..].iter().position(|byte| *byte == b'"')?;
                if depth == 1 && &text[at + 1..end] == "name" {
                    let value = text[end + 1..].trim_start().strip_prefix(':')?.trim_start();
                    return value.strip_prefix('"')?.split('"').next();
                }
                at = end;
            }
            _ => {}
        }
        at += 1;
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_are_those_of_the_folder_itself() {
        assert_eq!(json_name(r#"{"author": {"name": "Ann"}, "name": "@a/b"}"#), Some("@a/b"));
        assert_eq!(json_name("[1]"), None);
        let mut found = Manifests::default();
        found.krate("crates/x", "[dependencies]\nname = 1\n[package]\nname = \"my-x\"\n");
        found.module("srv", "module example.com/srv\n\ngo 1.22\n");
        assert_eq!(found.crates.get("my_x").map(String::as_str), Some("crates/x"));
        assert_eq!(found.modules, [("example.com/srv".to_owned(), "srv".to_owned())]);
    }
}
