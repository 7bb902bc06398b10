#!/bin/bash
# Usage: packaging/build.sh [SUITE…]     bookworm, trixie, forky; all three if none is named; noble (Ubuntu 24.04) if it is
# Builds the Debian packages of what is committed (HEAD), in clean systems of these suites, and tries them there: builds twice and compares, looks
# for hardening flags and asks lintian, installs, runs the main job as a user, upgrades from the version before, removes, purges. As root.
# The packages are then in build/packaging/SUITE/packages. The systems stay in build/packaging: a second run takes some minutes for each suite.
# SPDX-License-Identifier: GPL-2.0-or-later
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
top=$here/build/packaging
as_user=(setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/tmp/home)
. "$here/packaging/systems.sh"

say() { printf '%s: %s\n' "$suite" "$*"; }

give_up() {
    printf '%s\n' "$*" >&2
    exit 1
}

# Runs a command inside a system, with /proc, and the kernel's types in /sys. All its processes, and what was mounted, end with it.
inside() {
    local root=$1
    shift
    # shellcheck disable=SC2016
    unshare --mount --pid --fork --kill-child sh -c 'mount -t proc proc "$0/proc" && mount --bind -o ro /sys "$0/sys" && exec chroot "$0" "$@"' \
        "$root" env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin LC_ALL=C.UTF-8 DEBIAN_FRONTEND=noninteractive "$@"
}

# Runs a command; shows what it said only if it failed.
quietly() {
    "$@" >"$top/$suite/log" 2>&1 || {
        tail -n 60 "$top/$suite/log" >&2
        give_up "$suite: failed: $*"
    }
}

make_base() {
    local root=$top/$suite/base
    [ ! -e "$root" ] || [ ! -e "$top/$suite/base.ready" ] || return 0
    say "debootstrap"
    quietly bootstrap_system "$suite" "$root"
    echo 'Acquire::Check-Valid-Until "false";' >"$root/etc/apt/apt.conf.d/99old"
    cp /etc/resolv.conf "$root/etc/"
    # Nothing in it is worth waiting for the disk.
    echo force-unsafe-io >"$root/etc/dpkg/dpkg.cfg.d/unsafe"
    quietly inside "$root" apt-get update
    quietly inside "$root" apt-get clean
    touch "$top/$suite/base.ready"
}

# What was downloaded once is not downloaded again.
with_archives() {
    local root=$1 kept=$top/$suite/archives
    shift
    mkdir -p "$kept"
    find "$kept" -name '*.deb' -exec cp -al -t "$root/var/cache/apt/archives" {} +
    quietly inside "$root" "$@"
    find "$root/var/cache/apt/archives" -maxdepth 1 -name '*.deb' -exec cp -alf -t "$kept" {} +
    rm -f "$root"/var/cache/apt/archives/*.deb
}

# Installs in the builder what the control file on stdin says that building needs.
install_needs() {
    local root=$top/$suite/builder
    rm -rf "$root/needed"
    mkdir -p "$root/needed/debian"
    cat >"$root/needed/debian/control"
    cp "$here/packaging/debian/changelog" "$root/needed/debian"
    with_archives "$root" apt-get build-dep -y --no-install-recommends /needed
}

# The minimal system with what building needs.
make_builder() {
    local root=$top/$suite/builder tools=(blhc dpkg-dev lintian) sum
    # Several packages have Ubuntu's bpftool, and in most it is a script that looks for the one of the kernel that runs.
    [ "$suite" != noble ] || tools+=(linux-tools-generic)
    sum=$(sha256sum <"$here/packaging/debian/control")
    [ ! -e "$root" ] || [ "$(cat "$top/$suite/builder.ready" 2>/dev/null)" != "$sum" ] || return 0
    say "installs what building needs"
    [ -e "$root" ] || cp -a "$top/$suite/base" "$root"
    quietly inside "$root" apt-get update
    with_archives "$root" apt-get install -y --no-install-recommends "${tools[@]}"
    install_needs <"$here/packaging/debian/control"
    echo "$sum" >"$top/$suite/builder.ready"
}

# Builds a release, with its packaging/debian as debian/, in the folder $2 of the builder; the packages go to $3. More arguments are for the environment.
build_packages() {
    local release=$1 folder=$top/$suite/builder$2 into=$3 source version
    shift 3
    version=$(basename "$release" .tar.gz)
    version=${version##*-}
    source=wireshark-latency-$version
    say "builds $source in $folder"
    rm -rf "$folder" "$into"
    mkdir -p "$folder" "$into"
    cp "$release" "$folder/wireshark-latency_$version.orig.tar.gz"
    tar -C "$folder" -xzf "$release"
    cp -a "$folder/$source/packaging/debian" "$folder/$source/debian"
    sed -i "1s/) [A-Za-z]*;/~$(version_suffix "$suite")) $suite;/" "$folder/$source/debian/changelog"
    chown -R 65534:65534 "$folder"
    # shellcheck disable=SC2016
    quietly inside "$top/$suite/builder" setpriv --reuid 65534 --regid 65534 --clear-groups env HOME=/nonexistent DEB_BUILD_OPTIONS="parallel=$(nproc)" "$@" \
        sh -c 'cd "$0" && dpkg-buildpackage -us -uc' "${folder#"$top/$suite/builder"}/$source"
    find "$folder" -maxdepth 1 -type f -exec cp -t "$into" {} +
}

# The packages of the last version before this one, to upgrade from, if there are any of the suite.
build_previous() {
    local version commit suites was='' is
    is=$(basename "$release" .tar.gz)
    while read -r version commit suites; do
        [ "$version" = "${is##*-}" ] || [[ " $suites " != *" $suite "* ]] || was=$commit
    done < <(grep -v '^#' "$here/packaging/released")
    [ -n "$was" ] || rm -rf "$top/$suite/previous"
    [ "$(cat "$top/$suite/previous/commit" 2>/dev/null)" != "$was" ] || return 0
    git -C "$here" show "$was:packaging/debian/control" | install_needs
    build_packages "$("$here/packaging/release.sh" "$was")" /previous "$top/$suite/previous"
    echo "$was" >"$top/$suite/previous/commit"
}

# Another folder, time zone, language and mask: the same bytes.
compare_builds() {
    local package
    build_packages "$release" "/again/in/a/longer/folder" "$top/$suite/again" TZ=Pacific/Kiritimati LC_ALL=C
    for package in "$top/$suite/packages"/*.d*eb; do
        cmp "$package" "$top/$suite/again/${package##*/}" && continue
        ! command -v diffoscope >/dev/null || diffoscope --max-report-size 20000 "$package" "$top/$suite/again/${package##*/}" >&2 || true
        give_up "$suite: a second build gives another $(basename "$package")."
    done
    say "a second build gives the same bytes: $(cd "$top/$suite/packages" && echo *.d*eb)"
}

# Debian's gcc makes position-independent programs unasked, so that no flag says so. Of three versions of lintian the older ones know no younger Policy,
# and what is explained to one of them another may not ask. Forky's calls old what Debian 12 has, and needless what its dpkg needs; the older ones do not
# know what that is called, so that debian/source/lintian-overrides cannot say so.
check_packages() {
    local root=$top/$suite/builder code=0 not_asked=newer-standards-version,unused-override
    [ "$suite" != forky ] || not_asked+=,package-uses-old-debhelper-compat-version,redundant-priority-optional-field,redundant-rules-requires-root-no-field
    cp "$top/$suite/build.log" "$root/build/log"
    inside "$root" blhc --bindnow /build/log >"$top/$suite/blhc" || { cat "$top/$suite/blhc"; give_up "$suite: blhc misses flags that harden."; }
    say "blhc: all flags that harden are there"
    # shellcheck disable=SC2016
    inside "$root" "${as_user[@]}" sh -c 'cd /build && exec lintian --no-cfg --display-info --display-experimental --pedantic \
        --fail-on error,warning,info,pedantic,experimental --tag-display-limit 0 \
        --suppress-tags "$0" ./*.changes' "$not_asked" >"$top/$suite/lintian" 2>&1 || code=$?
    sed "s/^/$suite: lintian: /" "$top/$suite/lintian"
    [ $code -eq 0 ] || give_up "$suite: lintian has something to say."
    say "lintian, pedantic: nothing to say"
    for package in "$top/$suite/packages"/wireshark-latency{,-tools}_*.deb; do
        say "$(basename "$package"): Depends: $(dpkg-deb -f "$package" Depends)"
    done
    dpkg-deb -f "$top/$suite/packages"/wireshark-latency_*.deb Depends | grep -Eq 'libwireshark[0-9]+' || give_up "$suite: it depends on no libwireshark."
    dpkg-deb -f "$top/$suite/packages"/wireshark-latency-tools_*.deb Built-Using | grep -q '^node-chart.js (= ' || give_up "$suite: it does not say which Chart.js it holds."
}

# All files, without what apt and dpkg keep of each package.
list_files() {
    (cd "$1" && find . \( -path ./proc -o -path ./sys -o -path ./tmp -o -path ./var/cache -o -path ./var/log -o -path ./var/lib/dpkg -o -path ./var/lib/apt \) -prune -o -print | sort)
}

# What autopkgtest runs.
main_job() {
    local root=$1
    inside "$root" "${as_user[@]}" sh -eu -c 'cd /tmp/source && exec packaging/debian/tests/main-job' || give_up "$suite: the main job failed."
}

upgrade() {
    local root=$1
    with_archives "$root" apt-get purge -y wireshark-latency wireshark-latency-tools
    with_archives "$root" sh -c 'apt-get install -y --no-install-recommends /tmp/previous/*.deb'
    # shellcheck disable=SC2016
    say "upgrades from $(inside "$root" dpkg-query -W -f '${Version}' wireshark-latency)"
    with_archives "$root" sh -c 'apt-get install -y --no-install-recommends /tmp/*.deb'
    # shellcheck disable=SC2016
    inside "$root" dpkg-query -W -f '${Package} ${Version} ${Status}\n' wireshark-latency wireshark-latency-tools
    inside "$root" dpkg --verify wireshark-latency wireshark-latency-tools
    main_job "$root"
}

try_packages() {
    local root=$top/$suite/trial
    say "installs in a clean system"
    rm -rf "$root"
    cp -a "$top/$suite/base" "$root"
    mkdir -p "$root/tmp/home" "$root/tmp/source" "$root/tmp/previous"
    cp "$top/$suite/packages"/*.deb "$root/tmp/"
    [ ! -e "$top/$suite/previous" ] || cp "$top/$suite/previous"/*.deb "$root/tmp/previous/"
    tar -C "$root/tmp/source" --strip-components 1 -xzf "$release"
    chmod -R a+rX "$root/tmp" && chmod 777 "$root/tmp/home"
    # The tools without Wireshark; it, and what else is needed, is there afterwards, so that nothing but ours is counted below.
    with_archives "$root" sh -c 'apt-get install -y --no-install-recommends /tmp/wireshark-latency-tools_*.deb'
    inside "$root" sh -eu -c '! command -v tshark && ! dpkg -l "libwireshark*" 2>/dev/null | grep ^ii && latency-scan /tmp/source/captures/tcp/http_wrk.pcap | grep answered' ||
        give_up "$suite: the tools alone failed."
    with_archives "$root" apt-get purge -y wireshark-latency-tools
    with_archives "$root" apt-get install -y --no-install-recommends tshark libbpf1
    quietly inside "$root" apt-get autoremove --purge -y
    list_files "$root" >"$top/$suite/before"
    with_archives "$root" sh -c 'apt-get install -y --no-install-recommends /tmp/*.deb'
    main_job "$root"
    if [ -e "$top/$suite/previous" ]; then
        upgrade "$root"
    else
        say "has no version before this one to upgrade from"
    fi
    say "removes and purges"
    with_archives "$root" apt-get remove -y wireshark-latency wireshark-latency-tools
    ! inside "$root" "${as_user[@]}" tshark -q -r /tmp/source/captures/tcp/http_wrk.pcap -z latency,servers >"$top/$suite/log" 2>&1 || give_up "$suite: it is still there."
    quietly inside "$root" dpkg --purge wireshark-latency wireshark-latency-tools
    ! inside "$root" dpkg-query -W wireshark-latency wireshark-latency-tools >"$top/$suite/log" 2>&1 || give_up "$suite: dpkg still has it."
    # What only a version of ours has brought goes with it.
    quietly inside "$root" apt-get autoremove --purge -y
    list_files "$root" >"$top/$suite/after"
    diff "$top/$suite/before" "$top/$suite/after" || give_up "$suite: something was left."
    rm -rf "$root"
    say "nothing is left"
}

main() {
    case ${1-} in
    -h | --help)
        sed -n '2,5s/^# //p' "$0"
        exit
        ;;
    -*) give_up "There is no option $1." ;;
    esac
    [ "$(id -u)" -eq 0 ] || give_up "Only root can make systems to build in."
    command -v debootstrap >/dev/null || give_up "debootstrap is missing: apt-get install debootstrap"
    [ $# -gt 0 ] || set -- bookworm trixie forky
    for suite in "$@"; do
        version_suffix "$suite" >/dev/null
    done
    made=$("$here/packaging/release.sh")
    # What is committed meanwhile goes into a release of the same name: each suite has a copy, from its first build to its second.
    for suite in "$@"; do
        mkdir -p "$top/$suite"
        cp "$made" "$top/$suite/"
    done
    for suite in "$@"; do
        release=$top/$suite/${made##*/}
        make_base
        make_builder
        build_packages "$release" /build "$top/$suite/packages"
        cp "$top/$suite/log" "$top/$suite/build.log"
        grep -E 'requests, |warning:|dpkg-shlibdeps: warning' "$top/$suite/build.log" || true
        check_packages
        build_previous
        try_packages
        compare_builds
    done
}

main "$@"
