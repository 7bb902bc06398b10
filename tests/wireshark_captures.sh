#!/bin/bash
# Gets Wireshark's test captures, of the source package that Debian has of it (50 MB), into build/wireshark-captures: tests/run.sh then compares
# latency-scan with tshark on them.
# Usage: tests/wireshark_captures.sh [SUITE]    (default bookworm)
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

here=$(cd "$(dirname "$0")/.." && pwd)
target=$here/build/wireshark-captures
dir=$(mktemp -d)
trap 'rm -rf "$dir"' EXIT
mkdir -p "$dir/lists/partial"
echo "deb-src [signed-by=/usr/share/keyrings/debian-archive-keyring.gpg] http://deb.debian.org/debian ${1:-bookworm} main" >"$dir/sources.list"
options=(-o "Dir::Etc::sourcelist=$dir/sources.list" -o Dir::Etc::sourceparts=/dev/null -o "Dir::State::lists=$dir/lists")
cd "$dir"
apt-get -q -o APT::Sandbox::User=root "${options[@]}" update
apt-get -q -o APT::Sandbox::User=root "${options[@]}" source --download-only wireshark
mkdir source
tar -C source --wildcards --strip-components=1 -xf ./*.orig.tar.* '*/test/captures/*'
mkdir -p "$target"
cp source/test/captures/* "$target"
chmod -R a+rX "$target"
echo "$(find "$target" -type f | wc -l) files in $target"
