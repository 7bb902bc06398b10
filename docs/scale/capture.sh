#!/bin/bash
# Writes the JSON lines of one capture to OUT, which appears only when all of the capture has been read.
# What a damaged capture gave up to the damage goes to OUT.cut.
# It is read by latency-scan where that is; by tshark if $LATENCY_READER says so, or an option is Wireshark's own.
# Usage: capture.sh CAPTURE OUT [OPTION OF TSHARK…]
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

[ $# -ge 2 ] || { sed -n 's/^# Usage: /Usage: /p' "$0" >&2; exit 2; }

# Whether latency-scan takes these options: -o latency.NAME:VALUE, -o ca.tcp.port:VALUE.
are_of_scan() {
    local option
    for option; do
        [[ $option == -o || $option =~ ^(-o)?(latency\.|ca\.(tcp|udp)\.port:) ]] || return 1
    done
}

reader=${LATENCY_READER:-latency-scan}
if [ "$reader" = latency-scan ] && ! { command -v latency-scan >/dev/null && are_of_scan "${@:3}"; }; then
    reader=tshark
fi
command -v "$reader" >/dev/null || { echo "There is no $reader in the PATH." >&2; exit 1; }

case $1 in /*) capture=$1 ;; *) capture=$PWD/$1 ;; esac
case $2 in /*) out=$2 ;; *) out=$PWD/$2 ;; esac
shift 2

# The name that tshark writes to may have no comma, so it is written in a folder of its own.
mkdir -p "${out%/*}"
part=$(mktemp -d "$out.part.XXXXXX")
trap 'rm -rf "$part"' EXIT
cd "$part"

# The output gets the time that the capture has now, by which pending.sh knows that the capture has not changed since.
touch -r "$capture" time
code=0
if [ "$reader" = latency-scan ]; then
    latency-scan "$@" --json lines "$capture" || code=$?
else
    tshark -n -q -r "$capture" "$@" -z latency,json,lines || code=$?
fi
if [ "$code" -eq 0 ] && [ -e lines ]; then
    touch -r time lines
    mv lines "$out"
    rm -f "$out.cut"
else
    [ ! -e lines ] || mv lines "$out.cut"
    echo "FAILED ($code) $capture" >&2
    exit $((code ? code : 1))
fi
