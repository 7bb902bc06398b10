#!/bin/bash
# Runs the scripts of docs/scale over pieces of captures, through a Slurm of one node on loopback and through GNU parallel: two damaged pieces
# fail, are repaired and run again, and the merged tables must be those of the captures uncut.
# Usage: tests/scale.sh BUILD_DIR    (with latency.so, latency-merge and latency-scan; root, cgroups, and Debian's slurm-wlm, munge and parallel, or parts are skipped)
# SPDX-License-Identifier: GPL-2.0-or-later
set -u -o pipefail

case ${1-} in
-h | --help)
    sed -n '2,4s/^# //p' "$0"
    exit
    ;;
esac
here=$(cd "$(dirname "$0")/.." && pwd)
build=$(cd "$1" && pwd) || exit
passed=0 failed=0 skipped=0
daemons=()
base=$(mktemp -d)

# Ends the daemons, and whatever still has our Slurm's configuration in its environment: jobs and their slurmstepd.
clean_up() {
    trap '' INT TERM
    local process
    if [ ${#daemons[@]} -gt 0 ]; then
        SLURM_CONF=$base/slurm.conf timeout 10 scancel --user=nobody >"$base/scancel.log" 2>&1
        kill "${daemons[@]}" 2>/dev/null
        wait_until 10 daemons_ended || kill -KILL "${daemons[@]}" 2>/dev/null
        wait "${daemons[@]}" 2>/dev/null
    fi
    for process in /proc/[0-9]*; do
        if [ "${process#/proc/}" != $$ ] && grep -zqxF "SLURM_CONF=$base/slurm.conf" "$process/environ"; then
            kill -KILL "${process#/proc/}"
        fi
    done 2>/dev/null
    rm -rf "$base"
}
trap clean_up EXIT
trap 'exit 130' INT
trap 'exit 143' TERM

# wait_until SECONDS COMMAND…: runs the command until it succeeds or the time is over.
wait_until() {
    local end=$((SECONDS + $1))
    shift
    until "$@"; do
        [ $SECONDS -lt $end ] || return 1
        sleep 0.3
    done
}

daemons_ended() { ! kill -0 "${daemons[@]}" 2>/dev/null; }

# check WHAT COMMAND…: the command must succeed.
check() {
    local what=$1
    shift
    if "$@" >"$base/check.log" 2>&1; then
        passed=$((passed + 1))
    else
        failed=$((failed + 1))
        echo "FAILED $part: $what"
        cat "$base/check.log"
    fi
}

# same TEXT TEXT
same() { diff <(printf '%s\n' "$1") <(printf '%s\n' "$2"); }

skip() {
    echo "SKIPPED $1"
    skipped=$((skipped + 1))
}

# The last line, and the exit.
finish() {
    if [ $skipped -gt 0 ]; then
        echo "$passed passed, $failed failed, $skipped skipped"
    else
        echo "$passed passed, $failed failed"
    fi
    [ $failed -eq 0 ]
    exit
}

# The first of the programs that is not there.
missing() {
    local program
    for program in "$@"; do
        command -v "$program" >/dev/null || { echo "$program"; return; }
    done
}

# Runs as an unprivileged user, with the plugin: Wireshark loads no user's plugins for root.
as_user() {
    local user=()
    [ "$(id -u)" -ne 0 ] || user=(setpriv --reuid 65534 --regid 65534 --clear-groups)
    (cd "$base/home" && timeout 300 "${user[@]}" env HOME="$base/home" PATH="$base/bin:$PATH" WIRESHARK_PLUGIN_DIR="$base/system" TZ=UTC LC_ALL=C.UTF-8 "$@")
}

# A home with the plugin, the system's plugins but for ours, and copies of what the user may not be able to read where it is.
make_home() {
    local version system plugin
    version=$(tshark --version 2>/dev/null | sed -n '1s/.* \([0-9]*\.[0-9]*\)\..*/\1/p')
    mkdir -p "$base/home/.local/lib/wireshark/plugins/$version/epan" "$base/bin" "$base/system/$version/epan"
    cp "$build/latency.so" "$base/home/.local/lib/wireshark/plugins/$version/epan/"
    cp "$build/bin/latency-merge" "$build/bin/latency-scan" "$base/bin/"
    cp -r "$here/docs/scale" "$base/scale"
    system=$(pkg-config --variable=plugindir wireshark 2>/dev/null)
    for plugin in "${system:-/nonexistent}"/epan/*.so; do
        [ ! -e "$plugin" ] || [ "${plugin##*/}" = latency.so ] || ln -s "$plugin" "$base/system/$version/epan/"
    done
    chmod -R a+rX "$base"
    [ "$(id -u)" -ne 0 ] || chown -R 65534:65534 "$base/home"
}

# Pieces of captures of different times in two folders, the second with names that need quoting; two of the pieces are damaged.
make_captures() {
    local tcp=$here/captures/tcp pieces=() i
    local names=('with space.pcap' $'line\nbreak.pcap' "quote's.pcap" 'double".pcap' '-r.pcap' 'comma,comma.pcap' '$(touch x).pcap' '%j %a.pcap' 'back\slash.pcap'
        '{} {.}.pcap' '*.pcap' $'latin \xe9.pcap' '#;&|ü.pcap1')
    mkdir -p "$base/pieces" "$base/whole/host1" "$base/whole/host 2"
    editcap -F nsecpcap -c 500 "$tcp/http_wrk.pcap" "$base/whole/host1/wrk.pcap" &&
        editcap -F nsecpcap -c 150 "$tcp/redis.pcap" "$base/pieces/redis.pcap" &&
        editcap -F nsecpcap -c 60 "$tcp/memcached.pcap" "$base/pieces/memcached.pcap" &&
        cp "$tcp/connect_refused_unanswered.pcap" "$base/whole/host1/" &&
        mergecap -F nsecpcap -w "$base/uncut.pcap" "$tcp"/{http_wrk,redis,memcached,connect_refused_unanswered}.pcap || return
    pieces=("$base/pieces"/*)
    [ ${#pieces[@]} -eq ${#names[@]} ] || return
    for i in "${!pieces[@]}"; do
        mv "${pieces[i]}" "$base/whole/host 2/${names[i]}"
    done
    unreadable=$(cd "$base/whole" && echo host1/wrk_00003*)
    cut=$'host 2/line\nbreak.pcap'
    cp -r "$base/whole" "$base/damaged"
    echo "This is not a capture." >"$base/damaged/$unreadable"
    truncate --size=-100 "$base/damaged/$cut"
    names=("$base"/whole/*/*)
    count=${#names[@]}
}

# The rows of the tables in what tshark and latency-merge print, without the width of their columns.
rows() { grep -F '|' "$@" | sed 's/ *| */|/g; s/^ *//; s/ *$//'; }

# The finished outputs: name, inode and time.
outputs() { find "$1" -type f -name '*.jsonl' -printf '%P %i %T@\0' | sort -z | tr '\0' '\n'; }

# A file that is there, or none that matches.
none() { [ -z "$(find "$@" -print -quit)" ]; }

pending() { as_user "$base/scale/pending.sh" "$base/$part/captures" "$base/$part/out" | tr '\0' '|'; }

# recipe COMMAND…: runs the command, which takes CAPTURES OUT, first with two damaged captures and then with all of them whole.
recipe() {
    local captures=$base/$part/captures out=$base/$part/out before after
    mkdir "$base/$part"
    cp -r "$base/damaged" "$captures"
    mkdir "$out"
    chmod -R a+rX "$base/$part"
    [ "$(id -u)" -ne 0 ] || chown 65534:65534 "$out"

    "$@" "$captures" "$out" >"$base/$part/first" 2>&1
    check "the first run ends with an error" test $? -ne 0
    check "outputs of all but the damaged captures" test "$(outputs "$out" | grep -c jsonl)" -eq $((count - 2))
    check "the captures left to do" same "$(pending)" "$cut|$unreadable|"
    check "a part of the capture that is cut short" test -s "$out/$cut.jsonl.cut"
    check "no output of the unreadable capture" none "$out/host1" -name "${unreadable##*/}*"
    check "no temporary files" none "$out" -name '*.part.*'
    check "no tables" test ! -e "$out/tables.txt"
    check "messages name the damaged captures" grep -rqF -e "FAILED (1) $captures/$unreadable" -e "FAILED (2) $captures/$unreadable" "$out/logs" "$base/$part/first"
    check "tables without the damaged captures" as_user "$base/scale/merge.sh" "$captures" "$out"
    check "which say so" same "$(sed -n '/^WITHOUT/,$p' "$out/tables.txt")" \
        $'WITHOUT 2 captures, which have no output yet:\n'"$(printf '%q\n' "$cut" "$unreadable")"
    rm "$out/tables.txt"

    before=$(outputs "$out")
    cp "$base/whole/$cut" "$captures/$cut"
    cp "$base/whole/$unreadable" "$captures/$unreadable"
    "$@" "$captures" "$out" >"$base/$part/second" 2>&1
    check "the second run succeeds" test $? -eq 0
    after=$(outputs "$out")
    check "outputs of all captures" test "$(grep -c jsonl <<<"$after")" -eq "$count"
    check "finished outputs stay as they were" same "$(comm -23 <(sort <<<"$before") <(sort <<<"$after"))" ""
    check "nothing is left of the part" none "$out" -name '*.cut'
    check "the tables of the captures uncut" same "$(rows "$out/tables.txt")" "$expected"
    check "which lack nothing" test -z "$(grep WITHOUT "$out/tables.txt")"
    check "nothing is left to do" same "$(pending)" ""
    touch -d '2020-01-01' "$captures/$cut"
    check "but a capture that was replaced" same "$(pending)" "$cut|"
}

# A task that is ended in the middle of its capture, as Slurm does, leaves nothing behind.
interrupt() {
    part=interrupt
    mkdir "$base/$part" "$base/$part/out"
    mkfifo "$base/$part/fifo"
    chmod 777 "$base/$part/out"
    chmod 666 "$base/$part/fifo"
    # The pipe's other end stays open, so tshark waits for more; what is written fits into the pipe.
    exec 9<>"$base/$part/fifo"
    head -c 30000 "$base/uncut.pcap" >&9
    as_user timeout 3 "$base/scale/capture.sh" "$base/$part/fifo" "$base/$part/out/fifo.jsonl" >"$base/$part/log" 2>&1 9>&-
    check "ends when told to" test $? -eq 124
    exec 9>&-
    check "leaves nothing" wait_until 10 none "$base/$part/out" -mindepth 1
}

# The first of some ports on which nobody answers.
free_port() {
    local port
    for port in $(shuf -i "$1-$2" -n 20); do
        (exec 3<>"/dev/tcp/127.0.0.1/$port") 2>/dev/null || { echo "$port"; return; }
    done
}

start_slurm() {
    export SLURM_CONF=$base/slurm.conf
    local cpus
    cpus=$(nproc)
    mkdir -m 755 "$base/munge" "$base/state" "$base/spool"
    head -c 1024 /dev/urandom >"$base/munge/key"
    chmod 600 "$base/munge/key"
    # MaxArraySize is so small that the captures need several arrays.
    cat >"$SLURM_CONF" <<END
ClusterName=latency
SlurmctldHost=localhost(127.0.0.1)
SlurmctldPort=$(free_port 20000 25000)
SlurmdPort=$(free_port 25001 30000)
CommunicationParameters=NoInAddrAny,NoCtldInAddrAny
SlurmUser=root
SlurmdUser=root
AuthType=auth/munge
AuthInfo=socket=$base/munge/socket
CredType=cred/munge
StateSaveLocation=$base/state
SlurmdSpoolDir=$base/spool
SlurmctldPidFile=$base/slurmctld.pid
SlurmdPidFile=$base/slurmd.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
JobAcctGatherType=jobacct_gather/none
AccountingStorageType=accounting_storage/none
SelectType=select/cons_tres
SelectTypeParameters=CR_Core
MpiDefault=none
ReturnToService=2
MaxArraySize=8
SchedulerParameters=sched_min_interval=100000,sched_interval=1,batch_sched_delay=0
SlurmdParameters=config_overrides
NodeName=localhost NodeAddr=127.0.0.1 CPUs=$cpus RealMemory=1000000
PartitionName=main Nodes=localhost Default=YES MaxTime=INFINITE State=UP
END
    munged --foreground --key-file="$base/munge/key" --socket="$base/munge/socket" --pid-file="$base/munge/pid" --log-file="$base/munged.log" \
        --seed-file="$base/munge/seed" >"$base/munged.out" 2>&1 &
    daemons+=($!)
    wait_until 20 test -S "$base/munge/socket" || return
    slurmctld -D -f "$SLURM_CONF" >"$base/slurmctld.log" 2>&1 &
    daemons+=($!)
    slurmd -D -N localhost -f "$SLURM_CONF" >"$base/slurmd.log" 2>&1 &
    daemons+=($!)
    wait_until 30 node_idle
}

node_idle() { [ "$(timeout 10 sinfo -h -o %T 2>&1)" = idle ]; }
queue_empty() { local queue; queue=$(timeout 10 squeue -h 2>&1) && [ -z "$queue" ]; }

# Slurm's state and the daemons' logs.
explain() {
    timeout 10 squeue
    timeout 10 scontrol show job | grep -E 'JobId=|JobState='
    tail -n 30 "$base"/*.log
}

# Runs slurm.sh and waits for its jobs; succeeds if there are tables.
with_slurm() {
    as_user env SLURM_CONF="$SLURM_CONF" "$base/scale/slurm.sh" "$@" || return
    if ! wait_until 120 queue_empty; then
        echo "FAILED $part: jobs do not end"
        explain
        failed=$((failed + 1))
        timeout 10 scancel --user=nobody
        wait_until 20 queue_empty
    fi >&3
    test -e "$2/tables.txt"
}

exec 3>&1
need=$(missing tshark editcap mergecap setpriv)
if [ -n "$need" ]; then
    skip "many captures: there is no $need"
    finish
fi
make_home && make_captures || { echo "FAILED to make captures"; failed=1; finish; }
expected=$(as_user tshark -n -q -r "$base/uncut.pcap" -z latency,servers -z latency,operations -z latency,connections -z latency,hosts 2>"$base/tshark.log" | rows)
[ -n "$expected" ] || { cat "$base/tshark.log"; echo "FAILED to make the tables of the uncut capture"; failed=1; finish; }

interrupt

part=parallel
need=$(missing parallel)
if [ -n "$need" ]; then
    skip "many captures through GNU parallel: there is no $need"
else
    recipe as_user env PARALLEL=-j2 "$base/scale/parallel.sh"
    part=tshark
    recipe as_user env LATENCY_READER=tshark PARALLEL=-j2 "$base/scale/parallel.sh"
    check "both readers write the same" diff -r -x logs -x tables.txt "$base/parallel/out" "$base/tshark/out"
fi

part=whole
check "one latency-scan, which needs no merging" same "$(as_user find "$base/whole" -type f -exec latency-scan -z latency,servers -z latency,operations -z latency,connections -z latency,hosts {} + | rows)" "$expected"

part=slurm
need=$(missing munged slurmctld slurmd sbatch squeue sinfo scancel)
if [ "$(id -u)" -ne 0 ] || [ -n "$need" ]; then
    skip "many captures through Slurm: root, slurm-wlm and munge are needed"
elif ! grep -q ' cgroup' /proc/mounts; then
    skip "many captures through Slurm: slurmd needs /sys/fs/cgroup, which is not mounted"
elif ! getent hosts "$(hostname)" >/dev/null; then
    skip "many captures through Slurm: slurmctld needs to resolve this machine's name, $(hostname)"
elif ! start_slurm; then
    echo "FAILED to start Slurm"
    explain
    failed=$((failed + 1))
else
    recipe with_slurm
    check "several arrays" same "$(sed 's/[0-9][0-9]*/N/g; s/ Logs.*//' "$base/slurm/first")" "Captures to do: N. Array jobs: N N N. Merge job: N."
fi
finish
