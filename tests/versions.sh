#!/bin/bash
# Builds without a warning against the Wiresharks of Debian 13 and forky, and runs the capture tests there.
# Usage: tests/versions.sh [SUITE…]    (root, debootstrap; the systems stay in build/debian-SUITE)
# SPDX-License-Identifier: GPL-2.0-or-later
set -u

here=$(cd "$(dirname "$0")/.." && pwd)
mirror=http://deb.debian.org/debian
packages="cmake ninja-build gcc libc6-dev pkg-config libglib2.0-dev libjson-glib-dev libwireshark-dev libwiretap-dev libwsutil-dev tshark python3"
passed=0 failed=0 skipped=0

make_system() {
    local suite=$1 root=$2 scripts
    [ ! -e "$root/ready" ] || return 0
    rm -rf "$root"
    # debootstrap of Debian 12 knows neither forky nor its key; both are as in sid.
    scripts=$(mktemp -d)
    cp -r /usr/share/debootstrap/. "$scripts/"
    [ -e "$scripts/scripts/$suite" ] || ln -s sid "$scripts/scripts/$suite"
    DEBOOTSTRAP_DIR=$scripts debootstrap --variant=minbase --no-check-gpg "$suite" "$root" "$mirror" || return 1
    rm -rf "$scripts"
    echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/99old"
    cp /etc/resolv.conf "$root/etc/"
    chroot "$root" sh -c "apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends $packages" &&
        touch "$root/ready"
}

try() {
    local suite=$1 root=$here/build/debian-$1 log last words
    log=$(mktemp)
    if ! make_system "$suite" "$root" >"$log" 2>&1; then
        echo "SKIPPED $suite: debootstrap failed: $(grep -v '^I:' "$log" | tail -n 1)"
        skipped=$((skipped + 1))
        rm -f "$log"
        return
    fi
    rm -rf "$root/src"
    mkdir "$root/src"
    (cd "$here" && cp -r CMakeLists.txt cmake extcap latency-merge lua-compat plugin profiles captures tests "$root/src/")
    if chroot "$root" sh -c 'rm -rf /build && cmake -S /src -B /build -G Ninja -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_C_FLAGS=-Werror && cmake --build /build' >"$log" 2>&1; then
        passed=$((passed + 1))
        # The version between ours and the newest needs fewer: the suite has an hour.
        [ "$suite" = trixie ] && words="tcp/ ca/" || words=
        for cases in "cases/run.py /build/latency.so $words" "cases/ca.py /build/latency.so allcmd unanswered" "cases/stages.py /build/latency.so stages-lo opt8 any-sll2 comment" "cases/framing.py /build/latency.so keys passes" "lua/conformance.py /build/latency.so"; do
            [ "$suite" = trixie ] || [[ $cases != lua/* ]] || continue
            chroot "$root" sh -c "python3 /src/tests/$cases" >"$log" 2>&1
            last=$(tail -n 1 "$log")
            if [[ $last =~ ^([0-9]+)\ passed,\ ([0-9]+)\ failed$ ]]; then
                passed=$((passed + BASH_REMATCH[1])) failed=$((failed + BASH_REMATCH[2]))
                [ "${BASH_REMATCH[2]}" -eq 0 ] || sed "s/^/$suite: /" "$log"
            else
                sed "s/^/$suite: /" "$log"
                failed=$((failed + 1))
            fi
        done
    else
        echo "FAILED to build on $suite"
        cat "$log"
        failed=$((failed + 1))
    fi
    rm -f "$log"
}

if [ "$(id -u)" -ne 0 ] || ! command -v debootstrap >/dev/null; then
    echo "SKIPPED other Wiresharks: debootstrap and root are needed"
    echo "0 passed, 0 failed, 2 skipped"
    exit 0
fi
for suite in ${*:-trixie forky}; do
    try "$suite"
done
if [ "$skipped" -gt 0 ]; then
    echo "$passed passed, $failed failed, $skipped skipped"
else
    echo "$passed passed, $failed failed"
fi
