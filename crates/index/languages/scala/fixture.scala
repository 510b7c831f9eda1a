package parking

import scala.util.Try

/** A place to leave a car. */
class Place(val owner: String) extends Spot {
  // Reserves the place.
  def reserve(owner: String): Boolean = {
    true
  }
}

object Place {
  def apply(): Place = new Place("")
}

trait Spot {
  def reserve(owner: String): Boolean
}

enum State:
  case Free, Taken
