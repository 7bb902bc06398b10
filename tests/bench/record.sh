#!/bin/bash
# Records web traffic for the bench: nginx under wrk between two network namespaces.
# Usage: record.sh FILE PACKETS    (root; needs nginx, wrk, tcpdump, ethtool)
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

file=$1
packets=$2
dir=$(mktemp -d)
trap 'kill $(jobs -p) 2>/dev/null || true; ip netns del bench-c 2>/dev/null || true; ip netns del bench-s 2>/dev/null || true; rm -rf "$dir"' EXIT

ip netns add bench-c
ip netns add bench-s
ip link add veth0 netns bench-c type veth peer name veth0 netns bench-s
ip -n bench-c addr add 10.78.0.1/24 dev veth0
ip -n bench-s addr add 10.78.0.2/24 dev veth0
ip -n bench-c link set veth0 up
ip -n bench-s link set veth0 up
# Packets as they would be on the wire.
for ns in bench-c bench-s; do
    ip netns exec $ns ethtool -K veth0 tso off gso off gro off tx off >/dev/null 2>&1
done

mkdir "$dir/www"
chmod 755 "$dir" "$dir/www"
head -c 600 /dev/urandom | base64 -w0 >"$dir/www/small"
head -c 9000 /dev/urandom | base64 -w0 >"$dir/www/medium"
cat >"$dir/nginx.conf" <<EOF
daemon off; worker_processes 1; pid $dir/pid; error_log $dir/error.log;
events { }
http { access_log off; keepalive_requests 200; server { listen 80; root $dir/www; } }
EOF
cat >"$dir/mix.lua" <<'EOF'
local n = 0
request = function() n = n + 1; return wrk.format("GET", n % 4 == 0 and "/medium?" .. n or "/small?" .. n) end
EOF
ip netns exec bench-s nginx -c "$dir/nginx.conf" &
sleep 1
ip netns exec bench-s tcpdump -i veth0 -s 0 -B 65536 --time-stamp-precision=nano -c "$packets" -w "$file" 2>/dev/null &
tcpdump=$!
sleep 1
ip netns exec bench-c wrk -t 1 -c 50 -d 600 -s "$dir/mix.lua" http://10.78.0.2/ >/dev/null &
wait $tcpdump
