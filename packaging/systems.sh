# Sourced by build.sh, portable.sh and tests/cases/other_wiresharks.py: minimal systems of Debian's and Ubuntu's suites.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash

# Prints what stands behind the version of a suite's packages; fails for a suite that is not known here.
version_suffix() {
    case $1 in
    bookworm) echo deb12+1 ;;
    trixie) echo deb13+1 ;;
    forky) echo deb14+1 ;;
    noble) echo u24.04+1 ;;
    *)
        echo "The suite $1 is not known here: bookworm, trixie, forky, noble." >&2
        return 1
        ;;
    esac
}

# Makes a minimal system of a suite in a folder, or where a link to one leads. debootstrap knows no suite, and no key, that is younger than it is;
# Debian's are as sid, Ubuntu's as all of Ubuntu's.
bootstrap_system() {
    local suite=$1 root=$2 mirror=${MIRROR:-http://deb.debian.org/debian} like=sid components=main scripts code=0
    if [ "$suite" = noble ]; then
        mirror=${UBUNTU_MIRROR:-http://archive.ubuntu.com/ubuntu} like=gutsy components=main,universe
    fi
    mkdir -p "$root" && find "$root/" -xdev -mindepth 1 -delete || return
    scripts=$(mktemp -d)
    cp -a /usr/share/debootstrap/. "$scripts"
    [ -e "$scripts/scripts/$suite" ] || ln -s $like "$scripts/scripts/$suite"
    DEBOOTSTRAP_DIR=$scripts debootstrap --variant=minbase --no-check-gpg --components=$components "$suite" "$root" "$mirror" || code=$?
    rm -rf "$scripts"
    return $code
}
