//! The one place with `unsafe`: mapping an immutable file.
//!
//! Reading an index of 150 MB into memory would cost 100 ms per process; a mapping costs microseconds and touches what
//! a query touches. Soundness rests on this crate's rule that index files are written under a temporary name, renamed
//! and never written again; removing one leaves a mapping intact. Where a foreign process cuts a file short under us,
//! touching what is gone raises SIGBUS: the length is therefore looked at again before every search, and what is left is
//! the moment between that look and the end of the search.

use memmap2::Mmap;
use std::fs::File;
use std::io;
use std::ops::Deref;
use std::path::Path;

/// The bytes of a file, or of a container that was never written.
#[derive(Debug)]
pub(crate) enum Bytes {
    Mapped(Mmap, File),
    Owned(Vec<u8>),
}

impl Bytes {
    pub fn map(path: &Path) -> io::Result<Bytes> {
        let file = File::open(path)?;
        if file.metadata()?.len() == 0 {
            return Ok(Bytes::Owned(Vec::new()));
        }
        #[allow(unsafe_code)]
        // SAFETY: index files are immutable once they have their name, see above.
        let mapped = unsafe { Mmap::map(&file)? };
        Ok(Bytes::Mapped(mapped, file))
    }

    /// The file is no longer as long as it was.
    pub fn is_cut(&self) -> bool {
        match self {
            Bytes::Mapped(map, file) => file.metadata().is_ok_and(|file| file.len() < map.len() as u64),
            Bytes::Owned(_) => false,
        }
    }
}

impl Deref for Bytes {
    type Target = [u8];

    fn deref(&self) -> &[u8] {
        match self {
            Bytes::Mapped(map, _) => map,
            Bytes::Owned(bytes) => bytes,
        }
    }
}
