//! Packing one package in a copy of the project, with the program that publishes it.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::Duration;

use mainstay_contract::Call;

use super::archive::Packed;
use super::packages::{Kind, Package};
use crate::exec::Job;
use crate::{Foundry, FoundryError};

/// One package takes no longer than this; the policy ends the whole call earlier or later.
const DEADLINE: Duration = Duration::from_secs(150);

/// Packs a package of the copy at `copy`; `out` is an empty folder for what the program makes.
pub fn pack(
    foundry: &Foundry,
    call: &Call,
    package: &Package,
    copy: &Path,
    out: &Path,
) -> Result<Packed, FoundryError> {
    fs::create_dir_all(out).map_err(|source| io("make", "a temporary folder", source))?;
    match package.kind {
        Kind::Npm => npm(foundry, call, package, copy, out),
        Kind::Cargo => cargo(foundry, call, package, copy, out),
    }
}

fn io(action: &'static str, path: &str, source: std::io::Error) -> FoundryError {
    FoundryError::Io { action, path: path.to_owned(), source }
}

/// The one file with an ending that a program left in a folder.
fn made(folder: &Path, ending: &str) -> Option<PathBuf> {
    let mut found = fs::read_dir(folder).ok()?.filter_map(|entry| Some(entry.ok()?.path()));
    found.find(|path| path.extension().is_some_and(|known| known == ending))
}

fn npm(
    foundry: &Foundry,
    call: &Call,
    package: &Package,
    copy: &Path,
    out: &Path,
) -> Result<Packed, FoundryError> {
    let job = Job::new("npm", &copy.join(&package.folder))
        .args(["pack", "--loglevel=error", "--pack-destination"])
        .args([out])
        // Nothing is fetched, and nothing is left in the caches of whoever runs this.
        .env("npm_config_offline", "true")
        // Node would leave compiled code in the folder for temporary files.
        .env("NODE_DISABLE_COMPILE_CACHE", "1")
        .env("npm_config_cache", out.join("cache"))
        .env("npm_config_update_notifier", "false")
        .env("npm_config_audit", "false")
        .env("npm_config_fund", "false")
        .deadline(DEADLINE);
    let ran = foundry.exec(call, &job)?.success()?;
    let archive = made(out, "tgz").ok_or_else(|| ran.failed("made no archive".into()))?;
    Packed::read(&archive).map_err(|source| io("read", "the archive of npm", source))
}

fn cargo(
    foundry: &Foundry,
    call: &Call,
    package: &Package,
    copy: &Path,
    out: &Path,
) -> Result<Packed, FoundryError> {
    let folder = copy.join(&package.folder);
    let job = |words: &[&str]| {
        Job::new("cargo", &folder)
            .args(["package", "--offline", "--allow-dirty", "--quiet"])
            .args(words)
            .env("CARGO_TARGET_DIR", out.join("target"))
            .env("CARGO_TERM_COLOR", "never")
            .deadline(DEADLINE)
    };
    let ran = foundry.exec(call, &job(&["--no-verify"]))?;
    if ran.is_success() {
        let archive =
            made(&out.join("target/package"), "crate").ok_or_else(|| ran.failed("made no archive".into()))?;
        return Packed::read(&archive).map_err(|source| io("read", "the archive of cargo", source));
    }
    // Without a registry at hand cargo cannot write the lock file into an archive, but it knows the files.
    let why = ran.stderr.lines().find(|line| line.starts_with("error")).unwrap_or("it failed").to_owned();
    let listed = foundry.exec(call, &job(&["--list"]))?.success()?.text();
    let names: Vec<&str> = listed.lines().filter(|name| !name.is_empty()).collect();
    let note =
        format!("cargo could not pack without a network ({why}); the listed files were compared instead");
    Packed::of_files(&folder, &names, note).map_err(|source| io("read", "the files cargo lists", source))
}
