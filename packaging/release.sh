#!/bin/bash
# Usage: packaging/release.sh [REVISION]
# Writes the source release of a revision (HEAD) to build/source/: wireshark-latency-VERSION.tar.gz, and its SHA-256 beside it.
# The same revision gives the same bytes again. Which one it is stands in the archive's file REVISION.
# SPDX-License-Identifier: GPL-2.0-or-later
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
case ${1-} in
-h | --help)
    sed -n '2,4s/^# //p' "$0"
    exit
    ;;
-*)
    echo "There is no option $1." >&2
    exit 2
    ;;
esac
revision=$(git -C "$here" rev-parse --verify --quiet "${1:-HEAD}^{commit}") || {
    echo "There is no revision ${1:-HEAD}: is $here a clone?" >&2
    exit 1
}
version=$(git -C "$here" show "$revision:CMakeLists.txt" | sed -n 's/^project(wireshark-latency VERSION \([0-9.]*\) .*/\1/p')
name=wireshark-latency-$version
mkdir -p "$here/build/source"
cd "$here/build/source"
# Neither the user's umask, nor the time of day, nor a configured compressor.
git -C "$here" -c tar.umask=0022 archive --format=tar --add-virtual-file="$name/REVISION:$revision
" --prefix="$name/" "$revision" | gzip -9n >"$name.tar.gz.$$"
mv "$name.tar.gz.$$" "$name.tar.gz"
sha256sum "$name.tar.gz" >"$name.tar.gz.sha256"
echo "$PWD/$name.tar.gz"
