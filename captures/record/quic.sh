#!/bin/bash
# QUIC and HTTP/3: nginx, curl and aioquic of Debian 13, in a system of its own (QUIC_ROOT, which is made if it is not there). What the clients
# logged is the truth; the keys are in the captures.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

quic_dir=$record_dir/../quic
root=${QUIC_ROOT:-$record_dir/../../build/debian-quic}
if [ ! -e "$root/usr/sbin/nginx" ]; then
    debootstrap --variant=minbase trixie "$root" http://deb.debian.org/debian >"$work_dir/debootstrap.log"
    chroot "$root" sh -c 'mount -t proc proc /proc; apt-get install -y --no-install-recommends nginx curl python3-aioquic openssl ca-certificates'
fi
inside=$root/record
mkdir -p "$inside" "$quic_dir"
trap 'rm -rf "$inside"; finish' EXIT
cp "$record_dir"/quic_{client,server,relay}.py "$inside"
client() { in_client chroot "$root" python3 /record/quic_client.py "/record/$name.log" /record/keys "$@"; }
server() { in_background "$server_ns" chroot "$root" "$@"; }

make_network "${QUIC_OFFLOAD:-off}"
mkdir "$inside/files"
head -c 100000 /dev/urandom >"$inside/files/100k"
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
    server { $(listen 443) quic_gso on; location /slow/ { limit_rate 200k; alias /record/files/; } location /fails/ { return 503; }
             location /item/ { return 200 "item\n"; } location /upload/ { client_max_body_size 1m; return 200 "taken\n"; } }
    server { $(listen 444) quic_retry on; }
}
END
server nginx -p /record -c /record/nginx.conf
server python3 /record/quic_server.py 10.77.0.2 446 /record/certificate.pem /record/key.pem /record/server_keys 6b3343cf+1
server python3 /record/quic_server.py 10.77.0.2 447 /record/certificate.pem /record/key.pem /record/server_keys 1
server python3 /record/quic_server.py 10.77.0.2 448 /record/certificate.pem /record/key.pem /record/server_keys 6b3343cf
in_background "$client_ns" chroot "$root" python3 /record/quic_relay.py 5000 10.77.0.2 447 30
sleep 2

# get NAME_OF_SERVER PORT PATH…: by curl, at once on one connection
get3() {
    local host=$1 port=$2 path urls=()
    shift 2
    for path; do urls+=("https://$host:$port$path" -o /dev/null); done
    in_client chroot "$root" env SSLKEYLOGFILE=/record/keys curl --silent --insecure --http3-only --parallel --max-time 8 \
        --resolve "$host:$port:${address:-10.77.0.2}" --write-out '%{local_port} %{url} %{http_code} %{time_appconnect} %{time_starttransfer} %{time_total}\n' \
        "${urls[@]}" >>"$inside/$name.curl" || true
}

begin() {
    name=$1
    rm -f "$inside/keys"
    start_capture "${@:2}" 'udp or icmp or icmp6'
}

end() {
    sleep 0.5
    kill -INT "$capture_pid"
    wait "$capture_pid" || true
    capture_pid=
    editcap --inject-secrets "tls,$inside/keys" "$work_dir/capture.pcap" "$quic_dir/$name.pcapng"
    [ ! -e "$inside/$name.log" ] || cp "$inside/$name.log" "$quic_dir/$name.truth.jsonl"
    [ ! -e "$inside/$name.curl" ] || cp "$inside/$name.curl" "$quic_dir/"
    echo "$name: $(capinfos -Tcm "$quic_dir/$name.pcapng" | tail -1)"
}

at=address=10.77.0.2
begin handshakes
for _ in 1 2 3; do get3 shop.example 443 /; done
address=[fd77::2] get3 six.example 443 /
get3 retry.example 444 /
client "$at,host=one.example,port=447,n=3"
client "$at,host=two.example,port=446,versions=1+6b3343cf,n=2" "$at,host=two-first.example,port=446,versions=6b3343cf+1"
client "$at,host=other-version.example,port=448,versions=1+6b3343cf"
client "$at,host=again.example,port=447,resume=1,n=3"
client "$at,host=no-alpn.example,port=447,alpn=xx"
client "$at,host=nobody.example,port=499,wait=1.5"
client "$at,host=one.example,port=447,relay=5000,address=127.0.0.1,requests=40,path=/wait/1"
in_server nft 'add table ip t; add chain ip t c { type filter hook input priority 0; }; add rule ip t c udp dport 449 drop'
client "$at,host=silent.example,port=449,wait=3.5"
end

begin requests
for _ in 1 2; do get3 shop.example 443 /item/1 /item/2 /100k /missing /fails/ /slow/100k; done
client "$at,host=shop.example,port=443,requests=50,at_once=1,path=/item/…"
client "$at,host=shop.example,port=443,requests=100,at_once=10,path=/item/…"
client "$at,host=shop.example,port=443,requests=10,at_once=5,method=POST,bytes=20000,path=/upload/…"
client "$at,host=one.example,port=447,requests=40,at_once=8,path=/wait/3…"
client "$at,host=one.example,port=447,requests=6,at_once=3,path=/status/50…" "$at,host=one.example,port=447,requests=2,path=/reset"
client "$at,host=two.example,port=446,versions=1+6b3343cf,requests=20,at_once=4,path=/bytes/9000"
client "$at,host=again.example,port=447,resume=1,n=4,requests=5,path=/item/…"
end

in_server nft 'add rule ip t c meta l4proto udp numgen random mod 100 < 2 drop'
in_client nft 'add table ip t; add chain ip t c { type filter hook input priority 0; }; add rule ip t c meta l4proto udp numgen random mod 100 < 2 drop'
begin losses
client "$at,host=shop.example,port=443,n=4,requests=60,at_once=10,path=/item/…"
client "$at,host=one.example,port=447,n=4,requests=20,at_once=5,path=/bytes/5000"
end
