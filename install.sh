#!/bin/bash
# Usage: ./install.sh [CAPTURE]
#        ./install.sh --uninstall
# Sets up everything, installs the plugin, its programs and its profiles, and prints the latency of the servers in a capture.
# For the user who runs it; for every user if that is root, because Wireshark loads no user's plugins for root.
# --uninstall removes what it has installed for the same; changed profiles stay, and so do Debian's packages.
# SPDX-License-Identifier: GPL-2.0-or-later
set -eu

here=$(cd "$(dirname "$0")" && pwd)
. "$here/cmake/setup.sh"

usage() { sed -n '2,6s/^# //p' "$0"; }

give_back() {
    if [ -d "$here/build/release" ]; then
        chown --reference="$here" "$here/build"
        chown -R --reference="$here" "$here/build/release"
    fi
}

# Names the copies of this version, as "4.0", that users have installed for themselves.
say_whose_copies() {
    local name home copy
    while IFS=: read -r name _ _ _ _ home _; do
        copy=$home/.local/lib/wireshark/plugins/$1/epan/latency.so
        if [ "$name" != root ] && [ -e "$copy" ]; then
            printf '%s\n' "$name has a copy, too, of which Wireshark says at each start that the plugin was found in multiple directories. To remove it:" \
                "    rm '$copy'"
        fi
    done < <({ getent passwd || true; } 2>/dev/null)
}

uninstall() {
    command -v cmake >/dev/null || give_up "There is no cmake in the PATH, by which it was installed."
    [ -e "$here/build/release/CMakeCache.txt" ] || give_up "$here/build/release is not there: uninstall from the checkout that installed, or run ./install.sh here first."
    (cd "$here" && quietly cmake --preset release -DLATENCY_INSTALL=$scope)
    # Ninja says what it runs, and CMake what it removes.
    removed=$(cmake --build "$here/build/release" --target uninstall) || give_up "$removed"
    removed=$(sed -n 's/^-- \(Removed\|Kept\): /\1 /p' <<<"$removed")
    echo "${removed:-Nothing is installed for $whom.}"
}

# Names the package that has a file.
package_of() {
    local name
    name=$(dpkg-query -S "$1" 2>/dev/null | sed 's/:.*//') || true
    # Debian's rpm has no database, and makes one in the home of who asks.
    if [ -z "$name" ] && [ -d "$(rpm --eval '%{_dbpath}' 2>/dev/null || true)" ]; then
        name=$(rpm -qf --queryformat '%{NAME}' "$1" 2>/dev/null) || name=
    fi
    echo "$name"
}

is_uninstalling='' most=1
case ${1-} in
-h | --help)
    usage
    exit
    ;;
--uninstall)
    is_uninstalling=yes most=0
    shift
    ;;
-*)
    echo "There is no option $1." >&2
    usage >&2
    exit 2
    ;;
esac
if [ $# -gt $most ]; then
    usage >&2
    exit 2
fi
scope=user
[ "$(id -u)" -ne 0 ] || scope=system

if [ $scope = user ]; then whom="you alone"; else whom=everybody; fi
# What root builds in a user's checkout is the user's, who could not build there again otherwise.
[ $scope = user ] || trap give_back EXIT
if [ -n "$is_uninstalling" ]; then
    uninstall
    exit
fi
capture=${1:-$here/captures/tcp/shop.pcap}
[ -r "$capture" ] || give_up "$capture cannot be read."
echo "Installs for $whom the plugin, its programs and its profiles, after the packages that building needs. The first time takes some minutes."
need_packages cmake ninja-build gcc libc6-dev pkg-config libglib2.0-dev libgcrypt20-dev libnghttp2-dev libnghttp3-dev libpcap-dev libncurses-dev libjs-chart.js libwireshark-dev libwiretap-dev libwsutil-dev tshark
build release -DLATENCY_INSTALL=$scope
installed=$(cmake --install "$here/build/release")
sed -n 's/^-- \(Installing\|Up-to-date\): /Installed /p; s/^-- \(Kept\)/\1/p' <<<"$installed"
helper=$(sed -n 's/^-- [A-Z][A-Za-z-]*: \(.*\/extcap\/kernel-stages\)$/\1/p' <<<"$installed")
if [ -z "$helper" ]; then
    echo "kernel-stages is not installed: it needs libbpf-dev, clang, bpftool and /sys/kernel/btf/vmlinux (docs/kernel-stages.md)"
elif [ $scope = system ]; then
    echo "Root may use the interface kernel-stages. For others, after reading docs/kernel-stages.md: setcap cap_bpf,cap_perfmon,cap_net_admin+ep $helper"
elif ! "$helper" --list >/dev/null 2>&1; then
    echo "The interface kernel-stages needs rights: sudo setcap cap_bpf,cap_perfmon,cap_net_admin+ep $helper"
fi
programs=$(sed -n 's/^-- [A-Z][A-Za-z-]*: \(.*\/bin\)\/latency-merge$/\1/p' <<<"$installed")
case :$PATH: in
*":$programs:"*) ;;
*) [ -z "$programs" ] || printf '%s\n' "latency-scan and the other programs are in $programs, which is not in the PATH. Type, or log in again if your ~/.profile does so:" \
    "    export PATH=\"$programs:\$PATH\"" ;;
esac
plugins=$(pkg-config --variable=plugindir wireshark || true)
system=$plugins/epan/latency.so
if [ $scope = system ]; then
    say_whose_copies "${plugins##*/}"
fi
if [ $scope = user ] && [ -e "$system" ]; then
    package=$(package_of "$system")
    echo "$system is installed for everybody, and Wireshark takes that one. To use yours, ${package:+remove the package }${package:-type: sudo rm $system}"
fi
# -n: no name look-ups. For root, tshark says on stderr that running it so could be dangerous.
command -v tshark >/dev/null || give_up "All is installed, but there is no tshark in the PATH to try it with."
tshark -n -q -r "$capture" -z latency,summary
