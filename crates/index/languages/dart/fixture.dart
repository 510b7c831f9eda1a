import 'dart:io';

/// A place to leave a car.
class Place extends Spot {
  String owner;

  Place(this.owner);

  /// Reserves the place.
  bool reserve(String owner) {
    this.owner = owner;
    return true;
  }

  bool get isFree => owner.isEmpty;
}

enum State { free, taken }

int helper(int value) {
  return value;
}
