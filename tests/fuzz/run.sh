#!/bin/bash
# Fuzzes with AddressSanitizer and UndefinedBehaviorSanitizer; what it finds is in build/fuzz.
# Usage: [MAX_LEN=BYTES] [QUICK=1|2] tests/fuzz/run.sh [SECONDS [TARGET [PROTOCOL]]]    (default 600 ca; needs clang)
# TARGET: ca datagrams fields framing frames merge pcapng quic report sightings tcp. PROTOCOL, with framing: one parser alone, by the name
# that fuzz-framing.c has for it; with ca: pva; with quic: http3, what is decrypted alone. MAX_LEN: no longer inputs than that. QUICK=1: without AddressSanitizer, twice as
# fast; QUICK=2: without sanitizers, optimised, twice as fast again: it finds crashes, endless loops and what the target checks.
# To keep what runs found, once run.sh has unpacked what is kept already:
#   build/fuzz/tests/fuzz-TARGET -merge=1 build/fuzz/kept-TARGET build/fuzz/corpus-TARGET
#   tests/fuzz/pack.py build/fuzz/kept-TARGET tests/fuzz/TARGET.pcap
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

case ${1-} in
-h | --help)
    sed -n '2,9s/^# //p' "$0"
    exit
    ;;
esac
here=$(cd "$(dirname "$0")/../.." && pwd)
work=$here/build/fuzz
target=${2:-ca}
protocol=${3:-}
build=$work checked='-O1 -fsanitize=fuzzer-no-link,address,undefined'
case ${QUICK:-} in
1) build=$here/build/fuzz-quick checked='-O1 -fsanitize=fuzzer-no-link,undefined' ;;
2) build=$here/build/fuzz-quickest checked='-O2 -fsanitize=fuzzer-no-link' ;;
esac
corpus=corpus-$target${protocol:+-$protocol}
kept=kept-$target
mkdir -p "$work/$corpus" "$build"
rm -rf "${work:?}/$kept"
"$here/tests/fuzz/pack.py" --unpack "$here/tests/fuzz/$target.pcap" "$work/$kept"
cmake -S "$here" -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=None -DBUILD_TESTING=ON -DLATENCY_FUZZ=ON \
    -DCMAKE_C_FLAGS="-g $checked -fno-omit-frame-pointer -fno-sanitize-recover=undefined" >"$build/cmake.log"
cmake --build "$build" --target "fuzz-$target" >"$build/build.log" || { tail "$build/build.log"; exit 1; }

options=()
dictionary=$here/tests/fuzz/$target.dict
[ ! -e "$here/tests/fuzz/$target-$protocol.dict" ] || dictionary=$here/tests/fuzz/$target-$protocol.dict
if [ -e "$dictionary" ]; then
    options=("-dict=$dictionary")
elif compgen -G "$here/tests/fuzz/$target-*.dict" >/dev/null; then
    cat "$here/tests/fuzz/$target"-*.dict >"$work/$target.dict"
    options=("-dict=$work/$target.dict")
fi
folders=("$corpus" "$kept")
[ ! -d "$here/tests/fuzz/crashes-$target" ] || folders+=("$here/tests/fuzz/crashes-$target")
cd "$work"
# Each of wmem's pieces is one of malloc's: ASan sees its end, and no block of 8 MB is made anew for each input. libFuzzer's
# entropic weights took half of the time.
export FUZZ_ONLY=$protocol ASAN_OPTIONS=malloc_context_size=6:quarantine_size_mb=32 WIRESHARK_DEBUG_WMEM_OVERRIDE=simple
exec "$build/tests/fuzz-$target" -entropic=0 -max_total_time="${1:-600}" -max_len="${MAX_LEN:-16384}" -timeout=10 -rss_limit_mb=2048 \
    -print_final_stats=1 "${options[@]}" "${folders[@]}"
