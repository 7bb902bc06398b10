# bash completion of latency-export
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash

_latency_export() {
    if [[ $2 == -* ]]; then
        mapfile -t COMPREPLY < <(compgen -W "--otlp --har --trace -v --version -h --help" -- "$2")
    else
        mapfile -t COMPREPLY < <(compgen -f -- "$2")
        compopt -o filenames
    fi
}
complete -F _latency_export latency-export
