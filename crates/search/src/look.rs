//! One look at the files for all calls that wait for one.

use std::sync::{Mutex, PoisonError};
use std::time::Instant;

/// When the files of an index were last looked at.
#[derive(Debug, Default)]
pub struct Looks(Mutex<Option<Instant>>);

impl Looks {
    /// Makes sure that the files were looked at after `asked`, by this call or by another one: whoever waits for a look
    /// shares the next that begins, and nobody takes one that began before he asked, which may have missed an edit.
    pub fn after<E>(&self, asked: Instant, look: impl FnOnce() -> Result<(), E>) -> Result<(), E> {
        let mut last = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        if last.is_some_and(|began| began >= asked) {
            return Ok(());
        }
        let began = Instant::now();
        look()?;
        *last = Some(began);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;
    use std::sync::atomic::{AtomicUsize, Ordering};

    #[test]
    fn calls_that_wait_share_a_look_and_later_ones_have_their_own() {
        let (looks, count, asked) = (Looks::default(), AtomicUsize::new(0), Barrier::new(8));
        let call = |asked| {
            looks.after(asked, || {
                count.fetch_add(1, Ordering::Relaxed);
                Ok::<(), ()>(())
            })
        };
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let now = Instant::now();
                    asked.wait();
                    call(now).unwrap();
                });
            }
        });
        assert_eq!(count.load(Ordering::Relaxed), 1, "all had asked before the first look began");
        call(Instant::now()).unwrap();
        assert_eq!(count.load(Ordering::Relaxed), 2);
        looks.after(Instant::now(), || Err(())).unwrap_err();
        call(Instant::now()).unwrap();
        assert_eq!(count.load(Ordering::Relaxed), 3, "a look that failed is none");
    }
}
