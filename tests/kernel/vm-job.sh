#!/bin/busybox sh
# Runs inside the virtual machine (vm.sh): what is in /out afterwards comes back.
# SPDX-License-Identifier: GPL-2.0-or-later
uname -r >/out/kernel
kernel-stages --list >/out/stages 2>&1
kernel-stages --list -S rx:ready,tx:ip --verbose >/out/verbose 2>&1

# record NAME ADDRESS CLIENT_COMMAND...: memcached on ADDRESS, its client, and the recording.
record() {
    name=$1 address=$2
    shift 2
    memcached -u root -l "$address" -p 21211 -t 2 -U 0 &
    server=$!
    kernel-stages -p 21211 -w "/out/$name.pcapng" 2>"/out/$name.log" &
    recorder=$!
    for second in $(seq 60); do
        ! grep -q . "/out/$name.pcapng" 2>/dev/null || break
        sleep 1
    done
    "$@" python3 /test/client.py "$address" 21211 "$server" "/out/$name.json" --count 10 2>>"/out/$name.log"
    sleep 1
    kill -TERM "$recorder"
    wait "$recorder"
    echo "exit code $?" >>"/out/$name.log"
    kill "$server"
    wait "$server"
}

record lo4 127.0.0.1
record lo6 ::1
