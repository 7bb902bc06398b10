#!/bin/bash
# HTTP/2 whose client ends streams, as curl and gRPC do.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"
tcp_dir=$record_dir/../framing

make_network off
in_background "$server_ns" python3 "$record_dir/http2_cancelling.py" 10.77.0.2 80
wait_for_port 80
start_capture tcp
in_client python3 "$record_dir/http2_cancelling.py" ask 10.77.0.2 80 "$work_dir/truth.json"
keep_capture http2_cancelled
mv "$work_dir/truth.json" "$tcp_dir/http2_cancelled.truth.json"
