#!/bin/bash
# Attempts to connect: accepted, refused, unanswered, unreachable by ICMP; IPv4 and IPv6.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

make_network off
start_nginx
# Nobody has 10.77.0.9, and with this entry no ARP is needed to find that out.
ip -n "$client_ns" neighbour add 10.77.0.9 lladdr 02:00:00:00:77:09 dev eth0
# The server is also the router to a network that it cannot reach.
in_server sysctl -q net.ipv4.ip_forward=1
ip -n "$server_ns" route add unreachable 10.77.9.0/24
ip -n "$client_ns" route add 10.77.9.0/24 via 10.77.0.2
start_capture 'tcp or icmp'
get "$url/small"
for failing in 10.77.0.2:81 10.77.0.9:80 10.77.9.1:80 '[fd77::2]:81'; do
    expect_failure get --connect-timeout 4 "http://$failing/"
done
get 'http://[fd77::2]/small'
keep_capture connect_refused_unanswered
