# database_common.sh: what the recordings of databases share. To be sourced.
#
# SPDX-License-Identifier: GPL-2.0-or-later
. "$(dirname "${BASH_SOURCE[0]}")/common.sh"
tcp_dir=$record_dir/../framing

# record KIND PORT NAME [KEYS]: a capture and its truth; by TLS the keys beside the capture and in it.
record() {
    start_capture tcp
    in_client python3 "$record_dir/database_client.py" "$1" 10.77.0.2 "$2" "$work_dir/truth.json" ${4+"$work_dir/keys"}
    keep_capture "$3"
    mv "$work_dir/truth.json" "$tcp_dir/$3.truth.json"
    [ -z "${4-}" ] && return
    mv "$work_dir/keys" "$tcp_dir/$3.keys"
    editcap --inject-secrets "tls,$tcp_dir/$3.keys" "$tcp_dir/$3.pcap" "$tcp_dir/$3.pcapng"
    rm "$tcp_dir/$3.pcap"
}

make_certificate() {
    chmod a+rx "$work_dir"
    openssl req -x509 -newkey ec -pkeyopt ec_paramgen_curve:P-256 -nodes -days 3650 -subj /CN=latency \
        -keyout "$work_dir/key.pem" -out "$work_dir/certificate.pem" 2>"$work_dir/openssl.log"
}
