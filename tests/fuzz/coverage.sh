#!/bin/bash
# How many lines of the files that read bytes we did not write the kept inputs of all fuzzers reach, measured by llvm-cov.
# Usage: tests/fuzz/coverage.sh [FILE…]    (needs clang and llvm; FILE: also prints it, with how often each line was run)
# Inputs in build/fuzz/corpus-TARGET count with CORPUS=1: what pack.py could add.
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

case ${1-} in
-h | --help)
    sed -n '2,4s/^# //p' "$0"
    exit
    ;;
esac
here=$(cd "$(dirname "$0")/../.." && pwd)
build=$here/build/coverage
targets=(ca framing tcp datagrams quic sightings merge report frames pcapng)
read -ra readers <<<"plugin/core/protocol plugin/core/ca plugin/core/pva plugin/core/tcp plugin/core/request plugin/core/points plugin/json plugin/reader latency-merge latency-report latency-scan"
programs=() options=()
for target in "${targets[@]}"; do
    programs+=("fuzz-replay-$target")
done
cmake -S "$here" -B "$build" -G Ninja -DCMAKE_C_COMPILER=clang -DCMAKE_BUILD_TYPE=Debug -DBUILD_TESTING=ON \
    -DCMAKE_C_FLAGS='-fprofile-instr-generate -fcoverage-mapping' >/dev/null
cmake --build "$build" --target "${programs[@]}" >"$build/build.log" || { tail "$build/build.log"; exit 1; }
rm -f "$build"/*.profraw
for i in "${!targets[@]}"; do
    target=${targets[i]}
    inputs=("$here/tests/fuzz/$target.pcap")
    [ ! -d "$here/tests/fuzz/crashes-$target" ] || inputs+=("$here/tests/fuzz/crashes-$target")
    [ -z "${CORPUS:-}" ] || [ ! -d "$here/build/fuzz/corpus-$target" ] || inputs+=("$here/build/fuzz/corpus-$target")
    LLVM_PROFILE_FILE="$build/$target.profraw" "$build/tests/${programs[i]}" "${inputs[@]}" >/dev/null 2>"$build/$target.log" ||
        { tail -3 "$build/$target.log"; exit 1; }
    options+=(-object "$build/tests/${programs[i]}")
done
llvm-profdata merge -o "$build/all.profdata" "$build"/*.profraw
options=("${options[@]:1}" -instr-profile "$build/all.profdata")
llvm-cov export -summary-only "${options[@]}" | python3 -c '
import collections, json, os.path, sys
root, *readers = sys.argv[1:]
def show(covered, count, name):
    print(f"{covered:7} {count:6}  {100 * covered / count:5.1f}  {name}")
folders = collections.defaultdict(lambda: [0, 0])
print("reached  lines  of (%)")
for file in json.load(sys.stdin)["data"][0]["files"]:
    name, lines = os.path.relpath(file["filename"], root), file["summary"]["lines"]
    if not name.endswith(".c") or not any(name.startswith(reader) for reader in readers):
        continue
    folder = folders[name.rpartition("/")[0]]
    folder[0] += lines["covered"]
    folder[1] += lines["count"]
    if lines["covered"] < 0.95 * lines["count"]:
        show(lines["covered"], lines["count"], name)
print("folders, whole:")
for name, (covered, count) in sorted(folders.items()):
    show(covered, count, name)
' "$here" "${readers[@]}"
for file; do
    llvm-cov show "${options[@]}" "$here/$file"
done
