#!/bin/bash
# Writes the output of each capture that has none yet, as many at a time as there are processors, then merges all outputs.
# Usage: parallel.sh CAPTURES OUT [OPTION OF TSHARK…]    ($PARALLEL holds options of parallel)
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu -o pipefail

[ $# -ge 2 ] || { sed -n 's/^# Usage: /Usage: /p' "$0" >&2; exit 2; }
[ -d "$1" ] || { echo "There is no folder $1 of captures." >&2; exit 1; }
for program in parallel latency-merge; do
    command -v "$program" >/dev/null || { echo "There is no $program in the PATH: docs/scale.md says what is needed." >&2; exit 1; }
done

here=$(cd "$(dirname "$0")" && pwd)
captures=$(realpath -- "$1")
mkdir -p -- "$2/logs"
out=$(realpath -- "$2")
shift 2

list=$(mktemp "$out/logs/captures.XXXXXX")
"$here/pending.sh" "$captures" "$out" >"$list"

export PARALLEL_SHELL=/bin/bash
if ! parallel -0 -q --tag --joblog "$out/logs/parallel.log" -a "$list" \
    "$here/capture.sh" "$captures/{}" "$out/{}.jsonl" "$@"; then
    echo "Not merged: some captures failed. Run this again, or merge what is there: $here/merge.sh CAPTURES OUT" >&2
    exit 1
fi
"$here/merge.sh" "$captures" "$out"
