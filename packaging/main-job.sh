#!/bin/sh
# What a user does first with the packages, inside a system that has them: packaging/build.sh calls it there.
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
capture=/tmp/http_wrk.pcap
cd "$HOME"

tshark -q -r $capture -z latency,servers >by-tshark
latency-scan --json one.jsonl -z latency,servers $capture >by-scan
cmp by-tshark by-scan
cat by-tshark

# Each program says which it is, and merging one capture changes no row.
latency-merge one.jsonl >merged
grep -qF "$(tail -n 1 by-tshark)" merged
latency-report one.jsonl -o report.html
grep -q '</html>' report.html
latency-export one.jsonl --otlp one.otlp
grep -q spanId one.otlp
for program in latency-scan latency-merge latency-report latency-export kernel-stages; do
    $program --version
done

# Wireshark finds the interface, and the profiles.
tshark -D 2>&1 | grep kernel-stages
for profile in Latency 'Latency in the host' EPICS; do
    tshark -q -r $capture -C "$profile"
done

# The documents are where they are looked for.
for page in man7/latency.7 man1/kernel-stages.1 man1/latency-scan.1 man1/latency-merge.1 man1/latency-report.1 man1/latency-export.1; do
    [ -s /usr/share/man/$page.gz ]
done
[ -e /usr/share/doc/wireshark-latency/README.md.gz ] || [ -e /usr/share/doc/wireshark-latency/README.md ]
