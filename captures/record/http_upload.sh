#!/bin/bash
# Uploads of 300 kB: PUT, POST, and PUT that waits for 100 Continue.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

make_network off
start_nginx
head -c 300000 "$work_dir/files/2m" >"$work_dir/upload"
start_capture --snapshot-length 256 tcp
get --header 'Expect:' --upload-file "$work_dir/upload" "$url/put/one"
get --header 'Content-Type: text/plain' --header 'Expect:' --data-binary "@$work_dir/upload" "$url/post"
get --upload-file "$work_dir/upload" --header 'Expect: 100-continue' "$url/put/two"
keep_capture http_upload
