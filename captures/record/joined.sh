#!/bin/bash
# Proxies that listen on one address and send from another. joined: nginx (10.77.0.10), which sends from 10.77.0.110 to HAProxy (10.77.0.12), which
# sends through a router that translates addresses (10.77.0.9) to a server. apart: two like that nginx, which are asked the same with the same id;
# two like that HAProxy behind the one router; and somebody who writes X-Forwarded-For himself.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/tiers_common.sh"

snapshot_length=400
make_hub
add_tier visitors 1
add_tier router 9
add_tier left 10
add_tier right 11
add_tier inner 12
add_tier other 13
add_tier shop 14
for tier in left right; do
    host=$([ $tier = left ] && echo 10 || echo 11)
    ip -n "latency-$tier-$$" address add "10.77.0.1$host/24" dev eth0
    mkdir "$work_dir/$tier"
    cat >"$work_dir/$tier/nginx.conf" <<END
daemon off;
user nobody nogroup;
worker_processes 1;
events {}
http {
    access_log off;
    proxy_bind 10.77.0.1$host;
    proxy_http_version 1.1;
    proxy_set_header Connection "";
    proxy_set_header X-Forwarded-For \$proxy_add_x_forwarded_for;
    upstream inner { server 10.77.0.12; keepalive 8; }
    upstream shop { server 10.77.0.14; keepalive 8; }
    server {
        listen 10.77.0.$host:80;
        location / { proxy_pass http://inner; }
        location /both { proxy_pass http://shop; }
    }
}
END
    serve $tier nginx -p "$work_dir/$tier" -c nginx.conf -g "pid nginx.pid;" -e "$work_dir/$tier/error.log"
done

# The way from the two to the server is a network of their own, behind the router.
tier router sysctl -q net.ipv4.ip_forward=1
tier router nft -f - <<END
table ip translated {
    chain out {
        type nat hook postrouting priority srcnat
        oifname "eth0" masquerade
    }
}
END
for tier in inner other; do
    host=$([ $tier = inner ] && echo 12 || echo 13)
    ip -n "latency-$tier-$$" link add behind type veth peer name $tier netns "latency-router-$$"
    ip -n "latency-$tier-$$" address add "10.78.$host.2/24" dev behind
    ip -n "latency-router-$$" address add "10.78.$host.1/24" dev $tier
    ip -n "latency-$tier-$$" link set behind up
    ip -n "latency-router-$$" link set $tier up
    ip -n "latency-$tier-$$" route add 10.77.0.14 via "10.78.$host.1"
    cat >"$work_dir/$tier.cfg" <<END
global
    nbthread 1
    log stdout len 1024 format raw local0
defaults
    mode http
    timeout client 60s
    timeout server 60s
    timeout connect 5s
    option forwardfor
frontend web
    bind 10.77.0.$host:80
    http-request set-var(txn.begin) date(0,us)
    http-request capture req.hdr(X-Request-Id) len 40
    log global
    log-format '{"cause":"%[capture.req.hdr(0)]","call":"%HM %HPO%HQ","client":"%ci:%cp","begin_ns":%[var(txn.begin)]000,"end_ns":%[date(0,us)]000}'
    default_backend shop
backend shop
    option httpchk OPTIONS /alive
    server shop 10.77.0.14:80 check inter 400ms
END
    serve $tier haproxy -db -f "$work_dir/$tier.cfg" 2>"$work_dir/$tier.log" > >(grep --line-buffered '^{' >>"$work_dir/logs/$tier.jsonl")
done
serve shop python3 "$record_dir/joined/shop.py" 10.77.0.14 "$work_dir/logs/shop.jsonl" 2>"$work_dir/shop.log"
for tier in left right inner other shop; do wait_for_port 80 "latency-$tier-$$"; done

# record_proxies NAME REQUESTS KIND...
record_proxies() {
    local name=$1 log
    shift
    tier visitors python3 "$record_dir/joined/visitors.py" 2 "${@:2}" # connections are made
    sleep 0.6
    for log in "$work_dir"/logs/*.jsonl; do : >"$log"; done
    capture_interface=bridge start_capture --snapshot-length "$snapshot_length" tcp
    tier visitors python3 "$record_dir/joined/visitors.py" "$@"
    sleep 0.2
    keep_capture "$name"
    python3 "$record_dir/tiers/captured_calls.py" "$tcp_dir/$name.pcap" "$work_dir"/logs/*.jsonl >"$tcp_dir/$name.calls"
}
sleep 1
record_proxies joined 24 through 10.77.0.10 through 10.77.0.10
record_proxies apart 16 both 10.77.0.10 10.77.0.11 forged 10.77.0.14 through 10.77.0.12 through 10.77.0.13
