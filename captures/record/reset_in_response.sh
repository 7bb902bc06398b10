#!/bin/bash
# The server resets the connection half way through the second response.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

make_network off
in_background "$server_ns" python3 "$record_dir/failing_server.py" 10.77.0.2 80 reset
wait_for_port 80
start_capture tcp
expect_failure get --max-time 3 "$url/one" "$url/two"
keep_capture reset_in_response
