//! Parking places.
use std::fmt;

const LIMIT: usize = 8;

/// A place to leave a car.
#[derive(Debug)]
pub struct Place<T> {
    owner: T,
}

impl<T: fmt::Debug> Place<T> {
    /// Reserves the place.
    pub fn reserve(&mut self, owner: T) -> bool {
        self.owner = owner;
        true
    }
}

pub trait Park {
    fn park(&self) -> usize;
}

enum State { Free, Taken }

macro_rules! places { () => {}; }

mod inner {
    pub fn helper() {}
}

bitflags! {
    /// What a place offers.
    pub struct Offer: u32 {
        const ROOF = 1;
    }
}

lazy_static! {
    /// All places there are.
    static ref PLACES: Vec<usize> = count();
}

cfg_if! {
    if #[cfg(unix)] {
        /// Opens the gate.
        pub fn open_gate() -> bool { true }
    }
}

thread_local!(static NOTHING: usize = 1);

assert_sizes!(Place, 4);

#[cfg(test)]
mod tests {
    #[test]
    fn reserving_works() {}
}
