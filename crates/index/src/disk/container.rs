//! A file of sections: magic, version, table, then the sections; every 16 KiB block of each has a checksum.
//!
//! Opening checks the head and the table. A block is checked when it is first touched, so a query pays for what it
//! reads and still never believes a flipped bit. `verify` touches everything.

use super::mmap::Bytes;
use crate::error::{Damaged, IndexError};
use std::ops::Range;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use xxhash_rust::xxh3::xxh3_64;

/// Raise it with every change of what sections hold. Other versions are reported and rebuilt, never guessed at.
pub(crate) const VERSION: u32 = 4;

const MAGIC: &[u8; 8] = b"MAINSTAY";
const HEAD: usize = 8 + 4 + 4 + 4 + 4 + 8 + 8;
const ENTRY: usize = 4 + 4 + 8 + 8 + 8 + 8;
const BLOCK: usize = 16 * 1024;

/// Collects sections and lays them out.
pub(crate) struct Writer {
    kind: u32,
    sections: Vec<(u32, Vec<u8>)>,
}

impl Writer {
    pub fn new(kind: u32) -> Writer {
        Writer { kind, sections: Vec::new() }
    }

    pub fn section(&mut self, id: u32, bytes: Vec<u8>) {
        self.sections.push((id, bytes));
    }

    pub fn finish(self) -> Vec<u8> {
        let table_bytes = self.sections.len() * ENTRY;
        let mut body = Vec::with_capacity(
            self.sections.iter().map(|(_, bytes)| bytes.len() + bytes.len() / 1024 + 16).sum(),
        );
        let mut table = Vec::with_capacity(table_bytes);
        for (id, bytes) in self.sections {
            let start = HEAD + table_bytes + body.len();
            let length = bytes.len();
            let sums: Vec<u8> = bytes.chunks(BLOCK).flat_map(|block| xxh3_64(block).to_le_bytes()).collect();
            body.extend_from_slice(&bytes);
            drop(bytes);
            let sums_at = HEAD + table_bytes + body.len();
            let sums_check = xxh3_64(&sums);
            body.extend_from_slice(&sums);
            table.extend_from_slice(&id.to_le_bytes());
            table.extend_from_slice(&0u32.to_le_bytes());
            for number in [start as u64, length as u64, sums_at as u64, sums_check] {
                table.extend_from_slice(&number.to_le_bytes());
            }
        }
        let total = (HEAD + table.len() + body.len()) as u64;
        let mut out = Vec::with_capacity(total as usize);
        out.extend_from_slice(MAGIC);
        for number in [VERSION, self.kind, (table.len() / ENTRY) as u32, 0] {
            out.extend_from_slice(&number.to_le_bytes());
        }
        out.extend_from_slice(&total.to_le_bytes());
        let check = xxh3_64(&[&out[..], &table[..]].concat());
        out.extend_from_slice(&check.to_le_bytes());
        out.extend_from_slice(&table);
        out.extend_from_slice(&body);
        out
    }
}

/// An open file of sections.
#[derive(Debug)]
pub(crate) struct Container {
    path: PathBuf,
    bytes: Bytes,
    sections: Vec<Entry>,
}

#[derive(Debug)]
struct Entry {
    id: u32,
    range: Range<usize>,
    sums: Range<usize>,
    sums_check: u64,
    /// One bit per block that has been checked; bit of block n + 1, the first says that the sums are good.
    checked: Vec<AtomicU64>,
}

impl Container {
    pub fn open(path: &Path, kind: u32) -> Result<Container, IndexError> {
        let bytes = Bytes::map(path).map_err(IndexError::io(path))?;
        Container::from_bytes(path, bytes, kind)
    }

    /// A container that lives in memory only.
    pub fn in_memory(bytes: Vec<u8>, kind: u32) -> Result<Container, IndexError> {
        Container::from_bytes(Path::new("(memory)"), Bytes::Owned(bytes), kind)
    }

    fn from_bytes(path: &Path, bytes: Bytes, kind: u32) -> Result<Container, IndexError> {
        let damaged = |what| Damaged(what).in_file(path);
        let number = |at: usize| {
            bytes.get(at..at + 4).map(|four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]))
        };
        if bytes.get(..8) != Some(MAGIC) {
            return Err(damaged("it is not an index file"));
        }
        let version = number(8).ok_or_else(|| damaged("the head ends early"))?;
        if version != VERSION {
            return Err(IndexError::Version { file: path.to_owned(), found: version, supported: VERSION });
        }
        let count = number(16).ok_or_else(|| damaged("the head ends early"))? as usize;
        let table_end = count
            .checked_mul(ENTRY)
            .and_then(|table| table.checked_add(HEAD))
            .ok_or_else(|| damaged("the table is too long"))?;
        let (head, table) = match (bytes.get(..HEAD), bytes.get(HEAD..table_end)) {
            (Some(head), Some(table)) => (head, table),
            _ => return Err(damaged("the table ends early")),
        };
        if long(head, 32) != xxh3_64(&[&head[..32], table].concat()) {
            return Err(damaged("the head does not match its checksum"));
        }
        if long(head, 24) != bytes.len() as u64 {
            return Err(damaged("the file has the wrong length"));
        }
        if number(12) != Some(kind) {
            return Err(damaged("it is another kind of index file"));
        }
        let sections =
            table.chunks_exact(ENTRY).map(|entry| Entry::read(entry, bytes.len())).collect::<Result<_, _>>();
        let sections = sections.map_err(|error: Damaged| error.in_file(path))?;
        Ok(Container { path: path.to_owned(), bytes, sections })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    pub fn len(&self) -> usize {
        self.bytes.len()
    }

    /// Refuses a file that somebody cut while it was open: touching what is gone would end the process.
    pub fn check_length(&self) -> Result<(), IndexError> {
        if self.bytes.is_cut() {
            return Err(Damaged("it was cut short while it was open").in_file(&self.path));
        }
        Ok(())
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub fn section(&self, id: u32) -> Result<Section<'_>, Damaged> {
        let entry =
            self.sections.iter().find(|entry| entry.id == id).ok_or(Damaged("a section is missing"))?;
        Ok(Section { file: &self.bytes, entry })
    }

    /// Checks every block.
    pub fn verify(&self) -> Result<(), Damaged> {
        self.sections.iter().try_for_each(|entry| Section { file: &self.bytes, entry }.all().map(drop))
    }
}

/// Writes good checksums over whatever a file holds, so that a test can show readers what no writer wrote.
pub(crate) fn signed(mut bytes: Vec<u8>) -> Vec<u8> {
    let count = bytes.get(16..20).map_or(0, |four| u32::from_le_bytes([four[0], four[1], four[2], four[3]]));
    for entry in (0..(count as usize).min(bytes.len() / ENTRY)).map(|number| HEAD + number * ENTRY) {
        let Some(Ok(Entry { range, sums, .. })) =
            bytes.get(entry..entry + ENTRY).map(|entry| Entry::read(entry, bytes.len()))
        else {
            continue;
        };
        let made: Vec<u8> =
            bytes[range].chunks(BLOCK).flat_map(|block| xxh3_64(block).to_le_bytes()).collect();
        bytes[sums.clone()].copy_from_slice(&made);
        let check = xxh3_64(&bytes[sums]);
        bytes[entry + 32..entry + 40].copy_from_slice(&check.to_le_bytes());
    }
    let total = bytes.len() as u64;
    if let Some(table) =
        (count as usize).checked_mul(ENTRY).and_then(|table| bytes.get(HEAD..HEAD.checked_add(table)?))
    {
        let table = table.to_vec();
        bytes[24..32].copy_from_slice(&total.to_le_bytes());
        let check = xxh3_64(&[&bytes[..32], &table].concat());
        bytes[32..40].copy_from_slice(&check.to_le_bytes());
    }
    bytes
}

fn long(bytes: &[u8], at: usize) -> u64 {
    bytes
        .get(at..at + 8)
        .map_or(0, |eight| u64::from_le_bytes(eight.try_into().expect("eight bytes were taken")))
}

impl Entry {
    fn read(entry: &[u8], file_bytes: usize) -> Result<Entry, Damaged> {
        let id = u32::from_le_bytes([entry[0], entry[1], entry[2], entry[3]]);
        let range = |start: u64, length: u64| {
            let end = start.checked_add(length).filter(|end| *end <= file_bytes as u64);
            end.map(|end| start as usize..end as usize).ok_or(Damaged("a section lies outside the file"))
        };
        let range_of_section = range(long(entry, 8), long(entry, 16))?;
        let blocks = range_of_section.len().div_ceil(BLOCK);
        let sums = range(long(entry, 24), blocks as u64 * 8)?;
        let checked = (0..(blocks + 1).div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Ok(Entry { id, range: range_of_section, sums, sums_check: long(entry, 32), checked })
    }

    fn is_checked(&self, bit: usize) -> bool {
        self.checked[bit / 64].load(Ordering::Relaxed) & 1 << (bit % 64) != 0
    }

    fn set_checked(&self, bit: usize) {
        self.checked[bit / 64].fetch_or(1 << (bit % 64), Ordering::Relaxed);
    }
}

/// A section of an open file.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Section<'c> {
    file: &'c [u8],
    entry: &'c Entry,
}

impl<'c> Section<'c> {
    pub fn len(&self) -> usize {
        self.entry.range.len()
    }

    pub fn all(&self) -> Result<&'c [u8], Damaged> {
        self.get(0..self.len())
    }

    /// Bytes of the section, checked on first touch.
    pub fn get(&self, range: Range<usize>) -> Result<&'c [u8], Damaged> {
        if range.start > range.end || range.end > self.len() {
            return Err(Damaged("a reference lies outside its section"));
        }
        if range.is_empty() {
            return Ok(&[]);
        }
        let sums = &self.file[self.entry.sums.clone()];
        if !self.entry.is_checked(0) {
            if xxh3_64(sums) != self.entry.sums_check {
                return Err(Damaged("the checksums do not match theirs"));
            }
            self.entry.set_checked(0);
        }
        for block in range.start / BLOCK..=(range.end - 1) / BLOCK {
            if self.entry.is_checked(block + 1) {
                continue;
            }
            let start = self.entry.range.start + block * BLOCK;
            let bytes = &self.file[start..(start + BLOCK).min(self.entry.range.end)];
            if xxh3_64(bytes) != long(sums, block * 8) {
                return Err(Damaged("a block does not match its checksum"));
            }
            self.entry.set_checked(block + 1);
        }
        Ok(&self.file[self.entry.range.start + range.start..self.entry.range.start + range.end])
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample() -> Vec<u8> {
        let mut writer = Writer::new(7);
        writer.section(1, vec![1; 40_000]);
        writer.section(2, b"hello".to_vec());
        writer.finish()
    }

    #[test]
    fn sections_read_back() {
        let container = Container::in_memory(sample(), 7).unwrap();
        assert_eq!(container.section(2).unwrap().all().unwrap(), b"hello");
        assert_eq!(container.section(1).unwrap().get(20_000..20_003).unwrap(), [1, 1, 1]);
        assert!(container.verify().is_ok());
        assert!(container.section(3).is_err());
        assert!(Container::in_memory(sample(), 8).is_err());
    }

    #[test]
    fn every_flipped_byte_and_every_cut_is_noticed() {
        let good = sample();
        let ok =
            |bytes: Vec<u8>| Container::in_memory(bytes, 7).is_ok_and(|container| container.verify().is_ok());
        for at in (0..good.len()).step_by(97).chain(0..200) {
            let mut bad = good.clone();
            bad[at] ^= 0x10;
            // Four bytes of the table are padding, covered by the head's checksum like the rest.
            assert!(!ok(bad), "byte {at}");
        }
        for length in (0..good.len()).step_by(1013) {
            assert!(!ok(good[..length].to_vec()), "cut at {length}");
        }
    }

    #[test]
    fn another_version_says_so() {
        let mut newer = sample();
        newer[8] = 99;
        assert!(matches!(Container::in_memory(newer, 7), Err(IndexError::Version { found: 99, .. })));
    }
}
