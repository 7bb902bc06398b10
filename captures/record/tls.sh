#!/bin/bash
# Three requests on one TLS 1.3 connection.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

make_network off
start_nginx
start_capture tcp
get --insecure --http1.1 https://10.77.0.2/small https://10.77.0.2/20k https://10.77.0.2/small
keep_capture tls
