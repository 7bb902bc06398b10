#!/bin/bash
# DNS over UDP: unbound, avahi, and servers that are dead or deaf; of dig, kdig, drill, glibc and our own client, whose logs are the truth. Some
# is lost on the way, beyond the capture. captures/framing/dns_udp.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"
tcp_dir=$record_dir/../framing

make_network off
for host in 3 4 6; do ip -n "$server_ns" address add 10.77.0.$host/24 dev eth0; done
ip -n "$client_ns" route add multicast 224.0.0.0/4 dev eth0
cat >"$work_dir/unbound.conf" <<END
server:
    interface: 10.77.0.2
    interface: fd77::2
    access-control: 10.77.0.0/24 allow
    access-control: fd77::/64 allow
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
    local-zone: "example.org." static
    local-data: "example.org. 3600 IN SOA ns.example.org. admin.example.org. 1 2 3 4 5"
    local-data: "example.org. 3600 IN A 10.77.0.2"
    local-data: "example.org. 3600 IN AAAA fd77::2"
    local-data: "example.org. 3600 IN MX 10 mail.example.org."
    local-data: "www.example.org. 3600 IN A 10.77.0.2"
    local-data: "www.example.org. 3600 IN AAAA fd77::2"
    local-data: "mail.example.org. 3600 IN A 10.77.0.2"
$(for i in $(seq 1 14); do echo "    local-data: 'large.example.org. 3600 IN TXT \"$i $(head -c 200 /dev/zero | tr '\0' x)\"'"; done)
    local-zone: "refused.example." refuse
forward-zone:
    name: "fail.example."
    forward-addr: 127.0.0.1@5399
forward-zone:
    name: "slow.example."
    forward-addr: 127.0.0.1@5398
remote-control:
    control-enable: no
END
cat >"$work_dir/avahi.conf" <<END
[server]
host-name=printer
enable-dbus=no
use-ipv6=no
allow-interfaces=eth0
END
mkdir -p "/etc/netns/$client_ns"
printf 'nameserver 10.77.0.6\noptions timeout:1 attempts:5\n' >"/etc/netns/$client_ns/resolv.conf"
finish_too() { rm -rf "/etc/netns/$client_ns"; finish; }
trap finish_too EXIT
in_background "$server_ns" python3 "$record_dir/failing_dns.py" 127.0.0.1 5399
in_background "$server_ns" unbound -c "$work_dir/unbound.conf"
in_background "$server_ns" avahi-daemon --no-drop-root --no-chroot --no-rlimits --file "$work_dir/avahi.conf" >"$work_dir/avahi.log" 2>&1
wait_for_port 53
in_background "$server_ns" python3 "$record_dir/slow_dns.py" 5398 10.77.0.4 10.77.0.6 10.77.0.2
sleep 3 # avahi announces its name
start_capture port 53 or port 5353 or icmp or icmp6
in_client /usr/bin/python3 "$record_dir/dns_udp_client.py" "$work_dir/truth.json"
{
    for name in example.org nosuch.example.org refused.example large.example.org; do
        for kind in A TXT AAAA; do
            in_client dig -u +tries=9 +timeout=1 +ignore @10.77.0.6 "$name" "$kind"
            in_client dig -u +noedns @fd77::2 "$name" "$kind"
        done
    done
} >"$tcp_dir/dns_udp.dig" 2>&1
in_client kdig @10.77.0.6 +retry=9 +timeout=1 www.example.org AAAA >"$work_dir/kdig"
in_client drill @10.77.0.2 mail.example.org A >"$work_dir/drill"
for i in $(seq 1 10); do in_client getent ahosts www.example.org. >"$work_dir/getent"; done
keep_capture dns_udp
mv "$work_dir/truth.json" "$tcp_dir/dns_udp.truth.json"
