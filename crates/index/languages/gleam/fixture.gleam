import gleam/string

/// A place to leave a car.
pub type Place {
  Place(owner: String)
}

pub const limit = 8

/// Reserves the place.
pub fn reserve(place: Place, owner: String) -> Place {
  Place(owner: owner)
}
