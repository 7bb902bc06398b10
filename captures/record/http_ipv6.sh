#!/bin/bash
# Three responses on one connection over IPv6.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

make_network off
start_nginx
start_capture tcp
get 'http://[fd77::2]/small' 'http://[fd77::2]/20k' 'http://[fd77::2]/small'
keep_capture http_ipv6
