#!/bin/bash
# Sets up everything, installs the plugin and its profile, and prints the latency of the servers in a capture.
# Usage: ./install.sh [CAPTURE]
# For the user who runs it; for every user if that is root, because Wireshark loads no user's plugins for root.
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/cmake/setup.sh"

need_packages cmake ninja-build gcc libc6-dev pkg-config libglib2.0-dev libwireshark-dev libwiretap-dev libwsutil-dev tshark
build release
scope=user
[ "$(id -u)" -ne 0 ] || scope=system
cmake -S "$here" -B "$here/build/release" -DLATENCY_INSTALL=$scope >/dev/null
cmake --install "$here/build/release" | sed -n 's/^-- \(Installing\|Up-to-date\): /Installed /p'
# -n: no name look-ups. For root, tshark says on stderr that running it so could be dangerous.
tshark -n -q -r "${1:-$here/captures/tcp/http_wrk.pcap}" -z latency,servers
