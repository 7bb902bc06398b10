#!/bin/bash
# Some 1500 small requests on eight connections at once.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

make_network off
start_nginx
# wrk counts in time only: a pause before each request keeps the capture small.
echo 'function delay() return math.random(2, 8) end' >"$work_dir/pause.lua"
start_capture tcp
in_client wrk --threads 1 --connections 8 --duration 1 --script "$work_dir/pause.lua" "$url/small" >"$work_dir/wrk.log"
keep_capture http_wrk
