#!/bin/bash
# One response of 2 MB with segmentation offload: frames of up to 64 kB, and the same capture with frames missing.
#
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu
. "$(dirname "$0")/common.sh"

make_network on
start_nginx
start_capture --snapshot-length 128 tcp
get "$url/2m"
keep_capture http_2m_offload_on

# Missing: the 3rd payload frame of the response, the 10th and 11th, and the 4th from the end.
tshark -r "$tcp_dir/http_2m_offload_on.pcap" -Y 'tcp.srcport == 80 && tcp.len > 0' -T fields \
    -e frame.number -e frame.time_relative -e ip.id -e tcp.seq -e tcp.len >"$work_dir/response" 2>"$work_dir/tshark.log"
{
    printf '# Frames of http_2m_offload_on.pcap that http_2m_offload_on_dropped.pcap does not have.\n'
    printf '# frame\ttime\tip.id\ttcp.seq\ttcp.len\n'
    sed -n '3p;10,11p' "$work_dir/response"
    tail -n 4 "$work_dir/response" | head -n 1
} >"$tcp_dir/http_2m_offload_on_dropped.txt"
mapfile -t dropped < <(grep -v '^#' "$tcp_dir/http_2m_offload_on_dropped.txt" | cut -f 1)
editcap -F nsecpcap "$tcp_dir/http_2m_offload_on.pcap" "$tcp_dir/http_2m_offload_on_dropped.pcap" "${dropped[@]}" \
    2>"$work_dir/editcap.log"
echo "http_2m_offload_on_dropped: ${#dropped[@]} frames less"
