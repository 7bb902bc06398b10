#!/bin/bash
# How conversations end: a line protocol with pushes and farewells, and OpenSSH's disconnect; captures/ends/.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"
tcp_dir=$record_dir/../ends

make_network off
in_background "$server_ns" python3 "$record_dir/pushing_server.py" 10.77.0.2 7000
wait_for_port 7000
start_capture tcp
in_client python3 "$record_dir/pushing_server.py" ask 10.77.0.2 7000 "$work_dir/truth.json"
keep_capture pushes
mv "$work_dir/truth.json" "$tcp_dir/pushes.truth.json"
ssh-keygen -q -t ed25519 -N '' -f "$work_dir/host_key"
ssh-keygen -q -t ed25519 -N '' -f "$work_dir/user_key"
mkdir -p /run/sshd
in_background "$server_ns" /usr/sbin/sshd -D -e -f /dev/null -p 2222 -h "$work_dir/host_key" -o PidFile=none -o StrictModes=no -o PermitRootLogin=yes \
    -o "AuthorizedKeysFile=$work_dir/user_key.pub" 2>"$work_dir/sshd.log"
wait_for_port 2222
start_capture tcp
for _ in 1 2 3; do
    in_client ssh -F /dev/null -i "$work_dir/user_key" -o StrictHostKeyChecking=no -o UserKnownHostsFile=/dev/null -o LogLevel=ERROR -p 2222 root@10.77.0.2 'echo done' \
        >>"$work_dir/ssh.log"
done
keep_capture ssh
[ "$(grep -c done "$work_dir/ssh.log")" = 3 ]
