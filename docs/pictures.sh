#!/bin/bash
# Usage: docs/pictures.sh [tables]
# Takes the documents' pictures anew, with the columns that they show (docs/pictures.txt), and the tables below lines that begin with "$ tshark".
# `tables`: only these.
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
need_packages cmake ninja-build gcc libc6-dev pkg-config libglib2.0-dev libjson-glib-dev libnghttp2-dev libwireshark-dev libwiretap-dev libwsutil-dev libpcap-dev libjs-chart.js tshark python3
[ "${1-}" = tables ] || need_packages wireshark xvfb xauth xdotool imagemagick chromium-headless-shell
export PATH=/usr/bin:$PATH PYTHONDONTWRITEBYTECODE=1
build release
[ "${1-}" = tables ] || "$here/tests/gui/window.py" "$here/build/release/latency.so" "$here/docs"
report() {
    local folder
    folder=$(mktemp -d)
    "$here/build/release/bin/latency-scan" --json "$folder/shop.jsonl" -z latency,servers "$here/captures/tcp/shop.pcap" >/dev/null
    "$here/build/release/bin/latency-report" "$folder/shop.jsonl" -o "$folder/shop.html"
    chromium-headless-shell --no-sandbox --disable-gpu --hide-scrollbars --window-size=1240,1330 --virtual-time-budget=5000 \
        --screenshot="$folder/shop.png" "file://$folder/shop.html" 2>/dev/null
    convert "$folder/shop.png" -strip +dither -colors 255 "png8:$here/docs/report.png"
    rm -r "$folder"
}
[ "${1-}" = tables ] || report
python3 "$here/tests/cases/recipes.py" --retake "$here/build/release/latency.so"
