//! Loadable SQLite extensions as files: for which machine they are and how they are entered.

use std::path::{Path, PathBuf};

use mainstay_contract::{Call, Fault, FaultResult};

use crate::Search;
use crate::download::{Kind, choose_dir, kind_dir, safe_name};

/// Operating system and processor a library is made for.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Target {
    pub platform: &'static str,
    pub arch: &'static str,
}

/// The words for an operating system that are understood.
pub const PLATFORMS: [&str; 5] = ["linux", "darwin", "macos", "win32", "windows"];
/// The words for a processor that are understood.
pub const PROCESSORS: [&str; 5] = ["x64", "x86_64", "amd64", "arm64", "aarch64"];

impl Target {
    /// Reads the names Node, Rust and uname use; this machine where none is given.
    pub fn named(platform: Option<&str>, arch: Option<&str>) -> FaultResult<Target> {
        let platform = match platform.unwrap_or(std::env::consts::OS).to_lowercase().as_str() {
            "linux" => "linux",
            "darwin" | "macos" => "macos",
            "win32" | "windows" => "windows",
            other => {
                return Err(
                    Fault::invalid(format!("unknown platform {other}")).hint("use linux, darwin or win32")
                );
            }
        };
        let arch = match arch.unwrap_or(std::env::consts::ARCH).to_lowercase().as_str() {
            "x64" | "x86_64" | "amd64" => "x86_64",
            "arm64" | "aarch64" => "aarch64",
            other => return Err(Fault::invalid(format!("unknown arch {other}")).hint("use x64 or arm64")),
        };
        Ok(Target { platform, arch })
    }

    fn ending(self) -> &'static str {
        match self.platform {
            "macos" => "dylib",
            "windows" => "dll",
            _ => "so",
        }
    }
}

impl std::fmt::Display for Target {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "{}-{}", self.platform, self.arch)
    }
}

/// Name of the library of a provider, without its ending.
fn library(provider: &str) -> FaultResult<String> {
    match provider {
        "sqlite-vec" => Ok("vec0".into()),
        other => safe_name(other),
    }
}

/// The folder with the manifest, and the library itself.
pub fn choose(
    call: &Call,
    search: &Search,
    repo: &Path,
    provider: &str,
    target: Target,
    dir: Option<&str>,
    exact: Option<&str>,
) -> FaultResult<(PathBuf, PathBuf)> {
    let cache = &search.config.cache_dir;
    let dir = match dir {
        Some(named) => choose_dir(call, repo, cache, named)?,
        None => kind_dir(cache, Kind::Extensions),
    };
    let file = format!("{}.{}", library(provider)?, target.ending());
    let path = match exact {
        Some(named) => choose_dir(call, repo, cache, named)?,
        None => dir.join(safe_name(provider)?).join(target.to_string()).join(file),
    };
    Ok((dir, path))
}

/// Which machine a library is for, by its first bytes; why it is none otherwise.
pub fn machine(bytes: &[u8]) -> Result<Vec<Target>, &'static str> {
    let arch = |number: u32, known: &[(u32, &'static str)]| {
        let found = known.iter().find(|(code, _)| *code == number).map(|(_, arch)| *arch);
        found.ok_or("made for a processor this program does not know")
    };
    let u16_at = |at: usize| bytes.get(at..at + 2).map(|two| u32::from(two[0]) | u32::from(two[1]) << 8);
    let u32_at = |at: usize| Some(u16_at(at)? | u16_at(at + 2)? << 16);
    let short = "too short for a library";
    match bytes {
        [0x7f, b'E', b'L', b'F', ..] => {
            let arch = arch(u16_at(18).ok_or(short)?, &[(0x3e, "x86_64"), (0xb7, "aarch64")])?;
            Ok(vec![Target { platform: "linux", arch }])
        }
        [0xcf, 0xfa, 0xed, 0xfe, ..] => {
            let arch = arch(u32_at(4).ok_or(short)?, &[(0x0100_0007, "x86_64"), (0x0100_000c, "aarch64")])?;
            Ok(vec![Target { platform: "macos", arch }])
        }
        [0xca, 0xfe, 0xba, 0xbe, ..] => {
            Ok(["x86_64", "aarch64"].map(|arch| Target { platform: "macos", arch }).to_vec())
        }
        [b'M', b'Z', ..] => {
            let header = u32_at(0x3c).ok_or(short)? as usize;
            if bytes.get(header..header.saturating_add(4)) != Some(b"PE\0\0") {
                return Err("not a library");
            }
            let arch = arch(u16_at(header + 4).ok_or(short)?, &[(0x8664, "x86_64"), (0xaa64, "aarch64")])?;
            Ok(vec![Target { platform: "windows", arch }])
        }
        _ => Err("not a library"),
    }
}

/// The function SQLite would enter a library by, when the library names it.
pub fn entry_point(path: &Path, bytes: &[u8]) -> Option<String> {
    let stem = path.file_name()?.to_str()?.split('.').next()?.to_lowercase();
    let letters: String =
        stem.strip_prefix("lib").unwrap_or(&stem).chars().filter(char::is_ascii_alphabetic).collect();
    let names = ["sqlite3_extension_init".to_owned(), format!("sqlite3_{letters}_init")];
    names.into_iter().find(|name| {
        let needle = format!("{name}\0");
        bytes.windows(needle.len()).any(|window| window == needle.as_bytes())
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn elf(machine: u8) -> Vec<u8> {
        let mut bytes = b"\x7fELF".to_vec();
        bytes.resize(18, 0);
        bytes.extend([machine, 0]);
        bytes
    }

    #[test]
    fn a_library_says_which_machine_it_is_for() {
        assert_eq!(machine(&elf(0x3e)).unwrap()[0].to_string(), "linux-x86_64");
        assert_eq!(machine(&elf(0xb7)).unwrap()[0].to_string(), "linux-aarch64");
        assert!(machine(&elf(0x08)).is_err() && machine(b"#!/bin/sh").is_err() && machine(b"").is_err());
        assert!(machine(b"\x7fELF").is_err() && machine(b"MZ").is_err());
    }

    #[test]
    fn the_entry_point_follows_the_file_name() {
        let bytes = b"\0sqlite3_vec_init\0sqlite3_other_init\0";
        assert_eq!(entry_point(Path::new("a/vec0.so"), bytes).as_deref(), Some("sqlite3_vec_init"));
        assert_eq!(entry_point(Path::new("libvec.dylib"), bytes).as_deref(), Some("sqlite3_vec_init"));
        assert_eq!(entry_point(Path::new("fts9.so"), bytes), None);
    }
}
