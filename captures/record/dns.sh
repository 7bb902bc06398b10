#!/bin/bash
# DNS over TCP, and by TLS: unbound, with names of its own, some that it refuses and some whose servers do not answer; captures/framing/dns_tcp, dns_tls.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"
tcp_dir=$record_dir/../framing

make_network off
openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj /CN=latency \
    -keyout "$work_dir/key.pem" -out "$work_dir/certificate.pem" 2>"$work_dir/openssl.log"
cat >"$work_dir/unbound.conf" <<END
server:
    interface: 10.77.0.2
    interface: 10.77.0.2@853
    tls-service-key: "$work_dir/key.pem"
    tls-service-pem: "$work_dir/certificate.pem"
    access-control: 10.77.0.0/24 allow
    chroot: ""
    username: ""
    directory: "$work_dir"
    pidfile: ""
    use-syslog: no
    logfile: "$work_dir/unbound.log"
    do-daemonize: no
    num-threads: 1
    module-config: "iterator"
    do-not-query-localhost: no
    incoming-num-tcp: 100
    tcp-idle-timeout: 10000
    local-zone: "example.org." static
    local-data: "example.org. 3600 IN SOA ns.example.org. admin.example.org. 1 2 3 4 5"
    local-data: "example.org. 3600 IN NS ns.example.org."
    local-data: "example.org. 3600 IN A 10.77.0.2"
    local-data: "example.org. 3600 IN AAAA fd77::2"
    local-data: "example.org. 3600 IN MX 10 mail.example.org."
    local-data: "www.example.org. 3600 IN A 10.77.0.2"
    local-data: "mail.example.org. 3600 IN A 10.77.0.2"
$(for i in $(seq 1 14); do echo "    local-data: 'large.example.org. 3600 IN TXT \"$i $(head -c 200 /dev/zero | tr '\0' x)\"'"; done)
    local-zone: "refused.example." refuse
forward-zone:
    name: "fail.example."
    forward-addr: 127.0.0.1@5399
forward-zone:
    name: "fail2.example."
    forward-addr: 127.0.0.1@5399
remote-control:
    control-enable: no
END
in_background "$server_ns" python3 "$record_dir/failing_dns.py" 127.0.0.1 5399
in_background "$server_ns" unbound -c "$work_dir/unbound.conf"
wait_for_port 53
start_capture tcp port 53
in_client python3 "$record_dir/dns_client.py" 10.77.0.2 53 "$work_dir/truth.json"
keep_capture dns_tcp
mv "$work_dir/truth.json" "$tcp_dir/dns_tcp.truth.json"

wait_for_port 853
start_capture tcp port 853
in_client python3 "$record_dir/dns_client.py" 10.77.0.2 853 "$work_dir/truth.json" "$work_dir/keys"
keep_capture dns_tls
mv "$work_dir/truth.json" "$tcp_dir/dns_tls.truth.json"
mv "$work_dir/keys" "$tcp_dir/dns_tls.keys"
editcap --inject-secrets "tls,$tcp_dir/dns_tls.keys" "$tcp_dir/dns_tls.pcap" "$tcp_dir/dns_tls.pcapng"
rm "$tcp_dir/dns_tls.pcap"
