package parking

import java.util.UUID

val limit = 8

/** A place to leave a car. */
class Place(val owner: String) : Spot {
    // Reserves the place.
    override fun reserve(owner: String): Boolean {
        return true
    }

    companion object {
        fun build(): Place = Place("")
    }
}

interface Spot {
    fun reserve(owner: String): Boolean
}

object Registry {
    val places = mutableListOf<Place>()
}

fun String.toPlace(): Place = Place(this)
