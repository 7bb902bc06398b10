# common.sh: what the recording scripts share. To be sourced; needs bash, root and the tools the scripts name.
# Two network namespaces joined by a veth pair with an MTU of 1500: the client (10.77.0.1, fd77::1), where the capture
# is made, and the server (10.77.0.2, fd77::2). Everything a script makes goes away when it ends.
#
# SPDX-License-Identifier: GPL-2.0-or-later

record_dir=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
tcp_dir=$record_dir/../tcp
work_dir=$(mktemp -d)
client_ns=latency-client-$$
server_ns=latency-server-$$
url=http://10.77.0.2
pids=()
capture_pid=

finish() {
    local pid
    for pid in $capture_pid ${pids[@]+"${pids[@]}"}; do
        kill "$pid" 2>/dev/null || true
        wait "$pid" 2>/dev/null || true
    done
    ip netns delete "$client_ns" 2>/dev/null || true
    ip netns delete "$server_ns" 2>/dev/null || true
    rm -rf "$work_dir"
}
trap finish EXIT

in_client() { ip netns exec "$client_ns" "$@"; }
in_server() { ip netns exec "$server_ns" "$@"; }

# make_network on|off: with or without segmentation and checksum offloads.
make_network() {
    ip netns add "$client_ns"
    ip netns add "$server_ns"
    ip -n "$client_ns" link add eth0 address 02:00:00:00:77:01 type veth peer name eth0 address 02:00:00:00:77:02 netns "$server_ns"
    make_end "$client_ns" 1 "$1"
    make_end "$server_ns" 2 "$1"
}

make_end() {
    local ns=$1 host=$2 offloads=$3
    ip -n "$ns" link set lo up
    ip -n "$ns" address add "10.77.0.$host/24" dev eth0
    ip -n "$ns" address add "fd77::$host/64" dev eth0 nodad
    ip netns exec "$ns" ethtool -K eth0 tx "$offloads" tso "$offloads" gso "$offloads" gro "$offloads" >"$work_dir/ethtool" 2>&1
    ip -n "$ns" link set eth0 up
}

# in_background NAMESPACE COMMAND...: a server or client of this recording, stopped when the script ends.
# `ip` becomes the command, so that $! is the command's own process and not a shell around it.
in_background() {
    ip netns exec "$@" &
    pids+=($!)
}

# wait_for_port PORT [NAMESPACE]: until a server listens on it, in the server's namespace unless it says another.
wait_for_port() {
    for _ in $(seq 50); do
        [ -n "$(ip netns exec "${2:-$server_ns}" ss -Hltn "sport = :$1")" ] && return
        sleep 0.1
    done
    echo "no server on port $1 after 5 s" >&2
    return 1
}

# start_capture [TCPDUMP OPTION]... [FILTER]: into the work directory, until keep_capture.
start_capture() {
    ip netns exec "$client_ns" tcpdump --interface "${capture_interface:-eth0}" --time-stamp-precision nano --immediate-mode --buffer-size 16384 \
        --relinquish-privileges root -w "$work_dir/capture.pcap" "$@" 2>"$work_dir/tcpdump.log" &
    capture_pid=$!
    for _ in $(seq 50); do
        grep -q 'listening on' "$work_dir/tcpdump.log" && return
        sleep 0.1
    done
    cat "$work_dir/tcpdump.log" >&2
    return 1
}

# keep_capture NAME: stops the capture; it becomes captures/tcp/NAME.pcap if no packet was lost.
keep_capture() {
    sleep 0.3 # the last segments of a close
    kill -INT "$capture_pid"
    wait "$capture_pid" || true
    capture_pid=
    if ! grep -q '^0 packets dropped by kernel' "$work_dir/tcpdump.log"; then
        cat "$work_dir/tcpdump.log" >&2
        return 1
    fi
    mkdir -p "$tcp_dir"
    mv "$work_dir/capture.pcap" "$tcp_dir/$1.pcap"
    echo "$1: $(grep 'packets captured' "$work_dir/tcpdump.log")"
}

# keep_times NAME: what curl measured becomes captures/tcp/NAME.times, times in seconds since the start of each transfer.
keep_times() {
    { printf '# url local_port connected request_begins first_byte last_byte bytes_up bytes_down\n' && cat "$work_dir/times"; } \
        >"$tcp_dir/$1.times"
}

# start_nginx [NAMESPACE]: files of 100, 20000 and 2000000 bytes, uploads and TLS; in the server's namespace unless it says another.
start_nginx() {
    local ns=${1:-$server_ns}
    mkdir -p "$work_dir/files"
    yes "latency" | head -c 100 >"$work_dir/files/small"
    yes "latency" | head -c 20000 >"$work_dir/files/20k"
    yes "latency" | head -c 2000000 >"$work_dir/files/2m"
    openssl req -x509 -newkey rsa:2048 -nodes -days 3650 -subj /CN=latency \
        -keyout "$work_dir/key.pem" -out "$work_dir/certificate.pem" 2>"$work_dir/openssl.log"
    cp "$record_dir/nginx.conf" "$work_dir"
    in_background "$ns" nginx -p "$work_dir" -c nginx.conf -g "pid $ns.pid;" -e "$work_dir/error.log"
    wait_for_port 80 "$ns"
}

# write_fpm_conf ADDRESS LINES: fpm.conf in the work directory, of a php-fpm with four workers that listens there; LINES are of its pool.
write_fpm_conf() {
    cat >"$work_dir/fpm.conf" <<END
[global]
daemonize = no
error_log = $work_dir/fpm.log
[www]
user = nobody
listen = $1
pm = static
pm.max_children = 4
$2
END
}

# get [CURL OPTION]... URL...: over one connection.
get() {
    local status=0 times='%{stderr}%{url_effective} %{local_port} %{time_connect} %{time_pretransfer}'
    times+=' %{time_starttransfer} %{time_total} %{size_upload} %{size_download}\n'
    in_client curl --silent --noproxy '*' --write-out "$times" "$@" >"$work_dir/output" 2>>"$work_dir/times" || status=$?
    [ "$status" = 0 ] || echo "curl $*: exit status $status" >&2
    return "$status"
}

# expect_failure COMMAND...: fails if it does not.
expect_failure() {
    if "$@" 2>/dev/null; then
        echo "did not fail: $*" >&2
        return 1
    fi
}
