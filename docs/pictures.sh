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
need_packages cmake ninja-build gcc libc6-dev pkg-config libglib2.0-dev libjson-glib-dev libnghttp2-dev libwireshark-dev libwiretap-dev libwsutil-dev tshark python3
[ "${1-}" = tables ] || need_packages wireshark xvfb xauth xdotool imagemagick
export PATH=/usr/bin:$PATH PYTHONDONTWRITEBYTECODE=1
build release
[ "${1-}" = tables ] || "$here/tests/gui/window.py" "$here/build/release/latency.so" "$here/docs"
python3 "$here/tests/cases/recipes.py" --retake "$here/build/release/latency.so"
