#!/bin/bash
# Merges all outputs in OUT into OUT/tables.txt, which ends with the captures that are not in it.
# Usage: merge.sh CAPTURES OUT
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu -o pipefail

[ $# -eq 2 ] || { sed -n 's/^# Usage: /Usage: /p' "$0" >&2; exit 2; }
[ -d "$1" ] || { echo "There is no folder $1 of captures." >&2; exit 1; }
[ -d "$2" ] || { echo "There is no folder $2 of outputs." >&2; exit 1; }
command -v latency-merge >/dev/null || { echo "There is no latency-merge in the PATH." >&2; exit 1; }

here=$(cd "$(dirname "$0")" && pwd)
captures=$(realpath -- "$1")
cd -- "$2"

part=$(mktemp -d tables.part.XXXXXX)
trap 'rm -rf "$part"' EXIT
find . -type f -name '*.jsonl' -print0 | sort -z >"$part/outputs"
mapfile -d '' -t outputs <"$part/outputs"
"$here/pending.sh" "$captures" . >"$part/pending"
mapfile -d '' -t pending <"$part/pending"

latency-merge "${outputs[@]}" >"$part/tables"
if [ ${#pending[@]} -gt 0 ]; then
    echo "WITHOUT ${#pending[@]} captures, which have no output yet:"
    printf '%q\n' "${pending[@]}"
fi >>"$part/tables"
mv "$part/tables" tables.txt
