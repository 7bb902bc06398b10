#!/bin/bash
# Many requests in flight: AMQP 0-9-1 of RabbitMQ (Debian's, 3.10.8), by our own client, whose log is the truth, in clear
# and in TLS. The server and its epmd are the namespace's own, and so is all that they keep.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/database_common.sh"

make_network off
make_certificate
cat >"$work_dir/rabbitmq.conf" <<END
listeners.tcp.default = 10.77.0.2:5672
listeners.ssl.default = 10.77.0.2:5671
ssl_options.certfile = $work_dir/certificate.pem
ssl_options.keyfile = $work_dir/key.pem
ssl_options.versions.1 = tlsv1.3
loopback_users = none
log.file = false
log.console = true
END
printf '[].\n' >"$work_dir/plugins"
: >"$work_dir/rabbitmq-env.conf"
in_background "$server_ns" env HOME="$work_dir" epmd -address 127.0.0.1
in_background "$server_ns" env HOME="$work_dir" RABBITMQ_NODENAME="amqp-$$@localhost" RABBITMQ_CONFIG_FILE="$work_dir/rabbitmq.conf" \
    RABBITMQ_CONF_ENV_FILE="$work_dir/rabbitmq-env.conf" RABBITMQ_ENABLED_PLUGINS_FILE="$work_dir/plugins" RABBITMQ_MNESIA_BASE="$work_dir/mnesia" \
    RABBITMQ_LOG_BASE="$work_dir" RABBITMQ_PID_FILE="$work_dir/pid" /usr/lib/rabbitmq/bin/rabbitmq-server >"$work_dir/rabbitmq.log" 2>&1
for _ in $(seq 12); do # it takes some seconds
    wait_for_port 5671 2>"$work_dir/waiting" && break
done
wait_for_port 5671
record amqp 5672 amqp
record amqp 5671 amqp_tls "$work_dir/keys"
