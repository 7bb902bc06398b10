# Sourced by install.sh and tests/run.sh; `here` is the top of the checkout.
# SPDX-License-Identifier: GPL-2.0-or-later

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
    $sudo sh -c 'apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq --no-install-recommends "$@"' \
        apt "${missing[@]}" >/tmp/latency-apt.$$ 2>&1 || { cat /tmp/latency-apt.$$; exit 1; }
    rm -f /tmp/latency-apt.$$
}

# Builds the preset into build/PRESET; says nothing unless it fails.
build() {
    (cd "$here" && cmake --preset "$1" -G Ninja && cmake --build --preset "$1") >"/tmp/latency-build.$$" 2>&1 ||
        { cat "/tmp/latency-build.$$"; exit 1; }
    rm -f "/tmp/latency-build.$$"
}
