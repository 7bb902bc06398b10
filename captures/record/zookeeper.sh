#!/bin/bash
# Many requests in flight: ZooKeeper (Debian's libzookeeper-java, 3.8.0), by our own client, whose log is the truth.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/database_common.sh"

make_network off
in_background "$server_ns" java -cp '/usr/share/java/*' org.apache.zookeeper.server.ZooKeeperServerMain 2181 "$work_dir/data" >"$work_dir/zookeeper.log" 2>&1
wait_for_port 2181
record zookeeper 2181 zookeeper
