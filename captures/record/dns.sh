#!/bin/bash
# DNS over TCP: unbound, with names of its own, some that it refuses and some whose servers do not answer; captures/framing/dns_tcp.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"
tcp_dir=$record_dir/../framing

make_network off
cat >"$work_dir/unbound.conf" <<END
server:
    interface: 10.77.0.2
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
