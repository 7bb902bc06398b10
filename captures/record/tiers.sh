#!/bin/bash
# A service of several tiers: HAProxy, gunicorn (2 processes of 4 threads), nginx and PHP, which ask PostgreSQL, Redis and memcached, and
# each other; what each logged of whom it asked for which request. tiers.sh [VISITORS]...: a recording for each number of visitors at a time.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/tiers_common.sh"

make_hub
add_tier visitors 1
add_tier proxy 10
add_tier shop 11
add_tier price 12
add_tier store 13
add_tier database 14
add_tier cache 15

serve store redis-server --bind 10.77.0.13 --protected-mode no --save '' --dir "$work_dir" >"$work_dir/redis.log"
serve cache memcached -u nobody -l 10.77.0.15 -t 2
start_postgres 14 "CREATE TABLE page AS SELECT id, 'title ' || id AS title, id * 1.5 AS price FROM generate_series(1, 200) id"
wait_for_port 6379 "latency-store-$$"
tier store redis-cli -h 10.77.0.13 set rate 1.19 >"$work_dir/redis-cli.log"
tier store redis-cli -h 10.77.0.13 eval "for i = 1, 20000 do redis.call('set', 'seen:' .. i, 0) end" 0 >"$work_dir/redis-cli.log"

mkdir "$work_dir/www"
sed "s:TIERS_LOG:$work_dir/logs:" "$record_dir/tiers/price.php" >"$work_dir/www/price.php"
write_fpm_conf "$work_dir/run/fpm" "listen.mode = 0666
process.dumpable = yes"
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
serve price "$(ls /usr/sbin/php-fpm* | tail -1)" -R -y "$work_dir/fpm.conf"
serve price nginx -p "$work_dir" -c nginx.conf -g "pid nginx.pid;" -e "$work_dir/error.log"
cat >"$work_dir/haproxy.cfg" <<END
global
    nbthread 1 # two would lose lines of the log
    log stdout len 1024 format raw local0
defaults
    mode http
    timeout client 60s
    timeout server 60s
    timeout connect 5s
frontend web
    bind :80
    http-request set-var(txn.begin) date(0,us)
    http-request capture req.hdr(X-Request-Id) len 40
    log global
    log-format '{"cause":"%[capture.req.hdr(0)]","call":"%HM %HPO%HQ","client":"%bi:%bp","begin_ns":%[var(txn.begin)]000,"end_ns":%[date(0,us)]000}'
    default_backend shop
    use_backend price if { path_end .php }
backend shop
    server shop 10.77.0.11:8000
backend price
    server price 10.77.0.12:80
END
# By way of cat, for HAProxy's own writes are not at the end of a file that is emptied meanwhile.
serve proxy haproxy -db -f "$work_dir/haproxy.cfg" > >(cat >>"$work_dir/logs/proxy.jsonl")
TIERS_LOG=$work_dir/logs serve shop setpriv --reuid nobody --clear-groups gunicorn --workers 2 --threads 4 --worker-class gthread \
    --chdir "$record_dir/tiers" --worker-tmp-dir "$work_dir/run" --bind 10.77.0.11:8000 shop:app --log-level warning
wait_for_port 80 "latency-price-$$"
wait_for_port 80 "latency-proxy-$$"
wait_for_port 8000 "latency-shop-$$"

[ $# != 0 ] || set -- 1 4 8 16 64
for visitors in "$@"; do
    tier cache bash -c 'exec 3<>/dev/tcp/10.77.0.15/11211; printf "flush_all\r\nquit\r\n" >&3; cat <&3' >"$work_dir/flush.log"
    record_tiers "tiers_$visitors" "$visitors" tcp 10.77.0.10 X-Request-Id \
        '5 GET /page/N' '3 GET /item/N' '2 GET /together/N' '1 GET /report' '1 GET /price.php?item=N'
done
