//! Archives from strangers: nothing leaves the folder, nothing but plain files, nothing without end.

use std::collections::HashSet;
use std::fs::File;
use std::io::{Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};

use flate2::read::GzDecoder;
use mainstay_contract::Call;

use super::DownloadError;

/// Bounds of one archive.
#[derive(Debug, Clone, Copy)]
pub struct Limits {
    pub entries: usize,
    /// Bytes of all unpacked files.
    pub total_bytes: u64,
    /// Unpacked bytes for each packed one, beyond [`FREE_BYTES`].
    pub ratio: u64,
}

impl Limits {
    pub const fn new(total_bytes: u64) -> Limits {
        Limits { entries: 10_000, total_bytes, ratio: 200 }
    }
}

/// Small archives may unpack to this much whatever their ratio.
const FREE_BYTES: u64 = 1 << 20;
const MAX_NAME_BYTES: usize = 1024;
const MAX_DEPTH: usize = 32;
/// Longest extended header of a tar entry.
const MAX_HEADER_BYTES: u64 = 64 << 10;

/// The formats that are unpacked.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Format {
    Zip,
    TarGz,
}

/// What a file is by its first bytes; its name says nothing.
pub fn format(path: &Path) -> Result<Option<Format>, DownloadError> {
    let mut file = File::open(path).map_err(DownloadError::io(path))?;
    let mut start = [0; 4];
    let count = read_up_to(&mut file, &mut start).map_err(DownloadError::io(path))?;
    Ok(match &start[..count] {
        [b'P', b'K', 3, 4] | [b'P', b'K', 5, 6] => Some(Format::Zip),
        [0x1f, 0x8b, ..] => Some(Format::TarGz),
        _ => None,
    })
}

fn read_up_to(reader: &mut impl Read, buffer: &mut [u8]) -> std::io::Result<usize> {
    let mut filled = 0;
    while filled < buffer.len() {
        match reader.read(&mut buffer[filled..])? {
            0 => break,
            count => filled += count,
        }
    }
    Ok(filled)
}

/// Unpacks an archive into an empty folder and returns the files, sorted, relative to it.
pub fn unpack(
    call: &Call,
    path: &Path,
    format: Format,
    into: &Path,
    limits: Limits,
) -> Result<Vec<PathBuf>, DownloadError> {
    let mut file = File::open(path).map_err(DownloadError::io(path))?;
    let packed = file.seek(SeekFrom::End(0)).map_err(DownloadError::io(path))?;
    file.seek(SeekFrom::Start(0)).map_err(DownloadError::io(path))?;
    let mut sink = Sink {
        call,
        into,
        limits,
        most_bytes: limits.total_bytes.min(packed.saturating_mul(limits.ratio).max(FREE_BYTES)),
        written: 0,
        entries: 0,
        seen: HashSet::new(),
        files: Vec::new(),
    };
    match format {
        Format::Zip => unpack_zip(file, &mut sink)?,
        Format::TarGz => unpack_tar(file, &mut sink)?,
    }
    sink.files.sort();
    Ok(sink.files)
}

struct Sink<'a> {
    call: &'a Call,
    into: &'a Path,
    limits: Limits,
    /// The smaller of the total and what the ratio allows.
    most_bytes: u64,
    written: u64,
    entries: usize,
    seen: HashSet<String>,
    files: Vec<PathBuf>,
}

impl Sink<'_> {
    /// Counts an entry and checks its name.
    fn admit(&mut self, name: &[u8]) -> Result<PathBuf, DownloadError> {
        self.call.cancel().check()?;
        self.entries += 1;
        if self.entries > self.limits.entries {
            return Err(DownloadError::TooMuch {
                what: format!("more than {} entries", self.limits.entries),
            });
        }
        safe_path(name)
    }

    fn folder(&mut self, path: &Path) -> Result<(), DownloadError> {
        let folder = self.into.join(path);
        std::fs::create_dir_all(&folder).map_err(DownloadError::io(&folder))
    }

    fn file(&mut self, path: PathBuf, reader: &mut impl Read) -> Result<(), DownloadError> {
        // Two names that one file system calls the same would overwrite each other.
        if !self.seen.insert(path.to_string_lossy().to_lowercase()) {
            return Err(refuse(&path.to_string_lossy(), "there twice"));
        }
        let target = self.into.join(&path);
        if let Some(parent) = target.parent() {
            std::fs::create_dir_all(parent).map_err(DownloadError::io(parent))?;
        }
        let mut file = File::create_new(&target).map_err(DownloadError::io(&target))?;
        let mut buffer = vec![0; 64 << 10];
        loop {
            self.call.cancel().check()?;
            let count = reader.read(&mut buffer).map_err(unreadable)?;
            if count == 0 {
                break;
            }
            self.written += count as u64;
            if self.written > self.most_bytes {
                return Err(match self.written > self.limits.total_bytes {
                    true => DownloadError::TooLarge {
                        what: "the unpacked archive".into(),
                        limit: self.limits.total_bytes,
                    },
                    false => DownloadError::TooMuch {
                        what: format!("more than {} bytes for each packed one", self.limits.ratio),
                    },
                });
            }
            file.write_all(&buffer[..count]).map_err(DownloadError::io(&target))?;
        }
        file.sync_all().map_err(DownloadError::io(&target))?;
        self.files.push(path);
        Ok(())
    }
}

fn refuse(entry: &str, reason: &'static str) -> DownloadError {
    DownloadError::Unsafe { entry: entry.chars().take(200).collect(), reason }
}

fn unreadable(error: impl std::fmt::Display) -> DownloadError {
    DownloadError::BadArchive { reason: error.to_string() }
}

/// A relative path of plain names, whatever system made the archive.
fn safe_path(name: &[u8]) -> Result<PathBuf, DownloadError> {
    let shown = String::from_utf8_lossy(name);
    let bad = |reason| refuse(&shown, reason);
    let text = std::str::from_utf8(name).map_err(|_| bad("not named in UTF-8"))?;
    if text.len() > MAX_NAME_BYTES {
        return Err(bad("named too long"));
    }
    if text.chars().any(char::is_control) {
        return Err(bad("named with control characters"));
    }
    if text.starts_with(['/', '\\']) || text.get(1..2) == Some(":") {
        return Err(bad("an absolute path"));
    }
    let mut path = PathBuf::new();
    for part in text.split(['/', '\\']) {
        match part {
            "" | "." => {}
            ".." => return Err(bad("a path out of the folder")),
            _ if part.contains(':') || part.ends_with(['.', ' ']) => {
                return Err(bad("a name some systems read as another"));
            }
            _ => path.push(part),
        }
    }
    match path.components().count() {
        0 => Err(bad("without a name")),
        depth if depth > MAX_DEPTH => Err(bad("nested too deep")),
        _ => Ok(path),
    }
}

fn unpack_zip(file: File, sink: &mut Sink<'_>) -> Result<(), DownloadError> {
    const LINK: u32 = 0o120_000;
    const KIND: u32 = 0o170_000;
    let mut archive = zip::ZipArchive::new(file).map_err(unreadable)?;
    if archive.len() > sink.limits.entries {
        return Err(DownloadError::TooMuch { what: format!("more than {} entries", sink.limits.entries) });
    }
    for index in 0..archive.len() {
        let mut entry = archive.by_index(index).map_err(unreadable)?;
        let path = sink.admit(entry.name_raw())?;
        let shown = path.to_string_lossy().into_owned();
        let kind = entry.unix_mode().unwrap_or(0) & KIND;
        if entry.is_symlink() || kind == LINK {
            return Err(refuse(&shown, "a symbolic link"));
        }
        if entry.encrypted() {
            return Err(refuse(&shown, "encrypted"));
        }
        if entry.is_dir() {
            sink.folder(&path)?;
        } else if kind == 0 || kind == 0o100_000 {
            sink.file(path, &mut entry)?;
        } else {
            return Err(refuse(&shown, "not a plain file"));
        }
    }
    Ok(())
}

/// Long names are read into memory as a whole, so that they are looked at first.
fn check_tar_headers(file: &File, bound: u64) -> Result<(), DownloadError> {
    let mut archive = tar::Archive::new(GzDecoder::new(file).take(bound));
    for entry in archive.entries().map_err(unreadable)?.raw(true) {
        let entry = entry.map_err(unreadable)?;
        let kind = entry.header().entry_type();
        let is_name = kind.is_gnu_longname()
            || kind.is_gnu_longlink()
            || kind.is_pax_local_extensions()
            || kind.is_pax_global_extensions();
        if is_name && entry.size() > MAX_HEADER_BYTES {
            return Err(refuse("header", "named too long"));
        }
    }
    Ok(())
}

fn unpack_tar(mut file: File, sink: &mut Sink<'_>) -> Result<(), DownloadError> {
    // Headers count too: the stream itself may not be longer than the bound.
    let bound = sink.most_bytes.saturating_add(4096 * (sink.limits.entries as u64 + 2));
    check_tar_headers(&file, bound)?;
    file.seek(SeekFrom::Start(0)).map_err(unreadable)?;
    let mut archive = tar::Archive::new(GzDecoder::new(file).take(bound));
    for entry in archive.entries().map_err(unreadable)? {
        let mut entry = entry.map_err(unreadable)?;
        let kind = entry.header().entry_type();
        if kind.is_pax_global_extensions() {
            continue;
        }
        let name = entry.path_bytes().into_owned();
        let shown = String::from_utf8_lossy(&name).into_owned();
        match kind {
            tar::EntryType::Directory if matches!(name.as_slice(), b"." | b"./") => {}
            tar::EntryType::Directory => {
                let path = sink.admit(&name)?;
                sink.folder(&path)?;
            }
            tar::EntryType::Regular | tar::EntryType::Continuous => {
                let path = sink.admit(&name)?;
                sink.file(path, &mut entry)?;
            }
            tar::EntryType::Symlink => return Err(refuse(&shown, "a symbolic link")),
            tar::EntryType::Link => return Err(refuse(&shown, "a hard link")),
            _ => return Err(refuse(&shown, "not a plain file")),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_stay_in_the_folder() {
        for bad in [
            "/etc/passwd",
            "../x",
            "a/../../x",
            "C:\\x",
            "\\\\host\\x",
            "a\\..\\x",
            "",
            "./",
            "a\0b",
            "x:y",
            "a.",
        ] {
            assert!(safe_path(bad.as_bytes()).is_err(), "{bad:?}");
        }
        assert!(safe_path(b"\xff").is_err());
        assert_eq!(safe_path(b"./a//b.txt").unwrap(), Path::new("a/b.txt"));
        assert!(safe_path("a/".repeat(33).as_bytes()).is_err());
    }
}
