#!/bin/bash
# HTTP/2: in clear and by TLS, h2load, gRPC, and HTTP/1.1 that is upgraded; what the clients say of each request is the truth.
# Needs nghttp2-client, nghttp2-server, nghttp2-proxy, python3-h2, python3-grpcio and curl, too.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"
tcp_dir=$record_dir/../framing

make_network off
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj /CN=latency \
    -keyout "$work_dir/key.pem" -out "$work_dir/certificate.pem" 2>"$work_dir/openssl.log"
mkdir -p "$work_dir/files/small"
for i in $(seq 0 49); do echo "file $i" >"$work_dir/files/small/$i"; done
seq 1 300 >"$work_dir/files/text.html"
echo 'p { }' >"$work_dir/files/style.css"
head -c 9000 /dev/zero >"$work_dir/files/large"
head -c 60000 /dev/zero >"$work_dir/files/huge"
chmod -R a+rX "$work_dir"
in_background "$server_ns" nghttpd --no-tls --echo-upload --push=/text.html=/style.css -d "$work_dir/files" 80 >"$work_dir/nghttpd.log" 2>&1
in_background "$server_ns" nghttpd --echo-upload --push=/text.html=/style.css -d "$work_dir/files" 443 "$work_dir/key.pem" "$work_dir/certificate.pem" \
    >"$work_dir/nghttpd_tls.log" 2>&1
wait_for_port 80
wait_for_port 443

start_capture tcp
in_client /usr/bin/python3 "$record_dir/http2_client.py" 10.77.0.2 80 "$work_dir/truth.json"
keep_capture http2
mv "$work_dir/truth.json" "$tcp_dir/http2.truth.json"

start_capture tcp
in_client /usr/bin/python3 "$record_dir/http2_client.py" 10.77.0.2 443 "$work_dir/truth.json" "$tcp_dir/http2_tls.keys.new"
keep_capture http2_tls
mv "$tcp_dir/http2_tls.keys.new" "$tcp_dir/http2_tls.keys"
editcap --inject-secrets "tls,$tcp_dir/http2_tls.keys" "$tcp_dir/http2_tls.pcap" "$tcp_dir/http2_tls.pcapng"
rm "$tcp_dir/http2_tls.pcap"
mv "$work_dir/truth.json" "$tcp_dir/http2_tls.truth.json"

# Its log: begin in microseconds since 1970, status, microseconds to the end.
for i in $(seq 0 49); do echo "$url/small/$i"; done >"$work_dir/urls"
rm -f "$tcp_dir/http2_h2load.times"
start_capture tcp
in_client h2load -n 240 -c 2 -m 16 -p h2c -i "$work_dir/urls" --log-file="$tcp_dir/http2_h2load.times" >"$work_dir/h2load.log"
keep_capture http2_h2load
chmod a+r "$tcp_dir/http2_h2load.times"

in_background "$server_ns" /usr/bin/python3 "$record_dir/grpc_server.py" 50051
wait_for_port 50051
start_capture tcp
in_client /usr/bin/python3 "$record_dir/grpc_client.py" 10.77.0.2 50051 "$work_dir/truth.json"
keep_capture grpc
mv "$work_dir/truth.json" "$tcp_dir/grpc.truth.json"

in_background "$server_ns" nghttpx -f '10.77.0.2,8080;no-tls' -b '10.77.0.2,80;;proto=h2' --errorlog-file="$work_dir/nghttpx.log" --workers=1 \
    >"$work_dir/nghttpx.out" 2>&1
wait_for_port 8080
start_capture tcp port 8080
in_client nghttp --upgrade --null-out "$url:8080/small/1" "$url:8080/large" "$url:8080/absent" >"$work_dir/nghttp.log"
in_client curl --silent --http2 --output /dev/null "$url:8080/huge"
in_client curl --silent --http2 --output /dev/null --output /dev/null "$url:8080/small/2" "$url:8080/large"
keep_capture http2_upgrade
