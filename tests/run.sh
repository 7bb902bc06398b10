#!/bin/bash
# Sets up what the tests need and runs them. The last line counts: N passed, N failed, N skipped.
# Usage: tests/run.sh [quick] [-x] [-k WORD]
#   quick    what an edit may have broken, in three minutes: no root, no network, only the packages that building needs
#   -x       stop at the first failure
#   -k WORD  only the cases whose name contains WORD; the steps that drive a window, a kernel, Slurm or another Debian look for it in the names
#            of their parts
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

case " $* " in
*' -h '* | *' --help '*)
    sed -n '2,7s/^# //p' "$0"
    exit
    ;;
esac
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

need_packages cmake ninja-build gcc libc6-dev pkg-config libglib2.0-dev libjson-glib-dev libgcrypt20-dev libnghttp2-dev libpcap-dev libwireshark-dev libwiretap-dev libwsutil-dev \
    libjs-chart.js lua5.4 tshark python3
if [ "${1:-}" != quick ]; then
    need_packages python3-pandas wireshark xvfb xauth xdotool imagemagick debootstrap slurm-wlm munge parallel libbpf-dev clang bpftool libcap2-bin \
        iproute2 memcached nginx-light redis-server tcpdump lua-check chromium-headless-shell
fi
# Debian's python3, which has Debian's pandas, before any other.
export PATH=/usr/bin:$PATH PYTHONDONTWRITEBYTECODE=1
build release
build asan
checkout=$(readable_checkout)
[ "$checkout" = "$here" ] || trap 'cd / && rm -rf "$checkout"' EXIT
# What an unprivileged user runs must be able to stand where it is started, too.
cd "$checkout"
tests/suite.py "$@"
