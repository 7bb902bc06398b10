#!/bin/bash
# Ten requests a second on one connection, captured from its second second on.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

make_network off
start_nginx
in_background "$client_ns" curl --silent --noproxy '*' --rate 600/m "$url/small?[1-40]" >"$work_dir/output"
sleep 1
start_capture tcp
sleep 2
keep_capture midstream
