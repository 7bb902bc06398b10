#!/bin/bash
# Usage: packaging/portable.sh [--try SUITE…]     bookworm, trixie, forky, noble
# Makes of what is committed (HEAD) a folder with latency-scan and the other programs that runs without installing anything, on each Linux whose glibc is not older than
# this system's: wireshark-latency-VERSION-linux-MACHINE.tar.gz, and its SHA-256 beside it, in build/portable. It has the libraries that the programs link or load,
# but for libc's, from Debian's packages.
# --try: afterwards, runs the main job in a fresh minimal system of each suite (debootstrap, root).
# SPDX-License-Identifier: GPL-2.0-or-later
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
top=$here/build/portable
. "$here/packaging/systems.sh"

give_up() {
    printf '%s\n' "$*" >&2
    exit 1
}

# Runs a command; shows what it said only if it failed.
quietly() {
    "$@" >"$top/log" 2>&1 || {
        tail -n 60 "$top/log" >&2
        give_up "Failed: $*"
    }
}

# Where a library stands that is linked or loaded by this name.
find_library() {
    local path
    path=$(gcc -print-file-name="$1")
    [ "$path" != "$1" ] || give_up "There is no $1 here."
    readlink -f "$path"
}

# The libraries that these files need, with those that these need, but for libc's: "NAME PATH".
needed_libraries() {
    local file
    for file in "$@"; do
        echo "$(basename "$file") $file"
        ldd "$file" | sed -n 's/^\t\(.*\) => \(\/[^ ]*\) .*/\1 \2/p'
    done | grep '^lib[^ ]*\.so' | grep -Ev '^lib(c|m|dl|rt|pthread|resolv|util|mvec|anl)\.so' | sort -u
}

# The Debian package that has a library: its name, version, and that of its source.
package_of() {
    local package
    package=$(dpkg-query -S "*/$(basename "$1")" | sed -n '1s/:.*//p')
    dpkg-query -W -f '${Package} ${Version} ${source:Package} ${source:Version}\n' "$package" | head -n 1
}

build_programs() {
    rm -rf "$top/source"
    mkdir -p "$top/source"
    tar -C "$top/source" --strip-components=1 -xzf "$release"
    (cd "$top/source" && quietly cmake --preset portable && quietly cmake --build --preset portable)
}

# Programs, pages and completions as they are installed, with the libraries, and what their licences want to be said.
fill_folder() {
    local built=$top/source/build/portable name path line
    rm -rf "${top:?}/$folder"
    quietly cmake --install "$built" --strip --prefix "$top/$folder"
    mkdir -p "$top/$folder/lib" "$top/$folder/share/doc/licences"
    cp "$top/source/COPYING" "$top/source/README.md" "$top/$folder/"
    # What latency-scan loads stands in no table of an executable, but by name in how it is compiled.
    local loaded=() names=()
    while read -r name; do
        names+=("$name")
        loaded+=("$(find_library "$name")")
    done < <(grep -ohE 'lib(pcap|ncursesw|wiretap)\.so\.[0-9.]*[0-9]' "$built/build.ninja" | sort -u)
    [ ${#loaded[@]} -eq 3 ] || give_up "latency-scan loads ${loaded[*]}, and not libpcap, ncurses and libwiretap."
    echo "The libraries in lib/ are Debian's, unchanged. Their licences are in share/doc/licences; their sources are at https://snapshot.debian.org under these names." >"$top/$folder/lib/README"
    while read -r name path; do
        path=$(readlink -f "$path")
        name=$(objdump -p "$path" | sed -n 's/^ *SONAME *//p')
        install -m 644 "$path" "$top/$folder/lib/$name"
        line=$(package_of "$path")
        cp -L "/usr/share/doc/${line%% *}/copyright" "$top/$folder/share/doc/licences/${line%% *}"
        echo "$name: $line"
    done < <(needed_libraries "$top/$folder"/bin/* "${loaded[@]}") | sort -u >"$top/libraries"
    for name in "${names[@]}"; do
        [ -e "$top/$folder/lib/$name" ] || give_up "$name is not in lib/."
    done
    sed 's/: \([^ ]*\) \([^ ]*\) \([^ ]*\) \(.*\)/: package \1 \2, source \3 \4/' "$top/libraries" >>"$top/$folder/lib/README"
    chmod -R u=rwX,go=rX "$top/$folder"
}

pack_folder() {
    local seconds
    seconds=$(git -C "$here" show -s --format=%ct HEAD)
    tar -C "$top" --format=gnu --sort=name --mtime="@$seconds" --owner=0 --group=0 --numeric-owner -cf - "$folder" | gzip -9n >"$top/$folder.tar.gz.new"
    mv "$top/$folder.tar.gz.new" "$top/$folder.tar.gz"
    (cd "$top" && sha256sum "$folder.tar.gz" >"$folder.tar.gz.sha256")
}

# What a user does with the archive, in a folder of his own: "$1" is the archive's folder, "$2" has captures and what is expected.
main_job() {
    cat <<'EOF'
set -eu
bin=$PWD/$1/bin given=$2
! command -v tshark
for library in "$1"/lib/lib*; do
    /lib64/ld-linux-*.so.2 --library-path "$1/lib" --list "$library" >list 2>&1 || { cat list; exit 1; }
    ! grep 'not found' list
done
"$bin/latency-scan" "$given/shop.pcap" | cmp - "$given/shop.expected"
# As wiretap alone reads it, and by a filter of libpcap.
"$bin/latency-scan" "$given/shop.pcap.gz" | cmp - "$given/shop.gz.expected"
"$bin/latency-scan" -f tcp "$given/shop.pcap" | cmp - "$given/shop.filtered.expected"
"$bin/latency-scan" --json one.jsonl "$given/shop.pcap" >table
"$bin/latency-merge" one.jsonl >merged
"$bin/latency-export" one.jsonl --otlp one.otlp
grep -q spanId one.otlp
if [ -e "$bin/latency-report" ]; then
    "$bin/latency-report" one.jsonl -o report.html
    grep -q '</html>' report.html
fi
EOF
}

# What the programs say that were built, with this system's own libraries.
expect() {
    local scan=$top/source/build/portable/bin/latency-scan given=$1
    rm -rf "$given"
    mkdir -p "$given"
    cp "$top/source/captures/tcp/shop.pcap" "$given/"
    gzip -kn "$given/shop.pcap"
    main_job >"$given/main-job.sh"
    (
        cd "$given"
        "$scan" shop.pcap >shop.expected
        "$scan" shop.pcap.gz >shop.gz.expected
        "$scan" -f tcp shop.pcap >shop.filtered.expected
    )
    chmod -R a+rX "$given"
}

# In a minimal system that has never had anything else.
try_in() {
    local suite=$1 root=$top/$1
    quietly bootstrap_system "$suite" "$root"
    mkdir -m 777 "$root/tmp/user"
    expect "$root/tmp/given"
    tar -C "$root/tmp/user" -xzf "$top/$folder.tar.gz"
    # The programs find their libraries by /proc/self/exe.
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child sh -c 'mount -t proc proc "$0/proc" && exec chroot "$0" "$@"' "$root" setpriv --reuid 65534 --regid 65534 --clear-groups env -i PATH=/usr/bin:/bin HOME=/nonexistent LC_ALL=C.UTF-8 \
        sh -c 'cd /tmp/user && exec sh /tmp/given/main-job.sh "$0" /tmp/given' "$folder" || give_up "$suite: the main job failed."
    rm -rf "$root"
    echo "$suite: the main job's answers are those of the system that built it"
}

suites=()
case ${1-} in
'') ;;
--try)
    shift
    suites=("$@")
    [ ${#suites[@]} -gt 0 ] || give_up "--try needs suites: bookworm, trixie, forky, noble."
    [ "$(id -u)" -eq 0 ] || give_up "Only root can make systems to try it in."
    for suite in "${suites[@]}"; do
        version_suffix "$suite" >/dev/null
    done
    ;;
-h | --help)
    sed -n '2,6s/^# //p' "$0"
    exit
    ;;
*) give_up "There is no argument $1." ;;
esac
command -v dpkg-query >/dev/null || give_up "What belongs to the libraries is asked of Debian's packages, and there is no dpkg-query here."
mkdir -p "$top"
release=$("$here/packaging/release.sh")
version=$(basename "$release" .tar.gz)
folder=$version-linux-$(uname -m)
build_programs
fill_folder
pack_folder
for suite in "${suites[@]}"; do
    try_in "$suite"
done
echo "$top/$folder.tar.gz"
