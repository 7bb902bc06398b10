#!/bin/bash
# Usage: packaging/rpm.sh
# Builds the RPM packages of what is committed (HEAD) against what is installed here, on Debian too, whose packages rpm does not know.
# Needs rpmbuild, and curl the first time, for Chart.js; rpmlint looks at them if it is there. They are then in build/rpm.
# SPDX-License-Identifier: GPL-2.0-or-later
set -euo pipefail

here=$(cd "$(dirname "$0")/.." && pwd)
case ${1-} in
-h | --help)
    sed -n '2,4s/^# //p' "$0"
    exit
    ;;
?*)
    echo "There is no argument $1." >&2
    exit 2
    ;;
esac
command -v rpmbuild >/dev/null || { echo "rpmbuild is missing: apt-get install rpm, or dnf install rpm-build" >&2; exit 1; }
release=$("$here/packaging/release.sh")
top=$here/build/rpm
# The spec's second source, as its authors publish it; a distribution keeps it with the first.
chart=$(sed -n 's/^%global chart_version //p' "$here/packaging/wireshark-latency.spec")
chart=$here/build/source/chart.js-$chart.tgz
sum=111e0751796f087a51e94dfed910ccfb1278fd30e584a6e48514dba9ae7e72c6
[ -e "$chart" ] || { curl --fail --silent --show-error --location --output "$chart.new" "https://registry.npmjs.org/chart.js/-/${chart##*/}" && mv "$chart.new" "$chart"; }
echo "$sum  $chart" | sha256sum --quiet --check - || { echo "$chart is not what it was: remove it, or write its new sum into $0." >&2; exit 1; }
rm -rf "$top"
mkdir -p "$top/SOURCES"
cp "$release" "$chart" "$top/SOURCES/"
cp "$here/packaging/wireshark-latency.spec" "$top/"
nodeps=()
command -v rpm >/dev/null && rpm -q wireshark-devel >/dev/null 2>&1 || nodeps=(--nodeps)
packager=$(sed -n 's/^Maintainer: //p' "$here/packaging/debian/control")
rpmbuild -ba "${nodeps[@]}" --define "_topdir $top" --define "packager $packager" "$top/wireshark-latency.spec" >"$top/log" 2>&1 || {
    tail -n 40 "$top/log" >&2
    exit 1
}
find "$top" -name '*.rpm' -print | sort
if command -v rpmlint >/dev/null; then
    find "$top" -name '*.rpm' -exec rpmlint --config "$here/packaging/rpmlint.toml" "$here/packaging/wireshark-latency.spec" {} +
fi
