#!/bin/bash
# Usage: docs/pictures.sh [tables | report | animation]
# Takes the documents' pictures anew, with the columns that they show (docs/pictures.txt), and the tables below lines that begin with "$ tshark".
# `tables`: only these. `report`: only the picture of a report, whose page stays in build/shop.html. `animation`: only this (docs/animation.py).
# The other pictures take root.
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/cmake/setup.sh"

case ${1-} in
'' | tables | report | animation) ;;
*)
    sed -n '2,5s/^# //p' "$0"
    exit 2
    ;;
esac
browser='imagemagick chromium-headless-shell'
need_packages cmake ninja-build gcc libc6-dev pkg-config libglib2.0-dev libgcrypt20-dev libnghttp2-dev libnghttp3-dev libwireshark-dev libwiretap-dev libwsutil-dev libpcap-dev libjs-chart.js tshark python3
case ${1-} in
'') need_packages wireshark xvfb xauth xdotool $browser nginx-light wrk tcpdump ethtool iproute2 ;;
report) need_packages $browser ;;
animation) need_packages wireshark xvfb xauth xdotool $browser ;;
esac
export PATH=/usr/bin:$PATH PYTHONDONTWRITEBYTECODE=1
build release
# Of a capture that everybody has; as high as the pictures of the first operation.
report() {
    "$here/build/release/bin/latency-scan" --html "$here/build/shop.html" "$here/captures/tcp/shop.pcap"
    chromium-headless-shell --no-sandbox --disable-gpu --hide-scrollbars --window-size=1400,930 --virtual-time-budget=5000 \
        --screenshot="$here/build/shop.png" "file://$here/build/shop.html" 2>/dev/null
    convert "$here/build/shop.png" -strip +dither -colors 255 "png8:$here/docs/report.png"
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
}
case ${1-} in '' | report) report ;; esac
[ "${1-}" ] || pictures
case ${1-} in '' | tables) python3 "$here/tests/cases/recipes.py" --retake "$here/build/release/latency.so" ;; esac
case ${1-} in '' | animation) "$here/docs/animation.py" "$here/build/release" ;; esac
