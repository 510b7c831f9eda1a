#include <string>

namespace parking {

/// A place to leave a car.
class Place : public Base {
 public:
  explicit Place(std::string owner) : owner_(owner) {}
  ~Place() {}

  bool reserve(const std::string& owner);

  template <typename T>
  T convert(T value) {
    return value;
  }

 private:
  std::string owner_;
};

// Reserves the place.
bool Place::reserve(const std::string& owner) {
  owner_ = owner;
  return true;
}

enum class State { kFree, kTaken };

using Places = std::vector<Place>;

}  // namespace parking

TEST(PlaceTest, Reserves) {
  EXPECT_TRUE(true);
}
