#!/bin/bash
# kernel/threads: a gunicorn of one process and 8 threads, which asks Redis and memcached for 6 visitors; which thread sent and read each packet,
# and what the service logged of whom it asked for which request. threads.sh KERNEL_STAGES OUT.pcapng, as root; OUT.calls is beside it.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
program=$1 out=$2
. "$(dirname "$0")/tiers_common.sh"

make_hub
add_tier visitors 1
add_tier cart 11
add_tier store 13
add_tier cache 15
serve store redis-server --bind 10.77.0.13 --protected-mode no --save '' --dir "$work_dir" >"$work_dir/redis.log"
serve cache memcached -u nobody -l 10.77.0.15 -t 2
wait_for_port 6379 "latency-store-$$"
wait_for_port 11211 "latency-cache-$$"
tier cart sysctl -q net.ipv4.ip_unprivileged_port_start=80
TIERS_LOG=$work_dir/logs serve cart setpriv --reuid nobody --clear-groups gunicorn --workers 1 --threads 8 --worker-class gthread --keep-alive 60 \
    --chdir "$record_dir/threads" --worker-tmp-dir "$work_dir/run" --bind 10.77.0.11:80 cart:app --log-level warning
wait_for_port 80 "latency-cart-$$"

visit() { tier visitors python3 "$record_dir/tiers/visitors.py" "$1" "$2" 10.77.0.11 X-Request-Id '5 GET /cart/N' '1 GET /both/N'; }
tier cart "$program" -P gunicorn -S rx:driver,app:send,app:copy,tx:driver -s 224 -m 1/1 -w "$out" &
recorder=$!
while [ ! -s "$out" ]; do sleep 0.2; done
sleep 1
visit 6 "${TIERS_REQUESTS:-36}"
sleep 0.3
kill -TERM $recorder
wait $recorder || echo "kernel-stages ended with $?" >&2
cat "$work_dir"/logs/*.jsonl >"${out%.pcapng}.calls"
