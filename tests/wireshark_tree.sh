#!/bin/bash
# Usage: tests/wireshark_tree.sh [TREE]
# Compiles the plugin in Wireshark's own tree: configures TREE, which `apt-get source wireshark` has made (without it, that is done in build/wireshark-tree, by whatever
# deb-src line there is), with plugins/epan/latency as docs/upstream/README.md says, and compiles each of the plugin's sources by the tree's own commands, its warnings
# as errors, as far as code is not made of it: to link the plugin, the tree first has to build all of libwireshark. Applies each patch of docs/upstream to
# the tree, and compiles what it changed in the same way. TREE stays as it was; two minutes.
# Needs beside what building needs: flex, libc-ares-dev, libspeexdsp-dev, perl.
# SPDX-License-Identifier: GPL-2.0-or-later
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
case ${1-} in
-*)
    sed -n '2,8s/^# //p' "$0"
    exit
    ;;
esac

give_up() {
    printf '%s\n' "$*" >&2
    exit 1
}

work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CCACHE_DISABLE=1

# The newest that apt knows, unpacked without Debian's own patches to the sources.
get_tree() {
    local kept=$here/build/wireshark-tree archive
    mkdir -p "$kept"
    (cd "$kept" && apt-get source --download-only wireshark >/dev/null) || give_up "apt-get source wireshark failed: is there a deb-src line?"
    archive=$(find "$kept" -name 'wireshark_*.orig.tar.*' ! -name '*.asc' | sort -V | tail -n 1)
    tar -C "$work" -xf "$archive"
    find "$work" -mindepth 1 -maxdepth 1 -type d
}

# The compile commands of those outputs that match: the compiler alone, which looks and writes nothing.
compile_commands() {
    ninja -C "$work/build" -t compdb | python3 -c '
import json, re, sys
wanted = re.compile(sys.argv[1])
for each in json.load(sys.stdin):
    if each.get("output", "").endswith(".o") and wanted.search(each["output"]):
        command = re.sub(r" -MD -MT \S+ -MF \S+ -o \S+", "", each["command"]).replace("ccache ", "", 1)
        print(command.replace(" -c ", " -fsyntax-only ", 1))' "$1"
}

compile_those() {
    local count
    compile_commands "$1" >"$work/commands"
    count=$(wc -l <"$work/commands")
    [ "$count" -gt 0 ] || give_up "There is nothing to compile that is called $1."
    (cd "$work/build" && xargs -P 2 -d '\n' -n 1 sh -c <"$work/commands") || give_up "Not all of the $count files of $1 could be compiled."
    echo "$count files compiled: $1"
}

tree=$(realpath "${1:-$(get_tree)}")
[ -e "$tree/CMakeOptions.txt" ] || give_up "$tree is no source tree of Wireshark."
if [ "${tree#"$work"}" = "$tree" ]; then
    cp -a "$tree" "$work/tree"
    tree=$work/tree
fi
# As git has it, without what was built.
mkdir -p "$tree/plugins/epan/latency"
tar -C "$here" --exclude=./build --exclude=./.git --exclude=./captures -cf - . | tar -C "$tree/plugins/epan/latency" -xf -
echo 'set(CUSTOM_PLUGIN_SRC_DIR plugins/epan/latency/cmake/wireshark-tree)' >"$tree/CMakeListsCustom.txt"

off=()
while read -r option; do
    off+=("-D$option=OFF")
done < <(grep -oE 'BUILD_[a-z0-9]+' "$tree/CMakeOptions.txt" | sort -u)
# It writes into the folder that it is called in, too.
cd "$work"
cmake -S "$tree" -B "$work/build" -G Ninja -DENABLE_WERROR=ON "${off[@]}" -DBUILD_tshark=ON -DBUILD_sharkd=ON >"$work/log" 2>&1 || {
    tail -n 30 "$work/log" >&2
    give_up "Wireshark's tree could not be configured."
}
compile_those 'plugins/epan/latency/.*/latency\.dir/'

for patch in "$here"/docs/upstream/*.patch; do
    (cd "$tree" && git apply --check "$patch" && git apply "$patch") || give_up "$(basename "$patch") does not apply to $(basename "$tree")."
    echo "applied: $(basename "$patch")"
done
sources=$(sed -n 's/^+++ b\/\(.*\.c\)$/\1/p' "$here"/docs/upstream/*.patch | sed 's/.*\///' | sort -u | paste -sd '|')
compile_those "/($sources)\.o\$"
