# bash completion of latency-scan
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash

_latency_scan() {
    local tables="latency,summary latency,servers latency,operations latency,connections latency,connects latency,quic latency,hosts latency,requests latency,calls latency,trees latency,packets latency,intervals
        latency,stages latency,paths latency,kernel ca,servers ca,channels ca,searches ca,srt
        pva,servers pva,channels pva,searches pva,monitors pva,srt latency,json"
    local preferences="latency.server_ports: latency.full_sizes: latency.chunk_size: latency.timeout: latency.slow: latency.messages: latency.point:
        latency.fold_numbers: latency.websocket_ids: latency.same_hosts: latency.id_headers: latency.format: latency.columns: latency.json: latency.json_calls: ca.tcp.port: ca.udp.port: pva.tcp.port:"
    local options="-z --table --json --html --otlp --har --trace --openmetrics --listen --calls --live --slow -i --interface -f --filter -o --preference -t --times --every -j --threads -v --version -h --help"
    local word=$2
    COMPREPLY=()
    case $3 in
    -z | --table) mapfile -t COMPREPLY < <(compgen -W "$tables" -- "$word") ;;
    -t | --times) mapfile -t COMPREPLY < <(compgen -W "a ad adoy d dd e r u ud udoy" -- "$word") ;;
    -o | --preference)
        mapfile -t COMPREPLY < <(compgen -W "$preferences" -- "$word")
        compopt -o nospace
        ;;
    -f | --filter | --every | --slow | -i | --interface | --listen | -j | --threads) ;;
    *)
        if [[ $word == -* ]]; then
            mapfile -t COMPREPLY < <(compgen -W "$options" -- "$word")
        else
            mapfile -t COMPREPLY < <(compgen -f -- "$word")
            compopt -o filenames
        fi
        ;;
    esac
}
complete -F _latency_scan latency-scan
