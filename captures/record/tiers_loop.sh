#!/bin/bash
# A service whose first tier is an event loop (node), which asks several others at a time: HTTP with few connections to a server of threads, which
# asks PostgreSQL; gRPC to another event loop, which asks Redis; DNS. Some is refused and asked again, some given up, some asked after the
# response. tiers_loop.sh [VISITORS]...: a recording for each number of visitors at a time.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/tiers_common.sh"

snapshot_length=1600 # many requests of HTTP/2 in a segment
make_hub
add_tier visitors 1
add_tier gate 20
add_tier stock 21
add_tier quotes 22
add_tier store 23
add_tier audit 24
add_tier names 25
add_tier database 26

serve store redis-server --bind 10.77.0.23 --protected-mode no --save '' --dir "$work_dir" >"$work_dir/redis.log"
start_postgres 26 'CREATE TABLE stock AS SELECT id, id % 7 AS number FROM generate_series(1, 201) id'
wait_for_port 6379 "latency-store-$$"
tier store redis-cli -h 10.77.0.23 set rate 1.19 >"$work_dir/redis-cli.log"
export TIERS_LOG=$work_dir/logs
serve names python3 "$record_dir/tiers_loop/names.py" 10.77.0.25
serve stock python3 "$record_dir/tiers_loop/stock.py" 10.77.0.21 10.77.0.26
serve audit python3 "$record_dir/tiers_loop/stock.py" 10.77.0.24
serve quotes node "$record_dir/tiers_loop/quotes.js"
wait_for_port 80 "latency-stock-$$"
wait_for_port 80 "latency-audit-$$"
wait_for_port 50051 "latency-quotes-$$"
serve gate node "$record_dir/tiers_loop/gate.js"
wait_for_port 80 "latency-gate-$$"

[ $# != 0 ] || set -- 8 32
for visitors in "$@"; do
    record_tiers "calls_loop_$visitors" "$visitors" 'tcp or udp port 53' 10.77.0.20 traceparent \
        '5 GET /product/N' '2 GET /basket/N' '2 POST /order/N' '1 GET /slow/N'
done
