#!/bin/bash
# FastCGI: php-fpm (Debian's 8.2) by our own client, whose log is the truth, and by nginx, which logs what its upstream did.
# Needs php8.2-fpm and nginx.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/database_common.sh"

make_network off
mkdir -p /tmp/latency-recorded
cp "$record_dir/fastcgi.php" /tmp/latency-recorded
chmod -R a+rX /tmp/latency-recorded
write_fpm_conf 10.77.0.2:9000 "catch_workers_output = yes"
in_background "$server_ns" "$(ls /usr/sbin/php-fpm* | tail -1)" -y "$work_dir/fpm.conf"
wait_for_port 9000
record fastcgi 9000 fastcgi

# nginx in the client's namespace: its log has the upstream's status, and milliseconds to its header and to its end.
cat >"$work_dir/nginx.conf" <<END
daemon off;
user root;
events {}
http {
    log_format upstream '{"id":"\$request_id","operation":"\$request_method \$request_uri","status":"\$upstream_status","header_s":\$upstream_header_time,"end_s":\$upstream_response_time,"end":\$msec}';
    access_log $work_dir/upstream.jsonl upstream;
    upstream php { server 10.77.0.2:9000; keepalive 2; }
    server {
        listen 8080;
        location / {
            include /etc/nginx/fastcgi_params;
            fastcgi_param SCRIPT_FILENAME /tmp/latency-recorded/fastcgi.php;
            fastcgi_param HTTP_X_REQUEST_ID \$request_id;
            fastcgi_keep_conn on;
            fastcgi_pass php;
        }
    }
}
END
in_background "$client_ns" nginx -p "$work_dir" -c nginx.conf -g "pid nginx.pid;" -e "$work_dir/error.log"
wait_for_port 8080 "$client_ns"
capture_interface=any start_capture --snapshot-length=4096 tcp port 9000 or tcp port 8080
for _ in 1 2 3; do
    for done in small large slow warns flushes absent fails moves throws; do
        in_client curl --silent --output /dev/null "http://10.77.0.1:8080/$done.php?n=1" --next --silent --output /dev/null --data ask "http://10.77.0.1:8080/$done.php" &
        in_client curl --silent --output /dev/null "http://10.77.0.1:8080/$done.php?n=2"
        wait $!
    done
done
keep_capture fastcgi_nginx
mv "$work_dir/upstream.jsonl" "$tcp_dir/fastcgi_nginx.jsonl"
chmod a+r "$tcp_dir/fastcgi_nginx.jsonl"
rm -r /tmp/latency-recorded
