#!/bin/bash
# Five small responses and one of 20 kB on one connection.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

make_network off
start_nginx
start_capture tcp
get "$url/small" "$url/small" "$url/small" "$url/small" "$url/small" "$url/20k"
keep_capture http_small_offload_off
