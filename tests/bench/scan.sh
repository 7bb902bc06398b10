#!/bin/bash
# Median CPU and wall seconds of latency-scan with one thread and with two, and of tshark and tcptrace where they are, in interleaved runs.
# Usage: scan.sh LATENCY-SCAN FILE ROUNDS    ($TSHARK: a tshark that has the plugin, not root's; else it is left out)
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

program=$1 file=$2 rounds=$3
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

measure() {
    local name=$1
    shift
    /usr/bin/time -a -o "$dir/$name" -f '%U %S %e' "$@" >/dev/null 2>&1
}

for _ in $(seq "$rounds"); do
    measure latency-scan-j1 "$program" -j 1 -z latency,servers "$file"
    measure latency-scan-j2 "$program" -j 2 -z latency,servers "$file"
    [ -z "${TSHARK:-}" ] || measure tshark "$TSHARK" -n -q -r "$file" -z latency,servers
    ! command -v tcptrace >/dev/null || measure tcptrace tcptrace -n "$file"
done
median() { sort -n | awk '{ a[NR] = $1 } END { print a[int((NR + 1) / 2)] }'; }
for each in "$dir"/*; do
    echo "$(basename "$each"): CPU $(awk '{ print $1 + $2 }' "$each" | median) s, wall $(awk '{ print $3 }' "$each" | median) s"
done
