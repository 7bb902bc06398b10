#!/bin/bash
# Memcached's text protocol: sets, gets, deletes on three connections.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

make_network off
in_background "$server_ns" memcached -u root -l 10.77.0.2 -p 11211 -U 0
wait_for_port 11211
start_capture tcp
in_client python3 "$record_dir/memcached_client.py" 10.77.0.2 11211
keep_capture memcached
