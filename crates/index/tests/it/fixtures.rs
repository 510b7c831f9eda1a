//! The texts in the language folders that show every fact; the tests of other crates search them too.

use std::path::{Path, PathBuf};

/// The languages the contract names; others may know facts too.
pub const LANGUAGES: &[&str] = &[
    "bash",
    "c",
    "cpp",
    "csharp",
    "elixir",
    "go",
    "java",
    "javascript",
    "kotlin",
    "lua",
    "php",
    "python",
    "ruby",
    "rust",
    "scala",
    "swift",
    "typescript",
];

/// The fixture of a language in the folder of all languages.
pub fn fixture(languages: &Path, language: &str) -> PathBuf {
    let is_fixture = |path: &PathBuf| {
        path.file_stem().is_some_and(|stem| stem == "facts")
            && path.extension().is_some_and(|end| end != "scm" && end != "golden")
    };
    let mut files = std::fs::read_dir(languages.join(language)).unwrap().map(|entry| entry.unwrap().path());
    files.find(is_fixture).unwrap_or_else(|| panic!("{language} has no fixture"))
}
