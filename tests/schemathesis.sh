#!/bin/sh
# Lets schemathesis try to prove the OpenAPI document of `mainstay serve` wrong.
#
# The server runs read-only, in an empty repository with a cache of its own: every tool that is left
# gets thousands of odd requests. MAINSTAY_BIN names the program, MAINSTAY_TEST_VENV the folder of
# schemathesis; further arguments go to schemathesis.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
program=${MAINSTAY_BIN:-$root/target/debug/mainstay}
schemathesis=${MAINSTAY_TEST_VENV:-$root/.deps/venv}/bin/schemathesis

for needed in "$program" "$schemathesis"; do
    if [ ! -x "$needed" ]; then
        echo "error: $needed is missing" >&2
        echo "hint: build the program and run the set-up script of the tests" >&2
        exit 1
    fi
done

work=$(mktemp -d)
mkdir "$work/repo" "$work/cache" "$work/home"
cd "$work"
HOME=$work/home "$program" serve --json --port 0 --repo "$work/repo" --cache-dir "$work/cache" --read-only \
    --toolsets search,catalog,foundry >"$work/address" 2>"$work/log" &
server=$!
trap 'kill "$server" 2>/dev/null; wait "$server" 2>/dev/null || true; rm -rf "$work"' EXIT

url=
tries=0
while [ -z "$url" ]; do
    url=$(sed -n 's/.*"url":"\([^"]*\)".*/\1/p' "$work/address")
    tries=$((tries + 1))
    if [ "$tries" -gt 200 ] || ! kill -0 "$server" 2>/dev/null; then
        echo "error: the server did not announce its address" >&2
        cat "$work/log" >&2
        exit 1
    fi
    [ -n "$url" ] || sleep 0.1
done

# A missing capability, a full queue and a timeout are answers of the contract, not broken servers.
cat >"$work/schemathesis.toml" <<'CONFIG'
[checks.not_a_server_error]
expected-statuses = ["2xx", "3xx", "4xx", "501", "503", "504"]

# A search has rules that no schema can say: a date, a cursor of an earlier answer, JSON as text, a cursor only
# with one mode. Nor has a path that may not lead upwards. References have cursors too, and a change is either a diff
# or a range of commits.
[[operations]]
include-path-regex = "^/(tools/)?(search(/stream)?|verify_extensions|symbol_references|impact)$"
checks.positive_data_acceptance.expected-statuses = ["2xx", "400", "401", "403", "404", "409", "429", "5xx"]
CONFIG

"$schemathesis" --config-file "$work/schemathesis.toml" run "$url/openapi.json" --checks all --max-examples 10 --seed 1 --no-color "$@"
