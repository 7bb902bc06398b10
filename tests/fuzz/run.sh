#!/bin/bash
# Fuzzes with AddressSanitizer and UndefinedBehaviorSanitizer; what it finds is in build/fuzz.
# Usage: tests/fuzz/run.sh [SECONDS [ca|framing|frames]]    (default 600 ca; needs clang)
# To keep what runs found, once run.sh has unpacked what is kept already (TARGET is ca, framing or frames):
#   build/fuzz/fuzz-TARGET -merge=1 build/fuzz/kept-TARGET build/fuzz/corpus-TARGET
#   tests/fuzz/pack.py build/fuzz/kept-TARGET tests/fuzz/TARGET.pcap
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
build=$here/build/fuzz
target=${2:-ca}
rm -rf "$build/kept-$target"
mkdir -p "$build/corpus-$target"
"$here/tests/fuzz/pack.py" --unpack "$here/tests/fuzz/$target.pcap" "$build/kept-$target"
sources="$here/plugin/core"
libraries=-lwsutil
if [ "$target" = frames ]; then
    sources="$sources $here/plugin/frame $here/plugin/table $here/plugin/json $(cd "$here/latency-scan" && ls "$PWD"/{closing,datagram,decap_*,known_ports,listeners,not_read,preferences,ranges,scan,texts}.c)"
    libraries="-lwiretap -lwsutil"
fi
# shellcheck disable=SC2046,SC2086 # flags are words
clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -I"$here/plugin" -I"$here/latency-scan" -DLATENCY_VERSION='"fuzzed"' \
    $(pkg-config --cflags wireshark glib-2.0) $(find $sources -name "*.c") "$here/tests/fuzz/fuzz-$target.c" \
    -o "$build/fuzz-$target" $(pkg-config --libs glib-2.0) $libraries -lm
cd "$build"
exec "./fuzz-$target" -max_total_time="${1:-600}" -max_len=16384 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 \
    "corpus-$target" "kept-$target" "$here/tests/fuzz/crashes-$target"
