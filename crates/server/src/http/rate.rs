//! How many requests one caller may send.

use std::collections::HashMap;
use std::net::IpAddr;
use std::sync::{Mutex, PoisonError};
use std::time::{Duration, Instant};

/// Callers remembered at once; beyond it the ones with a full bucket are forgotten first.
const MAX_CALLERS: usize = 10_000;

/// Whose requests are counted together.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub enum Who {
    /// Everybody with this token.
    Token(String),
    /// Everybody at this address.
    Address(IpAddr),
}

impl Who {
    /// A customer has a whole network of the sixth version, so that it counts as one address.
    pub fn at(address: IpAddr) -> Who {
        Who::Address(match address {
            IpAddr::V6(long) => match long.to_ipv4_mapped() {
                Some(short) => short.into(),
                None => {
                    let [a, b, c, d, ..] = long.segments();
                    std::net::Ipv6Addr::new(a, b, c, d, 0, 0, 0, 0).into()
                }
            },
            short => short,
        })
    }
}

/// A bucket per caller.
pub struct Rate {
    per_minute: Option<u32>,
    callers: Mutex<HashMap<Who, (f64, Instant)>>,
}

impl Rate {
    pub fn new(per_minute: Option<u32>) -> Rate {
        Rate { per_minute, callers: Mutex::default() }
    }

    /// Counts a request, or says how long to wait before the next; `own` is the caller's limit in place of the common one.
    pub fn take(&self, who: Who, own: Option<u32>, now: Instant) -> Result<(), Duration> {
        let Some(limit) = own.or(self.per_minute) else { return Ok(()) };
        let (size, per_second) = (f64::from(limit), f64::from(limit) / 60.0);
        let refilled = |(left, counted): (f64, Instant)| {
            (left + now.saturating_duration_since(counted).as_secs_f64() * per_second).min(size)
        };
        let mut callers = self.callers.lock().unwrap_or_else(PoisonError::into_inner);
        if callers.len() >= MAX_CALLERS && !callers.contains_key(&who) {
            callers.retain(|_, bucket| refilled(*bucket) < size);
            if callers.len() >= MAX_CALLERS {
                callers.clear();
            }
        }
        let bucket = callers.entry(who).or_insert((size, now));
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
    fn each_caller_has_its_own_bucket_that_refills() {
        let rate = Rate::new(Some(2));
        let (one, other) = (Who::at([10, 0, 0, 1].into()), Who::Token("ci".into()));
        let now = Instant::now();
        let take = |who: &Who, own, now| rate.take(who.clone(), own, now);
        assert!(take(&one, None, now).is_ok() && take(&one, None, now).is_ok());
        assert_eq!(take(&one, None, now).unwrap_err(), Duration::from_secs(30));
        assert!(take(&other, Some(1), now).is_ok() && take(&other, Some(1), now).is_err());
        assert!(take(&one, None, now + Duration::from_secs(31)).is_ok());
        assert!(Rate::new(None).take(one, None, now).is_ok());
    }

    #[test]
    fn addresses_of_one_network_are_one_caller() {
        let at = |text: &str| Who::at(text.parse().unwrap());
        assert_eq!(at("2001:db8:1:2::1"), at("2001:db8:1:2:ffff::9"));
        assert_ne!(at("2001:db8:1:2::1"), at("2001:db8:1:3::1"));
        assert_eq!(at("::ffff:10.0.0.1"), at("10.0.0.1"));
        assert_ne!(at("10.0.0.1"), at("10.0.0.2"));
    }
}
