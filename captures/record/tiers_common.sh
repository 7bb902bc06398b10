# tiers_common.sh: what the recordings of services of several tiers share; to be sourced. Each tier is a namespace of its own on one bridge,
# which is captured.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. "$(dirname "$0")/common.sh"

hub=latency-hub-$$
client_ns=$hub # where the capture is made
namespaces=()
snapshot_length=600
finish_tiers() {
    local ns
    kill -INT "${postgres:-}" 2>/dev/null || true # without waiting for its clients
    finish
    for ns in "$hub" ${namespaces[@]+"${namespaces[@]}"}; do
        ip netns pids "$ns" 2>/dev/null | xargs -r kill 2>/dev/null || true
        ip netns delete "$ns" 2>/dev/null || true
    done
}
trap finish_tiers EXIT

make_hub() {
    ip netns add "$hub"
    ip -n "$hub" link add bridge type bridge
    ip -n "$hub" link set bridge up
    chmod 711 "$work_dir"
    mkdir -m 777 "$work_dir/logs" "$work_dir/pg" "$work_dir/run"
}

# add_tier NAME HOST: a namespace at 10.77.0.HOST, on the hub's bridge.
add_tier() {
    local ns=latency-$1-$$
    namespaces+=("$ns")
    ip netns add "$ns"
    ip -n "$ns" link add eth0 type veth peer name "$1" netns "$hub"
    ip -n "$hub" link set "$1" master bridge up
    make_end "$ns" "$2" off
}

# tier NAME COMMAND...: in that tier. serve NAME COMMAND...: until the script ends.
tier() { local ns=latency-$1-$$; shift; ip netns exec "$ns" "$@"; }
serve() { local ns=latency-$1-$$; shift; in_background "$ns" "$@"; }

# start_postgres HOST STATEMENT...: PostgreSQL in the tier "database", at 10.77.0.HOST, with a database "shop" that the statements fill.
start_postgres() {
    local host=$1 programs statement
    shift
    programs=$(ls -d /usr/lib/postgresql/*/bin | tail -1)
    chown postgres "$work_dir/pg"
    setpriv --reuid postgres --regid postgres --clear-groups "$programs/initdb" --auth trust --pgdata "$work_dir/pg" >"$work_dir/initdb.log"
    echo 'host all all 10.77.0.0/24 trust' >>"$work_dir/pg/pg_hba.conf"
    serve database setpriv --reuid postgres --regid postgres --clear-groups "$programs/postgres" -D "$work_dir/pg" \
        -c "listen_addresses=10.77.0.$host" -c unix_socket_directories="$work_dir/run" 2>"$work_dir/postgres.log"
    postgres=$!
    wait_for_port 5432 "latency-database-$$"
    tier database psql -q -h "$work_dir/run" -U postgres -c 'CREATE ROLE shop LOGIN SUPERUSER' -c 'CREATE DATABASE shop OWNER shop'
    for statement in "$@"; do tier database psql -q -h "$work_dir/run" -U postgres shop -c "$statement"; done
}

# record_tiers NAME VISITORS FILTER ARGUMENT...: captures/tcp/NAME.pcap and NAME.calls, with so many visitors at a time; visitors.py gets the arguments.
record_tiers() {
    local name=$1 visitors=$2 filter=$3 log
    shift 3
    tier visitors python3 "$record_dir/tiers/visitors.py" 4 40 "$@" # connections are made, caches filled
    sleep 0.6 # what is closed when idle is closed
    for log in "$work_dir"/logs/*.jsonl; do : >"$log"; done
    capture_interface=bridge start_capture --snapshot-length "$snapshot_length" "$filter"
    tier visitors python3 "$record_dir/tiers/visitors.py" "$visitors" "${TIERS_REQUESTS:-192}" "$@"
    sleep 0.2 # what is asked after the last response
    keep_capture "$name"
    python3 "$record_dir/tiers/captured_calls.py" "$tcp_dir/$name.pcap" "$work_dir"/logs/*.jsonl >"$tcp_dir/$name.calls"
}
