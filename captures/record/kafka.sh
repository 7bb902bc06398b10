#!/bin/bash
# Many requests in flight: librdkafka's mock cluster, which listens on the loopback address, by our own client, whose log is the truth.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/database_common.sh"

make_network off
ip -n "$server_ns" link set lo mtu 1500
in_server ethtool -K lo tso off gso off gro off >"$work_dir/ethtool" 2>&1
in_background "$server_ns" python3 "$record_dir/kafka_server.py" "$work_dir/broker"
for _ in $(seq 100); do
    [ -s "$work_dir/broker" ] && break
    sleep 0.1
done
read -r host port <"$work_dir/broker"
ip netns exec "$server_ns" tcpdump --interface lo --time-stamp-precision nano --immediate-mode --buffer-size 16384 --relinquish-privileges root \
    -w "$work_dir/capture.pcap" "tcp port $port and not host 10.77.0.2" 2>"$work_dir/tcpdump.log" &
capture_pid=$!
sleep 1
in_server python3 "$record_dir/database_client.py" kafka "$host" "$port" "$work_dir/truth.json"
keep_capture kafka
mv "$work_dir/truth.json" "$tcp_dir/kafka.truth.json"
