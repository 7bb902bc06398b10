#!/bin/bash
# Sets up what the tests need and runs all of them. The last line counts: N passed, N failed, N skipped.
# Usage: tests/run.sh
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/cmake/setup.sh"

need_packages cmake ninja-build gcc libc6-dev pkg-config libglib2.0-dev libwireshark-dev libwiretap-dev libwsutil-dev tshark \
    libjson-glib-dev libpcap-dev python3 python3-pandas wireshark xvfb xauth xdotool imagemagick debootstrap slurm-wlm munge parallel \
    libbpf-dev clang bpftool libcap2-bin iproute2 memcached nginx-light redis-server tcpdump lua-check
# Debian's python3, which has Debian's pandas, before any other.
export PATH=/usr/bin:$PATH
build dev
build release
build asan

passed=0 failed=0 skipped=0
log=$(mktemp)
trap 'rm -f "$log"' EXIT

# Runs a step whose last line counts like ours, and adds to the counts. A step that ends otherwise has failed.
step() {
    local name=$1 last
    shift
    echo "== $name"
    "$@" >"$log" 2>&1 || true
    last=$(tail -n 1 "$log")
    if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed(,\ ([0-9]+)\ skipped)?$ ]]; then
        [ "${BASH_REMATCH[2]}" -eq 0 ] || cat "$log"
        grep '^SKIPPED' "$log" || true
        passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2])) skipped=$((skipped + ${BASH_REMATCH[4]:-0}))
        echo "   $last"
    else
        cat "$log"
        failed=$((failed + 1))
    fi
}

# GLib's test programs speak TAP.
tap() {
    "$@" | tee "$log.tap" | grep -v '^ok' || true
    echo "$(grep -c '^ok' "$log.tap") passed, $(grep -c '^not ok' "$log.tap") failed"
    rm -f "$log.tap"
}

# unittest closes with OK, or FAILED (failures=N, errors=N).
unittests() {
    local output ran bad
    output=$(python3 -m unittest discover -s "$1" -p 'test_*.py' 2>&1) || true
    echo "$output"
    ran=$(sed -n 's/^Ran \([0-9]*\) test.*/\1/p' <<<"$output")
    bad=$(sed -n 's/^FAILED (//p' <<<"$output" | tr -dc '0-9,' | tr ',' '+')
    echo "$((${ran:-0} - (${bad:-0}))) passed, $((${bad:-0} + (${ran:-0} == 0))) failed"
}

# luacheck says what is wrong, and nothing else.
lint() {
    if (cd "$1" && luacheck --no-color -- *.lua); then
        echo "1 passed, 0 failed"
    else
        echo "0 passed, 1 failed"
    fi
}

export UBSAN_OPTIONS=halt_on_error=1:print_stacktrace=1
step "unit tests, sanitized" tap "$here/build/asan/tests/unit" "$here/tests/unit/scenarios"
step "the reference" unittests "$here/tests/reference"
step "generated captures" "$here/tests/cases/generated.sh" "$here/build/dev/tests/scenario2pcap"
step "Channel Access, what the fuzzer kept, sanitized" "$here/build/asan/tests/fuzz-replay" "$here/tests/fuzz/corpus"
step "framing, what the fuzzer kept, sanitized" "$here/build/asan/tests/fuzz-replay-framing" "$here/tests/fuzz/corpus-framing"
step "Channel Access (some minutes)" python3 "$here/tests/cases/ca.py" "$here/build/release/latency.so"
step "captures at several points (some minutes)" python3 "$here/tests/cases/stages.py" "$here/build/release/latency.so"
step "captures (some minutes)" python3 "$here/tests/cases/run.py" "$here/build/release/latency.so"
step "Lua, checked" lint "$here/lua-compat"
step "Lua, the same answers (some minutes)" python3 "$here/tests/lua/conformance.py" "$here/build/release/latency.so"
step "Lua, malformed captures (some minutes)" python3 "$here/tests/lua/malformed.py" "$here/build/release/latency.so"
step "many requests in flight" python3 "$here/tests/cases/framing.py" "$here/build/release/latency.so"
step "many requests in flight, made up" python3 "$here/tests/cases/pipelines.py" "$here/build/release/latency.so"
step "many captures, merged" python3 "$here/tests/cases/merge.py" "$here/build/release/latency.so" "$here/build/release/bin/latency-merge"
step "many captures, through Slurm and GNU parallel" "$here/tests/scale.sh" "$here/build/release"
step "captures, sanitized (some minutes)" python3 "$here/tests/cases/sanitized.py" "$here/build/asan/latency.so"
step "kernel-stages, live" python3 "$here/tests/kernel/run.py" "$here/build/dev/bin/kernel-stages"
step "kernel-stages and the plugin, live" python3 "$here/tests/kernel/interface.py" "$here/build/release/latency.so" "$here/build/release/bin/kernel-stages"
step "kernel-stages in Wireshark's window" python3 "$here/tests/kernel/dialog.py" "$here/build/release/latency.so" "$here/build/release/bin/kernel-stages"
step "Wireshark's window" python3 "$here/tests/gui/run.py" "$here/build/release/latency.so"
step "other Wiresharks (some minutes, 2 GB in build/)" "$here/tests/versions.sh"

if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
[ "$failed" -eq 0 ]
