//! A repository and its index in a temporary folder.

use mainstay_index::{Answer, BuildOptions, BuildReport, Index, Options, Query};
use std::fs;
use std::path::PathBuf;
use tempfile::TempDir;

pub struct Site {
    folder: TempDir,
}

impl Site {
    pub fn new() -> Site {
        let folder = TempDir::new().unwrap();
        fs::create_dir(folder.path().join("repo")).unwrap();
        Site { folder }
    }

    pub fn folder(&self) -> &std::path::Path {
        self.folder.path()
    }

    pub fn repo(&self) -> PathBuf {
        self.folder.path().join("repo")
    }

    pub fn store(&self) -> PathBuf {
        self.folder.path().join("store")
    }

    pub fn file(self, path: &str, text: &str) -> Site {
        self.write(path, text);
        self
    }

    pub fn write(&self, path: &str, bytes: impl AsRef<[u8]>) {
        let path = self.repo().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, bytes).unwrap();
    }

    pub fn remove(&self, path: &str) {
        fs::remove_file(self.repo().join(path)).unwrap();
    }

    pub fn build(&self) -> BuildReport {
        self.build_with(&BuildOptions::default())
    }

    pub fn build_with(&self, options: &BuildOptions) -> BuildReport {
        Index::build(&self.repo(), &self.store(), options, &mut |_| {}, &|| false).unwrap()
    }

    pub fn open(&self) -> Index {
        Index::open(&self.repo(), &self.store()).unwrap()
    }

    /// Builds and answers with default options.
    pub fn ask(&self, query: &str) -> Answer {
        self.build();
        ask(&self.open(), query)
    }
}

pub fn ask(index: &Index, query: &str) -> Answer {
    index.search(&Query::parse(query).unwrap(), &Options::default()).unwrap()
}

pub fn ask_with(index: &Index, query: &str, options: &Options) -> Answer {
    index.search(&Query::parse(query).unwrap(), options).unwrap()
}

/// `path:line` of every hit.
pub fn places(answer: &Answer) -> Vec<String> {
    answer.hits.iter().map(|hit| format!("{}:{}", hit.path, hit.lines.0)).collect()
}

pub fn paths(answer: &Answer) -> Vec<&str> {
    answer.hits.iter().map(|hit| hit.path.as_str()).collect()
}

/// Program text of some size, different for every number.
pub fn program(number: usize) -> String {
    let words =
        ["session", "token", "buffer", "parser", "socket", "router", "cache", "signal", "frame", "ledger"];
    let (left, right) = (words[number % 10], words[(number / 10) % 10]);
    format!(
        "//! Part {number} of the {left} handling.\n\n/// Opens the {right} of {left} number {number}.\npub fn open_{left}_{number}(value: u32) -> u32 {{\n    let {right} = value + {number};\n    {right}\n}}\n\n\
         pub struct {}Keeper{number} {{\n    pub {right}: u32,\n}}\n",
        left[..1].to_uppercase() + &left[1..]
    )
}
