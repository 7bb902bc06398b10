#!/bin/busybox sh
# Runs inside the virtual machine (vm.sh): what is in /out afterwards comes back.
# SPDX-License-Identifier: GPL-2.0-or-later
export USER=root
uname -r >/out/kernel
kernel-stages --list >/out/stages 2>&1

# record NAME ADDRESS CLIENT_COMMAND...: memcached on ADDRESS, its client, and the recording.
record() {
    name=$1 address=$2
    shift 2
    memcached -u root -l "$address" -p 21211 -t 2 -U 0 &
    server=$!
    kernel-stages -p 21211 -s 160 -w "/out/$name.pcapng" 2>"/out/$name.log" &
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

echo "stages listed" >/dev/console
record lo4 127.0.0.1
echo "IPv4 done" >/dev/console
record lo6 ::1
echo "IPv6 done" >/dev/console
timeout 120 bash /test/kernel_shaper.sh kernel-stages /out/shaper.pcapng >/out/shaper.log 2>&1
