//! Pages of long lists: a cursor says where the next one starts, and of which answer.

use mainstay_index::IndexError;
use sha2::{Digest as _, Sha256};

use crate::SearchError;
use crate::hex::hex;

/// Where an answer starts, and what its cursors are tied to.
pub struct Page {
    pub offset: usize,
    pub limit: usize,
    mark: String,
}

impl Page {
    /// `about` is everything the list depends on.
    pub fn new(about: &str, cursor: Option<&str>, limit: usize) -> Result<Page, SearchError> {
        let digest = Sha256::digest(about.as_bytes());
        let mark = hex(&digest[..8]);
        let offset = match cursor {
            None => 0,
            Some(cursor) => {
                let parts = cursor.split_once('-').filter(|(_, known)| *known == mark);
                parts.and_then(|(offset, _)| offset.parse().ok()).ok_or(IndexError::BadCursor)?
            }
        };
        Ok(Page { offset, limit, mark })
    }

    /// The rows of this page.
    pub fn of<'r, T>(&self, rows: &'r [T]) -> &'r [T] {
        let start = self.offset.min(rows.len());
        &rows[start..(start + self.limit).min(rows.len())]
    }

    /// Where the next page starts; nothing at the end.
    pub fn next(&self, total: usize) -> Option<String> {
        let next = self.offset + self.limit;
        (next < total).then(|| format!("{next}-{}", self.mark))
    }
}
