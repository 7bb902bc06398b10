#!/bin/bash
# Many requests in flight: NATS and its JetStream (Debian's nats-server, 2.9.10), by our own client, whose log is the truth.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/database_common.sh"

make_network off
make_certificate
configure() {
    cat >"$work_dir/nats.conf" <<END
listen: 10.77.0.2:$1
jetstream { store_dir: "$work_dir/store" }
authorization { users = [ { user: me, password: right, permissions: { publish: { deny: "secret.>" } } } ] }
$2
END
    in_background "$server_ns" nats-server -c "$work_dir/nats.conf" >"$work_dir/nats.log" 2>&1
    wait_for_port "$1"
}
configure 4222 ''
record nats 4222 nats
kill "${pids[-1]}"
configure 14222 "tls { cert_file: \"$work_dir/certificate.pem\", key_file: \"$work_dir/key.pem\" }"
record nats 14222 nats_tls keys
