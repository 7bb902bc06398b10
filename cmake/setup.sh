# Sourced by install.sh and tests/run.sh; `here` is the top of the checkout.
# SPDX-License-Identifier: GPL-2.0-or-later
# shellcheck shell=bash disable=SC2154

# Says on stderr why it cannot go on, and ends.
give_up() {
    printf '%s\n' "$@" >&2
    exit 1
}

# Runs a command; shows what it said only if it failed.
quietly() {
    local said code=0
    said=$(mktemp)
    "$@" >"$said" 2>&1 || { code=$?; cat "$said"; }
    rm -f "$said"
    return $code
}

# Puts those Debian packages that are not there into the array `missing`; says which are needed where that cannot be asked.
find_missing() {
    local package
    missing=()
    if ! command -v apt-get >/dev/null || ! command -v dpkg-query >/dev/null; then
        echo "There is no apt-get here, so nothing is installed. Needed is what Debian has in these packages: $*"
        return
    fi
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
}

# Gives up, and says which they are, if Debian packages are not there.
require_packages() {
    local missing
    find_missing "$@"
    [ ${#missing[@]} -eq 0 ] || give_up "Packages are missing, and nothing is installed here." "As root: apt-get install ${missing[*]}"
}

# Says what apt-get is about to bring, itself and what that depends on: "142 newly installed, 118 MB of archives, 506 MB of disk space"; and asks who
# sits at a terminal if that is more than 50 packages.
say_what_comes() {
    local said number answer
    said=$("${sudo[@]}" env LC_ALL=C apt-get install --assume-no --no-install-recommends "$@" 2>/dev/null || true)
    said=$(sed -nE 's/.* ([0-9]+ newly installed), .*/\1/p; s/^Need to get (.*\/)?([0-9.]+ .?B of archives)\.$/\2/p; s/^After this operation, (.*) of additional (disk space) will be used\.$/\1 of \2/p' <<<"$said")
    echo "Installing $*${said:+; with what they depend on: ${said//$'\n'/, }}"
    number=${said%% newly*}
    if [ -t 0 ] && [[ $number =~ ^[0-9]+$ ]] && [ "$number" -gt 50 ]; then
        read -r -p "Install these $number packages? [Y/n] " answer || answer=n
        case $answer in
        '' | [Yy]*) ;;
        *) give_up "Nothing has been installed." ;;
        esac
    fi
}

# Installs the Debian packages that are not there yet, or says which they are.
need_packages() {
    local missing
    find_missing "$@"
    [ ${#missing[@]} -gt 0 ] || return 0
    local sudo=() by_hand="As root: apt-get install ${missing[*]}"
    if [ "$(id -u)" -ne 0 ]; then
        command -v sudo >/dev/null || give_up "Packages are missing, and there is no sudo to install them." "$by_hand"
        sudo -n true 2>/dev/null || (: </dev/tty) 2>/dev/null ||
            give_up "Packages are missing, and sudo wants a password, which cannot be typed without a terminal." "$by_hand"
        sudo=(sudo)
    fi
    "${sudo[@]}" true || give_up "The packages could not be installed." "$by_hand"
    # One archive of others that is expired or unsigned does not keep the rest from being there.
    quietly "${sudo[@]}" apt-get update -qq || echo "apt-get update failed; goes on with the lists of packages that it has."
    say_what_comes "${missing[@]}"
    # Wireshark asks who may capture; the default, nobody but root, suits. What was downloaded does not stay.
    quietly "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends -o APT::Keep-Downloaded-Packages=false \
        "${missing[@]}" || give_up "The packages could not be installed." "$by_hand"
}

# Builds the preset into build/PRESET: all of it, or what the array `targets` has. Further arguments are CMake's.
build() {
    local preset=$1 missing=() program foreign
    shift
    for program in cmake ninja pkg-config; do
        command -v "$program" >/dev/null || missing+=("$program")
    done
    [ ${#missing[@]} -eq 0 ] || give_up "Not in the PATH, and needed to build: ${missing[*]}"
    foreign=$(find "$here/build" -maxdepth 0 ! -writable -print 2>/dev/null || true)
    foreign=${foreign:-$(find "$here/build/$preset" ! -type l ! -writable -print -quit 2>/dev/null || true)}
    [ -z "$foreign" ] || give_up "$foreign belongs to $(stat -c %U "$foreign"), and $(id -un) may not write to it." \
        "Remove what was built: sudo rm -r $here/build/$preset; or have it: sudo chown -R $(id -un) $here/build/$preset"
    echo "Configuring build/$preset"
    (cd "$here" && quietly cmake --preset "$preset" "$@")
    echo "Building build/$preset: the first time takes a minute or two"
    (cd "$here" && quietly cmake --build --preset "$preset" ${targets[@]+--target "${targets[@]}"})
}
