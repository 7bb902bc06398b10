#!/bin/bash
# tcpdump -i any: requests over loopback and over Ethernet in one capture of Linux cooked packets.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

make_network off
start_nginx
start_nginx "$client_ns"
start_capture --interface any tcp
get http://127.0.0.1/small http://127.0.0.1/20k
get "$url/small" "$url/20k"
keep_capture any_sll2
