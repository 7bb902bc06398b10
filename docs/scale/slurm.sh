#!/bin/bash
# Submits an array job with a task for each capture that has no output yet, and a job that merges all outputs after it.
# Usage: slurm.sh CAPTURES OUT [OPTION OF TSHARK…]
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu -o pipefail

[ $# -ge 2 ] || { sed -n 's/^# Usage: /Usage: /p' "$0" >&2; exit 2; }
[ -d "$1" ] || { echo "There is no folder $1 of captures." >&2; exit 1; }
for program in sbatch scontrol; do
    command -v "$program" >/dev/null || { echo "There is no $program in the PATH: it is part of Slurm. Without Slurm there is parallel.sh." >&2; exit 1; }
done

here=$(cd "$(dirname "$0")" && pwd)
captures=$(realpath -- "$1")
mkdir -p -- "$2/logs"
out=$(realpath -- "$2")
shift 2

# Prints the job's number. sbatch replaces % in the names of logs.
submit() {
    local job
    job=$(sbatch --parsable --output="${out//%/%%}/logs/$1" "${@:2}") || return
    echo "${job%%;*}"
}

list=$(mktemp "$out/logs/captures.XXXXXX")
"$here/pending.sh" "$captures" "$out" >"$list"
mapfile -d '' -t pending <"$list"

# An array has no index above MaxArraySize - 1, so there may be several.
size=$(scontrol show config | sed -n 's/^MaxArraySize *= *//p')
arrays=
for ((first = 0; first < ${#pending[@]}; first += size)); do
    last=$((${#pending[@]} - first < size ? ${#pending[@]} - first - 1 : size - 1))
    array=$(submit %A_%a.log --array="0-$last" "$here/array.sbatch" "$here" "$list" "$first" "$captures" "$out" "$@")
    arrays+=:$array
done
merge=$(submit %j.log ${arrays:+--dependency="afterok$arrays" --kill-on-invalid-dep=yes} "$here/merge.sbatch" "$here" "$captures" "$out")
jobs=${arrays//:/ }
echo "Captures to do: ${#pending[@]}. Array jobs:${jobs:- none}. Merge job: $merge. Logs: $out/logs"
