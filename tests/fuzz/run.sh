#!/bin/bash
# Fuzzes with AddressSanitizer and UndefinedBehaviorSanitizer; what it finds is in build/fuzz.
# Usage: tests/fuzz/run.sh [SECONDS [ca|framing]]    (default 600 ca; needs clang)
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
build=$here/build/fuzz
target=${2:-ca}
corpus=$here/tests/fuzz/corpus
[ "$target" = ca ] || corpus+=-$target
mkdir -p "$build/corpus-$target"
# shellcheck disable=SC2046 # flags are words
clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -I"$here/plugin" \
    $(pkg-config --cflags wireshark glib-2.0) "$here"/plugin/core/*.c "$here/tests/fuzz/fuzz-$target.c" \
    -o "$build/fuzz-$target" $(pkg-config --libs glib-2.0) -lwsutil -lm
cd "$build"
exec "./fuzz-$target" -max_total_time="${1:-600}" -max_len=16384 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 "corpus-$target" "$corpus"
