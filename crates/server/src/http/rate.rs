//! How many requests one client may send.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Clients remembered at once; beyond it the ones with a full bucket are forgotten first.
const MAX_CLIENTS: usize = 10_000;

/// A token bucket per client address.
pub struct Rate {
    per_minute: Option<u32>,
    clients: Mutex<HashMap<IpAddr, (f64, Instant)>>,
}

impl Rate {
    pub fn new(per_minute: Option<u32>) -> Rate {
        Rate { per_minute, clients: Mutex::default() }
    }

    /// Takes a token, or says how long to wait for one.
    pub fn take(&self, client: IpAddr, now: Instant) -> Result<(), Duration> {
        let Some(limit) = self.per_minute else { return Ok(()) };
        let (size, per_second) = (f64::from(limit), f64::from(limit) / 60.0);
        let refilled = |(left, counted): (f64, Instant)| {
            (left + now.saturating_duration_since(counted).as_secs_f64() * per_second).min(size)
        };
        let mut clients = self.clients.lock().unwrap_or_else(PoisonError::into_inner);
        if clients.len() >= MAX_CLIENTS && !clients.contains_key(&client) {
            clients.retain(|_, bucket| refilled(*bucket) < size);
            if clients.len() >= MAX_CLIENTS {
                clients.clear();
            }
        }
        let bucket = clients.entry(client).or_insert((size, now));
        let left = refilled(*bucket);
        if left < 1.0 {
            *bucket = (left, now);
            return Err(Duration::from_secs_f64((1.0 - left) / per_second.max(f64::MIN_POSITIVE)));
        }
        *bucket = (left - 1.0, now);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_client_has_its_own_bucket_that_refills() {
        let rate = Rate::new(Some(2));
        let (one, other) = (IpAddr::from([10, 0, 0, 1]), IpAddr::from([10, 0, 0, 2]));
        let now = Instant::now();
        assert!(rate.take(one, now).is_ok() && rate.take(one, now).is_ok());
        assert_eq!(rate.take(one, now).unwrap_err(), Duration::from_secs(30));
        assert!(rate.take(other, now).is_ok());
        assert!(rate.take(one, now + Duration::from_secs(31)).is_ok());
        assert!(Rate::new(None).take(one, now).is_ok());
    }
}
