#!/bin/bash
# Many requests in flight: MongoDB and Kafka as database_server.py speaks them, in clear and by TLS, by our own client, whose log is the truth. It asks
# what Debian's programs do not answer: Produce with acks=0 and of old versions, streams of responses (exhaust).
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/database_common.sh"

make_network off
make_certificate
while read -r kind port tls_port; do
    in_background "$server_ns" python3 "$record_dir/database_server.py" "$kind" 10.77.0.2 "$port"
    in_background "$server_ns" python3 "$record_dir/database_server.py" "$kind" 10.77.0.2 "$tls_port" "$work_dir/certificate.pem" "$work_dir/key.pem"
    wait_for_port "$port"
    wait_for_port "$tls_port"
    record "${kind}_made" "$port" "${kind}_made"
    record "${kind}_made" "$tls_port" "${kind}_tls" keys
done <<END
mongodb 27017 27018
kafka 9092 9093
END
