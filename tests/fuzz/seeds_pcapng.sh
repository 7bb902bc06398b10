#!/bin/bash
# First inputs of fuzz-pcapng: the first and some later frames of captures with their records' options.
# Usage: tests/fuzz/seeds_pcapng.sh FOLDER CAPTURE…
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

folder=$1
shift
mkdir -p "$folder"
for capture; do
    name=$(basename "$capture")
    for frames in 1-6 1-30 40-60; do
        editcap -r "$capture" "$folder/$name-$frames" "$frames" 2>/dev/null || true
        [ ! -e "$folder/$name-$frames" ] || [ "$(stat -c %s "$folder/$name-$frames")" -le 12000 ] || rm "$folder/$name-$frames"
    done
done
