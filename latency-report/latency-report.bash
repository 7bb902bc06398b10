# bash completion of latency-report
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash

_latency_report() {
    if [[ $2 == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "-o --output --name -v --version -h --help" -- "$2")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$2")
        compopt -o filenames
    fi
}
complete -F _latency_report latency-report
