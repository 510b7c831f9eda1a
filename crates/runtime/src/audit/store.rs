//! Adding rows: one at a time over all processes, in an order that a crash cannot turn into a gap.

use std::fs::{self, File};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use super::verify::{Sealed, seal};

/// A file that has grown beyond this is put aside.
pub const MAX_FILE_BYTES: u64 = 32 * 1024 * 1024;
/// Hash before the first row.
pub const ORIGIN: &str = "0000000000000000000000000000000000000000000000000000000000000000";
pub const CURRENT: &str = "audit.jsonl";
pub const HEAD: &str = "head";

/// The newest row, and how long its file was after it.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Head {
    pub seq: u64,
    pub hash: String,
    pub len: u64,
}

impl Head {
    pub fn read(dir: &Path) -> io::Result<Option<Head>> {
        let text = match fs::read_to_string(dir.join(HEAD)) {
            Ok(text) => text,
            Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(None),
            Err(error) => return Err(error),
        };
        let mut words = text.split_whitespace();
        let head = (|| {
            let seq = words.next()?.parse().ok()?;
            let hash = words.next()?.to_owned();
            Some(Head { seq, hash, len: words.next()?.parse().ok()? })
        })();
        head.map(Some)
            .ok_or_else(|| io::Error::new(io::ErrorKind::InvalidData, "the head of the audit log is damaged"))
    }

    /// Overwrites in place with one short write: a torn head is read as damaged, never as another row.
    fn write(&self, file: &mut File) -> io::Result<()> {
        let text = format!("{:<20} {} {:<20}\n", self.seq, self.hash, self.len);
        file.seek(SeekFrom::Start(0))?;
        file.write_all(text.as_bytes())
    }
}

pub struct Store {
    dir: PathBuf,
    max_bytes: u64,
    /// Held by one process at a time; the mutex orders the threads of this one.
    lock: Mutex<File>,
}

impl Store {
    pub fn open(dir: &Path, max_bytes: u64) -> io::Result<Store> {
        fs::create_dir_all(dir)?;
        #[cfg(unix)]
        {
            use std::os::unix::fs::PermissionsExt;
            fs::set_permissions(dir, fs::Permissions::from_mode(0o700))?;
        }
        let lock = File::options().create(true).write(true).truncate(false).open(dir.join("lock"))?;
        Ok(Store { dir: dir.to_owned(), max_bytes, lock: Mutex::new(lock) })
    }

    /// Adds a row made for its number and the hash before it.
    pub fn append(&self, row: impl FnOnce(u64, &str) -> String) -> io::Result<()> {
        let lock = self.lock.lock().unwrap_or_else(PoisonError::into_inner);
        lock.lock()?;
        let done = self.append_locked(row);
        lock.unlock()?;
        done
    }

    fn append_locked(&self, row: impl FnOnce(u64, &str) -> String) -> io::Result<()> {
        let path = self.dir.join(CURRENT);
        let mut file = File::options().create(true).read(true).append(true).open(&path)?;
        let mut len = file.metadata()?.len();
        let mut head =
            Head::read(&self.dir)?.unwrap_or_else(|| Head { seq: 0, hash: ORIGIN.to_owned(), len: 0 });
        if len > head.len {
            len = catch_up(&mut file, &mut head)?;
        }
        if len > self.max_bytes {
            let first = first_seq(&mut file)?.unwrap_or(head.seq);
            fs::rename(&path, self.dir.join(format!("audit-{first:012}.jsonl")))?;
            file = File::options().create(true).append(true).open(&path)?;
            len = 0;
        }
        let sealed = seal(&row(head.seq + 1, &head.hash));
        file.write_all(sealed.line.as_bytes())?;
        let next = Head { seq: head.seq + 1, hash: sealed.hash, len: len + sealed.line.len() as u64 };
        let mut head = File::options().create(true).write(true).truncate(false).open(self.dir.join(HEAD))?;
        next.write(&mut head)
    }
}

/// Takes in rows whose writer died before the head was written, and cuts off a row that is not whole.
fn catch_up(file: &mut File, head: &mut Head) -> io::Result<u64> {
    file.seek(SeekFrom::Start(head.len))?;
    let mut tail = Vec::new();
    file.read_to_end(&mut tail)?;
    let mut at = head.len;
    for line in tail.split_inclusive(|byte| *byte == b'\n') {
        if line.last() != Some(&b'\n') {
            file.set_len(at)?;
            return Ok(at);
        }
        at += line.len() as u64;
        match Sealed::read(line).filter(|row| row.prev == head.hash && row.seq == head.seq + 1) {
            Some(row) => *head = Head { seq: row.seq, hash: row.hash, len: at },
            // Not ours: left where it is, for verification to find.
            None => continue,
        }
    }
    Ok(at)
}

fn first_seq(file: &mut File) -> io::Result<Option<u64>> {
    use std::io::BufRead;
    file.seek(SeekFrom::Start(0))?;
    let mut line = Vec::new();
    io::BufReader::new(file).read_until(b'\n', &mut line)?;
    Ok(Sealed::read(&line).map(|row| row.seq))
}
