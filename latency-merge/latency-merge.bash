# bash completion of latency-merge
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash

_latency_merge() {
    if [[ $2 == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "-o --in-order -v --version -h --help" -- "$2")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$2")
        compopt -o filenames
    fi
}
complete -F _latency_merge latency-merge
