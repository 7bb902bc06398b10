#!/bin/bash
# The PROXY protocol: HAProxy says to nginx whose connections it carries on, by version 1 and 2, with TLVs, for its own health checks, and before
# TLS; nginx logs whom it believes. Needs haproxy, nginx and curl.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"
tcp_dir=$record_dir/../framing

make_network off
mkdir -p "$work_dir/files"
yes latency | head -c 100 >"$work_dir/files/small"
yes latency | head -c 20000 >"$work_dir/files/20k"
chmod -R a+rX "$work_dir"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj /CN=latency \
    -keyout "$work_dir/key.pem" -out "$work_dir/certificate.pem" 2>"$work_dir/openssl.log"
cat >"$work_dir/nginx.conf" <<END
daemon off;
user root;
worker_processes 1;
events {}
http {
    log_format proxied '{"port":\$remote_port,"client":"\$proxy_protocol_addr","client_port":"\$proxy_protocol_port","operation":"\$request_method \$request_uri","status":"\$status","end":\$msec,"time_s":\$request_time}';
    access_log $work_dir/proxied.jsonl proxied;
    server { listen 10.77.0.2:80 proxy_protocol; root files; client_max_body_size 1m; location /put/ { dav_methods PUT; create_full_put_path on; } }
    server { listen 10.77.0.2:443 ssl proxy_protocol; ssl_certificate certificate.pem; ssl_certificate_key key.pem; root files; }
}
END
cat >"$work_dir/haproxy.cfg" <<END
global
    nbthread 1
defaults
    mode tcp
    timeout client 10s
    timeout server 10s
    timeout connect 5s
frontend one
    bind 127.0.0.1:8001
    bind ::1:8001
    default_backend one
backend one
    server nginx 10.77.0.2:80 send-proxy
frontend two
    bind 127.0.0.1:8002
    bind ::1:8002
    unique-id-format %{+X}o\ %ci:%cp
    default_backend two
backend two
    server nginx 10.77.0.2:80 send-proxy-v2 proxy-v2-options crc32c,unique-id check inter 300ms
frontend path
    bind unix@$work_dir/path.sock
    default_backend path
backend path
    server nginx 10.77.0.2:80 send-proxy-v2
frontend tls
    bind 127.0.0.1:8443
    default_backend tls
backend tls
    server nginx 10.77.0.2:443 send-proxy-v2
END
in_background "$server_ns" nginx -p "$work_dir" -c nginx.conf -g "pid nginx.pid;" -e "$work_dir/error.log"
wait_for_port 80
start_capture tcp
in_background "$client_ns" haproxy -db -f "$work_dir/haproxy.cfg" >"$work_dir/haproxy.log" 2>&1
wait_for_port 8001 "$client_ns"
for version in 1 2; do
    for from in 127.0.0.5 127.0.0.77; do
        in_client curl --silent --interface "$from" --output /dev/null "http://127.0.0.1:800$version/small" --output /dev/null "http://127.0.0.1:800$version/20k" \
            --output /dev/null "http://127.0.0.1:800$version/absent"
        in_client curl --silent --interface "$from" --output /dev/null --upload-file "$work_dir/files/20k" "http://127.0.0.1:800$version/put/$from"
    done
    in_client curl --silent --output /dev/null "http://[::1]:800$version/small" --output /dev/null "http://[::1]:800$version/20k"
done
in_client curl --silent --unix-socket "$work_dir/path.sock" --output /dev/null http://proxied/small --output /dev/null http://proxied/absent
sleep 0.7
keep_capture proxied
mv "$work_dir/proxied.jsonl" "$tcp_dir/proxied.jsonl"

kill -USR1 "$(cat "$work_dir/nginx.pid")"
sleep 0.3
start_capture tcp port 443
for from in 127.0.0.5 127.0.0.77; do
    in_client env SSLKEYLOGFILE="$work_dir/keys" curl --silent --insecure --http1.1 --interface "$from" --output /dev/null https://127.0.0.1:8443/small \
        --output /dev/null https://127.0.0.1:8443/20k --output /dev/null https://127.0.0.1:8443/absent
done
keep_capture proxied_tls
mv "$work_dir/proxied.jsonl" "$tcp_dir/proxied_tls.jsonl"
mv "$work_dir/keys" "$tcp_dir/proxied_tls.keys"
editcap --inject-secrets "tls,$tcp_dir/proxied_tls.keys" "$tcp_dir/proxied_tls.pcap" "$tcp_dir/proxied_tls.pcapng"
rm "$tcp_dir/proxied_tls.pcap"
chmod a+r "$tcp_dir"/proxied*
