#!/bin/bash
# Applies each fault of tests/mutants/ to a copy of HEAD, one at a time, and prints which case kills it.
# Usage: tests/mutants.sh [--quick-only] [--trust] [--markdown] [NAME…]    (all faults, if none is named)
#   --quick-only  runs the quick tests, and not everything for what survives them
#   --trust       does not run the tests on the copy without a fault first
#   --markdown    prints rows for the table of tests/mutants/README.md
# The copy is build/mutants/copy. Its build folders stay, so that only what a fault changes is built. It has no more than what is committed, but for
# the faults themselves. What the tests said is in build/mutants/NAME.log.
# Exits with 1 if a fault survived, with 2 if one could not be tried: its text does not occur exactly once (nothing runs then), or it does not build.
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
faults=$here/tests/mutants
base=$here/build/mutants
copy=$base/copy
limit_s=7200 # after which a run of the tests counts as hung
quick_only='' trusted='' markdown='' running='' names=()

for argument in "$@"; do
    case $argument in
    --quick-only) quick_only=1 ;;
    --trust) trusted=1 ;;
    --markdown) markdown=1 ;;
    -*) sed -n '2,/^# SPDX/s/^# //p' "$0" | sed '$d'; exit 2 ;;
    *) names+=("$argument") ;;
    esac
done
if [ ${#names[@]} -eq 0 ]; then
    for file in "$faults"/*.mutant; do
        names+=("$(basename "$file" .mutant)")
    done
fi

make_copy() {
    mkdir -p "$base"
    exec 9>"$base/lock"
    flock -n 9 || { echo "tests/mutants.sh runs already." >&2; exit 2; }
    [ -d "$copy/.git" ] || git clone -q "$here" "$copy"
    git -C "$copy" fetch -q "$here" HEAD
    git -C "$copy" checkout -q --force --detach FETCH_HEAD
    git -C "$copy" clean -q -f -d
}

undo() {
    git -C "$copy" checkout -q HEAD -- .
}

interrupt() {
    [ -z "$running" ] || kill "$running" 2>/dev/null || true
    undo
    exit 2
}

# try LOG [ARGUMENT…]: runs the copy's tests. Sets `verdict`: passed, killed (and `killer`), or broken, if they did not say what failed.
try() {
    local log=$1 status=0
    shift
    timeout "$limit_s" "$copy/tests/run.sh" "$@" >"$log" 2>&1 9>&- &
    running=$!
    wait "$running" || status=$?
    running=''
    killer=$(sed -n 's/^FAILED //p' "$log" | head -n 1)
    if [ "$status" -eq 0 ]; then
        verdict=passed
    elif [ -n "$killer" ]; then
        verdict=killed
    elif [ "$status" -eq 124 ]; then
        verdict=killed killer="it does not end"
    else
        verdict=broken
    fi
}

# try_all NAME: likewise, the quick tests and then everything. Sets `suite`, the last of them that ran.
try_all() {
    suite=quick
    try "$base/$1.log" quick -x
    [ "$verdict" = passed ] && [ -z "$quick_only" ] || return 0
    suite=everything
    try "$base/$1.log" -x
}

# say NAME TEXT
say() {
    if [ -n "$markdown" ]; then
        python3 "$faults/apply.py" row "$1" "${2#killed by }"
    else
        echo "$1: $2"
    fi
}

make_copy
python3 "$faults/apply.py" check "$copy" "${names[@]}" || exit 2
trap interrupt INT TERM
if [ -z "$trusted" ]; then
    try_all HEAD
    if [ "$verdict" != passed ]; then
        echo "Without a fault, the copy does not pass $suite${killer:+: $killer}; see $base/HEAD.log." >&2
        exit 2
    fi
fi

by_quick=0 by_everything=0 survived=0 untried=0
for name in "${names[@]}"; do
    begin=$SECONDS
    python3 "$faults/apply.py" apply "$copy" "$name"
    try_all "$name"
    undo
    case $verdict/$suite in
    killed/quick) by_quick=$((by_quick + 1)) ;;
    killed/*) by_everything=$((by_everything + 1)) ;;
    passed/*) survived=$((survived + 1)) ;;
    *) untried=$((untried + 1)) ;;
    esac
    case $verdict in
    killed) say "$name" "killed by $suite: $killer ($((SECONDS - begin)) s)" ;;
    passed) say "$name" SURVIVED ;;
    *) echo "$name: it does not build, or its tests do not say what failed; see $base/$name.log." >&2 ;;
    esac
done

others=''
[ "$untried" -eq 0 ] || others=", $untried could not be tried"
echo "$by_quick killed by quick, $by_everything by everything, $survived survived$others"
[ "$untried" -eq 0 ] || exit 2
[ "$survived" -eq 0 ]
