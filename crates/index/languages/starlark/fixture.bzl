load("//tools:defs.bzl", "place")

LIMIT = 8

def place_library(name, srcs = []):
    """Declares a library of places."""
    native.cc_library(name = name, srcs = srcs)

place_library(
    name = "main",
    srcs = ["a.cc"],
)
