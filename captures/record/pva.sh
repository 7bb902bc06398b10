#!/bin/bash
# pvAccess: pva_server.cpp and pva_client.cpp, which logs its callbacks; captures/pva/. The truth is made of both by tests/reference/pva_reader.py.
#
#   PVXS=FOLDER EPICS_BASE=FOLDER captures/record/pva.sh NAME      NAME: of a function record_NAME below
#
# PVXS and EPICS_BASE are where pvxs and EPICS base are installed; TLS needs a pvxs that knows it. What the installed libraries need
# besides is found by LD_LIBRARY_PATH.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"
tcp_dir=$record_dir/../pva
arch=$(cd "$PVXS/lib" && echo *-*)
libraries=$PVXS/lib/$arch:$EPICS_BASE/lib/$arch
for program in pva_server pva_client; do
    g++ -std=c++17 -Wall -I"$PVXS/include" -I"$EPICS_BASE"/include{,/os/Linux,/compiler/gcc} "$record_dir/$program.cpp" -o "$work_dir/$program" \
        -L"$PVXS/lib/$arch" -lpvxs -L"$EPICS_BASE/lib/$arch" -lCom -Wl,-rpath,"$libraries" -Wl,--allow-shlib-undefined
done
export EPICS_PVA_AUTO_ADDR_LIST=NO EPICS_PVA_ADDR_LIST=10.77.0.2 EPICS_PVAS_INTF_ADDR_LIST=10.77.0.2 EPICS_PVAS_AUTO_BEACON_ADDR_LIST=NO EPICS_PVAS_BEACON_ADDR_LIST=10.77.0.1

# serve PORT ARGUMENT...
serve() {
    local port=$1
    shift
    EPICS_PVAS_SERVER_PORT=$port in_background "$server_ns" "$work_dir/pva_server" "$@" >>"$work_dir/server.log" 2>&1
    wait_for_port "$port" || { cat "$work_dir/server.log" >&2; return 1; }
}

# client SECONDS ACTION...
client() {
    in_client "$work_dir/pva_client" "$work_dir/log" "$@" 2>>"$work_dir/client.log"
}

# keep NAME: the capture with its truth
keep() {
    keep_capture "$1"
    local capture=$tcp_dir/$1.pcap
    [ -z "${SSLKEYLOGFILE:-}" ] || { hide "$1" && capture+=ng; }
    python3 "$record_dir/../../tests/reference/pva_reader.py" "$capture" "$work_dir/log" >"$tcp_dir/$1.truth.json"
}

actions=(connect:LAB:0-9 get:LAB:1 get:LAB:2 put:LAB:3=4.5 info:LAB:4 rpc:LAB:add=1,2 rpc:LAB:add get:LAB:array monitor:LAB:0 pipeline:LAB:0 connect:NOBODY:1)

# Packets that are lost and late, and what the client made of it.
record_loss() {
    ip netns add "$client_ns"
    ip netns add "$server_ns"
    ip netns add "$middle_ns"
    ip -n "$client_ns" link add eth0 type veth peer name left netns "$middle_ns"
    ip -n "$server_ns" link add eth0 type veth peer name right netns "$middle_ns"
    for device in left right; do
        ip netns exec "$middle_ns" ethtool -K "$device" tx off tso off gso off gro off >"$work_dir/ethtool" 2>&1
        ip -n "$middle_ns" link set "$device" up
    done
    make_end "$client_ns" 1 off
    make_end "$server_ns" 2 off
    in_background "$middle_ns" python3 "$record_dir/losing_bridge.py" left right 19 4 20
    serve 5075 LAB 400 10 3000
    start_capture
    client 4 connect:LAB:0-399 "${actions[@]:1}" wait:2000 "${actions[@]:1:7}"
    keep loss
}

# Everything in TLS. Keys stand in the capture.
record_tls() {
    make_network off
    openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=root -addext keyUsage=critical,keyCertSign -keyout "$work_dir/root.key" -out "$work_dir/root.pem" 2>"$work_dir/openssl.log"
    openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=server -CA "$work_dir/root.pem" -CAkey "$work_dir/root.key" \
        -addext basicConstraints=critical,CA:FALSE -addext extendedKeyUsage=serverAuth -keyout "$work_dir/key.pem" -out "$work_dir/certificate.pem" 2>"$work_dir/openssl.log"
    openssl pkcs12 -export -passout pass: -in "$work_dir/certificate.pem" -inkey "$work_dir/key.pem" -certfile "$work_dir/root.pem" -out "$work_dir/server.p12"
    openssl pkcs12 -export -passout pass: -nokeys -in "$work_dir/root.pem" -out "$work_dir/client.p12"
    EPICS_PVAS_TLS_KEYCHAIN=$work_dir/server.p12 serve 5075 LAB 20 20 3000
    start_capture
    export SSLKEYLOGFILE=$work_dir/keys EPICS_PVA_TLS_KEYCHAIN=$work_dir/client.p12
    client 1 "${actions[@]}"
    keep tls
}

# hide NAME: its pcapng has the keys.
hide() {
    editcap --inject-secrets "tls,$SSLKEYLOGFILE" "$tcp_dir/$1.pcap" "$tcp_dir/$1.pcapng"
    rm "$tcp_dir/$1.pcap"
}

middle_ns=latency-middle-$$
trap 'finish; ip netns delete "$middle_ns" 2>/dev/null || true' EXIT
"record_$1"
