const std = @import("std");

/// A place to leave a car.
pub const Place = struct {
    owner: []const u8,

    /// Reserves the place.
    pub fn reserve(self: *Place, owner: []const u8) bool {
        self.owner = owner;
        return true;
    }
};

const State = enum { free, taken };

pub fn main() !void {
    std.debug.print("ok", .{});
}

test "reserving works" {
    try std.testing.expect(true);
}
