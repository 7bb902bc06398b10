#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0-or-later
"""slow_input.py: as long as it runs, each packet for this host takes some tenths of a millisecond more in the softirq between IP and TCP, as with a firewall of many
rules: a BPF program at netfilter's LOCAL_IN of this network namespace, which reads the clock many times.
"""
import ctypes
import os
import signal
import struct

BPF, PROG_LOAD, LINK_CREATE = {'x86_64': 321, 'aarch64': 280}[os.uname().machine], 5, 28
NETFILTER, ATTACH_NETFILTER, LOCAL_IN, IPV4, KTIME = 32, 45, 1, 2, 5
TIMES = 20000


def bpf(command, attributes):
    buffer = ctypes.create_string_buffer(attributes, 144)
    fd = ctypes.CDLL(None, use_errno=True).syscall(BPF, command, buffer, len(buffer))
    if fd < 0:
        raise OSError(ctypes.get_errno(), os.strerror(ctypes.get_errno()))
    return fd


def instruction(code, registers=0, offset=0, number=0):
    return struct.pack('<BBhi', code, registers, offset, number)


def main():
    program = b''.join([
        instruction(0xb7, 6, 0, TIMES),  # r6 = TIMES
        instruction(0x85, 0, 0, KTIME),
        instruction(0x07, 6, 0, -1),     # r6 -= 1
        instruction(0x55, 6, -3, 0),     # again, if r6 != 0
        instruction(0xb7, 0, 0, 1),      # NF_ACCEPT
        instruction(0x95)])
    code, license = ctypes.create_string_buffer(program), ctypes.create_string_buffer(b'GPL')
    attributes = struct.pack('<IIQQ', NETFILTER, len(program) // 8, ctypes.addressof(code), ctypes.addressof(license))
    loaded = bpf(PROG_LOAD, attributes.ljust(68, b'\0') + struct.pack('<I', ATTACH_NETFILTER))
    bpf(LINK_CREATE, struct.pack('<IIIIIIiI', loaded, 0, ATTACH_NETFILTER, 0, IPV4, LOCAL_IN, 7, 0))
    print('attached', flush=True)
    signal.pause()


if __name__ == '__main__':
    main()
