#!/bin/bash
# Many requests in flight: HTTP of nginx, memcached by its three protocols, Redis, also by TLS; by our own client, whose log is the truth.
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

# record_tls VERSION KIND PORT NAME: the same with TLS, the keys beside the capture and in it.
record_tls() {
    start_capture tcp
    in_client python3 "$record_dir/pipeline_client.py" "$2" 10.77.0.2 "$3" "$work_dir/truth.json" "$1" "$tcp_dir/$4.keys.new"
    keep_capture "$4"
    mv "$tcp_dir/$4.keys.new" "$tcp_dir/$4.keys"
    editcap --inject-secrets "tls,$tcp_dir/$4.keys" "$tcp_dir/$4.pcap" "$tcp_dir/$4.pcapng"
    rm "$tcp_dir/$4.pcap"
    mv "$work_dir/truth.json" "$tcp_dir/$4.truth.json"
}

make_network off
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj /CN=latency \
    -keyout "$work_dir/key.pem" -out "$work_dir/certificate.pem" 2>"$work_dir/openssl.log"
mkdir -p "$work_dir/files/small" "$work_dir/files/empty"
for i in $(seq 0 999); do echo "file $i" >"$work_dir/files/small/$i"; done
seq 1 300 >"$work_dir/files/text"
head -c 9000 /dev/zero >"$work_dir/files/large"
head -c 60000 /dev/zero >"$work_dir/files/huge"
chmod -R a+rX "$work_dir"
cat >"$work_dir/pipeline.conf" <<END
daemon off; worker_processes 1; pid $work_dir/nginx.pid; error_log $work_dir/error.log;
events { }
http {
    access_log off; keepalive_requests 100000; gzip on; gzip_types *; gzip_min_length 1; gzip_http_version 1.1;
    client_body_temp_path $work_dir;
    large_client_header_buffers 4 16k;
    ssl_certificate $work_dir/certificate.pem; ssl_certificate_key $work_dir/key.pem;
    server { listen 80; listen 443 ssl; ssl_protocols TLSv1.2 TLSv1.3; root $work_dir/files; location /empty { return 204; } }
}
END
in_background "$server_ns" nginx -c "$work_dir/pipeline.conf"
wait_for_port 80
record http 80 http
record_tls 1.2 http 443 http_tls12
record_tls 1.3 http 443 http_tls13
in_background "$server_ns" memcached -u root -l 10.77.0.2 -p 11211 -U 0
wait_for_port 11211
record memcached 11211 memcached_text
record meta 11211 memcached_meta
record binary 11211 memcached_binary
in_background "$server_ns" memcached -u root -l 10.77.0.2 -p 11212 -U 0 --enable-ssl -o "ssl_chain_cert=$work_dir/certificate.pem,ssl_key=$work_dir/key.pem"
wait_for_port 11212
record_tls 1.3 memcached 11212 memcached_tls
in_background "$server_ns" redis-server --bind 10.77.0.2 --protected-mode no --save "" --dir "$work_dir" --logfile "$work_dir/redis.log" --enable-debug-command yes \
    --tls-port 6380 --tls-cert-file "$work_dir/certificate.pem" --tls-key-file "$work_dir/key.pem" --tls-auth-clients no
wait_for_port 6379
record redis 6379 redis
record_tls 1.3 redis 6380 redis_tls
in_client redis-cli -h 10.77.0.2 flushall >"$work_dir/flushed"
record redis_odd 6379 redis_odd
start_capture tcp port 6379
in_client redis-benchmark -h 10.77.0.2 -P 16 -c 2 -n 800 -t set,get -q >"$work_dir/benchmark"
keep_capture redis_benchmark
