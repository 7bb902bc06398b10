#!/bin/bash
# Redis: a few commands by redis-cli (which first asks for the documentation of all), then 500 on four connections, none pipelined.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

make_network off
in_background "$server_ns" redis-server --bind 10.77.0.2 --protected-mode no --save '' --dir "$work_dir" >"$work_dir/redis.log"
wait_for_port 6379
start_capture tcp
printf '%s\n' 'SET name latency' 'GET name' 'INCR visits' 'LPUSH list a b c' 'LRANGE list 0 -1' 'GET absent' 'NOSUCH' |
    in_client redis-cli -h 10.77.0.2 >"$work_dir/cli.log"
in_client redis-benchmark -h 10.77.0.2 -n 250 -c 4 -t set,get -q >"$work_dir/benchmark.log"
keep_capture redis
