#!/bin/bash
# A service of several tiers: HAProxy, gunicorn (2 processes of 4 threads), nginx and PHP, which ask PostgreSQL, Redis and memcached, and
# each other; what each logged of whom it asked for which request. tiers.sh [VISITORS]...: a recording for each number of visitors at a time.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

hub=latency-hub-$$
namespaces=()
finish_tiers() {
    local ns
    kill -INT "${postgres:-}" 2>/dev/null || true # without waiting for its clients
    finish
    for ns in "$hub" ${namespaces[@]+"${namespaces[@]}"}; do
        ip netns pids "$ns" 2>/dev/null | xargs -r kill 2>/dev/null || true
        ip netns delete "$ns" 2>/dev/null || true
    done
}
trap finish_tiers EXIT

# add_tier NAME HOST: a namespace at 10.77.0.HOST, on the hub's bridge.
add_tier() {
    local ns=latency-$1-$$
    namespaces+=("$ns")
    ip netns add "$ns"
    ip -n "$ns" link add eth0 type veth peer name "$1" netns "$hub"
    ip -n "$hub" link set "$1" master bridge up
    make_end "$ns" "$2" off
}

tier() { local ns=latency-$1-$$; shift; ip netns exec "$ns" "$@"; }

ip netns add "$hub"
ip -n "$hub" link add bridge type bridge
ip -n "$hub" link set bridge up
add_tier visitors 1
add_tier proxy 10
add_tier shop 11
add_tier price 12
add_tier store 13
add_tier database 14
add_tier cache 15
client_ns=$hub
chmod 711 "$work_dir"
mkdir -m 777 "$work_dir/logs" "$work_dir/pg" "$work_dir/run"

in_background "latency-store-$$" redis-server --bind 10.77.0.13 --protected-mode no --save '' --dir "$work_dir" >"$work_dir/redis.log"
in_background "latency-cache-$$" memcached -u nobody -l 10.77.0.15 -t 2

pg=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
as_postgres() { setpriv --reuid postgres --regid postgres --clear-groups "$@"; }
chown postgres "$work_dir/pg"
as_postgres "$pg/initdb" --auth trust --pgdata "$work_dir/pg" >"$work_dir/initdb.log"
echo 'host all all 10.77.0.0/24 trust' >>"$work_dir/pg/pg_hba.conf"
in_background "latency-database-$$" setpriv --reuid postgres --regid postgres --clear-groups "$pg/postgres" -D "$work_dir/pg" \
    -c listen_addresses=10.77.0.14 -c unix_socket_directories="$work_dir/run" 2>"$work_dir/postgres.log"
postgres=$!
wait_for_port 5432 "latency-database-$$"
wait_for_port 6379 "latency-store-$$"
tier database psql -q -h "$work_dir/run" -U postgres -c 'CREATE ROLE shop LOGIN SUPERUSER' -c 'CREATE DATABASE shop OWNER shop'
tier database psql -q -h "$work_dir/run" -U postgres shop -c \
    "CREATE TABLE page AS SELECT id, 'title ' || id AS title, id * 1.5 AS price FROM generate_series(1, 200) id"
tier store redis-cli -h 10.77.0.13 set rate 1.19 >"$work_dir/redis-cli.log"
tier store redis-cli -h 10.77.0.13 eval "for i = 1, 20000 do redis.call('set', 'seen:' .. i, 0) end" 0 >"$work_dir/redis-cli.log"

mkdir "$work_dir/www"
sed "s:TIERS_LOG:$work_dir/logs:" "$record_dir/tiers/price.php" >"$work_dir/www/price.php"
cat >"$work_dir/fpm.conf" <<END
[global]
daemonize = no
error_log = $work_dir/fpm.log
[www]
user = nobody
listen = $work_dir/run/fpm
listen.mode = 0666
pm = static
pm.max_children = 4
process.dumpable = yes
END
cat >"$work_dir/nginx.conf" <<END
daemon off;
user nobody nogroup;
events {}
http {
    access_log off;
    keepalive_requests 100000;
    server {
        listen 80;
        root $work_dir/www;
        location ~ php$ { include /etc/nginx/fastcgi_params; fastcgi_param SCRIPT_FILENAME \$document_root\$fastcgi_script_name; fastcgi_pass unix:$work_dir/run/fpm; }
    }
}
END
in_background "latency-price-$$" "$(ls /usr/sbin/php-fpm* | tail -1)" -R -y "$work_dir/fpm.conf"
in_background "latency-price-$$" nginx -p "$work_dir" -c nginx.conf -g "pid nginx.pid;" -e "$work_dir/error.log"
cat >"$work_dir/haproxy.cfg" <<END
global
    nbthread 2
defaults
    mode http
    timeout client 60s
    timeout server 60s
    timeout connect 5s
frontend web
    bind :80
    default_backend shop
    use_backend price if { path_end .php }
backend shop
    server shop 10.77.0.11:8000
backend price
    server price 10.77.0.12:80
END
in_background "latency-proxy-$$" haproxy -db -f "$work_dir/haproxy.cfg"
TIERS_LOG=$work_dir/logs in_background "latency-shop-$$" setpriv --reuid nobody --clear-groups gunicorn --workers 2 --threads 4 --worker-class gthread \
    --chdir "$record_dir/tiers" --worker-tmp-dir "$work_dir/run" --bind 10.77.0.11:8000 shop:app --log-level warning
wait_for_port 80 "latency-price-$$"
wait_for_port 80 "latency-proxy-$$"
wait_for_port 8000 "latency-shop-$$"

for visitors in "${@:-8}"; do
    tier visitors python3 "$record_dir/tiers/visitors.py" 2 20 10.77.0.10
    for log in "$work_dir"/logs/*.jsonl; do : >"$log"; done
    capture_interface=bridge start_capture --snapshot-length 600 tcp
    tier visitors python3 "$record_dir/tiers/visitors.py" "$visitors" "${TIERS_REQUESTS:-320}" 10.77.0.10
    keep_capture "tiers_$visitors"
    cat "$work_dir"/logs/*.jsonl >"$tcp_dir/tiers_$visitors.calls"
done
