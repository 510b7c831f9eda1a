//! How many refused requests get a row: whoever may not come in must not be able to fill the disk.

use std::sync::{Mutex, PoisonError};

use jiff::Timestamp;

/// Rows a minute for requests that were refused at the door; the others are counted.
const ROWS_A_MINUTE: u32 = 120;

#[derive(Default)]
struct Counted {
    minute: i64,
    rows: u32,
    omitted: u64,
}

/// Counts refused requests, minute by minute.
#[derive(Default)]
pub struct Flood(Mutex<Counted>);

impl Flood {
    /// How many requests were passed over before this one; `None` when it is passed over too.
    pub fn admit(&self, at: Timestamp) -> Option<u64> {
        let mut counted = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        let minute = at.as_second().div_euclid(60);
        if counted.minute != minute {
            (counted.minute, counted.rows) = (minute, 0);
        }
        if counted.rows >= ROWS_A_MINUTE {
            counted.omitted += 1;
            return None;
        }
        counted.rows += 1;
        Some(std::mem::take(&mut counted.omitted))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_flood_is_counted_and_the_next_row_says_how_much_was_left_out() {
        let (flood, at) = (Flood::default(), |second| Timestamp::from_second(second).unwrap());
        let kept = (0..ROWS_A_MINUTE + 50).filter(|_| flood.admit(at(59)).is_some()).count();
        assert_eq!(kept as u32, ROWS_A_MINUTE);
        assert_eq!((flood.admit(at(60)), flood.admit(at(61))), (Some(50), Some(0)));
    }
}
