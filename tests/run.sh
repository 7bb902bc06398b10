#!/bin/bash
# Tests what this machine's Wireshark, compiler and kernel can show, and installs what that needs. The last lines say what was left out, and
# how much passed: N passed, N failed, N skipped.
# Usage: tests/run.sh [quick | all] [-x] [-k WORD]
#   quick    what an edit may have broken, in three minutes: no root, no network, and nothing is installed
#   all      also the Wiresharks of other Debians, Slurm, the report in a browser, and what takes long: damaged captures, many captures merged
#   -x       stop at the first failure
#   -k WORD  only the cases whose name contains WORD; the steps that drive a window, a kernel, Slurm or another Debian look for it in the names
#            of their parts
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

usage() { sed -n '2,10s/^# //p' "$0"; }

wrong() {
    echo "$1" >&2
    usage >&2
    exit 2
}

which='' options=()
while [ $# -gt 0 ]; do
    case $1 in
    -h | --help)
        usage
        exit
        ;;
    quick | all)
        [ -z "$which" ] || wrong "$which or $1: both cannot be."
        which=$1
        ;;
    -x) options+=(-x) ;;
    -k)
        [ $# -ge 2 ] || wrong "-k needs a word."
        options+=("-k=$2")
        shift
        ;;
    *) wrong "There is no $1." ;;
    esac
    shift
done
which=${which:-here}
here=$(cd "$(dirname "$0")/.." && pwd)
. "$here/cmake/setup.sh"

# What an unprivileged user runs must be readable to one: where the checkout is not, the tests run in a copy.
readable_checkout() {
    if [ "$(id -u)" -ne 0 ] || setpriv --reuid 65534 --regid 65534 --clear-groups test -r "$here/tests/run.sh"; then
        echo "$here"
        return
    fi
    local copy
    copy=$(mktemp -d -t latency-checkout-XXXXXX)
    tar -C "$here" --exclude=.git --exclude='build/debian-*' --exclude=build/mutants --exclude=build/plain -cf - . | tar -C "$copy" -xf -
    chmod -R a+rX "$copy"
    # What is kept for the next time stays where it is.
    mkdir -p "$here"/build/{debian-trixie,debian-forky,plain}
    ln -s "$here"/build/{debian-trixie,debian-forky,plain} "$copy/build/"
    echo "$copy"
}

packages=(cmake ninja-build gcc libc6-dev pkg-config libglib2.0-dev libjson-glib-dev libgcrypt20-dev libnghttp2-dev libpcap-dev libwireshark-dev libwiretap-dev libwsutil-dev
    libjs-chart.js lua5.4 tshark python3)
[ "$which" = quick ] || packages+=(python3-pandas wireshark xvfb xauth xdotool imagemagick libbpf-dev clang bpftool libcap2-bin
    iproute2 memcached nginx-light redis-server tcpdump lua-check)
[ "$which" != all ] || packages+=(debootstrap slurm-wlm munge parallel chromium-headless-shell libclang-rt-dev)
if [ "$which" = quick ]; then
    require_packages "${packages[@]}"
else
    need_packages "${packages[@]}"
fi
# Debian's python3, which has Debian's pandas, before any other.
export PATH=/usr/bin:$PATH PYTHONDONTWRITEBYTECODE=1
build release
build asan
checkout=$(readable_checkout)
[ "$checkout" = "$here" ] || trap 'cd / && rm -rf "$checkout"' EXIT
# What an unprivileged user runs must be able to stand where it is started, too.
cd "$checkout"
tests/suite.py "$which" ${options[@]+"${options[@]}"}
