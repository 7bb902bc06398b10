#!/bin/bash
# QUIC and HTTP/3: nginx, curl (OpenSSL's QUIC) and aioquic of Debian 13; Caddy (quic-go), HAProxy and curl (ngtcp2) of forky. Each in a system of
# its own (QUIC_ROOT, QUIC_FORKY), which is made if it is not there. What the clients logged is the truth; the keys are in the captures.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

quic_dir=$record_dir/../quic
root=${QUIC_ROOT:-$record_dir/../../build/debian-quic}
forky=${QUIC_FORKY:-$record_dir/../../build/debian-quic-forky}

# make_system SUITE ROOT PACKAGE…; Debian 12's debootstrap does not know forky, which is made as sid is.
make_system() {
    local suite=$1 root=$2
    shift 2
    [ ! -e "$root/ready" ] || return 0
    cp -r /usr/share/debootstrap "$work_dir"
    [ -e "$work_dir/debootstrap/scripts/$suite" ] || ln -s sid "$work_dir/debootstrap/scripts/$suite"
    DEBOOTSTRAP_DIR=$work_dir/debootstrap debootstrap --variant=minbase --no-check-gpg "$suite" "$root" http://deb.debian.org/debian >"$work_dir/debootstrap.log"
    cp /etc/resolv.conf "$root/etc"
    chroot "$root" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@" >"$work_dir/install.log"
    touch "$root/ready"
}
make_system trixie "$root" nginx curl python3-aioquic openssl ca-certificates
make_system forky "$forky" caddy haproxy curl ca-certificates
inside=$root/record outside=$forky/record
mkdir -p "$inside" "$outside" "$quic_dir"
trap 'rm -rf "$inside" "$outside"; finish' EXIT
cp "$record_dir"/quic_{client,server,relay}.py "$inside"
client() { in_client chroot "$root" python3 /record/quic_client.py "/record/$name.log" /record/keys "$@"; }
server() { in_background "$server_ns" chroot "$root" "$@"; }
forky_server() { in_background "$server_ns" chroot "$forky" "$@"; }

make_network "${QUIC_OFFLOAD:-off}"
mkdir "$inside/files"
head -c 9000 /dev/urandom >"$inside/files/9k"
head -c 24000 /dev/urandom >"$inside/files/24k"
echo hello >"$inside/files/index.html"
chmod -R a+rX "$inside"
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj /CN=shop.example -keyout "$inside/key.pem" \
    -out "$inside/certificate.pem" 2>"$work_dir/openssl.log"
listen() { echo "listen 10.77.0.2:$1 quic reuseport; listen [fd77::2]:$1 quic reuseport;"; }
cat >"$inside/nginx.conf" <<END
daemon off; pid /record/nginx.pid; error_log /record/error.log;
events {}
http {
    access_log off; ssl_certificate /record/certificate.pem; ssl_certificate_key /record/key.pem; ssl_early_data on; root /record/files;
    map \$uri \$late { default 0; ~^/late 1; }
    server { $(listen 443) quic_gso on; location /slow/ { limit_rate 100k; alias /record/files/; } location /fails/ { return 503; }
             location /item/ { return 200 "item\n"; } location /upload/ { client_max_body_size 1m; return 200 "taken\n"; } }
    server { $(listen 444) quic_retry on; }
    server { $(listen 450) keepalive_requests 5; location /item/ { return 200 "item\n"; } }
}
END
cp -r "$inside"/* "$outside"
cat "$outside/certificate.pem" "$outside/key.pem" >"$outside/both.pem"
cat >"$outside/haproxy.cfg" <<END
defaults
    mode http
    timeout client 10s
    timeout server 10s
    timeout connect 2s
frontend front
    bind quic4@10.77.0.2:451 ssl crt /record/both.pem alpn h3
    http-request return status 503 content-type text/plain string no if { path_beg /fails/ }
    http-request return status 200 content-type text/plain string item if { path_beg /item/ }
    default_backend files
backend files
    server caddy 10.77.0.2:8080
END
cat >"$outside/Caddyfile" <<END
{
    auto_https off
    admin off
}
(site) {
    respond /item/* "item" 200
    respond /fails/* "no" 503
    root * /record/files
    file_server
}
http://:8080 {
    bind 10.77.0.2
    import site
}
https://shop.example:452 {
    bind 10.77.0.2
    tls /record/certificate.pem /record/key.pem
    import site
}
END
forky_server haproxy -f /record/haproxy.cfg
forky_server env HOME=/record caddy run --config /record/Caddyfile --adapter caddyfile 2>"$work_dir/caddy.log"
server nginx -p /record -c /record/nginx.conf
server python3 /record/quic_server.py 10.77.0.2 446 /record/certificate.pem /record/key.pem /record/server_keys 6b3343cf+1
server python3 /record/quic_server.py 10.77.0.2 447 /record/certificate.pem /record/key.pem /record/server_keys 1
server python3 /record/quic_server.py 10.77.0.2 448 /record/certificate.pem /record/key.pem /record/server_keys 6b3343cf
in_background "$client_ns" chroot "$root" python3 /record/quic_relay.py 5000 10.77.0.2 447 30
in_background "$client_ns" chroot "$root" python3 /record/quic_relay.py 5001 10.77.0.2 447 1000000 40
sleep 2

# get3 NAME_OF_SERVER PORT PATH…: by curl, at once on one connection; `one_by_one`: not at once. `of`: whose curl.
get3() {
    local host=$1 port=$2 path urls=() where=${of:-$root}
    shift 2
    for path; do urls+=("https://$host:$port$path" -o /dev/null); done
    in_client chroot "$where" env SSLKEYLOGFILE=/record/keys curl --silent --insecure --http3-only ${one_by_one---parallel} --max-time 8 \
        --resolve "$host:$port:${address:-10.77.0.2}" --write-out '%{local_port} %{url} %{http_code} %{time_appconnect} %{time_starttransfer} %{time_total}\n' \
        "${urls[@]}" >>"$inside/$name.curl" || true
}

begin() {
    name=$1
    rm -f "$inside/keys" "$outside/keys"
    start_capture "${@:2}" 'udp or icmp or icmp6'
}

end() {
    sleep 0.5
    kill -INT "$capture_pid"
    wait "$capture_pid" || true
    capture_pid=
    cat "$outside/keys" >>"$inside/keys" 2>/dev/null || true
    editcap --inject-secrets "tls,$inside/keys" "$work_dir/capture.pcap" "$quic_dir/$name.pcapng"
    [ ! -e "$inside/$name.log" ] || cp "$inside/$name.log" "$quic_dir/$name.truth.jsonl"
    [ ! -e "$inside/$name.curl" ] || cp "$inside/$name.curl" "$quic_dir/"
    echo "$name: $(capinfos -Tcm "$quic_dir/$name.pcapng" | tail -1)"
}

at=address=10.77.0.2
begin handshakes
get3 shop.example 443 /
address=[fd77::2] get3 six.example 443 /
get3 retry.example 444 /
client "$at,host=one.example,port=447"
client "$at,host=two.example,port=446,versions=1+6b3343cf,n=2" "$at,host=two-first.example,port=446,versions=6b3343cf+1"
client "$at,host=other-version.example,port=448,versions=1+6b3343cf"
client "$at,host=again.example,port=447,resume=1,n=2"
client "$at,host=no-alpn.example,port=447,alpn=xx"
client "$at,host=nobody.example,port=499,wait=1.5"
client "$at,host=one.example,port=447,relay=5000,address=127.0.0.1,requests=40,path=/wait/1"
in_server nft 'add table ip t; add chain ip t c { type filter hook input priority 0; }; add rule ip t c udp dport 449 drop'
client "$at,host=silent.example,port=449,wait=3.5"
end

begin requests
get3 shop.example 443 /item/1 /item/2 /9k /missing /fails/ /slow/9k
client "$at,host=shop.example,port=443,requests=30,at_once=1,path=/item/…"
client "$at,host=shop.example,port=443,requests=40,at_once=10,path=/item/…"
client "$at,host=shop.example,port=443,requests=6,at_once=3,method=POST,bytes=3000,path=/upload/…"
client "$at,host=one.example,port=447,requests=10,at_once=5,path=/wait/3…"
client "$at,host=one.example,port=447,requests=6,at_once=3,path=/status/50…" "$at,host=one.example,port=447,requests=2,path=/reset"
client "$at,host=two.example,port=446,versions=1+6b3343cf,requests=10,at_once=4,path=/bytes/3000"
client "$at,host=again.example,port=447,resume=1,n=2,requests=5,path=/item/…"
end

items() { seq -f /item/%.0f "$1"; }
begin servers
for port in 451 452; do
    for of in "$root" "$forky"; do get3 shop.example "$port" $(items 10) /fails/ /missing /9k; done
    one_by_one= get3 shop.example "$port" $(items 10)
    client "$at,host=shop.example,port=$port,requests=20,at_once=5,path=/item/…"
done
end

# The server takes five requests on a connection.
begin ends
one_by_one= of=$forky get3 shop.example 450 $(items 12)
of=$forky get3 shop.example 450 $(items 12)
end

# A connection that began before the capture, and two behind it.
name=middle
rm -f "$inside/keys"
client "$at,host=one.example,port=447,requests=20,path=/wait/50" &
begun=$!
until [ -s "$inside/keys" ]; do sleep 0.1; done
sleep 0.3
start_capture 'udp or icmp or icmp6'
client "$at,host=one.example,port=447,requests=20,at_once=2,path=/wait/5"
wait "$begun"
client "$at,host=shop.example,port=443,requests=40,at_once=10,path=/item/…"
end

# Both sides spin, on a path of 80 ms: while requests and answers go to and fro, and with pauses; nginx does not.
begin spin
client "$at,host=one.example,port=447,relay=5001,address=127.0.0.1,requests=110,at_once=30,path=/wait/…"
client "$at,host=one.example,port=447,relay=5001,address=127.0.0.1,requests=4,path=/wait/300"
client "$at,host=shop.example,port=443,requests=10,path=/item/…"
end

in_server nft 'add rule ip t c meta l4proto udp numgen random mod 100 < 2 drop'
in_client nft 'add table ip t; add chain ip t c { type filter hook input priority 0; }; add rule ip t c meta l4proto udp numgen random mod 100 < 2 drop'
begin losses
client "$at,host=shop.example,port=443,n=3,requests=30,at_once=10,path=/item/…"
client "$at,host=one.example,port=447,n=2,requests=10,at_once=5,path=/bytes/1500"
end
in_server nft 'delete table ip t'
in_client nft 'delete table ip t'

# Frames of many datagrams, which the kernel cuts behind the place of capture.
for ns in "$client_ns" "$server_ns"; do ip netns exec "$ns" ethtool -K eth0 tx on gso on gro on >"$work_dir/ethtool"; done
begin offload
for port in 443 451 452; do get3 shop.example "$port" $(items 5) /24k; done
of=$forky get3 shop.example 452 $(items 5) /9k
end
