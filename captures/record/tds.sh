#!/bin/bash
# TDS: pymssql, which is FreeTDS (Debian's, 1.3.17), one request in flight, and our own client with MARS, many. Their logs are the truth. The server is
# tds_server.py, made from the protocol's document: Debian has none.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/database_common.sh"

make_network off
in_background "$server_ns" python3 "$record_dir/tds_server.py" 10.77.0.2 1433
wait_for_port 1433
start_capture tcp
in_client python3 "$record_dir/tds_client.py" 10.77.0.2 1433 "$tcp_dir/tds.truth.json"
keep_capture tds
record tds 1433 tds_mars
