#!/bin/bash
# Eight responses of 20 kB on one connection.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

make_network off
start_nginx
start_capture tcp
get "$url/20k?[1-8]"
keep_capture http_20k_offload_off
