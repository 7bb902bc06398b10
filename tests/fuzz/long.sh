#!/bin/bash
# Fuzzes all targets in turn, each where it stopped, until it has been run 10^9 times or somebody ends it: Ctrl-C at any time.
# Usage: tests/fuzz/long.sh [SECONDS_EACH [TARGET…]]    (default: 3600, all; one parser: "framing http2")
# Each round has another longest input, short ones more often, for they run more often in a second; every other one is without
# AddressSanitizer. A target is left out of rounds whose inputs are too short for it to read anything. What was run is counted in the
# table of tests/fuzz/README.md, what was found is in build/fuzz.
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

case ${1-} in
-h | --help)
    sed -n '2,6s/^# //p' "$0"
    exit
    ;;
esac
here=$(cd "$(dirname "$0")/../.." && pwd)
readme=$here/tests/fuzz/README.md
enough=1000000000
seconds=${1:-3600}
shift || true
rounds=("MAX_LEN=256" "MAX_LEN=256 QUICK=1" "MAX_LEN=1024" "MAX_LEN=1024 QUICK=1" "MAX_LEN=4096" "MAX_LEN=16384")
if [ $# -eq 0 ]; then
    # of the table
    mapfile -t names < <(sed -n 's/^| `\([a-z0-9_ ]*\)` | [0-9].*/\1/p' "$readme")
    set -- "${names[@]}"
fi

# Of the target's line in the table.
runs_of() {
    sed -n "s/^| \`$1\` | \([0-9]*\) |.*/\1/p" "$readme"
}

# Shorter inputs are refused before anything is read of them: the first and last lines of a JSON file, the first blocks of a capture.
least_of() {
    case $1 in
    merge) echo 2048 ;;
    pcapng | report) echo 1024 ;;
    *) echo 1 ;;
    esac
}

mkdir -p "$here/build/fuzz"
for ((round = 0;; round++)); do
    goes_on=
    for target; do
        before=$(runs_of "$target")
        [ "$before" -lt "$enough" ] || continue
        goes_on=yes
        length=${rounds[round % ${#rounds[@]}]%% *}
        [ "${length#MAX_LEN=}" -ge "$(least_of "$target")" ] || continue
        log=$here/build/fuzz/long-${target/ /-}.log
        failed=
        # shellcheck disable=SC2086 # a target and its protocol are two words, and so are settings
        env ${rounds[round % ${#rounds[@]}]} "$here/tests/fuzz/run.sh" "$seconds" $target >"$log" 2>&1 || failed=$?
        runs=$(sed -n 's/^stat::number_of_executed_units: *//p' "$log" | tail -1)
        if [ -z "$runs" ]; then
            tail -5 "$log" >&2
            exit 1
        fi
        sed -i "s/^| \`$target\` | $before | .*/| \`$target\` | $((before + runs)) | $(date +%F) |/" "$readme"
        echo "$target: $runs runs, $((before + runs)) in all"
        if [ -n "$failed" ]; then
            echo "$target failed: see $log" >&2
            exit "$failed"
        fi
    done
    [ -n "$goes_on" ] || break
done
