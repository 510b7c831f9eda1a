//! Configurations that come with the binary, found by bare name.

use std::path::{Path, PathBuf};

use crate::config::{self, Config};
use crate::error::ProgramsError;

/// Name and text of every bundled configuration.
pub const BUNDLED: &[(&str, &str)] = &[
    ("cargo", include_str!("../configs/cargo.yaml")),
    ("coreutils", include_str!("../configs/coreutils.yaml")),
    ("docker", include_str!("../configs/docker.yaml")),
    ("gh", include_str!("../configs/gh.yaml")),
    ("git", include_str!("../configs/git.yaml")),
    ("kubectl", include_str!("../configs/kubectl.yaml")),
    ("npm", include_str!("../configs/npm.yaml")),
];

/// Where a word on the command line leads.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Source {
    Bundled(&'static str, &'static str),
    File(PathBuf),
}

impl Source {
    /// A word with a `/` or a known ending is a path; any other names a bundled configuration, or else a file.
    pub fn of(word: &str) -> Source {
        let is_path = word.contains(['/', '\\'])
            || [".yaml", ".yml", ".json", ".toml"].iter().any(|ending| word.ends_with(ending));
        let bundled = BUNDLED.iter().find(|(name, _)| !is_path && *name == word);
        match bundled {
            Some((name, text)) => Source::Bundled(name, text),
            None => Source::File(word.into()),
        }
    }

    pub fn load(&self) -> Result<Config, ProgramsError> {
        match self {
            Source::Bundled(name, text) => config::parse(Path::new(name), text),
            Source::File(path) => match config::load(path) {
                Err(ProgramsError::Io { .. })
                    if !path.exists() && path.components().count() == 1 && path.extension().is_none() =>
                {
                    Err(ProgramsError::NoSuchConfig { name: path.display().to_string() })
                }
                loaded => loaded,
            },
        }
    }

    /// The file to watch.
    pub fn file(&self) -> Option<&Path> {
        match self {
            Source::Bundled(..) => None,
            Source::File(path) => Some(path),
        }
    }

    pub fn shown(&self) -> String {
        match self {
            Source::Bundled(name, _) => (*name).to_owned(),
            Source::File(path) => path.display().to_string(),
        }
    }
}
