#!/bin/bash
# mongodb.sh MONGOD...: many requests in flight: MongoDB, by our own client, whose log is the truth. Debian has no server: MONGOD is the command that
# starts one (3.6 to 6.0), to which options are added. This was recorded with Ubuntu 20.04's mongodb-server-core (3.6.8).
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/database_common.sh"

make_network off
mkdir "$work_dir/data"
in_background "$server_ns" "$@" --dbpath "$work_dir/data" --bind_ip 10.77.0.2 --nounixsocket --networkMessageCompressors zlib >"$work_dir/mongod.log"
wait_for_port 27017
record mongodb 27017 mongodb
