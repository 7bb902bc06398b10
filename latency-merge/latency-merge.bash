# bash completion of latency-merge
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash

_latency_merge() {
    local tables="latency,servers latency,operations latency,connections latency,hosts latency,calls
        ca,servers ca,searches ca,srt pva,servers pva,searches pva,srt"
    if [[ $3 == -z || $3 == --table ]]; then
        mapfile -t COMPREPLY < <(compgen -W "$tables" -- "$2")
    elif [[ $3 == -f || $3 == --format ]]; then
        mapfile -t COMPREPLY < <(compgen -W "text csv tsv json" -- "$2")
    elif [[ $3 == -c || $3 == --columns ]]; then
        mapfile -t COMPREPLY < <(compgen -W "default wide" -- "$2")
    elif [[ $2 == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "-z --table -o --in-order -f --format -c --columns -v --version -h --help" -- "$2")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$2")
        compopt -o filenames
    fi
}
complete -F _latency_merge latency-merge
