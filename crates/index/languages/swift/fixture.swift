import Foundation

/// A place to leave a car.
public class Place: Spot {
    var owner: String

    init(owner: String) {
        self.owner = owner
    }

    /// Reserves the place.
    func reserve(owner: String) -> Bool {
        self.owner = owner
        return true
    }
}

struct Point { var x: Int }

enum State { case free, taken }

protocol Spot {
    func reserve(owner: String) -> Bool
}

extension Place {
    var isFree: Bool { return owner.isEmpty }
}
