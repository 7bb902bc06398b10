#!/bin/bash
# One response of 2 MB in packets as they are on the wire.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

make_network off
start_nginx
start_capture --snapshot-length 128 tcp
get "$url/2m"
keep_capture http_2m_offload_off
