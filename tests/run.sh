#!/bin/bash
# Tests what this machine's Wireshark, compiler and kernel can show; installs and builds what that needs (tests/cases/needs.py). The last lines
# say what was left out, and how much passed: N passed, N failed, N skipped.
# Usage: tests/run.sh [quick | all] [-x] [-k WORD]
#   quick    what an edit may have broken, in three minutes: no root, no network, and nothing is installed
#   all      also the Wiresharks of other Debians, Slurm, the report in a browser, and what takes long: damaged captures, many captures merged
#   -x       stop at the first failure
#   -k WORD  only the cases whose name contains WORD; the steps that drive a window, a kernel, Slurm or another Debian look for it in the names
#            of their parts
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

usage() { sed -n '2,9s/^# //p' "$0"; }

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
    mkdir -p "$here"/build/{debian-trixie,debian-forky,debian-noble,plain}
    ln -s "$here"/build/{debian-trixie,debian-forky,debian-noble,plain} "$copy/build/"
    echo "$copy"
}

# get PACKAGE…: installs them, or says which are missing where nothing is installed.
get() {
    if [ "$which" = quick ]; then
        require_packages "$@"
    else
        need_packages "$@"
    fi
}

# build_needed PRESET NEEDED…: all of the preset, if it is needed, or its targets.
build_needed() {
    local preset=$1 each targets=() whole=''
    shift
    for each in "$@"; do
        case $each in
        "$preset") whole=1 ;;
        "$preset":*) targets+=("${each#*:}") ;;
        esac
    done
    [ -n "$whole" ] || [ ${#targets[@]} -gt 0 ] || return 0
    build "$preset"
}

# Debian's python3, which has Debian's pandas, before any other; it says what else is needed.
python=/usr/bin/python3
[ -x "$python" ] || get python3
export PYTHONDONTWRITEBYTECODE=1
needs=$("$python" "$here/tests/suite.py" "$which" ${options[@]+"${options[@]}"} --needs)
read -ra needed <<<"${needs%%$'\n'*}"
read -ra packages <<<"${needs#*$'\n'}"
get "${packages[@]}"
export PATH=/usr/bin:$PATH
build_needed release ${needed[@]+"${needed[@]}"}
build_needed asan ${needed[@]+"${needed[@]}"}
checkout=$(readable_checkout)
[ "$checkout" = "$here" ] || trap 'cd / && rm -rf "$checkout"' EXIT
# What an unprivileged user runs must be able to stand where it is started, too.
cd "$checkout"
tests/suite.py "$which" ${options[@]+"${options[@]}"}
