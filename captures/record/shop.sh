#!/bin/bash
# A web shop and its Redis. One page of the shop asks Redis for all keys of a pattern, of 400 000: it is slow, and while Redis looks for them
# it answers nobody else. Redis stands in the client's namespace at an address of its own, so the capture has both: who asks the shop, and
# whom the shop asks.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

redis=10.77.0.3
make_network off
ip -n "$client_ns" address add "$redis/24" dev eth0
in_background "$client_ns" redis-server --bind "$redis" --protected-mode no --enable-debug-command yes --save '' --dir "$work_dir" >"$work_dir/redis.log"
wait_for_port 6379 "$client_ns"
printf '%s\n' 'DEBUG POPULATE 400000 session 8' 'SET page:home welcome' 'SET product:1 teapot' 'HSET cart:7 teapot 1 cup 4' |
    in_client redis-cli -h "$redis" >"$work_dir/cli.log"
in_background "$server_ns" python3 "$record_dir/shop_server.py" 10.77.0.2 80 "$redis"
wait_for_port 80
start_capture tcp
# Each on one connection, some requests a second.
get --rate 11/s "$url/product?id=[1-40]" &
shopper=$!
get --rate 7/s "$url/" "$url/cart" "$url/" "$url/cart?add=[1-20]" &
buyer=$!
get --rate 2/s "$url/report?page=[1-7]"
wait "$shopper" "$buyer"
keep_capture shop
