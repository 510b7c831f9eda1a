cmake_minimum_required(VERSION 3.20)
project(parking)

# Adds a place.
function(add_place name)
  message(STATUS "${name}")
endfunction()

macro(set_owner owner)
  set(OWNER ${owner})
endmacro()
