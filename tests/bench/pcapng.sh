#!/bin/bash
# Instructions of latency-scan, with one thread, for a pcap file, for the same as pcapng, and for that compressed; and their ratios to the first.
# Usage: pcapng.sh LATENCY-SCAN FILE.pcap    (needs editcap and valgrind)
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

program=$1 file=$2
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT

instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$program" -j 1 -z latency,servers "$1" 2>&1 >/dev/null | awk '/Collected/ { print $4 }'
}

editcap -F pcapng "$file" "$dir/as.pcapng"
gzip -k "$dir/as.pcapng"
first=$(instructions "$file")
for each in "$file" "$dir/as.pcapng" "$dir/as.pcapng.gz"; do
    instructions "$each" | awk -v name="$(basename "$each")" -v first="$first" '{ printf "%s: %d instructions, %.3f\n", name, $1, $1 / first }'
done
