#!/bin/bash
set -eu

# Reserves a place.
reserve() {
  local owner=$1
  echo "$owner"
}

function release {
  echo free
}

reserve "$@"
