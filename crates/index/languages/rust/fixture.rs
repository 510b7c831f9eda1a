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

#[cfg(test)]
mod tests {
    #[test]
    fn reserving_works() {}
}
