//! From byte offsets to line numbers.

/// Where the lines of a text start.
pub(crate) struct Lines {
    starts: Vec<u32>,
}

impl Lines {
    pub fn of(text: &str) -> Lines {
        let newlines = || memchr::memchr_iter(b'\n', text.as_bytes());
        let mut starts = Vec::with_capacity(newlines().count() + 1);
        starts.push(0);
        starts.extend(newlines().map(|at| at as u32 + 1));
        Lines { starts }
    }

    /// The line of a byte offset, counted from 1.
    pub fn line(&self, offset: usize) -> u32 {
        self.starts.partition_point(|start| *start as usize <= offset) as u32
    }

    /// Where a line (counted from 1) starts; the end of the text for lines past it.
    pub fn start(&self, line: u32) -> Option<usize> {
        self.starts.get(line.saturating_sub(1) as usize).map(|start| *start as usize)
    }

    pub fn count(&self) -> u32 {
        self.starts.len() as u32
    }
}
