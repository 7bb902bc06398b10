#!/bin/bash
# Prints the captures below CAPTURES that have no output in OUT, or one made when they had another time, each ended by a NUL.
# Usage: pending.sh CAPTURES OUT
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu -o pipefail

[ $# -eq 2 ] || { sed -n 's/^# Usage: /Usage: /p' "$0" >&2; exit 2; }
[ -d "$1" ] || { echo "There is no folder $1 of captures." >&2; exit 1; }

captures=$(realpath -- "$1")
out=$(realpath -- "$2")

# Whole seconds: not every file system keeps more.
declare -A finished
while IFS=/ read -r -d '' time name; do
    finished[$name]=$time
done < <(find "$out" -type f -name '*.jsonl' -printf '%Ts/%P\0')

cd "$captures"
find -L . -type f \( -name '*.pcap*' -o -name '*.cap*' \) ! -name '*.jsonl*' -printf '%Ts/%P\0' | sort -z -t / -k 2 |
    while IFS=/ read -r -d '' time name; do
        [ "${finished[$name.jsonl]-}" = "$time" ] || printf '%s\0' "$name"
    done
