#!/bin/bash
# Median CPU seconds of latency-scan, and of tshark and tcptrace where they are, in interleaved runs.
# Usage: scan.sh LATENCY-SCAN FILE ROUNDS    (tshark must have the plugin, or it is left out)
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

program=$1 file=$2 rounds=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

measure() {
    local name=$1
    shift
    /usr/bin/time -a -o "$dir/$name" -f '%U %S' "$@" >/dev/null 2>&1
}

for _ in $(seq "$rounds"); do
    measure latency-scan "$program" -z latency,servers "$file"
    if tshark -q -r /dev/null -z latency,servers >/dev/null 2>&1; then
        measure tshark tshark -n -q -r "$file" -z latency,servers
    fi
    if command -v tcptrace >/dev/null; then
        measure tcptrace tcptrace -n "$file"
    fi
done
for each in "$dir"/*; do
    awk '{ print $1 + $2 }' "$each" | sort -n | awk -v name="$(basename "$each")" '{ a[NR] = $1 } END { print name, a[int((NR + 1) / 2)], "s" }'
done
