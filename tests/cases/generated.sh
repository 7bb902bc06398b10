#!/bin/bash
# Every capture in captures/generated is what its scenario says: scenario2pcap makes the same bytes again.
# Usage: generated.sh SCENARIO2PCAP
# SPDX-License-Identifier: GPL-2.0-or-later
set -u

captures=$(cd "$(dirname "$0")/../../captures" && pwd)
made=$(mktemp)
trap 'rm -f "$made"' EXIT
passed=0 failed=0
for scenario in "$captures"/scenarios/*.scn; do
    name=$(basename "$scenario" .scn)
    if "$1" "$scenario" "$made" && cmp "$made" "$captures/generated/$name.pcap"; then
        passed=$((passed + 1))
    else
        echo "FAILED $name"
        failed=$((failed + 1))
    fi
done
echo "$passed passed, $failed failed"
