#!/bin/bash
# Fuzzes Channel Access with AddressSanitizer and UndefinedBehaviorSanitizer; what it finds is in build/fuzz.
# Usage: tests/fuzz/run.sh [SECONDS]    (default 600; needs clang)
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

here=$(cd "$(dirname "$0")/../.." && pwd)
build=$here/build/fuzz
mkdir -p "$build/corpus"
# shellcheck disable=SC2046 # flags are words
clang -g -O1 -fsanitize=fuzzer,address,undefined -fno-sanitize-recover=undefined -I"$here/plugin" \
    $(pkg-config --cflags wireshark glib-2.0) "$here"/plugin/core/{ca_*,describe,lookup,pool,texts}.c "$here/tests/fuzz/fuzz-ca.c" \
    -o "$build/fuzz-ca" $(pkg-config --libs glib-2.0) -lwsutil -lm
cd "$build"
exec ./fuzz-ca -max_total_time="${1:-600}" -max_len=16384 -timeout=10 -rss_limit_mb=2048 -print_final_stats=1 corpus "$here/tests/fuzz/corpus"
