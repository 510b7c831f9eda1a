#!/usr/bin/env bash
source ./ledger/client.sh
. lib/records.sh

target() {
  local copy="$amount"
  total=0
  for row in $rest; do
    if [ -z "$row" ]; then
      continue
    elif [ "$row" = closed ]; then
      break
    fi
    total=$((total + balance))
  done
  while [ "$total" -gt "$limit" ]; do
    total=$((total - 1))
  done
  state[0]=$copy
  settle "$total"
  case "$total" in
    0) return 1 ;;
  esac
}

decoy() {
  # target settle amount balance total
  note='settle "$total" copy=$amount'
  echo "$note"
  for one in $other; do
    pick "$one"
  done
  if [ -n "$sum" ]; then
    pick "$sum"
  fi
}
