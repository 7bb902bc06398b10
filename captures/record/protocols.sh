#!/bin/bash
# Protocols that Wireshark pairs: ping, NTP of chrony, SNMP of Net-SNMP, LDAP of OpenLDAP, RPC of rpcbind; captures/protocols/all.
# What ping printed is beside it; how often the others asked, and with which errors, is said in tests/cases/protocols.py.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"
tcp_dir=$record_dir/../protocols
mkdir -p "$tcp_dir"

make_network off
mkdir -p "$work_dir/ldap"
cat >"$work_dir/chrony.conf" <<END
local stratum 8
allow 10.77.0.0/24
cmdport 0
pidfile $work_dir/chronyd.pid
END
printf 'rocommunity public 10.77.0.0/24\nsysname latency\n' >"$work_dir/snmpd.conf"
cat >"$work_dir/slapd.conf" <<END
include /etc/ldap/schema/core.schema
modulepath /usr/lib/ldap
moduleload back_mdb
pidfile $work_dir/slapd.pid
database mdb
suffix "dc=example,dc=org"
rootdn "cn=admin,dc=example,dc=org"
rootpw secret
directory $work_dir/ldap
END
in_background "$server_ns" chronyd -x -d -u root -f "$work_dir/chrony.conf" >"$work_dir/chronyd.log" 2>&1
in_background "$server_ns" snmpd -f -Lf "$work_dir/snmpd.log" -C -c "$work_dir/snmpd.conf" udp:10.77.0.2:161
in_background "$server_ns" slapd -d 0 -f "$work_dir/slapd.conf" -h ldap://10.77.0.2:389
in_background "$server_ns" rpcbind -f -w -h 10.77.0.2
wait_for_port 389
sleep 3
start_capture
in_client ping -n -c 20 -i 0.05 10.77.0.2 >"$tcp_dir/all.ping"
in_client ping -n -c 5 -i 0.05 fd77::2 >>"$tcp_dir/all.ping"
in_client chronyd -Q -t 8 -u root "server 10.77.0.2 iburst maxsamples 4" >"$work_dir/chrony" 2>&1 || cat "$work_dir/chrony"
for _ in $(seq 10); do in_client snmpget -v 2c -c public 10.77.0.2 1.3.6.1.2.1.1.5.0 >"$work_dir/snmp"; done
for _ in $(seq 3); do expect_failure in_client snmpget -v 1 -c public 10.77.0.2 1.3.6.1.2.1.1.99.0 >"$work_dir/snmp"; done
for _ in $(seq 5); do in_client rpcinfo -T udp 10.77.0.2 100000 >"$work_dir/rpc" || true; done
for _ in $(seq 6); do in_client ldapsearch -x -H ldap://10.77.0.2 -s base -b '' namingContexts >"$work_dir/ldapsearch"; done
for _ in $(seq 2); do expect_failure in_client ldapsearch -x -H ldap://10.77.0.2 -D cn=admin,dc=example,dc=org -w wrong >"$work_dir/ldapsearch"; done
keep_capture all
