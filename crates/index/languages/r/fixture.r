library(stats)

# Reserves a place.
reserve <- function(place, owner = NULL) {
  place$owner <- owner
  place
}

helper = function(x) x + 1
