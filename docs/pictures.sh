#!/bin/bash
# Usage: docs/pictures.sh [tables]
# Takes the documents' pictures anew, with the columns that they show (docs/pictures.txt), and the tables below lines that begin with "$ tshark".
# `tables`: only these. The pictures take root.
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/cmake/setup.sh"

case ${1-} in
'' | tables) ;;
*)
    sed -n '2,4s/^# //p' "$0"
    exit 2
    ;;
esac
need_packages cmake ninja-build gcc libc6-dev pkg-config libglib2.0-dev libgcrypt20-dev libnghttp2-dev libwireshark-dev libwiretap-dev libwsutil-dev libpcap-dev libjs-chart.js tshark python3
[ "${1-}" = tables ] || need_packages wireshark xvfb xauth xdotool imagemagick chromium-headless-shell nginx-light wrk tcpdump ethtool iproute2
export PATH=/usr/bin:$PATH PYTHONDONTWRITEBYTECODE=1
build release
report() {
    "$here/build/release/bin/latency-scan" --json "$folder/shop.jsonl" -z latency,servers "$folder/shop.pcap" >/dev/null
    "$here/build/release/bin/latency-report" "$folder/shop.jsonl" -o "$folder/shop.html"
    chromium-headless-shell --no-sandbox --disable-gpu --hide-scrollbars --window-size=1240,1630 --virtual-time-budget=5000 \
        --screenshot="$folder/shop.png" "file://$folder/shop.html" 2>/dev/null
    convert "$folder/shop.png" -strip +dither -colors 255 "png8:$here/docs/report.png"
}
# Of a response that was right, in the middle of those that took more than half as long as the slowest.
slow_frame() {
    "$here/build/release/bin/latency-scan" -o latency.format:json -z latency,requests "$folder/shop.pcap" |
        python3 -c 'import json, sys
took = {row["response_frame"]: row["first_byte_ms"] for row in map(json.loads, sys.stdin) if row.get("status") == "200"}
slowest = max(took.values())
slow = [frame for frame in took if took[frame] > slowest / 2]
print(slow[len(slow) // 2])'
}
# Of 200 000 requests of a web server, recorded here.
pictures() {
    folder=$(mktemp -d)
    trap 'rm -r "$folder"' EXIT
    chmod a+rx "$folder"
    "$here/tests/bench/record.sh" "$folder/shop.pcap" 460000 shop
    chmod a+r "$folder/shop.pcap"
    local frame
    frame=$(slow_frame)
    "$here/tests/gui/window.py" "$here/build/release/latency.so" "$here/docs" "$folder/shop.pcap" "$frame"
    report
}
[ "${1-}" = tables ] || pictures
python3 "$here/tests/cases/recipes.py" --retake "$here/build/release/latency.so"
