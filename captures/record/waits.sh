#!/bin/bash
# What clients await that is no answer to what they asked: a WebSocket's pushes, long polls of HTTP that say so, Redis' blocking commands and
# publications; captures/waits/.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"
tcp_dir=$record_dir/../waits

make_network off
in_background "$server_ns" python3 "$record_dir/waits_server.py" 10.77.0.2
wait_for_port 8080
wait_for_port 8765
start_capture --snapshot-length 400 tcp
in_client python3 "$record_dir/waits_client.py" 10.77.0.2 "$work_dir/truth.json"
keep_capture websocket
mv "$work_dir/truth.json" "$tcp_dir/websocket.truth.json"

in_background "$server_ns" python3 "$record_dir/websocket_ids_server.py" 10.77.0.2
wait_for_port 8766
start_capture tcp
in_client python3 "$record_dir/websocket_ids_client.py" 10.77.0.2 "$work_dir/truth.jsonl"
keep_capture websocket_ids
mv "$work_dir/truth.jsonl" "$tcp_dir/websocket_ids.truth.jsonl"

start_capture tcp
get -H 'Prefer: wait=5' "$url:8080/news" "$url:8080/news" "$url:8080/news"
get "$url:8080/report" "$url:8080/report"
get -H 'Prefer: respond-async, wait=5' "$url:8080/report"
get -H 'Prefer: wait=5' --data x "$url:8080/report"
keep_capture long_poll
keep_times long_poll

in_background "$server_ns" redis-server --bind 10.77.0.2 --port 6379 --save '' --protected-mode no >"$work_dir/redis.log"
wait_for_port 6379
redis() { in_client redis-cli -2 -h 10.77.0.2 "$@" >>"$work_dir/output" 2>&1; }
start_capture --snapshot-length 400 tcp
redis SUBSCRIBE news &
subscriber=$!
sleep 0.3
printf '%s\n' 'BLPOP list 2' 'XREAD BLOCK 2000 STREAMS stream $' 'XREAD STREAMS stream 0' 'BRPOP nothing 0.2' 'WAIT 1 150' 'BZPOPMIN set 0.1' 'GET key' |
    redis &
waiting=$!
sleep 0.4
redis RPUSH list 1
sleep 0.4
redis XADD stream '*' field value
for message in 1 2 3 4; do
    redis PUBLISH news "$message"
    sleep 0.1
done
wait "$waiting"
kill "$subscriber"
wait "$subscriber" || true
keep_capture redis
