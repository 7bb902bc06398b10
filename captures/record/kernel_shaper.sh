#!/bin/bash
# shaper-6.18 and, by tests/kernel/vm.sh, shaper-6.1: 90 kB from a memcached through a token bucket that is too small for it: giants are cut (GSO), segments dropped and sent again.
# Usage, as root: captures/record/kernel_shaper.sh KERNEL_STAGES OUT.pcapng
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

program=$1 out=$2
inside="ip netns exec latency-shaper"
ip netns add latency-shaper
trap 'kill $server; ip netns del latency-shaper' EXIT
ip link add sh0 type veth peer name sh1 netns latency-shaper
ip addr add 10.79.0.1/24 dev sh0
ip link set sh0 up
ip -n latency-shaper addr add 10.79.0.2/24 dev sh1
ip -n latency-shaper link set sh1 up
ip netns exec latency-shaper tc qdisc add dev sh1 root tbf rate 8mbit burst 10kb limit 20kb
$inside memcached -u ${USER:-nobody} -l 10.79.0.2 -p 21511 -U 0 &
server=$!
$inside "$program" -p 21511 -s 128 -w "$out" &
recorder=$!
while [ ! -s "$out" ]; do sleep 0.2; done
python3 - <<'P'
import socket
with socket.create_connection(('10.79.0.2', 21511)) as connection:
    connection.sendall(b'set key 0 0 90000\r\n' + b'x' * 90000 + b'\r\n')
    connection.recv(100)
    connection.sendall(b'get key\r\n')
    left = 90000
    while left > 0:
        left -= len(connection.recv(65536))
P
sleep 0.3
kill -TERM $recorder
wait $recorder
