//! The token file of a running server: a change holds within a second, without a restart.

use std::path::PathBuf;
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant, SystemTime};

use super::book::{TokenBook, TokenError};

/// How often the file is looked at.
const LOOK: Duration = Duration::from_secs(1);

/// What tells one version of the file from another.
type Stamp = Option<(SystemTime, u64)>;

struct State {
    book: Arc<TokenBook>,
    stamp: Stamp,
    looked: Instant,
}

pub struct Watched {
    path: PathBuf,
    state: Mutex<State>,
}

impl Watched {
    pub fn open(path: PathBuf) -> Result<Watched, TokenError> {
        let stamp = stamp(&path);
        let book = Arc::new(TokenBook::read(&path)?);
        Ok(Watched { path, state: Mutex::new(State { book, stamp, looked: Instant::now() }) })
    }

    /// The tokens as the file has them now. A file that became unreadable holds none: revoking must not fail open.
    pub fn current(&self) -> Arc<TokenBook> {
        let mut state = self.state.lock().unwrap_or_else(PoisonError::into_inner);
        if state.looked.elapsed() >= LOOK {
            state.looked = Instant::now();
            let stamp = stamp(&self.path);
            if stamp != state.stamp || stamp.is_none() {
                state.stamp = stamp;
                state.book = Arc::new(TokenBook::read(&self.path).unwrap_or_else(|error| {
                    tracing::error!("{error}; no token of it is accepted");
                    state.stamp = None;
                    TokenBook::default()
                }));
            }
        }
        Arc::clone(&state.book)
    }
}

fn stamp(path: &PathBuf) -> Stamp {
    let metadata = std::fs::metadata(path).ok()?;
    Some((metadata.modified().ok()?, metadata.len()))
}
