# Sourced by install.sh and tests/run.sh; `here` is the top of the checkout.
# SPDX-License-Identifier: GPL-2.0-or-later

# Runs a command; shows what it said only if it failed, and then ends.
quietly() {
    local said
    said=$(mktemp)
    "$@" >"$said" 2>&1 || { cat "$said"; rm -f "$said"; exit 1; }
    rm -f "$said"
}

# Installs the Debian packages that are not there yet.
need_packages() {
    local missing=() package
    for package in "$@"; do
        dpkg-query -W -f '${Status}' "$package" 2>/dev/null | grep -q 'ok installed' || missing+=("$package")
    done
    [ ${#missing[@]} -gt 0 ] || return 0
    echo "Installing ${missing[*]}"
    local sudo=
    [ "$(id -u)" -eq 0 ] || sudo=sudo
    # Wireshark asks who may capture; the default, nobody but root, suits.
    quietly $sudo sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"' \
        apt "${missing[@]}"
}

# Builds the preset into build/PRESET; further arguments are CMake's.
build() {
    local preset=$1
    shift
    (cd "$here" && quietly cmake --preset "$preset" "$@" && quietly cmake --build --preset "$preset")
}
