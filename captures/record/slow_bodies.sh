#!/bin/bash
# Answers that begin at once and are long in coming, beside others: a server that trickles (slow_bodies_server.py), and nginx, which sends
# /report.pdf at a limited rate; and what curl measured of each.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

make_network off
in_background "$server_ns" python3 "$record_dir/slow_bodies_server.py" 10.77.0.2 8080
wait_for_port 8080
mkdir -p "$work_dir/files"
head -c 150000 /dev/zero >"$work_dir/files/report.pdf"
sed 's/root files;/root files; location = \/report.pdf { limit_rate 100k; }/; /ssl/d' "$record_dir/nginx.conf" >"$work_dir/nginx.conf"
in_background "$server_ns" nginx -p "$work_dir" -c nginx.conf -g "pid nginx.pid;" -e "$work_dir/error.log"
wait_for_port 80
start_capture --snapshot-length 512 tcp
slow=http://10.77.0.2:8080
get --rate 20/s "$slow/fast?[1-40]" &
pages=$!
get "$slow/headers-first?[1-6]" &
headers=$!
get --rate 4/s "$slow/slow?[1-6]" &
waiting=$!
get "$slow/trickle?[1-2]" &
trickle=$!
get "$slow/events" "$slow/poll" &
events=$!
get "$url/report.pdf" "$url/report.pdf"
wait "$pages" "$headers" "$waiting" "$trickle" "$events"
keep_capture slow_bodies
keep_times slow_bodies
