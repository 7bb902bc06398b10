#!/bin/bash
# The second response stops half way; the client gives up after 3 s.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

make_network off
in_background "$server_ns" python3 "$record_dir/failing_server.py" 10.77.0.2 80 stop
wait_for_port 80
start_capture tcp
expect_failure get --max-time 3 "$url/one" "$url/two"
keep_capture server_stops
