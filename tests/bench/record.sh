#!/bin/bash
# Records web traffic for the bench: nginx under wrk between two network namespaces.
# Usage: record.sh FILE PACKETS [shop|http2]    (root; needs nginx, wrk, tcpdump, ethtool)
# shop: what the documents' pictures show: several operations, of which one waits its turn and one sometimes fails.
# http2: PACKETS streams instead, of nghttpd under h2load (nghttp2-server, nghttp2-client).
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

file=$1
packets=$2
mix=${3-plain}
programs='nginx wrk'
[ "$mix" != http2 ] || programs='nghttpd h2load'
for each in $programs tcpdump ethtool; do
    command -v $each >/dev/null || { echo "$0: $each is needed" >&2; exit 1; }
done
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
if [ "$mix" = http2 ]; then
    for i in $(seq 500); do ln "$dir/www/small" "$dir/www/small$i"; echo "http://10.78.0.2/small$i"; done >"$dir/urls"
    ip netns exec bench-s nghttpd --no-tls -d "$dir/www" 80 >/dev/null &
    sleep 1
    ip netns exec bench-s tcpdump -i veth0 -s 0 -B 65536 --time-stamp-precision=nano -w "$file" 2>/dev/null &
    tcpdump=$!
    sleep 1
    ip netns exec bench-c h2load -n "$packets" -c 50 -m 10 -i "$dir/urls" >/dev/null
    sleep 1
    kill $tcpdump
    wait $tcpdump
    exit
fi
cat >"$dir/nginx.conf" <<EOF
daemon off; worker_processes 1; pid $dir/pid; error_log $dir/error.log;
events { }
http {
    access_log off;
    keepalive_requests 200;
    limit_req_zone \$server_port zone=report:64k rate=25r/s;
    server {
        listen 80;
        root $dir/www;
        location = /report { limit_req zone=report burst=40; try_files /medium =404; }
        location = /checkout { if (\$arg_n ~ 33$) { return 503; } try_files /small =404; }
        location = /product { try_files /small =404; }
        location = /cart { try_files /small =404; }
    }
}
EOF
cat >"$dir/plain.lua" <<'EOF'
local n = 0
request = function() n = n + 1; return wrk.format("GET", n % 4 == 0 and "/medium?" .. n or "/small?" .. n) end
EOF
cat >"$dir/shop.lua" <<'EOF'
local n = 0
local name = { [0] = "/cart", "/cart", "/cart", "/checkout" }
request = function()
    n = n + 1
    return wrk.format("GET", (n % 250 == 0 and "/report" or name[n % 10] or "/product") .. "?n=" .. n)
end
EOF
ip netns exec bench-s nginx -c "$dir/nginx.conf" &
sleep 1
ip netns exec bench-s tcpdump -i veth0 -s 0 -B 65536 --time-stamp-precision=nano -c "$packets" -w "$file" 2>/dev/null &
tcpdump=$!
sleep 1
ip netns exec bench-c wrk -t 1 -c 50 -d 600 -s "$dir/$mix.lua" http://10.78.0.2/ >/dev/null &
wait $tcpdump
