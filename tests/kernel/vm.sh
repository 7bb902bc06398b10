#!/bin/bash
# Boots a Debian kernel in qemu, records memcached there with kernel-stages, and brings the recordings back.
# Usage: tests/kernel/vm.sh KERNEL_PACKAGE KERNEL_STAGES OUT_DIRECTORY
# The package and busybox-static are downloaded with apt-get into build/kernels. Neither root, a disk nor a network are needed: everything is
# in the initramfs, and what comes back is a tar archive on the second serial port. The last line counts: N passed, N failed.
# SPDX-License-Identifier: GPL-2.0-or-later
set -euo pipefail

case ${1-} in
-h | --help)
    sed -n '2,5s/^# //p' "$0"
    exit
    ;;
esac
package=$1 program=$2 out=$3
here=$(cd "$(dirname "$0")" && pwd)
cache=$(cd "$here/../.." && pwd)/build/kernels
root=$(mktemp -d)
trap 'rm -rf "$root" "$root".gz "$root".tar' EXIT

# Prints the directory that a package is unpacked in.
unpacked() {
    local directory=$cache/$1
    if [ ! -e "$directory" ]; then
        mkdir -p "$cache"
        (cd "$cache" && apt-get download -q "$1" >&2)
        dpkg-deb -x "$cache/$1"_*.deb "$directory.part"
        mv "$directory.part" "$directory"
    fi
    echo "$directory"
}

# Copies a program and its libraries.
copy_program() {
    local library
    install -D "$1" "$root$1"
    ldd "$1" | grep -o '/[^ ]*' | while read -r library; do [ -e "$root$library" ] || install -D "$library" "$root$library"; done
}

kernel=$(unpacked "$package")
busybox=$(unpacked busybox-static)
mkdir -p "$root"/{bin,sbin,etc,proc,run,sys,dev,tmp,out,modules,test}
echo 'root:x:0:0::/:/bin/sh' >"$root/etc/passwd"
cp "$busybox/bin/busybox" "$root/bin/"
for module in veth sch_tbf; do
    found=$(find "$kernel" -name "$module.ko*")
    cp "$found" "$root/modules/"
done
for packed in "$root"/modules/*.xz; do [ ! -e "$packed" ] || xz -d "$packed"; done
# bash, because busybox' shell takes its own ip before any other.
for tool in /bin/bash /usr/bin/memcached /usr/bin/python3 /usr/sbin/ip /usr/sbin/tc; do copy_program "$(readlink -f "$tool")"; done
ln -sf "$(readlink -f /usr/bin/python3)" "$root/bin/python3"
ln -sf "$(readlink -f /bin/bash)" "$root/bin/bash"
ln -sf "$(readlink -f /usr/sbin/ip)" "$root/bin/ip"
ln -sf "$(readlink -f /usr/sbin/tc)" "$root/bin/tc"
cp "$here"/*.py "$root/test/"
cp "$here/vm-job.sh" "$here/../../captures/record/kernel_shaper.sh" "$root/test/"
cp "$program" "$root/bin/kernel-stages"
ldd "$program" | grep -o '/[^ ]*' | while read -r library; do [ -e "$root$library" ] || install -D "$library" "$root$library"; done
# What the client imports, and no more of Python.
/usr/bin/python3 -S -c "
import sys
sys.path.insert(0, '$here')
import client, encodings.idna, locale
for module in list(sys.modules.values()):
    print(getattr(module, '__file__', None) or '')" | grep '^/usr/lib/' | while read -r file; do install -D "$file" "$root$file"; done

cat >"$root/init" <<'I'
#!/bin/busybox sh
/bin/busybox --install -s /bin
export PATH=/bin:/sbin:/usr/bin:/usr/sbin
mount -t proc p /proc
mount -t sysfs s /sys
mount -t devtmpfs d /dev
mount -t tmpfs t /tmp
for module in /modules/*.ko; do insmod "$module"; done
stty -F /dev/ttyS1 raw -echo
ip link set lo up
sh /test/vm-job.sh
(cd /out && tar c .) >/dev/ttyS1
poweroff -f
I
chmod +x "$root/init"
(cd "$root" && find . | "$busybox/bin/busybox" cpio -o -H newc | gzip -1) >"$root.gz"

# KVM is not everywhere. Without -cx16 a 6.12 dies in a quarter of its boots under TCG.
timeout -k 5 400 qemu-system-x86_64 -accel tcg,thread=multi -cpu max,-cx16 -m 768 -smp 2 -nodefaults -no-reboot -display none \
    -serial stdio -serial "file:$root.tar" -kernel "$kernel"/boot/vmlinuz-* -initrd "$root.gz" \
    -append 'console=ttyS0 panic=-1 quiet mitigations=off' </dev/null
mkdir -p "$out"
tar x -C "$out" -f "$root.tar"

passed=0 failed=0
cat "$out/stages"
for recording in lo4.pcapng lo6.pcapng shaper.pcapng; do
    client=$out/${recording%.pcapng}.json
    [ "$recording" != shaper.pcapng ] || client=
    if python3 "$here/checks.py" "$out/$recording" ${client:+"$client"}; then passed=$((passed + 1)); else failed=$((failed + 1)); fi
done
echo "$passed passed, $failed failed"
[ "$failed" -eq 0 ]
