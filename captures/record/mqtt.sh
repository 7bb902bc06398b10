#!/bin/bash
# Many requests in flight: MQTT 3.1.1 and 5 of mosquitto (Debian's, 2.0.11), by our own client, whose log is the truth, in clear
# and in TLS.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/database_common.sh"

make_network off
make_certificate
cat >"$work_dir/mosquitto.conf" <<END
listener 1883 10.77.0.2
listener 8883 10.77.0.2
certfile $work_dir/certificate.pem
keyfile $work_dir/key.pem
tls_version tlsv1.3
allow_anonymous true
password_file $work_dir/passwords
acl_file $work_dir/topics
max_inflight_messages 0
set_tcp_nodelay true
END
printf 'topic readwrite #\ntopic deny secret/#\n' >"$work_dir/topics"
mosquitto_passwd -c -b "$work_dir/passwords" nobody right
chmod a+r "$work_dir"/{passwords,topics,certificate.pem,key.pem}
in_background "$server_ns" mosquitto -c "$work_dir/mosquitto.conf" >"$work_dir/mosquitto.log" 2>&1
wait_for_port 8883
record mqtt 1883 mqtt
record mqtt 8883 mqtt_tls "$work_dir/keys"
