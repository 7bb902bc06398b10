#!/bin/bash
# Many requests in flight: HTTP of nginx, memcached by its three protocols, Redis; by our own client, whose log is the truth.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"
tcp_dir=$record_dir/../framing

# record KIND PORT NAME: a capture and its truth.
record() {
    start_capture tcp
    in_client python3 "$record_dir/pipeline_client.py" "$1" 10.77.0.2 "$2" "$work_dir/truth.json"
    keep_capture "$3"
    mv "$work_dir/truth.json" "$tcp_dir/$3.truth.json"
}

make_network off
mkdir -p "$work_dir/files/small" "$work_dir/files/empty"
for i in $(seq 0 999); do echo "file $i" >"$work_dir/files/small/$i"; done
seq 1 300 >"$work_dir/files/text"
head -c 9000 /dev/zero >"$work_dir/files/large"
chmod -R a+rX "$work_dir"
cat >"$work_dir/pipeline.conf" <<END
daemon off; worker_processes 1; pid $work_dir/nginx.pid; error_log $work_dir/error.log;
events { }
http {
    access_log off; keepalive_requests 100000; gzip on; gzip_types *; gzip_min_length 1; gzip_http_version 1.1;
    client_body_temp_path $work_dir;
    server { listen 80; root $work_dir/files; location /empty { return 204; } }
}
END
in_background "$server_ns" nginx -c "$work_dir/pipeline.conf"
wait_for_port 80
record http 80 http
in_background "$server_ns" memcached -u root -l 10.77.0.2 -p 11211 -U 0
wait_for_port 11211
record memcached 11211 memcached_text
record meta 11211 memcached_meta
record binary 11211 memcached_binary
in_background "$server_ns" redis-server --bind 10.77.0.2 --protected-mode no --save "" --dir "$work_dir" --logfile "$work_dir/redis.log" --enable-debug-command yes
wait_for_port 6379
record redis 6379 redis
in_client redis-cli -h 10.77.0.2 flushall >"$work_dir/flushed"
record redis_odd 6379 redis_odd
start_capture tcp port 6379
in_client redis-benchmark -h 10.77.0.2 -P 16 -c 2 -n 800 -t set,get -q >"$work_dir/benchmark"
keep_capture redis_benchmark
