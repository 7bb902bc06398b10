#!/bin/bash
# A server that waits as long as the path says: /MS BEFORE THE HEAD/MS BEFORE THE BODY; and what curl measured of it.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

make_network off
in_background "$server_ns" python3 "$record_dir/waiting_server.py" 10.77.0.2 80
wait_for_port 80
start_capture tcp
get "$url/10/0" "$url/50/20" "$url/0/100" "$url/200/5" "$url/1/1"
keep_capture http_delays
keep_times http_delays
