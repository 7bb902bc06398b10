#!/bin/bash
# generate.sh SCENARIO2PCAP: makes captures/generated/*.pcap of captures/scenarios/*.scn.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
scenario2pcap=$(realpath "${1:?the path of the built scenario2pcap}")
cd "$(dirname "$0")/.."
mkdir -p generated
for scenario in scenarios/*.scn; do
    "$scenario2pcap" "$scenario" "generated/$(basename "$scenario" .scn).pcap"
done
