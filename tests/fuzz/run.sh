#!/bin/bash
# Fuzzes with AddressSanitizer and UndefinedBehaviorSanitizer; what it finds is in build/fuzz.
# Usage: tests/fuzz/run.sh [SECONDS [ca|framing|tcp|merge|frames]]    (default 600 ca; needs clang)
# To keep what runs found, once run.sh has unpacked what is kept already (TARGET is ca, framing, tcp, merge or frames):
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
sources=() packages=(wireshark glib-2.0) options=() libraries=(-lwsutil -lnghttp2)
case $target in
merge)
    mapfile -t sources < <(find "$here/latency-merge" "$here/plugin/table" -name '*.c' ! -name main.c)
    packages+=(json-glib-1.0)
    ;;
frames)
    mapfile -t sources < <(find "$here/plugin/frame" "$here/plugin/table" "$here/plugin/json" -name '*.c'; ls "$here"/latency-scan/{closing,datagram,decap_*,known_ports,listeners,not_read,preferences,ranges,scan,texts}.c)
    libraries+=(-lwiretap)
    ;;
esac
[ ! -e "$here/tests/fuzz/$target.dict" ] || options=("-dict=$here/tests/fuzz/$target.dict")
mkdir -p "$here/tests/fuzz/crashes-$target"
# shellcheck disable=SC2046 # flags are words
clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -I"$here/plugin" -I"$here/latency-scan" -DLATENCY_VERSION='"fuzzed"' \
    $(pkg-config --cflags "${packages[@]}") $(find "$here/plugin/core" -name "*.c") "${sources[@]}" "$here/tests/fuzz/fuzz-$target.c" \
    -o "$build/fuzz-$target" $(pkg-config --libs glib-2.0 "${packages[@]:2}") "${libraries[@]}" -lm
cd "$build"
exec "./fuzz-$target" -max_total_time="${1:-600}" -max_len=16384 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 "${options[@]}" \
    "corpus-$target" "kept-$target" "$here/tests/fuzz/crashes-$target"
