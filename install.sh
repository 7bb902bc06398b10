#!/bin/bash
# Sets up everything, installs the plugin and its profile, and prints the latency of the servers in a capture.
# Usage: ./install.sh [CAPTURE]
# For the user who runs it; for every user if that is root, because Wireshark loads no user's plugins for root.
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/cmake/setup.sh"

capture=${1:-$here/captures/tcp/http_wrk.pcap}
if [ ! -r "$capture" ]; then
    echo "Usage: $0 [CAPTURE]    ($capture cannot be read)" >&2
    exit 1
fi
scope=user
[ "$(id -u)" -ne 0 ] || scope=system

need_packages cmake ninja-build gcc libc6-dev pkg-config libglib2.0-dev libjson-glib-dev libwireshark-dev libwiretap-dev libwsutil-dev tshark
build release -DLATENCY_INSTALL=$scope
installed=$(cmake --install "$here/build/release")
sed -n 's/^-- \(Installing\|Up-to-date\): /Installed /p; s/^-- \(Kept\)/\1/p' <<<"$installed"
helper=$(sed -n 's/^-- [A-Z][A-Za-z-]*: \(.*\/kernel-stages\)$/\1/p' <<<"$installed")
if [ -z "$helper" ]; then
    echo "kernel-stages is not installed: it needs libbpf-dev, clang, bpftool and /sys/kernel/btf/vmlinux (docs/kernel-stages.md)"
elif [ $scope = system ]; then
    echo "Root may use the interface kernel-stages. For others, after reading docs/kernel-stages.md: setcap cap_bpf,cap_perfmon,cap_net_admin+ep $helper"
elif ! "$helper" --list >/dev/null 2>&1; then
    echo "The interface kernel-stages needs rights: sudo setcap cap_bpf,cap_perfmon,cap_net_admin+ep $helper"
fi
system=$(pkg-config --variable=plugindir wireshark)/epan/latency.so
if [ $scope = user ] && [ -e "$system" ]; then
    echo "$system is installed for everybody, and Wireshark takes that one. To use yours: sudo rm $system"
fi
# -n: no name look-ups. For root, tshark says on stderr that running it so could be dangerous.
tshark -n -q -r "$capture" -z latency,servers
