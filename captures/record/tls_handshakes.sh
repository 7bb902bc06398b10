#!/bin/bash
# Handshakes of TLS in every kind, of OpenSSL's s_server with a client that logs them, and of curl with nginx; captures/tls/. A relay
# makes each flight take 5 ms.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"
tcp_dir=$record_dir/../tls

# serve PORT [OPTION]...
serve() {
    local port=$1
    shift
    in_background "$server_ns" openssl s_server -accept "10.77.0.2:1$port" -cert "$work_dir/certificate.pem" -key "$work_dir/key.pem" -www -quiet \
        "$@" </dev/null >>"$work_dir/server.log" 2>&1
    wait_for_port "1$port"
}

make_network off
openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=latency \
    -keyout "$work_dir/key.pem" -out "$work_dir/certificate.pem" 2>"$work_dir/openssl.log"
serve 4433 -alpn http/1.1
serve 4434 -groups P-521
serve 4435 -tls1_3
serve 4436 -Verify 1 -verify_return_error -CAfile "$work_dir/certificate.pem"
# Early data go with no server but one that a terminal answers.
mkfifo "$work_dir/terminal"
in_background "$server_ns" openssl s_server -accept 10.77.0.2:14438 -cert "$work_dir/certificate.pem" -key "$work_dir/key.pem" -quiet -tls1_3 -early_data \
    <>"$work_dir/terminal" >>"$work_dir/server.log" 2>&1
wait_for_port 14438
in_background "$server_ns" python3 "$record_dir/starttls_server.py" 10.77.0.2 14437 "$work_dir/certificate.pem" "$work_dir/key.pem"
wait_for_port 14437
in_background "$server_ns" python3 "$record_dir/delaying_relay.py" 10.77.0.2 2.5 4433:14433 4434:14434 4435:14435 4436:14436 4437:14437 4438:14438 4443:443
wait_for_port 4443
start_capture tcp
in_client python3 "$record_dir/tls_client.py" 10.77.0.2 "$work_dir/truth.json" "$work_dir"
# What Python has no words for: early data.
printf 'GET / HTTP/1.0\r\n\r\n' >"$work_dir/early"
in_client openssl s_client -connect 10.77.0.2:4438 -servername early.example -tls1_3 -sess_out "$work_dir/session" \
    < <(sleep 0.2) >"$work_dir/early.log" 2>&1 || true
in_client openssl s_client -connect 10.77.0.2:4438 -servername early.example -tls1_3 -sess_in "$work_dir/session" \
    -early_data "$work_dir/early" < <(sleep 0.2) >>"$work_dir/early.log" 2>&1 || true
grep -q 'Early data was accepted' "$work_dir/early.log" || { cat "$work_dir/early.log" >&2; exit 1; }
keep_capture handshakes
mv "$work_dir/truth.json" "$tcp_dir/handshakes.truth.json"
# By curl, with its own times: one connection each, TLS 1.3 and 1.2.
start_nginx
start_capture tcp port 4443
for host in shop.example news.example shop.example; do
    for version in 1.2 1.3; do
        in_client curl --silent --noproxy '*' --insecure --output "$work_dir/output" --resolve "$host:4443:10.77.0.2" --tlsv$version --tls-max $version \
            --write-out '%{local_port} %{time_connect} %{time_appconnect} %{time_pretransfer} %{time_starttransfer}\n' \
            "https://$host:4443/small" >>"$work_dir/curl.times"
    done
done
keep_capture curl
mv "$work_dir/curl.times" "$tcp_dir/curl.times"
